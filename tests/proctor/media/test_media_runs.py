"""Runs whose questions show pictures: who is asked, what is recorded, what replays, and what no file may hold."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest
from batch_server import BatchServer
from batches import fetch, submit
from capitals import CAPITALS, Project
from drawn_media import held, picture, sha256
from stub_server import Answer, Request

from proctor.media import images as pictures
from proctor.media.limits import ImageLimits

FLAGS = ["France", "Japan", "Peru"]
FLAG_TASK = """
from proctor import Judged, Media, Placeholders, Role, Sample, Score, Task

def samples_of(row):
    country = row.text("country")
    yield Sample(country, {"flag": row.file.parent / row.text("flag"), "country": country}, row.text("capital"))

def converse(sample, ask):
    return ask("capitals", flag=Media("KIND", sample.fields["flag"]))

def score(sample, response, evidence=None):
    value = float(response == sample.target)
    return Score(response, {"accuracy": value}, {"accuracy": value})

def examine(sample, response, ask):
    return ask("judge", role="judge", flag=Media("KIND", sample.fields["flag"]), answer=response).text

JUDGED = Judged(
    roles={
        "judge": Role(
            "gpt-4o",
            builtin=lambda values: "yes",
            inputs=frozenset({"KIND"}),
            model_variable="GRADER",
            base_url_variables=("GRADER_URL",),
        )
    },
    examine=examine,
    score=score,
)
TASK = Task(
    name="geo/capitals",
    samples_of=samples_of,
    prompts={"capitals": Placeholders("flag"), "judge": Placeholders("flag", "answer")},
    converse=converse,
    score=SCORE,
    metrics={"accuracy": 0.0},
    inputs=frozenset({"KIND"}),
)

@TASK.cases
def test_capitals(case):
    case.measure()
"""


def in_base64(file: Path) -> str:
    return base64.b64encode(file.read_bytes()).decode()


class Gallery:
    """The small project, asking about the flags of three countries, which are pictures of three widths."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.flags = {
            country: picture(project.data.parent / f"{country}.png", (40 + number, 30))
            for number, country in enumerate(FLAGS)
        }
        self.asks()
        project.prompt.write_text("Whose flag is this?\n{flag}\nAnswer with the capital.\n")
        project.prompt.with_name("judge.txt").write_text("{flag} {answer}?")
        self.write_rows()
        project.server.script = self.answer

    def asks(self, kind: str = "image", *, judged: bool = False) -> None:
        self.project.module.write_text(
            FLAG_TASK.replace("KIND", kind).replace("SCORE", "JUDGED" if judged else "score")
        )

    def write_rows(self) -> None:
        rows = [{"country": c, "capital": CAPITALS[c], "flag": file.name} for c, file in self.flags.items()]
        self.project.write_rows(rows)

    def answer(self, request: Request) -> str:
        text = json.dumps(request.json)
        return next((CAPITALS[c] for c, flag in self.flags.items() if flag.exists() and in_base64(flag) in text), "?")


@pytest.fixture
def gallery(project: Project) -> Gallery:
    return Gallery(project)


