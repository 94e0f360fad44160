"""Files of responses whose entries are the data: a benchmark's own layout, read without a data file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from capitals import Project

MODULE = """
from proctor import Artifact, Placeholders, ResponseFiles, Sample, Score, Table, Task

def samples_of(row):
    kind = "cities" if "country" in row.data else "rivers"
    name = row.text("country" if kind == "cities" else "river")
    yield Sample(
        f"{kind}-{row.data['id']}" if "id" in row.data else row.content_id,
        {"entry": dict(row.data), "name": name},
        row.text("target"),
        metrics=("score", kind),
        tags={"kind": kind},
        id_may_repeat=True,
    )

def converse(sample, ask):
    return ask("atlas", name=sample.fields["name"])

def score(sample, response):
    value = float(sample.target in response)
    values = {"score": value, sample.tags["kind"]: value}
    return Score(response or None, values, values, parsed=bool(response))

def files(start, rows):
    return {
        f"atlas/{model}/{model}.jsonl": [
            {**row["fields"]["entry"], "response": row["response_text"]}
            for row in mine if row["response_text"] is not None
        ]
        for model, mine in rows.items()
    }

def wanted(start, rows):
    sums = {model: sum(row["scores"]["strict"]["score"] for row in mine) for model, mine in rows.items()}
    return {"atlas/score.json": sums}

def task(name, field):
    return Task(
        name=f"geo/{name}",
        samples_of=samples_of,
        prompts={"atlas": Placeholders("name")},
        converse=converse,
        score=score,
        metrics={"score": 0.0, "cities": 0.0, "rivers": 0.0},
        builtin={"oracle": lambda sample, generator: sample.target},
        response_files=ResponseFiles(
            ("c", "r"), ("response",), lambda row: row.text("response"), lambda row: field in row.data
        ),
        artifacts=(Artifact(files), Artifact(wanted, on_request=True)),
    )

ATLAS = task("atlas", "picture")
ATLAS_OLD = task("atlas_old", "engraving")

@ATLAS.cases
def test_atlas(case):
    case.measure()

@ATLAS_OLD.cases
def test_atlas_old(case):
    case.measure()
