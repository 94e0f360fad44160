"""SA-SGG, single-action scene graph generation: write the scene graph of a sentence that tells of one action.

The model sees the narrative so far, the target sentence, and the nodes and edges it may use. The score is precision,
recall and F1 of the triplets it writes (arXiv 2505.19510).
"""

from __future__ import annotations

from benchmarks.tsg.graph_generation import (
    BUILTIN,
    METRICS,
    OPTIONAL_PLACEHOLDERS,
    PLACEHOLDERS,
    prompt_values,
    samples_of,
)
from benchmarks.tsg.graph_scoring import score_graphs
from benchmarks.tsg.scene_graph import parse_graphs, triplet_spans
from proctor import Ask, Case, Placeholders, Reply, Sample, Score, Task


def converse(sample: Sample, ask: Ask) -> Reply:
    """Ask for the graph of the target sentence."""
    return ask("sa-sgg", **prompt_values(sample))


def score(sample: Sample, response: str) -> Score:
    """Compare the triplets of the answer with the gold graph's."""
    return score_graphs(sample, parse_graphs(response), triplet_spans(response))


TASK = Task(
    name="tsg/sa-sgg",
    samples_of=samples_of,
    prompts={"sa-sgg": Placeholders(*PLACEHOLDERS, optional=OPTIONAL_PLACEHOLDERS)},
    converse=converse,
    score=score,
    metrics=METRICS,
    parameters={"temperature": 0.1},
    builtin=BUILTIN,
)


@TASK.cases
def test_sa_sgg(case: Case) -> None:
    """The model's triplets are those that the annotators drew for the sentence."""
    case.measure()
