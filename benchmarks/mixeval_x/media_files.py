"""Where the pictures, clips and sounds of entries are, and those that models made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from benchmarks.mixeval_x.run_settings import Settings
from proctor import Media, Sample

Kind = Literal["image", "video", "audio"]


class NoMedium(Exception):
    """An entry's medium is not where it should be; the message names the file and the entry."""


def media_of(settings: Settings, task: str, sample: Sample, kind: Kind) -> Media | tuple[Media, ...]:
    """What an entry shows: mostly one medium, ``<media folder>/<task>/<name>``, else ``<media folder>/<name>``.

    As published, a ``.jpg`` that is not there is looked for as ``.JPG``.

    Args:
        settings: Where media are looked for.
        task: Name of the task within the benchmark.
        sample: The entry's sample.
        kind: What the media are.

    Raises:
        NoMedium: If the entry names none, one is not there, or its name leads out of the folder.
    """
    where = f"{task}, entry {sample.id}"
    found = tuple(Media(kind, _file_of(settings, task, where, kind, name)) for name in sample.fields["media"])
    if not found:
        raise NoMedium(f"{where}: names no {kind}")
    return found[0] if len(found) == 1 else found


def _file_of(settings: Settings, task: str, where: str, kind: Kind, name: str) -> Path:
    folder, outside = settings.media_folder, None
    for place in (folder / task, folder):
        for file in dict.fromkeys((place / name, place / name.replace(".jpg", ".JPG"))):
            if _inside(file, (place,)):
                return file
            outside = outside or _leads_out(file, (place,))
    if outside is not None:
        raise NoMedium(
            f"{where}: {kind} {name!r} is a link that leads out of the folder of media, to {outside}: put it there"
        )
    raise NoMedium(
        f"{where}: no {kind} {name!r} in {_shown(folder / task)} or {_shown(folder)}; --media-dir names another folder"
    )


def made_picture(settings: Settings, path: str, folder: Path) -> Media | None:
    """A picture that a model made; ``None`` if there is none, or none where pictures may be.

    Args:
        settings: Where pictures may be.
        path: What the response says. It is not to be trusted: the file must lie in *folder*, in the media folder, or
            where this run keeps recordings and reports.
        folder: Where the response file lies, from which a relative path starts.
    """
    if not path.strip() or "\0" in path:
        return None
    for start in _starts(settings, folder):
        if _inside(start / path, _allowed(settings, folder)):
            return Media("image", start / path)
    return None


def why_not_made(settings: Settings, path: str, folder: Path) -> str:
    """Why `made_picture` gives none for this path."""
    if not path.strip():
        return "there is no picture"
    places = "beside the response file, in the media folder or in the recordings; --media-dir names another folder"
    outside = (_leads_out(start / path, _allowed(settings, folder)) for start in _starts(settings, folder))
    linked = next(filter(None, outside), None)
    return (
        f"no picture {path!r} {places}" if linked is None else f"picture {path!r} is a link to {linked}: none {places}"
    )


def _allowed(settings: Settings, folder: Path) -> tuple[Path, ...]:
    """The folders in which pictures may be that a response in *folder* names."""
    return (folder, settings.media_folder, *settings.made_in)


def _starts(settings: Settings, folder: Path) -> list[Path]:
    """From where a relative path of a response may start: first of all from the file that says it."""
    return [folder, settings.media_folder, *projects(settings), Path.cwd()]


def told_path(settings: Settings, picture: Media) -> str:
    """Where a picture is that a model has just made: from the project, wherever the run was started."""
    file = picture.file.absolute()
    return next((str(file.relative_to(start)) for start in projects(settings) if file.is_relative_to(start)), str(file))


def projects(settings: Settings) -> list[Path]:
    """The folders that hold the recordings and the reports, mostly the project; made pictures are named from there."""
    return list(dict.fromkeys(place.absolute().parent for place in settings.made_in))


def _inside(file: Path, folders: tuple[Path, ...]) -> bool:
    """Whether there is such a file, and lies in one of the folders, links being followed."""
    try:
        real = file.resolve()
        return real.is_file() and any(real.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, ValueError, RuntimeError):  # the last for a link that leads to itself
        return False


def _leads_out(file: Path, folders: tuple[Path, ...]) -> Path | None:
    """Where a file really is that lies in one of the folders by its name, and elsewhere by a link."""
    named = Path(os.path.normpath(file.absolute()))
    try:
        inside = any(named.is_relative_to(folder.absolute()) for folder in folders)
        return file.resolve() if inside and file.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _shown(folder: Path) -> str:
    here = Path.cwd()
    return str(folder.relative_to(here) if folder.is_relative_to(here) else folder)
