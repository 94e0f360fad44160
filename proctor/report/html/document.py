"""The fixed part of a page: one file with its style and script in it, which asks for nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from proctor.report.html.modules import joined

ASSETS = Path(__file__).with_name("assets")


@cache
def document(title: str, entry: str, without_script: str, styles: Sequence[str] = ("page.css",)) -> tuple[bytes, bytes]:
    """A page without its data.

    Args:
        title: Its title.
        entry: The module in ``assets/`` that begins its script.
        without_script: What a reader is told whose browser runs no script.
        styles: The parts of its style, files there as well.

    Returns:
        What comes before the data, and what comes behind. The page's policy allows its own script and style alone.
    """
    style = "".join((ASSETS / name).read_text(encoding="utf-8") for name in styles)
    script = joined(ASSETS, entry)
    text = (ASSETS / "page.html").read_text(encoding="utf-8").replace("TITLE", title).replace("WITHOUT", without_script)
    before, after = text.replace("STYLE_HASH", _hash(style)).replace("SCRIPT_HASH", _hash(script)).split("DATA\n")
    return before.replace("STYLE", style).encode(), after.replace("SCRIPT", script).encode()


def _hash(text: str) -> str:
    """What a content security policy calls the only style or script that a page may have."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
