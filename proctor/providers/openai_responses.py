"""Adapter for OpenAI's Responses API, the only one that o1-pro and gpt-5-pro speak."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from proctor._base.json_values import Json
from proctor.media.images import Picture
from proctor.providers import bodies, thoughts
from proctor.providers.client import wire_parameters
from proctor.providers.media_parts import Part, content_part, data_uri
from proctor.providers.openai_client import OpenAIClient
from proctor.tasks.call import FinishReason, Reply, Usage

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

_REASONS_OF_INCOMPLETE: dict[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "refusal"}


def connect(model: Model, *, url: str, key: str, patience: Patience) -> OpenAIClient:
    """Make a client; see :func:`proctor.providers.connect`."""
    made = partial(body, model=model)
    return OpenAIClient("/responses", made, read_reply, usage_of, model=model, url=url, key=key, patience=patience)


def body(call: Call, model: Model) -> dict[str, Json]:
    """The request's JSON, as the SDK would send it.

    Raises:
        DataError: For a medium that cannot be shown.
    """
    return {"model": call.model, "input": content_part(call, model.media, _part), **wire_parameters(call, model)}


def _part(part: Part) -> Json:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    assert isinstance(part, Picture)  # this API takes no sound
    return {"type": "input_image", "image_url": data_uri(part)}


def read_reply(body: bytes) -> Reply:
    """What a response says; see :func:`proctor.providers.read_reply`."""
    answer = bodies.parse(body)
    status = answer.get("status")
    if status not in (None, "completed", "incomplete"):
        bodies.malformed(f"the response is {str(status)[: bodies.SHOWN]!r}, not completed")
    texts, refusals, thought, calls = [], [], [], False
    for item in bodies.objects_at(answer, "output"):
        if item.get("type") == "reasoning":
            parts = item.get("summary") or item.get("content")
            found = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
            thought += [text for text in found if isinstance(text, str)]
        elif item.get("type") in ("function_call", "custom_tool_call"):
            calls = True
        elif item.get("type") == "message":  # the others are calls of tools that the provider runs itself
            for part in bodies.objects_at(item, "content"):
                texts.append(bodies.text_at(part, "text"))
                refusals.append(bodies.text_at(part, "refusal"))
    text, refusal = "".join(texts), "".join(refusals)
    finish = _finish(answer, refusal)
    return thoughts.apart(
        Reply(
            text=text or refusal,
            finish_reason=bodies.with_tool_call(finish, text) if calls else finish,
            usage=usage_of(answer),
            reasoning="\n\n".join(thought),
            answerer=bodies.stated(answer),
        )
    )


def _finish(answer: bodies.Object, refusal: str) -> FinishReason:
    if refusal:
        return "refusal"
    if answer.get("status") == "incomplete":
        return bodies.reason(bodies.object_at(answer, "incomplete_details").get("reason"), _REASONS_OF_INCOMPLETE)
    return "stop" if answer.get("status") == "completed" else "other"


def usage_of(answer: bodies.Object) -> Usage:
    """The tokens that an answer, or what could be had of one, tells."""
    counts = bodies.object_at(answer, "usage")
    details = bodies.object_at(counts, "input_tokens_details")
    return Usage(
        input_tokens=bodies.count_at(counts, "input_tokens"),
        output_tokens=bodies.count_at(counts, "output_tokens"),
        cached_tokens=bodies.count_at(details, "cached_tokens"),
        written_tokens=bodies.count_at(details, "cache_write_tokens"),
        reasoning_tokens=bodies.count_at(bodies.object_at(counts, "output_tokens_details"), "reasoning_tokens"),
    )
