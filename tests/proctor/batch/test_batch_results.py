"""``proctor batch``: what may come back, and what is refused."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from batch_server import BatchServer
from batches import CLAUDE, FIVE, MODELS, countries, fetch, lines_of, samples, submit
from capitals import Project, answers
from stub_server import SECRETS, Answer, Request, StubServer

from proctor.cli.main import main
from proctor.recordings.cassette import Cassette
from proctor.recordings.recording import Recording

# ---- what may come back


@pytest.mark.parametrize(
    ("model", "state"), [("gpt-4o-mini", "expired"), ("o1-pro", "cancelled"), (CLAUDE, "canceled")]
)
def test_a_batch_that_did_not_get_through_leaves_what_it_has(
    model: str, state: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(model=model)
    provider.end(state, answered=2)
    assert fetch() == 1
    out = capsys.readouterr().out
    assert "2 answers recorded, 3 calls without an answer, which may be submitted again" in out
    assert out.count(f" (answer): {'canceled' if model == CLAUDE else 'This request was not run'}") == 3
    assert samples(lines_of(project, model)) == ["France", "Japan"]
    submit(model=model)
    assert countries(provider.batches[1]) == ["Cuba", "Kenya", "Peru"]


@pytest.mark.parametrize("model", ["gpt-4o-mini", CLAUDE])
def test_errors_of_single_requests_are_named(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(request: Request) -> str | Answer:
        if "Peru" in request.question:
            said = "prompt too long\x1b[31m\x07 for\u2028org-distinctive42"
            return Answer.error(400, said, error_type="invalid_request_error")
        return Answer(body=b'{"content": 5}') if "Cuba" in request.question else answers(request)

    provider.script = script
    submit(model=model)
    provider.end()
    assert fetch() == 1
    out = capsys.readouterr().out
    assert "Peru (answer): " in out
    assert "prompt too long�[31m� for [hidden]" in out
    assert "Cuba (answer): malformed answer: " in out
    assert samples(lines_of(project, model)) == ["France", "Japan", "Kenya"]


def test_results_may_be_in_any_order_damaged_double_or_unknown(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def mix(lines: list[bytes]) -> list[bytes]:
        if len(lines) != 5:
            return lines
        unknown = lines[1].replace(json.loads(lines[1])["custom_id"].encode(), b"nobody")
        return [lines[4], b"{cut\n", lines[2], b"[]\n", lines[2], unknown, lines[0], b"\n", lines[3]]

    provider.result_lines = mix
    submit()
    provider.end()
    assert fetch() == 1
    out = capsys.readouterr().out
    assert "line 2 of the results cannot be used: " in out
    assert "line 4 of the results cannot be used: it names no request" in out
    assert "Peru (answer): a second result, in line 5, which is not used" in out
    assert "line 6 of the results is for a call that was not sent" in out
    assert samples(lines_of(project)) == ["Cuba", "France", "Kenya", "Peru"]
    assert [line["sample"] for line in lines_of(project)] == ["Cuba", "France", "Kenya", "Peru"]  # in stable order
    provider.result_lines = lambda lines: lines
    submit()
    assert countries(provider.batches[1]) == ["Japan"]


def test_a_batch_that_fails_as_a_whole_says_why(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit()
    provider.batches[0].problems = [
        {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
    ]
    provider.end("failed", answered=0)
    assert fetch() == 1
    out = capsys.readouterr().out
    assert "failed: 0 answers recorded, 5 calls without an answer" in out
    assert "the batch: Enqueued token limit reached" in out
    assert submit() == 0
    assert countries(provider.batches[1]) == FIVE


def test_status_and_fetch_wait_for_the_end(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["batch", "status"]) == 0
    assert capsys.readouterr().out == "nothing is on its way\n"
    submit()
    submit(model=CLAUDE)
    capsys.readouterr()
    assert main(["batch", "status"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "gpt-4o-mini  batch_0  in_progress: 0 answered, 0 failed of 5",
        f"{CLAUDE}  msgbatch_1  in_progress: 0 answered, 0 failed of 5",
    ]
    assert fetch() == 0
    assert not (project.path / "cassettes").exists()
    provider.end()
    capsys.readouterr()
    main(["batch", "status"])
    assert capsys.readouterr().out.splitlines() == [
        "gpt-4o-mini  batch_0  completed: 5 answered, 0 failed of 5; fetch it",
        f"{CLAUDE}  msgbatch_1  ended: 5 answered, 0 failed of 5; fetch it",
    ]
    assert fetch() == 0
    capsys.readouterr()
    assert fetch() == 0
    assert capsys.readouterr().out == "nothing is on its way\n"


def test_what_was_recorded_meanwhile_stays(
    project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    submit()
    with StubServer(answers) as live:
        monkeypatch.setenv("OPENAI_BASE_URL", live.openai_url)
        project.record("-k", "France")
    monkeypatch.setenv("OPENAI_BASE_URL", provider.openai_url)
    (before,) = project.cassette.read_bytes().splitlines()
    provider.end()
    assert fetch() == 0
    assert "4 answers recorded, 1 recorded before" in capsys.readouterr().out
    assert before in project.cassette.read_bytes().splitlines()


def test_a_batch_that_the_provider_does_not_find_stays_on_the_list(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit()
    provider.end()
    name = provider.batches[0].id
    provider.batches[0].id = "batch_gone"
    assert fetch() == 1
    assert f"{name}  not known: 404" in capsys.readouterr().out
    provider.batches[0].id = name
    assert fetch() == 0
    assert samples(lines_of(project)) == FIVE


def test_a_full_disk_is_named_and_what_was_recorded_stays(
    project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    submit()
    provider.end()
    append = Cassette.append

    def append_two(self: Cassette, recording: Recording) -> None:
        if len(self) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        append(self, recording)

    with monkeypatch.context() as patched:
        patched.setattr(Cassette, "append", append_two)
        assert fetch() == 4
    assert f"{project.cassette}: No space left on device" in capsys.readouterr().err
    assert len(lines_of(project)) == 2
    assert fetch() == 0
    assert "3 answers recorded, 2 recorded before" in capsys.readouterr().out


# ---- limits and refusals


@pytest.mark.parametrize(("limit", "most", "sizes"), [("most_requests", 2, [2, 2, 1]), ("most_bytes", 600, [2, 2, 1])])
def test_a_large_selection_is_split(
    limit: str,
    most: int,
    sizes: list[int],
    project: Project,
    provider: BatchServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"proctor.providers.batch.openai.OpenAIBatches.{limit}", most)
    assert submit() == 0
    assert [len(batch.requests) for batch in provider.batches] == sizes
    if limit == "most_bytes":
        sent = [content for content in provider.files.values() if b"custom_id" in content]
        assert max(map(len, sent)) <= most
    provider.end()
    assert fetch() == 0
    assert samples(lines_of(project)) == FIVE


def test_a_call_that_fits_into_no_batch_is_named(
    project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proctor.providers.batch.openai.OpenAIBatches.most_bytes", 400)
    project.write_rows([{"country": "France" * 50, "capital": "x"}, {"country": "Peru", "capital": "Lima"}])
    assert submit() == 1
    assert f"a call of {'France' * 50} is longer than a whole batch may be" in capsys.readouterr().out
    assert [countries(batch) for batch in provider.batches] == [["Peru"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--record-mode", "all"], "--record-mode all asks again for what is recorded"),
        (["--max-cost", "1"], "--max-cost ends a live run"),
        (["--estimate"], "--estimate asks for nothing"),
        (["--collect-only"], "--collect-only runs nothing"),
        (["--dataset", "geo/capitals=nowhere.jsonl"], "no such data file"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    arguments: list[str], said: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert submit(*arguments) == 4
    written = capsys.readouterr()
    assert said in written.out + written.err
    assert provider.paths == []


def test_once_leaves_out_what_is_recorded_for_another_call(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit("-k", "France")
    provider.end()
    fetch()
    project.prompt.write_text("Name the capital of {country}.")
    assert submit("--record-mode", "once") == 0
    assert "1 calls are recorded for another call" in capsys.readouterr().out
    assert countries(provider.batches[1]) == ["Cuba", "Japan", "Kenya", "Peru"]
    submit()
    assert countries(provider.batches[2]) == ["France"]


def test_a_provider_without_batches_is_named(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert submit(model="openrouter/vendor/x") == 4
    assert "no batch API is known for openrouter/vendor/x (openrouter)" in capsys.readouterr().err
    assert submit("--model", "openrouter/vendor/x") == 0
    assert "openrouter/vendor/x (openrouter): no batch API is known; 5 calls are left out" in capsys.readouterr().out
    assert len(provider.batches) == 1


def test_a_missing_key_is_named_before_anything_is_sent(
    project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.example.invalid/v1")
    assert submit() == 4
    assert "set the environment variable OPENAI_API_KEY" in capsys.readouterr().err
    assert not (project.path / ".proctor").exists()


def test_a_damaged_state_file_stops_everything_that_might_pay_twice(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit()
    (file,) = (project.path / ".proctor/batches").glob("*.json")
    file.write_text(file.read_text()[:100])
    assert submit() == 4
    assert f"{file}: not the record of a batch" in capsys.readouterr().err
    assert len(provider.batches) == 1


@pytest.mark.parametrize("model", MODELS)
def test_no_secret_is_kept(
    model: str,
    project: Project,
    provider: BatchServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = "sk-ant-distinctiveKey0123456789" if model == CLAUDE else "sk-proj-distinctiveKey0123456789"
    provider.script = lambda request: f"[Paris] {key}" if "France" in request.question else answers(request)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        url = provider.openai_url if name.startswith("OPENAI") else provider.anthropic_url
        monkeypatch.setenv(name, url.replace("127", "user:pass-distinctive@127"))
    submit("--record-prompts", model=model)
    provider.end()
    fetch()
    kept = [file.read_text() for file in project.path.rglob("*.json*") if file.is_file()]
    said = "".join([*kept, capsys.readouterr().out])
    assert "[removed]" in said
    assert "distinctive" not in said
    for secret in SECRETS.values():
        assert secret not in said
    assert (project.path / ".proctor/.gitignore").read_text().splitlines()[-1] == "*"


def test_an_edited_prompt_while_a_batch_is_away_leaves_its_answers_to_the_old_one(
    project: Project, provider: BatchServer
) -> None:
    submit()
    project.prompt.write_text("Name the capital of {country}.")
    provider.end()
    assert fetch() == 0
    ended = project.run()
    assert ended.ret == 1
    ended.stdout.fnmatch_lines(["*recorded for another call*prompt template*"])


def test_states_are_files_that_a_person_can_read(project: Project, provider: BatchServer) -> None:
    submit("-k", "France")
    (file,) = (project.path / ".proctor/batches").glob("*.json")
    state = json.loads(file.read_text())
    assert (state["model"], state["batch_id"], state["ended"]) == ("gpt-4o-mini", "batch_0", None)
    (sent,) = state["calls"].values()
    assert sent["slot"] == ["France", 1, "answer", 0]
    assert Path(sent["cassette"]) == Path("cassettes/geo/capitals/gpt-4o-mini.jsonl")
    assert provider.batches[0].metadata == {"proctor": state["mark"]}
    assert provider.uploads == [f"proctor-{state['mark']}.jsonl"]
    provider.end()
    fetch()
    state = json.loads(file.read_text())
    assert state["calls"] == {}
    assert (state["ended"]["state"], state["ended"]["recorded"], state["ended"]["without_answer"]) == (
        "completed",
        1,
        0,
    )
