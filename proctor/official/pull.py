"""``proctor pull``: fetch a benchmark's published files, or take them from a folder, and keep only the genuine ones."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from proctor._base.errors import UsageError, legible
from proctor._base.http import redact, without_account
from proctor._base.json_lines import PARQUET
from proctor.official.catalogue import FOLDER, PublishedFile, PublishedSet, published_sets
from proctor.official.download import Address, DownloadFailed, check_no_link, check_status, client, download
from proctor.official.hub import hub_address
from proctor.official.source_notes import add_note

if TYPE_CHECKING:
    import httpx2

LFS_TYPE = "application/vnd.git-lfs+json"
LARGEST_ANSWER = 1_000_000
"""Bytes; it speaks of one file."""
LONGEST_REASON = 300
LFS_POINTER = b"version https://git-lfs"
SOURCE_FILE = "SOURCE.json"
Say = Callable[[str], None]


class NotThere(Exception):
    """The folder that files are taken from lacks one."""


def chosen_sets(benchmarks: Path, names: Sequence[str]) -> list[PublishedSet]:
    """The published sets of these names; all of them, if none is named.

    Raises:
        UsageError: If a name is not known, or there are none at all.
    """
    sets = published_sets(benchmarks)
    if not sets:
        raise UsageError(
            f"no benchmark in {benchmarks}/ names published files",
            remedy="Run this in the folder of a project whose benchmarks have an official.yaml.",
        )
    for name in names:
        if name not in sets:
            raise UsageError(f"no published files of {name!r}", remedy=f"Known: {', '.join(sets)}.")
    return [sets[name] for name in names] if names else list(sets.values())


def pull(published: PublishedSet, dest: Path, *, taken_from: Path | None, say: Say) -> int:
    """Bring all files of a set into its folder; those that are there already stay.

    A folder to take them from may have only some of them: these are taken.

    Args:
        published: The set.
        dest: The folder of all sets.
        taken_from: A clone or a download to take the files from, instead of the network.
        say: Tells the user what happens, a line at a time.

    Returns:
        How many files could not be had; of those that *taken_from* lacks none, unless it has none at all.

    Raises:
        UsageError: If the folder cannot be written, or a file of certificates that the environment names be read.
    """
    from filelock import FileLock

    folder = dest / published.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Whoever comes second waits here, and then finds the files.
        with FileLock(folder / ".lock", thread_local=False), client() as http:
            return _pull_all(published, folder, http, taken_from, say)
    except OSError as problem:
        raise UsageError(
            f"{problem.filename or folder}: {problem.strerror or problem}",
            remedy="When that is mended, the same command goes on where it stopped.",
        ) from None


def _pull_all(published: PublishedSet, folder: Path, http: httpx2.Client, taken_from: Path | None, say: Say) -> int:
    failed = 0
    lacking = []
    for file in published.files:
        local_path = folder / file.local_path
        local_path.parent.mkdir(parents=True, exist_ok=True)
        if local_path.exists():
            wrong = file.difference(local_path)
            if wrong is None:
                say(f"  {file.local_path}: here already")
                continue
            say(f"  {file.local_path}: not the published file ({wrong}); replaced")
        try:
            source = _address(published, file, hub=without_account(hub_address()))
            if taken_from is None:
                say(f"  {file.local_path}: fetching {source}")
                find = partial(_find, http, published, file)
                download(http, find, local_path, difference=file.difference, size=file.size)
            else:
                source = str(_take(file, taken_from, local_path))
                say(f"  {file.local_path}: taken from {source}")
        except NotThere as problem:
            lacking.append(file)
            failed += local_path.exists()  # what is here is not what was published, and stays so
            say(f"  {file.local_path}: left out: {problem}")
        except DownloadFailed as problem:
            failed += 1
            say(f"  {file.local_path}: FAILED: {problem}")
        else:
            _note_source(published, file, folder, source)
    return failed or (len(lacking) if len(lacking) == len(published.files) else 0)


def _address(published: PublishedSet, file: PublishedFile, *, hub: str) -> str:
    """Where the file comes from; to be shown and kept, if the hub's address holds no account."""
    if published.source == "lfs":
        return f"{published.address}/objects/{file.sha256}"
    path = quote(file.path)
    if published.source == "hub":
        return f"{hub}/datasets/{published.address}/resolve/{published.revision}/{path}"
    return published.address.replace("{revision}", str(published.revision)).replace("{path}", path)


