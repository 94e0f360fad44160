r"""Experimental Reasoning: answer a question of multiple choice about pictures of experiments.

The headline is whether the letter in ``\boxed{}`` is the right one; a judge that sees the pictures rates how valid the
reasoning is, whatever the letter (SGI-Bench).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from string import ascii_uppercase
from sys import float_info
from typing import Any

from benchmarks.sgi.identity import COMPOSITE, TASKS, row_idx
from benchmarks.sgi.judge_reply import verdict
from benchmarks.sgi.pictures import pictures_of
from proctor import Ask, Case, Judged, Placeholders, Reply, Role, Row, Sample, Score, Task

TAGS = ("discipline", "type", "image_type")
BOXED = re.compile(r"\\boxed\{([A-Z])\}")
NUMBER = re.compile(r"\d+")
BEST_RATING = 10


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample. Steps may be missing, or one text.

    Raises:
        DataError: If there is no question, no list of options, no letter for the answer, or something that is no
            picture, such as ``images[1]``.
    """
    idx, options = row_idx(row), row.sequence("options")
    if len(options) > len(ascii_uppercase):
        raise row.error("options", f"must be {len(ascii_uppercase)} at most", value=len(options))
    steps, images = row.get("steps"), pictures_of(row, "images")
    if not isinstance(steps, list):
        row.odd("steps", "no list of steps", value=steps)
        steps = [steps] if steps else []
    if not images:
        row.odd("images", "no picture")
    yield Sample(
        id=idx,
        fields={
            "question": row.text("question"),
            "options": [str(option) for option in options],
            "steps": [str(step) for step in steps],
            "images": images,
        },
        target=letter_of_answer(row, len(options)),
        tags=row.labels(*TAGS),
        id_may_repeat=True,
    )


def letter_of_answer(row: Row, options: int) -> str:
    """The letter of the right option, whose place the row gives from 0: as an integer, or one in a text.

    Raises:
        DataError: If there is no letter for it.
    """
    value = row.there("answer")
    index = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(ascii_uppercase):
        raise row.error("answer", f"must be the place of an option, from 0 to {options - 1}", value=value)
    if index >= options:
        row.odd("answer", "the place of no option", value=value)
    return ascii_uppercase[index]


def lettered(options: Iterable[str]) -> str:
    """The options as prompts show them: a letter and an option a line."""
    return "\n".join(f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False))


def shown(sample: Sample) -> dict[str, Any]:
    """What both prompts show of a row."""
    fields = sample.fields
    return {"images": fields["images"], "question": fields["question"], "options": lettered(fields["options"])}


def converse(sample: Sample, ask: Ask) -> Reply:
    """Show the pictures, and ask."""
    return ask("experimental_reasoning", **shown(sample))


def examine(sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Have the reasoning rated; that of an empty response is worth nothing, and nobody is asked.

    Returns:
        ``first``: the number in the judge's first reply, which is what the published code takes, ``None`` if it has
        none; ``rating``: the first rating from 0 to 10 in all replies, ``None`` if there is none; ``judge_tries``;
        ``problem``: why there is no rating.
    """
    if not response.strip():
        return {"first": None, "rating": 0, "judge_tries": 0, "problem": ""}
    numbers: list[int | None] = []

    def read(reply: str) -> int | None:
        numbers.append(first_number(reply))
        return numbers[-1] if numbers[-1] is not None and numbers[-1] <= BEST_RATING else None

    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(sample.fields["steps"], 1))
    rated = verdict(
        ask,
        "experimental_reasoning_judge",
        read,
        role="judge",
        **shown(sample),
        steps=steps,
        answer=sample.target,
        response=response,
    )
    first = numbers[0] if numbers else None
    return {"first": first, "rating": rated.value, "judge_tries": rated.tries, "problem": rated.problem}


def first_number(reply: str) -> int | None:
    """The first whole number in a reply; one that no float holds to the last digit is none that anybody means."""
    found = NUMBER.search(reply)
    return int(found[0]) if found and len(found[0]) <= float_info.dig else None


def score(sample: Sample, response: str, evidence: Any) -> Score:
    """Whether the letter is right, and how valid the reasoning is.

    Official: the first letter in a box; the number in the judge's first reply, without a look at its range, and 0
    without one. Strict: the last letter; a rating from 0 to 10, without which the case is not judged.
    """
    boxed = list(BOXED.finditer(response))
    letters = [found[1] for found in boxed]
    rating = evidence["rating"]
    return Score(
        prediction=letters[-1] if letters else None,
        official={"MCA": float(letters[:1] == [sample.target]), "RV": (evidence["first"] or 0) / BEST_RATING},
        strict={"MCA": float(letters[-1:] == [sample.target]), "RV": (rating or 0) / BEST_RATING},
        parsed=bool(letters),
        judged=rating is not None,
        diagnostics={"judge_retries": float(evidence["judge_tries"] - 1) if evidence["judge_tries"] else None},
        problem=evidence["problem"],
        spans=[boxed[-1].span(1)] if boxed else [],
    )


def rated_by_letter(values: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test: reasoning is as good as its letter."""
    return str(BEST_RATING if BOXED.findall(values["response"])[-1:] == [values["answer"]] else 0)


def oracle(sample: Sample, _: random.Random) -> str:
    """The right letter."""
    return boxed_letter(str(sample.target))


def chance(sample: Sample, generator: random.Random) -> str:
    """The letter of any option."""
    return boxed_letter(generator.choice(ascii_uppercase[: len(sample.fields["options"])]))


def constant(_: Sample, __: random.Random) -> str:
    """Always the first option."""
    return boxed_letter("A")


def boxed_letter(letter: str) -> str:
    """An answer."""
    return rf"\boxed{{{letter}}}"


JUDGE = Role(
    model="o4-mini",
    parameters={"temperature": 0.0},
    builtin=rated_by_letter,
    inputs=frozenset({"image"}),
    model_variable="SGI_ER_GRADER_MODEL",
    base_url_variables=("GRADER_BASE_URL",),
    key_variables=("GRADER_API_KEY",),
)

TASK = Task(
    name="sgi/experimental_reasoning",
    samples_of=samples_of,
    prompts={
        "experimental_reasoning": Placeholders("images", "question", "options"),
        "experimental_reasoning_judge": Placeholders(
            "question", "options", "steps", "response", optional=["images", "answer"]
        ),
    },
    converse=converse,
    score=Judged(roles={"judge": JUDGE}, examine=examine, score=score),
    metrics={"MCA": 0.0, "RV": 0.0},
    composite=COMPOSITE,
    composite_tasks=TASKS,
    parameters={"temperature": 0.0},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
    inputs=frozenset({"image"}),
)


@TASK.cases
def test_experimental_reasoning(case: Case) -> None:
    """The letter in the box is that of the right option."""
    case.measure()
