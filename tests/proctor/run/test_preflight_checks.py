"""What is found before the first call, one check at a time: a run over real files, without pytest around it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor._base.errors import UsageError
from proctor.live.concurrency import Concurrency
from proctor.recordings.record_mode import RecordMode
from proctor.run.case import Case
from proctor.run.option_checks import check_responses, check_skipped, skipped_models, unread_responses
from proctor.run.options import Options
from proctor.run.preflight import Preflight, check
from proctor.run.run import Run
from proctor.tasks.judge import Judged, Role
from proctor.tasks.prompt import Placeholders
from proctor.tasks.sample import Sample
from proctor.tasks.score import Score
from proctor.tasks.task import Task

COUNTRIES = ("France", "Peru")
GPT, CLAUDE, ORACLE = "gpt-4o-mini", "claude-3-5-haiku", "oracle"
LOCAL = """
models:
  here:
    provider: openai
    api_id: here
    base_url: http://127.0.0.1:9/v1
  gone:
    provider: openai
    api_id: gone
    lifecycle: {shutdown: 2025-01-31}
"""


def scored(sample: Sample, response: str, evidence: Any = None) -> Score:
    return Score(response, {"accuracy": 1.0}, {"accuracy": 1.0})


CAPITALS = Task(
    name="geo/capitals",
    samples_of=lambda row: [Sample(row.text("country"), {"country": row.text("country")}, row.text("capital"))],
    prompts={"capitals": Placeholders("country")},
    converse=lambda sample, ask: ask("capitals", country=sample.fields["country"]),
    score=scored,
    metrics={"accuracy": 0.0},
    builtin={"oracle": lambda sample, generator: sample.target},
)


def judged(unmet: Callable[[Sample], str | None] | None = None) -> Task:
    """The task with a judge, whom the benchmark wants to be the model under test."""
    score = Judged(
        examine=lambda sample, response, ask: ask("capitals", country=response, role="judge").text,
        score=scored,
        roles={"judge": Role(GPT, inputs=frozenset(), builtin=lambda texts: "yes")},
        unmet=unmet,
    )
    return replace(CAPITALS, name="geo/essays", score=score)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Makes a run in a folder that has data and prompts, and no recordings."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    for task in ("capitals", "essays"):
        for file, text in (
            (f"data/geo/{task}.jsonl", "".join(f'{{"country": "{c}", "capital": "x"}}\n' for c in COUNTRIES)),
            ("prompts/geo/capitals.txt", "What is the capital of {country}?\n"),
            ("models.yaml", LOCAL),
        ):
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(text)

    def made(**changes: Any) -> Run:
        return Run(replace(options_in(tmp_path), **changes), tmp_path, share=1)

    return made


def options_in(folder: Path) -> Options:
    """What a replay of gpt-4o-mini is asked for."""
    return Options(
        models=(GPT,),
        models_by_default=False,
        models_file=folder / "models.yaml",
        record_mode=RecordMode.NONE,
        keep_recordings=True,
        datasets={},
        official=None,
        strict_data=False,
        responses=None,
        data_dir=folder / "data",
        prompts_dir=folder / "prompts",
        prompts_chosen=False,
        cassettes_dir=folder / "cassettes",
        reports_dir=folder / "reports",
        limit=None,
        shuffle=None,
        shard=None,
        concurrency=Concurrency.parse("1"),
        programs_on="local",
        epochs=1,
        estimate=False,
        max_cost=None,
        timeout=1.0,
        silence=1.0,
        parameters={},
        system=None,
        roles={},
        fail_on=None,
        gate_file=None,
        baseline=None,
        margin=None,
        undecided_fails=False,
        stop_when_decided=False,
        whole_prompts=False,
        prune=False,
        command=("benchmarks",),
    )


def cases_of(run: Run, *tasks: Task, named: bool = True) -> list[Case]:
    return [case for task in tasks for case in run.collected.cases(task, named=named)]


def checked(run: Run, *tasks: Task, named: Sequence[str] = ()) -> Preflight:
    return check(run, cases_of(run, *tasks), named=named)


LIVE = {"record_mode": RecordMode.ONCE}


def test_a_replay_without_any_recording_is_refused_with_the_command_that_records(run: Callable[..., Run]) -> None:
    with pytest.raises(UsageError) as refused:
        checked(run(), CAPITALS, named=["geo/capitals"])
    assert "no recordings of geo/capitals for gpt-4o-mini" in str(refused.value)
    assert "pytest benchmarks --record-mode once --model gpt-4o-mini  (needs OPENAI_API_KEY)" in str(refused.value)


def test_a_built_in_model_needs_neither_recordings_nor_keys(run: Callable[..., Run]) -> None:
    found = checked(run(models=(ORACLE,)), CAPITALS)
    assert (found.warnings, found.asks, found.missing) == ([], [], {})


def test_a_key_that_is_not_set_is_named_with_what_it_is_needed_for(run: Callable[..., Run]) -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set, and gpt-4o-mini must be asked for geo/capitals\n"):
        checked(run(**LIVE), CAPITALS, named=["geo/capitals"])


def test_a_judge_without_a_key_is_named_with_its_role(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-distinctiveKey0123456789")
    with pytest.raises(UsageError) as refused:
        checked(run(models=(CLAUDE,), **LIVE), judged(), named=["geo/essays"])
    assert "gpt-4o-mini must be asked for geo/essays, as its judge" in str(refused.value)
    assert "or name another with --role judge=MODEL" in str(refused.value)


def test_with_nothing_to_spend_nobody_is_asked_and_no_key_is_needed(run: Callable[..., Run]) -> None:
    found = checked(run(max_cost=0.0, **LIVE), CAPITALS, named=["geo/capitals"])
    assert (found.asks, found.left_out.keeps(cases_of(run(), CAPITALS)[0])) == ([], True)


def test_a_limit_in_dollars_needs_a_model_with_a_price(run: Callable[..., Run]) -> None:
    with pytest.raises(UsageError, match="--max-cost cannot be kept: no price is known for here"):
        checked(run(models=("here",), max_cost=1.0, **LIVE), CAPITALS, named=["geo/capitals"])


def test_an_endpoint_that_is_not_there_ends_the_run(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.run.reaching.PAUSES", (0.0, 0.0))
    with pytest.raises(UsageError, match=r"here \(answers of geo/capitals\) cannot be asked"):
        checked(run(models=("here",), **LIVE), CAPITALS, named=["geo/capitals"])


def test_recordings_that_cannot_be_written_are_said(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "cassettes").write_text("a file, not a folder")
    with pytest.raises(UsageError, match=r"recordings cannot be written to .*capitals/here\.jsonl"):
        checked(run(models=("here",), **LIVE), CAPITALS, named=["geo/capitals"])


def test_a_model_that_is_shut_down_is_refused(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-distinctiveKey0123456789")
    with pytest.raises(UsageError, match="gone was shut down on 2025-01-31 and cannot be asked for geo/capitals"):
        checked(run(models=("gone",), **LIVE), CAPITALS, named=["geo/capitals"])


def test_what_a_sample_lacks_is_said_with_the_number_of_samples_and_the_others_are_asked(
    run: Callable[..., Run],
) -> None:
    essays = judged(unmet=lambda sample: "no such library" if sample.id == "Peru" else None)
    found = checked(run(max_cost=0.0, **LIVE), essays, named=["geo/essays"])
    assert found.missing == {("geo/essays", "Peru"): "no such library"}
    assert found.warnings == ["geo/essays: 1 samples cannot be examined: no such library"]


def test_a_task_of_which_nothing_can_be_examined_is_left_out_unless_it_is_named(run: Callable[..., Run]) -> None:
    essays = judged(unmet=lambda sample: "no such library")
    found = checked(run(max_cost=0.0, **LIVE), CAPITALS, essays)
    assert found.warnings == ["left out: geo/essays cannot be examined: no such library"]
    with pytest.raises(UsageError, match="geo/essays cannot be examined: no such library"):
        checked(run(max_cost=0.0, **LIVE), CAPITALS, essays, named=["geo/essays"])


def test_a_case_that_two_tests_measure_is_refused(run: Callable[..., Run]) -> None:
    with pytest.raises(UsageError, match=r"two tests measure geo/capitals \[oracle-France\]"):
        checked(run(models=(ORACLE,)), CAPITALS, CAPITALS)


def test_each_conversation_is_rehearsed_once_whatever_number_of_models_there_is(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[str] = []

    def converse(sample: Sample, ask: Any) -> Any:
        held.append(sample.id)
        return ask("capitals", country=sample.fields["country"])

    essays = replace(judged(unmet=lambda sample: None), converse=converse)
    checked(run(models=(GPT, CLAUDE), max_cost=0.0, **LIVE), essays, named=["geo/essays"])
    assert sorted(held) == ["France", "France", "Peru", "Peru"]


# ---- what the options and the collected tests alone tell


def test_a_model_that_was_named_and_can_be_asked_nothing_is_refused(run: Callable[..., Run]) -> None:
    chance = run(models=("chance",))
    assert cases_of(chance, CAPITALS, named=False) == []
    with pytest.raises(UsageError, match="task geo/capitals does not define the built-in model 'chance'"):
        check_skipped(chance, [])
    two = run(models=("chance", ORACLE))
    cases = cases_of(two, CAPITALS, named=False)
    assert {case.model.name for case in cases} == {ORACLE}
    assert skipped_models(two) == [
        "left out: task geo/capitals does not define the built-in model 'chance' (it defines: oracle)"
    ]


def test_a_model_without_responses_and_a_file_that_nothing_reads_are_said(
    run: Callable[..., Run], tmp_path: Path
) -> None:
    for name in ("capitals", "capitols"):
        (tmp_path / f"theirs/{GPT}").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"theirs/{GPT}/{name}.jsonl").write_text("")
    with_responses = run(responses=tmp_path / "theirs", models=(GPT, CLAUDE))
    check_responses(with_responses)  # nothing is collected, which pytest says
    cases_of(with_responses, CAPITALS)
    assert unread_responses(with_responses) == []  # such names are told of tasks with files of entries alone
    check_responses(run(responses=tmp_path / "theirs"))
    silent = run(responses=tmp_path / "theirs", models=(CLAUDE,))
    cases_of(silent, CAPITALS)
    with pytest.raises(UsageError, match="no responses of claude-3-5-haiku in theirs that a collected test reads"):
        check_responses(silent)
