"""--max-cost: a run that stops asking when it has spent its money."""

from __future__ import annotations

import json
import threading

import pytest
from capitals import Project, answers
from stub_server import Answer, Request
from waiting import LIMIT, wait_until

from proctor.live.budget import LEDGER

PRICEY = (100_000, 0, 25_000, 0)
"""Tokens that cost 100,000 × $0.15/M + 25,000 × $0.60/M = $0.03 with gpt-4o-mini."""


def pricey(request: Request) -> Answer:
    return Answer(answers(request), tokens=PRICEY)


def many_rows(project: Project, count: int) -> None:
    project.write_rows([{"country": f"Land{number:04}", "capital": "Paris"} for number in range(count)])
    project.server.script = Answer("[Paris]", tokens=PRICEY)


def status(project: Project) -> dict[str, int]:
    return {name: count for name, count in project.report["tasks"][0]["status"].items() if count}


def recorded(project: Project) -> int:
    return len(project.cassette.read_bytes().splitlines())


def test_a_run_stops_when_the_money_is_spent_and_the_next_one_continues(project: Project) -> None:
    project.server.script = pricey
    result = project.record("--max-cost", "0.08", "--concurrency", "1")
    assert result.ret == 1
    assert (project.server.count, recorded(project)) == (3, 3)  # $0.03, 0.06, 0.09
    assert status(project) == {"scored": 3, "missing": 2}
    assert len(project.report["tasks"][0]["failures"]["missing"]) == 2
    result.stdout.fnmatch_lines(["--max-cost 0.08 reached: $0.0900 spent on live calls, 2 cases not run.*"])
    result = project.record("--max-cost", "0.08", "--concurrency", "1")
    assert result.ret == 0
    assert project.server.count == 5
    assert status(project) == {"scored": 5}
    result.stdout.fnmatch_lines(["--max-cost 0.08: $0.0600 spent on live calls"])


def test_requests_in_flight_are_counted_before_they_land(project: Project) -> None:
    many_rows(project, 60)
    project.server.latency = 0.02
    assert project.record("--max-cost", "0.6", "--concurrency", "8").ret == 1
    assert project.server.count == 20
    assert status(project) == {"scored": 20, "missing": 40}


def test_workers_share_the_money(project: Project) -> None:
    many_rows(project, 24)
    project.server.latency = 0.05
    result = project.record("--max-cost", "0.3", "--concurrency", "4", "-n", "2")
    asked = project.server.count
    assert result.ret == 1
    assert 10 <= asked <= 10 + 4
    assert recorded(project) == asked
    assert status(project) == {"scored": asked, "missing": 24 - asked}
    result.stdout.fnmatch_lines([f"*reached: ${0.03 * asked:.4f} spent on live calls, {24 - asked} cases not run.*"])
    assert project.record().ret == 0
    assert project.server.count == 24


def test_zero_means_only_what_is_recorded(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.record("-k", "america")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert project.record("--max-cost", "0").ret == 1
    assert project.server.count == 2
    assert status(project) == {"scored": 2, "missing": 3}
    assert set(project.rows) == {"Peru", "Cuba"}


def test_replayed_answers_cost_nothing_now(project: Project) -> None:
    project.server.script = pricey
    project.record()
    assert project.record("--max-cost", "0.01").ret == 0
    assert status(project) == {"scored": 5}
    assert project.run("--max-cost", "0.01").ret == 0


def test_recording_again_costs_again(project: Project) -> None:
    project.server.script = pricey
    project.record()
    assert project.run("--record-mode", "all", "--max-cost", "0.01", "--concurrency", "1").ret == 1
    assert project.server.count == 6


def test_failed_requests_cost_nothing_and_are_not_repeated_without_money(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    france_is_asked = threading.Event()

    def script(request: Request) -> Answer:
        if "France" in request.question:
            france_is_asked.set()
            return Answer.error(500)
        assert france_is_asked.wait(LIMIT)
        return Answer("[Tokyo]", tokens=PRICEY)

    def until_the_other_is_paid(_failures: int, _asked: float | None) -> float:
        wait_until(lambda: any(ledger.read_bytes() for ledger in project.path.glob(f"reports/*/{LEDGER}")))
        return 0.0

    project.server.script = script
    monkeypatch.setattr("proctor.live.endpoint_client.delay_before_retry", until_the_other_is_paid)
    assert project.record("--max-cost", "0.03", "--concurrency", "2", "-k", "France or Japan").ret == 1
    assert project.server.count == 2
    assert status(project) == {"scored": 1, "missing": 1}


def test_an_unknown_price_is_refused_before_the_first_call(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-distinctiveKey0123456789")
    monkeypatch.setenv("OPENROUTER_BASE_URL", project.server.openai_url)
    result = project.run("--record-mode", "once", "--max-cost", "1", model="openrouter/vendor/some-model")
    assert result.ret == 4
    assert project.server.count == 0
    assert not (project.path / "reports").exists()
    result.stderr.fnmatch_lines(["*no price is known for openrouter/vendor/some-model", "*models.yaml*", "*price: {*"])


def test_a_free_model_never_reaches_the_limit(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", project.server.openai_url)
    result = project.run("--record-mode", "once", "--max-cost", "0.01", model="smollm2-135m-instruct")
    assert result.ret == 0
    assert project.server.count == 5


def test_an_answer_without_token_counts_costs_what_its_length_says(project: Project) -> None:
    message = {"role": "assistant", "content": "[Paris]" + "x" * 349_993}  # 100,000 tokens of output: $0.06
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
    project.server.script = Answer(body=body)
    result = project.record("--max-cost", "0.06", "--concurrency", "1")
    assert result.ret == 1
    assert project.server.count == 1
    result.stdout.fnmatch_lines(["*reached: $0.0600 spent on live calls, 4 cases not run.*"])


def test_a_conversation_that_breaks_off_is_continued_by_the_next_run(project: Project) -> None:
    project.benchmark(
        imports="Placeholders, Reply, Sample, Score, Task",
        converse="try:\n"
        '    ask("capitals", country=sample.fields["country"], role="draft")\n'
        '    return ask("capitals", country=sample.fields["country"])\n'
        "except Exception:\n"
        "    return Reply('[unjudged]')",
    )
    project.server.script = pricey
    arguments = ("--max-cost", "0.08", "--concurrency", "1")
    assert project.record(*arguments).ret == 1
    assert project.server.count == 3
    assert status(project) == {"scored": 1, "missing": 4}
    assert project.record("--concurrency", "1").ret == 0
    assert project.server.count == 10


@pytest.mark.parametrize("amount", ["-1", "nan", "much", "inf"])
def test_an_amount_that_is_none_is_refused(project: Project, amount: str) -> None:
    assert project.run("--max-cost", amount).ret == 4
