"""report.json and report.md: what they hold, and that the numbers are right."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from capitals import Project, answers
from stub_server import Answer

from proctor.report.build import build_report
from proctor.report.summary import markdown
from proctor.results.manifest import Manifest, ManifestCase, ManifestTask

STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def manifest(*names: str, metrics: dict[str, float] | None = None, tags: dict[str, str] | None = None) -> Manifest:
    """A selection of one task with these samples; the first letter of a name is its cluster."""
    cases = tuple(ManifestCase(name, index, 1, name[0], tags or {}) for index, name in enumerate(names))
    run: dict[str, Any] = {"id": "r", "started": STARTED.isoformat(), "command": "pytest"}
    run |= {"git_commit": None, "versions": {}}
    task = ManifestTask(
        benchmark="b",
        task="t",
        model="m",
        model_api_id="m-1",
        metrics=metrics or {"f1": 0.0},
        data_file="d.jsonl",
        data_sha256="0",
        cassette_file=None,
        prompt_sha256={},
        module="test_t.py",
        has_artifact=False,
        cases=cases,
    )
    return Manifest(run, (task,))


def row(name: str, official: dict[str, Any], strict: dict[str, Any], **fields: Any) -> Any:
    """A result row with the fields that reports read."""
    return {
        "benchmark": "b",
        "task": "t",
        "model": "m",
        "sample_id": name,
        "epoch": 1,
        "status": "scored",
        "scores": {"official": official, "strict": strict},
        "diagnostics": {},
        "usage": {"input_tokens": 10, "output_tokens": 2, "cached_tokens": None, "reasoning_tokens": None},
        "cost_usd": 0.25,
        "latency_s": 1.0,
        "attempts": 1,
        "source": "replayed",
        "recorded_at": "2026-01-01T00:00:00.000Z",
        **fields,
    }


def task_report(selected: Manifest, *rows: Any) -> dict[str, Any]:
    report = build_report(selected, rows, finished=STARTED + timedelta(seconds=2.5))
    assert report["run"]["duration_s"] == 2.5
    task: dict[str, Any] = report["tasks"][0]
    return task


def test_official_takes_the_mean_over_pairs_and_strict_over_samples() -> None:
    report = task_report(
        manifest("a1", "a2", "b1"),
        row("a1", {"f1": 0.5, "pairs": [{"f1": 1.0}, {"f1": 0.0}]}, {"f1": 0.5}),
        row("a2", {"f1": 0.6, "pairs": [{"f1": 0.6}]}, {"f1": 0.3}),
        row("b1", {"f1": 0.0, "pairs": []}, {"f1": 0.0}, status="unparsed"),
    )
    official, strict = report["metrics"]["f1"]["official"], report["metrics"]["f1"]["strict"]
    # One cluster, so no standard error, and the interval of one case with that value; two clusters of 2 and 1 samples
    # have CR2 errors of 0.8 - 2 · 0.8 / 3 = 0.8 / 3 each, over 3, so (0.8 / 9)² (1 / (1 - 2/3) + 1 / (1 - 1/3)).
    assert {**official, "ci95": None, "sensitivity": None} == {
        "value": pytest.approx(1.6 / 3), "se": None, "ci95": None, "n": 3, "clusters": 1, "sensitivity": None
    }  # fmt: skip
    assert (strict["value"], strict["n"], strict["clusters"]) == (pytest.approx(0.8 / 3), 3, 2)
    assert strict["se"] == pytest.approx(0.8 / 9 * 4.5**0.5)


def test_missing_and_failed_cases_count_with_the_worst_value_in_strict_and_not_in_official() -> None:
    report = task_report(
        manifest("a", "b", "c", "d", metrics={"judge_score": 1.0}),
        row("a", {"judge_score": 9}, {"judge_score": 9}),
        row("b", {}, {"judge_score": 1.0}, status="error", cost_usd=None, latency_s=None, recorded_at=None),
        row("c", {"judge_score": 5}, {"judge_score": 5}),
    )
    assert report["metrics"]["judge_score"]["strict"]["value"] == (9 + 1 + 5 + 1) / 4
    assert report["metrics"]["judge_score"]["official"]["value"] == 7
    assert (report["expected"], report["status"]["missing"], report["status"]["error"]) == (4, 1, 1)
    assert report["failures"] == {"error": ["b"], "missing": ["d"]}
    assert sum(report["status"].values()) == 4


def test_each_score_is_told_also_without_failures_and_as_the_official_grader_counts() -> None:
    report = task_report(
        manifest("a", "b", "c", "d", "e"),
        row("a", {"f1": 1.0}, {"f1": 0.5}),
        row("b", {"f1": 0.5}, {"f1": 0.0}, status="unparsed"),
        row("c", {}, {"f1": 0.0}, status="error"),
        row("d", {"f1": 0.0}, {"f1": 1.0}),
    )
    official, strict = report["metrics"]["f1"]["official"], report["metrics"]["f1"]["strict"]
    assert (strict["value"], strict["n"]) == (pytest.approx(1.5 / 5), 5)
    assert strict["sensitivity"] == {"scored_only": {"value": 0.75, "n": 2}, "official": {"value": 0.5, "n": 3}}
    assert official["sensitivity"] == {"scored_only": {"value": 0.5, "n": 2}, "official": {"value": 0.5, "n": 3}}
    assert "sensitivity" not in str(report["by_tag"])


def several(*rows: Any, names: str = "abcd") -> dict[str, Any]:
    """The report of a run of the models m and n."""
    (one,) = manifest(*names).tasks
    both = (one, ManifestTask(**{**vars(one), "model": "n"}))
    return build_report(Manifest(manifest(*names).run, both), rows, finished=STARTED)


def test_models_are_compared_in_pairs() -> None:
    rows = [
        row(name, {"f1": value}, {"f1": value}, model=model)
        for model, values in (("m", (1.0, 0.5, 0.5, 1.0)), ("n", (0.5, 0.0, 0.0, 0.75)))
        for name, value in zip("abcdefghijkl", values * 3, strict=True)
    ]
    report = several(*rows, names="abcdefghijkl")
    official, strict = report["comparisons"]
    assert (official["family"], strict["family"]) == ("official", "strict")
    assert (strict["a"], strict["b"]) == (
        {"run": "r", "model": "m", "value": 0.75},
        {"run": "r", "model": "n", "value": 0.3125},
    )
    # Differences of -0.5 nine times and of -0.25 three times: mean -0.4375, mean square 0.203125, own part 0.01171875.
    # 5.14 of them tell: effective number 12 / ((5.14² · 12/11 + 0.5) / (5.14² + 0.5)) = 11.02. With one of √⅓ either
    # way the centre is -0.4375 · 11.02 / 13.02, the squared error ((11.02 · 0.203125 + 2/3) / 13.02 - centre²) / 13.02.
    assert (strict["difference"], strict["se"]) == (-0.4375, pytest.approx(0.0813, abs=1e-4))
    assert (strict["a_better"], strict["b_better"], strict["n"]) == (12, 0, 12)
    assert strict["verdict"] == "worse"
    text = markdown(report)
    assert "| b/t | m | n | f1 | -0.4375 [-0.549, -0.191] | &lt;0.001 | 12 | 0 | 12 |" in text


def answer(name: str, model: str, prediction: Any, **fields: Any) -> Any:
    value = float(prediction == "gold")
    return row(
        name, {"f1": value}, {"f1": value}, **{"model": model, "prediction": prediction, "target": "gold", **fields}
    )


def test_samples_on_which_all_models_agree_against_the_gold_answer_are_suspects() -> None:
    report = several(
        *(answer("a", model, "lead") for model in "mn"),  # the same other answer
        *(answer("b", model, f"{model}'s") for model in "mn"),  # wrong, each in its own way
        *(answer("c", model, "gold" if model == "n" else "lead") for model in "mn"),  # one is right
        *(answer("d", model, "lead", status="error" if model == "n" else "scored") for model in "mn"),
        *(answer("e", model, None, status="unparsed") for model in "mn"),
        answer("f", "m", "lead"),  # missing for n
        names="abcdef",
    )
    assert report["suspects"] == [
        {
            "benchmark": "b",
            "task": "t",
            "models": ["m", "n"],
            "all_wrong": ["a", "b", "e"],
            "same_other_answer": [{"sample": "a", "prediction": "lead", "target": "gold"}],
        }
    ]
    text = markdown(report)
    assert "**b/t**: every model got 3 wrong: a, b, e" in text
    assert "| a | lead | gold |" in text


def test_a_suspect_may_be_partly_right_and_must_be_the_same_each_time() -> None:
    graph = [["person", "verb", "go"]] * 40  # too long to be shown
    partly = {"f1": 0.5}
    rows: list[Any] = [
        {**answer(name, model, prediction), "epoch": epoch, "scores": {"official": partly, "strict": partly}}
        for name, predictions in (("a", (graph, graph, graph, graph)), ("b", ("x", "x", "x", "y")))
        for prediction, (model, epoch) in zip(predictions, (("m", 1), ("m", 2), ("n", 1), ("n", 2)), strict=True)
    ]
    (task,) = manifest("a", "b").tasks
    cases = tuple(
        ManifestCase(c.sample_id, c.sample_index, epoch, c.cluster, {}) for epoch in (1, 2) for c in task.cases
    )
    tasks = tuple(ManifestTask(**{**vars(task), "model": model, "cases": cases}) for model in "mn")
    report = build_report(Manifest(manifest("a").run, tasks), rows, finished=STARTED)
    (found,) = report["suspects"]
    assert (found["all_wrong"], [suspect["sample"] for suspect in found["same_other_answer"]]) == ([], ["a"])
    assert found["same_other_answer"][0]["prediction"] is None
    assert "| a | (long) | gold |" in markdown(report)


def test_one_model_alone_has_no_suspects_and_nothing_to_compare_with() -> None:
    report = build_report(manifest("a"), [answer("a", "m", "lead")], finished=STARTED)
    assert (report["suspects"], report["comparisons"]) == ([], [])


def test_a_case_that_was_run_twice_counts_once_with_its_last_row() -> None:
    report = task_report(manifest("a"), row("a", {"f1": 0.0}, {"f1": 0.0}), row("a", {"f1": 1.0}, {"f1": 1.0}))
    found = report["metrics"]["f1"]["strict"]
    assert (found["value"], found["se"], found["n"], found["clusters"]) == (1.0, None, 1, 1)
    assert found["ci95"] == [pytest.approx(0.2065, abs=1e-4), 1.0]  # Wilson's, for one of one


def test_usage_cost_latency_and_recording_dates_are_summed_up() -> None:
    rows = [
        row(
            str(n),
            {"f1": 1.0},
            {"f1": 1.0},
            latency_s=float(n),
            recorded_at=f"2026-01-{n:02}T00:00:00.000Z",
        )
        for n in range(1, 22)
    ]
    report = task_report(manifest(*(str(n) for n in range(1, 22))), *rows)
    assert report["usage"] == {
        "input_tokens": 210, "output_tokens": 42, "cached_tokens": None, "reasoning_tokens": None
    }  # fmt: skip
    assert report["cost_usd"] == 5.25
    assert report["latency_s"] == {"p50": 11.0, "p95": 20.0}
    assert report["cassette"] == {
        "file": None, "recorded": 21, "first": "2026-01-01T00:00:00.000Z", "last": "2026-01-21T00:00:00.000Z"
    }  # fmt: skip


def test_cost_is_unknown_if_the_price_of_any_answer_is() -> None:
    rows = [row("a", {"f1": 1.0}, {"f1": 1.0}), row("b", {"f1": 1.0}, {"f1": 1.0}, cost_usd=None)]
    assert task_report(manifest("a", "b"), *rows)["cost_usd"] is None


def test_diagnostics_are_means_over_the_cases_they_apply_to() -> None:
    report = task_report(
        manifest("a", "b", "c"),
        row("a", {"f1": 1.0}, {"f1": 1.0}, diagnostics={"hands": 1.0, "edge": 0.5}),
        row("b", {"f1": 1.0}, {"f1": 1.0}, diagnostics={"hands": None, "edge": 0.0}),
    )
    values = {name: (entry["value"], entry["n"]) for name, entry in report["diagnostics"].items()}
    assert values == {"edge": (0.25, 2), "hands": (1.0, 1)}


def test_scores_by_tag_sort_numbers_as_numbers() -> None:
    selected = manifest("a", "b", "c")
    cases = tuple(
        ManifestCase(case.sample_id, case.sample_index, 1, case.cluster, {"graphs": value})
        for case, value in zip(selected.tasks[0].cases, ("10", "2", "2-5"), strict=True)
    )
    tagged = Manifest(selected.run, (ManifestTask(**{**vars(selected.tasks[0]), "cases": cases}),))
    report = task_report(tagged, row("a", {"f1": 1.0}, {"f1": 1.0}), row("b", {"f1": 0.5}, {"f1": 0.5}))
    assert list(report["by_tag"]["graphs"]) == ["2", "2-5", "10"]
    assert report["by_tag"]["graphs"]["10"]["metrics"]["f1"]["strict"]["value"] == 1.0
    assert report["by_tag"]["graphs"]["2"]["metrics"]["f1"]["strict"]["value"] == 0.5
    assert report["by_tag"]["graphs"]["2-5"]["metrics"]["f1"]["strict"]["value"] is None  # c has no row


def test_report_md_shows_hostile_text_as_text() -> None:
    selected = manifest("a", tags={"domain": "x"})
    run = {**selected.run, "command": "pytest `x` | <script>\n# head"}
    report = build_report(Manifest(run, selected.tasks), [], finished=STARTED)
    # As code, in which only the backquote means anything.
    assert "\n\n`pytest 'x' | <script> # head`\n\n" in markdown(report)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("![x](https://a.example/p.png)", r"\![x]\(https://a.example/p.png)"),  # a picture would be asked for
        ("[x](https://a.example)", r"[x]\(https://a.example)"),
        ("a\\|b", r"a\\\|b"),  # a backslash before a pipe would leave it the end of a cell
        ("**x** _y_ ~~z~~ a_b `c`", r"\*\*x\*\* \_y\_ \~\~z\~\~ a_b \`c\`"),
        ("[0.1, 0.2] (n = 3)", "[0.1, 0.2] (n = 3)"),
        ("\x1b[31m \u202ered \ud83d &lt;", "U+001B[31m U+202Ered U+D83D &amp;lt;"),
    ],
)
def test_report_md_shows_what_models_answered_as_it_is(said: str, shown: str) -> None:
    text = markdown(several(*(answer("a", model, said) for model in "mn"), names="a"))
    assert f"\n| a | {shown} | gold |\n" in text
    assert text.encode()


def test_a_run_leaves_rows_report_and_selection(project: Project) -> None:
    project.record()
    folder = project.folders[-1]
    assert {file.name for file in folder.iterdir()} == {
        "results.jsonl", "report.json", "report.md", "summary.md", "report.html", "selection.json", "prompts.jsonl"
    }  # fmt: skip
    report = project.report
    assert set(report["run"]) == {
        "id", "started", "duration_s", "command", "git_commit", "versions", "machine", "models"
    }  # fmt: skip
    assert report["run"]["id"] == folder.name
    assert report["tasks"][0]["data_file"] == "data/geo/capitals.jsonl"
    assert report["tasks"][0]["by_tag"]["continent"]["america"]["expected"] == 2
    assert report["tasks"][0]["cassette"]["recorded"] == 5
    text = (folder / "report.md").read_text()
    assert (
        "| geo/capitals | gpt-4o-mini | accuracy | 1.0000 [0.566, 1.000] (n = 5) | 1.0000 [0.566, 1.000] (n = 5) |"
        in text
    )
    assert "SHA-256" in text


def test_a_row_has_every_field_of_the_contract(project: Project) -> None:
    project.record("-k", "France")
    row = project.rows["France"]
    fields = (
        "schema_version run_id benchmark task model model_api_id sample_id sample_index epoch cluster tags status "
        "scores prediction target response_text finish_reason usage cost_usd latency_s attempts source prompt_sha256 "
        "request_key error"
    )
    assert set(fields.split()) <= set(row)
    expected = {
        "benchmark": "geo", "task": "capitals", "model": "gpt-4o-mini", "model_api_id": "gpt-4o-mini-2024-07-18",
        "sample_id": "France", "sample_index": 0, "epoch": 1, "cluster": "France", "tags": {"continent": "europe"},
        "status": "scored", "scores": {"official": {"accuracy": 1.0}, "strict": {"accuracy": 1.0}},
        "prediction": "Paris", "target": "Paris", "response_text": "[Paris]", "finish_reason": "stop",
        "attempts": 1, "source": "recorded", "error": None,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected
    assert row["latency_s"] >= 0


def test_the_report_of_one_case_imports_no_numerical_library(project: Project) -> None:
    project.record("-k", "France")
    (project.path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    print('loaded:', sorted({'numpy', 'scipy', 'openai', 'vcr'} & set(sys.modules)))\n"
    )
    result = project.run_apart("-k", "France")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["loaded: [[]]"])


def test_rows_are_on_disk_before_the_run_ends(project: Project) -> None:
    project.benchmark(
        after="\ndef test_zzz():\n    import pathlib\n"
        "    assert sum(1 for f in pathlib.Path('reports').glob('*/results.jsonl') for _ in f.open()) == 5\n"
    )
    result = project.run(model="oracle")
    result.stdout.fnmatch_lines(["*1 passed, 5 correct*"])


def test_results_are_readable_json_lines_even_with_broken_unicode(project: Project) -> None:
    project.benchmark(builtin=r'{"oracle": lambda sample, generator: "[\ud83d]"}')
    for workers in ("0", "2"):
        assert project.run("-n", workers, "-k", "France", model="oracle").ret == 0
        row = json.loads((project.folders[-1] / "results.jsonl").read_text())
        assert (row["response_text"], row["prediction"]) == ("[\ud83d]", "\ud83d")


def test_failed_requests_cost_nothing_and_are_not_called_replayed(project: Project) -> None:
    project.server.script = lambda r: Answer.error(400, "no") if "Peru" in r.question else answers(r)
    project.record()
    task = project.report["tasks"][0]
    assert task["cost_usd"] == pytest.approx(4 * (100 * 0.15 + 5 * 0.60) / 1_000_000)
    assert (project.rows["Peru"]["source"], project.rows["Peru"]["attempts"]) == ("live", 1)


def test_the_name_of_a_failed_case_cannot_colour_the_terminal(project: Project) -> None:
    project.write_rows([{"country": "Cu\x1b[31mba", "capital": "Havana"}])
    project.server.script = lambda _: Answer.error(400, "no")
    assert "geo/capitals gpt-4o-mini: 1 error: 'Cu\\x1b[31mba'" in project.record().stdout.str()


def test_a_report_that_cannot_be_written_is_said(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("proctor.report.html.page.PageWriter.save", full)
        result = project.run(model="oracle")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["the report could not be written to *: No space left on device. Make room, then *"])
    command = result.stdout.str().partition("write it with: proctor ")[2].split()[:2]
    assert project.command(*command) == 0
    assert (project.folders[-1] / "report.html").exists()
