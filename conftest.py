"""The suite's own wiring. Where data, prompts, cassettes and reports live: Proctor's defaults, beside this file."""

# proctor.plugin is named so that a checkout works in any environment that has the dependencies, installed or not;
# pytester is for tests/, and pytest takes plugins from the topmost conftest.py alone.
pytest_plugins = ["proctor.plugin", "benchmarks.sgi.plugin", "benchmarks.mixeval_x.plugin", "pytester"]
