"""What the two generation tasks share: reading a row, asking for graphs, and the built-in answers."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from benchmarks.tsg.identity import origin_tags, row_id
from benchmarks.tsg.scene_graph import Graph, gold_graph, known, size_class, write_graphs
from proctor import Row, Sample

METRICS = {"f1": 0.0, "precision": 0.0, "recall": 0.0}
PLACEHOLDERS = frozenset({"context", "target_sentence", "available_nodes", "available_edges"})
OPTIONAL_PLACEHOLDERS = frozenset({"verbs"})
CONSTANT_GRAPH = (("person", "verb", "pick-up"), ("pick-up", "with", "hand1"))


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample: a sentence, what was told before it, and the vocabulary of the answer.

    Sentences of one scenario tell of the same actions, and so are one cluster.

    Raises:
        DataError: For a field that is missing or wrong, such as ``graphs[0].triplets[2]``.
    """
    graphs = gold_graphs(row)
    tags = origin_tags(row) | {"gold_graphs": str(len(graphs))}
    if isinstance(context_graphs := row.data.get("context_graphs"), list):
        tags["context_graphs"] = size_class(len(context_graphs))
    yield Sample(
        id=row_id(row),
        fields={
            "context": row.text("context"),
            "target_sentence": row.text("target_sentence"),
            "objects": vocabulary(row, "object"),
            "verbs": vocabulary(row, "verb"),
            "edges": vocabulary(row, "relationship"),
        },
        target=graphs,
        cluster=row.text("data_id"),
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
    if not isinstance(names, list) or not names:
        raise row.error(path, "must be a list of names that is not empty", value=names)
    try:
        found = tuple([known(name) for name in names])
    except AttributeError:  # no text
        found = ("",)
    if "" in found:
        number = next(n for n, name in enumerate(names) if not isinstance(name, str) or not name.strip())
        raise row.error(f"{path}[{number}]", "must be a non-empty string", value=names[number])
    return found


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
    """The gold graphs."""
    return write_graphs(sample.target)


def chance(sample: Sample, generator: random.Random) -> str:
    """As many graphs as the gold has, each of as many triplets, drawn from the row's vocabulary."""
    fields: Any = sample.fields
    nodes, edges = fields["objects"] + fields["verbs"], fields["edges"]
    return write_graphs(
        [(generator.choice(nodes), generator.choice(edges), generator.choice(nodes)) for _ in graph]
        for graph in sample.target
    )


def constant(sample: Sample, _: random.Random) -> str:
    """Always the same graph, as often as the prompt asks for one."""
    return write_graphs([CONSTANT_GRAPH] * len(sample.target))


BUILTIN = {"oracle": oracle, "chance": chance, "constant": constant}
