"""Scoring responses that were made elsewhere: both layouts, and what is missing, surplus or wrong in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from capitals import CAPITALS, CONTINENTS, Project

COUNTRIES = list(CAPITALS)[:5]


def write(project: Project, lines: Sequence[Mapping[str, Any]], model: str = "someone", name: str = "capitals") -> None:
    file = project.path / f"answers/{model}/{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def by_id(**changed: str) -> list[dict[str, Any]]:
    return [{"sample_id": name, "response": changed.get(name, f"[{CAPITALS[name]}]")} for name in COUNTRIES]


def by_entry() -> list[dict[str, Any]]:
    return [
        {"country": name, "capital": CAPITALS[name], "continent": CONTINENTS[name], "response": f"[{CAPITALS[name]}]"}
        for name in COUNTRIES
    ]


def score(project: Project, *args: str, model: str | None = None) -> pytest.RunResult:
    return project.run("--responses", "answers", *args, model=model)


@pytest.mark.parametrize("lines", [by_id(), by_entry(), list(reversed(by_entry()))])
def test_responses_are_scored_and_no_model_is_asked(project: Project, lines: list[dict[str, Any]]) -> None:
    write(project, lines)
    result = score(project)
    assert result.ret == 0
    assert project.server.count == 0
    row = project.rows["Peru"]
    assert (row["model"], row["source"], row["response_text"]) == ("someone", "responses", "[Lima]")
    assert (row["request_key"], row["prompt_sha256"], row["latency_s"], row["cost_usd"]) == (None, None, None, None)
    (task,) = project.report["tasks"]
    assert task["metrics"]["accuracy"]["strict"]["value"] == 1.0
    assert task["responses"]["file"] == "answers/someone/capitals.jsonl"
    assert task["responses"]["entries"] == 5
    assert task["cost_usd"] is None


def test_all_models_of_the_folder_or_those_named(project: Project) -> None:
    write(project, by_id(), "first")
    write(project, by_id(Peru="[Quito]"), "vendor~second")
    write(project, by_id(), "third")
    score(project)
    assert [task["model"] for task in project.report["tasks"]] == ["first", "third", "vendor/second"]
    result = project.run("--responses", "answers", "--model", "third", "--model", "vendor/second", model=None)
    assert [task["model"] for task in project.report["tasks"]] == ["third", "vendor/second"]
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["*9 correct, 1 incorrect*"])


def test_a_folder_may_be_called_as_the_model_is_but_not_lead_elsewhere(project: Project) -> None:
    write(project, by_id(), "my model")
    score(project)
    assert [task["model"] for task in project.report["tasks"]] == ["my model"]
    write(project, by_id(), "../elsewhere")
    result = score(project, model="../elsewhere")
    assert result.ret == 4  # nothing is read outside of the folder
    assert "no responses of ../elsewhere" in result.stdout.str() + result.stderr.str()


def test_missing_extra_and_duplicate_responses_are_counted_and_listed(project: Project) -> None:
    lines = by_id()
    lines = [*lines[1:], {"sample_id": "Atlantis", "response": "[?]"}, {"sample_id": "Peru", "response": "[Cusco]"}]
    write(project, lines)
    result = score(project)
    assert result.ret == 1
    (task,) = project.report["tasks"]
    assert task["status"]["missing"] == 1
    assert task["failures"]["missing"] == ["France"]
    assert task["responses"]["extra"] == ["Atlantis"]
    assert task["responses"]["duplicates"] == ["Peru"]
    assert project.rows["Peru"]["response_text"] == "[Lima]"  # the first one counts
    # 4 of 5 are right; the official family, in which nobody asked for France, does not know of it
    assert task["metrics"]["accuracy"]["strict"]["value"] == pytest.approx(0.8)
    assert task["metrics"]["accuracy"]["official"]["value"] == 1.0
    result.stdout.fnmatch_lines(
        [
            "*no response to France in answers/someone/capitals.jsonl*",
            "*geo/capitals someone: 1 response without a sample: Atlantis*",
            "*geo/capitals someone: 1 sample with several responses, of which the first counts: Peru*",
        ]
    )


@pytest.mark.parametrize("lines", [by_id(), by_entry()])
def test_a_response_that_is_null_is_none_and_costs_no_other(project: Project, lines: list[dict[str, Any]]) -> None:
    write(project, [{**lines[0], "response": None}, *lines[1:]])
    assert score(project).ret == 1
    (task,) = project.report["tasks"]
    assert (task["status"]["missing"], task["status"]["scored"], task["responses"]["entries"]) == (1, 4, 4)
    assert task["failures"]["missing"] == ["France"]


def test_usage_and_the_end_of_a_response_are_taken_over(project: Project) -> None:
    lines = by_id()
    lines[0] |= {"usage": {"input_tokens": 1000, "output_tokens": 100}, "finish_reason": "length"}
    write(project, lines, "gpt-4o-mini")
    score(project)
    row = project.rows["France"]
    assert row["status"] == "truncated"
    assert row["cost_usd"] == pytest.approx(1000 * 0.15e-6 + 100 * 0.60e-6)


def test_each_epoch_has_its_response(project: Project) -> None:
    write(project, [*by_id(), *({**line, "epoch": 2, "response": "[Rome]"} for line in by_id())])
    score(project, "--epochs", "2")
    values = project.report["tasks"][0]["metrics"]["accuracy"]["strict"]["epochs"]["values"]
    assert values == [1.0, 0.0]


def test_a_task_that_nobody_answered_has_no_cases(project: Project) -> None:
    write(project, by_id(), name="rivers")
    result = score(project)
    result.assert_outcomes(skipped=1)
    assert result.ret == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"sample_id": "Peru"}, "capitals.jsonl:1: field 'response': is missing"),
        ({"sample_id": "Peru", "response": ["[Lima]"]}, "capitals.jsonl:1: field 'response': must be a string"),
        ({"country": "Peru", "capital": "Lima"}, "capitals.jsonl:1: field 'response': is missing"),
        ({"sample_id": 3, "response": ""}, "capitals.jsonl:1: field 'sample_id'"),
        ({"sample_id": "Peru", "response": "", "usage": {"tokens": 3}}, "capitals.jsonl:1: field 'usage'"),
        ({"sample_id": "Peru", "response": "", "finish_reason": "bored"}, "field 'finish_reason': must be one of"),
    ],
)
def test_a_line_that_is_no_response_is_named(project: Project, line: dict[str, Any], message: str) -> None:
    write(project, [line])
    result = score(project)
    assert result.ret == 4
    assert message in result.stderr.str()


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_a_folder_without_responses_is_bad_usage(project: Project, folder: str) -> None:
    (project.path / "empty").mkdir()
    result = project.run("--responses", folder, model=None)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*--responses*{folder}*"])


def test_the_models_recordings_are_left_alone(project: Project) -> None:
    project.record()
    recorded = project.cassette.read_bytes()
    write(project, by_id(), "gpt-4o-mini")
    result = score(project)
    result.stdout.no_fnmatch_line("*unused*")
    assert project.cassette.read_bytes() == recorded
    assert score(project, "--prune").ret == 4
