"""report.html with pictures, clips and sounds: small, in their places, and only those that a model really was shown."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from capitals import Project
from drawn_media import clip, numbers_of, tone
from PIL import Image
from playwright.sync_api import Browser, Locator, expect
from report_page import ReportPage, records, report_page

MODULE = """
import json
from pathlib import Path
from proctor import Media, Placeholders, Sample, Score, Task

HERE = Path(__file__).parents[2] / "media"

def samples_of(row):
    yield Sample(row.text("id"), dict(row.data), "yes")

def converse(sample, ask):
    return ask("look", medium=Media(sample.fields["kind"], HERE / sample.fields["file"]), id=sample.id)

def score(sample, response):
    return Score(response, {"accuracy": 1.0}, {"accuracy": 1.0})

def response_media(sample, response):
    return [Media("image", HERE / Path(name).name) for name in json.loads(response)["made"]]

TASK = Task(
    name="geo/look",
    samples_of=samples_of,
    prompts={"look": Placeholders("medium", "id")},
    converse=converse,
    score=score,
    metrics={"accuracy": 0.0},
    inputs=frozenset({"image"}),
    builtin={"oracle": lambda sample, generator: sample.fields.get("answer", "yes")},
    response_media=response_media,
)

@TASK.cases
def test_look(case):
    case.measure()
"""
RED, GREEN, BLUE = (220, 20, 20), (20, 180, 20), (20, 20, 220)
Colour = tuple[int, int, int]


class Gallery:
    """A project with one task that shows one medium a sample, between two pieces of text."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.media = project.path / "media"
        self.media.mkdir()
        project.server.script = "yes"
        project.module.unlink()
        project.data.unlink()
        self.module = project.path / "benchmarks/geo/test_look.py"
        self.module.write_text(MODULE)
        (project.path / "prompts/geo/look.txt").write_text("Look at this ({id}): {medium} Is it <b>red</b>?\n")

    def ask_about(self, *samples: Mapping[str, Any]) -> None:
        """Write the data: ids, kinds, files."""
        rows = [{"kind": "image", **sample} for sample in samples]
        file = self.project.path / "data/geo/look.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(self, *args: str, model: str = "oracle") -> Path:
        """Run the task; the report's page."""
        assert self.project.run(*args, model=model).ret == 0
        return self.page

    @property
    def page(self) -> Path:
        """The newest page."""
        return self.project.folders[-1] / "report.html"


@pytest.fixture
def gallery(project: Project) -> Gallery:
    return Gallery(project)


def picture(file: Path, colour: Colour, size: tuple[int, int] = (640, 320)) -> Path:
    """A picture of one colour."""
    Image.new("RGB", size, colour).save(file, "PNG")
    return file


def figures(shown: ReportPage, sample: str, model: str = "oracle") -> Locator:
    """The media in the prompt about a sample, once they are there."""
    shown.case("geo/look", sample, model)
    found = shown.page.locator("section[aria-label=Question] figure.medium")
    expect(found.first).to_be_visible()
    return found


def embedded(image: Locator) -> bytes:
    """The file that an element shows."""
    return base64.b64decode((image.get_attribute("src") or "").partition(",")[2])


def decoded(image: Locator) -> Image.Image:
    """The picture that an element shows."""
    return Image.open(io.BytesIO(embedded(image))).convert("RGB")


