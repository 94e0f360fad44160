"""Files with the shape and the oddities of the published ones, read whole."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tsg_rows import PICK_UP, SWEEP, sgds_row, sgg_row, sgqa_row

from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from benchmarks.tsg.test_sgds import TASK as SGDS
from benchmarks.tsg.test_sgqa import TASK as SGQA
from proctor import Sample, Task
from proctor.official.catalogue import published_sets
from proctor.tasks.prompt import Template
from proctor.tasks.samples import notes_on, read_samples

TASKS = {task.short_name: task for task in (SGQA, SGDS, SA_SGG, MA_SGG)}
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
POSITIONS = {"A": 54, "B": 60, "C": 43, "D": 46, "E": 47}
"""How often each letter is the right one in the published SGDS file."""


def read(task: Task, rows: Sequence[dict[str, Any]], folder: Path) -> list[Sample]:
    """The samples of a file with these rows; the oracle is right about each."""
    file = folder / f"{task.short_name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    samples = read_samples(file, task.samples_of)
    assert len({sample.id for sample in samples}) == len(samples)
    for sample in samples:
        score = task.scored(sample, task.builtin["oracle"](sample, random.Random(0)))
        assert score.official[task.headline] == score.strict[task.headline] == 1.0
    return samples


def test_sgqa_has_500_questions_in_100_clusters_of_long_sequences(tmp_path: Path) -> None:
    graphs = [11, 74, *(24 + number % 3 for number in range(98))]
    rows = [
        sgqa_row(
            data_id=f"scenario-{number // 4}",
            doc_index=number % 4,
            context_graphs=[PICK_UP, SWEEP] * (count // 2) + [SWEEP] * (count % 2),
            qa_pairs=[{"Q": f"Question {number} {question}?", "A": "floor"} for question in range(5)],
        )
        for number, count in enumerate(graphs)
    ]
    samples = read(SGQA, rows, tmp_path)
    assert len(samples) == 500
    assert set(Counter(sample.cluster for sample in samples).values()) == {5}
    assert len({sample.cluster for sample in samples}) == 100
    assert [samples[0].tags["context_graphs"], samples[5].tags["context_graphs"]] == ["11-20", "71-80"]
    assert notes_on(samples) == ()


def test_sgds_has_rows_without_id_some_alike_and_one_with_four_candidates(tmp_path: Path) -> None:
    letters = [letter for letter, count in POSITIONS.items() for _ in range(count)]
    rows = [
        sgds_row(
            target_sentence=f"Floor {number // 2} was swept.",
            position="ABCDE".index(letter),
            **({"variation_triplets": [[["person", "verb", "wash"]]]} if number % 2 else {}),
        )
        for number, letter in enumerate(letters)
    ]
    rows[7] = sgds_row(variations=["It was wet.", "The floor was swept.", "Nobody swept.", "It was lost."], position=0)
    rows[9] = rows[8]
    samples = read(SGDS, rows, tmp_path)
    assert len(samples) == 250
    assert Counter(sample.target for sample in samples) == POSITIONS
    assert Counter(sample.tags["candidates"] for sample in samples) == {"5": 249, "4": 1}
    assert samples[9].id == f"{samples[8].id}-copy2"
    assert samples[9].cluster == samples[8].cluster
    (note,) = notes_on(samples)
    assert note.startswith("samples that are exact copies of others: 1 ")


@pytest.mark.parametrize(("task", "count"), [(SA_SGG, 1188), (MA_SGG, 853)], ids=["sa-sgg", "ma-sgg"])
def test_generation_rows_may_share_their_three_numbers(task: Task, count: int, tmp_path: Path) -> None:
    rows = [
        sgg_row(data_id=f"scenario-{n // 20}", doc_index=n % 4, text_part_index=n % 20, target_sentence=f"Part {n}.")
        for n in range(count)
    ]
    rows[5] = {**rows[5], **{name: rows[4][name] for name in ("doc_index", "text_part_index")}}
    samples = read(task, rows, tmp_path)
    assert len(samples) == count
    assert samples[3].id == "scenario-0-3-3"
    assert [sample.id.removeprefix("scenario-0-0-4-") for sample in samples[4:6]] == [
        sample.row_sha256[:12] for sample in samples[4:6]
    ]
    assert samples[4].cluster == samples[5].cluster == "scenario-0"
    assert read(task, rows[::-1], tmp_path)[-5].id == samples[4].id
    assert notes_on(samples) == ("samples told apart by a hash of their row, their published ids being equal: 2",)


# ---- where they come from


def test_every_task_has_published_data_and_a_published_prompt() -> None:
    published = published_sets(BENCHMARKS)["tsg"]
    assert [(file.task, file.rows) for file in published.files if file.task] == [
        ("sgqa", 100),
        ("sgds", 250),
        ("sa-sgg", 1188),
        ("ma-sgg", 853),
    ]
    assert {file.prompt for file in published.files if file.prompt} == {
        name for task in TASKS.values() for name in task.prompts
    }


@pytest.mark.parametrize(
    ("name", "placeholders"),
    [
        ("sgqa", "{scene_graph} {question}"),
        ("sgds", "{context} {triplet} {sentences}"),
        ("sa-sgg", "{context} {target_sentence} {available_nodes} {available_edges}"),
        ("ma-sgg", "{context} {target_sentence} {available_nodes} {available_edges} {num_scene_graphs}"),
    ],
)
def test_the_placeholders_of_the_published_prompts_are_those_of_the_tasks(name: str, placeholders: str) -> None:
    asked = TASKS[name].prompts[name]
    text = f"Answer {{{{like this}}}}: {placeholders}"
    filled = Template(text, file=Path(f"{name}.txt"), placeholders=asked).fill(dict.fromkeys(asked.required, "x"))
    assert filled == ("Answer {like this}: " + " ".join("x" * len(placeholders.split())),)
