"""Rows of data that are not as they should be, in report.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor._base.markdown import inline, table
from proctor.tasks.oddities import MOST_PLACES, sentences


def rows_section(task: Mapping[str, Any]) -> Iterator[str]:
    """What is unusable and what is odd in the data of a task, each kind in a sentence and with its places.

    Args:
        task: A task of report.json.
    """
    name = f"{task['benchmark']}/{task['task']}"
    unusable, odd = task.get("unusable_rows", ()), task.get("odd_rows", ())
    if unusable or odd:
        yield f"## Rows of {name} that are not as they should be"
        yield (
            "An *odd* row is asked and scored like any other. An *unusable* one can be neither asked nor graded; each "
            "of its cases counts as an error."
        )
    for state, kinds in (("Unusable", unusable), ("Odd", odd)):
        for kind, sentence in zip(kinds, sentences(name, kinds), strict=True):
            yield f"**{state}**: {inline(sentence)}"
            rows = [[place["file"], str(place["line"]), place["field"], place["value"]] for place in kind["places"]]
            yield table(("file", "line", "field", "value"), rows)
            if len(rows) == MOST_PLACES:
                yield f"These are the first {MOST_PLACES}; proctor check-data lists all."
