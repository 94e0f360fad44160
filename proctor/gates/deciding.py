"""``--stop-when-decided``: which cases come first, and what those that have come decide."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from proctor.gates.baseline import task_gains, worth
from proctor.gates.gate import Gate
from proctor.gates.sequential import (
    DEFAULT_MARGIN,
    LOOKS,
    SequentialTest,
    Unit,
    decision_fields,
    look_numbers,
    seeded_order,
)
from proctor.results.manifest import Manifest
from proctor.results.row import UNMEASURED, ResultRow
from proctor.statistics.aggregates import Measured
from proctor.statistics.comparison import Pairing, Side, compared, matched_models, sides

__all__ = ["LOOKS", "Deciding"]

Name = tuple[str, str, str, int]
"""A case: the task's full name, the model, the sample and the epoch."""


class Deciding:
    """The comparison of a run with its baseline while the rows come in.

    Args:
        gate: The gate, which has a baseline.
        manifest: What the run selected.
        seed: Fixes the order of the cases.
    """

    def __init__(self, gate: Gate, manifest: Manifest, seed: int) -> None:
        assert gate.baseline is not None
        self._seed = seed
        self._rows: dict[Name, ResultRow] = {}
        now = sides(manifest, ())
        then = sides(gate.baseline.manifest, map(compared, gate.baseline.rows()))
        models = matched_models([s.task.model for s in then], [s.task.model for s in now], gate.baseline.id, "this one")
        by_name = {(side.name, side.task.model): side for side in then}
        self._sides = [(by_name.get((side.name, models.get(side.task.model, ""))), side) for side in now]
        units = seeded_order(self._units(), seed)
        self._total = sum(unit.cases for unit in units if unit.comparable)
        numbers = look_numbers(units)
        self._numbers = {(u.task, u.model, u.sample): number for u, number in zip(units, numbers, strict=True)}
        names = [_name(side, measured) for side in now for measured in side.cases]
        self._cases = sorted((self.number(name), name) for name in names)
        self._test = SequentialTest(self._margin(gate))

    def _units(self) -> Iterable[Unit]:
        """The samples of each task and model; those can be compared that the baseline has measured."""
        for then, now in self._sides:
            known = then.by_sample if then is not None else {}
            measured = {name for name, cases in known.items() if any(m.status not in UNMEASURED for m in cases)}
            of_headline = {
                name: cases for name, cases in now.by_sample.items() if cases[0].case.measured_by(now.task.headline)
            }
            # A task with a single cluster tells nothing of its variance; waiting for it would be in vain.
            both = {name for name in of_headline if name in measured}
            if len({of_headline[name][0].case.cluster for name in both}) < 2:
                both = set()
            for name, cases in now.by_sample.items():
                yield Unit(now.name, name, now.task.model, len(cases), comparable=name in both)

    def _margin(self, gate: Gate) -> float:
        """The mean margin of the tasks that are compared, in shares of the way from the worst value to the best."""
        if not gate.margins.are_set:
            return DEFAULT_MARGIN
        shares = {
            pairing.b.name: gate.margins.of(pairing.b.name) * abs(worth(pairing, pairing.b.task.headline))
            for pairing in self._pairings(())
        }
        return sum(shares.values()) / len(shares) if shares else DEFAULT_MARGIN

    def number(self, name: Name) -> int:
        """The first look that counts a case, from 1; it is asked before those of later looks."""
        task, model, sample, _ = name
        return self._numbers[task, model, sample]

    def take(self, row: ResultRow) -> None:
        """Take up a row."""
        name = (f"{row['benchmark']}/{row['task']}", row["model"], row["sample_id"], row["epoch"])
        self._rows[name] = compared(row)

    def look(self, number: int) -> str | None:
        """Look at all cases up to a look's; nothing that came beside them counts, since it may be easier.

        Args:
            number: The look's number.

        Returns:
            What is decided, in words; ``None`` if nothing is.
        """
        first = [name for of_look, name in self._cases if of_look <= number]
        if not self._total or any(name not in self._rows for name in first):
            return None
        samples = {name[:3] for name in first}
        verdict = self._test.look(len(first), min(1.0, len(first) / self._total), self._gains(samples))
        return None if verdict == "undecided" else f"{verdict}, decided by {len(first)} of {len(self._cases)} cases"

    def _gains(self, samples: Container[tuple[str, ...]]) -> list[Any]:
        return [gain for _, gain in task_gains(self._pairings(samples))]

    def _pairings(self, samples: Container[tuple[str, ...]]) -> list[Pairing]:
        """The tasks and models that are compared, on some samples."""
        found = []
        for then, now in self._sides:
            of_model = (now.name, now.task.model)
            if then is None or all(self._numbers[*of_model, m.case.sample_id] > LOOKS for m in now.cases):
                continue
            then_cases = [m for m in then.cases if (*of_model, m.case.sample_id) in samples]
            now_cases = [
                Measured(m.case, self._rows.get(_name(now, m)))
                for m in now.cases
                if (*of_model, m.case.sample_id) in samples
            ]
            found.append(Pairing.of(Side(then.run, then.task, then_cases), Side(now.run, now.task, now_cases)))
        return found

    @property
    def fields(self) -> dict[str, Any]:
        """What came of it, as report.json holds it."""
        return decision_fields(self._test, cases=len(self._cases), seed=self._seed)


def _name(side: Side, measured: Measured) -> Name:
    return (side.name, side.task.model, measured.case.sample_id, measured.case.epoch)
