"""Data sets as they were published: what there is, where it comes from, and where it stands once it was pulled.

A benchmark says so in a file ``official.yaml`` beside its tests; `proctor.official.pull` fetches what it names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from proctor._base import marked_yaml
from proctor._base.json_lines import PARQUET
from proctor._base.marked_yaml import Marked
from proctor.tasks.names import TASK_NAME

FILE_NAME = "official.yaml"
BENCHMARKS = "benchmarks"
FOLDER = "official"
"""The folder of published files, inside the folder of data files."""

SOURCES = ("url", "lfs", "hub")
SET_FIELDS = ("title", "page", "licence", "revision", *SOURCES, "files", "on_hub")
FILE_FIELDS = ("path", "task", "prompt", "rows", "bytes", "sha256", "git_blob")
TEMPLATE_NAME = re.compile(r"[A-Za-z0-9_-]+")
REVISION = re.compile(r"[\w.-]+")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
ADDRESS = re.compile(r"https?://[^\s/]\S*")
SHA256 = re.compile(r"[0-9a-f]{64}")
SHA1 = re.compile(r"[0-9a-f]{40}")
CHUNK = 1 << 20


@dataclass(frozen=True)
class PublishedFile:
    """One file of a published data set; it has at least one of the two hashes.

    Args:
        path: Where it stands in the source.
        local_path: Where it stands in the folder of its set, under the name that the task or the template has here.
        task: Short name of the task that reads it, if it is data.
        prompt: Name of the template that it is, if it is a prompt.
        rows: How many rows it holds, if known.
        size: Its bytes, if known.
        sha256: Its SHA-256 (hex), if known.
        git_blob: The SHA-1 by which git knows its content, if known.
    """

    path: str
    local_path: str
    task: str | None
    prompt: str | None
    rows: int | None
    size: int | None
    sha256: str | None
    git_blob: str | None

    def difference(self, file: Path) -> str | None:
        """What tells *file* from what was published, in words; ``None`` if its content is the same.

        Raises:
            OSError: If it cannot be read.
        """
        size = file.stat().st_size
        if self.size is not None and size != self.size:
            return f"{size} bytes, not {self.size}"
        sha256 = hashlib.sha256()
        git_blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        with file.open("rb") as handle:
            while chunk := handle.read(CHUNK):
                sha256.update(chunk)
                git_blob.update(chunk)
        for name, found, published in (("SHA-256", sha256, self.sha256), ("git blob SHA-1", git_blob, self.git_blob)):
            if published is not None and found.hexdigest() != published:
                return f"{name} {found.hexdigest()}, not {published}"
        return None


@dataclass(frozen=True)
class PublishedSet:
    """The published files of one benchmark.

    Args:
        name: The benchmark's name, which is the set's.
        title: What it is.
        page: Address of the source's page.
        licence: As published.
        revision: The pinned revision; ``None`` where the hash of each file is what names it to the source.
        source: How files are fetched: ``url``, ``lfs`` or ``hub``.
        address: For ``url`` a pattern with ``{revision}`` and ``{path}``, for ``lfs`` the Git LFS endpoint, for
            ``hub`` the name of a data set on the Hugging Face hub.
        files: The files.
        on_hub: By short name of the task, data sets of the Hugging Face hub that have its rows as Parquet.
    """

    name: str
    title: str
    page: str
    licence: str
    revision: str | None
    source: str
    address: str
    files: tuple[PublishedFile, ...]
    on_hub: Mapping[str, str] = field(default_factory=dict)

    def data_paths(self, *, from_hub: bool) -> dict[str, str]:
        """Where the data stands in the set's folder, by short name of the task."""
        if from_hub:
            return {task: f"{task}{PARQUET}" for task in self.on_hub}
        return {file.task: file.local_path for file in self.files if file.task}


