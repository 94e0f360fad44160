"""Pieces of Markdown, made from text that nobody vouches for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(inline(cell) for cell in line) + " |" for line in lines)


def bullets(items: Mapping[str, str]) -> str:
    """A list of names with their values, which are Markdown already."""
    return "\n".join(f"- {name}: {value}" for name, value in items.items())


def inline(text: str) -> str:
    """Text from outside, made harmless in a line of Markdown: no new line, column, code or HTML."""
    flat = " ".join(text.split())
    for character, safe in (("&", "&amp;"), ("<", "&lt;"), ("|", "\\|"), ("`", "'")):
        flat = flat.replace(character, safe)
    return flat
