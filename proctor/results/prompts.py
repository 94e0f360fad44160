"""prompts.jsonl: the prompts of a run, kept in its folder as they are asked.

So a report can be made anew without the code and data that they were made from. A line has ``benchmark``, ``task`` and
``sample_id``; ``sha256``, what a row calls the prompt's hash, or null; and ``pieces``: texts, and media as ``kind``,
``path`` (from the project's folder) and ``sha256``. A prompt stands there once, whatever number of models was asked it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError
from proctor._base.files import append_line, replacing
from proctor._base.json_values import encoded
from proctor._base.shapes import Wrong, either, fields, list_of, name, one_of, optional, parsed, text
from proctor.conversations.first_prompt import FirstPrompt
from proctor.media.medium import KINDS, Media

PROMPTS_NAME = "prompts.jsonl"
MEDIUM = fields({"kind": one_of(KINDS), "path": name, "sha256": name})
LINE = fields(
    {
        **dict.fromkeys(("benchmark", "task", "sample_id"), name),
        "sha256": optional(name),
        "pieces": list_of(either(text, MEDIUM)),
    }
)
Shown = Callable[[Path], str]
"""What a path is called from the project's folder."""


def saved_medium(medium: Media, shown: Shown) -> dict[str, str]:
    """What stands for a medium in the files of a run."""
    try:
        sha256 = medium.sha256
    except (OSError, DataError):
        sha256 = ""
    return {"kind": medium.kind, "path": shown(medium.file), "sha256": sha256}


def prompt_line(task: str, sample_id: str, prompt: FirstPrompt, shown: Shown) -> bytes:
    """The line of prompts.jsonl that holds a prompt.

    Args:
        task: The task, as ``benchmark/task``.
        sample_id: The sample that it is about.
        prompt: The prompt.
        shown: What a path is called from the project's folder.
    """
    benchmark, _, short = task.partition("/")
    pieces = [saved_medium(piece, shown) if isinstance(piece, Media) else piece for piece in prompt.pieces]
    line = {"benchmark": benchmark, "task": short, "sample_id": sample_id, "sha256": prompt.sha256, "pieces": pieces}
    return encoded(line) + b"\n"


class PromptsFile:
    """Takes up the prompts of a run, each once.

    Args:
        folder: The run's folder.
        several: Whether several processes tell of prompts, so that one may come twice.
    """

    def __init__(self, folder: Path, *, several: bool = True) -> None:
        self._file = folder / PROMPTS_NAME
        self._known: set[int] | None = set() if several else None

    def take(self, line: bytes) -> None:
        """Keep a line; see `prompt_line`.

        Raises:
            OSError: If it cannot be written.
        """
        if self._known is not None:
            known = hash(line)
            if known in self._known:
                return
            self._known.add(known)
        append_line(self._file, line)


