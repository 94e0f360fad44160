"""Tasks whose answers are judged: roles, concurrent parts, remembered computations, and what can fail."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from capitals import CAPITALS, Project
from judged_project import COUNTRIES, judged, models_asked, speak
from stub_server import Answer, Request

__all__ = ["judged"]


def counted(project: Project) -> list[str]:
    file = project.path / "counted"
    return sorted(file.read_text().split()) if file.exists() else []


def test_judges_are_asked_scored_and_replayed(judged: Project) -> None:
    assert judged.record().ret == 0
    assert models_asked(judged) == {("gpt-4o-mini-2024-07-18", "answer"): 5, ("o4-mini", "judge"): 10}
    live = judged.rows
    assert {name: row["scores"]["strict"]["accuracy"] for name, row in live.items()} == {
        name: 0.5 if name == "Peru" else 1.0 for name in COUNTRIES
    }
    assert live["Peru"]["evidence"] == {"votes": ["yes", "no"], "letters": 4}
    assert [(c["role"], c["turn"]) for c in live["Peru"]["calls"]] == [
        ("answer", 0),
        ("judge/first", 0),
        ("judge/second", 0),
    ]
    assert counted(judged) == sorted(CAPITALS[name] for name in COUNTRIES)

    judged.server.requests.clear()
    assert judged.run().ret == 0
    assert judged.server.count == 0
    assert counted(judged) == sorted(CAPITALS[name] for name in COUNTRIES)  # nothing was computed again
    for name, row in judged.rows.items():
        assert row["source"] == "replayed"
        for field in ("scores", "evidence", "usage", "cost_usd", "status"):
            assert row[field] == live[name][field]
        assert row["judging"] == {"judge": {**live[name]["judging"]["judge"], "spent_usd": 0}}


def test_a_judge_is_not_given_a_parameter_that_it_does_not_take_nor_the_command_lines(judged: Project) -> None:
    judged.record("--temperature", "0.7")
    sent = {r.json["model"]: r.json.get("temperature") for r in judged.server.requests}
    assert sent == {"gpt-4o-mini-2024-07-18": 0.7, "o4-mini": None}


def test_judging_is_counted_apart_from_answering(judged: Project) -> None:
    judged.record()
    row = judged.rows["France"]
    # gpt-4o-mini: 100 tokens in at $0.15, 5 out at $0.60 a million; o4-mini, twice: 50 in at $1.10, 1 out at $4.40.
    assert row["usage"]["input_tokens"] == 100
    assert row["cost_usd"] == pytest.approx(18e-6)
    judging = row["judging"]["judge"]
    assert (judging["model"], judging["calls"], judging["usage"]["input_tokens"]) == ("o4-mini", 2, 100)
    assert judging["cost_usd"] == pytest.approx(2 * 59.4e-6)
    (task,) = judged.report["tasks"]
    assert task["cost_usd"] == pytest.approx(5 * 18e-6)
    assert task["judging"]["judge"]["cost_usd"] == pytest.approx(10 * 59.4e-6)
    assert task["judging"]["judge"]["model"] == "o4-mini"


@pytest.mark.parametrize("how", ["option", "option for one task", "variable", "models.yaml"])
def test_the_run_names_the_judge(judged: Project, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    arguments = []
    if how.startswith("option"):
        monkeypatch.setenv("GEO_JUDGE", "gpt-4o")
        arguments = ["--role", ("geo/capitals:" if "one" in how else "") + "judge=gpt-4.1"]
    elif how == "variable":
        monkeypatch.setenv("GEO_JUDGE", "gpt-4.1")
    if how != "option":
        (judged.path / "models.yaml").write_text(
            f"roles:\n  geo/capitals:\n    judge: {'gpt-4.1' if how == 'models.yaml' else 'gpt-4o'}\n"
        )
    assert judged.record(*arguments).ret == 0
    assert models_asked(judged)["gpt-4.1", "judge"] == 10
    assert judged.rows["Mali" if "Mali" in judged.rows else "Peru"]["judging"]["judge"]["model"] == "gpt-4.1"
    judged.server.requests.clear()
    assert judged.run(*arguments).ret == 0
    assert judged.server.count == 0


def test_another_judge_does_not_replay_the_old_ones_verdicts(judged: Project) -> None:
    judged.record()
    result = judged.run("--role", "judge=gpt-4.1")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*recorded for another call*model (recorded o4-mini, now gpt-4.1)*"])
    assert {row["status"] for row in judged.rows.values()} == {"error"}


def test_the_roles_variables_give_the_endpoint_and_the_key(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEO_JUDGE", "someone/judge-7")
    monkeypatch.setenv("GRADER_URL", judged.server.openai_url)
    monkeypatch.setenv("GEO_JUDGE_KEY", "key-of-the-judge-0123456789")
    assert judged.record().ret == 0
    judges = [r for r in judged.server.requests if "Judge" in r.question]
    assert {r.json["model"] for r in judges} == {"someone/judge-7"}
    assert {r.headers["authorization"] for r in judges} == {"Bearer key-of-the-judge-0123456789"}
    assert b"key-of-the-judge" not in b"".join(
        file.read_bytes() for file in judged.path.rglob("*") if file.is_file() and file.suffix != ".pyc"
    )


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("judge", "not a role and a model"),
        ("judge=", "not a role and a model"),
        ("geo:judge=gpt-4o", "not a role and a model"),
        ("parser=gpt-4o", "no collected task has that role*Roles: geo/capitals:judge."),
        ("other/task:judge=gpt-4o", "no collected task has that role"),
        ("judge=no-such-model", "unknown model 'no-such-model'"),
    ],
)
def test_a_role_that_cannot_be_used_is_said_before_the_first_call(judged: Project, argument: str, message: str) -> None:
    result = judged.record("--role", argument)
    assert result.ret == 4
    assert judged.server.count == 0
    first, _, rest = message.partition("*")
    result.stderr.fnmatch_lines([f"*{first}*", *([f"*{rest}*"] if rest else [])])


def test_a_missing_key_of_a_judge_is_said_before_the_first_call(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_BASE_URL", "http://192.0.2.1:9/v1")
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    result = judged.record("--role", "judge=openrouter/some/judge")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*OPENROUTER_API_KEY is not set, and openrouter/some/judge must be asked*"])
    assert judged.server.count == 0


def test_each_try_is_recorded_and_replayed(judged: Project) -> None:
    tries: Counter[str] = Counter()

    def unsure(request: Request) -> str | Answer:
        if "Judge first" in request.question and "Tokyo" in request.question:
            tries["Tokyo"] += 1
            return "perhaps" if tries["Tokyo"] < 3 else "yes"
        return speak(request)

    judged.server.script = unsure
    judged.record()
    assert tries["Tokyo"] == 3
    roles = [(c["role"], c["turn"]) for c in judged.rows["Japan"]["calls"]]
    assert roles == [("answer", 0), ("judge/first", 0), ("judge/first", 1), ("judge/first", 2), ("judge/second", 0)]
    judged.server.requests.clear()
    assert judged.run().ret == 0
    assert judged.server.count == 0
    assert judged.rows["Japan"]["scores"]["strict"]["accuracy"] == 1.0


def test_a_judge_that_is_never_understood_fails_the_case_and_says_so(judged: Project) -> None:
    judged.server.script = lambda r: "hm" if "Judge" in r.question and "Tokyo" in r.question else speak(r)
    result = judged.record()
    assert result.ret == 1
    row = judged.rows["Japan"]
    assert row["status"] == "judge_failed"
    assert row["response_text"] == "Tokyo"
    assert row["scores"] == {"official": {"accuracy": 0.0}, "strict": {"accuracy": 0.0}}
    assert row["error"] == "o4-mini as judge/second: asked 3 times; last reply: 'hm'"
    assert judged.report["tasks"][0]["failures"] == {"judge_failed": ["Japan"]}


def test_a_judge_that_cannot_be_reached_fails_the_case_and_is_asked_again(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor._base.http.FIRST_DELAY", 0.0)
    judged.server.script = lambda r: Answer.error(500) if "Judge" in r.question and "Tokyo" in r.question else speak(r)
    assert judged.record().ret == 1
    row = judged.rows["Japan"]
    assert row["status"] == "judge_failed"
    assert "o4-mini as judge/first" in row["evidence"]["failed"]
    assert row["error"] == row["evidence"]["failed"]
    assert judged.run().ret == 1  # the replay knows what failed, and why
    for name in ("status", "evidence", "scores", "attempts", "error"):
        assert judged.rows["Japan"][name] == row[name]
    judged.server.requests.clear()
    judged.server.script = speak
    assert judged.record().ret == 0
    assert judged.server.count == 2  # the two votes that were missing


def test_a_judge_with_a_wrong_key_ends_the_run(judged: Project) -> None:
    judged.server.script = lambda r: (
        Answer.error(401, "wrong key", code="invalid_api_key") if r.json["model"] == "o4-mini" else speak(r)
    )
    result = judged.record("--concurrency", "1")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*o4-mini is asked no more: 401: wrong key*"])
    status = judged.report["tasks"][0]["status"]
    assert status["judge_failed"] + status["missing"] == 5
    assert status["missing"] >= 4  # of the first, one of two votes was refused, and the other perhaps not asked
    assert judged.server.count < 10  # what had begun, and no more


def test_parts_of_a_conversation_are_held_together_within_concurrency(judged: Project) -> None:
    judged.server.latency = 0.2
    judged.record("-k", "France", "--concurrency", "8")
    assert judged.server.peak == 2
    judged.server.peak = 0
    judged.record("-k", "not France", "--concurrency", "3")
    assert judged.server.peak == 3


def test_a_case_that_this_machine_cannot_examine_is_not_asked_and_the_others_are(judged: Project) -> None:
    (judged.path / "needs-a-map").touch()
    result = judged.record()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["WARNING: geo/capitals: 1 samples cannot be examined: there is no map of Peru"])
    assert {name: row["status"] for name, row in judged.rows.items()} == {
        name: "error" if name == "Peru" else "scored" for name in COUNTRIES
    }
    assert judged.rows["Peru"]["error"].startswith("there is no map of Peru")
    assert not any("Peru" in request.question for request in judged.server.requests)


def test_what_is_recorded_replays_on_a_machine_that_lacks_something(judged: Project) -> None:
    judged.record()
    (judged.path / "needs-a-map").touch()
    result = judged.run()
    assert result.ret == 0
    result.stdout.no_fnmatch_line("WARNING*")


def test_built_in_models_are_judged_by_stand_ins(judged: Project) -> None:
    assert judged.run(model="oracle").ret == 0
    assert judged.server.count == 0
    assert {row["scores"]["strict"]["accuracy"] for row in judged.rows.values()} == {1.0}
    assert judged.rows["Peru"]["judging"]["judge"]["model"] == "stand-in"


def test_an_estimate_prices_each_role_by_its_model(judged: Project) -> None:
    judged.record()
    result = judged.run("--estimate")
    result.stdout.fnmatch_lines(
        [
            "geo/capitals*gpt-4o-mini*5*5*500*25*",
            "geo/capitals (judge)*o4-mini*5*10*500*10*",
        ]
    )


def test_an_estimate_counts_a_model_that_judges_itself_once(judged: Project) -> None:
    result = judged.run("--estimate", "--role", "judge=gpt-4o-mini")
    # Without a recording: 5 answers; the judge's stand-in is content with each of the 10 votes.
    result.stdout.fnmatch_lines(["geo/capitals *gpt-4o-mini *5 *15 *", "total *5 *15 *"])
    result.stdout.no_fnmatch_line("geo/capitals (judge)*")


def test_remembered_values_are_in_a_stable_order_and_checked(judged: Project) -> None:
    judged.record("-n", "2")
    file: Path = judged.cassette.parent / "computed/letters.jsonl"
    lines = file.read_text().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 5
    assert {json.loads(line)["value"] for line in lines} == {4, 5, 6, 7}
    judged.record("--record-mode", "rewrite")
    assert file.read_text().splitlines() == lines  # computed anew, to the same values
    assert len(counted(judged)) == 10

    file.write_text("\n".join([lines[0].replace('"value":', '"value":1'), *lines[1:]]) + "\n")
    result = judged.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*letters.jsonl:1: the line was edited*"])


@pytest.mark.parametrize("mode", ["new_episodes", "rewrite"])
def test_a_value_that_a_killed_run_wrote_half_is_computed_again(judged: Project, mode: str) -> None:
    judged.record()
    file: Path = judged.cassette.parent / "computed/letters.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[: whole[:-1].rindex(b"\n") + 20])
    assert judged.record("--record-mode", mode).ret == 0
    assert file.read_bytes() == whole
    assert judged.run().ret == 0


def test_verdicts_of_the_usual_judge_are_kept_by_a_run_with_another(judged: Project) -> None:
    judged.record()
    judged.record("--role", "judge=gpt-4.1", "--record-mode", "new_episodes")
    before = judged.cassette.read_bytes()
    result = judged.run("--role", "judge=gpt-4.1", "--prune")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*10 stale recordings (a run without --role may need it; --prune keeps it): *"])
    assert judged.cassette.read_bytes() == before
    assert judged.run().ret == 0
