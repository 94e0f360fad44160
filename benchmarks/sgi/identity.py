"""What an SGI-Bench row says, read as the published code does, and what its task is part of.

What the published code accepts is no reason to refuse a row.
"""

from __future__ import annotations

import ast
from typing import Any

from proctor import ROW_ID, Row

LITERAL_PROBLEMS = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)

COMPOSITE = "SGI-Score"
TASKS = tuple(
    f"sgi/{name}"
    for name in ("deep_research", "idea_generation", "dry_experiment", "wet_experiment", "experimental_reasoning")
)
"""The tasks whose mean the composite is."""


def row_idx(row: Row) -> str:
    """The row's own id, ``idx``: a text or a number; one made from its content if it has none."""
    return row.identify(ROW_ID)


def text_of(row: Row, name: str) -> str:
    """The text in field *name*: empty if it is null or missing; a list or an object is written as in Python.

    All these are as the published data may have them, and not odd.
    """
    value = row.get(name)
    return "" if value is None else str(value)


def literal_of(row: Row, name: str, kind: type) -> Any:
    """The list or dict in field *name*: as JSON has it, or written as in Python, which is read and never evaluated.

    Anything else is noted as odd.

    Returns:
        The value; ``None`` if it is none of that kind.
    """
    value = row.get(name)
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value.strip())
        except LITERAL_PROBLEMS:
            value = None
    if isinstance(value, kind):
        return value
    row.odd(name, f"no {kind.__name__} and no text that is one in Python", value=row.get(name))
    return None


def texts_of(row: Row, name: str) -> dict[str, str]:
    """The texts by their names in field *name*; see `literal_of`."""
    return {str(key): str(text) for key, text in (literal_of(row, name, dict) or {}).items()}
