"""The local server of ``proctor view``: read only, for this machine's user alone."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from proctor._base.errors import UsageError
from proctor._base.json_values import encoded
from proctor.report.html.blocks import element
from proctor.report.html.document import document
from proctor.report.many.index_page import index_page
from proctor.report.many.summaries import read_folder
from proctor.results.manifest import FILE_NAME
from proctor.view.run_pages import RunPages
from proctor.view.running import RunningRun

HOST = "127.0.0.1"
LIVE_STYLES = ("page.css", "live.css")
POLICY = re.compile(rb'http-equiv="Content-Security-Policy" content="([^"]*)"')
HTML = "text/html; charset=utf-8"
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
IDLE = 60.0
"""Seconds after which a connection is closed on which nothing is asked."""


class Answer(NamedTuple):
    """What a request is answered with."""

    content: bytes
    kind: str = HTML
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = {}


class ViewServer(ThreadingHTTPServer):
    """Serves the pages of a folder of runs on 127.0.0.1.

    Args:
        reports: The folder.
        port: The port; 0 for any that is free.
        pages: Makes the pages of runs.

    Raises:
        OSError: If the port is taken.
    """

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere it would let two servers have one port

    def __init__(self, reports: Path, port: int, pages: RunPages) -> None:
        self.reports = reports
        self._pages = pages
        self._running: dict[Path, RunningRun] = {}
        self._lock = threading.Lock()
        super().__init__((HOST, port), _Handler)
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{HOST}:{self.server_port}/"

    def answer(self, path: str) -> Answer:
        """What stands at a path.

        Names of folders are never made into paths: they are looked up among those that are there.
        """
        parts = [os.fsdecode(unquote_to_bytes(part)) for part in path.split("/")[1:]]
        if parts == [""]:
            return _page(b"".join(index_page(self._listed(), server=True)))
        if len(parts) < 2 or parts[0] not in self._folders():
            return _refused(HTTPStatus.NOT_FOUND, "There is no such page.")
        folder = self.reports / parts[0]
        match parts[1:]:
            case ["report.html"]:
                if not (folder / "report.json").is_file():
                    return Answer(b"", "text/plain", HTTPStatus.SEE_OTHER, {"Location": "live"})
                page = self._pages.of(folder)
                return _page(page.document) if page else _page(_without_data("wait"))
            case ["parts", number] if number.isascii() and number.isdigit():
                parts_of_page = self._pages.of(folder)
                if parts_of_page and int(number) < len(parts_of_page.parts):
                    return Answer(parts_of_page.part(int(number)), "text/plain; charset=us-ascii")
            case ["live"]:
                return _page(_without_data("live"))
            case ["state.json"]:
                return Answer(encoded(self._run(folder).state()), "application/json")
        return _refused(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _listed(self) -> Any:
        found = read_folder(self.reports)
        for run in found.runs:
            run["page"] = "report.html"  # it is made here, whether the folder has one or not
        return found

    def _folders(self) -> set[str]:
        with os.scandir(self.reports) as entries:
            return {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}

    def _run(self, folder: Path) -> RunningRun:
        with self._lock:
            if folder not in self._running:
                self._running[folder] = RunningRun(folder)
            return self._running[folder]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that has left is no error."""
        import sys

        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def _without_data(entry: str) -> bytes:
    """A page that asks this server for what it shows."""
    before, after = document("Proctor run", entry, "This page needs it.", LIVE_STYLES)
    return before + element("run", b"{}") + after


def is_run(folder: Path) -> bool:
    """Whether a folder is that of one run, and not of many."""
    return (folder / FILE_NAME).is_file()


def _page(content: bytes) -> Answer:
    """A page that may ask this server for more, with its policy in a header, too."""
    content = content.replace(b"default-src 'none';", b"default-src 'none'; connect-src 'self';", 1)
    found = POLICY.search(content)
    assert found is not None
    return Answer(content, headers={"Content-Security-Policy": f"{found[1].decode()}; frame-ancestors 'none'"})


def _refused(status: HTTPStatus, reason: str) -> Answer:
    return Answer(f"{reason}\n".encode(errors="replace"), "text/plain; charset=utf-8", status)


class _Handler(BaseHTTPRequestHandler):
    """Answers a connection's requests."""

    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version = "proctor"
    sys_version = ""
    timeout = IDLE

    def do_GET(self) -> None:
        self._send(self._answer())

    def do_HEAD(self) -> None:
        self._send(self._answer(), with_content=False)

    def _answer(self) -> Answer:
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            # A name that somebody else has led to this machine: a page of theirs would read what is here.
            return _refused(HTTPStatus.FORBIDDEN, "This server answers for 127.0.0.1 and localhost alone.")
        origin = self.headers.get("Origin")
        foreign = origin is not None and origin.lower().removeprefix("http://") not in self.server.hosts
        between = self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")
        if foreign or (between and self.headers.get("Sec-Fetch-Mode") != "navigate"):
            return _refused(HTTPStatus.FORBIDDEN, "Pages of other sites may not read this.")
        try:
            return self.server.answer(urlsplit(self.path).path)
        except UsageError as problem:  # a file of the run that cannot be read
            return _refused(HTTPStatus.INTERNAL_SERVER_ERROR, str(problem))
        except OSError as problem:
            return _refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"{problem.filename} cannot be read: {problem.strerror}.")

    def _send(self, answer: Answer, *, with_content: bool = True) -> None:
        self.send_response(answer.status)
        for name, value in {**HEADERS, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        if with_content:
            self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as the library names it
        """Requests are nobody's business."""
