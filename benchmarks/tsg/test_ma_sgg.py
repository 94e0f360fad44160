"""MA-SGG, multi-action scene graph generation: write one scene graph for each action that a sentence implies.

As SA-SGG, but the sentence stands for several actions, some of them unsaid, and the prompt says how many. The model has
to split the sentence into actions and to write the graph of each; graphs are compared by position (arXiv 2505.19510).
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
from benchmarks.tsg.graph_scoring import decomposition, score_graphs
from benchmarks.tsg.scene_graph import parse_graphs, triplet_spans
from proctor import Ask, Case, Placeholders, Reply, Sample, Score, Task


def converse(sample: Sample, ask: Ask) -> Reply:
    """Ask for as many graphs as the annotators drew."""
    return ask("ma-sgg", num_scene_graphs=str(len(sample.target)), **prompt_values(sample))


def score(sample: Sample, response: str) -> Score:
    """Compare the answer's graphs with the gold ones one by one, and tell beside it how well the sentence was split."""
    predicted = parse_graphs(response)
    return score_graphs(sample, predicted, triplet_spans(response), decomposition(sample.target, predicted))


TASK = Task(
    name="tsg/ma-sgg",
    samples_of=samples_of,
    prompts={"ma-sgg": Placeholders(*PLACEHOLDERS, "num_scene_graphs", optional=OPTIONAL_PLACEHOLDERS)},
    converse=converse,
    score=score,
    metrics=METRICS,
    parameters={"temperature": 1.0},
    builtin=BUILTIN,
)


@TASK.cases
def test_ma_sgg(case: Case) -> None:
    """The model finds the actions behind the sentence, and their triplets."""
    case.measure()
