"""Rows of the four data files: the samples they give, and the errors that name a mistake's place."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tsg_rows import PICK_UP, SWEEP, samples, sgds_row, sgg_row, sgqa_row

from benchmarks.tsg.scene_graph import size_class
from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from benchmarks.tsg.test_sgds import TASK as SGDS
from benchmarks.tsg.test_sgqa import TASK as SGQA
from proctor import Task
from proctor.errors import DataError
from proctor.samples import read_samples

DATA = Path(__file__).parents[3] / "data"
TASKS = (SGQA, SGDS, SA_SGG, MA_SGG)
ROWS = {SGQA.name: sgqa_row, SGDS.name: sgds_row, SA_SGG.name: sgg_row, MA_SGG.name: sgg_row}


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


def test_a_first_action_has_no_context() -> None:
    assert samples(SGDS, sgds_row(context_graphs=[]))[0].tags["context_graphs"] == "0"
    assert samples(SA_SGG, sgg_row(context=""))[0].fields["context"] == ""


@pytest.mark.parametrize(("count", "name"), [(0, "0"), (1, "1-10"), (10, "1-10"), (11, "11-20"), (74, "71-80")])
def test_context_lengths_are_grouped_by_tens(count: int, name: str) -> None:
    assert size_class(count) == name


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def space(**changes: Any) -> dict[str, Any]:
    return {**sgg_row()["mandatory_space"], **changes}


@pytest.mark.parametrize(
    ("task", "row", "place", "reason"),
    [
        (SGQA, without(sgqa_row(), "data_id"), "data_id", "missing"),
        (SGQA, sgqa_row(doc_index="2"), "doc_index", "'2'"),
        (SGQA, sgqa_row(text_part_index=True), "text_part_index", "True"),
        (SGQA, sgqa_row(domain=3), "domain", "3"),
        (SGQA, sgqa_row(context_graphs=[]), "context_graphs", "empty"),
        (SGQA, sgqa_row(context_graphs=["abc"]), "context_graphs[0]", "'abc'"),
        (SGQA, sgqa_row(context_graphs=[PICK_UP, [*SWEEP, ["a", "b"]]]), "context_graphs[1][3]", "3 strings"),
        (SGQA, sgqa_row(context_graphs=[["abc"]]), "context_graphs[0][0]", "'abc'"),
        (SGQA, sgqa_row(context_graphs=[[["a", 1, "c"]]]), "context_graphs[0][0][1]", "found 1"),
        (SGQA, sgqa_row(context_graphs=[[["a", "b", " "]]]), "context_graphs[0][0][2]", "non-empty"),
        (SGQA, sgqa_row(qa_pairs={}), "qa_pairs", "a list"),
        (SGQA, sgqa_row(qa_pairs=["Q"]), "qa_pairs[0]", "'Q'"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": "x"}, {"Q": "What?"}]), "qa_pairs[1].A", "missing"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "", "A": "x"}]), "qa_pairs[0].Q", "non-empty"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": ["x"]}]), "qa_pairs[0].A", "['x']"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": "x", "type": 1}]), "qa_pairs[0].type", "found 1"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": "[x]"}]), "qa_pairs[0].A", "square brackets"),
        (SGQA, sgqa_row(qa_pairs=[{"Q": "What?", "A": "x\ny"}]), "qa_pairs[0].A", "line break"),
        (SGDS, sgds_row(position=5), "position", "0 to 4"),
        (SGDS, sgds_row(position=4, variations=list("abcd")), "position", "0 to 3"),
        (SGDS, sgds_row(position=-1), "position", "-1"),
        (SGDS, sgds_row(position="1"), "position", "'1'"),
        (SGDS, sgds_row(variations=["one"]), "variations", "2 to 5"),
        (SGDS, sgds_row(variations=list("abcdef")), "variations", "2 to 5"),
        (SGDS, sgds_row(variations=["one", None]), "variations[1]", "None"),
        (SGDS, sgds_row(triplet=[]), "triplet", "empty"),
        (SGDS, sgds_row(triplet=[["a", "b", "c", "d"]]), "triplet[0]", "3 strings"),
        (SGDS, sgds_row(context_graphs=None), "context_graphs", "a list"),
        (SGDS, sgds_row(context_graphs=[[["a", "b", 0]]]), "context_graphs[0][0][2]", "found 0"),
        (SGDS, sgds_row(contradictions=["action", None]), "contradictions", "each of the 5"),
        (SGDS, sgds_row(contradictions=["a", None, "a", 1, "a"]), "contradictions[3]", "found 1"),
        (SA_SGG, without(sgg_row(), "target_sentence"), "target_sentence", "missing"),
        (SA_SGG, sgg_row(context=None), "context", "None"),
        (SA_SGG, sgg_row(graphs=[]), "graphs", "empty"),
        (SA_SGG, sgg_row(graphs=[PICK_UP]), "graphs[0]", "object"),
        (MA_SGG, sgg_row(graphs=[{"triplets": PICK_UP}, {}]), "graphs[1].triplets", "missing"),
        (MA_SGG, sgg_row(PICK_UP, []), "graphs[1].triplets", "at least one"),
        (MA_SGG, sgg_row([["a", "b"]]), "graphs[0].triplets[0]", "3 strings"),
        (MA_SGG, sgg_row([["a", "b", "c -> d"]]), "graphs[0].triplets[0][2]", "->"),
        (MA_SGG, sgg_row([["a", "b\nb", "c"]]), "graphs[0].triplets[0][1]", "line break"),
        (MA_SGG, sgg_row(mandatory_space=[]), "mandatory_space", "an object"),
        (MA_SGG, sgg_row(mandatory_space=without(space(), "verb")), "mandatory_space.verb", "missing"),
        (MA_SGG, sgg_row(mandatory_space=space(object=[])), "mandatory_space.object", "not empty"),
        (MA_SGG, sgg_row(mandatory_space=space(relationship=["on", 1])), "mandatory_space.relationship[1]", "found 1"),
    ],
)
def test_a_mistake_in_a_row_is_named_by_file_line_field_and_reason(
    task: Task, row: dict[str, Any], place: str, reason: str
) -> None:
    with pytest.raises(DataError) as caught:
        samples(task, row)
    message = str(caught.value)
    assert message.startswith(f"rows.jsonl:7: field {place!r}: ")
    assert reason in message


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
