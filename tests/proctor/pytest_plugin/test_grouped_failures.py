"""Failures that are alike are shown once, and counted all the same."""

from __future__ import annotations

from capitals import Project

ALIKE = "4 × error: NotRecorded: recorded for another call in "


def run_with_another_prompt(project: Project, *args: str) -> list[str]:
    project.record("--limit", "4")
    project.prompt.write_text("Name the capital of {country}.\n")
    result = project.run(*args)
    result.assert_outcomes(failed=5)
    return result.outlines


def test_failures_with_one_message_are_one(project: Project) -> None:
    lines = run_with_another_prompt(project)
    (place,) = (number for number, line in enumerate(lines) if line.startswith(ALIKE))
    assert lines[place].endswith("changed since then: prompt template")
    assert lines[place + 1].startswith(
        "  Record anew what has changed: pytest --model gpt-4o-mini --record-mode new_episodes"
    )
    assert lines[place + 2 : place + 6] == [
        "  test_capitals[gpt-4o-mini-France]",
        "  test_capitals[gpt-4o-mini-Japan]",
        "  test_capitals[gpt-4o-mini-Peru]",
        "  … and 1 more",
    ]
    assert sum("Record it: " in line for line in lines) == 1  # of the one that was never recorded
    assert sum("Record anew" in line for line in lines) == 1  # of the four
    assert sum(line.startswith("FAILED ") for line in lines) == 5


def test_all_are_shown_with_vv(project: Project) -> None:
    lines = run_with_another_prompt(project, "-vv")
    assert not any(line.startswith(ALIKE) for line in lines)
    assert sum(line.startswith("error: NotRecorded: recorded for another call") for line in lines) == 4


def test_many_are_counted_in_the_short_summary(project: Project) -> None:
    project.write_rows([{"country": f"Peru {number}", "capital": "X"} for number in range(30)])
    project.record("--limit", "30")
    project.prompt.write_text("Name the capital of {country}.\n")
    result = project.run()
    result.assert_outcomes(failed=30)
    short = [line for line in result.outlines if line.startswith("FAILED ")]
    assert len(short) == 4
    assert short[-1].startswith("FAILED … and 27 more like these")
