"""Recordings as vcrpy's cassettes, and vcrpy's cassettes as recordings: what comes back is what was there."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from capitals import CAPITALS, Project
from judged_project import judged
from stub_server import Answer

from proctor.cli.main import main
from proctor.providers import read_reply
from proctor.recordings.cassette import Cassette
from proctor.recordings.recording import Recording

__all__ = ["judged"]

ROOT = Path(__file__).parents[3]
CLAUDE = "claude-3-5-haiku"
JUDGE = ("--role", f"judge={CLAUDE}")
HOW_IT_WAS_HAD = ("run_id", "source", "latency_s", "recorded_at", "spent_usd")
"""The fields of a row that say when and from where, but not what."""

OWN_TESTS = """
import anthropic, openai, pytest

COUNTRIES = ["France", "Japan", "Peru"]

@pytest.fixture
def vcr_config():
    return {"filter_headers": ["authorization", "x-api-key"]}

@pytest.mark.vcr
@pytest.mark.parametrize("country", COUNTRIES)
def test_mine(country):
    reply = openai.OpenAI(max_retries=0).chat.completions.create(
        model="gpt-4o-mini-2024-07-18", temperature=0, max_tokens=100,
        messages=[{"role": "user", "content": [{"type": "text", "text": f"What is the capital of {country}?"}]}],
    )
    assert reply.choices[0].message.content.startswith("[")

@pytest.mark.vcr
def test_other():
    reply = anthropic.Anthropic(max_retries=0).messages.create(
        model="claude-3-5-haiku-20241022", max_tokens=100, extra_body={"temperature": 0.0},
        messages=[{"role": "user", "content": "What is the capital of Kenya?"}],
    )
    assert reply.content[0].text == "[Nairobi]"
"""


def convert(*arguments: object) -> int:
    return main(["cassettes", "convert", *map(str, arguments)])


def files(folder: Path) -> dict[str, bytes]:
    """What is in a folder but locks."""
    found = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def interactions(folder: Path) -> list[dict[str, Any]]:
    return [one for file in sorted(folder.rglob("*.yaml")) for one in yaml.safe_load(file.read_bytes())["interactions"]]


def measured(project: Project) -> dict[str, dict[str, Any]]:
    """The rows of the newest run without what tells how their answers were had."""
    rows = project.rows
    for row in rows.values():
        for call in (row, *row["calls"], *row["judging"].values()):
            for name in HOW_IT_WAS_HAD:
                call.pop(name, None)
    return rows


def scores(project: Project) -> list[Any]:
    return [(task["metrics"], task["status"], task["usage"], task["cost_usd"]) for task in project.report["tasks"]]


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(project.path)
    project.prompt.write_text("What is the capital of {country}?")
    return project


def test_the_shipped_recordings_come_back_byte_for_byte(tmp_path: Path) -> None:
    assert convert("--to", "vcr", tmp_path / "vcr", "--cassettes", ROOT / "cassettes") == 0
    assert convert("--from", "vcr", tmp_path / "vcr", "--cassettes", tmp_path / "back") == 0
    there = {name: content for name, content in files(ROOT / "cassettes").items() if "/computed/" not in name}
    assert len(there) == 41
    assert files(tmp_path / "back") == there


def test_the_sdk_gets_the_shipped_answers_through_vcrpy(tmp_path: Path) -> None:
    """The way through HTTP, SDK and all, says the same as our short one: text, end and tokens of each answer."""
    import openai
    import vcr

    shipped = ROOT / "cassettes/tsg"
    assert convert("--to", "vcr", tmp_path, "--cassettes", shipped) == 0
    client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1:8090/v1", max_retries=0)
    played = 0
    for file in sorted(shipped.glob("*/smollm2-135m-instruct.jsonl")):
        for recording in Cassette(file):
            name = f"tsg/{file.parent.name}/{file.stem}/{recording.call_id.sample}.yaml"
            with vcr.use_cassette(str(tmp_path / name), record_mode="none") as cassette:
                said = client.chat.completions.create(model="any", messages=[{"role": "user", "content": "?"}])
            short = read_reply("openai-chat", recording.body)
            assert (said.choices[0].message.content or "") == short.text
            assert said.choices[0].finish_reason == short.finish_reason
            assert said.usage is not None
            assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (
                short.usage.input_tokens,
                short.usage.output_tokens,
            )
            assert cassette.all_played
            played += 1
    assert played == 250


def test_a_run_through_vcrpy_and_both_sdks_has_the_rows_and_scores_of_a_replay(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call of a judged benchmark goes through the SDK of its API to a cassette that vcrpy plays, by body."""
    monkeypatch.chdir(judged.path)
    assert judged.run("--record-mode", "once", "--record-prompts", *JUDGE).ret == 0
    assert judged.run("--record-mode", "none", *JUDGE).ret == 0
    rows, expected = measured(judged), scores(judged)
    assert {row["status"] for row in rows.values()} == {"scored"}
    assert sorted(rows[c]["scores"]["strict"]["accuracy"] for c in rows) == [0.5, 1.0, 1.0, 1.0, 1.0]
    assert convert("--to", "vcr", "vcr") == 0
    found = interactions(judged.path / "vcr")
    assert len(found) == 15
    (judged.path / "all.yaml").write_text(yaml.safe_dump({"version": 1, "interactions": found}))
    (judged.path / "conftest.py").write_text(
        "import vcr\n"
        "played = vcr.use_cassette('all.yaml', record_mode='none', match_on=['method', 'uri', 'body'])\n"
        "def pytest_configure(config):\n"
        "    config.cassette = played.__enter__()\n"
        "def pytest_unconfigure(config):\n"
        "    played.__exit__(None, None, None)\n"
        "    print('vcrpy played', config.cassette.play_count, 'of', len(config.cassette))\n"
    )
    asked = judged.server.count
    judged.server.stop()
    result = judged.run("--disable-recording", "--concurrency", "1", *JUDGE)
    result.stdout.fnmatch_lines(["*vcrpy played 15 of 15*"])
    assert result.ret == 0
    assert {row["source"] for row in judged.rows.values()} == {"live"}
    assert measured(judged) == rows
    assert scores(judged) == expected
    assert judged.server.count == asked


