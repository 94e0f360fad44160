"""Recordings: what replays, what does not and why, what the record modes do, and what a cassette holds."""

from __future__ import annotations

import json
import threading
import time
import zlib

import pytest
from capitals import CAPITALS, CONTINENTS, Project, answers
from stub_server import SECRETS, Answer, Request

from proctor.recordings.cassette import exclusive
from proctor.recordings.recording import Recording

KEY = "sk-proj-distinctiveKey0123456789"


def test_without_recordings_the_run_stops_at_once_and_names_the_command(project: Project) -> None:
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            "ERROR: no recordings of geo/capitals for gpt-4o-mini: *capitals/gpt-4o-mini.jsonl does not exist",
            "*Record it: pytest --model gpt-4o-mini --record-mode once",
        ]
    )
    assert not (project.path / "reports").exists()


def test_under_xdist_that_is_said_once(project: Project) -> None:
    result = project.run("-n", "2")
    assert result.ret == 4
    assert str(result.stdout).count("no recordings of geo/capitals") == 1


def test_without_key_a_live_run_stops_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://192.0.2.1/v1")
    result = project.record()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: OPENAI_API_KEY is not set, and gpt-4o-mini must be asked for geo/capitals"])


def test_without_key_a_complete_set_of_recordings_replays_in_any_mode_that_replays(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.record()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://192.0.2.1/v1")
    for mode in ("none", "once", "new_episodes"):
        assert project.run("--record-mode", mode).ret == 0


def test_a_case_without_recording_fails_and_the_others_are_measured(project: Project) -> None:
    project.record("-k", "not Kenya")
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["error: NotRecorded: never recorded in *gpt-4o-mini.jsonl", "*1 failed*4 correct*"])
    assert project.rows["Kenya"]["status"] == "error"
    assert project.report["tasks"][0]["metrics"]["accuracy"]["strict"]["value"] == 0.8


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("template", "prompt template"),
        ("row", "data row"),
        ("temperature", "parameter temperature (recorded 0.1, now 0.7)"),
        ("parameter", "parameter top_p (recorded unset, now 0.5)"),
    ],
)
def test_a_changed_call_never_replays_the_old_answer(project: Project, change: str, named: str) -> None:
    project.record()
    args: list[str] = []
    if change == "template":
        project.prompt.write_text("Which city is the capital of {country}?")
    elif change == "row":
        question = '{"country": row.text("country") + row.text("continent")}'
        project.benchmark(samples=f'yield Sample(row.text("country"), {question}, row.text("capital"))')
        project.write_rows([{"country": "France", "capital": "Paris", "continent": "gaul"}])
    else:
        args = ["--temperature", "0.7"] if change == "temperature" else ["--model-param", "top_p=0.5"]
    result = project.run("-k", "France", *args)
    assert result.ret == 1
    assert project.rows["France"]["status"] == "error"
    result.stdout.fnmatch_lines([f"error: NotRecorded: recorded for another call in *: changed since then: *{named}*"])


def test_a_changed_gold_answer_replays_and_is_scored_anew(project: Project) -> None:
    project.record()
    project.write_rows([{"country": c, "capital": "Rome", "continent": CONTINENTS[c]} for c in list(CAPITALS)[:5]])
    assert project.run().ret == 0
    assert project.report["tasks"][0]["metrics"]["accuracy"]["strict"]["value"] == 0.0


def test_once_records_new_cases_and_never_overwrites(project: Project) -> None:
    project.record("-k", "France")
    project.record()
    assert project.server.count == 5
    project.prompt.write_text("Capital of {country}?")
    result = project.record("-k", "not Rome")
    assert result.ret == 1
    assert project.server.count == 5
    result.stdout.fnmatch_lines(
        [
            "*changed since then: prompt template*",
            "*Record anew what has changed: pytest -k 'not Rome' --model gpt-4o-mini --record-mode new_episodes",
            "*5 failed*",
        ]
    )


def test_new_episodes_records_what_changed_and_keeps_the_old(project: Project) -> None:
    project.record()
    before = project.prompt.read_text()
    project.prompt.write_text("Capital of {country}?")
    project.run("--record-mode", "new_episodes")
    assert project.server.count == 10
    assert len(project.cassette.read_text().splitlines()) == 10
    assert project.run().ret == 0
    project.prompt.write_text(before)
    assert project.run().ret == 0


def test_all_asks_everything_again_and_duplicates_nothing(project: Project) -> None:
    project.record()
    project.server.script = "[Rome]"
    project.run("--record-mode", "all")
    assert project.server.count == 10
    assert len(project.cassette.read_text().splitlines()) == 5
    project.run()
    assert {row["prediction"] for row in project.rows.values()} == {"Rome"}


def test_rewrite_drops_what_it_recorded_anew_and_leaves_other_cases(project: Project) -> None:
    project.record()
    project.prompt.write_text("Capital of {country}?")
    project.run("--record-mode", "rewrite", "-k", "france or japan")
    samples = [json.loads(line)["sample"] for line in project.cassette.read_text().splitlines()]
    assert samples == ["Cuba", "France", "Japan", "Kenya", "Peru"]
    assert project.run("-k", "france or japan").ret == 0


