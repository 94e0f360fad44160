"""Scores of generated scene graphs, and diagnostics that tell what kind of mistake they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from benchmarks.tsg.assignment import best_total
from benchmarks.tsg.scene_graph import HANDS, PARTS, Graph, Triplet, joined, known, precision_recall_f1
from proctor import Sample, Score

Metrics = dict[str, float]
Placed = set[tuple[int, Triplet]]
"""Triplets with the place of their graph, so that graphs stay paired by position."""


def score_graphs(
    sample: Sample,
    predicted: Sequence[Graph],
    spans: Sequence[tuple[int, int]],
    diagnostics: Mapping[str, float | None] | None = None,
) -> Score:
    """Score generated graphs against the gold ones, paired by position.

    The official family cuts the longer list off and keeps each pair under ``pairs``, since the published macro average
    is the mean over the pairs of all samples; an answer without graphs has no pair. The strict family pads the shorter
    list with empty graphs, which score 0, so that a missing or surplus graph costs something.

    Args:
        sample: The sample; its target are the gold graphs. Where they have spaces around names in the data, the field
            ``gold`` has them as they stand there: the published grader strips the answer alone.
        predicted: The graphs that the answer holds.
        spans: Where in the answer they stand.
        diagnostics: Further diagnostics of the task.
    """
    gold: Sequence[Graph] = sample.target
    official = official_pairs(sample.fields.get("gold", gold), predicted)
    return Score(
        prediction=predicted,
        official={**mean(official), "pairs": official},
        strict=mean(strict_pairs(gold, predicted)),
        parsed=bool(predicted),
        diagnostics={**(diagnostics or {}), **representation(sample, predicted)},
        spans=spans,
    )


def official_pairs(gold: Sequence[Graph], predicted: Sequence[Graph]) -> list[Metrics]:
    """The metrics of each pair by the published formula: cut to the shorter list, triplets as joined strings."""
    return [precision_recall_f1(joined(wanted), joined(found)) for wanted, found in zip(gold, predicted, strict=False)]


def strict_pairs(gold: Sequence[Graph], predicted: Sequence[Graph]) -> list[Metrics]:
    """The metrics of each pair, padded to the longer list, triplets compared part by part."""
    return [
        precision_recall_f1(frozenset(wanted), frozenset(found))
        for wanted, found in zip_longest(gold, predicted, fillvalue=())
    ]


def mean(pairs: Sequence[Metrics]) -> Metrics:
    """The mean of each metric over the pairs; 0 if there is none."""
    return {
        name: sum(pair[name] for pair in pairs) / len(pairs) if pairs else 0.0 for name in ("precision", "recall", "f1")
    }


def decomposition(gold: Sequence[Graph], predicted: Sequence[Graph]) -> dict[str, float | None]:
    """Diagnostics of MA-SGG that tell a wrong split into actions from wrong graphs.

    Returns:
        ``action_count_accuracy``: whether there are as many graphs as gold ones. ``best_assignment_f1``: F1 if graphs
        were paired as well as possible instead of by position, over the longer list. It is never below the strict F1;
        where it is far above, the graphs are right and their order is not.
    """
    gains = [[precision_recall_f1(frozenset(wanted), frozenset(found))["f1"] for found in predicted] for wanted in gold]
    return {
        "action_count_accuracy": float(len(gold) == len(predicted)),
        "best_assignment_f1": best_total(gains) / max(len(gold), len(predicted)),
    }


def representation(sample: Sample, predicted: Sequence[Graph]) -> dict[str, float | None]:
    """Diagnostics of the triplets themselves, whatever graph pairing does.

    Returns:
        ``out_of_vocabulary``: share of predicted triplets with a node or edge that the row does not offer, ``None``
        without any triplet. ``f1_hands``: F1 of the triplets with a hand, ``None`` if neither side has one.
        ``f1_edge_<edge>``: F1 of the triplets with that edge, for each edge in gold or prediction; edges that the row
        does not offer together under ``f1_edge_other``. Each F1 pools the sample's graphs, paired by position.
    """
    fields = sample.fields
    nodes, edges = {*map(known, fields["objects"] + fields["verbs"])}, frozenset(map(known, fields["edges"]))
    gold, found = placed(sample.target), placed(predicted)
    strange = sum(not (edge in edges and {source, target} <= nodes) for _, (source, edge, target) in found)
    values: dict[str, float | None] = {
        "out_of_vocabulary": strange / len(found) if found else None,
        "f1_hands": f1_of(with_hands(gold), with_hands(found)),
    }
    gold_by_edge, found_by_edge = by_edge(gold, edges), by_edge(found, edges)
    for edge in sorted(gold_by_edge.keys() | found_by_edge.keys()):
        values[f"f1_edge_{edge}"] = f1_of(gold_by_edge.get(edge, set()), found_by_edge.get(edge, set()))
    return values


def placed(graphs: Iterable[Graph]) -> Placed:
    """The distinct triplets of each graph, with the graph's place."""
    return {(place, triplet) for place, graph in enumerate(graphs) for triplet in graph if len(triplet) == PARTS}


def with_hands(triplets: Placed) -> Placed:
    """The triplets that touch a hand."""
    return {(place, triplet) for place, triplet in triplets if triplet[0] in HANDS or triplet[2] in HANDS}


def by_edge(triplets: Placed, edges: frozenset[str]) -> dict[str, Placed]:
    """The triplets by their edge; edges beyond *edges* under ``other``, so that no answer can invent a metric."""
    groups: dict[str, Placed] = {}
    for place, triplet in triplets:
        groups.setdefault(triplet[1] if triplet[1] in edges else "other", set()).add((place, triplet))
    return groups


def f1_of(gold: Placed, found: Placed) -> float | None:
    """F1, or ``None`` where there is nothing to find and nothing was found."""
    return precision_recall_f1(gold, found)["f1"] if gold or found else None
