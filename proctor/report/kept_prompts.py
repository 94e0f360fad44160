"""prompts.jsonl: the prompts that a run's page shows, kept in its folder.

So a report can be made anew without the code and data that they were made from. A line has ``benchmark``, ``task`` and
``sample_id``; ``sha256``, what a row calls the prompt's hash, or null; and ``pieces``: texts, and media as ``kind``,
``path`` (from the project's folder) and ``sha256``. A prompt stands there once, whatever number of models was asked it.
What the page has no room for is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol

from proctor._base.errors import DataError
from proctor._base.json_values import encoded
from proctor._base.shapes import Wrong, either, fields, list_of, name, one_of, optional, parsed, text
from proctor.media.medium import KINDS, Media
from proctor.report.first_prompt import FirstPrompt
from proctor.results.manifest import ManifestTask

PROMPTS_NAME = "prompts.jsonl"
LINE = fields(
    {
        **dict.fromkeys(("benchmark", "task", "sample_id"), name),
        "sha256": optional(name),
        "pieces": list_of(either(text, fields({"kind": one_of(KINDS), "path": name, "sha256": name}))),
    }
)


class Prompts(Protocol):
    """Tells of a case what its row does not hold."""

    def first(self, selected: ManifestTask, sample_id: str, sent: str | None, /) -> FirstPrompt | None:
        """The prompt that the conversation about a sample begins with, if it can be told.

        Args:
            selected: The task and model.
            sample_id: The sample.
            sent: The hash of the prompt that was sent, if one was: of several prompts that one is meant.
        """

    def response_media(self, selected: ManifestTask, sample_id: str, response: str, /) -> Sequence[Media]:
        """The media that a response stands for."""


class NoPrompts:
    """`Prompts` that tell nothing."""

    def first(self, selected: ManifestTask, sample_id: str, sent: str | None, /) -> FirstPrompt | None:  # noqa: ARG002
        """Nothing."""
        return None

    def response_media(self, selected: ManifestTask, sample_id: str, response: str, /) -> Sequence[Media]:  # noqa: ARG002
        """None."""
        return ()


class PromptKeeper:
    """`Prompts` that keep what they tell: a context manager, which leaves nothing unless `save` is called.

    Args:
        folder: The run's folder.
        prompts: What tells.
        shown: What a path is called from the project's folder.
    """

    def __init__(self, folder: Path, prompts: Prompts, shown: Callable[[Path], str] = str) -> None:
        self._file = folder / PROMPTS_NAME
        self._scratch = folder / f".{PROMPTS_NAME}.{os.getpid()}"
        self._prompts = prompts
        self._shown = shown
        self._lines: BinaryIO | None = None
        self._kept: set[tuple[str, str, str | None]] = set()

    def first(self, selected: ManifestTask, sample_id: str, sent: str | None, /) -> FirstPrompt | None:
        """See `Prompts`."""
        prompt = self._prompts.first(selected, sample_id, sent)
        if prompt is not None and (selected.name, sample_id, prompt.sha256) not in self._kept:
            self._kept.add((selected.name, sample_id, prompt.sha256))
            self._write(selected, sample_id, prompt)
        return prompt

    def response_media(self, selected: ManifestTask, sample_id: str, response: str, /) -> Sequence[Media]:
        """See `Prompts`."""
        return self._prompts.response_media(selected, sample_id, response)

    def save(self) -> None:
        """Put the file in its place.

        Raises:
            OSError: If it cannot be written.
        """
        if self._lines is not None:
            self._lines.close()
            self._scratch.replace(self._file)

    def __enter__(self) -> PromptKeeper:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._lines is not None:
            with suppress(OSError):  # of what is thrown away
                self._lines.close()
            self._scratch.unlink(missing_ok=True)

    def _write(self, selected: ManifestTask, sample_id: str, prompt: FirstPrompt) -> None:
        line = {
            "benchmark": selected.benchmark,
            "task": selected.task,
            "sample_id": sample_id,
            "sha256": prompt.sha256,
            "pieces": [self._medium(piece) if isinstance(piece, Media) else piece for piece in prompt.pieces],
        }
        if self._lines is None:
            self._lines = self._scratch.open("wb")
        self._lines.write(encoded(line) + b"\n")

    def _medium(self, medium: Media) -> dict[str, str]:
        try:
            sha256 = medium.sha256
        except (OSError, DataError):
            sha256 = ""
        return {"kind": medium.kind, "path": self._shown(medium.file), "sha256": sha256}


class KeptPrompts:
    """`Prompts` that runs have kept.

    Args:
        folders: The runs' folders, which may come from anywhere.
        root: The project's folder, in which media are looked for; ``None`` if there is no project.
        anywhere: Whether media may lie elsewhere, too: the project's own run may have been given such.
        otherwise: Tells what they have not kept.

    Raises:
        DataError: For a line that a run would not have written.
    """

    def __init__(
        self, folders: Sequence[Path], root: Path | None = None, *, anywhere: bool = False, otherwise: Prompts
    ) -> None:
        self._root = root
        self._anywhere = anywhere
        self._otherwise = otherwise
        self._kept: dict[tuple[str, str], list[FirstPrompt]] = {}
        for folder in folders:
            self._load(folder)
        self.response_media = otherwise.response_media

    def first(self, selected: ManifestTask, sample_id: str, sent: str | None, /) -> FirstPrompt | None:
        """See `Prompts`."""
        kept = self._kept.get((selected.name, sample_id))
        if kept is None:
            return self._otherwise.first(selected, sample_id, sent)
        return next((prompt for prompt in kept if prompt.sha256 == sent), kept[0])

    def _load(self, folder: Path) -> None:
        file = folder / PROMPTS_NAME
        if not file.is_file():
            return
        try:
            with file.open("rb") as lines:
                for number, raw in enumerate(lines, 1):
                    try:
                        line = parsed(raw)
                        LINE(line)
                    except Wrong as wrong:
                        raise wrong.in_file(file, number) from None
                    prompt = FirstPrompt(tuple(self._piece(one, folder) for one in line["pieces"]), line["sha256"])
                    kept = self._kept.setdefault((f"{line['benchmark']}/{line['task']}", line["sample_id"]), [])
                    if prompt not in kept:
                        kept.append(prompt)
        except OSError as problem:
            raise DataError(f"cannot be read: {problem.strerror}", file=file) from None

    def _piece(self, piece: Any, folder: Path) -> str | Media:
        if isinstance(piece, str):
            return piece
        return Media(piece["kind"], self._found(piece["path"], folder), piece["sha256"])

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
