"""Reading what an endpoint sent, which may be anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn

from proctor.calls import CallFailed, FinishReason
from proctor.providers.failures import of_error_object, redact

Object = Mapping[str, object]
SHOWN = 80  # characters of a body that is no answer


def malformed(problem: str) -> NoReturn:
    """Raise the CallFailed for an answer that is not what the API promises."""
    raise CallFailed(f"malformed answer: {problem}", kind="malformed")


def parse(body: bytes) -> Object:
    """The JSON object in *body*.

    Raises:
        CallFailed: If there is none, or if it is an error that came with status 200.
    """
    if not body.strip():
        malformed("the body is empty")
    problem = ""
    try:
        answer = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        problem = "the body is not UTF-8"
    except (ValueError, RecursionError):
        problem = f"the body is not JSON: {redact(body[:SHOWN].decode('utf-8', 'replace'))!r}"
    if problem:  # raised out here, it does not carry the exception that holds the whole body
        malformed(problem)
    if not isinstance(answer, dict):
        malformed(f"the body is a {type(answer).__name__}, not an object")
    if answer.get("error"):
        raise of_error_object(answer["error"])
    return answer


def object_at(holder: Object, name: str) -> Object:
    """The object under *name*, or an empty one where there is none: servers leave out what they do not count."""
    value = holder.get(name)
    return value if isinstance(value, Mapping) else {}


def objects_at(holder: Object, name: str) -> list[Object]:
    """The list of objects under *name*.

    Raises:
        CallFailed: If there is no such list.
    """
    value = holder.get(name)
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        malformed(f"{name!r} is no list of objects")
    return value


def text_at(holder: Object, name: str) -> str:
    """The text under *name*; empty where it is null or missing.

    Raises:
        CallFailed: If it is something else.
    """
    value = holder.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        malformed(f"{name!r} is no text")
    return value


def count_at(holder: Object, name: str) -> int | None:
    """The count under *name*; ``None`` where the server does not tell."""
    value = holder.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def reason(word: object, words: Mapping[str, FinishReason]) -> FinishReason:
    """What a server's *word* for the end of an answer means; ``other`` for a word that is new or missing."""
    return words.get(word, "other") if isinstance(word, str) else "other"
