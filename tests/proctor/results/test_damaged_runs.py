"""Folders of runs with every kind of damage: each command ends with a message, and never with a traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from capitals import Project
from measured_runs import write_run

from proctor.cli.main import main

HOSTILE = "\x1b]0;x\x07\u202e\u009b31m"
"""Sets a terminal's title, turns the direction of writing, and colours."""


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


VALUES: tuple[Any, ...] = (
    *(None, True, -1, 1.5, 10**400, 1e308, "", "x", HOSTILE, "\ud800", "../../x", [], {}, [[]], {"a": None}),
    nested(300),
)
DELETED = object()
STEP = 13
"""Every 13th damage, with one command after the other: neither 13 nor 3 divides the 17 values that each place takes."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places in a JSON value; of a list, those in its first part."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places(part, (*path, name))


def with_value(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    content = copy.deepcopy(content)
    parent = content
    for name in path[:-1]:
        parent = parent[name]
    if value is DELETED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return content


def damaged_bytes(content: bytes) -> Iterator[bytes]:
    generator = random.Random(7)
    yield from (b"", b"\0" * 100, b"[]", b"null", b"1", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000)
    yield from (content[: int(len(content) * share)] for share in (0.1, 0.5, 0.9, 0.99))
    yield from (content.replace(b"e", b"\xe9", 3), content.decode().encode("utf-16"), b"\xef\xbb\xbf" + content)
    yield content.replace(b":0.0", b":NaN")
    for _ in range(20):
        place = generator.randrange(len(content))
        yield content[:place] + bytes([generator.randrange(256)]) + content[place + 1 :]


def mutations(run: Path) -> Iterator[tuple[str, bytes]]:
    """The name of a file in the run's folder, and what is in it instead."""
    for name in ("selection.json", "results.jsonl", "report.json"):
        whole = (run / name).read_bytes()
        yield from ((name, content) for content in damaged_bytes(whole))
        first, end, rest = whole.partition(b"\n") if name == "results.jsonl" else (whole, b"", b"")
        content = json.loads(first)
        for path in places(content):
            for value in (*VALUES, *([DELETED] if path else [])):
                yield name, json.dumps(with_value(content, path, value)).encode() + end + rest


def test_a_damaged_run_ends_every_command_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = write_run(tmp_path / "whole", {"m": {"a-1": 1, "a-2": 0.5}, "n": {"a-1": 0, "b-1": "error"}})
    run = write_run(tmp_path / "run", {"m": {"a-1": 1, "a-2": 0.5}, "n": {"a-1": 0, "b-1": "error"}})
    main(["report", str(whole)])
    main(["report", str(run)])
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    commands = cycle([["report", "run"], ["compare", "whole", "run"], ["export", "run", "--output", "out"]])
    chosen = list(mutations(run))[::STEP]
    assert len(chosen) > 100
    for (name, content), command in zip(chosen, commands, strict=False):
        for there, former in before.items():
            (run / there).write_bytes(former)
        (run / name).write_bytes(content)
        capsys.readouterr()
        code = main(command)
        said = capsys.readouterr()
        assert code in ((0, 4) if command[0] == "compare" else (0, 1, 4)), (name, content[-300:])
        assert said.err.startswith("ERROR: ") == (code == 4), (name, content[-300:])
        assert not set(HOSTILE[:1] + "\x07\u202e\u009b") & set(said.out + said.err)
        assert not set("\x1b\u202e\u009b") & set((run / "report.md").read_text())
    assert {file.name for file in tmp_path.iterdir()} <= {"whole", "run", "out"}


def test_commands_that_score_again_meet_damage_too(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.record()
    run = project.folders[-1]
    before = {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()}
    commands = cycle([["rescore", run.name], ["export", run.name, "--layout", "entry", "--output", "out"]])
    for (name, content), command in zip(list(mutations(run))[:: 7 * STEP], commands, strict=False):
        (run / name).write_bytes(content)
        capsys.readouterr()
        code = project.command(*command)
        assert code in (0, 1, 4)
        assert capsys.readouterr().err.startswith("ERROR: ") == (code == 4)
        (run / name).write_bytes(before[name])


@pytest.mark.parametrize("name", ["results.jsonl", "report.json", "report.md", ".report.json.tmp", "responses"])
def test_a_link_that_leads_out_of_the_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    run = write_run(tmp_path / "run", {"m": {"a-1": 1}})
    target = tmp_path / "target"
    target.write_text("mine")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(target)
    for command in ("report", "export"):
        assert main([command, "run"]) == 4
        assert f"{Path('run') / name}: is a link that leads out of the run's folder" in capsys.readouterr().err
    assert target.read_text() == "mine"


@pytest.mark.parametrize("run_id", ["../elsewhere", "/tmp/elsewhere", ".", "..", "", "a/b", "a\0b", "a" * 300])
def test_the_id_of_a_run_is_not_taken_for_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run_id: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run = write_run(tmp_path / "here/run", {"m": {"a-1": 1}})
    manifest = json.loads((run / "selection.json").read_text())
    part = {**manifest["run"], "id": run_id, "models": ["m"]}
    for changed in ({"merged": [part]}, {"id": run_id}):
        (run / "selection.json").write_text(json.dumps({**manifest, "run": {**manifest["run"], **changed}}))
        assert main(["report", "run"]) == 4
        assert "is not the id of a run" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["here"]


def test_a_damaged_baseline_is_said_before_the_first_case(project: Project) -> None:
    project.run(model="oracle")
    rows = project.folders[-1] / "results.jsonl"
    first, *others = rows.read_text().splitlines(keepends=True)
    rows.write_text(json.dumps({**json.loads(first), "scores": {}}) + "\n" + "".join(others))
    result = project.run("--baseline", project.folders[-1].name, model="oracle")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *results.jsonl:1: field 'scores.official': is missing"])
    assert len(project.folders) == 1


def test_names_with_control_characters_are_shown_safely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"a{HOSTILE}-1"
    for run in ("one", "two"):
        write_run(tmp_path / run, {f"m{HOSTILE}": {name: 1, "b-1": "missing"}, "n": {name: "error", "b-2": 0}})
    for command in (
        ["report", "one"], ["report", "one", "two"], ["compare", "one", "two"], ["compare", "one", "--json"],
        ["export", "one"], ["rescore", "one"], ["report", f"no{HOSTILE}"],
    ):  # fmt: skip
        main(command)
        said = capsys.readouterr()
        assert said.out + said.err
        assert not {"\x1b", "\x07", "\u202e", "\u009b"} & set(said.out + said.err)
        if "--json" in command:
            assert f"m{HOSTILE}" in {entry["a"]["model"] for entry in json.loads(said.out)["pairings"]} | {
                entry["b"]["model"] for entry in json.loads(said.out)["pairings"]
            }
