"""Recordings that a run had no use for: which are named, which are removed, and which are kept."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from capitals import CAPITALS, Project

FILE = "cassettes/geo/capitals/gpt-4o-mini.jsonl"
REPLAY = "Replay with --prune to remove them, unless runs with other data or parameters need them."


def change_prompt(project: Project) -> None:
    project.prompt.write_text("Capital of {country}?")


def drop_rows(project: Project, *names: str) -> None:
    rows = [json.loads(line) for line in project.data.read_text().splitlines()]
    project.write_rows([row for row in rows if row["country"] not in names])


def ask_twice(project: Project, role: str) -> None:
    question = 'ask("capitals", country=sample.fields["country"])'
    project.benchmark(converse=f'reply = {question}\nask("capitals", role="{role}", country="Mali")\nreturn reply')


def samples(project: Project) -> list[str]:
    return [json.loads(line)["sample"] for line in project.cassette.read_text().splitlines()]


def cassette_report(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = project.report["tasks"][0]["cassette"]
    return {name: found[name] for name in ("stale", "unused", "pruned")}


def test_nothing_is_said_where_every_recording_is_used(project: Project) -> None:
    project.record()
    result = project.run()
    result.stdout.no_fnmatch_line("*prune*")
    assert cassette_report(project) == {"stale": [], "unused": [], "pruned": 0}


def test_each_call_of_a_case_is_in_its_row(project: Project) -> None:
    ask_twice(project, "judge")
    project.record("-k", "France")
    recorded = project.rows["France"]["calls"]
    assert [(call["role"], call["turn"], call["source"]) for call in recorded] == [
        ("answer", 0, "recorded"),
        ("judge", 0, "recorded"),
    ]
    assert recorded[0]["key"] == project.rows["France"]["request_key"]
    lines = [json.loads(line) for line in project.cassette.read_text().splitlines()]
    assert [call["key"] for call in recorded] == [line["key"] for line in lines]
    project.run("-k", "Japan")
    assert [(call["role"], call["source"]) for call in project.rows["Japan"]["calls"]] == [("answer", None)]


def test_recordings_of_a_changed_prompt_are_stale_and_pruned_once_recorded_anew(project: Project) -> None:
    project.record()
    change_prompt(project)
    result = project.run("--record-mode", "new_episodes")
    result.stdout.fnmatch_lines(
        [
            f"{FILE}: 5 stale recordings (the call has changed since): "
            "Cuba/answer, France/answer, Japan/answer, Kenya/answer, Peru/answer",
            REPLAY,
        ]
    )
    names = ["Cuba/answer", "France/answer", "Japan/answer", "Kenya/answer", "Peru/answer"]
    assert cassette_report(project) == {"stale": names, "unused": [], "pruned": 0}
    lines = project.cassette.read_text().splitlines()
    used = {row["request_key"] for row in project.rows.values()}

    result = project.run("--prune")
    result.stdout.fnmatch_lines([f"{FILE}: removed 5 stale recordings (the call has changed since): Cuba/answer, *"])
    assert cassette_report(project) == {"stale": names, "unused": [], "pruned": 5}
    assert project.cassette.read_text().splitlines() == [line for line in lines if json.loads(line)["key"] in used]
    assert project.run("--prune").ret == 0
    assert project.server.count == 10


def test_at_most_five_names_are_shown(project: Project) -> None:
    project.write_rows([{"country": country, "capital": capital} for country, capital in CAPITALS.items()])
    project.record()
    change_prompt(project)
    result = project.run("--record-mode", "new_episodes")
    result.stdout.fnmatch_lines(["*6 stale recordings*: *, Kenya/answer, Mali/answer, … (1 more in report.json)"])


def test_a_stale_recording_is_kept_while_its_case_ends_in_an_error(project: Project) -> None:
    project.record()
    before = project.cassette.read_bytes()
    change_prompt(project)
    result = project.run("--prune", "-k", "France or Peru")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"{FILE}: 2 stale recordings (*--prune keeps it): France/answer, Peru/answer"])
    assert project.cassette.read_bytes() == before
    assert cassette_report(project) == {"stale": ["France/answer", "Peru/answer"], "unused": None, "pruned": 0}


def test_a_full_run_finds_the_recordings_of_samples_that_are_gone(project: Project) -> None:
    project.record()
    drop_rows(project, "Peru")
    result = project.run()
    result.stdout.fnmatch_lines([f"{FILE}: 1 unused recording (the call is no longer made): Peru/answer", REPLAY])
    assert cassette_report(project) == {"stale": [], "unused": ["Peru/answer"], "pruned": 0}
    project.run("--prune")
    assert samples(project) == ["Cuba", "France", "Japan", "Kenya"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["-k", "Japan or Cuba"], "it selected 2 of 4 samples"),
        (["--limit", "3"], "it selected 3 of 4 samples"),
        (["benchmarks/geo/test_capitals.py::test_capitals[[]gpt-4o-mini-Cuba]"], "it selected 1 of 4 samples"),
        (["--dataset", "geo/capitals=data/geo/capitals.jsonl"], "it used data/geo/capitals.jsonl"),
        (["--fail-on", "incorrect", "-x"], "3 of its cases never finished"),
    ],
)
def test_a_partial_run_removes_stale_recordings_but_none_that_it_merely_did_not_use(
    project: Project, args: list[str], why: str
) -> None:
    project.server.script = "[Rome]"
    project.record()
    drop_rows(project, "Peru")
    before = project.cassette.read_bytes()
    result = project.run("--prune", *[arg.replace("[[]", "[") for arg in args])
    result.stdout.fnmatch_lines(
        [f"{FILE}: unused recordings are kept: the run does not tell which they are, since {why}"]
    )
    assert cassette_report(project) == {"stale": [], "unused": None, "pruned": 0}
    assert project.cassette.read_bytes() == before


@pytest.mark.parametrize(
    ("option", "args"),
    [
        ("--temperature", ["--temperature", "0.7"]),
        ("--max-tokens", ["--max-tokens", "7"]),
        ("--model-param", ["--model-param", "top_p=0.5"]),
        ("--prompts-dir", ["--prompts-dir", "other/prompts"]),
        ("--dataset", ["--dataset", "geo/capitals=other/capitals.jsonl"]),
    ],
)
def test_a_run_with_other_calls_of_its_own_keeps_the_recordings_of_runs_without(
    project: Project, option: str, args: list[str]
) -> None:
    project.record()
    (project.path / "other/prompts/geo").mkdir(parents=True)
    (project.path / "other/prompts/geo/capitals.txt").write_text("Capital of {country}?\n")
    (project.path / "other/capitals.jsonl").write_text(project.data.read_text())
    if option == "--dataset":  # the same samples, asked in other words
        change_prompt(project)
    result = project.run("--record-mode", "new_episodes", *args)
    result.stdout.fnmatch_lines(
        [f"{FILE}: 5 stale recordings (a run without {option} may need it; --prune keeps it): Cuba/answer, *"]
    )
    result.stdout.no_fnmatch_line(REPLAY)
    before = project.cassette.read_bytes()
    assert project.run("--prune", *args).ret == 0
    assert cassette_report(project)["pruned"] == 0
    assert project.cassette.read_bytes() == before


def test_a_call_that_the_conversation_no_longer_makes_is_unused(project: Project) -> None:
    ask_twice(project, "answer")
    project.record("--limit", "2")
    project.benchmark()
    drop_rows(project, "Peru", "Kenya", "Cuba")
    project.run("--prune")
    assert cassette_report(project) == {"stale": [], "unused": ["France/answer-2", "Japan/answer-2"], "pruned": 2}
    assert samples(project) == ["France", "Japan"]


def test_what_a_case_would_have_asked_after_an_error_is_not_unused(project: Project) -> None:
    ask_twice(project, "judge")
    project.record()
    lines = project.cassette.read_text().splitlines(keepends=True)
    project.cassette.write_text(
        "".join(line for line in lines if '"sample":"Cuba","epoch":1,"role":"answer"' not in line)
    )
    assert project.run("--prune").ret == 1
    assert cassette_report(project) == {"stale": [], "unused": [], "pruned": 0}
    assert samples(project).count("Cuba") == 1


def test_recordings_of_further_epochs_are_not_unused_in_a_run_of_one(project: Project) -> None:
    project.record("--epochs", "2")
    project.run("--prune")
    assert cassette_report(project) == {"stale": [], "unused": [], "pruned": 0}
    drop_rows(project, "Peru")
    project.run("--prune", "--epochs", "2")
    assert cassette_report(project) == {"stale": [], "unused": ["Peru/answer", "Peru-epoch2/answer"], "pruned": 2}


def test_a_recording_that_another_run_makes_meanwhile_is_no_leftover(project: Project) -> None:
    project.record()
    lines = project.cassette.read_bytes().splitlines()
    text = json.dumps({**json.loads(lines[1]), "recorded_at": "2999-01-01T00:00:00.000Z"}, separators=(",", ":"))
    body = text[: text.rindex(',"check"')].encode()
    lines[1] = body + b',"check":"%08x"}' % zlib.crc32(body)
    project.cassette.write_bytes(b"\n".join(lines) + b"\n")
    change_prompt(project)
    project.run("--record-mode", "new_episodes", "--prune")
    assert cassette_report(project)["pruned"] == 4
    assert lines[1] in project.cassette.read_bytes().splitlines()


def test_workers_find_and_remove_the_same_as_one_process_and_leave_the_same_order(project: Project) -> None:
    project.record()
    change_prompt(project)
    project.run("--record-mode", "new_episodes", "-k", "Japan or Cuba")
    project.prompt.write_text("What is the capital of {country}?\n")
    project.write_rows(
        [{"country": country, "capital": CAPITALS[country]} for country in CAPITALS if country != "Peru"]
    )
    expected = {"stale": ["Cuba/answer", "Japan/answer"], "unused": ["Peru/answer"]}
    project.run("--record-mode", "new_episodes")
    assert cassette_report(project) == {**expected, "pruned": 0}
    lines = project.cassette.read_bytes().splitlines(keepends=True)
    project.cassette.write_bytes(b"".join(line for line in lines if b'"Mali"' not in line))
    result = project.run("-n", "2", "--record-mode", "new_episodes", "--prune")
    assert result.ret == 0
    assert cassette_report(project) == {**expected, "pruned": 3}
    assert str(result.stdout).count("removed 2 stale recordings") == 1
    assert samples(project) == ["Cuba", "France", "Japan", "Kenya", "Mali"]


def test_a_cassette_that_cannot_be_pruned_fails_the_run_but_not_the_report(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.record()
    drop_rows(project, "Peru")

    def refuse(file: object, lines: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("proctor.run.pruning.remove_lines", refuse)
    result = project.run("--prune")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["recordings could not be brought into order: *Permission denied*"])
    assert project.report["tasks"][0]["status"]["scored"] == 4


def test_prune_excludes_disable_recording(project: Project) -> None:
    result = project.run("--prune", "--disable-recording")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --prune and --disable-recording exclude each other"])


def test_a_built_in_model_has_no_recordings_to_prune(project: Project) -> None:
    assert project.run("--prune", model="oracle").ret == 0
    assert cassette_report(project) == {"stale": [], "unused": None, "pruned": 0}


def test_a_miss_shows_how_the_prompt_changed_where_the_old_one_is_stored(project: Project) -> None:
    project.record("--record-prompts", "-k", "France")
    change_prompt(project)
    result = project.run("-k", "France")
    result.stdout.fnmatch_lines(
        [
            "*changed since then: prompt template",
            "    --- recorded prompt",
            "    +++ new prompt",
            "    -What is the capital of France?",
            "    +Capital of France?",
            "  Record anew what has changed: pytest *",
        ]
    )
