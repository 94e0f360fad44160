"""The suite's own wiring. Where data, prompts, cassettes and reports live: Proctor's defaults, beside this file."""

# Named here so that a checkout works in any environment that has the dependencies, installed or not.
pytest_plugins = ["proctor.plugin"]
