"""Experimental Reasoning: its rows, its scores, and runs as a user makes them, with a stub server for all models."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from capitals import Project, project
from PIL import Image, ImageChops
from pyarrow import parquet
from stub_server import Answer, Request

from benchmarks.sgi.build_experimental_reasoning import build
from benchmarks.sgi.test_experimental_reasoning import TASK, first_number
from proctor import Sample
from proctor.tasks.oddities import Findings
from proctor.tasks.samples import read_samples

__all__ = ["project"]

ROOT = Path(__file__).parents[3]
DATA = ROOT / "data/sgi"
SUITE = """
from benchmarks.sgi.test_experimental_reasoning import TASK

@TASK.cases
def test_experimental_reasoning(case):
    case.measure()
"""


def picture(folder: Path, name: str, colour: str) -> bytes:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), colour).save(file)
    return file.read_bytes()


def row(**fields: Any) -> dict[str, Any]:
    return {
        "idx": "r1",
        "question": "Which colour has the square?",
        "images": ["red.png", "blue.png"],
        "options": ["green", "red", "blue"],
        "steps": ["Look at it.", "It is red."],
        "step_images": [],
        "answer": 1,
        "image_type": "experiment",
        "discipline": "physics",
        "direction": "optics",
        "type": "signal perception",
    } | fields


def samples(folder: Path, *rows: dict[str, Any]) -> list[Sample]:
    file = folder / "experimental_reasoning.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return read_samples(file, TASK.samples_of)


def scored(tmp_path: Path, response: str, **evidence: Any) -> Any:
    (sample,) = samples(tmp_path, row())
    found: dict[str, Any] = {"first": 10, "rating": 10, "judge_tries": 1, "problem": ""} | evidence
    return TASK.scored(sample, response, found)


@pytest.mark.parametrize(
    ("response", "official", "strict"),
    [
        (r"So \boxed{B}.", 1.0, 1.0),
        (r"Not \boxed{A}, but \boxed{B}", 0.0, 1.0),
        (r"\boxed{B}; no, \boxed{C}", 1.0, 0.0),
        (r"\boxed{b}", 0.0, 0.0),
        (r"\boxed{\text{B}}", 0.0, 0.0),
        ("B", 0.0, 0.0),
    ],
)
def test_the_first_box_counts_officially_and_the_last_strictly(
    tmp_path: Path, response: str, official: float, strict: float
) -> None:
    score = scored(tmp_path, response)
    assert (score.official["MCA"], score.strict["MCA"]) == (official, strict)
    assert score.parsed == (r"\boxed{" in response and "b}" not in response and "text" not in response)


@pytest.mark.parametrize(
    ("reply", "number"),
    [("8", 8), ("8/10", 8), ("Rating: 7.", 7), ("100", 100), ("none", None), ("9" * 15, 10**15 - 1), ("9" * 30, None)],
)
def test_the_first_whole_number_of_a_reply_is_the_rating(reply: str, number: int | None) -> None:
    assert first_number(reply) == number


def test_a_rating_out_of_range_counts_officially_and_a_missing_one_is_apart(tmp_path: Path) -> None:
    score = scored(tmp_path, r"\boxed{B}", first=100, rating=6)
    assert (score.official["RV"], score.strict["RV"]) == (10.0, 0.6)
    score = scored(tmp_path, r"\boxed{B}", first=None, rating=None, problem="asked 5 times")
    assert (score.official, score.strict, score.judged, score.problem) == (
        {"MCA": 1.0, "RV": 0.0},
        {"MCA": 1.0, "RV": 0.0},
        False,
        "asked 5 times",
    )


def test_pictures_are_files_or_bytes_as_the_hub_has_them(tmp_path: Path) -> None:
    red, blue = picture(tmp_path, "red.png", "red"), picture(tmp_path, "media/blue.png", "blue")
    text = base64.b64encode(red).decode()
    kinds = ["red.png", "blue.png", text, f"data:image/png;base64,{text}", {"bytes": text, "path": "x.png"}]
    (sample,) = samples(tmp_path, row(images=[*kinds, {"bytes": None, "path": "red.png"}]))
    assert [image.sha256 for image in sample.fields["images"]] == [
        hashlib.sha256(content).hexdigest() for content in (red, blue, red, red, red, red)
    ]
    for image in sample.fields["images"]:
        assert image.file.is_file()
        assert image.file.is_relative_to(tmp_path)
    (single,) = samples(tmp_path, row(images="red.png"))
    assert [image.file.name for image in single.fields["images"]] == ["red.png"]


def test_a_parquet_file_of_the_hub_is_read_with_its_pictures(tmp_path: Path) -> None:
    content = picture(tmp_path, "red.png", "red")
    table = pyarrow.Table.from_pylist([row(images=[{"bytes": content, "path": None}] * 2, step_images=[])])
    parquet.write_table(table, tmp_path / "er.parquet")
    (sample,) = read_samples(tmp_path / "er.parquet", TASK.samples_of)
    assert [image.file.read_bytes() for image in sample.fields["images"]] == [content, content]
    assert (sample.id, sample.target, sample.error) == ("r1", "B", None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"images": ["../red.png"]}, r"images\[0\].*must not lead out"),
        ({"images": ["red.png", "/etc/passwd"]}, r"images\[1\].*must not lead out"),
        ({"images": [3]}, r"images\[0\].*must be a picture"),
        ({"images": [{"bytes": None, "path": None}]}, r"images\[0\].*must be a picture"),
        ({"answer": 26}, "answer.*from 0 to 2"),
        ({"answer": "B"}, "answer.*from 0 to 2"),
        ({"answer": True}, "answer.*from 0 to 2"),
        ({"options": [str(n) for n in range(27)]}, "options.*26 at most"),
    ],
)
def test_a_row_that_cannot_be_asked_costs_its_own_case(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    bad, good = samples(tmp_path, row(**fields), row(idx="r2"))
    assert (bad.id, good.id, good.error) == ("r1", "r2", None)
    assert re.search(said, str(bad.error), re.DOTALL)


def test_a_row_that_is_odd_is_asked(tmp_path: Path) -> None:
    findings = Findings()
    file = tmp_path / "experimental_reasoning.jsonl"
    odd = row(answer=3, steps="Look.", images=[])
    del odd["type"]
    file.write_text(json.dumps(odd) + "\n")
    (sample,) = read_samples(file, TASK.samples_of, findings=findings)
    assert (sample.error, sample.target, sample.fields["steps"]) == (None, "D", ["Look."])
    assert sample.tags == {"discipline": "physics", "image_type": "experiment"}
    assert {one.field for one in findings.odd} == {"answer", "steps", "images"}
    assert findings.unusable == []


def test_an_answer_may_be_a_number_in_a_text(tmp_path: Path) -> None:
    assert samples(tmp_path, row(answer="2"))[0].target == "C"


class Lab:
    """A project with the task, whose models are a stub server."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.answer, self.rating = r"It is red. \boxed{B}", "9"
        project.server.script = lambda r: self.rating if r.question.startswith("You rate how valid") else self.answer
        (project.path / "suite").mkdir()
        (project.path / "suite/test_er.py").write_text(SUITE)
        (project.path / "prompts/sgi").mkdir(parents=True)
        for prompt in (ROOT / "prompts/sgi").glob("experimental_reasoning*.txt"):
            (project.path / "prompts/sgi" / prompt.name).write_text(prompt.read_text())
        folder = project.path / "data/sgi"
        self.red, self.blue = picture(folder, "red.png", "red"), picture(folder, "blue.png", "blue")
        (folder / "experimental_reasoning.jsonl").write_text(json.dumps(row()) + "\n")

    def run(self, *arguments: str, model: str = "gpt-4o-mini") -> pytest.RunResult:
        self.project.server.requests.clear()
        return self.project.run("suite", *arguments, model=model)

    @property
    def requests(self) -> list[Request]:
        return self.project.server.requests

    @property
    def row(self) -> dict[str, Any]:
        (only,) = self.project.rows.values()
        return only


