"""Write the project's own MixEval-X data: ``python -m benchmarks.mixeval_x.generate [--out data/mixeval_x]``.

Needs Pillow and PyAV: ``pip install -e '.[media]'``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from PIL import Image

from benchmarks.mixeval_x.making import charts, journeys, listening, motions, scenes, signs
from benchmarks.mixeval_x.making.actions import text_entries
from benchmarks.mixeval_x.making.clips import save_clip
from benchmarks.mixeval_x.making.entries import Entry, Medium, question_entries
from benchmarks.mixeval_x.making.image_tasks import image_task_entries
from benchmarks.mixeval_x.making.rooms import image_entries
from benchmarks.mixeval_x.making.sounds import save_sound
from benchmarks.mixeval_x.making.written import save_responses

DEFAULT_OUT = Path("data/mixeval_x")
Content = TypeVar("Content")


def generate(out: Path) -> list[Path]:
    """Write all entries, media and responses written by hand; each time the same.

    Args:
        out: the folder, made if it is missing. Other files in it stay.

    Returns:
        The data files, one a task, and the response files.

    Raises:
        OSError: If a file cannot be written.
    """
    pictures = {
        "image2text": [*scenes.easy(), *charts.easy(), *signs.easy()],
        "image2text_hard": [*scenes.hard(), *charts.hard(), *signs.hard()],
    }
    clips = {"video2text": motions.easy(), "video2text_hard": journeys.hard()}
    sounds = {"audio2text": listening.easy(), "audio2text_hard": listening.hard()}
    tasks: dict[str, list[Entry]] = {}
    for task, media in pictures.items():
        tasks[task] = _about(out, task, media, "image_id", ".png", _save_picture)
    for task, films in clips.items():
        tasks[task] = _about(out, task, films, "video_id", ".mp4", save_clip)
    for task, heard in sounds.items():
        tasks[task] = _about(out, task, heard, "audio_id", ".wav", save_sound)
    tasks["text2action"] = text_entries()
    tasks["image2action"], rooms = image_entries()
    _save_all(rooms, out / "media" / "image2action", ".png", _save_picture)
    tasks["text2image"] = image_task_entries()
    paths = []
    for task, entries in tasks.items():
        paths.append(out / f"{task}.jsonl")
        lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        paths[-1].write_text(lines, encoding="utf-8", newline="\n")
    return paths + save_responses(tasks, out / "responses")


def _about(
    out: Path,
    task: str,
    media: Sequence[Medium[Content]],
    field: str,
    suffix: str,
    save: Callable[[Content, Path], None],
) -> list[Entry]:
    _save_all((medium.content for medium in media), out / "media" / task, suffix, save)
    return question_entries(task, field, suffix, media)


def _save_all(contents: Iterable[Content], folder: Path, suffix: str, save: Callable[[Content, Path], None]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for position, content in enumerate(contents, 1):
        save(content, folder / f"{position}{suffix}")


def _save_picture(picture: Image.Image, path: Path) -> None:
    picture.save(path, optimize=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the command line, without the program; default ``sys.argv[1:]``.

    Returns:
        The exit code: 0, or 1 if the files could not be written. Bad usage exits with 2 from argparse.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixeval_x.generate", description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="the folder to write to (default: %(default)s)")
    out = parser.parse_args(arguments).out
    try:
        paths = generate(out)
    except OSError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    for path in paths:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
