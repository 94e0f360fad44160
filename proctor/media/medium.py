"""One picture, clip or sound. Calls and recordings know it by its hash; only a live call reads more of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from proctor._base.errors import DataError

if TYPE_CHECKING:
    from proctor._base.json_values import Json

Kind = Literal["image", "video", "audio"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Media:
    """A picture, clip or sound in a file. A placeholder of a prompt may stand for it.

    Args:
        kind: What it is.
        file: Where it is.
        known_sha256: Its hash, where that is known without reading the file, which then need not be there.
        content: What is going to stand in the file, while that is not written: a model has just made it.
    """

    kind: Kind
    file: Path
    known_sha256: str = ""
    content: bytes | None = field(default=None, compare=False, repr=False)

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the file's content.

        Raises:
            DataError: If the file cannot be read. Its content is part of the question, so that no recording can be
                found without it.
        """
        if self.known_sha256:
            return self.known_sha256
        try:
            status = self.file.stat()
            return _sha256(self.file, status.st_mtime_ns, status.st_size)
        except OSError as problem:
            raise unreadable(self.file, self.kind, problem) from None

    def below(self, folder: Path) -> Media:
        """The same medium, its file being looked for in *folder*."""
        return replace(self, file=folder / self.file)

    def part(self) -> dict[str, Json]:
        """What stands for it in a call: its kind and its hash."""
        return {"type": self.kind, "sha256": self.sha256}


def unreadable(file: Path, kind: str, problem: OSError) -> DataError:
    """The error for a medium whose file cannot be read.

    Args:
        file: The file.
        kind: What it is, in a word: ``image``, say.
        problem: What reading it led to.
    """
    if isinstance(problem, FileNotFoundError):
        return DataError(f"there is no such {kind}", file=file, remedy="Put the file there: the question shows it.")
    return DataError(f"the {kind} cannot be read: {problem.strerror}", file=file)


@lru_cache(maxsize=10_000)
def _sha256(file: Path, changed: int, size: int) -> str:  # noqa: ARG001  # a file that changed has another hash
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
