"""One file over HTTP, whole and as expected, or not at all."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from proctor._base.errors import legible
from proctor._base.files import sync
from proctor._base.http import delay_before_retry, retry_after

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
STALLED_SECONDS = 60.0  # without a byte
MOST_REDIRECTS = 20
FRUITLESS_ATTEMPTS = 5
"""In a row, after which a download is given up; one that brought something begins a new row. It is given up, too, when
what had come of it has been of no use so many times."""
LARGEST_UNKNOWN = 1 << 30  # bytes of a file whose size nobody stated: a server that never ends must not fill the disk
LARGEST_NUMBER = 18  # digits of a number in a header
PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|script|meta|title)\b", re.IGNORECASE)
RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})
TEXT_SHOWN = 60


class DownloadFailed(Exception):
    """A file that could not be had; the message says why."""


class _Interrupted(Exception):
    """An attempt that failed in a way that another one may not.

    Args:
        problem: What happened.
        wait: Seconds the server asked to wait.
    """

    def __init__(self, problem: str, *, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


@dataclass(frozen=True)
class Address:
    """Where a file can be had at this moment.

    Args:
        url: Its address, which may hold a signature and is never shown.
        headers: What has to be sent with the request.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


def client() -> httpx2.Client:
    """A client with this module's patience, which heeds proxies and certificates of the environment."""
    import httpx2

    return httpx2.Client(
        timeout=httpx2.Timeout(STALLED_SECONDS, connect=CONNECT_SECONDS),
        follow_redirects=True,
        headers={"User-Agent": "proctor", "Accept-Encoding": "identity"},
    )


def download(
    http: httpx2.Client,
    find: Callable[[], Address],
    file: Path,
    *,
    difference: Callable[[Path], str | None],
    size: int | None,
) -> None:
    """Put a file into its place when all of it has arrived and is what it should be.

    What arrived of it before stands in ``.<name>.part`` beside it, from where the download goes on.

    Args:
        http: The client; see `client`.
        find: Says where the file is; called before each attempt, since addresses may expire.
        file: Where it goes; its folder exists.
        difference: What is wrong with a file that arrived, ``None`` if nothing.
        size: Its bytes, if known.

    Raises:
        DownloadFailed: If it cannot be had, or is not what it should be, of which then nothing is kept; or if what
            arrived of it before is a link.
        OSError: If it cannot be written.
    """
    part = file.with_name(f".{file.name}.part")
    check_no_link(part)
    fruitless = lost = 0
    while True:
        had = _size(part)
        try:
            if not had or difference(part) is not None:  # a killed run may have left all of it
                resumed = _attempt(http, find, part, size)
                _check(part, difference, resumed=resumed)
            sync(part)
            part.replace(file)
        except _Interrupted as problem:
            fruitless = 0 if _size(part) > had else fruitless + 1
            lost += _size(part) < had  # what has to come once more must not come for ever
            if lost >= FRUITLESS_ATTEMPTS:
                raise DownloadFailed(f"{problem} (begun anew {lost} times)") from None
            if fruitless >= FRUITLESS_ATTEMPTS:
                raise DownloadFailed(f"{problem} ({fruitless} attempts in a row)") from None
            time.sleep(delay_before_retry(max(fruitless, 1), problem.wait))
        else:
            return


def _attempt(http: httpx2.Client, find: Callable[[], Address], part: Path, size: int | None) -> bool:
    """Fetch what is missing; whether the beginning was there before.

    Raises:
        _Interrupted: If another attempt may succeed.
        DownloadFailed: If none will.
    """
    import httpx2

    try:
        address = find()
        start = _size(part)
        with _answer(http, address, {"Range": f"bytes={start}-"} if start else {}) as answer:
            check_status(answer, ok=(200, 206, 416))
            if answer.status_code == 416 or (answer.status_code == 206 and _first_byte(answer) != start):
                part.unlink(missing_ok=True)
                raise _Interrupted("the server does not have the rest of the file")
            if answer.status_code == 200:
                start = 0  # all of it comes again
            _write(answer, part, start, LARGEST_UNKNOWN if size is None else size)
    except httpx2.TimeoutException as problem:
        raise _Interrupted(f"no answer in time ({type(problem).__name__})") from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as problem:
        raise DownloadFailed(f"the server leads nowhere ({type(problem).__name__})") from None
    except (httpx2.LocalProtocolError, UnicodeError) as problem:  # an address or a header that cannot be sent
        raise DownloadFailed(f"the server says what cannot be sent to it ({type(problem).__name__})") from None
    except httpx2.HTTPError as problem:
        raise _Interrupted(f"the connection failed ({_cause(problem)})") from None
    if size is not None and _size(part) < size:
        _check_no_page(part)
        raise _Interrupted(f"the answer ended after {_size(part)} of {size} bytes")
    return start > 0


