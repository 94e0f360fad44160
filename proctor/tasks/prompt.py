"""Prompt templates: plain text with ``{placeholders}``, checked before the first call."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from proctor._base.errors import DataError
from proctor._base.files import content_of
from proctor.media.medium import Media

Value: TypeAlias = str | Media | tuple[Media, ...]
"""What a placeholder may stand for: a text, or one medium or several."""
Piece: TypeAlias = str | Media
"""What a prompt is made of."""

TURN = re.compile(r"=== (system|user|assistant) ===[ \t]*")
"""The line above a turn, in a template that has several."""
SYSTEM = "system"
_Parts: TypeAlias = Sequence[tuple[str, str | None]]


class Placeholders:
    """What a template must and may contain.

    Args:
        required: Names that every template must use; without them the model would not see the question.
        optional: Names that a template may use as well.
    """

    def __init__(self, *required: str, optional: Iterable[str] = ()) -> None:
        self.required = frozenset(required)
        self.optional = frozenset(optional)


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt of a task, as said in an earlier turn of a conversation.

    Args:
        template: Name of the template.
        values: Values of its placeholders.
    """

    template: str
    values: Mapping[str, Value]

    @property
    def texts(self) -> dict[str, str]:
        """The values that are texts."""
        return {name: value for name, value in self.values.items() if isinstance(value, str)}


class Template:
    """A prompt template in the syntax of ``str.format``, restricted to plain ``{name}``.

    Values are inserted as they are and never read as a template, so braces in data are harmless; a literal brace in
    the template is written ``{{`` or ``}}``.

    A template whose first line is ``=== system ===``, ``=== user ===`` or ``=== assistant ===`` has several turns, each
    below such a line: a system prompt, if there is one, examples of questions and answers, and the question itself.
    Blank lines around a turn are not part of it.

    Args:
        text: The template.
        file: Where it stands, for error messages.
        placeholders: What it must and may use.

    Raises:
        DataError: Naming the placeholder that is missing, unknown or malformed.
    """

    def __init__(self, text: str, *, file: Path, placeholders: Placeholders) -> None:
        self.file = file
        self.sha256 = hashlib.sha256(text.encode()).hexdigest()
        self._placeholders = placeholders
        turns = [(role, self._parsed(lines, line)) for role, lines, line in self._split(text)]
        used = {name for _, parts in turns for _, name in parts if name}
        missing = sorted(placeholders.required - used)
        if missing:
            raise DataError(
                f"the template lacks the placeholder {{{missing[0]}}}",
                file=file,
                remedy=f"Every template for this task must use {{{missing[0]}}}: without it the model does not see it.",
            )
        self.before: Sequence[tuple[str, _Parts]] = turns[:-1]
        self._question = turns[-1][1]

    def _split(self, text: str) -> list[tuple[str, str, int]]:
        """The turns of a text: role, text, and its first line's number."""
        lines = text.split("\n")
        if not TURN.fullmatch(lines[0].rstrip("\r")):
            return [("user", text, 1)]
        heads = [(n, found[1]) for n, line in enumerate(lines) if (found := TURN.fullmatch(line.rstrip("\r")))]
        turns: list[tuple[str, str, int]] = []
        for (here, role), (following, _) in zip(heads, [*heads[1:], (len(lines), "")], strict=True):
            wanted = ("system", "user") if not turns else ("user",) if turns[-1][0] != "user" else ("assistant",)
            if role not in wanted:
                raise DataError(
                    f"a turn of {' or '.join(wanted)} is wanted here",
                    file=self.file,
                    line=here + 1,
                    value=role,
                    remedy="Turns: system at most once, at the start; then user and assistant in turn.",
                )
            turns.append((role, "\n".join(lines[here + 1 : following]).strip("\r\n"), here + 2))
        if turns[-1][0] != "user":
            raise DataError(
                "the last turn is not the question",
                file=self.file,
                line=heads[-1][0] + 1,
                value=turns[-1][0],
                remedy="End with === user === and the question.",
            )
        return turns

    def _parsed(self, text: str, line: int) -> _Parts:
        """The texts of a turn, each with the name of the placeholder behind it."""
        known = self._placeholders.required | self._placeholders.optional
        names = ", ".join(f"{{{name}}}" for name in sorted(known))
        remedy = f"Known placeholders: {names}. Write a literal brace as {{{{ or }}}}."
        try:
            parsed = list(string.Formatter().parse(text))
        except ValueError as problem:
            raise DataError(f"not a usable template: {problem}", file=self.file, remedy=remedy) from None
        parts: list[tuple[str, str | None]] = []
        for literal, name, format_spec, conversion in parsed:
            line += literal.count("\n")
            parts.append((literal, name))
            if name is None:
                continue
            if name not in known or format_spec or conversion:
                suffix = (f"!{conversion}" if conversion else "") + (f":{format_spec}" if format_spec else "")
                raise DataError(
                    "unknown placeholder in the template",
                    file=self.file,
                    line=line,
                    value=f"{{{name}{suffix}}}",
                    remedy=remedy,
                )
        return parts

    @classmethod
    def load(cls, file: Path, placeholders: Placeholders) -> Template:
        """Read and check a template file.

        Raises:
            DataError: If the file is missing, is not UTF-8, or its placeholders are wrong.
        """
        try:
            text = content_of(file).decode("utf-8")
        except FileNotFoundError:
            raise DataError("no such prompt template", file=file, remedy="Write it, or check --prompts-dir.") from None
        except OSError as problem:
            raise DataError(f"cannot be read: {problem.strerror}", file=file) from None
        except UnicodeDecodeError as problem:
            raise DataError(f"not UTF-8: {problem.reason} at byte {problem.start}", file=file) from None
        return cls(text, file=file, placeholders=placeholders)

    def fill(self, values: Mapping[str, Value]) -> tuple[Piece, ...]:
        """The question: the template with each placeholder replaced by its value, without the turns before it.

        Returns:
            Texts and media in order, never two texts in a row; a prompt without media is one text. Blanks around a
            text that stands beside a medium are left out.

        Raises:
            KeyError: If a value for a placeholder in the template is not given (a mistake in the task's code).
        """
        return _filled(self._question, values)

    def opening(self, values: Mapping[str, Value]) -> list[tuple[str, tuple[Piece, ...]]]:
        """The turns before the question, likewise: each with its role."""
        return [(role, _filled(parts, values)) for role, parts in self.before]


def _filled(parts: _Parts, values: Mapping[str, Value]) -> tuple[Piece, ...]:
    pieces: list[Piece] = [""]
    for literal, name in parts:
        given = () if name is None else values[name]
        for value in (literal, *(given if isinstance(given, tuple) else (given,))):
            last = pieces[-1]
            if isinstance(value, str) and isinstance(last, str):
                pieces[-1] = last + value
            else:
                pieces.append(value)
    if len(pieces) == 1:
        return (pieces[0],)
    cut = [piece.strip() if isinstance(piece, str) else piece for piece in pieces]
    return tuple(piece for piece in cut if piece != "")
