"""The run that a pytest session holds: what ends a case ends its test as pytest says it."""

from __future__ import annotations

import pytest

from proctor._base.errors import NotAsked, UsageError
from proctor.results.row import ResultRow
from proctor.run.case import Case
from proctor.run.run import Run

RUN = pytest.StashKey["Run"]()
"""Under this key a configuration's stash has the run."""


class PytestRun(Run):
    """A `Run` whose cases are measured by tests."""

    def measure(self, case: Case) -> ResultRow:
        """See `Run.measure`: a case that is not asked skips its test, one that cannot be asked fails it."""
        try:
            return super().measure(case)
        except NotAsked as reason:
            pytest.skip(str(reason))
        except UsageError as problem:
            pytest.fail(str(problem), pytrace=False)
