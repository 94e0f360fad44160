"""``--official``: runs on published data and prompts."""

from __future__ import annotations

import os

import pytest
from capitals import Project
from file_server import FileServer
from published import DATA, PLACE, PROMPT, PROMPT_ENTRY, catalogue, publish, pull, sha256
from stub_server import StubServer


def test_official_runs_the_published_data_and_prompt(home: Project, publisher: FileServer) -> None:
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}") + PROMPT_ENTRY)
    assert pull() == 0
    with StubServer("[Suva]") as model:
        os.environ["OPENAI_BASE_URL"] = model.openai_url  # restored with the rest of the environment by the fixture
        ended = home.record("--official")
    ended.assert_outcomes()
    ended.stdout.fnmatch_lines(["*1 correct*"])
    assert {request.question for request in model.requests} == {
        f"Official: which city is the capital of {country}?" for country in ("Chad", "Fiji", "Oman", "Togo")
    }
    (task,) = home.report["tasks"]
    assert task["data_file"] == str(PLACE)
    assert task["data_sha256"] == sha256(DATA)
    assert task["prompt_sha256"] == {"capitals": sha256(PROMPT)}


def test_official_data_with_prompts_of_ones_own(home: Project, publisher: FileServer) -> None:
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}") + PROMPT_ENTRY)
    pull()
    assert home.run("--official", "--prompts-dir=prompts", model="oracle").ret == 0
    assert home.report["tasks"][0]["prompt_sha256"] == {"capitals": sha256(home.prompt.read_bytes())}
    assert home.run("--official", f"--dataset=geo/capitals={home.data}", model="oracle").ret == 0
    assert home.report["tasks"][0]["data_file"] == "data/geo/capitals.jsonl"


def test_official_without_the_files_names_the_command(home: Project) -> None:
    ended = home.run("--official", model="oracle")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(
        ["*--official: set/data.jsonl of Capitals of the world is not here*", "*proctor pull geo"]
    )


def test_official_refuses_a_file_that_was_edited(home: Project) -> None:
    pull()
    PLACE.write_bytes(DATA.replace(b"Suva", b"Nadi"))
    ended = home.run("--official", model="oracle")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(
        ["*this is not set/data.jsonl as published: SHA-256 *", "*Fetch it again: proctor pull geo*"]
    )


def test_official_where_nothing_is_published(home: Project) -> None:
    (home.path / "benchmarks/geo/official.yaml").unlink()
    ended = home.run("--official", model="oracle")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*--official: nothing is published for the collected tests*"])


def test_a_run_on_official_files_calls_no_other_recording_unused(home: Project) -> None:
    home.record()
    pull()
    with StubServer("[Suva]") as model:
        os.environ["OPENAI_BASE_URL"] = model.openai_url
        ended = home.record("--official", "--prune")
    assert ended.ret == 0
    assert len(home.cassette.read_text().splitlines()) == 5 + 4


RIVERS_ENTRY = f"""  - path: set/rivers.jsonl
    task: rivers
    sha256: "{sha256(b"other")}"
"""


@pytest.fixture
def two_tasks(home: Project, publisher: FileServer) -> Project:
    """A benchmark of two tasks, and a folder that has the published data and prompt of one of them."""
    publish(home, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}") + PROMPT_ENTRY + RIVERS_ENTRY)
    home.second_benchmark("rivers")
    (home.path / "clone").mkdir()
    (home.path / "clone/data.jsonl").write_bytes(DATA)
    (home.path / "clone/prompt one.txt").write_bytes(PROMPT)
    return home


def test_of_a_folder_with_some_files_these_are_taken_and_run(
    two_tasks: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pull("--from", "clone") == 0
    said = capsys.readouterr().out
    assert "  rivers.jsonl: left out: clone has neither set/rivers.jsonl nor rivers.jsonl" in said
    assert "2 of 3 files are here. Run the tasks that they are enough for:" in said
    for workers in ("0", "2"):
        ended = two_tasks.run("--official", "-n", workers, model="oracle")
        assert ended.ret == 0
        warning = "WARNING: left out: geo/rivers: --official: set/rivers.jsonl of Capitals of the world is not here"
        told = str(ended.stdout) + str(ended.stderr)
        assert workers == "2" or told.count(warning) == 1
        assert [task["task"] for task in two_tasks.report["tasks"]] == ["capitals"]
        [lacking] = two_tasks.report["run"]["left_out"]
        assert (lacking["task"], lacking["model"]) == ("geo/rivers", "")
        assert lacking["why"].endswith("of Capitals of the world is not here (data/official/geo/rivers.jsonl)")
        assert two_tasks.report["tasks"][0]["expected"] == 4


def test_a_task_whose_prompt_is_not_here_is_left_out_too(two_tasks: Project) -> None:
    (two_tasks.path / "clone/prompt one.txt").unlink()
    assert pull("--from", "clone") == 0
    ended = two_tasks.run("--official", model="oracle")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*--official: set/prompt one.txt of Capitals of the world is not here*"])
    assert two_tasks.run("--official", "--prompts-dir=prompts", model="oracle").ret == 0


def test_a_file_that_is_not_the_published_one_is_no_file_that_is_lacking(two_tasks: Project) -> None:
    assert pull("--from", "clone") == 0
    (two_tasks.path / "data/official/geo/rivers.jsonl").write_bytes(b"others")
    assert pull("--from", "clone") == 1
    ended = two_tasks.run("--official", model="oracle")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines(["*this is not set/rivers.jsonl as published*"])
