"""Rows with random oddities: the official scores are those of the published formulas, or both refuse the row."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import tsg_published
from hypothesis import given, settings
from hypothesis import strategies as st
from tsg_rows import FILE, LINE, sgds_row, sgg_row, sgqa_row

from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from benchmarks.tsg.test_sgds import TASK as SGDS
from benchmarks.tsg.test_sgqa import TASK as SGQA
from proctor import Reply, Row, Sample, Task
from proctor.tasks.samples import read_samples, samples_of_row

WORDS = ["person", "pick-up", "mop stick", "hand1", "verb", "dobj", "Wall", "é", "a b", "b"]
NAMES = st.sampled_from([*WORDS, *WORDS, "", " ", " wall", "b ", "a -> b", "x\ny", "[b]", "\ttab", "A", "->"])
ODD = st.sampled_from([None, 0, 1, 2.5, True, float("nan"), "", "text", [], {}, ["a"], {"a": 1}, -3, 10**20])
TRIPLETS = st.lists(NAMES, min_size=3, max_size=3) | st.lists(NAMES | ODD, max_size=4) | ODD
GRAPHS = st.lists(st.lists(NAMES, min_size=3, max_size=3), max_size=4) | st.lists(TRIPLETS, max_size=4) | ODD
SENTENCES = st.sampled_from(["It was wet.", "The floor was swept.", "A man [B] sat.", ""])


def mostly(good: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A good value, and now and then something else."""
    return st.one_of(good, good, good, ODD)


@st.composite
def rows(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[Any]], base: dict[str, Any]) -> dict[str, Any]:
    """A row with some fields drawn, some missing, and some that no published row has."""
    drawn = {name: draw(values) for name, values in fields.items() if draw(st.booleans())}
    row = {**base, **drawn, **draw(st.dictionaries(st.sampled_from(["extra", "note"]), ODD, max_size=1))}
    if not draw(st.integers(0, 5)):
        del row[draw(st.sampled_from(sorted(row)))]
    return row


IDS = {name: mostly(st.sampled_from(["d1", 7, "3"])) for name in ("data_id", "doc_index", "text_part_index")}
PAIRS = st.fixed_dictionaries({}, optional={"Q": mostly(NAMES), "A": mostly(NAMES), "type": ODD}) | ODD
SGQA_ROWS = rows(
    {**IDS, "context_graphs": st.lists(GRAPHS, max_size=3) | ODD, "qa_pairs": mostly(st.lists(PAIRS, max_size=4))},
    sgqa_row(),
)
LISTS: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, 2.5, []]
)  # what is no list of texts, and nothing that only looks like one
SGDS_ROWS = rows(
    {
        "position": mostly(st.integers(-1, 7)),
        "variations": st.one_of(*[st.lists(mostly(SENTENCES), max_size=7)] * 3, LISTS),
        "triplet": GRAPHS,
        "context_graphs": st.lists(GRAPHS, max_size=2) | ODD,
        "contradictions": mostly(st.lists(st.sampled_from([None, "action", 1, " "]), max_size=6)),
        "domain": mostly(NAMES),
    },
    sgds_row(),
)
TEXTS = st.lists(st.lists(NAMES, min_size=3, max_size=3), max_size=4) | st.lists(
    st.lists(NAMES, max_size=4), max_size=3
)
GOLD_GRAPHS = [st.lists(st.fixed_dictionaries({"triplets": TEXTS}), min_size=1, max_size=3)] * 5
GOLD = st.fixed_dictionaries({"triplets": GRAPHS}) | ODD
SPACE = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(*[st.lists(NAMES, max_size=4)] * 4, LISTS) for name in ("object", "verb", "relationship")
    },
)
SGG_ROWS = rows(
    {
        **IDS,
        "context": mostly(SENTENCES),
        "target_sentence": mostly(SENTENCES),
        "graphs": st.one_of(*GOLD_GRAPHS, st.lists(GOLD, max_size=3), LISTS),
        "mandatory_space": st.one_of(*[st.just(sgg_row()["mandatory_space"])] * 4, SPACE, ODD),
        "context_graphs": ODD,
    },
    sgg_row(),
)

PIECES = st.sampled_from(
    [*WORDS, "[", "]", "[b]", "[Wall]", "[A]", "[E]", "B", "F", "A", "\n", "\n\n", " ", "->", " -> ", "\r\n", "\t", "."]
)
ANSWERS = st.lists(PIECES, max_size=8).map("".join)


@st.composite
def written_graphs(draw: st.DrawFn, row: dict[str, Any]) -> str:
    """An answer that has something to do with the row, or nothing."""
    lines = []
    graphs = row.get("graphs")
    for graph in graphs if isinstance(graphs, list) else []:
        triplets = graph.get("triplets") if isinstance(graph, dict) else None
        written = [
            " -> ".join(map(str, t)) for t in (triplets if isinstance(triplets, list) else []) if isinstance(t, list)
        ]
        lines += [line for line in written if draw(st.integers(0, 3))]
        lines.append("")
    return "\n".join(lines + draw(st.lists(ANSWERS, max_size=2)))


