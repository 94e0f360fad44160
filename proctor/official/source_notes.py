"""What is written down beside fetched files: where each came from, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor._base.files import write_whole
from proctor._base.time_stamps import time_stamp

SCHEMA_VERSION = 1


def noted_files(note: Path) -> dict[str, Any]:
    """What a note says about each file, by name: nothing if there is none yet, or none that can be used."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        return dict(json.loads(note.read_bytes())["files"])
    return {}


def add_note(note: Path, about: Mapping[str, Any], name: str, entry: Mapping[str, Any]) -> None:
    """Write down where a file comes from, beside what the note says of others.

    Args:
        note: The file with the notes. Where it is a link, it is replaced: what is fetched is written nowhere else.
        about: What all the files have in common.
        name: The file.
        entry: What is known about it.

    Raises:
        OSError: If it cannot be written.
    """
    files = {**noted_files(note), name: {**entry, "pulled_at": time_stamp(datetime.now(UTC), "seconds")}}
    content = {"schema_version": SCHEMA_VERSION, **about, "files": dict(sorted(files.items()))}
    if note.is_symlink():
        note.unlink()
    write_whole(note, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
