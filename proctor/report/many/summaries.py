"""What a page about many runs needs of each: read once from its report.json, and kept in a small file beside them."""

from __future__ import annotations

import json
import math
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from proctor._base.files import write_whole
from proctor._base.json_values import encoded, sha256_of
from proctor._base.shapes import (
    Wrong,
    anything,
    count,
    fields,
    flag,
    list_of,
    map_of,
    name,
    number,
    optional,
)
from proctor.results.manifest import FILE_NAME as SELECTION
from proctor.results.row import MISSING, NOT_MEASURED, NOT_NEEDED
from proctor.results.saved_fields import moment

REPORT = "report.json"
CACHE = ".index.jsonl"
VERSION = 1
LARGEST_REPORT = 200_000_000
"""Bytes. A report of 100,000 cases has 10 MB."""
HASH = 16
"""Digits of a hash that tell two apart."""
HEAD = 65_536
"""Bytes of selection.json in which the run is described, before its cases."""

ESTIMATE = fields({"value": optional(number), "ci95": optional(list_of(number)), "n": count})
SHAPE = fields(
    {
        "run": fields(
            {"id": name, "started": moment},
            {"duration_s": optional(number), "command": name, "git_commit": optional(name)},
        ),
        "tasks": list_of(
            fields(
                {
                    **dict.fromkeys(("benchmark", "task", "model"), name),
                    "expected": count,
                    "status": map_of(count),
                    "metrics": map_of(map_of(ESTIMATE)),
                    "cost_usd": optional(number),
                    "data_sha256": name,
                    "prompt_sha256": map_of(name),
                },
                {
                    "scale": list_of(number, least=2),
                    "samples": fields({"selected": count, "in_data": count}),
                    "spent_usd": optional(number),
                    **dict.fromkeys(("scorer_sha256", "cases_sha256"), name),
                    "role_models": map_of(name),
                },
            )
        ),
    },
    {"gate": fields({"holds": optional(flag)}), "composites": anything},
)
"""What is read of a report.json, whoever wrote it."""


