"""The metrics of a task: which decides a case's verdict, and on what scale."""

from __future__ import annotations

from collections.abc import Mapping


class Headline:
    """The metric that decides, of a task as a benchmark defines it or as a run has written it down.

    Both give ``metrics``, each one's worst value, and ``best``, each one's best value where that is not 1.
    """

    metrics: Mapping[str, float]
    best: Mapping[str, float]

    @property
    def headline(self) -> str:
        """The metric that decides a case's verdict: the first."""
        return next(iter(self.metrics))

    @property
    def scale(self) -> tuple[float, float]:
        """The worst value of the headline metric, and the one that makes a case correct.

        Less is better where the worst is the larger one.
        """
        return self.metrics[self.headline], self.best.get(self.headline, 1.0)
