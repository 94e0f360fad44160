"""What a response is worth, in both score families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor._base.json_values import Json


@dataclass(frozen=True, slots=True)
class Score:
    """What a response is worth, in both score families.

    Args:
        prediction: The answer as the strict family reads it; ``None`` if the response has none.
        official: Metrics by the published grader's formula, quirks included. ``pairs``, a list of such metrics, where
            the published aggregate is a mean over parts of samples.
        strict: The same metrics where every failure counts as the worst value.
        parsed: False if the response does not follow the required format (status ``unparsed``).
        judged: False if what the score depends on could not be found out (status ``judge_failed``); *strict* then
            counts as it is given.
        strict_stands: Whether *strict* has the worst value already for whatever a refused or cut answer lacks, so that
            it counts for such an answer as it is given.
        diagnostics: Further numbers beside the scores, never in their place; ``None`` where one does not apply.
        problem: Why it was not judged, or not in part; empty if there is nothing to say.
        spans: Start and end, as indices into the response, of the parts that *prediction* was read from, in order; a
            report marks them. Empty if that cannot be told.
    """

    prediction: Json
    official: Mapping[str, Any]
    strict: Mapping[str, Any]
    parsed: bool = True
    judged: bool = True
    strict_stands: bool = False
    diagnostics: Mapping[str, float | None] = field(default_factory=dict)
    problem: str = ""
    spans: Sequence[tuple[int, int]] = ()


FAMILIES = ("official", "strict")
