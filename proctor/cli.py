"""The command ``proctor``: what there is to do beside running benchmarks, which is pytest's."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from proctor.afterwards.commands import declare_export, declare_report, declare_rescore
from proctor.afterwards.compare_command import declare_compare
from proctor.batch.command import declare_batch
from proctor.errors import UsageError
from proctor.official.command import declare_pull

BAD_USAGE = 4  # as pytest says it
INTERRUPTED = 130  # as shells say it
Command = Callable[[argparse.Namespace], int]


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
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for declare in COMMANDS:
        declare(commands)
    options = parser.parse_args(arguments)
    run: Command = options.run
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8 shows what it can
    try:
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


def declare_cassettes(commands: argparse._SubParsersAction[Parser]) -> None:
    """Declare ``proctor cassettes``."""
    parser = commands.add_parser(
        "cassettes",
        help="list what is recorded",
        description="List the recordings of each task and model: how many, of how many cases, when they were made, and "
        "their size. Every line is checked; one that is cut, was edited or holds a secret is named.",
        epilog="Exit code: 0; 1 if a line is damaged; 4 for bad usage.",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("cassettes"), metavar="DIR", help="default: cassettes"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=_cassettes)


def _cassettes(options: argparse.Namespace) -> int:
    from proctor.models.registry import Registry, keys_in_environment
    from proctor.recordings.leaks import Detector
    from proctor.recordings.listing import as_json, recorded_in, table

    registry = Registry.load(*(file for file in [Path("models.yaml")] if file.exists()))
    found = list(recorded_in(options.folder, Detector(keys_in_environment(registry.models))))
    if options.json:
        print(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        print("\n".join(table(found)) if found else f"no recordings in {options.folder}")
    return 1 if any(cassette.damaged for cassette in found) else 0


COMMANDS = (
    declare_cassettes,
    declare_pull,
    declare_batch,
    declare_report,
    declare_rescore,
    declare_export,
    declare_compare,
)
