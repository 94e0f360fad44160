"""``--official``: runs on published data and prompts."""

from __future__ import annotations

import os

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
