"""The published files that were pulled, checked before they are used."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from proctor._base.errors import DataError, UsageError
from proctor.official.catalogue import FOLDER, PublishedFile, PublishedSet, published_sets


class NotPulled(UsageError):
    """A published file is not here."""


class OfficialFiles:
    """The published files on this disk, for a run with ``--official``.

    Args:
        benchmarks: The folder of the benchmarks, which have the catalogues.
        folder: Where files were pulled to.
    """

    def __init__(self, benchmarks: Path, folder: Path) -> None:
        self._benchmarks = benchmarks
        self._folder = folder
        self._checked: set[Path] = set()

    @cached_property
    def _sets(self) -> Mapping[str, PublishedSet]:
        return published_sets(self._benchmarks)

    def data_file(self, benchmark: str, task: str) -> Path | None:
        """The published data of a task: the Parquet from the hub if that was pulled; ``None`` if nothing is published.

        Raises:
            NotPulled: If it was not pulled; with the command that pulls it.
            DataError: If it is not what was published.
        """
        found = self._sets.get(benchmark)
        if found is not None and task in found.on_hub:
            from proctor.official.hub import pulled_from_hub  # imported here since few benchmarks have such

            parquet = pulled_from_hub(self._folder / found.name, task)
            if parquet is not None:
                return parquet
            if all(file.task != task for file in found.files):
                raise NotPulled(
                    f"--official: {found.on_hub[task]} of the hub is not here",
                    remedy=f"Fetch it: {self._command(found)} --hub",
                )
        return next((self._pulled(found, file) for found, file in self._files(benchmark) if file.task == task), None)

    def template(self, benchmark: str, name: str) -> Path | None:
        """The published prompt template of that name; ``None``, and errors, as for `data_file`."""
        return next((self._pulled(found, file) for found, file in self._files(benchmark) if file.prompt == name), None)

    def _files(self, benchmark: str) -> Iterator[tuple[PublishedSet, PublishedFile]]:
        found = self._sets.get(benchmark)
        if found is not None:
            yield from ((found, file) for file in found.files)

    def _pulled(self, found: PublishedSet, published: PublishedFile) -> Path:
        file = self._folder / found.name / published.local_path
        if file in self._checked:
            return file
        try:
            difference = published.difference(file)
        except FileNotFoundError:
            raise NotPulled(
                f"--official: {published.path} of {found.title} is not here ({file})",
                remedy=f"Fetch it: {self._command(found)}",
            ) from None
        except OSError as problem:
            raise DataError(f"cannot be read: {problem.strerror}", file=file) from None
        if difference is not None:
            raise DataError(
                f"--official: this is not {published.path} as published: {difference}",
                file=file,
                remedy=f"Fetch it again: {self._command(found)}. To use your own version, name it with --dataset.",
            )
        self._checked.add(file)
        return file

    def _command(self, found: PublishedSet) -> str:
        usual = (Path("data") / FOLDER).resolve() == self._folder.resolve()
        return f"proctor pull {found.name}" + ("" if usual else f" --dest {shlex.quote(str(self._folder))}")
