"""The command ``proctor view``: the pages of runs from a local server."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

DEFAULT_PORT = 8765


def declare_view(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor view``."""
    parser = commands.add_parser(
        "view",
        help="show runs in a browser, also one that goes on",
        description="Serve the pages of a folder of runs on 127.0.0.1: all runs, each with all its texts, and how a "
        "run that goes on is doing: cases done, scores so far, requests in flight, spending, newest answers. Ctrl-C "
        "ends it. Nothing is written, and no page needs it: report.html and index.html open from disk.",
        epilog="Exit code: 0 when it is ended by Ctrl-C; 4 for bad usage, such as a port that is taken.",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help="a folder of runs, or that of one run; default: reports"
    )
    parser.add_argument(
        "--port", type=_port, metavar="N", help=f"default: {DEFAULT_PORT}, or any that is free if it is taken"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.set_defaults(run=_view)


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 (any) to 65535: {text!r}")
    return number


def _view(options: argparse.Namespace) -> int:
    from proctor._base.errors import UsageError
    from proctor.results.saved_run import REPORTS
    from proctor.view.run_pages import RunPages
    from proctor.view.server import ViewServer, is_run

    folder: Path = options.folder or REPORTS
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is no folder", remedy="Name the folder of runs; pytest makes reports/ at the first."
        )
    folder = folder.resolve()
    start = ""
    if is_run(folder):
        from urllib.parse import quote

        folder, start = folder.parent, f"{quote(os.fsencode(folder.name), safe='')}/report.html"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nothing is left behind
    with RunPages() as pages:
        server = _bound(folder, options.port, pages, ViewServer)
        with server:
            print(f"{folder} is shown at {server.address}{start}\nCtrl-C ends it.", flush=True)
            if not options.no_browser:
                _open(server.address + start)
            try:
                server.serve_forever(poll_interval=0.2)
            except KeyboardInterrupt:
                print("ended")
    return 0


def _bound(folder: Path, port: int | None, pages: Any, kind: Any) -> Any:
    from proctor._base.errors import UsageError

    try:
        return kind(folder, DEFAULT_PORT if port is None else port, pages)
    except OSError as problem:
        if port is None:
            return kind(folder, 0, pages)
        raise UsageError(
            f"port {port} cannot be had: {problem.strerror}", remedy="Name another, or leave --port out."
        ) from None


def _open(address: str) -> None:
    """Open a browser, where there is a screen: one in this terminal would take it over."""
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        import webbrowser

        webbrowser.open(address)
