"""The command ``proctor pull``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError


def declare_pull(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor pull``."""
    parser = commands.add_parser(
        "pull",
        help="fetch the published data and prompts of a benchmark",
        description="Fetch the files that a benchmark publishes, at a pinned revision, and keep those alone whose hash "
        "is right. What is here already stays; an interrupted download goes on where it stopped. Then run them with "
        "pytest --official. Proxies and certificates are those of the environment; HF_ENDPOINT names another hub.",
        epilog="Exit code: 0; 1 if a file could not be had; 4 for bad usage.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which data sets; see --list")
    parser.add_argument("--list", action="store_true", help="say what there is, fetch nothing")
    parser.add_argument(
        "--from",
        type=Path,
        dest="taken_from",
        metavar="DIR",
        help="a clone or download to take from; what it lacks is left out",
    )
    parser.add_argument(
        "--dest", type=Path, default=Path("data/official"), metavar="DIR", help="where to; default: data/official"
    )
    parser.add_argument(
        "--hub",
        action="store_true",
        help="the newest Parquet files of the Hugging Face hub instead, with its own library",
    )
    parser.add_argument(
        "--revision", metavar="REV", help="with --hub: this commit, branch or tag instead of the newest"
    )
    parser.set_defaults(run=_pull)


def _pull(options: argparse.Namespace) -> int:
    from proctor.official.catalogue import BENCHMARKS
    from proctor.official.hub import pull_from_hub
    from proctor.official.pull import chosen_sets, how_to_run, listed, pull

    sets = chosen_sets(Path(BENCHMARKS), options.names)
    if options.list:
        print("\n\n".join("\n".join(listed(found, options.dest)) for found in sets))
        return 0
    if not options.names:
        raise UsageError("nothing named to fetch", remedy=f"There is: {', '.join(found.name for found in sets)}.")
    if options.hub and options.taken_from is not None:
        raise UsageError("--hub and --from name two sources", remedy="Leave one of them out.")
    if options.revision is not None and not options.hub:
        raise UsageError("--revision chooses a revision on the hub", remedy="Add --hub.")
    if options.taken_from is not None and not options.taken_from.is_dir():
        raise UsageError(f"there is no folder {options.taken_from}", remedy="Name a clone or a download.")
    failed = 0
    for found in sets:
        print(f"{found.name}: {found.title}. Licence: {found.licence}")
        say = partial(print, flush=True)
        if options.hub:
            missing = pull_from_hub(found, options.dest, revision=options.revision, say=say)
        else:
            missing = pull(found, options.dest, taken_from=options.taken_from, say=say)
        failed += missing
        if missing:
            files = found.on_hub if options.hub else found.files
            print(f"{missing} of {len(files)} files could not be had; the same command tries again.")
        else:
            paths = [*found.data_paths(from_hub=True).values()] if options.hub else [f.local_path for f in found.files]
            here = sum((options.dest / found.name / path).is_file() for path in paths)
            some = f"{here} of {len(paths)} files are here. Run the tasks that they are enough for:"
            print("Complete. Run it:" if here == len(paths) else some)
            print("\n".join(f"  {line}" for line in how_to_run(found, options.dest, from_hub=options.hub)))
    return 1 if failed else 0
