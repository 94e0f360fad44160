"""Pictures that models make: asked for, edited, judged, kept beside the recordings, replayed without them."""

from __future__ import annotations

import base64
import json
import os
import shutil
import time

import pytest
from capitals import Project
from drawn_media import held, picture, sha256
from stub_server import Answer, Request

COUNTRIES = ["France", "Japan"]
DRAWN_TASK = """
from proctor import Judged, Placeholders, Reply, Role, Sample, Score, Task

def samples_of(row):
    yield Sample(row.text("country"), {"country": row.text("country")}, "good")

def converse(sample, ask):
    first = ask("draw", country=sample.fields["country"])
    if not first.images:
        return first
    second = ask("edit", picture=first.images[0])
    verdict = ask("judge", role="judge", first=first.images[0], second=second.images[0])
    return Reply(verdict.text)

def score(sample, response, evidence):
    value = float(response == "good")
    return Score(response, {"accuracy": value}, {"accuracy": value})

TASK = Task(
    name="geo/capitals",
    samples_of=samples_of,
    prompts={
        "draw": Placeholders("country"),
        "edit": Placeholders("picture"),
        "judge": Placeholders("first", "second"),
    },
    converse=converse,
    score=Judged(
        roles={"judge": Role("gpt-4o", builtin=lambda values: "good", inputs=frozenset({"image"}))},
        examine=lambda sample, response, ask: None,
        score=score,
    ),
    metrics={"accuracy": 0.0},
    outputs=frozenset({"image"}),
)

@TASK.cases
def test_capitals(case):
    case.measure()
"""


