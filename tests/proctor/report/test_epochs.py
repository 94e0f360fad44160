"""Several epochs: each sample is asked several times, each time with a recording of its own."""

from __future__ import annotations

import json
import statistics

import pytest
from capitals import Project
from stub_server import Request


def test_each_repetition_has_its_own_recording_and_the_report_gives_mean_and_spread(project: Project) -> None:
    project.write_rows([{"country": "France", "capital": "Paris"}, {"country": "Peru", "capital": "Lima"}])
    asked: list[str] = []

    def script(request: Request) -> str:
        asked.append(request.question)
        return "[Paris]" if len(asked) in (1, 2, 3) else "[Rome]"

    project.server.script = script
    result = project.record("--epochs", "3", "--concurrency", "1")
    assert result.ret == 0
    # In order: France, Peru | France, Peru | France, Peru; the first three answers are Paris: right, wrong, right.
    metric = project.report["tasks"][0]["metrics"]["accuracy"]["strict"]
    assert metric["epochs"]["values"] == [0.5, 0.5, 0.0]
    assert metric["epochs"]["sd"] == pytest.approx(statistics.stdev([0.5, 0.5, 0.0]))
    assert (metric["value"], metric["n"], metric["clusters"]) == (pytest.approx(1 / 3), 6, 2)
    result.stdout.fnmatch_lines(["geo/capitals gpt-4o-mini: n = 6*", "  accuracy  0.3333 ±0.2887*"])
    slots = [(line["sample"], line["epoch"]) for line in map(json.loads, project.cassette.read_text().splitlines())]
    assert slots == [(sample, epoch) for sample in ("France", "Peru") for epoch in (1, 2, 3)]

    project.server.stop()
    assert project.run("--epochs", "3").ret == 0
    assert project.report["tasks"][0]["metrics"]["accuracy"]["strict"] == metric
    assert project.run("--epochs", "2").ret == 0
    assert project.run("--epochs", "4").ret == 1
    assert project.report["tasks"][0]["failures"]["error"] == ["France-epoch4", "Peru-epoch4"]


def test_node_ids_name_the_epoch_from_the_second_on(project: Project) -> None:
    lines = project.run("--collect-only", "-q", "--epochs", "2", "-k", "France", model="oracle").outlines
    assert lines[:2] == [
        "benchmarks/geo/test_capitals.py::test_capitals[oracle-France]",
        "benchmarks/geo/test_capitals.py::test_capitals[oracle-France-epoch2]",
    ]
