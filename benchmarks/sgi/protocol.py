"""Laboratory protocols as pseudocode: reading the steps, and the two scores of the Wet Experiment.

A step names its product, its action in angle brackets, and one parameter a line::

    pellet = <Spin down>(
        sample=culture,
        speed="6000 g"
    )
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

STEP_START = re.compile(r"(?P<output>[^=<>]+)=\s*<(?P<action>[^<>]+)>\s*\(")
STEP_END = ")"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a protocol: what it makes, what is done, and with what. Parameter values have lost their quotes."""

    output: str
    action: str
    parameters: dict[str, str]


def parse_steps(text: str) -> list[Step]:
    """The steps that *text* holds, in its order.

    Lines outside a step are passed over, and so is a step that is not closed by a line ``)`` before the next one
    begins or the text ends. In a step, lines without ``=`` are passed over; of two values for one name the last counts.
    """
    steps: list[Step] = []
    step: Step | None = None
    for line in map(str.strip, text.splitlines()):
        if start := STEP_START.fullmatch(line):
            step = Step(start["output"].strip(), start["action"].strip(), {})
        elif step is None:
            continue
        elif line == STEP_END:
            steps.append(step)
            step = None
        elif "=" in line:
            name, _, value = line.partition("=")
            step.parameters[name.strip()] = unquoted(value.strip().removesuffix(",").strip())
    return steps


def unquoted(value: str) -> str:
    """The value without the double quotes around it, if it stands in such."""
    return value.removeprefix('"').removesuffix('"')


def write_steps(steps: Sequence[Step]) -> str:
    """The steps as `parse_steps` reads them."""
    made = {step.output for step in steps}
    lines = []
    for step in steps:
        values = (
            f"    {name}={value}" if value in made else f'    {name}="{value}"'
            for name, value in step.parameters.items()
        )
        lines += [f"{step.output} = <{step.action}>(", ",\n".join(values), STEP_END]
    return "\n".join(lines)


def sequence_similarity(gold: Sequence[Step], predicted: Sequence[Step]) -> float:
    """How far the actions of both lists agree in *lexical* order, by the published formula.

    1 − inversions / (n(n−1)/2), where an inversion is a pair of places whose actions, compared as strings, are ordered
    strictly one way in the one list and strictly the other way in the other; 0 for lists of different length, 1 for
    two lists of one step. The formula never asks whether an action is the same, so unrelated lists of equal length can
    score high: `actions_in_place` tells.
    """
    if len(gold) != len(predicted):
        return 0.0
    length = len(gold)
    if length <= 1:
        return 1.0
    inversions = sum(
        order(gold[first].action, gold[second].action) * order(predicted[first].action, predicted[second].action) < 0
        for first in range(length)
        for second in range(first + 1, length)
    )
    return 1 - inversions / (length * (length - 1) / 2)


def order(first: str, second: str) -> int:
    """-1, 0 or 1, as *first* stands before, with or after *second* in lexical order."""
    return (first > second) - (first < second)


def parameter_accuracy(gold: Sequence[Step], predicted: Sequence[Step]) -> float:
    """1 − wrong steps / steps of the longer list, both lists walked side by side.

    A step is right if it has the gold step's action and parameter names, and takes the products of earlier steps where
    the gold step does. Values that are no products are not compared. Missing and surplus steps are wrong.
    """
    made, predicted_made = ({step.output for step in steps} for steps in (gold, predicted))
    gold_name: dict[str, str] = {}  # what the gold protocol calls the product of a right step

    def same(value: str, other: str) -> bool:
        if value in made and other in predicted_made:
            return gold_name.get(other) == value
        return value not in made and other not in predicted_made

    right = 0
    for wanted, found in zip(gold, predicted, strict=False):
        if wanted.action != found.action or wanted.parameters.keys() != found.parameters.keys():
            continue
        if all(same(value, found.parameters[name]) for name, value in wanted.parameters.items()):
            right += 1
            gold_name[found.output] = wanted.output
    return right / max(len(gold), len(predicted))


def actions_in_place(gold: Sequence[Step], predicted: Sequence[Step]) -> float:
    """The share of places, of the longer list, with the gold protocol's action."""
    same = sum(wanted.action == found.action for wanted, found in zip(gold, predicted, strict=False))
    return same / max(len(gold), len(predicted))