class Studio:
    """The small project, asking for two drawings of each of two countries, which a judge looks at."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.media = project.path / "cassettes/geo/capitals/media"
        self.cassette = project.path / "cassettes/geo/capitals/gpt-image-1.jsonl"
        project.module.write_text(DRAWN_TASK)
        for name, text in (("draw", "Draw {country}"), ("edit", "{picture} Turn it"), ("judge", "{first} {second} ?")):
            project.prompt.with_name(f"{name}.txt").write_text(text)
        project.write_rows([{"country": country} for country in COUNTRIES])
        # By place: the first drawing of each country, and what it is turned into.
        self.first = {
            c: picture(project.path / f"{c}-1.png", (50 + n, 20)).read_bytes() for n, c in enumerate(COUNTRIES)
        }
        self.second = {
            c: picture(project.path / f"{c}-2.png", (70 + n, 20)).read_bytes() for n, c in enumerate(COUNTRIES)
        }
        for file in project.path.glob("*-?.png"):
            file.unlink()
        project.server.script = self.answer

    def answer(self, request: Request) -> str | Answer:
        if request.path.endswith("/generations"):
            content = next(self.first[country] for country in self.first if country in request.question)
        elif request.path.endswith("/edits"):
            (upload,) = request.files
            content = next(self.second[c] for c in self.first if upload.content == self.first[c])
        else:
            text = json.dumps(request.json)
            seen = [
                base64.b64encode(self.first[c]).decode() in text and base64.b64encode(self.second[c]).decode() in text
                for c in self.first
            ]
            return "good" if any(seen) else "bad"
        return base64.b64encode(content).decode()

    @property
    def contents(self) -> list[bytes]:
        return [*self.first.values(), *self.second.values()]

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.project.run(*arguments, model="gpt-image-1")


@pytest.fixture
def studio(project: Project) -> Studio:
    return Studio(project)


def test_drawings_are_kept_beside_the_recordings_and_named_in_them(studio: Studio) -> None:
    ended = studio.run("--record-mode", "once", "--record-prompts")
    ended.stdout.fnmatch_lines(["*2 correct*"])
    assert {file.name: file.read_bytes() for file in studio.media.iterdir()} == {
        f"{sha256(content)}.png": content for content in studio.contents
    }
    assert {file.parent for file in held(studio.project.path, *studio.contents)} == {studio.media}
    for line in map(json.loads, studio.cassette.read_text().splitlines()):
        body = json.loads(line["response"]["body"]["string"])
        if "turn" not in line and line["role"] == "answer":
            assert body["data"] == [{"b64_json": f"sha256:{sha256(studio.first[line['sample']])}.png"}]
            assert json.loads(line["request"]["body"])["prompt"] == f"Draw {line['sample']}"
        elif line["role"] == "answer":
            fields = json.loads(line["request"]["body"])
            assert (fields["prompt"], fields["image"]) == (
                "Turn it",
                [f"sha256:{sha256(studio.first[line['sample']])}"],
            )


def test_a_drawing_with_half_a_surrogate_pair_beside_it_is_recorded_and_replays(studio: Studio) -> None:
    answer = studio.answer

    def revised(request: Request) -> str | Answer:
        drawn = Answer(str(answer(request)))
        if request.api != "openai-images":
            return drawn
        return Answer(body=drawn.content(request).replace(b'"data": [{', rb'"data": [{"revised_prompt": "\ud83d", '))

    studio.project.server.script = revised
    studio.run("--record-mode", "once").stdout.fnmatch_lines(["*2 correct*"])
    studio.run().stdout.fnmatch_lines(["*2 correct*"])
    assert studio.project.server.count == 6


def test_drawings_replay_without_their_files(studio: Studio) -> None:
    studio.run("--record-mode", "once")
    for file in studio.media.iterdir():
        file.unlink()
    studio.media.rmdir()
    ended = studio.run()
    ended.stdout.fnmatch_lines(["*2 correct*"])
    assert studio.project.server.count == 6


def test_a_drawing_that_is_gone_is_missed_by_the_judge_that_needs_it(studio: Studio) -> None:
    studio.run("--record-mode", "once")
    lines = studio.cassette.read_text().splitlines(keepends=True)
    studio.cassette.write_text("".join(line for line in lines if '"role":"answer"' in line))
    gone = studio.media / f"{sha256(studio.second['Japan'])}.png"
    gone.unlink()
    assert studio.run("--record-mode", "new_episodes").ret == 1
    rows = studio.project.rows
    assert (rows["France"]["status"], rows["Japan"]["status"]) == ("scored", "error")
    assert f"{gone.name}: there is no such image" in rows["Japan"]["error"]


def test_without_recordings_drawings_go_to_the_reports_folder(studio: Studio) -> None:
    ended = studio.run("--disable-recording")
    ended.stdout.fnmatch_lines(["*2 correct*"])
    assert not studio.media.exists()
    kept = {file.read_bytes() for file in (studio.project.folders[-1] / "media").iterdir()}
    assert kept == set(studio.contents)


def test_a_picture_that_no_recording_names_is_told_and_pruned(studio: Studio) -> None:
    studio.run("--record-mode", "once")
    stray, newer = picture(studio.media / f"{'0' * 64}.png"), picture(studio.media / f"{'1' * 64}.png")
    os.utime(newer, (time.time() + 1000,) * 2)  # as if another run were at work
    ended = studio.run()
    ended.stdout.fnmatch_lines([f"*1 picture that no recording names: {stray.name}*", "*with --prune*"])
    studio.run("--prune").stdout.fnmatch_lines(["*removed 1 picture*"])
    newer.unlink()
    assert {file.read_bytes() for file in studio.media.iterdir()} == set(studio.contents)
    assert "picture that no recording" not in studio.run().stdout.str()


def test_files_that_are_no_drawings_are_left_alone(studio: Studio) -> None:
    studio.run("--record-mode", "once")
    (studio.media / ".gitattributes").write_text("*.png filter=lfs\n")
    (studio.media / "thumbnails").mkdir()
    strays = [picture(studio.media / f"{number:064x}.png") for number in range(6)]
    for file in studio.media.iterdir():
        os.utime(file, (0, 0))
    studio.run("--prune").stdout.fnmatch_lines([f"*removed 6 pictures *{strays[4].name}, … (1 more)"])
    assert (studio.media / ".gitattributes").exists()
    assert len([*studio.media.glob("*.png")]) == len(studio.contents)


def test_an_estimate_counts_a_judge_that_is_shown_what_stands_in_for_a_drawing(studio: Studio) -> None:
    ended = studio.run("--estimate").stdout
    ended.fnmatch_lines(["geo/capitals (judge) *gpt-4o * 2 * 2 *"])
    assert "what judges are asked is not counted" not in ended.str()


def test_a_refusal_to_draw_is_recorded_without_ids_and_replays(studio: Studio) -> None:
    said = "Your request was rejected by the safety system. Name the request ID req_0123456789abcdef0123."
    drawing = studio.project.server.script
    assert callable(drawing)

    def moderated(request: Request) -> str | Answer:
        return Answer.error(400, said, code="moderation_blocked") if "Japan" in request.question else drawing(request)

    studio.project.server.script = moderated
    studio.run("--record-mode", "once")
    assert "req_0123" not in studio.cassette.read_text()
    for source in ("recorded", "replayed"):
        row = studio.project.rows["Japan"]
        assert (row["status"], row["finish_reason"], row["source"]) == ("refused", "refusal", source)
        assert row["response_text"].startswith("Your request was rejected by the safety system.")
        studio.run()


def test_vcrpy_cassettes_hold_the_drawings_and_bring_them_back(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    studio.run("--record-mode", "once").stdout.fnmatch_lines(["*2 correct*"])
    monkeypatch.chdir(studio.project.path)
    before, media = studio.cassette.read_bytes(), {file.name for file in studio.media.iterdir()}
    assert studio.project.command("cassettes", "convert", "--to", "vcr", "theirs") == 0
    written = "".join(file.read_text() for file in (studio.project.path / "theirs").rglob("*.yaml"))
    assert "sha256:" not in written
    shutil.rmtree(studio.cassette.parent)
    assert studio.project.command("cassettes", "convert", "--from", "vcr", "theirs") == 0
    assert studio.cassette.read_bytes() == before
    assert {file.name for file in studio.media.iterdir()} == media
    studio.project.server.stop()
    studio.run().stdout.fnmatch_lines(["*2 correct*"])
    next(studio.media.iterdir()).unlink()
    assert studio.project.command("cassettes", "convert", "--to", "vcr", "again") == 4
