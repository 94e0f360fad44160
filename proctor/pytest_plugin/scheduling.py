"""Which xdist worker gets which live cases."""

from __future__ import annotations

from contextlib import nullcontext

from xdist.scheduler import LoadScheduling

from proctor.pytest_plugin.internals import handing_out


class HandOutAll(LoadScheduling):  # type: ignore[misc]  # xdist ships no types
    """Gives every xdist worker its whole share at once, so that it can ask ahead for all of it.

    xdist's own way hands out a part first and the last tests two by two, and each worker then asks two by two. All in
    one message: what came after a worker's first test has begun it would not see before that has its answer.
    """

    def schedule(self) -> None:
        """Hand out everything the first time; afterwards as `LoadScheduling` does."""
        first = self.collection is None
        tests = next(iter(self.node2collection.values()))
        with handing_out(self, -(-len(tests) // len(self.nodes))) if first else nullcontext():
            super().schedule()
