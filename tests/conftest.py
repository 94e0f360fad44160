"""What all tests share: a date on which none of the models that they ask is shut down, and what is imported once."""

import importlib
import os
import sys

os.environ.setdefault("PROCTOR_TODAY", "2025-09-01")
# The readline library sets both in the process that starts xdist's workers, for a terminal that nobody looks at.
for _size in ("COLUMNS", "LINES"):
    os.environ.pop(_size, None)
# Runs within tests are not what a job is to show; where CI is set, pytest's short summary tells whole messages.
for _name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI", "BUILD_NUMBER"):
    os.environ.pop(_name, None)

# What is compiled here is kept: each process that a test starts would take a second more. A project's own modules are
# not (see `capitals.project`).
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Each pytest that a test runs in this process loads the plugins of the libraries that are installed, and takes out of
# sys.modules what it imported. Hypothesis's plugin wraps pytest.fixture() whenever it is imported: after some 900 runs
# in one process the wrappers would be nested too deep to be called. Imported here, they are there before the first run.
# Nor is the process taken for one that starts, in which Hypothesis warns of strategies: no run here is its plugin's.
hypothesis = importlib.import_module("hypothesis")
os.environ["HYPOTHESIS_EXTEND_INITIALIZATION"] = "1"
for _plugin in ("_hypothesis_pytestplugin", "anyio.pytest_plugin"):
    importlib.import_module(_plugin)
del os.environ["HYPOTHESIS_EXTEND_INITIALIZATION"]
# How long an example takes says more about the machine than about what is tested.
hypothesis.settings.register_profile("unhurried", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("unhurried")
