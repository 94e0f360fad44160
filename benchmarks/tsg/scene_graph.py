"""Scene graphs as TSG-Bench writes them: reading them from data rows and from answers, and comparing them.

A scene graph is a set of triplets ``node -> edge -> node`` that shows one action (arXiv 2505.19510).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from proctor import Row

Triplet = tuple[str, ...]
"""Node, edge, node; a gold triplet of the data may be of another length."""
Graph = tuple[Triplet, ...]

ARROW = "->"
PARTS = 3
NOT_THREE = "a triplet that is not of 3 names"
EMPTY_NAME = "an empty name"
HANDS = frozenset({"hand1", "hand2"})
SIZE_CLASS = 10  # graphs per class in the tag that groups rows by the length of their context


def note_graphs(row: Row, graphs: Any, path: str) -> None:
    """Note what is odd in graphs that go into a prompt as they stand, whatever they are. An empty graph is not.

    Args:
        row: The data row.
        graphs: What it holds; should be a list of lists of triplets.
        path: The field's name.
    """
    if not isinstance(graphs, list):
        row.odd(path, "no list of graphs", value=graphs)
        return
    for number, graph in enumerate(graphs):
        note_graph(row, graph, f"{path}[{number}]")


def note_graph(row: Row, graph: Any, path: str) -> None:
    """Note what is odd in one graph; arguments as for `note_graphs`."""
    if not isinstance(graph, list):
        row.odd(path, "a graph that is no list of triplets", value=graph)
        return
    for number, triplet in enumerate(graph):
        if not isinstance(triplet, list) or len(triplet) != PARTS:
            row.odd(f"{path}[{number}]", NOT_THREE, value=triplet)
            continue
        for part, name in enumerate(triplet):
            if not isinstance(name, str):
                row.odd(f"{path}[{number}][{part}]", "a name that is no text", value=name)
            elif not name or name.isspace():
                row.odd(f"{path}[{number}][{part}]", EMPTY_NAME, value=name)


def gold_graph(row: Row, graph: Any, path: str) -> Graph:
    """One graph that a model has to write, as the published grader reads it: any lists of texts, of any length.

    Args:
        row: The data row; what no answer can match is noted as odd.
        graph: What the row holds.
        path: Where it stands in the row.

    Raises:
        DataError: For what the published grader cannot join to texts.
    """
    try:
        triplets = tuple([tuple(triplet) for triplet in graph])
    except TypeError:
        raise row.error(path, "a scene graph must be a list of triplets", value=graph) from None
    if not triplets:
        row.odd(path, "an empty graph to be generated")
    for number, triplet in enumerate(triplets):
        if len(triplet) != PARTS:
            row.odd(f"{path}[{number}]", NOT_THREE, value=graph[number] if isinstance(graph, list) else triplet)
        for part, name in enumerate(triplet):
            if not isinstance(name, str):
                raise row.error(f"{path}[{number}][{part}]", "must be a string", value=name)
            if not name or name != name.strip() or not can_be_written(name):
                row.odd(f"{path}[{number}][{part}]", _odd_in_name(name), value=name)
    return triplets


def _odd_in_name(name: str) -> str:
    """What is odd about the name of a node or edge that a model has to write."""
    bare = name.strip()
    if not bare:
        return EMPTY_NAME
    return "spaces around a name" if can_be_written(bare) else "a name that no triplet line can hold"


def can_be_written(name: str) -> bool:
    """Whether a line ``node -> edge -> node`` can hold a name without spaces around it."""
    return ARROW not in name and "\n" not in name


def stripped(graph: Graph) -> Graph:
    """A graph with no spaces around its names, as the parts of an answer have none."""
    return tuple([tuple([known(name) for name in triplet]) for triplet in graph])


def known(name: str) -> str:
    """The name without spaces around it, as the one copy that all samples share: a data set repeats few names often."""
    return sys.intern(name.strip())


def node_names(graphs: Any) -> tuple[str, ...]:
    """All nodes of some graphs, each once, sorted; what is no triplet of names has none."""
    found: set[str] = set()
    for graph in graphs if isinstance(graphs, list) else ():
        for triplet in graph if isinstance(graph, list) else ():
            if isinstance(triplet, list) and len(triplet) == PARTS:
                found.update(name for name in (triplet[0], triplet[2]) if isinstance(name, str))
    return tuple(sorted({known(name) for name in found} - {""}))


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
