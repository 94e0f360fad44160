"""Cases that the command line names one by one, by their node ids."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proctor.run.case import Case


def named_cases(config: pytest.Config, test: pytest.Function, cases: Sequence[Case]) -> Sequence[Case]:
    """The cases of a test function that can be wanted, as far as the command line tells.

    pytest would make an item of each case and throw away all but the named ones: with 100,000 samples that takes many
    seconds. Whatever is not plain to see is left to it: then all cases are returned.

    Args:
        config: pytest's configuration, with the arguments.
        test: The test function.
        cases: All its cases.
    """
    ids: set[str] = set()
    for argument in config.args:
        node, bracket, rest = argument.partition("[")
        file, *names = node.split("::")
        path = config.invocation_params.dir / file
        if path.is_file() and not test.path.samefile(path):
            continue
        if not (path.is_file() and names and bracket and rest.endswith("]")):
            return cases
        if names[-1] == test.originalname:
            ids.add(rest[:-1])
    named = [case for case in cases if case.id in ids]
    return named if len({case.id for case in named}) == len(ids) > 0 else cases
