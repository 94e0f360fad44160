"""What models in other roles than the one under test were asked, and what they said, as rows keep it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NotRequired, TypedDict

from proctor._base.json_values import Json

if TYPE_CHECKING:
    from proctor.conversations.outcome import Answered


class ExchangeFields(TypedDict):
    """What a model in another role was asked, unless a former call has the same key, and what it said."""

    prompt: NotRequired[str]
    reply: NotRequired[str]


def asked_text(messages: Iterable[Mapping[str, Json]]) -> str:
    """The text of messages; a medium stands as its kind in brackets, and each of several messages behind its role.

    Args:
        messages: The messages; see `proctor.tasks.call.Message`.
    """
    found = [(str(message["role"]), _text(message["content"])) for message in messages]
    return found[0][1] if len(found) == 1 else "\n\n".join(f"[{role}]\n{text}" for role, text in found)


def _text(content: Json) -> str:
    if not isinstance(content, list):
        return str(content)
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join(str(part["text"]) if part["type"] == "text" else f"[{part['type']}]" for part in parts)


def exchanges(judges: Iterable[Answered]) -> dict[tuple[str, int], ExchangeFields]:
    """For each call of a judge, by role and turn, its ``reply``, and its ``prompt`` where no former call has the same.

    Args:
        judges: The calls that were answered, in order.
    """
    told: set[str] = set()
    found = {}
    for answered in judges:
        fields: ExchangeFields = {"reply": answered.reply.text}
        if answered.call.messages and answered.call.key not in told:
            fields["prompt"] = asked_text(answered.call.messages)
            told.add(answered.call.key)
        found[answered.role, answered.turn] = fields
    return found
