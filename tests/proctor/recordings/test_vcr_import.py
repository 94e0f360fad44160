"""The cassettes of a user of pytest-recording: they become recordings, and stay what they are beside these."""

from __future__ import annotations

import gzip
import json
import shutil
from typing import Any

import pytest
import yaml
from capitals import CAPITALS, Project
from vcr_projects import CLAUDE, OWN_TESTS, SAME, chat_completion, convert, files, here, own

from proctor.providers import read_reply
from proctor.recordings.cassette import Cassette

__all__ = ["here", "own"]


def test_the_cassettes_of_a_user_of_pytest_recording_replay_as_recordings(
    own: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    own.server.stop()
    assert convert("--from", "vcr", "tests/cassettes", "--", "benchmarks", "--model", "gpt-4o-mini", *SAME) == 1
    said = capsys.readouterr().out
    assert f"{own.cassette.relative_to(own.path)}: 3 answers recorded\n" in said
    assert (
        "not taken up: tests/cassettes/test_mine/test_other.yaml, interaction 1: asked otherwise: model (there" in said
    )
    result = own.run("benchmarks", "-k", "France or Japan or Peru", *SAME)
    assert result.ret == 0
    assert {row["prediction"] for row in own.rows.values()} == {"Paris", "Tokyo", "Lima"}
    assert {row["latency_s"] for row in own.rows.values()} == {None}  # vcrpy has not measured it
    assert convert("--from", "vcr", "tests/cassettes", "--", "benchmarks", "--model", CLAUDE, *SAME) == 1
    assert own.run("benchmarks", "-k", "Kenya", *SAME, model=CLAUDE).ret == 0
    assert own.rows["Kenya"]["prediction"] == "Nairobi"


def test_with_all_models_named_nothing_is_left_and_a_second_time_nothing_is_new(
    own: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("--from", "vcr", "tests/cassettes", "--", "benchmarks", "--model", "gpt-4o-mini", "--model", CLAUDE)
    assert convert(*command, *SAME) == 0
    before = files(own.path / "cassettes")
    capsys.readouterr()
    assert convert(*command, *SAME) == 0
    assert "0 answers recorded, 3 recorded before" in capsys.readouterr().out
    assert files(own.path / "cassettes") == before


def test_an_answer_to_other_parameters_is_not_taken_and_they_are_named(
    own: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert("--from", "vcr", "tests/cassettes", "--", "benchmarks", "--model", "gpt-4o-mini") == 1
    said = capsys.readouterr().out
    assert "test_mine[France].yaml, interaction 1: asked otherwise: max_completion_tokens (there 100, here" in said
    assert "temperature (there 0, here 0.1)" in said
    assert not own.cassette.exists()


def test_no_secret_of_a_foreign_cassette_reaches_a_recording(own: Project) -> None:
    own.path.joinpath("tests/test_mine.py").write_text(OWN_TESTS.replace('"authorization", "x-api-key"', ""))
    shutil.rmtree(own.path / "tests/cassettes")
    assert own.pytester.runpytest_inprocess("tests", "--record-mode", "once").ret == 0
    raw = b"".join(files(own.path / "tests/cassettes").values())
    assert b"distinctiveKey" in raw  # vcrpy keeps what nobody filters
    assert b"__cf_bm" in raw
    command = ("--from", "vcr", "tests/cassettes", "--", "benchmarks", "--model", "gpt-4o-mini", "--model", CLAUDE)
    assert convert(*command, *SAME, "--record-prompts") == 0
    kept = b"".join(files(own.path / "cassettes").values())
    assert b"What is the capital of France" in kept
    for secret in (b"distinctiveKey", b"__cf_bm", b"org-stubOrganisation42", b"req_stub"):
        assert secret not in kept


def _exchange(country: str, answer: bytes, **more: Any) -> dict[str, Any]:
    asked = {
        "model": "gpt-4o-mini",
        "temperature": 0,
        "max_tokens": 100,
        "messages": [{"role": "user", "content": f"What is the capital of {country}?"}],
    }
    return {
        "request": {
            "method": "POST",
            "uri": "https://api.openai.com/v1/chat/completions?api-version=1",
            "body": json.dumps({**asked, **more.pop("asked", {})}),
            "headers": {"content-type": ["application/json"]},
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": ["application/json"], "Date": ["Sat, 01 Nov 2025 12:00:00 GMT"]},
            "body": {"string": answer},
            **more,
        },
    }


def _answer(text: str) -> bytes:
    return json.dumps(chat_completion(text)).encode()


def test_what_cannot_be_used_is_named_and_the_rest_is_taken(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    date = "Sat, 01 Nov 2025 12:00:00 GMT"
    packed = {"Content-Type": ["application/json"], "Content-Encoding": ["gzip"], "date": [date]}
    listing = _exchange("France", b'{"data": []}')
    listing["request"] |= {"method": "GET", "uri": "https://api.openai.com/v1/models"}
    old = _exchange("Cuba", b"")
    old["response"] = {
        "status_code": 200,
        "headers": {"content-type": ["application/json"]},
        "content": _answer("[Havana]").decode(),
    }
    cassettes = {
        "good.yaml": [
            _exchange("France", gzip.compress(_answer("[Paris]")), headers=packed),
            _exchange("Japan", _answer("[Tokyo]"), asked={"stream": False, "seed": None}),
            listing,
            _exchange("Japan", b"{}", status={"code": 429, "message": "Too Many"}),
            old,
        ],
        "streamed.yaml": [_exchange("Peru", b"data: {}", asked={"stream": True})],
        "broken.yaml": [_exchange("Peru", b"<html>"), {"request": 1}, "text"],
        "packed.yaml": [_exchange("Peru", b"\x1b\x2c", headers={"content-encoding": ["br"]})],
    }
    folder = here.path / "theirs"
    folder.mkdir()
    for name, found in cassettes.items():
        (folder / name).write_text(yaml.dump({"version": 1, "interactions": found}))
    (folder / "settings.yaml").write_text("a: b\n")
    (folder / "evil.yaml").write_text("interactions: !!python/object/apply:os.system ['touch was-here']\n")
    assert convert("--from", "vcr", "theirs", "--", "benchmarks", "--model", "gpt-4o-mini", *SAME) == 1
    said = capsys.readouterr().out
    assert "gpt-4o-mini.jsonl: 3 answers recorded\n" in said
    assert "2 exchanges left out: not the answer of a model, or a failure" in said
    for told in (
        "streamed.yaml, interaction 1: the answer came as a stream",
        "broken.yaml, interaction 1: malformed answer",
        "broken.yaml, interaction 2: not as vcrpy writes it",
        "broken.yaml, interaction 3: not as vcrpy writes it",
        "packed.yaml, interaction 1: not as vcrpy writes it: ValueError: the answer is packed in a way",
        "settings.yaml is no cassette of vcrpy",
        "evil.yaml cannot be read",
    ):
        assert f"not taken up: theirs/{told}" in said
    assert not (here.path / "was-here").exists()
    recordings = {r.call_id.sample: r for r in Cassette(here.cassette)}
    assert sorted(recordings) == ["Cuba", "France", "Japan"]
    assert recordings["France"].recorded_at == "2025-11-01T12:00:00.000Z"
    assert recordings["France"].interaction["request"] == {
        "method": "POST",
        "uri": "https://api.openai.com/v1/chat/completions",
        "body": None,
        "headers": {},
    }
    here.server.stop()
    assert here.run("-k", "France or Japan or Cuba", *SAME).ret == 0


def test_one_answer_serves_one_call(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """Two answers to one question are two epochs' answers, in their order; a third epoch has none."""
    folder = here.path / "theirs"
    folder.mkdir()
    found = [_exchange("Japan", _answer(text)) for text in ("[Tokyo]", "[Kyoto]")]
    (folder / "twice.yaml").write_text(yaml.dump({"version": 1, "interactions": found}))
    command = ("--from", "vcr", "theirs", "--", "-k", "Japan", "--model", "gpt-4o-mini", *SAME, "--epochs", "3")
    for _ in range(2):
        assert convert(*command) == 0
        texts = {(r.call_id.epoch, read_reply("openai-chat", r.body).text) for r in Cassette(here.cassette)}
        assert texts == {(1, "[Tokyo]"), (2, "[Kyoto]")}


def test_marked_tests_beside_benchmarks_replay_their_own_cassettes(own: Project) -> None:
    own.run("benchmarks", "--record-mode", "once")
    asked = own.server.count
    own.server.stop()
    before = files(own.path / "tests/cassettes")
    for more in ((), ("-n", "2")):
        result = own.run("benchmarks", "tests", *more)
        result.assert_outcomes(passed=4)
        result.stdout.fnmatch_lines(["*4 passed*5 correct*"])
        assert result.ret == 0
    assert files(own.path / "tests/cassettes") == before
    assert own.server.count == asked


def test_marked_tests_and_a_live_run_do_not_get_into_each_others_cassettes(own: Project) -> None:
    """A marked test plays and records its own exchanges alone while the benchmark's requests are in flight."""
    shutil.rmtree(own.path / "tests/cassettes/test_mine")
    module = own.path / "benchmarks/geo/test_a_marked.py"  # beside the benchmark, and collected before it
    module.write_text(
        OWN_TESTS.replace("COUNTRIES = [", "import time\nCOUNTRIES = [").replace(
            "    assert reply.choices", "    time.sleep(0.6)\n    assert reply.choices"
        )
    )
    own.server.latency = 0.4
    asked = own.server.count
    result = own.run("benchmarks", "--record-mode", "once", "--concurrency", "1")
    result.stdout.fnmatch_lines(["*4 passed*5 correct*"])
    assert result.ret == 0
    assert own.server.count == asked + 9
    theirs = files(own.path / "benchmarks/geo/cassettes/test_a_marked")
    assert sorted(theirs) == [
        "test_mine[France].yaml",
        "test_mine[Japan].yaml",
        "test_mine[Peru].yaml",
        "test_other.yaml",
    ]
    for content in theirs.values():
        assert len(yaml.safe_load(content)["interactions"]) == 1
    assert sorted(r.call_id.sample for r in Cassette(own.cassette)) == sorted(list(CAPITALS)[:5])
    own.server.stop()
    assert own.run("benchmarks").ret == 0