class SavedPrompts:
    """The prompts that runs have kept. They stay in the files until they are wanted: a large run's are large.

    Args:
        folders: The runs' folders, which may come from anywhere.
        root: The project's folder, in which media are looked for; ``None`` if there is no project.
        anywhere: Whether media may lie elsewhere, too: the project's own run may have been given such.
        own: Whether this process has just written them: they are read only as far as they are wanted.

    Raises:
        DataError: For a line that a run would not have written.
    """

    def __init__(
        self, folders: Sequence[Path], root: Path | None = None, *, anywhere: bool = False, own: bool = False
    ) -> None:
        self._folders = folders
        self._root = root
        self._anywhere = anywhere
        # Hashes, and where lines begin: names would take a kilobyte a case. What is read is compared.
        self._first: dict[int, int] = {}  # by task and sample
        self._others: dict[int, int] = {}  # by task, sample and the prompt's hash, of further prompts of a sample
        self._latest: tuple[int, Any] = (-1, None)
        self._unread = self._lines()
        if not own:
            self._read_all()

    def first(self, task: str, sample_id: str, sent: str | None) -> FirstPrompt | None:
        """The prompt that the conversation about a sample begins with, if it was kept.

        Args:
            task: The task, as ``benchmark/task``.
            sample_id: The sample.
            sent: The hash of the prompt that was sent, if one was: of several prompts that one is meant.
        """
        sample = hash((task, sample_id))
        while sample not in self._first and self._read_on():
            pass
        position = self._first.get(sample)
        if position is None:
            return None
        line = self._line(position)
        if sent is not None and line["sha256"] != sent:
            self._read_all()
            position = self._others.get(hash((task, sample_id, sent)), position)
            line = self._line(position)
        folder = self._folders[position % len(self._folders)]
        return self._prompt(line, folder) if _sample(line) == (task, sample_id) else None

    def _line(self, position: int) -> Any:
        if position != self._latest[0]:  # which it is while rows are looked at in the order in which they were measured
            offset, number = divmod(position, len(self._folders))
            with (self._folders[number] / PROMPTS_NAME).open("rb") as lines:
                lines.seek(offset)
                self._latest = position, json.loads(lines.readline())
        return self._latest[1]

    def _prompt(self, line: Mapping[str, Any], folder: Path) -> FirstPrompt:
        pieces = (one if isinstance(one, str) else self._medium(one, folder) for one in line["pieces"])
        return FirstPrompt(tuple(pieces), line["sha256"])

    def response_media(self, row: Mapping[str, Any]) -> Sequence[Media]:
        """The media that a row's response stands for."""
        return [self._medium(one, self._folders[0]) for one in row.get("response_media", ())]

    def save(self, folder: Path, shown: Shown) -> None:
        """Write all of them into the folder of a run that was made of others, if there are any.

        Args:
            folder: The folder.
            shown: What a path is called from the project's folder.

        Raises:
            OSError: If they cannot be written.
        """
        if self._first and list(self._folders) != [folder]:
            with replacing(folder / PROMPTS_NAME) as lines:
                for position, line, origin in self._lines():
                    task, sample_id = _sample(line)
                    known = self._others.get(
                        hash((task, sample_id, line["sha256"])), self._first[hash((task, sample_id))]
                    )
                    if known == position:
                        lines.write(prompt_line(task, sample_id, self._prompt(line, origin), shown))

    def _read_all(self) -> None:
        while self._read_on():
            pass

    def _read_on(self) -> bool:
        """Read another line; whether there is one."""
        found = next(self._unread, None)
        if found is None:
            return False
        position, line, _ = found
        sample = _sample(line)
        if self._first.setdefault(hash(sample), position) != position:
            self._others.setdefault(hash((*sample, line["sha256"])), position)
        self._latest = position, line
        return True

    def _lines(self) -> Iterator[tuple[int, Any, Path]]:
        """All lines, each with a number that says where it begins and in which folder, and that folder."""
        for number, folder in enumerate(self._folders):
            for offset, line in _lines(folder / PROMPTS_NAME):
                yield offset * len(self._folders) + number, line, folder

    def _medium(self, medium: Mapping[str, Any], folder: Path) -> Media:
        return Media(medium["kind"], self._found(medium["path"], folder), medium["sha256"])

    def _found(self, path: str, folder: Path) -> Path:
        """Where a medium is looked for: below the project, or else in the run's folder, which was looked through."""
        if self._root is not None:
            file = self._root / path
            try:
                if self._anywhere or file.resolve().is_relative_to(self._root.resolve()):
                    return file
            except ValueError:  # a path that no system knows
                pass
        return folder / Path(path).name


def _sample(line: Mapping[str, Any]) -> tuple[str, str]:
    return f"{line['benchmark']}/{line['task']}", line["sample_id"]


def _lines(file: Path) -> Iterator[tuple[int, Any]]:
    """The lines of a file of prompts, each with where it begins; a torn last one, of a killed run, is left out."""
    if not file.is_file():
        return
    offset = 0
    try:
        with file.open("rb") as lines:
            for number, raw in enumerate(lines, 1):
                try:
                    line = parsed(raw)
                    LINE(line)
                except Wrong as wrong:
                    if not raw.endswith(b"\n"):
                        return
                    raise wrong.in_file(file, number) from None
                yield offset, line
                offset += len(raw)
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror}", file=file) from None
