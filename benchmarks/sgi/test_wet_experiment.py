"""Wet Experiment: write the protocol of a laboratory experiment as pseudocode.

Each row gives a goal, the conditions and a pool of actions. The score is the mean of two: how far the order of the
actions agrees with the reference protocol's, and in how many steps the parameters do (SGI-Bench).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from benchmarks.sgi.final_answer import final_answer, tagged
from benchmarks.sgi.identity import COMPOSITE, TASKS
from benchmarks.sgi.protocol import (
    Step,
    actions_in_place,
    parameter_accuracy,
    parse_steps,
    published_steps,
    sequence_similarity,
    write_steps,
)
from proctor import ROW_ID, Ask, Case, Placeholders, Reply, Row, Sample, Score, Task

CONSTANT_PROTOCOL = """\
mixture = <Mix>(
    sample="water"
)"""


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample, its id made from the row's content.

    Raises:
        DataError: For a field that is missing or no text.
    """
    answer = row.text("answer")
    if not parse_steps(answer):
        row.odd("answer", "no step of a protocol", value=answer)
    yield Sample(
        id=row.content_id,
        fields={"question": row.text("question")},
        target=answer,
        tags=row.labels("discipline", ROW_ID),
    )


def converse(sample: Sample, ask: Ask) -> Reply:
    """Give the goal, the conditions and the actions, and ask for the protocol."""
    return ask("wet_experiment", question=sample.fields["question"])


def score(sample: Sample, response: str) -> Score:
    """Compare the steps of the final answer with the reference protocol's.

    Both families take the published formulas, and differ in how a protocol is read. An answer without steps scores 0.
    """
    answer = final_answer(response)
    gold, predicted = parse_steps(sample.target), parse_steps(answer)
    return Score(
        prediction=[asdict(step) for step in predicted],
        official=similarities(published_steps(sample.target), published_steps(answer)),
        strict=similarities(gold, predicted),
        parsed=bool(predicted),
        diagnostics={
            "actions_in_place": actions_in_place(gold, predicted),
            "step_count_accuracy": float(len(gold) == len(predicted)),
        },
    )


def similarities(gold: Sequence[Step], predicted: Sequence[Step]) -> dict[str, float]:
    """The published scores; where nothing was predicted all are 0, also if nothing was wanted."""
    similarity = sequence_similarity(gold, predicted) if predicted else 0.0
    accuracy = parameter_accuracy(gold, predicted)
    return {
        "final_score": (similarity + accuracy) / 2,
        "action_sequence_similarity": similarity,
        "parameter_accuracy": accuracy,
    }


def oracle(sample: Sample, _: random.Random) -> str:
    """The reference protocol."""
    return tagged(sample.target)


def chance(sample: Sample, generator: random.Random) -> str:
    """The steps of the reference protocol in any order."""
    steps = parse_steps(sample.target)
    return tagged(write_steps(generator.sample(steps, len(steps))))


def constant(_: Sample, __: random.Random) -> str:
    """Always the same protocol of one step."""
    return tagged(CONSTANT_PROTOCOL)


TASK = Task(
    name="sgi/wet_experiment",
    samples_of=samples_of,
    prompts={"wet_experiment": Placeholders("question")},
    converse=converse,
    score=score,
    metrics={"final_score": 0.0, "action_sequence_similarity": 0.0, "parameter_accuracy": 0.0},
    composite=COMPOSITE,
    composite_tasks=TASKS,
    parameters={"temperature": 0.0},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
)


@TASK.cases
def test_wet_experiment(case: Case) -> None:
    """The model's protocol takes the reference protocol's steps, in its order and with its products."""
    case.measure()