def shown(task: Task, sample: Sample) -> dict[str, str]:
    """What the prompt is filled with."""
    asked: dict[str, str] = {}

    def ask(_: str, **values: str) -> Reply:
        asked.update(values)
        return Reply("")

    task.converse(sample, ask)  # type: ignore[arg-type]  # no benchmark of these puts its questions together
    return asked


def read(task: Task, data: dict[str, Any]) -> list[Sample]:
    return samples_of_row(Row(data, FILE, LINE), task.samples_of)


def fine(task: Task, sample: Sample) -> None:
    """Nothing about a sample that can be asked breaks what is done with it."""
    for name in ("oracle", "chance", "constant"):
        score = task.scored(sample, task.builtin[name](sample, random.Random(0)))
        assert set(score.strict) >= {task.headline}
        assert all(0 <= score.strict[metric] <= 1 for metric in task.metrics)
    assert all(isinstance(value, str) and value for value in sample.tags.values())
    json.dumps([sample.target, sample.id, sample.cluster])


@settings(max_examples=300, deadline=None)
@given(SGQA_ROWS, ANSWERS, st.data())
def test_sgqa(data: dict[str, Any], response: str, draw: st.DataObject) -> None:
    wanted: list[Any] = []
    pairs = data.get("qa_pairs")
    for pair in pairs if isinstance(pairs, list) else []:
        try:
            answer = pair.get("A") if isinstance(pair, dict) else None
            if isinstance(answer, str) and draw.draw(st.booleans()):
                response = draw.draw(st.sampled_from([f"[{answer}]", answer, f"{answer}.", f"[x] [{answer}]"]))
            wanted.append((response, tsg_published.sgqa(data, pair, response)))
        except tsg_published.FAILS:
            wanted.append(None)
    samples = read(SGQA, data)
    if not isinstance(pairs, list):
        assert [sample.error is None for sample in samples] == [False]
        return
    assert len(samples) == len(wanted)
    for sample, published in zip(samples, wanted, strict=True):
        assert (sample.error is None) == (published is not None), (sample.error, published)
        if published is not None:
            answered, (prompt, right) = published
            assert shown(SGQA, sample) == prompt
            assert SGQA.scored(sample, answered).official == {"accuracy": float(right)}
            fine(SGQA, sample)


@settings(max_examples=300, deadline=None)
@given(SGDS_ROWS, ANSWERS)
def test_sgds(data: dict[str, Any], response: str) -> None:
    (sample,) = read(SGDS, data)
    try:
        prompt, right = tsg_published.sgds(data, response)
    except tsg_published.FAILS:
        assert sample.error is not None
        return
    assert sample.error is None
    assert shown(SGDS, sample) == prompt
    assert SGDS.scored(sample, response).official == {"accuracy": float(right)}
    fine(SGDS, sample)


@pytest.mark.parametrize("task", [SA_SGG, MA_SGG], ids=lambda task: task.short_name)
def test_sgg(task: Task) -> None:
    @settings(max_examples=300, deadline=None)
    @given(SGG_ROWS, st.data())
    def agrees(data: dict[str, Any], draw: st.DataObject) -> None:
        response = draw.draw(written_graphs(data))
        (sample,) = read(task, data)
        try:
            prompt, pairs = tsg_published.sgg(data, response)
        except tsg_published.FAILS:
            assert sample.error is not None
            return
        assert sample.error is None
        filled = shown(task, sample)
        assert {name: prompt.get(name, filled[name]) for name in filled} == filled
        assert set(prompt) - set(filled) <= {"num_scene_graphs"}
        assert task.scored(sample, response).official["pairs"] == pairs
        fine(task, sample)

    agrees()


FORMS = {
    "as published": lambda lines: "\n".join(lines) + "\n",
    "with a mark": lambda lines: "\ufeff" + "\n".join(lines),
    "of Windows": lambda lines: "\r\n".join(lines) + "\r\n",
    "of an old Mac": lambda lines: "\r".join(lines),
    "of files with a mark put together": lambda lines: "".join(f"\ufeff{line}\n" for line in lines),
    "with blank lines": lambda lines: "\n\n" + "\n \n\n".join(lines) + "\n\n\n",
    "as an array": lambda lines: "[\n" + ",\n".join(lines) + "\n]",
    "as an array on one line": lambda lines: "[" + ",".join(lines) + "]",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_file_changes_no_sample(form: str, tmp_path: Path) -> None:
    @settings(max_examples=40, deadline=None)
    @given(st.lists(SGDS_ROWS, min_size=1, max_size=4))
    def same(data: list[dict[str, Any]]) -> None:
        file = tmp_path / "sgds.jsonl"
        file.write_text(FORMS[form]([json.dumps(row) for row in data]), encoding="utf-8", newline="")
        found = read_samples(file, SGDS.samples_of)
        alone = [sample for row in data for sample in read(SGDS, row)]
        assert [(s.fields, s.target, s.error is None) for s in found] == [
            (s.fields, s.target, s.error is None) for s in alone
        ]

    same()
