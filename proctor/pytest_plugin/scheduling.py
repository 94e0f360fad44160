"""Which xdist worker gets which live cases."""

from __future__ import annotations

from xdist.scheduler import LoadScheduling

from proctor.pytest_plugin.internals import hand_out


class HandOutAll(LoadScheduling):  # type: ignore[misc]  # xdist ships no types
    """Gives every xdist worker its whole share at once, so that it can ask ahead for all of it.

    xdist's own way hands out the last tests two by two, and each worker then asks two by two.
    """

    def schedule(self) -> None:
        """Hand out everything the first time; afterwards as `LoadScheduling` does."""
        first = self.collection is None
        super().schedule()
        if first and self.pending:
            share = -(-len(self.pending) // len(self.nodes))
            for node in self.nodes:
                hand_out(self, node, share)
