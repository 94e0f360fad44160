"""The command ``proctor``: what there is to do beside running benchmarks, which is pytest's."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from typing import NoReturn, TextIO

from proctor._base.errors import UsageError, legible
from proctor.cli.batch import declare_batch
from proctor.cli.calibrate import declare_calibrate
from proctor.cli.cassettes import declare_cassettes, with_command
from proctor.cli.check_data import declare_check_data
from proctor.cli.compare import declare_compare
from proctor.cli.export import declare_export
from proctor.cli.init import declare_init
from proctor.cli.judge_check import declare_judge_check
from proctor.cli.label import declare_label
from proctor.cli.models import declare_models
from proctor.cli.pull import declare_pull
from proctor.cli.runs import declare_report, declare_rescore
from proctor.cli.view import declare_view

BAD_USAGE = 4  # as pytest says it
INTERRUPTED = 130  # as shells say it
Command = Callable[[argparse.Namespace], int]


class _Version(argparse.Action):
    """Prints the version and leaves. Only then is it looked up: metadata of packages is slow to read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {version('proctor')}")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors have the exit code of all bad usage in Proctor."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command line, and leave."""
        self.print_usage(sys.stderr)
        self.exit(BAD_USAGE, f"{self.prog}: error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The command line without the program; default ``sys.argv[1:]``.

    Returns:
        The exit code: 0 if all is well, 1 if something was found to be wrong, 4 for bad usage.
    """
    parser = Parser(
        prog="proctor",
        description="Look after LLM benchmarks. To run them, use pytest.",
        epilog="proctor COMMAND --help describes a command.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version, and leave")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for declare in COMMANDS:
        declare(commands)
    options = parser.parse_args(with_command(sys.argv[1:] if arguments is None else arguments))
    run: Command = options.run
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8 shows what it can
    try:
        with nullcontext() if getattr(options, "runs_pytest", False) else redirect_stdout(_Legible(sys.stdout)):
            code = run(options)
        sys.stdout.flush()  # a reader that has left is noticed here, and not when the interpreter ends
    except UsageError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return BAD_USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


class _Legible(io.TextIOBase):
    """Text for a terminal, with names and messages that nobody vouches for; see `proctor._base.errors.legible`."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.write(legible(text))
        return len(text)

    def flush(self) -> None:
        self._terminal.flush()


COMMANDS = (
    declare_init,
    declare_models,
    declare_cassettes,
    declare_pull,
    declare_check_data,
    declare_batch,
    declare_report,
    declare_rescore,
    declare_export,
    declare_compare,
    declare_view,
    declare_label,
    declare_judge_check,
    declare_calibrate,
)
