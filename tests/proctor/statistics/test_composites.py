"""Scores over several tasks."""

from __future__ import annotations

import math

import pytest
from benchmark_module import scoring
from capitals import Project


def test_the_mean_of_the_headlines_in_percent_of_full_marks(project: Project) -> None:
    project.benchmark(composite='"Geo-Score"')
    # The second task counts ten points for what is one point in the first.
    project.second_benchmark(
        "cities",
        scoring=scoring('{"accuracy": 10 * value}', '{"accuracy": 10 * value if found else 0.0}'),
        composite='"Geo-Score"',
        best='{"accuracy": 10.0}',
        prompts='{"cities": Placeholders("country")}',
        converse='return ask("cities", country=sample.fields["country"])',
    )
    project.prompt.with_name("cities.txt").write_text("The capital of {country} is a city. Which?\n")
    project.data.with_name("cities.jsonl").write_bytes(project.data.read_bytes())
    answered = project.server.script
    assert callable(answered)
    project.server.script = lambda r: (
        "[Rome]" if "city" in r.question and "France" in r.question else "[?]" if "Peru" in r.question else answered(r)
    )
    result = project.record()

    # capitals: 4 of 5, so 80 %; cities: 3 of 5, so 60 %.
    (score,) = project.report["composites"]
    assert (score["name"], score["model"]) == ("Geo-Score", "gpt-4o-mini")
    assert score["tasks"] == ["geo/capitals", "geo/cities"]
    for family in ("official", "strict"):
        assert score[family]["value"] == pytest.approx(70)
    one, other = (task["metrics"]["accuracy"]["strict"] for task in project.report["tasks"])
    assert other["ci95"] == pytest.approx([2.307, 8.824], abs=1e-3)  # Wilson's interval of 3 in 5, in tenths
    assert score["strict"]["se"] == pytest.approx(math.hypot(one["se"] * 100, other["se"] * 10) / 2)
    lower, upper = score["strict"]["ci95"]
    assert lower == pytest.approx(70 - math.hypot(80 - one["ci95"][0] * 100, 60 - other["ci95"][0] * 10) / 2)
    assert upper == pytest.approx(70 + math.hypot(one["ci95"][1] * 100 - 80, other["ci95"][1] * 10 - 60) / 2)
    result.stdout.fnmatch_lines(["Geo-Score gpt-4o-mini", "  mean of 2 tasks  70.00 % [[]*"])
    assert (
        "| Geo-Score | gpt-4o-mini | geo/capitals, geo/cities | 70.00 %"
        in (project.folders[-1] / "report.md").read_text()
    )

    project.run("benchmarks/geo/test_cities.py")
    (score,) = project.report["composites"]
    assert score["tasks"] == ["geo/cities"]
    assert score["strict"]["value"] == pytest.approx(60)


def test_grades_between_two_marks_have_intervals_between_them(project: Project) -> None:
    """Grades from 1 to 10: the interval is that of (grade - 1) / 9, in grades again."""
    project.benchmark(
        scoring=scoring('{"accuracy": 1 + 9 * value}', '{"accuracy": 1 + 9 * value if found else 1.0}'),
        metrics='{"accuracy": 1.0}',
        best='{"accuracy": 10.0}',
    )
    answered = project.server.script
    assert callable(answered)
    project.server.script = lambda r: "?" if "Peru" in r.question or "Cuba" in r.question else answered(r)
    result = project.record()
    (task,) = project.report["tasks"]
    strict = task["metrics"]["accuracy"]["strict"]
    # Three of five right: Wilson's interval of 0.6 is 0.2307 to 0.8824, times 9, plus 1.
    assert strict["value"] == pytest.approx(1 + 9 * 0.6)
    assert strict["ci95"] == pytest.approx([3.076, 8.942], abs=1e-3)
    assert result.parseoutcomes() == {"correct": 3, "incorrect": 2}
    # The same half of the answers wrong in another way: a grade of 5.5 each, and no interval that leaves 1 to 10.
    project.server.script = lambda r: "[Pxxxx]" if "France" in r.question else "[?]"
    project.run("--disable-recording", "--limit", "2")
    strict = project.report["tasks"][0]["metrics"]["accuracy"]["strict"]
    assert strict["value"] == pytest.approx((5.5 + 1) / 2)
    assert 1.0 < strict["ci95"][0] < 1.5
    assert 8.5 < strict["ci95"][1] < 10.0