def test_epochs_prompts_and_odd_answers_come_back_as_they_were(here: Project) -> None:
    odd = "\u2028 \x85 \U0001f600 \ud83d \x7f \t\r\n é"
    here.server.script = lambda request: Answer(body=json.dumps(_said(f"{odd} {request.question}")).encode())
    here.run("--record-mode", "once", "--record-prompts", "--epochs", "2")
    here.run("--record-mode", "once", model=CLAUDE)
    before = files(here.path / "cassettes")
    assert convert("--to", "vcr", "vcr") == 0
    assert len(list((here.path / "vcr/geo/capitals/gpt-4o-mini").glob("*.yaml"))) == 10
    assert (here.path / "vcr/geo/capitals/gpt-4o-mini/France-epoch2.yaml").exists()
    shutil.rmtree(here.path / "cassettes")
    assert convert("--from", "vcr", "vcr") == 0
    assert files(here.path / "cassettes") == before
    assert convert("--from", "vcr", "vcr") == 0  # nothing is recorded twice
    assert files(here.path / "cassettes") == before


@pytest.fixture
def own(here: Project) -> Project:
    """A project with tests of pytest-recording that have their cassettes, and a benchmark that has none."""
    file = here.path / "tests/test_mine.py"
    file.parent.mkdir()
    file.write_text(OWN_TESTS)
    assert here.pytester.runpytest_inprocess("tests", "--record-mode", "once").ret == 0
    assert here.server.count == 4
    return here


SAME = ("--temperature", "0", "--max-tokens", "100")


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


def _said(text: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"id": text, "model": "gpt-4o-mini-2024-07-18", "choices": [choice]}


def _answer(text: str) -> bytes:
    return json.dumps(_said(text)).encode()


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


@pytest.mark.parametrize(
    "name",
    ["../../outside/m.jsonl", "/tmp/geo/capitals/m.jsonl", "geo/capitals/../m.jsonl", "geo/capitals/.m.jsonl", 7],
)
def test_a_file_that_would_write_elsewhere_is_refused(
    here: Project, name: object, capsys: pytest.CaptureFixture[str]
) -> None:
    here.record("-k", "France")
    convert("--to", "vcr", "vcr")
    file = next((here.path / "vcr").rglob("*.yaml"))
    content = yaml.safe_load(file.read_bytes())
    content["interactions"][0]["proctor"]["cassette"] = name
    file.write_text(yaml.safe_dump(content))
    before = sorted(here.path.parent.rglob("*.jsonl"))
    capsys.readouterr()
    assert convert("--from", "vcr", "vcr") == 1
    assert "is not the name of a cassette" in capsys.readouterr().out
    assert sorted(here.path.parent.rglob("*.jsonl")) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--to", "har", "x"), "the format 'har' is not known"),
        (("--from", "vcr", "nowhere"), "there is no folder nowhere"),
        (("--to", "vcr", "x", "--cassettes", "nowhere"), "there is no folder nowhere"),
        (("--from", "vcr", "benchmarks", "--", "--model", "no-such-model"), None),
    ],
)
def test_bad_usage_is_said(
    here: Project, arguments: tuple[str, ...], said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = convert(*arguments)
    told = capsys.readouterr()
    if said is None:  # nothing is there to be taken, so that nobody is asked about models
        assert (code, told.out) == (0, "")
    else:
        assert code == 4
        assert said in told.err


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
            "    assert reply.choices", "    time.sleep(1.5)\n    assert reply.choices"
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


def test_a_recording_without_latency_has_none_in_its_line(here: Project) -> None:
    here.record("-k", "France")
    recording = next(iter(Cassette(here.cassette)))
    fields = {**recording.fields, "latency_s": None}
    again = Recording.parse(Recording.of(fields, recording.interaction).line().rstrip(b"\n"))
    assert again.latency_s is None
    with pytest.raises(ValueError, match="'latency_s' has a wrong value"):
        Recording.of({**fields, "latency_s": -1.0}, recording.interaction)
    del fields["latency_s"]
    with pytest.raises(ValueError, match="'latency_s' is missing"):
        Recording.of(fields, recording.interaction)
