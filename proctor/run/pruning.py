"""Recordings that a run had no use for: which they are, and their removal with ``--prune``.

All of it follows from the rows of the run and the cassette file, so it is the same with and without xdist workers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor._base.errors import printable
from proctor._base.files import write_whole
from proctor.media.generated import unnamed
from proctor.recordings.cassette import exclusive
from proctor.recordings.recording import CallId, Recording
from proctor.results.identity import TaskModel
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.row import MISSING, NOT_MEASURED, NOT_NEEDED, ResultRow
from proctor.run.request import RunRequest
from proctor.tasks.sample import case_name

SHOWN_NAMES = 5
OPTION_OF = {"temperature": "--temperature", "max_tokens": "--max-tokens"}
HEAD = re.compile(
    rb'\{"sample":"((?:[^"\\]|\\.)*)","epoch":(\d+),"role":"((?:[^"\\]|\\.)*)"(?:,"turn":(\d+))?,"key":"([0-9a-f]+)"'
)


class MadeCalls:
    """The calls that a run's cases made: hashes, since their names and keys would take half a kilobyte a case.

    Where two are alike, which happens once in 10**9 runs of 100,000 cases, a recording is kept that nobody needs.
    """

    def __init__(self) -> None:
        self._known: set[int] = set()

    def take(self, row: ResultRow) -> None:
        """Take up a row's calls."""
        task = TaskModel.of(row)
        for call in row["calls"]:
            slot = CallId(row["sample_id"], row["epoch"], call["role"], call["turn"])
            self._known |= {hash((task, slot)), hash((task, slot, call["key"]))}

    def has(self, task: TaskModel, slot: CallId, key: str | None = None) -> bool:
        """Whether a call was made in this slot; with this key, if one is given."""
        return hash((task, slot) if key is None else (task, slot, key)) in self._known


@dataclass(frozen=True)
class AskedCalls:
    """What a run asked of one task and model.

    Args:
        task: Which.
        calls: The calls made.
        unmeasured: Sample and epoch of the cases that ended in an error. What they asked is known, what they would
            have asked is not.
        epochs: The epochs that were selected.
        partial: Why this does not say what is unused; ``None`` after a full run.
        option: The option that makes the calls others than those of a run without it, which may need what looks stale.
    """

    task: TaskModel
    calls: MadeCalls
    unmeasured: Collection[tuple[str, int]]
    epochs: Collection[int]
    partial: str | None
    option: str | None

    @classmethod
    def of(
        cls,
        task: ManifestTask,
        rows: Sequence[ResultRow],
        calls: MadeCalls,
        status: Mapping[str, int],
        *,
        other_data: bool,
        option: str | None,
    ) -> AskedCalls:
        """What the cases with these rows asked.

        Args:
            task: The task and model.
            rows: Its rows.
            calls: The calls made.
            status: How many cases have each status.
            other_data: Whether the data file is not the task's own.
            option: As for the class.
        """
        return cls(
            task.identity,
            calls,
            frozenset((row["sample_id"], row["epoch"]) for row in rows if row["status"] in NOT_MEASURED),
            frozenset(case.epoch for case in task.cases),
            _partial(task, rows, status, other_data),
            option,
        )


def _partial(task: ManifestTask, rows: Sequence[ResultRow], status: Mapping[str, int], other_data: bool) -> str | None:
    """Why a run does not say which recordings are unused; ``None`` if it does."""
    if other_data:
        return f"it used {task.data_file}"
    selected = {case.sample_id for case in task.cases}
    if len(selected) < task.samples_in_data or not task.samples_in_data:
        return f"it selected {len(selected)} of {task.samples_in_data} samples"
    if len(task.cases) < len(selected) * len({case.epoch for case in task.cases}):
        return "it did not select every epoch of every sample"
    if status[NOT_NEEDED]:
        return "it did not need all of its cases"
    if status[MISSING]:
        return f"{status[MISSING]} of its cases never finished"
    if any(row["source"] not in ("replayed", "recorded") for row in rows if row["status"] not in NOT_MEASURED):
        return "some of its answers came from elsewhere"
    return None


