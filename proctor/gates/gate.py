"""A gate: what a run must reach for its build to pass. Bounds from a file, and a former run not to fall below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor._base.marked_yaml import Marked, load
from proctor.gates.baseline import HOLDS, against_baseline
from proctor.gates.floors import Asked, Floor, Margins
from proctor.results.manifest import Manifest
from proctor.results.row import MISSING, NOT_MEASURED, NOT_NEEDED, ResultRow
from proctor.results.run_folder import find_run
from proctor.results.saved_run import SavedRun
from proctor.statistics.comparison import (
    compare,
    compared,
    matched_models,
    pairs_between,
    sides,
)

NOT_HELD = 10
"""pytest's exit code when everything was measured and the gate does not hold."""


@dataclass(frozen=True)
class Gate:
    """What a run must reach.

    Args:
        file: The gate file, if there is one.
        floors: Its bounds.
        margins: Its margins below the baseline.
        baseline: The former run, if there is one.
    """

    file: Path | None
    floors: Sequence[Floor]
    margins: Margins
    baseline: SavedRun | None

    @classmethod
    def read(
        cls, file: Path | None, baseline: str | None, reports_dir: Path, margin: float | None = None
    ) -> Gate | None:
        """The gate that the options name; ``None`` if they name none.

        Args:
            file: The gate file.
            baseline: The former run: its folder, or its id below *reports_dir*.
            reports_dir: Where reports are.
            margin: How far all tasks that the file does not name may be below the baseline.

        Raises:
            UsageError: If file or run cannot be read, or the file asks for nothing.
        """
        if file is None and baseline is None:
            return None
        fields: dict[str, Marked] = {}
        floors: list[Floor] = []
        if file is not None:
            top = load(file)
            fields = top.fields(("floors", "baseline_margin"))
            floors = [Floor.read(entry) for entry in fields["floors"].items()] if "floors" in fields else []
            if not floors and baseline is None:
                top.fail("no floor, and no baseline to compare with", "Add floors, or give --baseline RUN.")
        saved = None if baseline is None else SavedRun.load(find_run(baseline, reports_dir))
        for _ in saved.rows() if saved is not None else ():
            pass  # a line that cannot be used is said now, and not when the run has ended
        return cls(file, floors, Margins(fields.get("baseline_margin"), margin), saved)

    def check(self, asked: Asked) -> None:
        """Find before the first case what the gate asks of a run that does not measure it.

        Raises:
            UsageError: If it names a task, model or metric that is not run, or the baseline has nothing in common with
                this run.
        """
        for floor in self.floors:
            floor.check(asked)
        self.margins.check(asked)
        if self.baseline is not None:
            then = self.baseline.manifest.tasks
            models = matched_models(
                [task.model for task in then], [model for _, model in asked], self.baseline.id, "this one"
            )
            measured = {(task.name, task.model) for task in then}
            if not any((task, models.get(model)) in measured for task, model in asked):
                raise UsageError(
                    f"the baseline {self.baseline.id} and this run have no task in common",
                    remedy=f"It measured: {', '.join(sorted({task.name for task in then}))}.",
                )

    def result(
        self,
        report: Mapping[str, Any],
        manifest: Manifest,
        rows: Iterable[ResultRow],
        decision: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """What came of the gate, as report.json holds it.

        Args:
            report: The run's report.
            manifest: What it set out to measure.
            rows: Its rows.
            decision: What ``--stop-when-decided`` has decided. It takes the place of the suite's verdict: intervals of
                a run that stops when it likes what it sees are too short.

        Returns:
            ``holds`` is ``None`` where nothing is shown either way, and if a case was not measured: the gate is then
            not decided.
        """
        floors = [result for floor in self.floors for result in floor.results(report)]
        suite: dict[str, Any] | None = None
        parts: list[dict[str, Any]] = []
        if self.baseline is not None:
            then = sides(self.baseline.manifest, map(compared, self.baseline.rows()))
            suite, parts = against_baseline(compare(pairs_between(then, sides(manifest, rows))), self.margins.of)
        unmeasured = sum(
            task["status"][status] for task in report["tasks"] for status in (*sorted(NOT_MEASURED), MISSING)
        )
        if decision is not None:
            not_needed = sum(task["status"][NOT_NEEDED] for task in report["tasks"])
            decision = {**decision, "not_needed": not_needed}
            parts = [{**part, "verdict": "not judged alone", "holds": None} for part in parts]
        decided = decision or suite
        outcomes = [floor["holds"] for floor in floors] + ([] if decided is None else [HOLDS[decided["verdict"]]])
        return {
            "file": None if self.file is None else str(self.file),
            "baseline": None if self.baseline is None else self.baseline.id,
            "holds": None if unmeasured else _all(outcomes),
            "unmeasured": unmeasured,
            "floors": floors,
            "suite": suite if decision is None else None,
            "decision": decision,
            "against_baseline": parts,
        }


def _all(outcomes: Sequence[bool | None]) -> bool | None:
    """Whether all hold: not if one does not, and nobody knows if one is not decided."""
    return False if False in outcomes else None if None in outcomes else True
