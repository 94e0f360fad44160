"""The pytest plugin, under the name by which pytest and projects' conftest.py files know it."""

from proctor.pytest_plugin.guest import (
    case,
    pytest_addoption,
    pytest_cmdline_main,
    pytest_configure,
    pytest_load_initial_conftests,
    pytest_make_collect_report,
    pytest_report_header,
)

__all__ = [
    "case",
    "pytest_addoption",
    "pytest_cmdline_main",
    "pytest_configure",
    "pytest_load_initial_conftests",
    "pytest_make_collect_report",
    "pytest_report_header",
]
