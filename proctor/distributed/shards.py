"""``--shard K/N``: a stable part of the selected cases, for a run in pieces."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from proctor.case import case_of

if TYPE_CHECKING:
    from proctor.run import Run


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a run, as in ``3/8``.

    Which part a case falls into depends on its task, its sample, the other samples in the task's data file and the
    number of parts, and on nothing else: not on the order of the file, and not on what else is selected. So the cases
    of a shard are the same with ``-k``, ``--limit``, ``--shuffle`` or without, and a sample's models and epochs stay
    together.

    Args:
        number: Which part, from 1.
        count: How many parts there are.
    """

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``K/N``.

        Raises:
            argparse.ArgumentTypeError: If it is not two whole numbers, 1 ≤ K ≤ N.
        """
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        shard = cls(int(found[1]), int(found[2])) if found else None
        if shard is None or not 1 <= shard.number <= shard.count:
            raise argparse.ArgumentTypeError(f"takes K/N with K from 1 to N, such as 3/8, not {text!r}")
        return shard

    def samples(self, task: str, samples: Iterable[str]) -> frozenset[str]:
        """The ids of this shard's samples of one task.

        The samples are ranked by a hash, and dealt out in that order: of each task, no shard has two more than another.

        Args:
            task: The task's name.
            samples: The ids of all samples in its data file.
        """
        ranked = sorted((_hash(f"{task}:{sample}"), sample) for sample in samples)
        # The shards that get one more than others are not the same for every task.
        first = (self.number - 1 - int(_hash(task), 16)) % self.count
        return frozenset(sample for _, sample in ranked[first :: self.count])


class ShardFilter:
    """Deselects the cases of the other shards; tests that are no cases are left alone.

    Args:
        shard: The shard to run.
        run: The run.
    """

    def __init__(self, shard: Shard, run: Run) -> None:
        self._shard = shard
        self._run = run

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave what is of this shard."""
        mine: dict[tuple[str, int], frozenset[str]] = {}
        kept: list[pytest.Item] = []
        others: list[pytest.Item] = []
        for item in items:
            case = case_of(item)
            if case is None:
                kept.append(item)
                continue
            task = case.task.name
            samples = self._run.data.samples(case.task, case.model)
            name = (task, id(samples))  # the same for all models, but where each has entries of its own
            if name not in mine:
                mine[name] = self._shard.samples(task, (sample.id for sample in samples))
            (kept if case.sample.id in mine[name] else others).append(item)
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = kept


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
