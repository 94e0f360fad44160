"""Pieces of Markdown, made from text that nobody vouches for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

MARKS = re.compile(r"[\\`*~|]|!(?=\[)|(?<=\])\(|(?<!\w)_|_(?!\w)")
"""What means something in a line of Markdown; single brackets do not, and intervals stay legible."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table.

    Args:
        head: The titles of the columns.
        rows: As many cells each as there are titles.
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(inline(cell) for cell in line) + " |" for line in lines)


def bullets(items: Mapping[str, str]) -> str:
    """A list of names with their values, which are Markdown already."""
    return "\n".join(f"- {name}: {value}" for name, value in items.items())


def inline(text: str) -> str:
    """Text from outside, made harmless in a line of Markdown: no new line, column, code, picture, link or HTML."""
    flat = MARKS.sub(lambda found: f"\\{found[0]}", _line(text))
    return flat.replace("&", "&amp;").replace("<", "&lt;")


def code(text: str) -> str:
    """Text from outside as code in a line of Markdown, where no character but the backquote means anything."""
    return f"`{_line(text).replace('`', chr(39)) or ' '}`"


def _line(text: str) -> str:
    """Text in one line; characters that would not be seen, or that UTF-8 cannot hold, as their numbers."""
    flat = " ".join(text.split())
    if flat.isprintable():
        return flat
    return "".join(f"U+{ord(one):04X}" if _is_hidden(one) else one for one in flat)


def _is_hidden(character: str) -> bool:
    # U+200C and U+200D join the letters of real scripts.
    return unicodedata.category(character) in ("Cc", "Cf", "Cs") and character not in "\u200c\u200d"
