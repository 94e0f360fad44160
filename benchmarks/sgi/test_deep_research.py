"""Deep Research: answer a question that takes several steps of finding facts and computing.

An answer parser brings the final answer into the gold answer's shape; the headline is exact match. A judge decides
which steps of the solution are correct (SGI-Bench).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.sgi import answer_parser
from benchmarks.sgi.final_answer import final_answer, tagged
from benchmarks.sgi.identity import row_idx
from benchmarks.sgi.judge_reply import json_list, verdict
from proctor import Ask, Case, Judged, Placeholders, Reply, Role, Row, Sample, Score, Task

CORRECT, INCORRECT = "correct", "incorrect"


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample.

    Raises:
        DataError: For a field that is missing or wrong, such as ``steps[2]``.
    """
    steps = row.sequence("steps")
    for number, step in enumerate(steps):
        if not isinstance(step, str) or not step.strip():
            raise row.error(f"steps[{number}]", "must be a non-empty string", value=step)
    answer = row.text("answer")
    if not answer.strip():
        raise row.error("answer", "must not be empty", value=answer)
    yield Sample(
        id=row_idx(row),
        fields={"question": row.text("question"), "steps": steps},
        target=answer,
        tags={"discipline": row.text("discipline"), "type": row.text("type")},
    )


def converse(sample: Sample, ask: Ask) -> Reply:
    """Ask the question."""
    return ask("deep_research", question=sample.fields["question"])


def examine(sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Have the final answer parsed and the steps judged.

    The parser is asked only where it can change the score: not if the final answer is the gold one already, and not
    for an empty response, which no judge needs to see either.

    Returns:
        ``parsed``: the answer in the shape of the gold one, ``None`` if the parser was not asked or gave none;
        ``parser_tries``; ``steps``: the judged steps, each ``{solution_step, reason, judge}``, ``None`` if the judge
        gave none; ``judge_tries``.
    """
    extracted = final_answer(response)
    if not response.strip():
        return {"parsed": None, "parser_tries": 0, "steps": [], "judge_tries": 0}
    evidence: dict[str, Any] = {"parsed": None, "parser_tries": 0}
    if extracted and extracted != sample.target:
        parsed = answer_parser.parsed_answer(ask, extracted, sample.target)
        evidence = {"parsed": parsed.value, "parser_tries": parsed.tries}
    judged = verdict(
        ask,
        "deep_research_judge",
        read_steps,
        role="judge",
        question=sample.fields["question"],
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(sample.fields["steps"], 1)),
        answer=sample.target,
        response=response,
        extracted=extracted,
    )
    return evidence | {"steps": judged.value, "judge_tries": judged.tries}


def read_steps(reply: str) -> list[dict[str, str]] | None:
    """The judged steps that a reply lists; ``None`` unless it is a list of steps, each correct or incorrect."""
    steps = []
    for entry in json_list(reply) or []:
        judge = str(entry.get("judge")).strip().lower() if isinstance(entry, dict) else ""
        if judge not in (CORRECT, INCORRECT):
            return None
        told = {name: str(entry.get(name, "")) for name in ("solution_step", "reason")}
        steps.append(told | {"judge": judge})
    return steps or None


def score(sample: Sample, response: str, evidence: Any) -> Score:
    """Exact match of the final or the parsed answer, and the share of steps that are correct.

    The official match minds upper and lower case, the strict one does not. If the judge failed, the official family
    loses the sample, as the published code loses its row; the strict family counts the match, and no step as correct.
    """
    answers = [answer for answer in (final_answer(response), evidence["parsed"]) if answer is not None]
    steps = evidence["steps"]
    correct = sum(step["judge"] == CORRECT for step in steps or [])
    accuracy = correct / len(steps) if steps else 0.0
    judged = steps is not None
    return Score(
        prediction=evidence["parsed"] or final_answer(response),
        official={"exact_match": float(sample.target in answers), "step_level_acc": accuracy} if judged else {},
        strict={
            "exact_match": float(folded(sample.target) in map(folded, answers)),
            "step_level_acc": accuracy,
        },
        parsed=bool(final_answer(response)),
        judged=judged,
        diagnostics={
            "steps_judged": float(len(steps)) if steps else None,
            "parser_retries": retries(evidence["parser_tries"]),
            "judge_retries": retries(evidence["judge_tries"]),
        },
    )


def folded(answer: str) -> str:
    """The answer as the strict match sees it."""
    return answer.strip().casefold()


def retries(tries: int) -> float | None:
    """How often one was asked again; ``None`` if it was not asked at all."""
    return float(tries - 1) if tries else None


def judged_by_answer(values: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test: every step is as right as the answer."""
    judge = CORRECT if values["extracted"] == values["answer"] else INCORRECT
    steps = values["steps"].splitlines()
    return json.dumps([{"solution_step": step, "reason": "the final answer", "judge": judge} for step in steps])


def oracle(sample: Sample, _: random.Random) -> str:
    """The gold answer."""
    return tagged(sample.target)


def chance(sample: Sample, generator: random.Random) -> str:
    """Any word of the question."""
    return tagged(generator.choice(sample.fields["question"].split()))


def constant(_: Sample, __: random.Random) -> str:
    """Always the same number."""
    return tagged(answer_parser.NUMBER)


JUDGE = Role(
    model="o4-mini",
    parameters={"temperature": 0.0},
    builtin=judged_by_answer,
    model_variable="SGI_DR_GRADER_MODEL",
    base_url_variables=("GRADER_BASE_URL",),
    key_variables=("GRADER_API_KEY",),
)

TASK = Task(
    name="sgi/deep_research",
    samples_of=samples_of,
    prompts={
        "deep_research": Placeholders("question"),
        "deep_research_judge": Placeholders("question", "steps", "answer", "response", "extracted"),
        **answer_parser.PROMPTS,
    },
    converse=converse,
    score=Judged(roles={"judge": JUDGE, "parser": answer_parser.ROLE}, examine=examine, score=score),
    metrics={"exact_match": 0.0, "step_level_acc": 0.0},
    composite="SGI-Score",
    parameters={"temperature": 0.0},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
)


@TASK.cases
def test_deep_research(case: Case) -> None:
    """The model's final answer is the gold answer."""
    case.measure()
