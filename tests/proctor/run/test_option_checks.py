"""What is refused before the first call, by the options and the collected tasks alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from proctor._base.errors import UsageError
from proctor.official.pulled import NotPulled
from proctor.run.option_checks import check_datasets, tasks_not_pulled
from proctor.run.options import Options

TASKS = ("geo/rivers", "geo/capitals")


def options(*datasets: str, official: Any = None) -> Options:
    return cast("Options", SimpleNamespace(datasets=dict.fromkeys(datasets), official=official))


def published(*names: str) -> Any:
    """Published files of these tasks."""
    return SimpleNamespace(data_file=lambda benchmark, task: "file" if f"{benchmark}/{task}" in names else None)


def test_a_data_set_is_for_a_task_that_is_collected() -> None:
    check_datasets(options("geo/rivers"), TASKS, {})
    with pytest.raises(UsageError, match=r"--dataset geo/lakes: .*\n  Collected: geo/capitals, geo/rivers\."):
        check_datasets(options("geo/rivers", "geo/lakes"), TASKS, {})


def test_official_data_is_needed_for_one_collected_task_at_least() -> None:
    gone = NotPulled("geo/capitals is not here", remedy="proctor pull geo")
    check_datasets(options(official=published("geo/rivers")), TASKS, {})
    check_datasets(options(official=published("geo/rivers")), TASKS, {"geo/capitals": gone})
    check_datasets(options(official=published()), (), {})  # nothing is collected, which pytest says
    with pytest.raises(UsageError, match="nothing is published for the collected tests"):
        check_datasets(options(official=published()), TASKS, {})
    with pytest.raises(NotPulled, match="geo/capitals is not here"):
        check_datasets(options(official=published("geo/capitals")), ["geo/capitals"], {"geo/capitals": gone})
    assert tasks_not_pulled({"geo/capitals": gone}) == [
        "left out: geo/capitals: geo/capitals is not here\n  proctor pull geo"
    ]
