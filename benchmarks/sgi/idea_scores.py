"""The objective scores of an idea, by the published formulas: all from 0 to 10.

Cosines of embeddings come in ready; what they are between is said with each formula. Here is what both score families
share, and what the strict one has of its own; the quirks of the official one are in `benchmarks.sgi.published_idea`.
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


def novelty(related: float | None, related_test: float | None) -> float:
    """Half each of how unlike the idea is to the work it is told of, and to the work it is not told of.

    Args:
        related: Mean cosine of the idea and each text of ``related_work`` and ``existing_solutions``; ``None`` without
            any, for which that half is 0.
        related_test: Mean cosine of the idea and each ``name: text`` of ``related_work_test``; ``None`` likewise.
    """
    return 0.5 * sum(0.0 if likeness is None else clipped(10 * (1 - likeness)) for likeness in (related, related_test))


def effectiveness(keywords: float | None) -> float:
    """Ten times the cosine of the idea and the keywords, joined by commas; 0 without keywords (``None``)."""
    return 0.0 if keywords is None else clipped(10 * keywords)


def sentences(idea: str) -> list[str]:
    """The sentences whose repetition counts: those longer than 10 characters."""
    return [text for part in SENTENCE_END.split(idea) if len(text := part.strip()) > LEAST_SENTENCE]


def repetition_penalty(likeness: float | None) -> float:
    """From 0 to 10 for sentences that say the same.

    Args:
        likeness: Mean cosine of all pairs of the idea's sentences; ``None`` if there are fewer than two.
    """
    return 0.0 if likeness is None else clipped((likeness - FREE_REPETITION) * 10)


def length_penalty(length: int) -> float:
    """One for every 100 characters over 700 or under 300."""
    return min(10.0, max(0, length - LONGEST, SHORTEST - length) / 100)


def completeness(idea: Idea) -> float:
    """Ten times the share of the six parts that are there."""
    parts = idea.parts.values()
    return 10 * sum(bool(part) for part in parts) / len(parts)


def detailedness(complete: float, repetition: float, length: float) -> float:
    """The weighted mean of completeness, freedom from repetition, and length.

    Args:
        complete: `completeness`.
        repetition: `repetition_penalty`.
        length: `length_penalty`, 10 for an empty idea.
    """
    return 0.2 * complete + 0.4 * (10 - repetition) + 0.4 * (10 - length)


def graph_similarity(gold: Idea, idea: Idea) -> float:
    """How alike two graphs of steps are, from 0 to 1: `likeness` of their edges and words.

    0 if either has no steps or no order.
    """
    if not (gold.steps and gold.order and idea.steps and idea.order):
        return 0.0
    return likeness(step_edges(gold), step_edges(idea), jaccard(step_words(gold), step_words(idea)))


def likeness(gold: Edges, edges: Edges, words: float) -> float:
    """0.6 · Jaccard index of the edges + 0.4 · that of the words of all steps; that alone if either has no edge."""
    return ALPHA * jaccard(gold, edges) + (1 - ALPHA) * words if gold and edges else words


def step_edges(idea: Idea) -> Edges:
    """Which step leads to which.

    An order of nothing but step numbers is a chain of those that are steps, sorted. Any other order gives an edge for
    each ``a-b`` of two steps. If no edge comes of that, all steps are chained, sorted.
    """
    if all(item.isdigit() for item in idea.order):
        edges = chain(sorted({item for item in idea.order if item in idea.steps}, key=size))
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


def objective_scores(gold: Idea, idea: Idea, cosines: Mapping[str, Any]) -> dict[str, float]:
    """The four objective scores of the strict family, from 0 to 10.

    Args:
        gold: The original idea.
        idea: The generated one.
        cosines: ``related``, ``related_test``, ``keywords`` and ``sentences``; see the formulas.
    """
    length = length_penalty(len(idea.text)) if idea.text else 10.0
    return {
        "effectiveness": effectiveness(cosines["keywords"]),
        "novelty": novelty(cosines["related"], cosines["related_test"]),
        "detailedness": detailedness(completeness(idea), repetition_penalty(cosines["sentences"]), length),
        "feasibility": 10 * graph_similarity(gold, idea),
    }
