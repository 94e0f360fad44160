"""Laboratory protocols as pseudocode: reading the steps, and the two scores of the Wet Experiment.

A step names its product, its action in angle brackets, and one parameter a line::

    pellet = <Spin down>(
        sample=culture,
        speed="6000 g"
    )

Both score families read a product wherever it stands on its line, behind a number or a dash, and in bold letters. They
differ in what they take for the end of a step: see `published_steps` and `parse_steps`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BEGINNING = re.compile(r"=\s*<")
ACTION = re.compile(r"=\s*<(?P<action>[^<>]+)>\s*\((?P<rest>.*)")
WORD = re.compile(r"\w+")
VISIBLE = re.compile(r"\S")
STEP_END = ")"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a protocol: what it makes, what is done, and with what. Parameter values have lost their quotes."""

    output: str
    action: str
    parameters: dict[str, str]


def published_steps(text: str) -> list[Step]:
    """The steps that *text* holds, in its order, as the published grader reads them.

    A step begins with ``product = <Action>(`` anywhere on a line, the action being all up to the first ``>``. It ends
    before the first line ``)`` that comes after anything but blanks. So one that stands on one line, is never closed,
    or has nothing in its brackets takes the lines of the next one for its own. The last step may have none.
    """
    steps: list[Step] = []
    closings = _closings(text)
    place = action_end = 0
    for begun in BEGINNING.finditer(text):
        action = begun.end()
        if begun.start() < place or not (output := _word_before(text, begun.start())):
            continue
        if action_end < action:
            action_end = text.find(">", action)
        if action_end < 0:
            break
        if action_end == action or not text.startswith("(", action_end + 1):
            continue
        visible = VISIBLE.search(text, action_end + 2)
        closing = bisect_left(closings, visible.start() if visible else len(text))
        if closing == len(closings):  # perhaps the last step, and its brackets are empty
            closing = bisect_left(closings, action_end + 2)
        if closing == len(closings):
            break
        place = closings[closing]
        steps.append(
            Step(output, text[action:action_end].strip(), parameters(text[action_end + 2 : place].split("\n")))
        )
    return steps


def _closings(text: str) -> list[int]:
    """Where the line breaks stand that lead to a line ``)``, past blank lines."""
    found = []
    start, line_break = 0, -1
    for line in text.split("\n"):
        visible = line.strip()
        if visible == STEP_END and line_break >= 0:
            found.append(line_break)
        if visible or line_break < 0:
            line_break = start + len(line)
        start += len(line) + 1
    return found


def _word_before(text: str, end: int) -> str:
    """The word that ends at *end*, or before the blanks that do."""
    while end and text[end - 1].isspace():
        end -= 1
    start = end
    while start and WORD.match(text[start - 1]):
        start -= 1
    return text[start:end]


def parse_steps(text: str) -> list[Step]:
    """The steps that *text* holds, in its order.

    Lines outside a step are passed over, and so is a step that is not closed by a line ``)`` before the next one
    begins or the text ends.
    """
    steps: list[Step] = []
    opened: tuple[str, str, list[str]] | None = None
    for line in map(str.strip, text.splitlines()):
        begun = ACTION.search(line)
        words = WORD.findall(line[: begun.start()]) if begun else []
        if begun and words:
            rest = begun["rest"].rstrip()
            opened = (words[-1], begun["action"].strip(), [rest])
            if rest.endswith(STEP_END):  # all of it on one line: only empty brackets can be read
                steps += [Step(*opened[:2], {})] if rest == STEP_END else []
                opened = None
        elif opened and line == STEP_END:
            steps.append(Step(*opened[:2], parameters(opened[2])))
            opened = None
        elif opened:
            opened[2].append(line)
    return steps


def parameters(lines: Iterable[str]) -> dict[str, str]:
    """The parameters of a step; lines that give none are passed over, and of two values for a name the last counts."""
    found: dict[str, str] = {}
    for line in map(str.strip, lines):
        name = WORD.match(line)
        value = line[name.end() :].lstrip() if name else ""
        if name and value.startswith("="):
            found[name[0]] = unquoted(value[1:].strip().removesuffix(",").strip())
    return found


def unquoted(value: str) -> str:
    """The value without the double quotes around it, if it stands in such."""
    return value[1:-1] if value.startswith('"') and value.endswith('"') else value


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
    """1 − wrong steps / steps of the longer list, both lists walked side by side; 0 if both are empty.

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
    steps = max(len(gold), len(predicted))
    return 1 - (steps - right) / steps if steps else 0.0  # in this order, for the published last digit


def actions_in_place(gold: Sequence[Step], predicted: Sequence[Step]) -> float:
    """The share of places, of the longer list, with the gold protocol's action."""
    same = sum(wanted.action == found.action for wanted, found in zip(gold, predicted, strict=False))
    return same / max(len(gold), len(predicted), 1)
