"""Where the pictures, clips and sounds of entries are, and those that models made."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from benchmarks.mixeval_x.run_settings import settings
from proctor import Media, Sample

Kind = Literal["image", "video", "audio"]


class NoMedium(Exception):
    """An entry's medium is not where it should be; the message names the file and the entry."""


def medium_of(task: str, sample: Sample, kind: Kind) -> Media:
    """The medium that an entry names: ``<media folder>/<task>/<name>``, else ``<media folder>/<name>``.

    Args:
        task: Name of the task within the benchmark.
        sample: The entry's sample.
        kind: What the medium is.

    Raises:
        NoMedium: If the entry names none, it is not there, or the name leads out of the folder.
    """
    name, folder = sample.fields["medium"], settings().media_folder
    if not name:
        raise NoMedium(f"{task}, entry {sample.id}: names no {kind}")
    for place in (folder / task, folder):
        if (found := _inside(place / name, (place,))) is not None:
            return Media(kind, found)
    raise NoMedium(
        f"{task}, entry {sample.id}: no {kind} {name!r} in {_shown(folder / task)} or {_shown(folder)}; "
        "--media-dir names another folder"
    )


def made_picture(path: str, folder: Path) -> Media | None:
    """A picture that a model made; ``None`` if there is none, or none where pictures may be.

    Args:
        path: What the response says. It is not to be trusted: the file must lie in *folder*, in the media folder, or
            where this run keeps recordings and reports.
        folder: Where the response file lies, from which a relative path may start.
    """
    allowed = (folder, settings().media_folder, *settings().made_in)
    if not path.strip() or "\0" in path:
        return None
    # Response files that a run has written name pictures from where it was started, which is mostly the project.
    projects = dict.fromkeys(place.parent for place in settings().made_in)
    for start in (folder, settings().media_folder, Path.cwd(), *projects):
        if (found := _inside(start / path, allowed)) is not None:
            return Media("image", found)
    return None


def _inside(file: Path, folders: tuple[Path, ...]) -> Path | None:
    """The file, if it is one and lies in one of the folders, links being followed."""
    try:
        real = file.resolve()
        inside = real.is_file() and any(real.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, ValueError, RuntimeError):  # the last for a link that leads to itself
        return None
    return file if inside else None


def _shown(folder: Path) -> str:
    here = Path.cwd()
    return str(folder.relative_to(here) if folder.is_relative_to(here) else folder)