"""

CITIES = [
    {"id": "1", "picture": "1.png", "country": "France", "target": "Paris", "response": "It is Paris."},
    {"id": "2", "picture": "2.png", "country": "Perú", "target": "Lima", "response": "Cuzco, ¿no?"},
]
RIVERS = [{"picture": "1.png", "river": "the one in the picture", "target": "Nile", "response": "The Nile"}]


def as_lines(entries: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


@pytest.fixture
def atlas(project: Project) -> Project:
    project.module.with_name("test_atlas.py").write_text(MODULE)
    (project.path / "prompts/geo/atlas.txt").write_text("Where is {name}?")
    return project


def give(project: Project, folder: str, model: str, **texts: str) -> Path:
    place = project.path / "answers" / folder / model
    place.mkdir(parents=True, exist_ok=True)
    for suffix, text in texts.items():
        (place / f"{model}_{suffix}.jsonl").write_text(text)
    return place


def grade(project: Project, *args: str, folder: str = "answers") -> pytest.RunResult:
    return project.run("--responses", folder, *args, model=None)


def values(project: Project, task: str = "atlas") -> dict[str, float | None]:
    (found,) = [entry for entry in project.report["tasks"] if entry["task"] == task]
    return {name: families["strict"]["value"] for name, families in found["metrics"].items()}


@pytest.mark.parametrize(("folder", "named"), [("atlas", "answers"), ("", "answers"), ("atlas", "answers/atlas")])
def test_every_entry_is_a_case_in_both_layouts(atlas: Project, folder: str, named: str) -> None:
    give(atlas, folder, "eye 1.5", c=as_lines(CITIES), r=as_lines(RIVERS))
    result = grade(atlas, "-v", folder=named)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*test_atlas.py::test_atlas[[]eye 1.5-cities-1[]] CORRECT*"])
    assert len(atlas.rows) == 3
    assert atlas.rows["cities-2"]["response_text"] == "Cuzco, ¿no?"
    assert atlas.rows["cities-2"]["scores"]["strict"] == {"score": 0.0, "cities": 0.0}
    # Three of all, of which two cities and a river: 2/3, 1/2 and 1.
    assert values(atlas) == {"score": 2 / 3, "cities": 0.5, "rivers": 1.0}
    (task,) = atlas.report["tasks"]
    assert task["expected"] == 3
    assert task["metrics"]["cities"]["strict"]["n"] == 2


def test_a_list_over_several_lines_is_read_as_lines_are(atlas: Project) -> None:
    give(atlas, "atlas", "eye", c=json.dumps(CITIES, indent=4))
    assert grade(atlas).ret == 0
    assert values(atlas) == {"score": 0.5, "cities": 0.5, "rivers": None}


@pytest.mark.parametrize("text", [json.dumps(CITIES, indent=4).replace("\n", "\r\n"), as_lines(CITIES)])
def test_a_byte_order_mark_and_windows_line_ends_are_read(atlas: Project, text: str) -> None:
    place = give(atlas, "atlas", "eye", c="")
    (place / "eye_c.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert grade(atlas).ret == 0
    assert values(atlas)["cities"] == 0.5


def test_a_folder_of_another_tasks_name_is_not_this_tasks(atlas: Project) -> None:
    give(atlas, "atlas_old", "eye", c=as_lines(CITIES))
    result = grade(atlas)
    assert result.ret == 0
    assert [task["task"] for task in atlas.report["tasks"]] == ["atlas_old"]


def test_models_answer_the_same_data_though_their_files_differ(atlas: Project) -> None:
    better = [{**entry, "response": entry["target"]} for entry in CITIES]
    give(atlas, "atlas", "a", c=as_lines(CITIES), r=as_lines(RIVERS))
    give(atlas, "atlas", "b", c=as_lines(better))
    give(atlas, "atlas", "c", c=as_lines(better), r=as_lines(RIVERS))
    assert grade(atlas, "--model", "a", "--model", "c").ret == 0
    first, second = atlas.report["tasks"]
    assert first["data_sha256"] == second["data_sha256"]
    assert first["responses"]["sha256"] != second["responses"]["sha256"]
    compared = {c["metric"]: c for c in atlas.report["comparisons"] if c["family"] == "strict"}
    assert compared["cities"]["difference"] == 0.5
    grade(atlas)
    assert [(task["model"], task["expected"]) for task in atlas.report["tasks"]] == [("a", 3), ("b", 2), ("c", 3)]


def test_equal_ids_are_told_apart_and_missing_ones_come_from_the_content(atlas: Project) -> None:
    twice = [CITIES[0], {**CITIES[1], "id": "1"}]
    give(atlas, "atlas", "eye", c=as_lines(twice), r=as_lines(RIVERS))
    grade(atlas)
    ids = set(atlas.rows)
    give(atlas, "atlas", "eye", c=as_lines(list(reversed(twice))), r=as_lines([{**RIVERS[0], "response": "Danube"}]))
    grade(atlas)
    assert set(atlas.rows) == ids
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[\n" + json.dumps(CITIES[0]) + "\n" + json.dumps(CITIES[1]) + "\n]", "*eye_c.jsonl:2*neither a comma*"),
        ("[\n" + json.dumps(CITIES[0]) + ",\n{'a': 1}\n]", "*eye_c.jsonl:3*not JSON*"),
        (json.dumps(CITIES) + "\n{}\n", "*eye_c.jsonl:2*more stands behind the list*"),
        ("[]", "*eye_c.jsonl*the list is empty*"),
        ("[" + json.dumps(CITIES[0]), "*eye_c.jsonl:1*neither a comma*"),
        ("[" * 100_000, "*eye_c.jsonl:1*not JSON*"),
    ],
)
def test_what_cannot_be_used_is_named_before_the_first_case(atlas: Project, text: str, said: str) -> None:
    give(atlas, "atlas", "eye", c=text)
    result = grade(atlas)
    assert result.ret == 4
    (result.stderr if result.stderr.lines else result.stdout).fnmatch_lines([said])


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (json.dumps({**CITIES[1], "target": None}), "eye_c.jsonl:2: field 'target': must be a string"),
        ("3", "eye_c.jsonl:2: must be a JSON object (found 3)"),
        (json.dumps({**CITIES[1], "response": 3}), "eye_c.jsonl:2: field 'response': must be a string (found 3)"),
        (json.dumps({"id": "2", "country": "Peru", "target": "Lima"}), "eye_c.jsonl:2: field 'response': is missing"),
        (
            json.dumps({**CITIES[1], "country": "\ud800"}),
            "eye_c.jsonl:2: field 'country': holds half of a",
        ),
    ],
)
@pytest.mark.parametrize("form", ["%s\n%s\n", "[%s,\n%s\n]"])
def test_an_entry_that_cannot_be_used_costs_its_own_case(atlas: Project, form: str, bad: str, said: str) -> None:
    give(atlas, "atlas", "eye", c=form % (json.dumps(CITIES[0]), bad))
    assert grade(atlas).ret == 1
    good, unusable = atlas.rows.values()
    assert good["status"] == "scored"
    assert unusable["status"] == "error"
    assert said in unusable["error"]
    assert unusable["response_text"] is None


def test_the_same_task_is_asked_from_its_data_file_and_writes_files_that_can_be_graded(atlas: Project) -> None:
    data = [{name: value for name, value in entry.items() if name != "response"} for entry in (*CITIES, *RIVERS)]
    for name in ("atlas", "atlas_old"):
        (atlas.path / f"data/geo/{name}.jsonl").write_text(as_lines(data))
    assert atlas.run("benchmarks/geo/test_atlas.py", "-k", "test_atlas and not old", model="oracle").ret == 0
    assert values(atlas) == {"score": 1.0, "cities": 1.0, "rivers": 1.0}
    written = atlas.folders[-1] / "atlas/oracle/oracle.jsonl"
    entries = [json.loads(line) for line in written.read_text().splitlines()]
    assert entries == [{**entry, "response": entry["target"]} for entry in data]
    assert not (atlas.folders[-1] / "atlas/score.json").exists()
    assert atlas.command("export", atlas.folders[-1].name, "--output", "out") == 0
    assert json.loads((atlas.path / "out/atlas/score.json").read_text()) == {"oracle": 3.0}
    # What was written may be graded, as from anyone else.
    give(atlas, "atlas", "mine", c=written.read_text())
    assert grade(atlas).ret == 0
    assert values(atlas) == {"score": 1.0, "cities": 1.0, "rivers": 1.0}


def test_a_run_on_entries_can_be_scored_again_merged_and_exported(
    atlas: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    place = give(atlas, "atlas", "eye", c=as_lines(CITIES), r=as_lines(RIVERS))
    grade(atlas)
    run = atlas.folders[-1].name
    assert atlas.command("rescore", run) == 0
    assert atlas.command("report", run) == 0
    assert atlas.command("export", run, "--layout", "entry", "--output", "out") == 0
    lines = [json.loads(line) for line in (atlas.path / "out/eye/atlas.jsonl").read_text().splitlines()]
    assert lines == [*CITIES, *RIVERS]
    capsys.readouterr()
    (place / "eye_r.jsonl").write_text(as_lines([{**RIVERS[0], "river": "another"}]))
    assert atlas.command("rescore", run) == 1
    assert "has changed since the run" in capsys.readouterr().out


def test_shards_and_workers_share_the_entries(atlas: Project) -> None:
    give(atlas, "atlas", "eye", c=as_lines(CITIES), r=as_lines(RIVERS))
    counts = []
    for shard in ("1/2", "2/2"):
        grade(atlas, "--shard", shard)
        counts.append(len(atlas.rows))
    assert sum(counts) == 3
    result = grade(atlas, "-n", "2")
    assert result.ret == 0
    assert len(atlas.rows) == 3
    assert (atlas.folders[-1] / "atlas/eye/eye.jsonl").exists()


def test_a_model_that_is_named_and_has_answered_nothing_is_said(atlas: Project) -> None:
    give(atlas, "atlas", "eye", c=as_lines(CITIES))
    result = grade(atlas, "--model", "eye", "--model", "ear")
    assert result.ret == 4
    (result.stderr if result.stderr.lines else result.stdout).fnmatch_lines(["*no responses of ear*"])


def test_nothing_read_is_no_success(atlas: Project) -> None:
    place = give(atlas, "atlas", "eye", c=as_lines(CITIES))
    result = grade(atlas, "--model", "ear")  # alone: no case is left that could fail
    assert result.ret == 4
    assert "no responses of ear" in result.stdout.str() + result.stderr.str()
    (place / "eye_c.jsonl").rename(place / "eye-c.jsonl")
    result = grade(atlas)
    assert result.ret == 4
    assert "no collected test reads answers/atlas/eye/eye-c.jsonl" in result.stdout.str() + result.stderr.str()


def test_files_that_nothing_reads_are_named(atlas: Project) -> None:
    place = give(atlas, "atlas", "eye", c=as_lines(CITIES))
    (place / "eye_mc.jsonl").write_text(as_lines(RIVERS))
    give(atlas, "", "eye", r=as_lines([{"unknown": 1}]))
    result = grade(atlas)
    assert result.ret == 0
    (warning,) = [line for line in result.outlines if line.startswith("WARNING")]
    assert "no collected test reads answers/atlas/eye/eye_mc.jsonl, answers/eye/eye_r.jsonl" in warning


def test_a_model_that_nobody_named_may_have_answered_other_tasks_alone(atlas: Project) -> None:
    give(atlas, "atlas", "eye", c=as_lines(CITIES))
    give(atlas, "elsewhere", "ear", c=as_lines(CITIES))
    assert grade(atlas).ret == 0
    assert [task["model"] for task in atlas.report["tasks"]] == ["eye"]


def test_shards_of_models_that_answered_different_entries_are_merged(atlas: Project) -> None:
    give(atlas, "atlas", "a", c=as_lines(CITIES), r=as_lines(RIVERS))
    give(atlas, "atlas", "b", c=as_lines(CITIES[:1]))
    assert grade(atlas).ret == 0
    whole = atlas.report["tasks"]
    for shard in ("1/2", "2/2"):
        grade(atlas, "--shard", shard)
    runs = [folder.name for folder in atlas.folders[-2:]]
    assert atlas.command("report", *runs, "--output", "merged") == 0
    merged = json.loads((atlas.path / "merged/report.json").read_text())["tasks"]
    assert [(t["model"], t["expected"], t["metrics"]) for t in merged] == [
        (t["model"], t["expected"], t["metrics"]) for t in whole
    ]
    give(atlas, "atlas", "b", c=as_lines(CITIES[1:]))
    grade(atlas)
    assert atlas.command("report", runs[0], atlas.folders[-1].name, "--output", "never") == 4  # other entries of b


def test_folders_of_an_alias_and_of_its_api_id_are_two_models(atlas: Project) -> None:
    (atlas.path / "models.yaml").write_text(
        "providers:\n  here: {api: openai-chat, base_url: http://127.0.0.1:9/v1}\n"
        "models:\n  eye: {provider: here, api_id: eye-2024}\n"
    )
    give(atlas, "atlas", "eye", c=as_lines(CITIES))
    give(atlas, "atlas", "eye-2024", c=as_lines(CITIES[:1]))
    assert grade(atlas).ret == 0
    assert [(task["model"], task["expected"]) for task in atlas.report["tasks"]] == [("eye", 2), ("eye-2024", 1)]


def test_a_task_whose_entries_hold_several_samples_is_refused(atlas: Project) -> None:
    module = atlas.module.with_name("test_atlas.py")
    twice = module.read_text().replace(
        "    kind = ", "    if 'id' in row.data: yield Sample('again', {}, '')\n    kind = ", 1
    )
    module.write_text(twice)
    give(atlas, "atlas", "eye", c=as_lines(CITIES[:1]))
    result = grade(atlas)
    assert result.ret == 4
    said = result.stderr if result.stderr.lines else result.stdout
    said.fnmatch_lines(["*answers/atlas/eye*1 entries hold 2 samples; each must hold one*"])
