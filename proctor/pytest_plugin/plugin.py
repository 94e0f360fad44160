"""The pytest plugin where there is something to do. Each hook is a call into a module of its own."""

from __future__ import annotations

import gc
import warnings

import pytest

from proctor.pytest_plugin.grouped_failures import register_grouping
from proctor.pytest_plugin.interruption import Sigterm
from proctor.pytest_plugin.measured import RUN, PytestRun
from proctor.pytest_plugin.options_reader import read_options
from proctor.pytest_plugin.other_plugins import HTML, SUGAR, VerdictColumn, VerdictCounts
from proctor.pytest_plugin.session import BenchmarkSession
from proctor.pytest_plugin.shard_filter import ShardFilter
from proctor.pytest_plugin.usage_errors import ending_pytest
from proctor.pytest_plugin.workers import Workers


def start(config: pytest.Config) -> None:
    """Read the options and, in the process that writes the report, set that up."""
    # The Anthropic SDK warns at every call of an older model; under -W error that would look like a failed call.
    # pytest has filters of its own while a test runs; live calls are also made between tests.
    config.addinivalue_line("filterwarnings", "ignore:The model '.*' is deprecated:DeprecationWarning")
    warnings.filterwarnings("ignore", "The model '.*' is deprecated", DeprecationWarning)
    config.add_cleanup(gc.unfreeze)  # of what is frozen for the test loop; cleanups run last registered first
    with ending_pytest():
        options = read_options(config)
    workers = Workers(config)
    run = PytestRun(
        options,
        config.rootpath,
        share=workers.share(options.concurrency.most),
        processes=workers.count,
        description=workers.description,
        carrier=workers.carrier,
    )
    config.stash[RUN] = run
    config.add_cleanup(run.live.close)  # where a run ends before its first test, having looked for its endpoints
    config.add_cleanup(run.end_programs)  # of a run that was interrupted before its first case
    sigterm = Sigterm()
    config.add_cleanup(sigterm.restore)
    config.pluginmanager.register(BenchmarkSession(config, run, workers, sigterm), "proctor-session")
    if options.shard is not None:
        config.pluginmanager.register(ShardFilter(options.shard, run), "proctor-shard")
    if options.estimate:
        from proctor.pytest_plugin.estimator import Estimator

        config.pluginmanager.register(Estimator(run), "proctor-estimator")
    elif not workers.is_worker:
        from proctor.pytest_plugin.controller import Controller

        config.pluginmanager.register(Controller(config, run), "proctor-controller")
        register_grouping(config)
        if config.pluginmanager.hasplugin(HTML):
            config.pluginmanager.register(VerdictColumn(), "proctor-verdict-column")
        if config.pluginmanager.hasplugin(SUGAR):
            config.pluginmanager.register(VerdictCounts(), "proctor-verdict-counts")
        with ending_pytest():
            run.gate  # noqa: B018  # what it names is looked for at once
    if run.asks_live:
        from proctor.pytest_plugin.progress import show_progress

        show_progress(config, run, workers)
        from proctor.pytest_plugin.stopping import StopsWhenTold, StopsWorkers

        stopping = StopsWhenTold(run) if workers.is_worker else StopsWorkers(config, sigterm)
        config.pluginmanager.register(stopping, "proctor-stopping")
