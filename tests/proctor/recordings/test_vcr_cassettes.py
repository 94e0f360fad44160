"""Recordings as vcrpy's cassettes and back: what comes back is what was there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from capitals import Project
from judged_project import judged
from stub_server import Answer
from vcr_projects import CLAUDE, chat_completion, convert, files, here

from proctor.providers import read_reply
from proctor.recordings.cassette import Cassette
from proctor.recordings.recording import Recording

__all__ = ["here", "judged"]

ROOT = Path(__file__).parents[3]
JUDGE = ("--role", f"judge={CLAUDE}")
HOW_IT_WAS_HAD = ("run_id", "source", "latency_s", "recorded_at", "spent_usd")
"""The fields of a row that say when and from where, but not what."""


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
    here.server.script = lambda request: Answer(body=json.dumps(chat_completion(f"{odd} {request.question}")).encode())
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
def test_bad_usage_ischat_completion(
    here: Project, arguments: tuple[str, ...], said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = convert(*arguments)
    told = capsys.readouterr()
    if said is None:  # nothing is there to be taken, so that nobody is asked about models
        assert (code, told.out) == (0, "")
    else:
        assert code == 4
        assert said in told.err


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