def _find(http: httpx2.Client, published: PublishedSet, file: PublishedFile) -> Address:
    """Where the file can be had now: the address itself, or what a Git LFS server says.

    The protocol is that of the batch API in the Git LFS documentation: the object is asked for by SHA-256 and size,
    and the answer names an address, with headers, that may expire.
    """
    if published.source != "lfs":
        return Address(_address(published, file, hub=hub_address()))
    wanted = {
        "operation": "download",
        "transfers": ["basic"],
        "objects": [{"oid": file.sha256, "size": file.size}],
        "hash_algo": "sha256",
    }
    with http.stream(
        "POST",
        f"{published.address}/objects/batch",
        content=json.dumps(wanted),
        headers={"Accept": LFS_TYPE, "Content-Type": LFS_TYPE},
    ) as answer:
        check_status(answer)
        content = b""
        for chunk in answer.iter_bytes():
            content += chunk
            if len(content) > LARGEST_ANSWER:
                raise DownloadFailed(f"the answer of the Git LFS server is longer than {LARGEST_ANSWER} bytes")
    try:
        (found,) = json.loads(content)["objects"]
        if "error" in found:
            reason = legible(redact(str(found["error"].get("message", "no reason"))))[:LONGEST_REASON]
            raise DownloadFailed(f"the Git LFS server does not have it: {reason}")
        action = found["actions"]["download"]
        return Address(str(action["href"]), {str(k): str(v) for k, v in action.get("header", {}).items()})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DownloadFailed("the answer of the Git LFS server is not what its protocol promises") from None


def _take(file: PublishedFile, folder: Path, local_path: Path) -> Path:
    """Copy a file out of a clone or a download, where it may stand under its path, its name here, or its last name."""
    candidates = [folder / file.path, folder / file.local_path, folder / Path(file.path).name]
    found = [candidate for candidate in dict.fromkeys(candidates) if candidate.is_file()]
    if not found:
        raise NotThere(f"{folder} has neither {file.path} nor {file.local_path}")
    for candidate in found:
        wrong = file.difference(candidate)
        if wrong is None:
            part = local_path.with_name(f".{local_path.name}.part")
            check_no_link(part)
            shutil.copyfile(candidate, part)
            part.replace(local_path)
            return candidate
    with found[0].open("rb") as handle:
        pointer = handle.read(len(LFS_POINTER)) == LFS_POINTER
    hint = (
        "it is a Git LFS pointer: run `git lfs pull` in the clone"
        if pointer
        else "is that the pinned revision, with line ends as they were committed?"
    )
    raise DownloadFailed(f"{found[0]} is not the published file: {wrong}; {hint}")


def _note_source(published: PublishedSet, file: PublishedFile, folder: Path, source: str) -> None:
    """Write down, beside the files, where this one came from."""
    about = {
        "title": published.title,
        "page": published.page,
        "licence": published.licence,
        "revision": published.revision,
    }
    entry = {
        "path": file.path,
        "from": source,
        "sha256": file.sha256,
        "git_blob": file.git_blob,
        "bytes": (folder / file.local_path).stat().st_size,
    }
    add_note(folder / SOURCE_FILE, about, file.local_path, entry)


def how_to_run(published: PublishedSet, dest: Path, *, from_hub: bool = False) -> Iterator[str]:
    """The commands that run a set's benchmark on its published files, or on those of the hub.

    Args:
        published: The set.
        dest: The folder with its files.
        from_hub: Whether they are the hub's, in the hub's layout.
    """
    tests = f"benchmarks/{published.name}"
    if dest.resolve() == Path("data", FOLDER).resolve():
        yield f"pytest {tests} --official --model oracle    # do data and scorers agree? No model is asked"
        yield f"pytest {tests} --official --model NAME --estimate"
        yield f"pytest {tests} --official --model NAME --record-mode once"
        return
    folder = dest / published.name
    named: list[str] = []
    for task, local_path in published.data_paths(from_hub=from_hub).items():
        if (folder / local_path).is_file():
            named += ["--dataset", f"{published.name}/{task}={folder / local_path}"]
    if any(file.prompt for file in published.files):
        named += ["--prompts-dir", str(folder / "prompts")]
    yield f"pytest {tests} {shlex.join(named)} --model NAME --record-mode once"


def listed(published: PublishedSet, dest: Path) -> Iterator[str]:
    """What ``--list`` says about a set."""
    folder = dest / published.name
    here = sum((folder / file.local_path).is_file() for file in published.files)
    yield f"{published.name}: {published.title}"
    yield f"  source    {published.page}"
    yield f"  revision  {published.revision or 'each file by its SHA-256'}"
    yield f"  licence   {published.licence}"
    yield f"  pulled    {here} of {len(published.files)} files, in {folder}"
    width = max(len(file.local_path) for file in published.files)
    for file in published.files:
        local_path = folder / file.local_path
        size = file.size or (local_path.stat().st_size if local_path.is_file() else None)
        figures = [f"{file.rows:,} rows"] if file.rows else []
        figures.append("size not stated" if size is None else f"{size:,} bytes")
        yield f"  {file.local_path:<{width}}  {', '.join(figures)}"
    for task, name in published.on_hub.items():
        yield f"  {task}{PARQUET}: {name} of the hub, with --hub"
