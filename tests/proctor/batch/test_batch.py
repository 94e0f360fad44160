"""``proctor batch``: answers that come through the providers' batch APIs, once each, and replay like any others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from batch_server import BatchServer
from batches import CLAUDE, FIVE, MODELS, TESTS, countries, fetch, lines_of, samples, submit
from capitals import CAPITALS, Project, answers
from stub_server import Request, StubServer

from proctor.batch.pending import pending_calls
from proctor.cli.main import main

# ---- the whole way


@pytest.mark.parametrize("model", MODELS)
def test_answers_of_a_batch_replay(model: str, project: Project, provider: BatchServer) -> None:
    assert submit(model=model) == 0
    (batch,) = provider.batches
    assert countries(batch) == FIVE
    assert all(len(request["custom_id"]) <= 64 for request in batch.requests)
    provider.end()
    assert fetch() == 0
    ended = project.run(model=model)
    assert ended.ret == 0
    ended.stdout.fnmatch_lines(["*5 correct*"])
    assert {row["source"] for row in project.rows.values()} == {"replayed"}


@pytest.mark.parametrize("model", MODELS)
def test_a_batch_sends_and_records_what_a_live_run_does(
    model: str, project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--record-prompts", "--max-tokens", "77", "--model-param", 'stop="x"')[: 3 if model == "o1-pro" else 5]
    submit(*arguments, model=model)
    provider.end()
    fetch()
    from_batch = lines_of(project, model)
    sent = [request.get("body") or request["params"] for request in provider.batches[0].requests]
    (project.path / f"cassettes/geo/capitals/{model}.jsonl").unlink()
    with StubServer(answers) as live:
        monkeypatch.setenv("OPENAI_BASE_URL", live.openai_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", live.anthropic_url)
        project.run("--record-mode", "once", *arguments, model=model)
        asked = [request.json for request in live.requests]
    assert sorted(map(json.dumps, map(sorted_items, sent))) == sorted(map(json.dumps, map(sorted_items, asked)))
    for batched, recorded in zip(from_batch, lines_of(project, model), strict=True):
        assert batched["batch"] is True
        assert "batch" not in recorded
        for name in ("sample", "epoch", "role", "key", "origin"):
            assert batched[name] == recorded[name]
        assert "turn" not in batched | recorded
        assert batched["response"] == recorded["response"]
        assert json.loads(batched["request"].pop("body")) == json.loads(recorded["request"].pop("body"))
        batched["request"]["uri"] = batched["request"]["uri"].replace(provider.anthropic_url, live.anthropic_url)
        assert batched["request"] == recorded["request"]


def sorted_items(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(fields.items())


def test_an_answer_of_a_batch_has_its_price_and_no_latency(project: Project, provider: BatchServer) -> None:
    submit()
    provider.end()
    fetch()
    project.run()
    # 100 tokens in at $0.15, 5 out at $0.60 a million, and half of that: $0.000009 each.
    for row in project.rows.values():
        assert row["cost_usd"] == pytest.approx((100 * 0.15 + 5 * 0.60) / 1e6 / 2)
        assert row["latency_s"] is None
    (task,) = project.report["tasks"]
    assert task["cost_usd"] == pytest.approx(5 * 0.000009)
    assert task["latency_s"] == {"p50": None, "p95": None}


def test_what_is_recorded_is_not_sent(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit("-k", "France or Japan")
    provider.end()
    fetch()
    submit()
    assert countries(provider.batches[1]) == ["Cuba", "Kenya", "Peru"]
    provider.end()
    fetch()
    assert submit() == 0
    assert "nothing to hand over: everything that can be asked now is recorded" in capsys.readouterr().out
    assert len(provider.batches) == 2


def test_the_selection_is_pytests(project: Project, provider: BatchServer) -> None:
    assert submit("--limit", "2", "--epochs", "2") == 0
    assert countries(provider.batches[0]) == ["France", "France", "Japan", "Japan"]
    provider.end()
    fetch()
    assert [(line["sample"], line["epoch"]) for line in lines_of(project)] == [
        ("France", 1),
        ("France", 2),
        ("Japan", 1),
        ("Japan", 2),
    ]


def test_several_models_are_several_batches(project: Project, provider: BatchServer) -> None:
    assert submit("--model", CLAUDE, "--model", "oracle") == 0
    assert [batch.kind for batch in provider.batches] == ["openai", "anthropic"]
    provider.end()
    assert fetch() == 0
    assert samples(lines_of(project)) == samples(lines_of(project, CLAUDE)) == FIVE


TWO_TURNS = """\
first = ask("capitals", country=sample.fields["country"])
return ask("sure", answer=first.text)
"""


def test_a_question_that_depends_on_an_answer_waits_for_it(project: Project, provider: BatchServer) -> None:
    prompts = '{"capitals": Placeholders("country"), "sure": Placeholders("answer")}'
    project.benchmark(converse=TWO_TURNS, prompts=prompts)
    project.prompt.with_name("sure.txt").write_text("Is {answer} right, for sure?")

    def script(request: Request) -> str:
        return request.question.split()[1] if "for sure" in request.question else answers(request)

    provider.script = script
    submit()
    assert countries(provider.batches[0]) == FIVE
    provider.end()
    fetch()
    submit()
    assert {request["body"]["messages"][0]["content"] for request in provider.batches[1].requests} == {
        f"Is [{CAPITALS[country]}] right, for sure?" for country in FIVE
    }
    provider.end()
    fetch()
    ended = project.run()
    ended.stdout.fnmatch_lines(["*5 correct*"])


# ---- nothing is paid for twice


@pytest.mark.parametrize("model", MODELS)
def test_what_is_on_its_way_is_not_sent_again(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submit("-k", "France", model=model)
    assert submit(model=model) == 0
    assert f"{model}: 1 calls are on their way already" in capsys.readouterr().out
    assert [countries(batch) for batch in provider.batches] == [["France"], ["Cuba", "Japan", "Kenya", "Peru"]]
    assert submit(model=model) == 0
    assert len(provider.batches) == 2


def test_what_is_fetched_while_cases_are_collected_is_not_sent_again(
    project: Project, provider: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit("-k", "France")
    provider.end()
    collect = pending_calls

    def slowly(run: Any, cases: Any) -> Any:
        found = collect(run, cases)
        assert fetch() == 0
        return found

    monkeypatch.setattr("proctor.batch.pending.pending_calls", slowly)
    submit()
    assert [countries(batch) for batch in provider.batches] == [["France"], ["Cuba", "Japan", "Kenya", "Peru"]]


class KilledError(BaseException):
    """As if the process had been killed."""


@pytest.mark.parametrize(
    ("before", "model"),
    [("submit", "gpt-4o-mini"), ("fetch", "o1-pro"), ("status", CLAUDE), ("submit", CLAUDE)],
)
def test_a_batch_that_a_killed_command_handed_over_is_found(
    before: str,
    model: str,
    project: Project,
    provider: BatchServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from proctor.batch.state import Batches

    save = Batches.save
    saved: list[Any] = []

    def save_once(self: Batches, batch: Any) -> None:
        if saved:
            raise KilledError
        saved.append(batch)
        save(self, batch)

    with monkeypatch.context() as patched:
        patched.setattr(Batches, "save", save_once)
        with pytest.raises(KilledError):
            submit(model=model)
    assert len(provider.batches) == 1
    if model == CLAUDE:  # until then, its batches say nothing of whose they are
        provider.end()
    main(["batch", before, *(["--", TESTS, "--model", model] if before == "submit" else [])])
    assert f"was handed over as {provider.batches[0].id}" in capsys.readouterr().out
    assert submit(model=model) == 0
    assert len(provider.batches) == 1
    provider.end()
    assert fetch() == 0
    assert samples(lines_of(project, model)) == FIVE


@pytest.mark.parametrize("model", ["gpt-4o-mini", CLAUDE])
def test_a_lost_connection_leaves_it_open_until_the_next_command(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [lambda: None]
    assert submit(model=model) == 1
    assert "whether 5 calls were accepted is not known" in capsys.readouterr().out
    assert submit(model=model) == 0
    assert len(provider.batches) == 1
    provider.end()
    assert fetch() == 0
    assert samples(lines_of(project, model)) == FIVE


@pytest.mark.parametrize("model", ["gpt-4o-mini", CLAUDE])
def test_what_was_never_handed_over_is_sent(
    model: str, project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [503]
    assert submit(model=model) == 1
    assert provider.batches == []
    assert submit(model=model) == 0
    assert "was prepared but never handed over" in capsys.readouterr().out
    assert [countries(batch) for batch in provider.batches] == [FIVE]


def test_a_refused_batch_is_forgotten(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [400]
    assert submit() == 1
    assert "5 calls were not accepted: 400: stub error" in capsys.readouterr().out
    assert list((project.path / ".proctor/batches").glob("*.json")) == []
    assert submit() == 0


def test_a_batch_of_somebody_else_with_as_many_requests_does_no_harm(
    project: Project, provider: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults = [503]
    submit(model=CLAUDE)
    foreign = [{"custom_id": f"theirs-{number}", "params": {"messages": [{"content": "Peru"}]}} for number in range(5)]
    provider.make_anthropic({"requests": foreign})
    assert submit(model=CLAUDE) == 0  # it may be ours: nothing is sent while nobody knows
    assert len(provider.batches) == 1
    provider.end()
    assert fetch() == 0
    assert "was prepared but never handed over" in capsys.readouterr().out
    assert submit(model=CLAUDE) == 0
    assert countries(provider.batches[1]) == FIVE


def test_a_batch_that_is_found_ended_must_be_ours(project: Project, provider: BatchServer) -> None:
    provider.faults = [503]
    submit(model=CLAUDE)
    foreign = [{"custom_id": f"theirs-{number}", "params": {"messages": [{"content": "Peru"}]}} for number in range(5)]
    provider.make_anthropic({"requests": foreign})
    provider.end()
    assert submit(model=CLAUDE) == 0
    assert countries(provider.batches[1]) == FIVE
