"""SA-SGG and MA-SGG: how graphs are read from an answer, compared, and diagnosed."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tsg_rows import PICK_UP, SWEEP, samples, sgg_row

from benchmarks.tsg.assignment import best_total
from benchmarks.tsg.scene_graph import parse_graphs, precision_recall_f1, write_graphs
from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from proctor import Score, Task

Graphs = list[list[list[str]]]

NAMES = st.sampled_from(["person", "pick-up", "sweep", "floor", "hand1", "pick", "up floor", "pick up", "floor"])
EDGES = st.sampled_from(["verb", "dobj", "with", "up", "toString"])
TRIPLETS = st.tuples(NAMES, EDGES, NAMES).map(list)
GRAPHS = st.lists(st.lists(TRIPLETS, min_size=1, max_size=4), min_size=1, max_size=4)
LINES = st.sampled_from(
    [
        "person -> verb -> sweep",
        "sweep->dobj->floor",
        " a -> b -> c\t",
        "-> ->",
        "a -> b",
        "a->b->c->d",
        "",
        "  ",
        "# Graph 1",
    ]
)
RESPONSES = st.lists(LINES, max_size=12).map("\n".join) | st.text(alphabet="a-> \n#", max_size=40)


def scored(gold: Graphs, response: str, task: Task = MA_SGG) -> Score:
    return task.scored(samples(task, sgg_row(*gold))[0], response)


def published_parser(response: str) -> Graphs:
    """The rules of the published parser: blank lines separate graphs, only lines of three parts are kept."""
    blocks: list[str] = [""]
    for line in response.split("\n"):
        if line.strip() == "":
            blocks.append("")
        else:
            blocks[-1] += line + "\n"
    graphs = []
    for block in blocks:
        triplets = [[part.strip() for part in line.split("->")] for line in block.split("\n")]
        graphs.append([triplet for triplet in triplets if len(triplet) == 3])
    return [graph for graph in graphs if graph]


def published_scores(true_triplets: list[list[str]], pred_triplets: list[list[str]]) -> dict[str, float]:
    """The lines of the published evaluation code."""
    true_set = {" ".join(t) for t in true_triplets}
    pred_set = {" ".join(t) for t in pred_triplets}
    correct = len(true_set & pred_set)
    precision = correct / len(pred_set) if pred_set else 0
    recall = correct / len(true_set) if true_set else 0
    f1 = 2 * (precision * recall) / (precision + recall) if (precision + recall) > 0 else 0
    return {"precision": precision, "recall": recall, "f1": f1}


def means(pairs: list[dict[str, float]]) -> dict[str, float]:
    return {name: sum(pair[name] for pair in pairs) / len(pairs) for name in ("precision", "recall", "f1")}


@pytest.mark.parametrize(
    ("response", "graphs"),
    [
        ("person -> verb -> sweep", [[("person", "verb", "sweep")]]),
        ("person->verb->sweep\r\n\r\na  ->b ->\tc\r\n", [[("person", "verb", "sweep")], [("a", "b", "c")]]),
        ("a -> b -> c\n\n \n\n\nd -> e -> f\n\n", [[("a", "b", "c")], [("d", "e", "f")]]),
        ("# Graph 1\na -> b -> c\n# Graph 2\nd -> e -> f", [[("a", "b", "c"), ("d", "e", "f")]]),
        ("# Graph 1\na -> b -> c\n\n# Graph 2\nd -> e -> f", [[("a", "b", "c")], [("d", "e", "f")]]),
        ("Here it is:\n\n```\na -> b -> c\n```\n\nI hope this helps.", [[("a", "b", "c")]]),
        ("1. a -> b -> c", [[("1. a", "b", "c")]]),
        ("a -> b\na -> b -> c -> d\na, b, c", []),
        ("-> ->", [[("", "", "")]]),
        ("", []),
    ],
)
def test_graphs_are_read_line_by_line(response: str, graphs: list[list[tuple[str, str, str]]]) -> None:
    assert parse_graphs(response) == [tuple(graph) for graph in graphs]


@given(RESPONSES)
def test_graphs_are_those_of_the_published_parser(response: str) -> None:
    assert [[list(triplet) for triplet in graph] for graph in parse_graphs(response)] == published_parser(response)


def test_the_papers_example_scores_two_thirds() -> None:
    gold = [["person", "verb", "pick-up"], ["pick-up", "dobj", "screwdriver"], ["pick-up", "with", "hand1"]]
    answer = "person -> verb -> pick-up\npick-up -> dobj -> screwdriver\npick-up -> with -> hand2"
    score = scored([gold], answer, SA_SGG)
    assert score.strict == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
    assert score.official == {**score.strict, "pairs": [score.strict]}


def test_precision_and_recall_part_when_the_sizes_differ() -> None:
    # 1 of 2 predicted is right, 1 of 4 gold is found: F1 = 2 · ½ · ¼ / (½ + ¼) = ⅓.
    metrics = precision_recall_f1({"a", "b", "c", "d"}, {"a", "x"})
    assert metrics == pytest.approx({"precision": 0.5, "recall": 0.25, "f1": 1 / 3})


@pytest.mark.parametrize(("gold", "predicted"), [(set(), set()), ({"a"}, set()), (set(), {"a"}), ({"a"}, {"b"})])
def test_nothing_in_common_scores_zero(gold: set[str], predicted: set[str]) -> None:
    assert precision_recall_f1(gold, predicted) == {"precision": 0, "recall": 0, "f1": 0}


def test_a_repeated_triplet_counts_once() -> None:
    assert scored([PICK_UP], write_graphs([PICK_UP + PICK_UP])).strict["f1"] == 1


def test_a_missing_graph_costs_nothing_officially_and_its_share_strictly() -> None:
    score = scored([PICK_UP, SWEEP], write_graphs([PICK_UP]))
    assert (score.official["f1"], len(score.official["pairs"])) == (1.0, 1)
    assert score.strict == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_a_surplus_graph_costs_nothing_officially_and_its_share_strictly() -> None:
    score = scored([PICK_UP], write_graphs([PICK_UP, SWEEP]), SA_SGG)
    assert (score.official["f1"], len(score.official["pairs"])) == (1.0, 1)
    assert score.strict == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_an_answer_without_graphs_has_no_official_pair_and_is_unparsed() -> None:
    score = scored([PICK_UP, SWEEP], "I cannot say.")
    assert score.official == {"precision": 0, "recall": 0, "f1": 0, "pairs": []}
    assert score.strict == {"precision": 0, "recall": 0, "f1": 0}
    assert not score.parsed
    assert score.diagnostics["out_of_vocabulary"] is None


def test_officially_parts_run_together_and_strictly_they_do_not() -> None:
    score = scored([[["pick up", "dobj", "mop"]]], "pick -> up dobj -> mop")
    assert (score.official["f1"], score.strict["f1"]) == (1.0, 0.0)


def test_graphs_in_the_wrong_order_are_wrong_but_the_best_assignment_finds_them() -> None:
    score = scored([PICK_UP, SWEEP], write_graphs([SWEEP, PICK_UP]))
    assert score.strict["f1"] == 0
    assert score.diagnostics["action_count_accuracy"] == 1
    assert score.diagnostics["best_assignment_f1"] == 1


@given(GRAPHS, GRAPHS)
def test_both_families_are_the_formulas_of_the_paper(gold: Graphs, predicted: Graphs) -> None:
    score = scored(gold, write_graphs(predicted))
    pairs = [published_scores(true, pred) for true, pred in zip(gold, predicted, strict=False)]
    assert score.official == {**means(pairs), "pairs": pairs}
    # A separator that no name holds makes the published formula compare the triplets themselves.
    exact = [
        published_scores([["|".join(t)] for t in true], [["|".join(t)] for t in pred])
        for true, pred in zip(
            gold + [[]] * (len(predicted) - len(gold)), predicted + [[]] * (len(gold) - len(predicted)), strict=True
        )
    ]
    assert score.strict == means(exact)
    best = score.diagnostics["best_assignment_f1"]
    assert best is not None
    assert score.strict["f1"] - 1e-9 <= best <= 1


@given(GRAPHS, st.sampled_from([SA_SGG, MA_SGG]))
def test_oracle_is_right_in_both_families(gold: Graphs, task: Task) -> None:
    sample = samples(task, sgg_row(*gold))[0]
    score = task.scored(sample, task.builtin["oracle"](sample, random.Random(0)))
    assert score.strict == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert score.official == {**score.strict, "pairs": [score.strict] * len(gold)}
    assert score.diagnostics.get("best_assignment_f1", 1.0) == 1.0


def test_stray_spaces_around_gold_names_cost_the_official_score_alone() -> None:
    sample = samples(SA_SGG, sgg_row([[" person", "verb ", "pick up\n"]]))[0]
    score = SA_SGG.scored(sample, SA_SGG.builtin["oracle"](sample, random.Random(0)))
    # The published grader strips the answer alone.
    assert (score.official["f1"], score.strict["f1"]) == (0.0, 1.0)


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_best_assignment_is_the_best_of_all(rows: int, columns: int, data: st.DataObject) -> None:
    gain = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])
    gains = data.draw(st.lists(st.lists(gain, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    few, many = (gains, columns) if rows <= columns else ([list(c) for c in zip(*gains, strict=True)], rows)
    best = max(
        sum(line[at] for line, at in zip(few, order, strict=True)) for order in permutations(range(many), len(few))
    )
    assert best_total(gains) == pytest.approx(best)


def test_best_assignment_of_many_graphs_is_found_in_reasonable_work() -> None:
    size = 60  # 60! pairings: only a polynomial method returns
    assert best_total([[float(row + column == size - 1) for column in range(size)] for row in range(size)]) == size


def test_best_assignment_of_nothing_is_nothing() -> None:
    assert best_total([]) == 0
    assert best_total([[], []]) == 0


def test_out_of_vocabulary_is_the_share_of_triplets_with_a_strange_name() -> None:
    answer = (
        "person -> verb -> pick-up\npick-up -> dobj -> broom\npick-up -> next-to -> floor\npick-up -> with -> hand1"
    )
    assert scored([PICK_UP], answer).diagnostics["out_of_vocabulary"] == 0.5


def test_f1_by_edge_and_by_hand_says_which_triplets_are_missing() -> None:
    answer = "person -> verb -> pick-up\npick-up -> dobj -> floor\npick-up -> with -> hand2\npick-up -> near -> floor"
    values: dict[str, Any] = dict(scored([PICK_UP], answer, SA_SGG).diagnostics)
    assert values == {
        "out_of_vocabulary": 0.25,
        "f1_hands": 0.0,
        "f1_edge_verb": 1.0,
        "f1_edge_dobj": 0.0,
        "f1_edge_with": 0.0,
        "f1_edge_other": 0.0,
    }


def test_f1_by_edge_pools_the_graphs_of_a_sample() -> None:
    # Verb triplets: both gold, one of them found: precision 1, recall ½. No hand in gold or answer.
    gold = [[["person", "verb", "sweep"], ["sweep", "dobj", "floor"]], [["person", "verb", "pick-up"]]]
    values = scored(gold, "person -> verb -> sweep").diagnostics
    assert values["f1_edge_verb"] == pytest.approx(2 / 3)
    assert values["f1_hands"] is None
    assert values["action_count_accuracy"] == 0


def test_chance_has_the_golds_shape_and_vocabulary() -> None:
    sample = samples(MA_SGG, sgg_row(PICK_UP, SWEEP[:1]))[0]
    response = MA_SGG.builtin["chance"](sample, random.Random(3))
    assert [len(graph) for graph in parse_graphs(response)] == [3, 1]
    assert MA_SGG.scored(sample, response).diagnostics["out_of_vocabulary"] == 0


def test_constant_gives_the_right_number_of_equal_graphs() -> None:
    sample = samples(MA_SGG, sgg_row(PICK_UP, SWEEP))[0]
    graphs = parse_graphs(MA_SGG.builtin["constant"](sample, random.Random(0)))
    assert len(graphs) == 2
    assert graphs[0] == graphs[1]
    assert MA_SGG.scored(sample, write_graphs(graphs)).strict["f1"] > 0