@dataclass(frozen=True, slots=True)
class Leftover:
    """A recording that the run had no use for.

    Args:
        name: Sample and role, with epoch and turn where they are not the first.
        stale: Whether its slot was asked with another call; if not, it was not asked at all.
        removable: False where its case ended in an error, or a run with other options, may need it yet.
        line: Its line in the cassette.
    """

    name: str
    stale: bool
    removable: bool
    line: bytes


def leftovers(file: Path, asked: AskedCalls, *, started: str) -> Iterator[Leftover]:
    """The recordings in *file* that a run had no use for, in the order of the file.

    Recordings that another run has made since this one *started* (ISO 8601, UTC) are not among them.
    """
    if not file.exists():
        return
    with file.open("rb") as lines:
        for line in lines:
            head = _head(line)
            if head is None:
                continue
            call_id, key = head
            asked_otherwise = asked.calls.has(asked.task, call_id)
            unmeasured = (call_id.sample, call_id.epoch) in asked.unmeasured
            if asked_otherwise:
                leftover = not asked.calls.has(asked.task, call_id, key)
            else:
                leftover = asked.partial is None and call_id.epoch in asked.epochs and not unmeasured
            if leftover and _recorded_before(started, line):
                removable = not unmeasured and not (asked_otherwise and asked.option is not None)
                yield Leftover(_name(call_id), asked_otherwise, removable, line)


def _head(line: bytes) -> tuple[CallId, str] | None:
    """Slot and key of a recording, without parsing the rest; ``None`` for a line that another run is writing."""
    match = HEAD.match(line)
    if match is None or not line.endswith(b"\n"):
        return None
    sample, epoch, role, turn, key = match.groups()
    return CallId(_text(sample), int(epoch), _text(role), int(turn or 0)), key.decode()


def _recorded_before(moment: str, line: bytes) -> bool:
    try:
        return str(Recording.parse(line.rstrip(b"\n")).recorded_at) < moment
    except ValueError:
        return False  # the lines were whole when the run started: another run is at work here


def _text(raw: bytes) -> str:
    text = raw.decode("utf-8", "surrogateescape")
    return str(json.loads(f'"{text}"')) if "\\" in text else text


def _name(call_id: CallId) -> str:
    name = f"{case_name(call_id.sample, call_id.epoch)}/{call_id.role}" + (
        f"-{call_id.turn + 1}" if call_id.turn else ""
    )
    return printable(name)


def remove_lines(file: Path, lines: Collection[bytes]) -> None:
    """Remove these lines from a cassette; the others stay as they are, and in their order."""
    with exclusive(file):
        kept = (line for line in file.read_bytes().splitlines(keepends=True) if line not in lines)
        write_whole(file, b"".join(kept), durable=True)


def prune(
    run: RunRequest, manifest: Manifest, rows: Sequence[ResultRow], calls: MadeCalls, report: Mapping[str, Any]
) -> list[str]:
    """Note in the report which recordings the run had no use for and, with ``--prune``, remove them.

    Each task's ``cassette`` gets ``stale`` and ``unused``, lists of names, and ``pruned``, the number removed.
    ``unused`` is ``None`` where the run does not tell, which is after all but full runs.

    Args:
        run: What was asked for.
        manifest: What it selected.
        rows: What it measured.
        calls: The calls that it made.
        report: The content of its report.json, with the tasks of *manifest*.

    Returns:
        Lines for the user.

    Raises:
        OSError: If a cassette cannot be read or written.
    """
    if run.options.responses is not None:
        return []  # the models' own answers were not asked for, which does not make their recordings useless
    notes: list[str] = []
    prunable = False
    for task, entry in zip(manifest.tasks, report["tasks"], strict=True):
        entry["cassette"] |= {"stale": [], "unused": None, "pruned": 0}
        if task.cassette_file is None or not run.options.keep_recordings:
            continue
        file = run.root / task.cassette_file
        own = [row for row in rows if TaskModel.of(row) == task.identity]
        other_data = run.data.uses_other_data(task.name)
        asked = AskedCalls.of(task, own, calls, entry["status"], other_data=other_data, option=_option(run, task))
        found = list(leftovers(file, asked, started=manifest.run["started"]))
        removed = {leftover.line for leftover in found if leftover.removable} if run.options.prune else set()
        if removed:
            remove_lines(file, removed)
        entry["cassette"] |= {
            "stale": [leftover.name for leftover in found if leftover.stale],
            "unused": None if asked.partial else [leftover.name for leftover in found if not leftover.stale],
            "pruned": len(removed),
        }
        notes += _told(task.cassette_file, found, asked, pruned=run.options.prune)
        prunable = prunable or any(leftover.removable for leftover in found)
    told, left = _prune_images(run, manifest)
    notes += told
    prunable = prunable or left
    if prunable and not run.options.prune:
        notes.append("Replay with --prune to remove them, unless runs with other data or parameters need them.")
    return notes


