"""Tables as Markdown has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def printed(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.1f} %"