@contextlib.contextmanager
def _answer(http: httpx2.Client, address: Address, more: Mapping[str, str]) -> Iterator[httpx2.Response]:
    """What stands at an address, and where its host leads from there.

    Publishers keep files at other hosts, and lead there. What arrives is checked by its hash, wherever it comes from;
    headers are for the host that they were given for, and go to no other. What comes with a redirect is not read.
    """
    request = http.build_request("GET", address.url, headers={**address.headers, **more})
    for _ in range(MOST_REDIRECTS + 1):
        with contextlib.closing(http.send(request, stream=True, follow_redirects=False)) as answer:
            if answer.next_request is None:
                yield answer
                return
            following = answer.next_request
        if (following.url.scheme, following.url.netloc) != (request.url.scheme, request.url.netloc):
            for name in address.headers:
                following.headers.pop(name, None)
        request = following
    raise DownloadFailed(f"the server leads nowhere (more than {MOST_REDIRECTS} redirects)")


def check_status(answer: httpx2.Response, *, ok: tuple[int, ...] = (200,)) -> None:
    """Raise what an HTTP status means for a download.

    Args:
        answer: What the server said.
        ok: Statuses with which the download goes on.
    """
    if answer.status_code in ok:
        return
    reason = legible(answer.reason_phrase)[:TEXT_SHOWN]
    said = f"the server answered {answer.status_code} {reason}".rstrip()
    if answer.status_code in RETRYABLE:
        raise _Interrupted(said, wait=retry_after(answer.headers))
    raise DownloadFailed(said)


def _first_byte(answer: httpx2.Response) -> int | None:
    found = re.match(rf"bytes ([0-9]{{1,{LARGEST_NUMBER}}})-", answer.headers.get("content-range", ""))
    return int(found[1]) if found else None


def _write(answer: httpx2.Response, part: Path, start: int, limit: int) -> None:
    with part.open("ab" if start else "wb") as handle:
        # As it arrives, without waiting for more; a compression that was not asked for is undone.
        for chunk in answer.iter_bytes():
            handle.write(chunk)
            handle.flush()
            if handle.tell() > limit:
                break
        else:
            return
    part.unlink()
    raise DownloadFailed(f"the server sends more than the {limit} bytes of the file")


def _check(part: Path, difference: Callable[[Path], str | None], *, resumed: bool) -> None:
    """Remove what arrived if it is not what it should be."""
    wrong = difference(part)
    if wrong is None:
        return
    _check_no_page(part)
    part.unlink()
    if resumed:
        raise _Interrupted(f"the parts do not make the file: {wrong}")
    raise DownloadFailed(f"it is not the published file, and was removed: {wrong}")


def _check_no_page(part: Path) -> None:
    """Remove what arrived if it is a web page: asking again, or going on behind it, brings no better one."""
    with part.open("rb") as handle:
        beginning = handle.read(TEXT_SHOWN)
    if PAGE.match(beginning):
        part.unlink()
        shown = ascii(beginning.decode("utf-8", "replace"))
        raise DownloadFailed(f"it is a web page, perhaps of a proxy or a login, and was removed: {shown}")


def check_no_link(part: Path) -> None:
    """Raise if what arrived before is a link, or no file: what is written to it would land elsewhere.

    Raises:
        DownloadFailed: With the file to remove.
    """
    if part.is_symlink() or (part.exists() and not part.is_file()):
        raise DownloadFailed(f"{part} is a link, or no file; remove it")


def _cause(problem: Exception) -> str:
    return legible(str(problem) or type(problem).__name__)


def _size(part: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return part.stat().st_size
    return 0