def test_recording_one_case_anew_changes_one_line(project: Project) -> None:
    project.record("--shuffle", "4")
    before = project.cassette.read_text().splitlines()
    assert [json.loads(line)["sample"] for line in before] == ["Cuba", "France", "Japan", "Kenya", "Peru"]
    project.server.script = "[Rome]"
    project.run("--record-mode", "all", "-k", "Japan")
    after = project.cassette.read_text().splitlines()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False, True, True]


def test_disable_recording_asks_live_and_leaves_no_recording(project: Project) -> None:
    assert project.run("--disable-recording").ret == 0
    assert project.server.count == 5
    assert {row["source"] for row in project.rows.values()} == {"live"}
    assert not project.cassette.exists()


def test_replay_reports_what_the_recorded_answer_cost_and_took(project: Project) -> None:
    project.server.script = Answer("[Paris]", tokens=(1_000_000, 400_000, 10_000, 0))
    project.record("-k", "France")
    recorded = project.rows["France"]
    project.run("-k", "France")
    row = project.rows["France"]
    # gpt-4o-mini: $0.15 fresh input, $0.075 cached input, $0.60 output per million tokens
    assert row["cost_usd"] == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.01 * 0.60)
    assert row["usage"] == {
        "input_tokens": 1_000_000, "output_tokens": 10_000, "cached_tokens": 400_000, "reasoning_tokens": 0
    }  # fmt: skip
    for field in ("latency_s", "attempts", "recorded_at", "request_key", "prompt_sha256"):
        assert row[field] == recorded[field] is not None


def test_prompts_are_stored_as_hashes_unless_asked_for(project: Project) -> None:
    project.record()
    assert "What is the capital" not in project.cassette.read_text()
    project.run("--record-mode", "all", "--record-prompts")
    assert project.cassette.read_text().count("What is the capital of") == 5


@pytest.mark.parametrize("model", ["gpt-4o-mini", "o1-pro", "claude-3-5-haiku"])
def test_no_secret_reaches_a_file(project: Project, model: str) -> None:
    project.server.script = lambda request: f"[Paris] your key is {request.headers.get('authorization', '')} {KEY}"
    result = project.run("--record-mode", "once", "--record-prompts", "--junitxml=junit.xml", "-v", "-l", model=model)
    assert result.ret == 0
    leaks = [KEY, "sk-ant-distinctiveKey0123456789", *SECRETS.values()]
    for file in project.path.rglob("*"):
        if file.is_file():
            content = file.read_bytes().decode("utf-8", "replace")
            assert [secret for secret in leaks if secret in content] == [], file
    assert [secret for secret in leaks if secret in str(result.stdout)] == []


