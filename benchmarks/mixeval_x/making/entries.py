"""A medium with the questions about it, and the entries of a data file that they become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Entry = dict[str, object]
"""One line of a data file, its fields in the official order."""

Content = TypeVar("Content", covariant=True)

RIGHT_POSITIONS = {
    "image2text": (2, 0, 1, 3, 3, 0),
    "image2text_hard": (1, 2, 3, 1, 2, 0),
    "video2text": (1, 3, 2, 0, 0, 3),
    "video2text_hard": (2, 1, 0, 2, 1, 3),
}
"""Where the right option of each multiple-choice entry stands; a pair of rows has every position three times."""

NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class FreeForm:
    """A question answered in words; every wording in ``target`` is right."""

    prompt: str
    target: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """A question with options, of which ``right`` is one."""

    prompt: str
    options: tuple[str, ...]
    right: str

    def __post_init__(self) -> None:
        if self.options.count(self.right) != 1 or len(set(self.options)) != len(self.options):
            raise ValueError(f"{self.prompt!r}: {self.right!r} has to be exactly one of {self.options}")


@dataclass(frozen=True)
class Medium(Generic[Content]):
    """A picture, a clip's frames or a sound's samples, and the questions about it.

    Attributes:
        source: what the entries' ``benchmark_name`` says.
        content: the medium itself.
        questions: all of them can be answered from ``content`` alone.
    """

    source: str
    content: Content
    questions: tuple[FreeForm | Choice, ...]


def number(value: int) -> tuple[str, ...]:
    """The wordings of a small whole number: its digits and, up to ten, its word."""
    return (str(value), NUMBER_WORDS[value]) if value < len(NUMBER_WORDS) else (str(value),)


def only(values: Iterable[str]) -> str:
    """The one element of *values*; a question whose answer is not unique must not be asked.

    Raises:
        ValueError: If there is not exactly one.
    """
    (value,) = values
    return value


def question_entries(task: str, field: str, suffix: str, media: Sequence[Medium[object]]) -> list[Entry]:
    """The entries of a task about media: the free-form ones first, each kind numbered from 1.

    Args:
        task: such as ``image2text_hard``.
        field: ``image_id``, ``video_id`` or ``audio_id``.
        suffix: of the media's files, which are named by their number in *media*, from 1.
        media: with their questions.

    Returns:
        Entries in the official fields and their order. Multiple-choice entries about images have no ``id``,
        as in the official files.
    """
    free: list[Entry] = []
    choices: list[Entry] = []
    for position, medium in enumerate(media, 1):
        for question in medium.questions:
            common: Entry = {field: f"{position}{suffix}", "prompt": question.prompt}
            if isinstance(question, FreeForm):
                head: Entry = {"id": str(len(free) + 1), "problem_type": "free-form"}
                tail: Entry = {"target": list(question.target)}
                free.append(head | common | tail | {"benchmark_name": medium.source})
            else:
                head = {} if field == "image_id" else {"id": str(len(choices) + 1)}
                head["problem_type"] = "single-choice"
                options, right = placed(question, RIGHT_POSITIONS[task][len(choices)])
                tail = {"options": options, "target": [right]}
                choices.append(head | common | tail | {"benchmark_name": medium.source})
    return free + choices


def placed(question: Choice, position: int) -> tuple[list[str], int]:
    """The options with the right one moved to *position* (or as far as there are options), and its index."""
    others = [option for option in question.options if option != question.right]
    index = position % len(question.options)
    return [*others[:index], question.right, *others[index:]], index
