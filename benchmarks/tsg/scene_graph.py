"""Scene graphs as TSG-Bench writes them: reading them from data rows and from answers, and comparing them.

A scene graph is a set of triplets ``node -> edge -> node`` that shows one action (arXiv 2505.19510).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from proctor import Row

Triplet = tuple[str, str, str]
Graph = tuple[Triplet, ...]

ARROW = "->"
PARTS = 3
HANDS = frozenset({"hand1", "hand2"})
SIZE_CLASS = 10  # graphs per class in the tag that groups rows by the length of their context


def check_graphs(row: Row, graphs: Sequence[Any], path: str) -> None:
    """Check a list of graphs that goes into a prompt as it stands.

    Args:
        row: The data row, for the error.
        graphs: What the row holds: a list of lists of triplets. An empty graph is allowed here.
        path: The field's name.

    Raises:
        DataError: Naming the graph, triplet and value that is no triplet of three non-empty strings.
    """
    for number, graph in enumerate(graphs):
        check_graph(row, graph, f"{path}[{number}]")


def check_graph(row: Row, graph: Any, path: str) -> None:
    """Check one graph; arguments and errors as for `check_graphs`."""
    if not isinstance(graph, list):
        raise row.error(path, "a scene graph must be a list of triplets", value=graph)
    for number, triplet in enumerate(graph):
        if not isinstance(triplet, list) or len(triplet) != PARTS:
            raise row.error(
                f"{path}[{number}]", "a triplet must be a list of 3 strings: node, edge, node", value=triplet
            )
        for part, name in enumerate(triplet):
            if not isinstance(name, str) or not name.strip():
                raise row.error(f"{path}[{number}][{part}]", "must be a non-empty string", value=name)


def gold_graph(row: Row, graph: Any, path: str) -> Graph:
    """One graph that a model has to write.

    Names lose the spaces around them: an answer's parts are stripped, so that such a triplet could never be matched.

    Args:
        row: The data row, for the error.
        graph: What the row holds: a list of triplets.
        path: Where it stands in the row.

    Raises:
        DataError: For what is no graph, an empty graph, or a name that no line ``node -> edge -> node`` can hold.
    """
    check_graph(row, graph, path)
    if not graph:
        raise row.error(path, "a graph to be generated needs at least one triplet", value=graph)
    for number, triplet in enumerate(graph):
        for part, name in enumerate(triplet):
            if ARROW in name or "\n" in name.strip():
                problem = f"a name with {ARROW!r} or a line break cannot be written as a triplet line"
                raise row.error(f"{path}[{number}][{part}]", problem, value=name)
    return tuple((known(source), known(edge), known(target)) for source, edge, target in graph)


def known(name: str) -> str:
    """The name without spaces around it, as the one copy that all samples share: a data set repeats few names often."""
    return sys.intern(name.strip())


def node_names(graphs: Iterable[Iterable[Sequence[str]]]) -> tuple[str, ...]:
    """All nodes of some graphs, each once, sorted."""
    return tuple(sorted({known(name) for graph in graphs for triplet in graph for name in (triplet[0], triplet[2])}))


def size_class(count: int) -> str:
    """The class of a number of graphs by which reports group: ``0``, ``1-10``, ``11-20`` and so on."""
    if count == 0:
        return "0"
    first = (count - 1) // SIZE_CLASS * SIZE_CLASS + 1
    return f"{first}-{first + SIZE_CLASS - 1}"


def parse_graphs(response: str) -> list[Graph]:
    """The graphs in an answer, as the published ``GraphScorer.parse_response`` reads them.

    A line split on ``->`` into exactly three parts is a triplet, each part stripped; a blank line ends a graph. All
    other lines (titles such as ``# Graph 1``, code fences, prose) are dropped: they are neither triplets nor blank, so
    they do not separate graphs. A block without triplets is no graph, hence blank lines in a row make no empty graphs.

    Args:
        response: The answer as sent.

    Returns:
        The graphs in their order, none of them empty.
    """
    graphs: list[Graph] = []
    triplets: list[Triplet] = []
    for line in response.split("\n"):
        if line.strip():
            parts = line.split(ARROW)
            if len(parts) == PARTS:
                triplets.append((parts[0].strip(), parts[1].strip(), parts[2].strip()))
        elif triplets:
            graphs.append(tuple(triplets))
            triplets = []
    if triplets:
        graphs.append(tuple(triplets))
    return graphs


def triplet_spans(response: str) -> list[tuple[int, int]]:
    """Start and end of each run of lines that `parse_graphs` reads triplets from."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in response.split("\n"):
        end = start + len(line)
        if line.count(ARROW) == PARTS - 1:
            goes_on = spans and spans[-1][1] == start - 1
            spans.append((spans.pop()[0] if goes_on else start, end))
        start = end + 1
    return spans


def write_graphs(graphs: Iterable[Iterable[Sequence[str]]]) -> str:
    """Graphs in the format that models are asked for: one triplet a line, a blank line between graphs."""
    return "\n\n".join("\n".join(f" {ARROW} ".join(triplet) for triplet in graph) for graph in graphs)


def joined(graph: Iterable[Triplet]) -> set[str]:
    """The triplets as the published grader compares them: their parts joined with spaces.

    A quirk: ``("a b", "c", "d")`` and ``("a", "b c", "d")`` become the same string. The strict family compares the
    triplets themselves.
    """
    return {" ".join(triplet) for triplet in graph}


def precision_recall_f1(gold: AbstractSet[Any], predicted: AbstractSet[Any]) -> dict[str, float]:
    """Precision, recall and F1 of a set of triplets, as in the published ``GraphScorer.calculate_scores``.

    Args:
        gold: The triplets to be found.
        predicted: The triplets found.

    Returns:
        ``precision``, ``recall`` and ``f1``; each is 0 where its denominator is.
    """
    correct = len(gold & predicted)
    precision = correct / len(predicted) if predicted else 0.0
    recall = correct / len(gold) if gold else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if correct else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}