def test_vcrpy_itself_can_play_a_recorded_line(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording is a genuine HTTP interaction: plain vcrpy replays it to the SDK."""
    import openai
    import vcr
    from vcr.serializers import jsonserializer

    project.record("-k", "France")
    interaction = dict(Recording.parse(project.cassette.read_bytes().rstrip(b"\n")).interaction)
    file = project.path / "plain.json"
    file.write_text(jsonserializer.serialize({"version": 1, "interactions": [interaction]}))
    url = project.server.openai_url
    project.server.stop()
    with vcr.use_cassette(str(file), serializer="json", record_mode="none", match_on=["method", "uri"]):
        client = openai.OpenAI(api_key="x", base_url=url, max_retries=0)
        answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
    assert answer.choices[0].message.content == "[Paris]"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda line: line[: len(line) // 2], "the line is cut: it does not end in a checksum"),
        (lambda line: line.replace("Tokyo", "Kyoto"), "the line was edited: its checksum does not fit"),
    ],
)
def test_a_damaged_recording_is_named_before_any_case_runs(project: Project, damage: object, said: str) -> None:
    project.record()
    lines = project.cassette.read_text().splitlines()
    lines[2] = damage(lines[2])  # type: ignore[operator]
    project.cassette.write_text("\n".join(lines) + "\n")
    for args in ((), ("-n", "2")):
        result = project.run(*args)
        assert result.ret == 4
        text = str(result.stdout) + str(result.stderr)
        assert text.count(f"gpt-4o-mini.jsonl:3: {said}") == 1
        assert "--record-mode new_episodes" in text


def test_a_torn_last_line_is_recorded_again(project: Project) -> None:
    project.record()
    whole = project.cassette.read_bytes()
    project.cassette.write_bytes(whole[:-40])
    assert project.run().ret == 4
    assert project.record().ret == 0
    assert project.server.count == 6
    assert len(project.cassette.read_bytes().splitlines()) == 5
    assert project.run().ret == 0


def test_the_network_is_blocked_while_a_case_replays(project: Project) -> None:
    project.record()
    project.benchmark(test="case.measure()\nimport socket; socket.create_connection(('127.0.0.1', 9), timeout=1)")
    result = project.run("-k", "France")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*RuntimeError: Network is disabled*"])


def test_a_lost_last_newline_is_put_back(project: Project) -> None:
    project.record()
    whole = project.cassette.read_bytes()
    project.cassette.write_bytes(whole.rstrip(b"\n"))
    assert project.run().ret == 0
    assert project.record().ret == 0
    assert project.server.count == 5
    assert project.cassette.read_bytes() == whole


def test_recordings_that_cannot_be_read_are_named(project: Project) -> None:
    project.cassette.mkdir(parents=True)
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *gpt-4o-mini.jsonl: recordings cannot be read: Is a directory"])


@pytest.mark.parametrize("field", ["sample", "key", "recorded_at", "epoch"])
def test_a_forged_line_with_a_right_checksum_is_no_recording(project: Project, field: str) -> None:
    project.record()
    fields = json.loads(project.cassette.read_text().splitlines()[0])
    del fields["check"]
    fields[field] = ["forged"]
    text = json.dumps(fields, separators=(",", ":")).encode()[:-1]
    project.cassette.write_bytes(text + b',"check":"%08x"}\n' % zlib.crc32(text))
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*the recording's field '{field}' is missing or of a wrong type*"])


@pytest.mark.parametrize(
    ("field", "forged"),
    [
        ("latency_s", "NaN"),
        ("latency_s", "1e999"),
        ("latency_s", "-1"),
        ("latency_s", "1" + 400 * "0"),
        ("attempts", '"many"'),
        ("origin", '{"parameters":[]}'),
    ],
)
def test_a_forged_value_that_no_report_could_hold_is_named(project: Project, field: str, forged: str) -> None:
    project.record()
    fields = json.loads(project.cassette.read_text().splitlines()[0])
    del fields["check"]
    fields = {field: "FORGED"} | {name: value for name, value in fields.items() if name != field}  # the body stays last
    text = json.dumps(fields, separators=(",", ":")).replace('"FORGED"', forged).encode()[:-1]
    project.cassette.write_bytes(text + b',"check":"%08x"}\n' % zlib.crc32(text))
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*gpt-4o-mini.jsonl:1: the recording's field '{field}' has a wrong value*"])


def test_changed_line_endings_are_told_from_cut_lines(project: Project) -> None:
    project.record()
    project.cassette.write_bytes(project.cassette.read_bytes().replace(b"\n", b"\r\n"))
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*gpt-4o-mini.jsonl:1: the line ends in CR LF*", "*.gitattributes*"])
    result.stderr.no_fnmatch_line("*Delete the line*")


@pytest.mark.parametrize("mode", ["none", "new_episodes"])
def test_a_run_that_starts_while_another_writes_a_line_waits_for_its_end(project: Project, mode: str) -> None:
    project.record()
    whole = project.cassette.read_bytes()
    project.cassette.write_bytes(whole[:-40])
    held = threading.Event()

    def finish_the_line() -> None:
        with exclusive(project.cassette):
            held.set()
            time.sleep(0.3)  # the other run finds half a line meanwhile
            with project.cassette.open("ab") as file:
                file.write(whole[-40:])

    writer = threading.Thread(target=finish_the_line)
    writer.start()
    assert held.wait(10)
    result = project.run("--record-mode", mode)
    writer.join()
    assert result.ret == 0
    assert project.server.count == 5
    assert project.cassette.read_bytes() == whole


def test_a_line_that_is_edited_during_a_run_is_named_at_its_end(project: Project) -> None:
    project.record("-k", "France")

    def edit_and_answer(request: Request) -> str:
        project.cassette.write_bytes(project.cassette.read_bytes().replace(b"Paris", b"Lyons"))
        return answers(request)

    project.server.script = edit_and_answer
    result = project.run("--record-mode", "new_episodes", "-k", "France or Japan")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "recordings could not be brought into order: *gpt-4o-mini.jsonl:1: the line was edited: *",
            "  Delete the line, then *",
        ]
    )


def test_a_linked_cassette_stays_a_link_and_keeps_its_permissions(project: Project) -> None:
    project.record("-k", "Peru")
    elsewhere = project.path / "elsewhere.jsonl"
    project.cassette.rename(elsewhere)
    project.cassette.symlink_to(elsewhere)
    elsewhere.chmod(0o660)
    assert project.record().ret == 0
    assert project.cassette.is_symlink()
    assert elsewhere.stat().st_mode & 0o777 == 0o660
    recorded = [json.loads(line)["sample"] for line in elsewhere.read_text().splitlines()]
    assert recorded == sorted(CAPITALS.keys() - {"Mali"})


def test_a_run_that_asks_nothing_needs_no_lock(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a read-only checkout, where no lock file can be made."""
    project.record()

    def refuse(file: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr("proctor.recordings.cassette.exclusive", refuse)
    for mode in ("none", "once", "new_episodes"):
        assert project.run("--record-mode", mode).ret == 0