def is_like(image: Image.Image, colour: Colour) -> bool:
    """Whether the middle of a picture has a colour, as far as JPEG keeps it."""
    middle = image.getpixel((image.width // 2, image.height // 2))
    assert isinstance(middle, tuple)
    return all(abs(found - wanted) < 25 for found, wanted in zip(middle, colour, strict=True))


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Any]:
    """Opens a report; afterwards it must have asked for nothing and complained of nothing."""
    opened = []

    def show(file: Path) -> ReportPage:
        manager = report_page(browser, file)
        opened.append(manager)
        return manager.__enter__()

    yield show
    for manager in opened:
        manager.__exit__(None, None, None)


# ---- what is shown


def test_a_picture_stands_in_its_place_small_with_name_and_hash(gallery: Gallery, open_page: Any) -> None:
    file = picture(gallery.media / "plate.png", RED)
    gallery.ask_about({"id": "plate", "file": "plate.png"})
    shown = open_page(gallery.run())
    figure = figures(shown, "plate")
    around = shown.page.locator("section[aria-label=Question] > *").all_inner_texts()[2:]
    assert around[0] == "Prompt, 38 characters, 1 picture"  # "Look at this (plate):" has 21, "Is it <b>red</b>?" 17
    assert around[1] == "Look at this (plate):"
    assert around[3] == "Is it <b>red</b>?"
    small = decoded(figure.locator("img"))
    assert small.size == (160, 80)
    assert is_like(small, RED)
    assert figure.locator("img").get_attribute("alt") == "Picture plate.png"
    assert figure.inner_text() == f"Picture plate.png {hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"
    assert figure.locator("img").evaluate("image => image.complete && image.naturalWidth") == 160


def test_a_clip_is_shown_as_frames_in_order(gallery: Gallery, open_page: Any) -> None:
    clip(gallery.media / "clip.mp4", 20, size=(320, 240))
    gallery.ask_about({"id": "clip", "kind": "video", "file": "clip.mp4"})
    shown = open_page(gallery.run())
    images = figures(shown, "clip").locator("img")
    expect(images).to_have_count(4)
    # The middles of the four quarters of 20 frames are at 2.5, 7.5, 12.5 and 17.5.
    assert numbers_of([embedded(images.nth(place)) for place in range(4)]) == [2, 7, 12, 17]
    assert decoded(images.first).size == (160, 120)
    assert images.nth(2).get_attribute("alt") == "Clip clip.mp4, frame 3 of 4"


def test_a_short_sound_can_be_heard_and_a_long_one_is_named(gallery: Gallery, open_page: Any) -> None:
    tone(gallery.media / "short.wav", 0.5)
    tone(gallery.media / "long.wav", 7)  # 112 kB
    gallery.ask_about(*({"id": name, "kind": "audio", "file": f"{name}.wav"} for name in ("short", "long")))
    shown = open_page(gallery.run())
    figure = figures(shown, "short")
    expect(figure).to_contain_text("0.50 s")
    read = "sound => new Promise(done => sound.readyState ? done() : sound.onloadedmetadata = done)"
    figure.locator("audio").evaluate(read)
    assert figure.locator("audio").evaluate("sound => sound.duration") == pytest.approx(0.5)
    figure = figures(shown, "long")
    expect(figure).to_contain_text("7.00 s cannot be heard here, having more than 100 kB")
    assert figure.locator("audio").count() == 0


def test_pictures_that_a_response_stands_for_are_shown_with_it(gallery: Gallery, open_page: Any) -> None:
    picture(gallery.media / "asked.png", RED)
    picture(gallery.media / "first.png", GREEN)
    picture(gallery.media / "second.png", BLUE, (100, 300))
    gallery.ask_about(
        {"id": "made", "file": "asked.png", "answer": json.dumps({"made": ["first.png", "x/second.png", "no.png"]})},
        {"id": "text", "file": "asked.png", "answer": "no JSON"},
    )
    shown = open_page(gallery.run())
    assert figures(shown, "made").count() == 1
    made = shown.answer("oracle").locator("figure.medium")
    expect(made.locator("img")).to_have_count(2)
    assert is_like(decoded(made.nth(0).locator("img")), GREEN)
    assert decoded(made.nth(1).locator("img")).size == (53, 160)  # 100 · 160 / 300
    assert made.nth(2).inner_text() == "Picture no.png the file cannot be read"
    figures(shown, "text")
    assert shown.answer("oracle").locator("figure.medium").count() == 0


# ---- what must not be shown


def shapes_asked(gallery: Gallery) -> None:
    picture(gallery.media / "a.png", RED)
    picture(gallery.media / "b.png", GREEN)
    gallery.ask_about({"id": "a", "file": "a.png"}, {"id": "b", "file": "b.png"})


def test_a_prompt_is_shown_only_with_the_picture_that_was_asked_about(gallery: Gallery, open_page: Any) -> None:
    shapes_asked(gallery)
    shown = open_page(gallery.run("--record-mode", "once", model="gpt-4o-mini"))
    assert is_like(decoded(figures(shown, "a", "gpt-4o-mini").locator("img")), RED)

    picture(gallery.media / "a.png", BLUE)
    folder = gallery.project.folders[-1]
    assert gallery.project.command("report", str(folder)) == 0
    shown.case("geo/look", "a", "gpt-4o-mini")
    question = shown.page.locator("section[aria-label=Question]")
    expect(question).to_contain_text("the file has changed")
    assert question.locator("img").count() == 0
    assert is_like(decoded(figures(shown, "b", "gpt-4o-mini").locator("img")), GREEN)


def test_models_that_see_one_picture_in_other_sizes_had_one_prompt(gallery: Gallery, open_page: Any) -> None:
    shapes_asked(gallery)
    models = ("gpt-4o-mini", "claude-3-5-haiku")
    gallery.run("--record-mode", "once", "--model", models[1], model=models[0])
    rows = [json.loads(line) for line in (gallery.page.parent / "results.jsonl").read_text().splitlines()]
    assert len({row["prompt_sha256"] for row in rows}) == 4
    shown = open_page(gallery.page)
    for model in models:
        figures(shown, "a", model)
        assert "Other prompt" not in shown.page.locator("main").inner_text()

    # One of them is asked once more, about another picture, and both runs are made one.
    first = gallery.page.parent
    picture(gallery.media / "a.png", BLUE)
    gallery.run("--record-mode", "once", model="gpt-4.1-mini")
    second = gallery.page.parent
    picture(gallery.media / "a.png", RED)
    assert gallery.project.command("report", str(first), str(second)) == 0
    shown = open_page(gallery.page)
    assert is_like(decoded(figures(shown, "a", models[0]).locator("img")), RED)
    told = {model: shown.answer(model).inner_text() for model in (*models, "gpt-4.1-mini")}
    assert {model for model, text in told.items() if "asked with another prompt" in text} == {"gpt-4.1-mini"}


def test_of_responses_made_elsewhere_it_is_not_known_what_was_asked(gallery: Gallery, open_page: Any) -> None:
    shapes_asked(gallery)
    given = gallery.project.path / "given/other/look.jsonl"
    given.parent.mkdir(parents=True)
    given.write_text("".join(json.dumps({"sample_id": name, "response": "yes"}) + "\n" for name in "ab"))
    shown = open_page(gallery.run("--responses", "given", model="other"))
    assert is_like(decoded(figures(shown, "a", "other").locator("img")), RED)
    assert "not known: the response was made elsewhere" in shown.answer("other").inner_text()


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>.png",
        "a\u202egnp.exe",
        "</script><b>'\".png",
        "n" * 240 + ".png",
        "línea\nzwei.png",
    ],
)
def test_a_hostile_file_name_is_text(gallery: Gallery, open_page: Any, name: str) -> None:
    picture(gallery.media / name.replace("/", "∕"), RED)
    gallery.ask_about({"id": "odd", "file": name.replace("/", "∕")})
    shown = open_page(gallery.run())
    figure = figures(shown, "odd")
    expect(figure.locator("img")).to_have_count(1)
    assert figure.locator("b, script").count() == 0
    told = figure.locator("figcaption bdi").inner_text()
    wanted = name.replace("/", "∕").replace("\u202e", "U+202E").replace("\n", " ")
    assert told.replace("\n", " ") == (wanted if len(name) <= 80 else f"{wanted[:79]}…")
    assert not shown.too_wide()
    assert str(gallery.media) not in shown.page.locator("main").inner_text()


