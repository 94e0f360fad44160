"""The system's Chromium, driven by playwright, for looking at report.html."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def find_chromium() -> str | None:
    """The program, or ``None`` if there is none on PATH."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def chromium(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own, which is gone afterwards.

    Args:
        program: What `find_chromium` found.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