def _option(run: RunRequest, task: ManifestTask) -> str | None:
    """The first option that makes the task's calls others than those of a run without it."""
    options = run.options
    name = task.name
    chosen = {
        "--dataset": name in options.datasets,
        "--official": options.official is not None,
        "--prompts-dir": options.prompts_chosen,
        "--system": options.system is not None,
        "--role": any(of in ("", name) for of, _ in options.roles),
        **{OPTION_OF.get(parameter, "--model-param"): True for parameter in options.parameters},
    }
    return next((option for option, is_given in chosen.items() if is_given), None)


def _prune_images(run: RunRequest, manifest: Manifest) -> tuple[list[str], bool]:
    """Find the pictures beside the cassettes that no recording names and, with ``--prune``, remove them.

    Returns:
        Lines for the user, and whether any such picture is left.
    """
    if not run.options.keep_recordings:
        return [], False
    started = datetime.fromisoformat(manifest.run["started"]).timestamp()
    notes, left = [], False
    for folder in sorted({(run.root / task.cassette_file).parent for task in manifest.tasks if task.cassette_file}):
        found = unnamed(folder, before=started)
        if not found:
            continue
        if run.options.prune:
            for file in found:
                file.unlink(missing_ok=True)
        pictures = f"{len(found)} picture{'s' if len(found) > 1 else ''} that no recording names"
        names = _shown([file.name for file in found], rest="more")
        notes.append(f"{run.shown(folder)}: {'removed ' if run.options.prune else ''}{pictures}: {names}")
        left = left or not run.options.prune
    return notes, left


def _told(file: str, found: Sequence[Leftover], asked: AskedCalls, *, pruned: bool) -> Iterator[str]:
    """What a user should know about a cassette's leftovers."""
    removable = [leftover for leftover in found if leftover.removable]
    held = [leftover.name for leftover in found if not leftover.removable]
    for kind, why, names in (
        ("stale", "the call has changed since", [leftover.name for leftover in removable if leftover.stale]),
        ("unused", "the call is no longer made", [leftover.name for leftover in removable if not leftover.stale]),
    ):
        if names:
            yield f"{file}: {'removed ' if pruned else ''}{_counted(kind, names)} ({why}): {_shown(names)}"
    if held:
        if asked.option is None:
            why = "the case ended in an error and may need it yet; --prune keeps it"
        else:
            why = f"a run without {asked.option} may need it; --prune keeps it"
        yield f"{file}: {_counted('stale', held)} ({why}): {_shown(held)}"
    if pruned and asked.partial:
        yield f"{file}: unused recordings are kept: the run does not tell which they are, since {asked.partial}"
    elif pruned and not found:
        yield f"{file}: nothing to prune"


def _counted(kind: str, names: Sequence[str]) -> str:
    return f"{len(names)} {kind} recording{'s' if len(names) > 1 else ''}"


def _shown(names: Sequence[str], rest: str = "more in report.json") -> str:
    more = f", … ({len(names) - SHOWN_NAMES} {rest})" if len(names) > SHOWN_NAMES else ""
    return f"{', '.join(names[:SHOWN_NAMES])}{more}"
