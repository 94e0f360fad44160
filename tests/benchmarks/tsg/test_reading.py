"""Rows of the four data files: the samples they give, and the errors that name a mistake's place."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tsg_rows import FILE, LINE, PICK_UP, SWEEP, samples, sgds_row, sgg_row, sgqa_row

from benchmarks.tsg.scene_graph import size_class
from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from benchmarks.tsg.test_sgds import TASK as SGDS
from benchmarks.tsg.test_sgqa import TASK as SGQA
from proctor import Row, Task
from proctor._base.errors import DataError
from proctor.tasks.samples import read_samples

DATA = Path(__file__).parents[3] / "data"
TASKS = (SGQA, SGDS, SA_SGG, MA_SGG)
ROWS = {SGQA.name: sgqa_row, SGDS.name: sgds_row, SA_SGG.name: sgg_row, MA_SGG.name: sgg_row}


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def space(**changes: Any) -> dict[str, Any]:
    return {**sgg_row()["mandatory_space"], **changes}


def test_a_row_of_sgqa_gives_a_sample_per_question_in_one_cluster() -> None:
    first, second = samples(SGQA, sgqa_row())
    assert (first.id, second.id) == ("d1-2-9-q1", "d1-2-9-q2")
    assert first.cluster == second.cluster == "d1-2-9"
    assert (first.target, second.target) == ("mop-stick", "floor")
    assert first.tags == {"context_graphs": "1-10"}


def test_a_row_of_sgds_gives_one_sample_known_by_its_content() -> None:
    (sample,) = samples(SGDS, sgds_row())
    (same,) = samples(SGDS, dict(reversed(sgds_row().items())))
    (other,) = samples(SGDS, sgds_row(position=2))
    assert sample.id == same.id != other.id
    assert sample.target == "B"
    assert sample.tags == {"position": "B", "candidates": "5", "context_graphs": "1-10"}


@pytest.mark.parametrize("task", [SA_SGG, MA_SGG], ids=lambda task: task.short_name)
def test_a_row_of_the_generation_tasks_gives_one_sample_in_its_scenarios_cluster(task: Task) -> None:
    (sample,) = samples(task, sgg_row(PICK_UP, SWEEP))
    assert (sample.id, sample.cluster) == ("d1-1-4", "d1")
    assert sample.target == tuple(tuple(map(tuple, graph)) for graph in (PICK_UP, SWEEP))
    assert sample.tags == {"gold_graphs": "2", "context_graphs": "0"}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.short_name)
def test_domain_and_scenario_become_tags_where_the_row_has_them(task: Task) -> None:
    row = ROWS[task.name](domain="cleaning", scenario="mop-the-floor", unknown=[1])
    for sample in samples(task, row):
        assert (sample.tags["domain"], sample.tags["scenario"]) == ("cleaning", "mop-the-floor")


def test_the_type_of_a_question_becomes_a_tag_of_that_question_alone() -> None:
    pairs = [{"Q": "What?", "A": "floor", "type": "temporal"}, {"Q": "Where?", "A": "floor"}]
    typed, untyped = samples(SGQA, sgqa_row(qa_pairs=pairs))
    assert typed.tags["question_type"] == "temporal"
    assert "question_type" not in untyped.tags


@pytest.mark.parametrize(
    ("task", "row"),
    [
        (SGQA, sgqa_row(data_id=7, doc_index="2", text_part_index=9.5)),
        (SGQA, sgqa_row(context_graphs=[[], [["a", "b", "c"], ["a", "b", "c"]]])),
        (SGQA, without(sgqa_row(), "target_sentence")),
        (SGDS, sgds_row(variations=list("abcd"), context_graphs=[])),
        (SGDS, without(sgds_row(variation_triplets=7), "target_sentence")),
        (MA_SGG, sgg_row([["a", "b", "c"], ["a", "b", "c"]])),
        (MA_SGG, sgg_row(context_graphs=None, verbs=None, graph_id="x")),
    ],
)
def test_what_neither_asking_nor_grading_needs_is_as_it_is(task: Task, row: dict[str, Any]) -> None:
    read = Row(row, FILE, LINE)
    assert all(sample.error is None for sample in task.samples_of(read))
    assert read.oddities == []


def test_ids_may_be_numbers_or_be_missing() -> None:
    assert samples(SGQA, sgqa_row(data_id=7, doc_index="2"))[0].id == "7-2-9-q1"
    (sample,) = samples(SA_SGG, without(sgg_row(), "doc_index"))
    assert sample.id == Row(without(sgg_row(), "doc_index"), FILE, LINE).content_id
    assert sample.cluster == "d1"


def test_a_row_without_questions_has_no_case() -> None:
    read = Row(sgqa_row(qa_pairs=[]), FILE, LINE)
    assert list(SGQA.samples_of(read)) == []
    assert [one.what for one in read.oddities] == ["no question"]


def test_a_first_action_has_no_context() -> None:
    assert samples(SGDS, sgds_row(context_graphs=[]))[0].tags["context_graphs"] == "0"
    assert samples(SA_SGG, sgg_row(context=""))[0].fields["context"] == ""


@pytest.mark.parametrize(("count", "name"), [(0, "0"), (1, "1-10"), (10, "1-10"), (11, "11-20"), (74, "71-80")])
def test_context_lengths_are_grouped_by_tens(count: int, name: str) -> None:
    assert size_class(count) == name


@pytest.mark.parametrize(
    ("task", "row", "place", "reason"),
    [
        (SGQA, without(sgqa_row(), "qa_pairs"), "qa_pairs", "missing"),
        (SGQA, sgqa_row(qa_pairs={}), "qa_pairs", "a list"),
        (SGDS, without(sgds_row(), "position"), "position", "missing"),
        (SGDS, sgds_row(position=None), "position", "which candidate"),
        (SGDS, without(sgds_row(), "triplet"), "triplet", "missing"),
        (SGDS, without(sgds_row(), "context_graphs"), "context_graphs", "missing"),
        (SGDS, sgds_row(variations="abc"), "variations", "a list"),
        (SA_SGG, without(sgg_row(), "target_sentence"), "target_sentence", "missing"),
        (SA_SGG, without(sgg_row(), "context"), "context", "missing"),
        (SA_SGG, sgg_row(graphs=[]), "graphs", "empty"),
        (SA_SGG, sgg_row(graphs=[PICK_UP]), "graphs[0]", "object"),
        (MA_SGG, sgg_row(graphs=[{"triplets": PICK_UP}, {}]), "graphs[1].triplets", "missing"),
        (MA_SGG, sgg_row(graphs=[{"triplets": None}]), "graphs[0].triplets", "list of triplets"),
        (MA_SGG, sgg_row([["a", None, "c"]]), "graphs[0].triplets[0][1]", "a string"),
        (MA_SGG, sgg_row(mandatory_space=[]), "mandatory_space", "an object"),
        (MA_SGG, sgg_row(mandatory_space=without(space(), "verb")), "mandatory_space.verb", "missing"),
        (MA_SGG, sgg_row(mandatory_space=space(relationship=["on", 1])), "mandatory_space.relationship[1]", "found 1"),
    ],
)
def test_a_row_that_cannot_be_asked_or_graded_is_named_by_file_line_field_and_reason(
    task: Task, row: dict[str, Any], place: str, reason: str
) -> None:
    with pytest.raises(DataError) as caught:
        samples(task, row)
    message = str(caught.value)
    assert message.startswith(f"rows.jsonl:7: field {place!r}: ")
    assert reason in message


@pytest.mark.parametrize(
    ("pair", "place"),
    [
        ("Q", "qa_pairs[1]"),
        ({"Q": "What?"}, "qa_pairs[1].A"),
        ({"A": "x"}, "qa_pairs[1].Q"),
        ({"Q": "What?", "A": ["x"]}, "qa_pairs[1].A"),
        ({"Q": "What?", "A": None}, "qa_pairs[1].A"),
        ({"Q": "What?", "A": 5}, "qa_pairs[1].A"),
    ],
)
def test_a_question_that_cannot_be_graded_costs_no_other(pair: Any, place: str) -> None:
    good = {"Q": "Where?", "A": "floor"}
    first, unusable, last = samples(SGQA, sgqa_row(qa_pairs=[good, pair, good], domain="cleaning"))
    assert first.error is None
    assert last.error is None
    assert f"rows.jsonl:7: field {place!r}: " in str(unusable.error)
    assert (unusable.id, unusable.cluster, unusable.tags["domain"]) == ("d1-2-9-q2", "d1-2-9", "cleaning")


def test_all_questions_about_graphs_that_are_missing_are_errors() -> None:
    both = samples(SGQA, without(sgqa_row(), "context_graphs"))
    assert [sample.id for sample in both] == ["d1-2-9-q1", "d1-2-9-q2"]
    assert all("field 'context_graphs': is missing" in str(sample.error) for sample in both)


@pytest.mark.parametrize(
    ("task", "row", "place", "what"),
    [
        (SGQA, without(sgqa_row(), "data_id"), "data_id", "no id"),
        (SGQA, sgqa_row(text_part_index=True), "text_part_index", "no id"),
        (SGQA, sgqa_row(domain=[3]), "domain", "something that is no label"),
        (SGQA, sgqa_row(context_graphs=["abc"]), "context_graphs[0]", "a graph that is no list of triplets"),
        (SGQA, sgqa_row(context_graphs=None), "context_graphs", "no list of graphs"),
        (
            SGQA,
            sgqa_row(context_graphs=[PICK_UP, [*SWEEP, ["a", "b"]]]),
            "context_graphs[1][3]",
            "a triplet that is not of 3 names",
        ),
        (SGQA, sgqa_row(context_graphs=[["abc"]]), "context_graphs[0][0]", "a triplet that is not of 3 names"),
        (SGQA, sgqa_row(context_graphs=[[["a", 1, "c"]]]), "context_graphs[0][0][1]", "a name that is no text"),
        (SGQA, sgqa_row(context_graphs=[[["a", "b", " "]]]), "context_graphs[0][0][2]", "an empty name"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": None, "A": "x"}]), "qa_pairs[0].Q", "no question"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": ""}]), "qa_pairs[0].A", "an empty answer"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": "x", "type": 1}]), "qa_pairs[0].type", "no name of a type"),
        (
            SGQA,
            sgqa_row(qa_pairs=[{"Q": "What?", "A": "[x]"}]),
            "qa_pairs[0].A",
            "an answer that no response can match",
        ),
        (
            SGQA,
            sgqa_row(qa_pairs=[{"Q": "What?", "A": "x\ny"}]),
            "qa_pairs[0].A",
            "an answer with brackets or a line break",
        ),
        (SGDS, sgds_row(position=5), "position", "a place that no letter has"),
        (SGDS, sgds_row(position=4, variations=list("abcd")), "position", "a place beyond the candidates"),
        (SGDS, sgds_row(position="1"), "position", "a place that no letter has"),
        (SGDS, sgds_row(position=1.0), "position", "a place that is no whole number"),
        (SGDS, sgds_row(variations=["a"], position=0), "variations", "fewer than 2 or more than 5 candidates"),
        (SGDS, sgds_row(variations=list("abcdef")), "variations", "fewer than 2 or more than 5 candidates"),
        (SGDS, sgds_row(variations=["one", None]), "variations[1]", "no sentence"),
        (SGDS, sgds_row(triplet=[]), "triplet", "no triplet"),
        (SGDS, sgds_row(triplet=[["a", "b", "c", "d"]]), "triplet[0]", "a triplet that is not of 3 names"),
        (
            SGDS,
            sgds_row(contradictions=["action", None]),
            "contradictions",
            "more or fewer kinds than candidates",
        ),
        (SGDS, sgds_row(contradictions=["a", None, "a", 1, "a"]), "contradictions[3]", "no name of a kind"),
        (SA_SGG, sgg_row(context=None), "context", "no text"),
        (MA_SGG, sgg_row(PICK_UP, []), "graphs[1].triplets", "an empty graph to be generated"),
        (MA_SGG, sgg_row([["a", "b"]]), "graphs[0].triplets[0]", "a triplet that is not of 3 names"),
        (MA_SGG, sgg_row([["a", "b", "c -> d"]]), "graphs[0].triplets[0][2]", "a name that no triplet line can hold"),
        (MA_SGG, sgg_row([["a", "b\nb", "c"]]), "graphs[0].triplets[0][1]", "a name that no triplet line can hold"),
        (MA_SGG, sgg_row([["a ", "b", "c"]]), "graphs[0].triplets[0][0]", "spaces around a name"),
        (MA_SGG, sgg_row(mandatory_space=space(object=[])), "mandatory_space.object", "no name"),
    ],
)
def test_an_odd_row_is_noted_by_field_and_kind_and_read_all_the_same(
    task: Task, row: dict[str, Any], place: str, what: str
) -> None:
    read = Row(row, FILE, LINE)
    found = list(task.samples_of(read))
    assert found
    assert [sample.error for sample in found] == [None] * len(found)
    assert [(str(one.file), one.line, one.field, one.what) for one in read.oddities] == [("rows.jsonl", 7, place, what)]


def existing_data() -> list[Any]:
    files = [(task, DATA / f"{task.name}.jsonl") for task in TASKS]
    return [pytest.param(task, file, id=task.short_name) for task, file in files if file.exists()]


@pytest.mark.parametrize(("task", "file"), existing_data())
def test_oracle_scores_exactly_one_on_every_sample_of_the_data(task: Task, file: Path) -> None:
    generator = random.Random(0)
    read = read_samples(file, task.samples_of)
    wrong = []
    for sample in read:
        score = task.scored(sample, task.builtin["oracle"](sample, generator))
        families = [score.official[name] for name in task.metrics] + [score.strict[name] for name in task.metrics]
        if not score.parsed or set(families) != {1.0} or score.diagnostics.get("out_of_vocabulary"):
            wrong.append(sample.id)
    assert read
    assert wrong == []
