"""The commands ``proctor cassettes`` and ``proctor cassettes convert``."""

from __future__ import annotations

import argparse
import io
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError

if TYPE_CHECKING:
    from proctor.recordings.vcr_import import Object, VcrImport

FORMAT = "vcr"
DEFAULT = Path("cassettes")
SHOWN_PROBLEMS = 10
COMMANDS = frozenset({"list", "convert", "-h", "--help"})


def with_command(arguments: Sequence[str]) -> list[str]:
    """The command line with ``list`` put in where ``proctor cassettes`` is given none: that is what it did at first."""
    listed = arguments[:1] == ["cassettes"] and not COMMANDS.intersection(arguments[1:2])
    return ["cassettes", "list", *arguments[1:]] if listed else list(arguments)


def declare_cassettes(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor cassettes`` and its commands."""
    parser = commands.add_parser(
        "cassettes",
        help="list what is recorded, or convert it",
        usage="proctor cassettes [DIR] [--json]\n       proctor cassettes convert --to vcr DIR | --from vcr DIR",
        description="List the recordings, or convert them: see proctor cassettes list --help, and convert --help.",
    )
    steps = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = steps.add_parser(
        "list",
        help="what is recorded; done without a command, too",
        description="List the recordings of each task and model: how many, of how many cases, when they were made, and "
        "their size. Every line is checked; one that is cut, was edited or holds a secret is named.",
        epilog="Exit code: 0; 1 if a line is damaged; 4 for bad usage.",
    )
    listing.add_argument("folder", nargs="?", type=Path, default=DEFAULT, metavar="DIR", help="default: cassettes")
    listing.add_argument("--json", action="store_true", help="print JSON instead of a table")
    listing.set_defaults(run=_list)
    convert = steps.add_parser(
        "convert",
        help="write vcrpy's cassettes, or take up such",
        usage="proctor cassettes convert --to vcr DIR\n"
        "       proctor cassettes convert --from vcr DIR [-- PYTEST-ARGUMENTS]",
        description="Write recordings as cassettes of vcrpy, a YAML file for each case; or record what such files "
        "hold. Those that were written here come back as they were. Of others, such as pytest-recording keeps, an "
        "answer is recorded if a selected case asks the very same. PYTEST-ARGUMENTS select cases, and say whom they "
        "ask and with what parameters. Example: proctor cassettes convert --from vcr tests/cassettes -- benchmarks/tsg "
        "--model gpt-4o-mini --temperature 0",
        epilog="Exit code: 0; 1 if an answer of a model could not be taken up; 4 for bad usage.",
    )
    way = convert.add_mutually_exclusive_group(required=True)
    way.add_argument("--to", nargs=2, metavar=("FORMAT", "DIR"), help="write files there; FORMAT is vcr")
    way.add_argument(
        "--from", nargs=2, dest="taken_from", metavar=("FORMAT", "DIR"), help="take up the files there; FORMAT is vcr"
    )
    convert.add_argument(
        "--cassettes", type=Path, default=DEFAULT, metavar="DIR", help="the recordings; default: cassettes"
    )
    convert.add_argument("arguments", nargs="*", metavar="PYTEST-ARGUMENTS", help=argparse.SUPPRESS)
    convert.set_defaults(run=_convert)


def _keys() -> Mapping[str, str]:
    from proctor.models.endpoint import keys_in_environment
    from proctor.models.registry import Registry

    registry = Registry.load(*(file for file in [Path("models.yaml")] if file.exists()))
    return keys_in_environment(registry.models)


def _list(options: argparse.Namespace) -> int:
    from proctor.recordings.leak_detector import Detector
    from proctor.recordings.listing import as_json, recorded_in, table

    found = list(recorded_in(options.folder, Detector(_keys())))
    if options.json:
        print(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        print("\n".join(table(found)) if found else f"no recordings in {options.folder}")
    return 1 if any(cassette.damaged for cassette in found) else 0


def _convert(options: argparse.Namespace) -> int:
    named, location = options.to or options.taken_from
    if named != FORMAT:
        raise UsageError(f"the format {named!r} is not known", remedy=f"There is: {FORMAT}.")
    needed = options.cassettes if options.to else Path(location)
    if not needed.is_dir():
        raise UsageError(f"there is no folder {needed}", remedy="Name the folder that holds the recordings.")
    if options.to and options.arguments:
        raise UsageError("all recordings are written", remedy="Name some of them: --cassettes cassettes/tsg")
    try:
        return _write(options.cassettes, Path(location)) if options.to else _take_up(options, Path(location))
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None


def _write(cassettes: Path, folder: Path) -> int:
    from proctor.recordings.leak_detector import Detector
    from proctor.recordings.vcr_cassettes import write_vcr_cassettes

    written = 0
    for one in write_vcr_cassettes(cassettes, folder, Detector(_keys())):
        written += 1
        print(f"{one.cassette}: {one.recordings} recordings in {one.files} files in {one.folder}")
    if not written:
        print(f"no recordings in {cassettes}")
    return 0


def _take_up(options: argparse.Namespace, folder: Path) -> int:
    from proctor.recordings.vcr_cassettes import read_vcr_cassettes
    from proctor.recordings.vcr_import import VcrImport

    brought = VcrImport(options.cassettes, _keys(), whole_prompts="--record-prompts" in options.arguments)
    unanswered: Sequence[Object] = ()
    try:
        for exchange in read_vcr_cassettes(folder):
            if isinstance(exchange, str):
                brought.problems.append(exchange)
            else:
                brought.take(exchange)
        if brought.left:
            unanswered = _match(brought, options.arguments, options.cassettes)
    finally:
        brought.finish()
    _tell(brought, unanswered)
    return 1 if brought.problems or brought.left else 0


def _match(brought: VcrImport, arguments: Sequence[str], cassettes: Path) -> Sequence[Object]:
    """Look for the calls of the selected cases; returns what they ask and have no answer to."""
    from proctor.pytest_plugin.vcr_import import VcrMatcher
    from proctor.pytest_plugin.visit import look_ahead

    matcher, said = VcrMatcher(brought), io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = look_ahead([*arguments, f"--cassettes-dir={cassettes}"], matcher)
    if code:
        raise UsageError(f"pytest cannot tell which cases there are:\n{said.getvalue().strip()}")
    if not matcher.cases:
        raise UsageError("no case of a benchmark is selected", remedy="Give pytest's arguments after --.")
    return matcher.unanswered


def _tell(brought: VcrImport, unanswered: Sequence[Object]) -> None:
    from proctor.recordings.vcr_import import difference

    for file in sorted({*brought.recorded, *brought.known}):
        known = f", {brought.known[file]} recorded before" if brought.known[file] else ""
        print(f"{os.path.relpath(file)}: {brought.recorded[file]} answers recorded{known}")
    if brought.beside:
        print(f"{brought.beside} exchanges left out: not the answer of a model, or a failure")
    lines = list(brought.problems)
    for answer in brought.left:
        others = (difference(answer, request) for request in unanswered)
        nearest = min((other for other in others if other), key=lambda other: other.count("(there "), default=None)
        why = f"asked otherwise: {nearest}" if nearest else "no selected case asks this"
        lines.append(f"{answer.exchange.location}: {why}")
    for line in lines[:SHOWN_PROBLEMS]:
        print(f"not taken up: {line}")
    if len(lines) > SHOWN_PROBLEMS:
        print(f"… and {len(lines) - SHOWN_PROBLEMS} more")
