"""Multiple-choice questions: a judge says which option the response picks, and that is right or wrong."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.mixeval_x.entries import letters
from benchmarks.mixeval_x.rule_parser import option_letter
from benchmarks.mixeval_x.run_settings import Settings
from benchmarks.mixeval_x.verdicts import asked_anew, letter_in_brackets, problem_of, retries
from proctor import Ask, Placeholders, Sample, Score

JUDGE_PROMPT = "multiple_choice_judge"
JUDGE_PLACEHOLDERS = Placeholders("options", "response", optional=["question"])


def examine(settings: Settings, sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Have the judge read the response, unless rules are to read it; the judge sees no medium.

    Returns:
        ``{"parser": "rule"}``, or ``{"parser": "judge", …}`` with a `Verdict` whose value is a letter.
    """
    if settings.parser == "rule":
        return {"parser": "rule"}
    fields = sample.fields
    values = {"question": fields["prompt"], "options": lettered(fields["options"]), "response": response}
    return {"parser": "judge"} | asked_anew(ask, JUDGE_PROMPT, letter_in_brackets, **values)


def score(task: str, sample: Sample, response: str, evidence: Any) -> Score:
    """1 if the response picks the right option, else 0.

    A letter that no option has says that the response picks none. A judge that cannot be read, or whose request
    failed, gives an official option drawn at random, as published, but reproducibly; the strict family knows none then.
    """
    ruled = option_letter(response, sample.fields["options"])
    diagnostics: dict[str, float | None] = {"rule_score": float(ruled == sample.target)}
    if evidence["parser"] == "rule":
        return _score(sample, ruled, ruled, diagnostics)
    if evidence["value"] is None:
        drawn = drawn_option(task, sample.id, sample.fields["options"])
        diagnostics |= {"rule_agrees": None, "fallback": 1.0, "judge_retries": retries(evidence)}
        return _score(sample, drawn, None, diagnostics, judged=False, problem=problem_of(evidence))
    picked = evidence["value"] if evidence["value"] in letters(sample.fields["options"]) else None
    diagnostics |= {"rule_agrees": float(picked == ruled), "fallback": 0.0, "judge_retries": retries(evidence)}
    return _score(sample, picked, picked, diagnostics)


def _score(
    sample: Sample,
    official: str | None,
    strict: str | None,
    diagnostics: Mapping[str, float | None],
    *,
    judged: bool = True,
    problem: str = "",
) -> Score:
    """The score of the letters that the families read."""
    names = sample.metrics or ("accuracy",)
    return Score(
        prediction=strict,
        official=dict.fromkeys(names, float(official == sample.target)),
        strict=dict.fromkeys(names, float(strict == sample.target)),
        parsed=strict is not None or not judged,
        judged=judged,
        diagnostics=diagnostics,
        problem=problem,
    )


def drawn_option(task: str, sample_id: str, options: Sequence[str]) -> str:
    """The letter of an option drawn at random, always the same one for a sample."""
    return random.Random(f"{task}:{sample_id}").choice(letters(options))


def lettered(options: Sequence[str]) -> str:
    """The options as models see them, one a line."""
    return "\n".join(
        f"{letter}. {' '.join(option.split())}" for letter, option in zip(letters(options), options, strict=True)
    )


def stand_in(values: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test, whose responses are letters."""
    return f"[[{values['response'].strip()[:1]}]]"
