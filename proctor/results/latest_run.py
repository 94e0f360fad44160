"""``reports/latest``: the newest run that has ended, as a link; as a file with its id where links cannot be had."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock

from proctor._base.files import write_whole
from proctor.results.manifest import FILE_NAME

LATEST = "latest"
LOCK = f".{LATEST}.lock"


def latest_run(reports: Path) -> Path | None:
    """The folder of the newest run; ``None`` if nothing says which that is.

    Args:
        reports: The folder of the runs.
    """
    pointer = reports / LATEST
    try:
        name = os.readlink(pointer) if pointer.is_symlink() else pointer.read_text(encoding="utf-8").strip()  # noqa: PTH115  # text
    except (OSError, UnicodeError):
        return None
    folder = reports / Path(name).name
    return folder if (folder / FILE_NAME).is_file() else None


def _start(run: Path) -> str:
    return run.name.partition("-")[0]


def point_to(run: Path) -> None:
    """Let ``latest`` beside a run be that run, unless it is a run that began later.

    Whoever looks finds the former run or this one; of several that end at once it is the newest. What else somebody may
    have called so, such as a folder, stays as it is.

    Args:
        run: The run's folder, whose name begins with the second of its start; of the runs of one second the last to end
            counts as the newest.

    Raises:
        OSError: If it cannot be written.
    """
    pointer = run.parent / LATEST
    with FileLock(run.parent / LOCK):
        former = latest_run(run.parent)
        if (former is not None and _start(former) > _start(run)) or (pointer.is_dir() and not pointer.is_symlink()):
            return
        scratch = pointer.with_name(f".{LATEST}.{os.urandom(6).hex()}.tmp")
        try:
            scratch.symlink_to(run.name, target_is_directory=True)
            scratch.replace(pointer)
        except OSError:  # no links here, as for most users of Windows
            if pointer.is_symlink():
                pointer.unlink()
            write_whole(pointer, f"{run.name}\n".encode())
        finally:
            scratch.unlink(missing_ok=True)