@pytest.fixture
def lab(project: Project, monkeypatch: pytest.MonkeyPatch) -> Lab:
    for name in [name for name in os.environ if name.startswith(("SGI_", "GRADER_"))]:
        monkeypatch.delenv(name)
    return Lab(project)


def shown(request: Request) -> list[bytes]:
    """The pictures in a request, in order."""
    parts = request.json["messages"][0]["content"]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.partition("base64,")[2]) for url in urls]


def test_model_and_judge_see_the_pictures_and_a_replay_needs_nobody(lab: Lab) -> None:
    assert lab.run("--record-mode", "once").ret == 0
    asked, judged = lab.requests
    assert shown(asked) == shown(judged) == [lab.red, lab.blue]
    assert (asked.json["temperature"], judged.json["model"]) == (0.0, "o4-mini")
    assert "A. green\nB. red\nC. blue" in asked.question
    assert "It is red." not in asked.question
    assert "1. Look at it.\n2. It is red." in judged.question
    assert r"It is red. \boxed{B}" in judged.question
    live = lab.row
    assert live["scores"]["official"] == live["scores"]["strict"] == {"MCA": 1.0, "RV": 0.9}
    assert live["tags"] == {"discipline": "physics", "type": "signal perception", "image_type": "experiment"}
    (composite,) = lab.project.report["composites"]
    assert composite["missing"] == [
        f"sgi/{n}" for n in ("deep_research", "idea_generation", "dry_experiment", "wet_experiment")
    ]
    assert lab.run().ret == 0
    assert lab.requests == []
    assert lab.row["scores"] == live["scores"]


