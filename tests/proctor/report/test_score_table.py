"""The table of scores fits the terminal that it is shown on."""

from __future__ import annotations

import pytest
from benchmark_module import scoring
from capitals import Project

METRICS = '{"accuracy": 0.0, "a_metric_whose_name_needs_nearly_all_of_a_line": 0.0, "seconds": 300.0}'
VALUES = '{"accuracy": value, "a_metric_whose_name_needs_nearly_all_of_a_line": 1.0, "seconds": 2.5}'


def scores(project: Project, monkeypatch: pytest.MonkeyPatch, columns: int, *args: str) -> list[str]:
    """The lines between the head and the name of the report."""
    project.benchmark(scoring=scoring(VALUES, VALUES), metrics=METRICS, best='{"seconds": 0.0}')
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = project.run(*args, model="oracle").outlines
    start = next(number for number, line in enumerate(lines) if " scores " in line)
    end = next(number for number, line in enumerate(lines) if line.startswith("report:"))
    return lines[start + 1 : end]


def test_each_metric_has_a_line_where_the_table_has_no_room(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = scores(project, monkeypatch, 80)
    assert lines == [
        "0 to 1, higher is better:",
        "geo/capitals oracle: n = 5, $0.00",
        "  accuracy",
        "    official  1.0000 [0.566, 1.000]",
        "    strict    1.0000 [0.566, 1.000]",
        "  a_metric_whose_name_needs_nearly_all_of_a_line",
        "    official  1.0000 [0.566, 1.000]",
        "    strict    1.0000 [0.566, 1.000]",
        "lower is better, 300 is the worst:",
        "           official  strict",
        "geo/capitals oracle: n = 5",
        "  seconds    2.5000  2.5000",
    ]


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_no_line_is_wider_than_the_terminal(
    project: Project, monkeypatch: pytest.MonkeyPatch, columns: int, quiet: tuple[str, ...]
) -> None:
    lines = scores(project, monkeypatch, columns, *quiet, "--epochs", "2")
    assert max(map(len, lines)) <= max(columns, 48)  # the longest name of a metric, which a reader may want to copy
    assert lines


def test_a_wide_terminal_has_a_line_for_all(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = scores(project, monkeypatch, 200)
    assert lines[1].split() == ["task", "model", "n", "metric", "official", "strict", "not", "scored", "cost"]
    assert lines[2].split()[:5] == ["geo/capitals", "oracle", "5", "accuracy", "1.0000"]


def test_quiet_shows_headlines_alone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert scores(project, monkeypatch, 80, "-q") == [
        "0 to 1, higher is better:",
        "task          model   metric    strict",
        "geo/capitals  oracle  accuracy  1.0000",
    ]