def test_a_picture_is_made_ready_once_however_often_it_is_sent(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = gallery.project.server
    faults = [Answer.error(503, retry_after="0"), Answer.error(429, retry_after="0")]
    server.script = lambda request: faults.pop() if faults else gallery.answer(request)
    ready: list[Path] = []
    prepare = pictures.prepared

    def counted(file: Path, limits: ImageLimits) -> pictures.Picture:
        if limits.max_edge > 200:  # not for the report, whose pictures are smaller
            ready.append(file)
        return prepare(file, limits)

    monkeypatch.setattr(pictures, "prepared", counted)
    gallery.project.run("--disable-recording", "--concurrency", "1").stdout.fnmatch_lines(["*3 correct*"])
    assert server.count == 5  # two faults and three answers
    assert sorted(file.name for file in ready) == sorted(file.name for file in gallery.flags.values())


# ---- who is asked


@pytest.mark.parametrize(
    ("kind", "model", "lacking", "able"),
    [
        ("image", "gpt-3.5-turbo", "pictures", "gpt-4o-mini"),
        ("video", "o3-mini", "clips", "claude-3-5-haiku"),
        ("audio", "gpt-4o", "sounds", "gpt-audio"),
        ("audio", "claude-3-5-haiku", "sounds", "gpt-audio"),
        ("audio", "anthropic/claude-next", "sounds", "gpt-audio"),
    ],
)
def test_a_model_that_lacks_what_is_shown_is_refused_before_the_first_call(
    gallery: Gallery, kind: str, model: str, lacking: str, able: str
) -> None:
    gallery.asks(kind)
    ended = gallery.project.run("--record-mode", "once", model=model)
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([f"*geo/capitals shows {lacking}, which {model} does not take*", f"*{able}*"])
    assert gallery.project.server.count == 0


def test_a_model_is_not_asked_what_it_cannot_be_shown_and_that_is_said(gallery: Gallery) -> None:
    gallery.asks("audio")
    project = gallery.project
    text = (
        project.module.read_text()
        .replace('"geo/capitals"', '"geo/names"')
        .replace('Media("audio", sample.fields["flag"])', '"x"')
    )
    project.module.with_name("test_names.py").write_text(text.replace('frozenset({"audio"})', "frozenset()"))
    (project.path / "prompts/geo/names.txt").write_text("{flag}")
    (project.path / "data/geo/names.jsonl").write_text(project.data.read_text())
    project.configure("proctor_model = gpt-4o-mini")
    result = project.run("--disable-recording", model=None)
    result.stdout.fnmatch_lines(["WARNING: left out: geo/capitals shows sounds, which gpt-4o-mini does not take*"])
    assert [task["task"] for task in project.report["tasks"]] == ["names"]

    project.server.requests.clear()
    result = project.run("--disable-recording", model="gpt-4o-mini")
    result.stdout.fnmatch_lines(["WARNING: left out: geo/capitals shows sounds, which gpt-4o-mini does not take"])
    assert project.server.count == 3
    for named in (["benchmarks/geo/test_capitals.py"], ["-k", "test_capitals.py"]):
        result = project.run("--disable-recording", *named, model="gpt-4o-mini")
        assert result.ret == 4
        result.stderr.fnmatch_lines(["ERROR: geo/capitals shows sounds, which gpt-4o-mini does not take"])
    assert project.server.count == 3


def test_a_judge_that_lacks_what_is_shown_is_refused_before_the_first_call(gallery: Gallery) -> None:
    gallery.asks(judged=True)
    ended = gallery.project.run("--record-mode", "once", "--role", "judge=gpt-3.5-turbo", model="gpt-4o-mini")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*shows its judge pictures, which gpt-3.5-turbo does not take*"])
    assert gallery.project.server.count == 0


def test_a_judge_at_an_endpoint_of_its_own_is_shown_pictures(gallery: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    gallery.asks(judged=True)
    monkeypatch.setenv("GRADER", "someone/judge-7")
    monkeypatch.setenv("GRADER_URL", gallery.project.server.openai_url)
    assert gallery.project.record().ret == 0
    judged = [request for request in gallery.project.server.requests if request.json["model"] == "someone/judge-7"]
    shown = {part["image_url"]["url"] for request in judged for part in request.json["messages"][0]["content"][:1]}
    assert shown == {f"data:image/png;base64,{in_base64(flag)}" for flag in gallery.flags.values()}


def test_a_model_of_which_nothing_is_known_is_asked(gallery: Gallery) -> None:
    ended = gallery.project.run("--record-mode", "once", model="openai/gpt-next")
    ended.stdout.fnmatch_lines(["*3 correct*"])
    assert gallery.project.server.count == 3


def test_a_model_that_makes_pictures_is_asked_for_no_texts(project: Project) -> None:
    ended = project.run("--record-mode", "once", model="gpt-image-1")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*geo/capitals wants texts for answers, and gpt-image-1 makes pictures*"])
    assert project.server.count == 0


def test_how_media_are_shown_is_no_parameter(gallery: Gallery) -> None:
    ended = gallery.project.run("--record-mode", "once", "--model-param", "max_edge=5")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*'max_edge' is not a parameter*", "*under media: in models.yaml*"])


def test_a_missing_library_is_said_before_the_first_call_and_a_replay_needs_none(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    gallery.project.run("--record-mode", "once", "--limit", "1")
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert gallery.project.run("--limit", "1").ret == 0
    ended = gallery.project.run("--record-mode", "once")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*Pillow is needed*", "*pip install 'proctor?media?'*"])
    assert gallery.project.server.count == 1


# ---- what is recorded and replayed


def test_answers_replay_under_other_names_of_the_files(gallery: Gallery) -> None:
    project = gallery.project
    assert project.record().ret == 0
    for country, file in gallery.flags.items():
        gallery.flags[country] = file.rename(file.with_name(f"another-{country}.jpg"))
    gallery.write_rows()
    ended = project.run()
    ended.stdout.fnmatch_lines(["*3 correct*"])
    assert {row["source"] for row in project.rows.values()} == {"replayed"}
    assert project.server.count == 3


def test_another_picture_is_another_question(gallery: Gallery) -> None:
    gallery.project.record()
    picture(gallery.flags["Peru"], (99, 30))
    ended = gallery.project.run()
    assert ended.ret == 1
    assert "recorded for another call" in gallery.project.rows["Peru"]["error"]
    assert gallery.project.rows["France"]["status"] == "scored"


def test_the_picture_must_be_there_for_a_replay_and_is_named_if_it_is_not(gallery: Gallery) -> None:
    gallery.project.record()
    gallery.flags["Peru"].unlink()
    assert gallery.project.run().ret == 1
    rows = gallery.project.rows
    assert [rows[country]["status"] for country in FLAGS] == ["scored", "scored", "error"]
    assert "Peru.png: there is no such image" in rows["Peru"]["error"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "is empty"), (b"no picture", "not a picture"), (b"\x89PNG\r\n\x1a\n", "broken"), (None, "no such image")],
)
def test_a_broken_picture_costs_its_own_case(gallery: Gallery, content: bytes | None, problem: str) -> None:
    file = gallery.flags["Japan"]
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    assert gallery.project.record().ret == 1
    rows = gallery.project.rows
    assert [rows[country]["status"] for country in FLAGS] == ["scored", "error", "scored"]
    assert "Japan.png" in rows["Japan"]["error"]
    assert problem in rows["Japan"]["error"]
    assert gallery.project.server.count == 2


@pytest.mark.parametrize("model", ["gpt-4o-mini", "o1-pro", "claude-3-5-haiku"])
def test_no_file_holds_a_picture_even_with_whole_prompts(gallery: Gallery, model: str) -> None:
    project = gallery.project
    assert project.run("--record-mode", "once", "--record-prompts", model=model).ret == 0
    assert held(project.path, *(flag.read_bytes() for flag in gallery.flags.values())) == []
    lines = (project.path / f"cassettes/geo/capitals/{model}.jsonl").read_text().splitlines()
    bodies = {line["sample"]: line["request"]["body"] for line in map(json.loads, lines)}
    assert len(bodies) == 3
    for country, body in bodies.items():
        assert "Whose flag is this?" in body
        assert f"sha256:{sha256(gallery.flags[country].read_bytes())}" in body
    assert project.run(model=model).ret == 0


@pytest.mark.parametrize("model", ["gpt-4o-mini", "claude-3-5-haiku"])
def test_a_batch_shows_pictures_too(gallery: Gallery, provider: BatchServer, model: str) -> None:
    project = gallery.project
    provider.script = gallery.answer
    gallery.flags["Japan"].write_bytes(b"no picture")
    assert submit("--record-prompts", model=model) != 0  # one call cannot be made
    (batch,) = provider.batches
    assert len(batch.requests) == 2
    assert all(any(in_base64(gallery.flags[c]) in json.dumps(r) for c in ("France", "Peru")) for r in batch.requests)
    flags = [gallery.flags[country].read_bytes() for country in ("France", "Peru")]
    assert held(project.path, *flags) == []
    provider.end()
    assert fetch() == 0
    assert held(project.path, *flags) == []
    project.run(model=model)
    assert [project.rows[country]["status"] for country in FLAGS] == ["scored", "error", "scored"]


def test_an_estimate_says_that_media_are_not_counted(gallery: Gallery) -> None:
    ended = gallery.project.run("--estimate")
    ended.stdout.fnmatch_lines(["*3 requests show or make media, whose tokens are not counted*"])
