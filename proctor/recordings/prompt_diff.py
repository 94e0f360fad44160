"""How a prompt differs from the one that was recorded, for the message of a call without recording."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from typing import Any

from proctor.tasks.call import Message

LONGEST = 20  # lines
WIDEST = 120  # characters of a line
BEFORE_CHANGE = 40  # characters of a wide line that are shown before what changed
COMPARED = 400  # lines from the first that differs; comparing takes time in the square of it


def prompt_diff(recorded_body: object, messages: Sequence[Message]) -> str:
    """A short unified diff from a recorded prompt to a new one.

    Args:
        recorded_body: The recorded request's body: JSON of any of the APIs, or ``None`` where prompts are not kept.
        messages: The new prompt.

    Returns:
        Lines, indented, each with its newline; nothing where the old prompt is not known or is the same.
    """
    old = _recorded_lines(recorded_body)
    if not old:
        return ""
    new = _lines(messages)
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    context = max(0, start - 3)
    diff = unified_diff(
        old[context : context + COMPARED],
        new[context : context + COMPARED],
        "recorded prompt",
        "new prompt",
        lineterm="",
    )
    lines = [line for line in diff if not line.startswith("@@")]
    shown = [*_narrowed(lines[:LONGEST]), *(["…"] if len(lines) > LONGEST else [])]
    return "".join(f"    {line}\n" for line in shown)


def _recorded_lines(body: object) -> list[str]:
    """The lines of the prompt in a request body; none where there is no prompt that can be read."""
    try:
        request = json.loads(body) if isinstance(body, str) else None
    except ValueError:
        return []
    if not isinstance(request, dict):
        return []
    prompt = request.get("messages", request.get("input"))
    if not prompt:
        return []
    system = request.get("system", request.get("instructions"))
    return _lines(
        [
            *([{"role": "system", "content": system}] if system else []),
            *([{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt),
        ]
    )


def _lines(messages: Iterable[Any]) -> list[str]:
    """The prompt line by line, each message after the first under a line that names its role."""
    lines: list[str] = []
    for message in messages:
        if isinstance(message, dict):
            role = str(message.get("role"))
            if lines or role != "user":
                lines.append(f"[{'system' if role == 'developer' else role}]")
            lines += (line for part in _parts(message.get("content")) for line in part.splitlines())
    return lines


def _parts(content: Any) -> Iterator[str]:
    """The texts of a message's content; of other parts, such as images, the type."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            text = part.get("text") if isinstance(part, dict) else None
            yield text if isinstance(text, str) else f"[{part.get('type') if isinstance(part, dict) else 'part'}]"


def _narrowed(lines: Sequence[str]) -> Iterator[str]:
    """The lines with what is wide cut to where it changes, and nothing that a terminal would obey."""
    changes = _changes(lines)
    for number, line in enumerate(lines):
        text = "".join(character if character.isprintable() else "�" for character in line)
        sign, rest = text[:1], text[1:]
        if len(rest) > WIDEST:
            start = max(0, changes.get(number, 0) - BEFORE_CHANGE)
            end = start + WIDEST
            rest = f"{'…' if start else ''}{rest[start:end]}{'…' if rest[end:] else ''}"
        yield sign + rest


def _changes(lines: Sequence[str]) -> dict[int, int]:
    """For lines that were removed and added: how many characters the two have in common at their beginning."""
    changes: dict[int, int] = {}
    removed: list[int] = []
    for number, line in enumerate(lines):
        if line.startswith("-"):
            removed.append(number)
        elif not line.startswith("+"):
            removed.clear()
        elif removed:
            partner = removed.pop(0)
            pairs = enumerate(zip(line[1:], lines[partner][1:], strict=False))
            changes[number] = changes[partner] = next((index for index, (new, old) in pairs if new != old), 0)
    return changes
