"""How far a run is like what was published: its data and prompts by their hashes, and who judged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from proctor.official.catalogue import FILE_NAME

PARQUET = b"PAR1"
Likeness = Mapping[str, bool | None]
"""``data``, ``prompts`` and ``judges``: whether they are the published ones; ``None`` where nothing tells."""


def likeness(benchmark: Path, task: str, data: bytes, prompts: Iterable[bytes], *, judges: bool | None) -> Likeness:
    """How far what a task is run with is what was published.

    Args:
        benchmark: The folder of the benchmark, with its catalogue of published files.
        task: The task's short name.
        data: The content of the data file.
        prompts: The contents of the templates.
        judges: Whether all judges are those that the benchmark prescribes; ``None`` without any.
    """
    try:
        catalogue = (benchmark / FILE_NAME).read_text(encoding="utf-8")
    except OSError:
        catalogue = ""
    # A hash is long enough to be found in the text as it is: parsing that takes longer than replaying a task.
    # Of what a hub gives as Parquet the catalogue has no hash.
    known = f"    task: {task}\n" in catalogue and not data.startswith(PARQUET)
    return {
        "data": _is_in(catalogue, data) if known else None,
        "prompts": all(_is_in(catalogue, prompt) for prompt in prompts) if "    prompt: " in catalogue else None,
        "judges": judges,
    }


def _is_in(catalogue: str, content: bytes) -> bool:
    sha256 = hashlib.sha256(content).hexdigest()
    git_blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return sha256 in catalogue or git_blob in catalogue