@dataclass
class Folder:
    """What a folder of reports holds.

    Args:
        runs: A summary of each run, the newest first; see `summary_of`.
        unfinished: The runs without a report: they go on, or were cut short. Of each ``folder``, ``link``, ``id``,
            ``started`` and ``command``.
        others: What else lies there, and why it is no run that can be read: ``folder`` and ``problem``.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)
    unfinished: list[dict[str, Any]] = field(default_factory=list)
    others: list[dict[str, str]] = field(default_factory=list)


def summary_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """What many runs are shown by, from a report.

    Args:
        report: The content of report.json.

    Returns:
        ``id``, ``started``, ``duration_s``, ``command``, ``git_commit``, ``gate`` (``None`` without one) and ``tasks``:
        of each ``task`` and ``model`` the headline ``metric``, its ``scale`` and its ``scores`` by family, how many
        cases were ``expected`` and ``not_measured``, ``selected`` of ``in_data`` samples, ``cost_usd``, ``spent_usd``,
        and ``by``: the hashes of all that scores of two runs must have in common to be compared.
    """
    run, gate = report["run"], report.get("gate")
    return {
        "id": run["id"],
        "started": run["started"],
        **{field: run.get(field) for field in ("duration_s", "command", "git_commit")},
        "gate": None if gate is None else {True: "holds", False: "does not hold", None: "undecided"}[gate["holds"]],
        "tasks": [_task(task) for task in report["tasks"] if task["metrics"]],
    }


def _task(task: Mapping[str, Any]) -> dict[str, Any]:
    metric, families = next(iter(task["metrics"].items()))
    counts = task["status"]
    not_measured = sum(counts.get(status, 0) for status in (*NOT_MEASURED, MISSING))
    measured = task["expected"] - not_measured - counts.get(NOT_NEEDED, 0)
    samples = task.get("samples", {"selected": 0, "in_data": 0})
    none = {"value": None, "ci95": None, "n": 0}
    return {
        "task": f"{task['benchmark']}/{task['task']}",
        "model": task["model"],
        "metric": metric,
        "scale": task.get("scale", [0.0, 1.0]),
        # Where nothing was measured there is no score, though the strict family has the worst value for every case.
        "scores": {family: _short(estimate) if measured else none for family, estimate in families.items()},
        "expected": task["expected"],
        "not_measured": not_measured,
        "not_needed": counts.get(NOT_NEEDED, 0),
        **samples,
        "cost_usd": task["cost_usd"],
        "spent_usd": task.get("spent_usd"),
        "by": {
            name: told[:HASH]
            for name, told in {
                "data": task["data_sha256"],
                "prompts": sha256_of(task["prompt_sha256"]),
                "scorer": task.get("scorer_sha256", ""),
                "judges": sha256_of(task["role_models"]) if "role_models" in task else "",
                "cases": task.get("cases_sha256", ""),
            }.items()
        },
    }


def _short(estimate: Mapping[str, Any]) -> dict[str, Any]:
    value, ci95 = estimate["value"], estimate["ci95"]
    return {
        "value": None if value is None else round(value, 6),
        "ci95": None if ci95 is None else [round(bound, 6) for bound in ci95],
        "n": estimate["n"],
    }


def read_folder(
    reports: Path, known: tuple[Path, Mapping[str, Any]] | None = None, *, patience: float = math.inf
) -> Folder:
    """Look through a folder of reports. What cannot be read is named, and never an error.

    Args:
        reports: The folder.
        known: A run's folder and its report, which then is not read again.
        patience: Seconds after which no further report is read that was not read before: the next call goes on.

    Raises:
        OSError: If the folder itself cannot be read.
    """
    cache = _Cache(reports)
    if known is not None:
        with suppress(OSError):
            cache.put(known[0].name, (known[0] / REPORT).stat(), summary_of(known[1]))
    found = Folder()
    until = time.monotonic() + patience
    for entry in sorted(_folders(reports), key=lambda entry: entry.name, reverse=True):  # names begin with the time
        _look(Path(entry.path), entry, cache, found, is_late=time.monotonic() > until)
    cache.save()
    for runs in (found.runs, found.unfinished):
        runs.sort(key=lambda run: (run["started"], run["id"]), reverse=True)
    found.others.sort(key=lambda other: other["folder"])
    return found


def stamps(reports: Path) -> frozenset[tuple[str, int, int]]:
    """What tells whether a run has ended since: the name of each folder, and time and size of its report."""
    found = set()
    for entry in _folders(reports):
        with suppress(OSError):
            report = Path(entry.path, REPORT).stat()
            found.add((entry.name, report.st_mtime_ns, report.st_size))
    return frozenset(found)


def _folders(reports: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(reports) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir() and not (entry.is_symlink() and _leads_to_one(entry, reports)):
                    yield entry
            except OSError:
                continue


def _leads_to_one(entry: os.DirEntry[str], reports: Path) -> bool:
    """Whether a link is another name of a run here, as ``latest`` is."""
    return Path(entry.path).resolve().parent == reports.resolve()


def _look(folder: Path, entry: os.DirEntry[str], cache: _Cache, found: Folder, *, is_late: bool) -> None:
    shown = _shown(entry.name)
    location = {"folder": shown, "link": quote(os.fsencode(entry.name), safe="")}
    problem = None
    try:
        if entry.is_symlink():
            problem = "a link to somewhere else, which is not followed"
        elif summary := _summary(folder, entry.name, cache, is_late=is_late):
            pages = [page for page in ("report.html", "report.md") if (folder / page).is_file()]
            found.runs.append({**location, "page": pages[0] if pages else None, **summary})
        elif (folder / SELECTION).is_file():
            found.unfinished.append({**location, **_description(folder / SELECTION)})
        else:
            problem = f"no run: there is neither {REPORT} nor {SELECTION}"
    except _NoRun as wrong:
        problem = str(wrong)
    except OSError as wrong:
        problem = f"cannot be read: {wrong.strerror}"
    if problem is not None:
        found.others.append({"folder": shown, "problem": _shown(problem)})


class _NoRun(Exception):
    """Why a folder is not shown as a run."""


def _summary(folder: Path, called: str, cache: _Cache, *, is_late: bool) -> dict[str, Any] | None:
    """What is shown of a run that has ended; ``None`` if it has no report."""
    file = folder / REPORT
    try:
        now = file.stat()
    except FileNotFoundError:
        return None
    if kept := cache.get(called, now):
        return kept
    if is_late:
        raise _NoRun("not read yet: there were many reports to read; the end of the next run goes on with it")
    if not stat.S_ISREG(now.st_mode) or now.st_size > LARGEST_REPORT:
        raise _NoRun(f"its {REPORT} is no file of a size that is read")
    try:
        report = json.loads(file.read_bytes())  # how deep it is does not matter: little of it is looked at
        SHAPE(report)
    except Wrong as wrong:
        raise _NoRun(str(wrong.in_file(Path(REPORT)))) from None
    except (ValueError, RecursionError) as problem:
        raise _NoRun(f"its {REPORT} is not JSON: {problem}") from None
    cache.put(called, now, summary_of(report))
    return cache.get(called, now)


def _description(selection: Path) -> dict[str, Any]:
    """Id, start and command of a run that has no report, from the first bytes of what it selected."""
    with selection.open("rb") as file:
        head = file.read(HEAD).decode(errors="replace")
    before, told, rest = head.partition('"run":')
    run: Any
    try:
        run, _ = json.JSONDecoder().raw_decode(rest.lstrip()) if told and before.strip() == "{" else (None, 0)
        described = {field: run[field] for field in ("id", "started", "command")}
        fields({"id": name, "started": moment, "command": name})(described)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _NoRun(f"its {SELECTION} does not say what run it is, and there is no {REPORT}") from None
    return described


def _shown(text: str) -> str:
    """A name as text: bytes that are no characters as question marks."""
    return text.encode(errors="replace").decode()


class _Cache:
    """The summaries of runs whose reports have not changed since they were read: a line of JSON each.

    Args:
        reports: The folder of the runs.
    """

    def __init__(self, reports: Path) -> None:
        self._file = reports / CACHE
        self._kept: dict[str, tuple[dict[str, Any], bytes]] = {}
        self._used: list[bytes] = []
        with suppress(OSError):
            for line in self._file.read_bytes().splitlines(keepends=True):
                with suppress(ValueError, KeyError, TypeError, RecursionError):
                    entry = json.loads(line)
                    if entry["version"] == VERSION:
                        self._kept[entry["folder"]] = entry, line
        self._before = len(self._kept)
        self._changed = False

    def get(self, folder: str, now: os.stat_result) -> dict[str, Any] | None:
        entry, line = self._kept.get(_shown(folder), ({}, b""))
        if entry.get("stamp") != [now.st_mtime_ns, now.st_size]:
            return None
        self._used.append(line)
        summary: dict[str, Any] | None = entry.get("summary")
        return summary

    def put(self, folder: str, now: os.stat_result, summary: Mapping[str, Any]) -> None:
        stamp = [now.st_mtime_ns, now.st_size]
        entry = {"version": VERSION, "folder": _shown(folder), "stamp": stamp, "summary": summary}
        self._kept[_shown(folder)] = entry, encoded(entry) + b"\n"
        self._changed = True

    def save(self) -> None:
        """Keep what was used; a cache that cannot be written costs time the next time, and nothing else."""
        if self._changed or len(self._used) != self._before:
            with suppress(OSError):
                write_whole(self._file, self._used)
