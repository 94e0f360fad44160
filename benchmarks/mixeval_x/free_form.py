"""Free-form questions: a judge compares the response with the gold answers, and gives 0.0 to 1.0 in tenths."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.mixeval_x.rule_parser import free_form_score
from benchmarks.mixeval_x.run_settings import Settings
from benchmarks.mixeval_x.verdicts import asked_anew, problem_of, retries, share_in_brackets
from proctor import Ask, Placeholders, Sample, Score

JUDGE_PROMPT = "free_form_judge"
JUDGE_PLACEHOLDERS = Placeholders("question", "targets", "response")
RIGHT = 0.5
"""From here on a response counts as right where judge and rules are compared."""


def examine(settings: Settings, sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Have the response judged, unless rules are to read it; the judge sees no medium.

    Returns:
        ``{"parser": "rule"}``, or ``{"parser": "judge", …}`` with a `Verdict` whose value is the score.
    """
    if settings.parser == "rule":
        return {"parser": "rule"}
    fields = sample.fields
    values = {"question": fields["prompt"], "targets": numbered(fields["targets"]), "response": response}
    return {"parser": "judge"} | asked_anew(ask, JUDGE_PROMPT, share_in_brackets, **values)


def score(task: str, sample: Sample, response: str, evidence: Any) -> Score:
    """The judge's score.

    A judge that cannot be read, or whose request failed, gives an official score drawn at random, as published, but
    reproducibly; one that was not let see the answer gives 0. The strict family knows no score then.
    """
    ruled = free_form_score(response, sample.fields["targets"])
    if evidence["parser"] == "rule":
        return _score(sample, response, ruled, ruled, diagnostics={"rule_score": ruled})
    value = evidence["value"]
    if value is None:
        drawn = 0.0 if evidence.get("blocked") else round(random.Random(f"{task}:{sample.id}").random(), 1)
        diagnostics = {"rule_score": ruled, "rule_agrees": None, "fallback": 1.0, "judge_retries": retries(evidence)}
        return _score(sample, response, drawn, 0.0, diagnostics, judged=False, problem=problem_of(evidence))
    agrees = float((value >= RIGHT) == (ruled >= RIGHT))
    diagnostics = {"rule_score": ruled, "rule_agrees": agrees, "fallback": 0.0, "judge_retries": retries(evidence)}
    return _score(sample, response, value, value, diagnostics)


def _score(
    sample: Sample,
    response: str,
    official: float,
    strict: float,
    diagnostics: Mapping[str, float | None],
    *,
    judged: bool = True,
    problem: str = "",
) -> Score:
    names = sample.metrics or ("judge_score",)
    return Score(
        prediction=response.strip(),
        official=dict.fromkeys(names, official),
        strict=dict.fromkeys(names, strict),
        judged=judged,
        diagnostics=diagnostics,
        problem=problem,
    )


def numbered(targets: Sequence[str]) -> str:
    """The gold answers as the judge sees them, one a line."""
    return "\n".join(f"{number}. {' '.join(target.split())}" for number, target in enumerate(targets, 1))


def stand_in(values: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test: a response that is a gold answer is right."""
    golds = [line.partition(". ")[2] for line in values["targets"].splitlines()]
    return f"[[{float(' '.join(values['response'].split()) in golds)}]]"