def test_what_is_no_picture_says_so(gallery: Gallery, open_page: Any) -> None:
    (gallery.media / "text.png").write_text("<svg onload=alert(1)>")
    whole = picture(gallery.media / "whole.png", RED).read_bytes()
    (gallery.media / "cut.png").write_bytes(whole[: len(whole) // 2])
    head = b"IHDR" + struct.pack(">II", 60_000, 60_000) + whole[24:29]
    huge = whole[:12] + head + struct.pack(">I", zlib.crc32(head)) + whole[33:]
    (gallery.media / "huge.png").write_bytes(huge)
    (gallery.media / "empty.png").touch()
    (gallery.media / "list.mp4").write_text("#EXTM3U\n#EXTINF:1,\n/etc/hostname\n#EXT-X-ENDLIST\n")
    (gallery.media / "text.wav").write_text("la la la")
    kinds = {"png": "image", "mp4": "video", "wav": "audio"}
    files = [*(f"{name}.png" for name in ("text", "cut", "huge", "empty", "gone")), "list.mp4", "text.wav"]
    gallery.ask_about(*({"id": file, "kind": kinds[file[-3:]], "file": file} for file in files))
    shown = open_page(gallery.run())
    notes = {}
    for file in files:
        figure = figures(shown, file)
        if file != "gone.png":
            expect(figure).to_have_attribute("data-filled", "true")
        assert figure.locator("img, audio").count() == 0
        notes[file] = figure.locator(".quiet").inner_text()
    assert notes.pop("gone.png") == "the file cannot be read"
    assert notes.pop("text.wav") == "cannot be heard here, being neither wav nor mp3"
    assert all(note.startswith("no preview: ") for note in notes.values()), notes
    assert "too large" in notes["huge.png"]


def test_without_pillow_there_are_names(gallery: Gallery, open_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes_asked(gallery)
    monkeypatch.setitem(sys.modules, "PIL", None)
    shown = open_page(gallery.run())
    figure = figures(shown, "a")
    expect(figure).to_contain_text("Picture a.png")
    expect(figure).to_contain_text("pip install 'proctor[media]'")
    assert figure.locator("img").count() == 0


def test_what_does_not_fit_is_said(gallery: Gallery, open_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.report.html.texts.MEDIA", 1000)
    monkeypatch.setattr("proctor.report.html.blocks.BLOCK_SIZE", 1)
    for number in range(6):  # the same picture under two names is one: five, of which there is room for some
        noise = Image.effect_noise((160, 160), 80 + max(number, 1))
        noise.save(gallery.media / f"{number}.png")
    (gallery.media / "0.png").write_bytes((gallery.media / "1.png").read_bytes())
    gallery.ask_about(*({"id": str(number), "file": f"{number}.png"} for number in range(6)))
    shown = open_page(gallery.run())
    seen = [figures(shown, str(number)).locator(".quiet").all_inner_texts() for number in range(6)]
    # Each picture takes more than the 1,000 bytes: after the first there is no room.
    assert seen == [[], []] + [["not in this page, which was cut to a size that browsers open"]] * 4
    shown.open()
    expect(shown.page.locator("section[aria-labelledby=run]")).to_contain_text(
        "No room in this page for 4 of the pictures, clips and sounds."
    )


def test_names_of_files_are_searched(gallery: Gallery, open_page: Any) -> None:
    shapes_asked(gallery)
    shown = open_page(gallery.run())
    assert len(shown.list(q="B.PNG")) == 1
    assert len(shown.list(q="is it <b>red")) == 2
    assert shown.list(q="image") == []


# ---- prompts.jsonl, see test_kept_prompts.py


def test_media_are_kept_by_path_and_hash(gallery: Gallery, tmp_path_factory: pytest.TempPathFactory) -> None:
    project = gallery.project
    picture(gallery.media / "red.png", RED)
    gallery.ask_about({"id": "r", "file": "red.png"})
    gallery.run()
    run = project.folders[-1]
    line = json.loads((run / "prompts.jsonl").read_text())
    before, medium, after = line["pieces"]
    assert (before, after) == ("Look at this (r):", "Is it <b>red</b>?")
    assert (medium["kind"], medium["path"]) == ("image", "media/red.png")
    shutil.rmtree(project.path / "benchmarks")
    assert project.command("report", run.name) == 0
    (record,) = records(run, "media")
    assert record["pictures"]

    # A folder from elsewhere shows no file outside of the project, whatever path and hash it knows.
    outside = tmp_path_factory.mktemp("outside")
    shutil.copy(gallery.media / "red.png", outside / "private.png")
    foreign = project.path / "foreign"
    shutil.move(run, foreign)
    for path in (str(outside / "private.png"), f"../{outside.name}/private.png", "\0", "x" * 5000):
        (foreign / "prompts.jsonl").write_text(
            json.dumps({**line, "pieces": [before, {**medium, "path": path}, after]}) + "\n"
        )
        assert project.command("report", "foreign") == 0
        (record,) = records(foreign, "media")
        assert "pictures" not in record
        assert record["note"].startswith("no preview: ")


def test_a_medium_that_changed_is_not_shown(gallery: Gallery) -> None:
    project = gallery.project
    file = picture(gallery.media / "red.png", RED)
    gallery.ask_about({"id": "r", "file": "red.png"})
    gallery.run()
    Image.new("RGB", (10, 10)).save(file)
    shutil.rmtree(project.path / "benchmarks")
    assert project.command("report", project.folders[-1].name) == 0
    assert records(project.folders[-1], "media") == [{"note": "the file has changed"}]