def published_sets(benchmarks: Path) -> dict[str, PublishedSet]:
    """The data sets that the benchmarks in a folder name, by name.

    Raises:
        DataError: For the first mistake in a catalogue, with its line.
    """
    files = sorted(benchmarks.glob(f"*/{FILE_NAME}"))
    return {file.parent.name: _read(file) for file in files}


def _read(file: Path) -> PublishedSet:
    top = marked_yaml.load(file)
    found = top.fields(SET_FIELDS, needed=("title", "page", "licence", "files"))
    sources = [name for name in SOURCES if name in found]
    if len(sources) != 1:
        top.fail_key(f"exactly one of {', '.join(SOURCES)} says where the files are", f"found: {', '.join(sources)}")
    source = sources[0]
    if ("revision" in found) == (source == "lfs"):
        top.fail_key("revision pins what url and hub give; what lfs gives is pinned by its hash", "give it there alone")
    name = file.parent.name
    files = tuple(_file(item, source, name) for item in found["files"].items())
    paths = [published.local_path for published in files]
    for item, local_path in zip(found["files"].items(), paths, strict=True):
        if paths.count(local_path) > 1:
            item.fail(f"two files for {local_path}", "keep one")
    return PublishedSet(
        name=name,
        title=found["title"].text(),
        page=found["page"].text(),
        licence=found["licence"].text(),
        revision=_optional(found, "revision", REVISION, "a revision's hash, in quotes"),
        source=source,
        address=_address(found[source], source),
        files=files,
        on_hub=_on_hub(found["on_hub"]) if "on_hub" in found else {},
    )


def _on_hub(mark: Marked) -> dict[str, str]:
    names = {}
    for task, name in mark.mapping().items():
        if not re.fullmatch(TASK_NAME, task):
            name.fail_key("expected a task's name without its benchmark")
        names[task] = _matching(name, HUB_NAME, "owner/name")
    return names


def _address(mark: Marked, source: str) -> str:
    hub = source == "hub"
    address = _matching(mark, HUB_NAME if hub else ADDRESS, "owner/name" if hub else "https://host/path")
    if source == "url" and "{path}" not in address:
        mark.fail("the pattern lacks {path}", "such as https://host/{revision}/{path}")
    return address


def _file(item: Marked, source: str, benchmark: str) -> PublishedFile:
    found = item.fields(FILE_FIELDS, needed=("path",))
    if ("task" in found) == ("prompt" in found):
        item.fail_key("a file is either the data of a task or a prompt", "give one of task, prompt")
    if not ("sha256" in found or "git_blob" in found):
        item.fail_key("nothing tells whether the file is the published one", "give sha256 or git_blob")
    if source == "lfs" and not ("sha256" in found and "bytes" in found):
        item.fail_key("Git LFS knows a file by sha256 and bytes", "give both")
    path = found["path"].text()
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        found["path"].fail("not a path inside the source", "such as data/file.jsonl")
    task = _optional(found, "task", re.compile(TASK_NAME), "a task's name without its benchmark")
    prompt = _optional(found, "prompt", TEMPLATE_NAME, "the name of a template, without .txt")
    return PublishedFile(
        path=path,
        # The folder prompts/ is one that --prompts-dir may name.
        local_path=f"{task}.jsonl" if task else f"prompts/{benchmark}/{prompt}.txt",
        task=task,
        prompt=prompt,
        rows=found["rows"].count() if "rows" in found else None,
        size=found["bytes"].count() if "bytes" in found else None,
        sha256=_optional(found, "sha256", SHA256, "64 hex digits, in quotes"),
        git_blob=_optional(found, "git_blob", SHA1, "40 hex digits, in quotes"),
    )


def _optional(found: Mapping[str, Marked], name: str, pattern: re.Pattern[str], what: str) -> str | None:
    return _matching(found[name], pattern, what) if name in found else None


def _matching(mark: Marked, pattern: re.Pattern[str], what: str) -> str:
    text = mark.text()
    if not pattern.fullmatch(text):
        mark.fail(f"expected {what}")
    return text
