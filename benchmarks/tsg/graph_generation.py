"""What the two generation tasks share: reading a row, asking for graphs, and the built-in answers."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from typing import Any

from benchmarks.tsg.identity import origin_tags, row_id
from benchmarks.tsg.scene_graph import (
    EMPTY_NAME,
    PARTS,
    Graph,
    Triplet,
    can_be_written,
    gold_graph,
    size_class,
    stripped,
    write_graphs,
)
from proctor import Row, Sample

METRICS = {"f1": 0.0, "precision": 0.0, "recall": 0.0}
PLACEHOLDERS = frozenset({"context", "target_sentence", "available_nodes", "available_edges"})
OPTIONAL_PLACEHOLDERS = frozenset({"verbs"})
STAND_IN = ("", "", "")
"""What the oracle writes for a graph of which nothing can be written."""
CONSTANT_GRAPH = (("person", "verb", "pick-up"), ("pick-up", "with", "hand1"))


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample: a sentence, what was told before it, and the vocabulary of the answer.

    Sentences of one scenario tell of the same actions, and so are one cluster.

    Raises:
        DataError: For a field without which it cannot be asked or graded, such as ``graphs[0].triplets``.
    """
    name = row_id(row)
    gold = gold_graphs(row)
    target = tuple([stripped(graph) for graph in gold])
    tags = origin_tags(row) | {"gold_graphs": str(len(gold))}
    if isinstance(context_graphs := row.get("context_graphs"), list):
        tags["context_graphs"] = size_class(len(context_graphs))
    yield Sample(
        id=name,
        fields={
            "context": row.formatted("context"),
            "target_sentence": row.formatted("target_sentence"),
            "objects": vocabulary(row, "object"),
            "verbs": vocabulary(row, "verb"),
            "edges": vocabulary(row, "relationship"),
            **({} if target == gold else {"gold": gold}),
        },
        target=target,
        cluster=row.label("data_id") or name,
        tags=tags,
        id_may_repeat=True,
    )


def gold_graphs(row: Row) -> tuple[Graph, ...]:
    """The graphs to be generated, of which only the triplets are used."""
    graphs = []
    for number, entry in enumerate(row.sequence("graphs")):
        path = f"graphs[{number}]"
        if not isinstance(entry, dict):
            raise row.error(path, 'must be an object with "triplets"', value=entry)
        if "triplets" not in entry:
            raise row.error(f"{path}.triplets", "is missing")
        graphs.append(gold_graph(row, entry["triplets"], f"{path}.triplets"))
    return tuple(graphs)


def vocabulary(row: Row, kind: str) -> tuple[str, ...]:
    """The names of one kind in ``mandatory_space``: ``object``, ``verb`` or ``relationship``."""
    space = row.mapping("mandatory_space")
    path = f"mandatory_space.{kind}"
    if kind not in space:
        raise row.error(path, "is missing")
    names = space[kind]
    if not isinstance(names, list):
        raise row.error(path, "must be a list of names", value=names)
    if not names:
        row.odd(path, "no name")
    for number, name in enumerate(names):
        if not isinstance(name, str):
            raise row.error(f"{path}[{number}]", "must be a string", value=name)
        if not name or name.isspace():
            row.odd(f"{path}[{number}]", EMPTY_NAME, value=name)
    return tuple([sys.intern(name) for name in names])


def prompt_values(sample: Sample) -> dict[str, str]:
    """The values of the placeholders that both tasks' templates have. Nodes are the objects, then the verbs."""
    fields = sample.fields
    return {
        "context": fields["context"],
        "target_sentence": fields["target_sentence"],
        "available_nodes": ", ".join(fields["objects"] + fields["verbs"]),
        "available_edges": ", ".join(fields["edges"]),
        "verbs": ", ".join(fields["verbs"]),
    }


def oracle(sample: Sample, _: random.Random) -> str:
    """The gold graphs, as far as they can be written.

    One of which nothing can be written has a stand-in, unless it is the last one: without it the others would be
    compared with the wrong graphs.
    """
    graphs = [[triplet for triplet in graph if is_writable(triplet)] for graph in sample.target]
    while graphs and not graphs[-1]:
        graphs.pop()
    return write_graphs(graph or [STAND_IN] for graph in graphs)


def is_writable(triplet: Triplet) -> bool:
    """Whether a triplet of the data can be written as a line of an answer."""
    return len(triplet) == PARTS and all(map(can_be_written, triplet))


def chance(sample: Sample, generator: random.Random) -> str:
    """As many graphs as the gold has, each of as many triplets, drawn from the row's vocabulary."""
    fields: Any = sample.fields
    nodes, edges = fields["objects"] + fields["verbs"] or ("",), fields["edges"] or ("",)
    return write_graphs(
        [(generator.choice(nodes), generator.choice(edges), generator.choice(nodes)) for _ in graph]
        for graph in sample.target
    )


def constant(sample: Sample, _: random.Random) -> str:
    """Always the same graph, as often as the prompt asks for one."""
    return write_graphs([CONSTANT_GRAPH] * len(sample.target))


BUILTIN = {"oracle": oracle, "chance": chance, "constant": constant}
