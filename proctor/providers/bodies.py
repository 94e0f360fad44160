"""Reading what an endpoint sent, which may be anything."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

from proctor._base.http import redact
from proctor.providers.failures import of_error_object
from proctor.tasks.call import Answerer, CallFailed, FinishReason

Object = Mapping[str, object]
SHOWN = 80  # characters of a body that is no answer
LARGEST_ANSWER = 50_000_000  # bytes, unpacked
MOST_LEVELS = 200
"""How deep an answer may be nested: what can be read in one thread, and recorded, must be readable in any other."""

LARGEST_COUNT = 10**12
"""No answer has more tokens; a larger count is a mistake, or an attack on whoever calculates with it."""

USAGE = re.compile(r'"usage"\s*:\s*')


def malformed(problem: str) -> NoReturn:
    """Raise the CallFailed for an answer that is not what the API promises."""
    raise CallFailed(f"malformed answer: {problem}", kind="malformed")


def parse(body: bytes) -> Object:
    """The JSON object in *body*.

    Raises:
        CallFailed: If there is none, or if it is an error that came with status 200.
    """
    if len(body) > LARGEST_ANSWER:
        malformed(f"it is larger than {LARGEST_ANSWER / 1e6:g} MB")
    if not body.strip():
        malformed("the body is empty")
    problem = ""
    text = ""
    try:
        text = body.decode("utf-8-sig")
        answer = json.loads(text)
    except UnicodeDecodeError:
        problem = "the body is not UTF-8"
    except (ValueError, RecursionError):
        problem = f"the body is not JSON: {redact(body[:SHOWN].decode('utf-8', 'replace'))!r}"
    if problem:  # raised out here, it does not carry the exception that holds the whole body
        malformed(problem)
    if not isinstance(answer, dict):
        malformed(f"the body is a {type(answer).__name__}, not an object")
    if text.count("[") + text.count("{") > MOST_LEVELS and _is_deep(answer):
        malformed(f"it is nested more than {MOST_LEVELS} deep")
    if answer.get("error"):
        raise of_error_object(answer["error"])
    return answer


def _is_deep(answer: Object) -> bool:
    level: list[Any] = [answer]
    for _ in range(MOST_LEVELS):
        parts = (part for holder in level for part in (holder.values() if isinstance(holder, dict) else holder))
        level = [part for part in parts if isinstance(part, (dict, list))]
    return bool(level)


def salvaged(body: bytes) -> Object:
    """What can be had of a body that is no answer: all of it if it is an object, else the usage that it tells."""
    text = body.decode("utf-8-sig", "replace")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict):
        return whole
    found = USAGE.search(text)
    with suppress(ValueError, RecursionError):
        if found is not None:
            return {"usage": json.JSONDecoder().raw_decode(text, found.end())[0]}
    return {}


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
    """The count under *name*; ``None`` where the server does not tell.

    Raises:
        CallFailed: If it is beyond all reason.
    """
    value = holder.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return None
    if value > LARGEST_COUNT:
        malformed(f"{name!r} is more than {LARGEST_COUNT:,}")
    return value


def stated(answer: Object) -> Answerer:
    """Who answered, as the answer says: a model, OpenRouter's host of it, a fingerprint of the server's."""
    return Answerer(*(_name(answer.get(name)) for name in ("model", "provider", "system_fingerprint")))


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def with_tool_call(finish: FinishReason, text: str) -> FinishReason:
    """Why an answer ended that has a call of a tool: one that has no text besides is no answer to the question."""
    return finish if finish in ("refusal", "length") else "other" if text.strip() else "tool_call"


def reason(word: object, words: Mapping[str, FinishReason]) -> FinishReason:
    """What a server's *word* for the end of an answer means; ``other`` where there is none.

    Raises:
        CallFailed: For ``error``, and for a word that is not known: nobody can say that there is an answer.
    """
    if word is None:
        return "other"
    known = words.get(word.lower()) if isinstance(word, str) else None
    if known is not None:
        return known
    if word == "error":
        malformed("it ended with finish reason 'error'")
    raise CallFailed(f"the answer ended with the unknown finish reason {redact(repr(word)[:SHOWN])}", kind="unfinished")
