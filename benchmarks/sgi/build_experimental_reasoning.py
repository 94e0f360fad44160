"""Write the project's own Experimental Reasoning data: ``python -m benchmarks.sgi.build_experimental_reasoning``.

The same each time. Needs Pillow: ``pip install -e '.[media]'``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.sgi.figures.plot import few_colours
from benchmarks.sgi.figures.questions import QUESTIONS
from benchmarks.sgi.pictures import FOLDER

OUT = Path("data/sgi")


def build(out: Path) -> Path:
    """Write the data file and its pictures into a folder.

    Args:
        out: The folder; the pictures go to its subfolder `FOLDER`.

    Returns:
        The data file.

    Raises:
        OSError: If a file cannot be written.
    """
    folder = out / FOLDER / "experimental_reasoning"
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, ask in enumerate(QUESTIONS, 1):
        question = ask()
        names = [f"{number:02}{letter}.png" for letter in "ab"[: len(question.pictures)]]
        for name, picture in zip(names, question.pictures, strict=True):
            few_colours(picture).save(folder / name, optimize=True)
        row = {
            "idx": f"er-{number:02}",
            "question": question.text,
            "images": [f"experimental_reasoning/{name}" for name in names],
            "options": list(question.options),
            "steps": list(question.steps),
            "step_images": [],
            "answer": question.options.index(question.answer),
            "image_type": question.image_type,
            "discipline": question.discipline,
            "direction": ask.__name__.replace("_", " "),
            "type": question.kind,
        }
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    file = out / "experimental_reasoning.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    return file


def main(arguments: Sequence[str]) -> int:
    """Write to the folder given, or to the project's own."""
    print(build(Path(arguments[0]) if arguments else OUT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
