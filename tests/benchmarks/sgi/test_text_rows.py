"""Rows of Deep Research, Idea Generation and the Wet Experiment: those that ship, and mistakes that are named."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import exp, log, log10, pi, radians, sin, sqrt
from pathlib import Path
from typing import Any

import pytest
from sgi_rows import FILE, LINE, deep_research_row, idea_generation_row, sample, wet_experiment_row

from benchmarks.sgi.protocol import parse_steps
from benchmarks.sgi.test_deep_research import TASK as DEEP_RESEARCH
from benchmarks.sgi.test_idea_generation import TASK as IDEA_GENERATION
from benchmarks.sgi.test_wet_experiment import TASK as WET_EXPERIMENT
from proctor import Row, Sample, Task
from proctor._base.errors import DataError
from proctor.tasks.prompt import Template
from proctor.tasks.samples import read_samples

ROOT = Path(__file__).parents[3]
TASKS = (DEEP_RESEARCH, IDEA_GENERATION, WET_EXPERIMENT)
ROWS: dict[str, Callable[..., dict[str, Any]]] = {
    DEEP_RESEARCH.name: deep_research_row,
    IDEA_GENERATION.name: idea_generation_row,
    WET_EXPERIMENT.name: wet_experiment_row,
}


def shipped(task: Task) -> list[Sample]:
    return read_samples(ROOT / f"data/{task.name}.jsonl", task.samples_of)


def translated(template: str) -> str:
    """The peptide of a template strand, read from 3' to 5'."""
    code = {"AUG": "M", "CUU": "L", "UCA": "S", "AAU": "N"}
    messenger = template.translate(str.maketrans("ACGT", "UGCA"))
    return "".join(code[messenger[place : place + 3]] for place in range(0, len(messenger) - 2, 3))


def silver() -> str:
    edge = 1.5406e-8 / (2 * sin(radians(38.12) / 2)) * sqrt(3)  # cm
    weights = {"aluminium": 26.98, "copper": 63.55, "silver": 107.87, "gold": 196.97}
    mole = 10.49 * edge**3 * 6.022e23 / 4
    return min(weights, key=lambda metal: abs(weights[metal] - mole))


def formula() -> str:
    carbon, hydrogen = 0.733 / 44.009, 2 * 0.300 / 18.015
    oxygen = (0.500 - 12.011 * carbon - 1.008 * hydrogen) / 15.999
    units = 180.16 / (0.500 / oxygen)
    return "C{:.0f}H{:.0f}O{:.0f}".format(*(units * part / oxygen for part in (carbon, hydrogen, oxygen)))


def carriers() -> float:
    q = sqrt(4 / 10_000)
    carrier = 2 * (1 - q) * q / (1 - q**2)
    return 1e6 * carrier**2 / 4


def muons() -> float:
    speed = 0.995 * 2.998e8
    return exp(-15_000 / speed / (2.197e-6 / sqrt(1 - 0.995**2)))


def households() -> float:
    watts = 0.42 * 0.5 * 1.225 * pi * 50**2 * 9.0**3
    return 30 * watts / 1000 * 2500 / 3500 / 1000


ANSWERS = {
    "dr-01": f"{0.30 * 317.8 / (0.80 * 109.1 * sqrt(0.012)) ** 2:.2f}",
    "dr-02": formula(),
    "dr-03": f"{4.76 + log10((4.0 - 1.0) / (10.0 - 4.0 + 1.0)):.2f}",
    "dr-04": translated("TACCGAAAGTTTATT"[:3] + "TACCGAAAGTTTATT"[4:]),
    "dr-05": f"{carriers():.0f}",
    "dr-06": f"{muons():.3f}",
    "dr-07": f"10:20:{30.0 - 12.0 / (1 / 3.5 - 1 / 6.0) / 6.0:.1f}",
    "dr-08": f"{households():.1f}",
    "dr-09": silver(),
    "dr-10": f"{8.314 * 310.15 / 96.485 * log((5 + 0.04 * 145) / (140 + 0.04 * 12)):.1f}",
    "dr-11": f"{(1 - 0.99**4) / (1 - 0.99**7 - 7 * 0.01 * 0.99**6):.1f}",
    "dr-12": f"{0.25 * 1 + 0.5 * (0.5 * 1 + 2 * 0.25 * 2) + 0.25 * 1:.2f}",
}


def test_the_answers_of_deep_research_follow_from_the_questions() -> None:
    assert {one.id: one.target for one in shipped(DEEP_RESEARCH)} == ANSWERS


@pytest.mark.parametrize(
    ("task", "rows", "disciplines"), [(DEEP_RESEARCH, 12, 10), (IDEA_GENERATION, 8, 8), (WET_EXPERIMENT, 10, 7)]
)
def test_the_shipped_rows_cover_disciplines_and_stay_short(task: Task, rows: int, disciplines: int) -> None:
    samples = shipped(task)
    assert len(samples) == rows
    assert len({one.tags["discipline"] for one in samples}) == disciplines
    assert max(len(one.fields["question"].split()) for one in samples) <= 250


def test_the_protocols_take_their_steps_from_the_pool_in_the_question() -> None:
    for one in shipped(WET_EXPERIMENT):
        steps = parse_steps(one.target)
        assert 4 <= len(steps) <= 12
        pool = one.fields["question"].partition("Action pool:\n")[2].splitlines()
        needed = {f"<{step.action}>({', '.join(step.parameters)})" for step in steps}
        assert needed < set(pool)  # and some actions are not needed
        made: set[str] = set()
        for step in steps:
            later = {other.output for other in steps} - made
            assert not later & set(step.parameters.values())  # nothing is used before it is made
            made.add(step.output)


def test_the_questions_of_ideas_do_not_tell_the_idea_nor_the_later_work() -> None:
    for one in shipped(IDEA_GENERATION):
        told = one.fields["question"]
        assert 300 <= len(one.fields["gold"].text) <= 700
        assert one.fields["gold"].text not in told
        for text in one.fields["related"]:
            assert text in told
        for text in one.fields["related_test"]:
            assert text.partition(": ")[2] not in told


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.short_name)
def test_every_prompt_of_a_task_loads(task: Task) -> None:
    for name, placeholders in task.prompts.items():
        Template.load(ROOT / f"prompts/sgi/{name}.txt", placeholders)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.short_name)
@pytest.mark.parametrize("model", ["oracle", "chance", "constant"])
def test_built_in_models_answer_in_the_format(task: Task, model: str) -> None:
    one = sample(task, ROWS[task.name]())
    response = task.builtin[model](one, random.Random(1))
    evidence: dict[str, Any] = {"parsed": None, "parser_tries": 0, "steps": [], "judge_tries": 0}
    evidence |= {"votes": {}, "tries": {}}
    evidence["cosines"] = {"related": 0.0, "related_test": 0.0, "keywords": 0.0, "sentences": None}
    assert task.scored(one, response, evidence).parsed


def test_an_id_may_be_a_number() -> None:
    assert sample(DEEP_RESEARCH, deep_research_row(idx=17)).id == "17"


def test_fields_of_ideas_may_be_written_as_in_python_or_as_in_json() -> None:
    written = sample(IDEA_GENERATION, idea_generation_row())
    plain = sample(
        IDEA_GENERATION,
        idea_generation_row(
            related_work={"Jug": "A jug with a cosy.", "Flask": "A flask with a vacuum."},
            keywords="['wax', 'latent heat']",
            implementation_order=["1-2", "2-3"],
        ),
    )
    assert plain.fields["related"] == written.fields["related"]
    assert plain.fields["keywords"] == written.fields["keywords"]
    assert plain.target == written.target


@pytest.mark.parametrize(
    ("task", "changes", "odd"),
    [
        (DEEP_RESEARCH, {"idx": None}, "idx"),
        (DEEP_RESEARCH, {"idx": " "}, "idx"),
        (DEEP_RESEARCH, {"steps": []}, "steps"),
        (DEEP_RESEARCH, {"steps": None}, "steps"),
        (DEEP_RESEARCH, {"steps": "12 / 0.05 = 240 s."}, "steps"),
        (DEEP_RESEARCH, {"steps": ["a", 2]}, None),
        (DEEP_RESEARCH, {"answer": 4}, "answer"),
        (DEEP_RESEARCH, {"answer": ""}, None),
        (DEEP_RESEARCH, {"type": ["a"]}, "type"),
        (DEEP_RESEARCH, {"type": None}, None),
        (IDEA_GENERATION, {"core_idea": ""}, "core_idea"),
        (IDEA_GENERATION, {"related_work": "['a']"}, "related_work"),
        (IDEA_GENERATION, {"related_work": "{'a': open('x')}"}, "related_work"),
        (IDEA_GENERATION, {"related_work_test": "(" * 5000}, "related_work_test"),
        (IDEA_GENERATION, {"related_work_test": None}, "related_work_test"),
        (IDEA_GENERATION, {"keywords": "wax, heat"}, "keywords"),
        (IDEA_GENERATION, {"data": None, "expected_outcome": None}, None),
        (IDEA_GENERATION, {"data": ["a"], "expected_outcome": {"a": 1}}, None),
        (WET_EXPERIMENT, {"answer": "Mix and wait."}, "answer"),
    ],
)
def test_what_the_published_code_accepts_is_scored(task: Task, changes: dict[str, Any], odd: str | None) -> None:
    row = Row(ROWS[task.name](**changes), FILE, LINE)
    (one,) = task.samples_of(row)
    assert [oddity.field for oddity in row.oddities] == ([odd] if odd else [])
    assert all(oddity.line == LINE for oddity in row.oddities)
    evidence: dict[str, Any] = {"parsed": "4", "parser_tries": 1, "steps": [{"judge": "correct"}], "judge_tries": 1}
    evidence |= {"votes": {}, "tries": {}}
    evidence["cosines"] = {"related": None, "related_test": None, "keywords": 0.1, "sentences": None}
    score = task.scored(one, task.builtin["oracle"](one, random.Random(1)), evidence)
    assert score.official.keys() == score.strict.keys() == task.metrics.keys()


def test_texts_where_lists_should_be_count_by_their_characters_officially_alone() -> None:
    one = sample(IDEA_GENERATION, idea_generation_row(keywords="wax, ice", implementation_order="21"))
    assert (one.fields["keywords"], one.fields["published_keywords"]) == (["wax", "ice"], "w, a, x, ,,  , i, c, e")
    assert one.fields["published_gold"]["order"] == ["2", "1"]
    assert one.fields["gold"].order == ()


def test_a_number_is_no_answer_officially() -> None:
    one = sample(DEEP_RESEARCH, deep_research_row(answer=4))
    evidence: dict[str, Any] = {"parsed": "4", "parser_tries": 1, "judge_tries": 1}
    evidence["steps"] = [{"judge": "correct"}]
    score = DEEP_RESEARCH.scored(one, "<answer>4</answer>", evidence)
    assert (score.official["exact_match"], score.strict["exact_match"]) == (0.0, 1.0)


@pytest.mark.parametrize("task", [IDEA_GENERATION, WET_EXPERIMENT], ids=lambda task: task.short_name)
def test_the_official_idx_is_a_tag(task: Task) -> None:
    plain = sample(task, ROWS[task.name]())
    named = sample(task, ROWS[task.name](idx="SGI_0003"))
    assert (named.tags["idx"], plain.tags.get("idx")) == ("SGI_0003", None)


@pytest.mark.parametrize(
    ("task", "changes", "problem"),
    [
        (WET_EXPERIMENT, {"question": 1}, "field 'question': must be a string"),
        (WET_EXPERIMENT, {"answer": None}, "field 'answer': must be a string"),
        (IDEA_GENERATION, {"question": None}, "field 'question': must be a string"),
        (DEEP_RESEARCH, {"question": ["a"]}, "field 'question': must be a string"),
    ],
)
def test_a_row_that_nobody_can_score_is_named_by_file_line_and_field(
    task: Task, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(DataError, match=problem) as raised:
        sample(task, ROWS[task.name](**changes))
    assert "rows.jsonl:7" in str(raised.value)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.short_name)
def test_only_the_question_and_the_gold_answer_are_needed(task: Task) -> None:
    for name in ROWS[task.name]():
        row = ROWS[task.name]()
        del row[name]
        if name == "question" or (name == "answer" and task is not IDEA_GENERATION):
            with pytest.raises(DataError, match=f"field {name!r}: is missing"):
                sample(task, row)
        else:
            sample(task, row)