def test_a_rating_that_cannot_be_read_is_asked_again_and_then_apart(lab: Lab) -> None:
    lab.rating = "100"
    assert lab.run("--record-mode", "once").ret == 1
    assert len(lab.requests) == 6
    live = lab.row
    assert (live["status"], live["scores"]["official"]["RV"], live["scores"]["strict"]) == (
        "judge_failed",
        10.0,
        {"MCA": 1.0, "RV": 0.0},
    )
    assert "the judge gave no reply that can be read, asked 5 times; last reply: '100'" in live["error"]
    assert lab.run().ret == 1
    assert lab.row["scores"] == live["scores"]
    lab.rating = "10 of 10"
    assert lab.run("--record-mode", "once").ret == 0
    assert len(lab.requests) == 1
    # officially the first reply stays the judge's word
    assert (lab.row["scores"]["official"]["RV"], lab.row["scores"]["strict"]["RV"]) == (10.0, 1.0)


def test_a_judge_that_is_down_leaves_the_letter_its_score(lab: Lab) -> None:
    lab.project.server.script = lambda r: (
        Answer.error(400, "too large") if r.question.startswith("You rate") else lab.answer
    )
    assert lab.run("--record-mode", "once").ret == 1
    assert (lab.row["status"], lab.row["error"]) == ("judge_failed", "o4-mini as judge: 400: too large")
    assert lab.row["scores"]["official"] == {"MCA": 1.0, "RV": 0.0}


def test_a_model_or_a_judge_without_eyes_is_refused_before_the_first_call(lab: Lab) -> None:
    result = lab.run("suite/test_er.py", "--record-mode", "once", model="o3-mini")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: sgi/experimental_reasoning shows pictures, which o3-mini does not take"])
    result = lab.run("--record-mode", "once", "--role", "judge=o3-mini")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*shows its judge pictures, which o3-mini does not take*"])
    assert lab.requests == []


def test_the_shipped_data_are_those_that_the_script_draws(tmp_path: Path) -> None:
    built = build(tmp_path)
    assert built.read_bytes() == (DATA / "experimental_reasoning.jsonl").read_bytes()
    drawn = sorted((tmp_path / "media/experimental_reasoning").iterdir())
    shipped = sorted((DATA / "media/experimental_reasoning").iterdir())
    assert [file.name for file in drawn] == [file.name for file in shipped]
    for new, old in zip(drawn, shipped, strict=True):
        assert ImageChops.difference(Image.open(new).convert("RGB"), Image.open(old).convert("RGB")).getbbox() is None
        assert old.stat().st_size < 5_000


def test_the_shipped_answers_are_right_by_hand() -> None:
    rows = [json.loads(line) for line in (DATA / "experimental_reasoning.jsonl").read_text().splitlines()]
    told = [one["options"][one["answer"]] for one in rows]
    per_cent = {"P": 8 / 10, "Q": 5.4 / 6, "R": 6.3 / 9, "S": 9 / 12}
    assert told == [
        f"{8 / 0.2:g} ohm",
        f"{0.1 * 30 / 20:g} mol/L",
        f"{14 - 8} days",
        f"{8 * 10} km",
        f"{max(range(1, 6), key=lambda v: v * {1: 5, 2: 5, 3: 4.5, 4: 3, 5: 0}[v])} V",
        "X",
        f"{12 / 4:g}",
        f"{30 / (10 + 30 + 10):.3f}",
        "S-A-B-C-T",
        "suspect 2",
        f"{60 / ((9 - 1) / 4):g} minutes",
        max(per_cent, key=lambda name: per_cent[name]),
    ]
    for one in rows:
        assert len(set(one["options"])) == len(one["options"])
    assert len({one["discipline"] for one in rows}) == 10


def test_the_oracle_gets_all_there_is(lab: Lab) -> None:
    assert (
        lab.run("--dataset", f"sgi/experimental_reasoning={DATA}/experimental_reasoning.jsonl", model="oracle").ret == 0
    )
    rows = lab.project.rows.values()
    assert len(rows) == 12
    for one in rows:
        assert one["scores"]["official"] == one["scores"]["strict"] == {"MCA": 1.0, "RV": 1.0}
