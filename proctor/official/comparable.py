"""How far a run is like what was published: its data and prompts by their hashes, and who judged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from proctor.official.catalogue import FILE_NAME

PARQUET = b"PAR1"
Likeness = Mapping[str, bool | None]
"""``data``, ``prompts`` and ``judges``: whether they are the published ones; ``None`` where nothing tells."""


class ContentHashes(NamedTuple):
    """By what the content of a file is known to those who publish it.

    Args:
        sha256: Its SHA-256 (hex).
        git_blob: The SHA-1 by which git knows it.
        is_parquet: Whether it is Parquet, as a hub makes of what was published.
    """

    sha256: str
    git_blob: str
    is_parquet: bool

    @classmethod
    def of(cls, content: bytes) -> ContentHashes:
        """Those of a content."""
        git_blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        return cls(hashlib.sha256(content).hexdigest(), git_blob, content.startswith(PARQUET))

    def are_in(self, catalogue: str) -> bool:
        """Whether a catalogue of published files has this content."""
        return self.sha256 in catalogue or self.git_blob in catalogue


def likeness(
    benchmark: Path, task: str, data: ContentHashes | None, prompts: Iterable[ContentHashes], *, judges: bool | None
) -> Likeness:
    """How far what a task is run with is what was published.

    Args:
        benchmark: The folder of the benchmark, with its catalogue of published files.
        task: The task's short name.
        data: The data file; ``None`` if there is none.
        prompts: The templates.
        judges: Whether all judges are those that the benchmark prescribes; ``None`` without any.
    """
    try:
        catalogue = (benchmark / FILE_NAME).read_text(encoding="utf-8")
    except OSError:
        catalogue = ""
    # A hash is long enough to be found in the text as it is: parsing that takes longer than replaying a task.
    # Of what a hub gives as Parquet the catalogue has no hash.
    known = f"    task: {task}\n" in catalogue and not (data and data.is_parquet)
    return {
        "data": (data is not None and data.are_in(catalogue)) if known else None,
        "prompts": all(prompt.are_in(catalogue) for prompt in prompts) if "    prompt: " in catalogue else None,
        "judges": judges,
    }
