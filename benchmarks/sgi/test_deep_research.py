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
from benchmarks.sgi.final_answer import final_answer, published_answer, tagged
from benchmarks.sgi.identity import COMPOSITE, TASKS, row_idx
from benchmarks.sgi.judge_reply import json_list, published_value, verdict
from proctor import Ask, Case, Judged, Placeholders, Reply, Role, Row, Sample, Score, Task

CORRECT, INCORRECT = "correct", "incorrect"


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample. Steps may be missing, one text or of any type, and the answer of any type.

    Raises:
        DataError: If the question is missing or no text, or there is no answer.
    """
    idx, answer, steps = row_idx(row), row.there("answer"), row.get("steps")
    if not isinstance(answer, str):
        row.odd("answer", "no text, which officially no answer equals", value=answer)
    if not steps or not isinstance(steps, list):
        row.odd("steps", "no list of steps", value=steps)
        steps = [steps] if steps else []
    yield Sample(
        id=idx,
        fields={"question": row.text("question"), "steps": [str(step) for step in steps]},
        target=answer,
        tags=row.labels("discipline", "type"),
        id_may_repeat=True,
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
        gave none; ``published_step_level_acc``: the share of correct ones as the published code reads the reply,
        ``None`` if it cannot; ``judge_tries``; ``problem``: why one of them gave none, empty if neither failed.
    """
    extracted = final_answer(response)
    if not response.strip():
        unasked: dict[str, Any] = {"parsed": None, "parser_tries": 0, "steps": [], "judge_tries": 0, "problem": ""}
        return unasked | {"published_step_level_acc": 0.0}
    evidence: dict[str, Any] = {"parsed": None, "parser_tries": 0}
    problems = []
    if extracted and published_answer(response) != sample.target:
        parsed = answer_parser.parsed_answer(ask, extracted, sample.target)
        evidence = {"parsed": parsed.value, "parser_tries": parsed.tries}
        problems.append(parsed.problem)
    judged = verdict(
        ask,
        "deep_research_judge",
        read_steps,
        role="judge",
        question=sample.fields["question"],
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(sample.fields["steps"], 1)),
        answer=str(sample.target),
        response=response,
        extracted=extracted,
    )
    problems.append(judged.problem)
    steps, accuracy = judged.value or (None, None)
    return evidence | {
        "steps": steps,
        "published_step_level_acc": accuracy,
        "judge_tries": judged.tries,
        "problem": "; ".join(filter(None, problems)),
    }


def read_steps(reply: str) -> tuple[list[dict[str, str]], float | None] | None:
    """The judged steps that a reply lists, and the share of correct ones as the published code reads it.

    Returns:
        The steps, from a list that is repaired if need be, and the share, for which the list must be closed and each
        step say exactly ``correct``: ``None`` if the published code can read no list. ``None`` in place of both unless
        there is a list of steps with a verdict each.
    """
    published = published_value(reply, "[]")
    readings: tuple[Any, ...] = (json_list(reply), published)
    for entries in readings:
        if are_judged(entries):
            told = [
                {name: str(entry.get(name, "")) for name in ("solution_step", "reason", "judge")} for entry in entries
            ]
            correct = [entry["judge"] == CORRECT for entry in published] if are_judged(published) else []
            return told, sum(correct) / len(correct) if correct else None
    return None


def are_judged(entries: Any) -> bool:
    """Whether it is a list of steps with a verdict each."""
    return isinstance(entries, list) and bool(entries) and all(isinstance(e, dict) and "judge" in e for e in entries)


def score(sample: Sample, response: str, evidence: Any) -> Score:
    """Exact match of the final or the parsed answer, and the share of steps that are correct.

    The official match minds upper and lower case, blanks around an answer without tags, and that the gold answer is a
    text; the strict one does not. If the judge's reply cannot be read, the official family loses the sample, as the
    published code loses its row; the strict family counts the match, and no step as correct.
    If the parser failed, both count the final answer as it is; the case is no measurement then.
    """
    parsed, gold = evidence["parsed"], sample.target
    steps = evidence["steps"]
    correct = sum(folded(step["judge"]) == CORRECT for step in steps or [])
    accuracy = correct / len(steps) if steps else 0.0
    published_accuracy = evidence.get("published_step_level_acc", None if steps is None else accuracy)
    answer = final_answer(response)
    return Score(
        prediction=answer if parsed is None else parsed,
        official={
            "exact_match": float(isinstance(gold, str) and gold in (published_answer(response), parsed)),
            "step_level_acc": published_accuracy,
        }
        if published_accuracy is not None
        else {},
        strict={
            "exact_match": float(bool(answer) and folded(str(gold)) in (folded(answer), folded(parsed or ""))),
            "step_level_acc": accuracy,
        },
        parsed=bool(answer),
        judged=steps is not None and not (evidence["parser_tries"] and parsed is None),
        problem=evidence.get("problem", ""),
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
    return tagged(str(sample.target))


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
    composite=COMPOSITE,
    composite_tasks=TASKS,
    parameters={"temperature": 0.0},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
)


@TASK.cases
def test_deep_research(case: Case) -> None:
    """The model's final answer is the gold answer."""
    case.measure()
