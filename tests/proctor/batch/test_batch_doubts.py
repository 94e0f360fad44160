"""``proctor batch``: while nobody knows what became of a batch, nothing is forgotten, sent again, or taken for ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from batches import CLAUDE, FIVE, fetch, lines_of, samples, submit
from capitals import Project, answers

from proctor.cli.main import main

BOTH = ["gpt-4o-mini", CLAUDE]


def states(project: Project) -> list[Path]:
    return sorted((project.path / ".proctor/batches").glob("*.json"))


def lose() -> None:
    """The connection is lost after the batch was made."""


# ---- was it handed over?


def test_two_lost_batches_of_one_size_are_not_taken_for_one_another(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "anthropic/claude-other"
    provider.faults = [lose, lose]
    assert submit("--model", other, model=CLAUDE) == 1
    assert main(["batch", "status"]) == 1
    out = capsys.readouterr().out
    assert out.count("not known: it may be msgbatch_1 or msgbatch_0, which tells when it has ended") == 2
    provider.end()
    assert fetch() == 0
    assert len(provider.batches) == 2
    recorded = [file.read_text().splitlines() for file in (project.path / "cassettes").rglob("*.jsonl")]
    assert [samples(map(json.loads, lines)) for lines in recorded] == [FIVE, FIVE]


def test_a_later_batch_of_somebody_else_is_not_taken_for_ours(project: Project, provider: BatchServer) -> None:
    provider.faults = [lose]
    submit(model=CLAUDE)
    foreign = [{"custom_id": f"theirs-{number}", "params": {"messages": [{"content": "Peru"}]}} for number in range(5)]
    provider.make_anthropic({"requests": foreign})
    assert main(["batch", "status"]) == 1
    provider.end()
    assert fetch() == 0
    assert samples(lines_of(project, CLAUDE)) == FIVE


@pytest.mark.parametrize(
    "instead", [(400, b"{}"), (404, b"{}"), (500, b"{}"), (200, b""), (200, b"{cut\n"), (200, b"[]\n")]
)
def test_results_that_cannot_be_looked_into_leave_it_open(
    instead: tuple[int, bytes], project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.providers.batch.anthropic.RETRIES", 0)
    provider.faults = [lose]
    submit(model=CLAUDE)
    provider.end()
    provider.instead = {"/results": instead}
    gone = instead[0] in (400, 404)  # they are kept for a month only
    assert main(["batch", "status"]) == (0 if gone else 1)
    assert len(states(project)) == (0 if gone else 1)


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"\xff",
        b"{}",
        b'{"data": [null]}',
        b'{"data": [{"id": "x", "created_at": "2099-01-01T00:00:00Z", "metadata": "m"}], "has_more": true}',
    ],
)
def test_a_list_of_batches_that_is_none_leaves_it_open(
    page: bytes, model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [lose]
    submit(model=model)
    provider.instead = {"batches": (200, page)}
    assert main(["batch", "status"]) == 1
    assert "not known: malformed answer: " in capsys.readouterr().out
    provider.instead = {}
    provider.end()
    assert fetch() == 0
    assert samples(lines_of(project, model)) == FIVE


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("reply", [b"", b"{}", b'{"id": 5}'])
def test_a_reply_without_an_id_leaves_it_open(
    reply: bytes, model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [reply]
    assert submit(model=model) == 1
    assert "whether 5 calls were accepted is not known: malformed answer: " in capsys.readouterr().out
    provider.end()
    assert fetch() == 0
    assert len(provider.batches) == 1
    assert samples(lines_of(project, model)) == FIVE


@pytest.mark.parametrize("model", BOTH)
def test_a_clock_that_was_ahead_hides_no_batch(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [lose]
    submit(model=model)
    for batch in provider.batches:
        batch.created -= 5 * 3600
    provider.end()
    assert fetch() == 0
    assert len(provider.batches) == 1
    assert samples(lines_of(project, model)) == FIVE


# ---- another endpoint, another key, another model


@pytest.mark.parametrize("faults", [[], [lose]], ids=["handed over", "in doubt"])
def test_another_endpoint_is_not_asked(
    faults: list[Any],
    project: Project,
    provider: BatchServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    provider.faults = faults
    submit()
    with BatchServer(answers) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.openai_url)
        assert main(["batch", "status"]) == 1
        assert fetch() == 1
        assert f"it was prepared for {provider.openai_url}/chat/completions, but" in capsys.readouterr().out
        assert submit() == 0
        assert (other.paths, other.batches) == ([], [])
    monkeypatch.setenv("OPENAI_BASE_URL", provider.openai_url)
    provider.end()
    assert fetch() == 0
    assert len(provider.batches) == 1
    assert samples(lines_of(project)) == FIVE


def test_what_cannot_be_reached_does_not_keep_back_the_rest(
    project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(model=CLAUDE)
    submit(model="o1-pro")
    submit()
    provider.end()
    (gone,) = (file for file in states(project) if json.loads(file.read_text())["model"] == "o1-pro")
    gone.write_text(gone.read_text().replace("o1-pro", "removed-model"))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    assert fetch() == 1
    out = capsys.readouterr().out
    assert f"{CLAUDE}  msgbatch_0  not known: model {CLAUDE} needs an API key" in out
    assert "removed-model  batch_1  not known: unknown model 'removed-model'" in out
    assert samples(lines_of(project)) == FIVE


# ---- what a provider says of a batch


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("said", [b"{}", b'{"status": null, "processing_status": 5}'])
def test_a_batch_without_a_state_is_not_known(
    said: bytes, model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(model=model)
    provider.instead = {"batch_0": (200, said)}
    assert main(["batch", "status"]) == fetch() == 1
    assert capsys.readouterr().out.count("batch_0  not known: malformed answer: ") == 2


@pytest.mark.parametrize("model", BOTH)
def test_counts_and_problems_that_are_none_are_left_out(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(model=model)
    said = {"status": "completed", "processing_status": "ended", "request_counts": {"total": "x", "succeeded": "x"}}
    provider.instead = {"batch_0": (200, json.dumps({**said, "errors": {"data": 5}}).encode())}
    assert main(["batch", "status"]) == 0
    assert "fetch it" in capsys.readouterr().out


@pytest.mark.parametrize("model", BOTH)
def test_results_that_are_cut_short_are_fetched_again(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(model=model)
    provider.end()
    provider.result_lines = lambda lines: lines[:2]
    assert fetch() == 1
    assert "not fetched: of 5 answers the results have 2; what has come is recorded" in capsys.readouterr().out
    provider.result_lines = lambda lines: lines
    assert submit(model=model) == 0
    assert len(provider.batches) == 1
    assert fetch() == 0
    assert "3 answers recorded, 2 recorded before" in capsys.readouterr().out


# ---- state files that a hand has changed


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("mark", "other", "it is that of 'other'"),
        ("prepared_at", "yesterday", "Invalid isoformat string: 'yesterday'"),
        ("prepared_at", "2026-11-22T08:00:00", "'prepared_at' has no time zone"),
        ("model", None, "'model' is of a wrong type"),
        ("uri", 5, "'uri' is of a wrong type"),
        ("batch_id", 5, "'batch_id' is of a wrong type"),
        ("ended", {}, "missing 4 required positional arguments"),
        ("calls", [], "'list' object has no attribute 'items'"),
        ("key", None, "'key' of a call is of a wrong type"),
        ("origin", None, "'origin' of a call is of a wrong type"),
        ("cassette", None, "'cassette' of a call is of a wrong type"),
        ("prompt", 5, "'prompt' of a call is of a wrong type"),
        ("slot", ["France", "1", "answer", 0], "'slot' of a call is of a wrong type"),
    ],
)
def test_a_state_file_that_is_none_is_named(
    name: str,
    value: Any,
    said: str,
    project: Project,
    provider: BatchServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    submit("-k", "France")
    (file,) = states(project)
    state = json.loads(file.read_text())
    (state if name in state else next(iter(state["calls"].values())))[name] = value
    file.write_text(json.dumps(state))
    assert fetch() == 4
    error = capsys.readouterr().err
    assert f"{file}: not the record of a batch: " in error
    assert said in error
    assert not (project.path / "cassettes").exists()
