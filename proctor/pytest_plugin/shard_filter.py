"""``--shard K/N``: leaves out the cases of the other parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from proctor.pytest_plugin.items import case_of

if TYPE_CHECKING:
    from proctor.run.run import Run
from proctor.run.shard import Shard


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
