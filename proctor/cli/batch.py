"""The commands ``proctor batch submit``, ``status`` and ``fetch``."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError

if TYPE_CHECKING:
    from proctor.batch.state import Batches
    from proctor.models.registry import Registry

HOW = (
    "Batches are answered within a day, usually for half the price. A case whose questions depend on earlier answers "
    "takes several rounds: submit, fetch, submit again. What is on its way stands in .proctor/batches."
)


def declare_batch(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor batch``."""
    parser = commands.add_parser(
        "batch",
        help="ask through the providers' batch APIs",
        description="Ask what has no recording through the batch APIs of OpenAI and Anthropic, and record the answers, "
        "which the next pytest run then replays. " + HOW,
    )
    steps = parser.add_subparsers(title="steps", metavar="STEP", required=True)
    submit = steps.add_parser(
        "submit",
        help="hand over the calls that the selected cases wait for",
        usage="proctor batch submit -- PYTEST-ARGUMENTS",
        description="Hand over the calls that the selected cases wait for. A call that is on its way already, or "
        "recorded, is not sent. Example: proctor batch submit -- benchmarks/tsg --model gpt-4o-mini -k sgqa",
        epilog="Exit code: 0; 1 if calls could not be handed over; 4 for bad usage; else pytest's own.",
    )
    submit.add_argument("arguments", nargs="*", metavar="PYTEST-ARGUMENTS", help="what selects cases for pytest")
    submit.set_defaults(run=_submit, runs_pytest=True)
    status = steps.add_parser(
        "status",
        help="say how far the batches are",
        description="Say how far the batches are.",
        epilog="Exit code: 0; 1 if that is not known of a batch; 4 for bad usage.",
    )
    status.set_defaults(run=_status)
    fetch = steps.add_parser(
        "fetch",
        help="record the answers of the batches that have ended",
        description="Record the answers of the batches that have ended, also of those that expired or were cancelled: "
        "what they have is kept, and what they lack may be submitted again.",
        epilog="Exit code: 0; 1 if a call has no answer, or a result cannot be used; 4 for bad usage.",
    )
    fetch.set_defaults(run=_fetch)


def _submit(options: argparse.Namespace) -> int:
    from proctor.batch.state import Batches
    from proctor.batch.submit import submit
    from proctor.pytest_plugin.measured import RUN
    from proctor.pytest_plugin.pending_calls import PendingCallCollector
    from proctor.pytest_plugin.visit import look_ahead

    if "--estimate" in options.arguments:  # submit gives it itself, so that pytest could not tell
        raise UsageError("--estimate asks for nothing, but batch submit would", remedy="Give it to pytest instead.")
    collector = PendingCallCollector()
    code = look_ahead(options.arguments, collector)  # which prints what they cost; the batch price is a column of it
    waiting, config = collector.waiting, collector.config
    if waiting is None or config is None or code:
        return code
    if not waiting.cases:
        raise UsageError("no case of a benchmark is selected", remedy="Give pytest's arguments after --.")
    if waiting.changed:
        print(f"{waiting.changed} calls are recorded for another call, and --record-mode once does not ask them anew")
    if not waiting.calls:
        print("nothing to hand over: everything that can be asked now is recorded")
        return 0
    failed = submit(waiting, Batches(config.rootpath), config.stash[RUN].registry, say=partial(print, flush=True))
    print("When a batch has ended (proctor batch status), record its answers: proctor batch fetch")
    return 1 if failed else 0


def _here() -> tuple[Batches, Registry]:
    from proctor.batch.state import Batches
    from proctor.pytest_plugin.visit import visit

    return visit(lambda project: (Batches(project.root), project.run.registry))


def _status(_: argparse.Namespace) -> int:
    from proctor.batch.fetch import status

    return 1 if status(*_here(), say=partial(print, flush=True)) else 0


def _fetch(_: argparse.Namespace) -> int:
    from proctor.batch.fetch import fetch

    return 1 if fetch(*_here(), say=partial(print, flush=True)) else 0
