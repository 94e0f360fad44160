"""The objective scores of an idea, by the published formulas: all from 0 to 10.

Cosines of embeddings come in ready; what they are between is said with each formula.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.sgi.idea import Idea

ALPHA = 0.6
"""Weight of the edges in `graph_similarity`; the words of the steps have the rest."""
LONGEST, SHORTEST = 700, 300  # characters of an idea that cost nothing
SENTENCE_END = re.compile(r"[.!?。！？]")
LEAST_SENTENCE = 10
FREE_REPETITION = 0.2

Edges = set[tuple[str, str]]


def clipped(value: float) -> float:
    """*value*, but not below 0 nor above 10."""
    return min(10.0, max(0.0, value))


def novelty(related: float, related_test: float) -> float:
    """Half each of how unlike the idea is to the work it is told of, and to the work it is not told of.

    Args:
        related: Mean cosine of the idea and each text of ``related_work`` and ``existing_solutions``.
        related_test: Mean cosine of the idea and each ``name: text`` of ``related_work_test``.
    """
    return 0.5 * clipped(10 * (1 - related)) + 0.5 * clipped(10 * (1 - related_test))


def effectiveness(keywords: float) -> float:
    """Ten times the cosine of the idea and the keywords, joined by commas."""
    return clipped(10 * keywords)


def sentences(idea: str) -> list[str]:
    """The sentences whose repetition counts: those longer than 10 characters."""
    return [text for part in SENTENCE_END.split(idea) if len(text := part.strip()) > LEAST_SENTENCE]


def repetition_penalty(likeness: float | None) -> float:
    """From 0 to 10 for sentences that say the same.

    Args:
        likeness: Mean cosine of all pairs of the idea's sentences; ``None`` if there are fewer than two.
    """
    return 0.0 if likeness is None else clipped((likeness - FREE_REPETITION) * 10)


def length_penalty(idea: str, *, strict: bool) -> float:
    """One for every 100 characters over 700 or under 300. Officially an empty idea has none; strictly it has 10."""
    if not idea:
        return 10.0 if strict else 0.0
    return min(10.0, max(0, len(idea) - LONGEST, SHORTEST - len(idea)) / 100)


def completeness(idea: Idea, *, strict: bool) -> float:
    """Ten times the share of the six parts that are there.

    Officially it is always 10, since a missing part is an empty one and an empty one counts; strictly it does not.
    """
    parts = idea.parts.values()
    return 10 * sum(bool(part) for part in parts) / len(parts) if strict else 10.0


def detailedness(idea: Idea, likeness: float | None, *, strict: bool) -> float:
    """The weighted mean of completeness, freedom from repetition, and length; see `repetition_penalty`."""
    return clipped(
        0.2 * completeness(idea, strict=strict)
        + 0.4 * (10 - repetition_penalty(likeness))
        + 0.4 * (10 - length_penalty(idea.text, strict=strict))
    )


def feasibility(gold: Idea, idea: Idea, *, strict: bool) -> float:
    """Ten times the `graph_similarity` of the steps."""
    return clipped(10 * graph_similarity(gold, idea, strict=strict))


def graph_similarity(gold: Idea, idea: Idea, *, strict: bool) -> float:
    """How alike two graphs of steps are, from 0 to 1.

    0.6 · Jaccard index of the edges + 0.4 · Jaccard index of the words of all steps; the latter alone if neither graph
    has an edge; 0 if either has no steps or no order.
    """
    if not (gold.steps and gold.order and idea.steps and idea.order):
        return 0.0
    words = jaccard(step_words(gold), step_words(idea))
    gold_edges, edges = step_edges(gold, strict=strict), step_edges(idea, strict=strict)
    if not gold_edges and not edges:
        return words
    return ALPHA * jaccard(gold_edges, edges) + (1 - ALPHA) * words


def step_edges(idea: Idea, *, strict: bool) -> Edges:
    """Which step leads to which.

    An order of nothing but step numbers is a chain of those that are steps, officially sorted as strings (1, 10, 2),
    strictly as numbers. Any other order gives an edge for each ``a-b`` of two steps. If no edge comes of that, all
    steps are chained, sorted as strings.
    """
    if all(item.isdigit() for item in idea.order):
        known = {item for item in idea.order if item in idea.steps}
        edges = chain(sorted(known, key=size if strict else None))
    else:
        ends = [tuple(end.strip() for end in item.split("-")) for item in idea.order]
        edges = {(pair[0], pair[1]) for pair in ends if len(pair) == 2 and set(pair) <= idea.steps.keys()}
    return edges or chain(sorted(idea.steps))


def size(number: str) -> tuple[int, str]:
    """What sorts numbers, however long, by their size."""
    digits = number.lstrip("0")
    return len(digits), digits


def chain(steps: Sequence[str]) -> Edges:
    """An edge from each step to the next."""
    return set(pairwise(steps))


def step_words(idea: Idea) -> set[str]:
    """The words of all steps, in lower case."""
    return {word for step in idea.steps.values() for word in step.lower().split()}


def jaccard(first: Collection[Any], second: Collection[Any]) -> float:
    """The share of what is in either that is in both; 0 if both are empty."""
    either = {*first, *second}
    return len({*first} & {*second}) / len(either) if either else 0.0


def objective_scores(gold: Idea, idea: Idea, cosines: Mapping[str, Any], *, strict: bool) -> dict[str, float]:
    """The four objective scores, from 0 to 10.

    Args:
        gold: The original idea.
        idea: The generated one.
        cosines: ``related``, ``related_test``, ``keywords`` and ``sentences``; see the formulas.
        strict: Whether the quirks of the published formulas are mended.
    """
    return {
        "effectiveness": effectiveness(cosines["keywords"]),
        "novelty": novelty(cosines["related"], cosines["related_test"]),
        "detailedness": detailedness(idea, cosines["sentences"], strict=strict),
        "feasibility": feasibility(gold, idea, strict=strict),
    }
