"""Adapter for Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from proctor.calls import CallFailed, FinishReason, Json, Message, Reply, Usage
from proctor.media.pictures import Picture
from proctor.media.showing import Part, in_base64, shown
from proctor.providers import bodies
from proctor.providers.client import Request, SdkClient, timeouts, wire_parameters

if TYPE_CHECKING:
    from proctor.calls import Call
    from proctor.models.registry import Model

_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def connect(model: Model, *, url: str, key: str, timeout: float) -> SdkClient:
    """Make a client; see :func:`proctor.providers.connect`."""
    import anthropic

    from proctor.providers.connections import NoCookies

    # A timeout of its own also keeps the SDK from refusing a large max_tokens without streaming.
    sdk = anthropic.Anthropic(
        api_key=key,
        base_url=url,
        timeout=timeouts(timeout),
        max_retries=0,
        http_client=anthropic.DefaultHttpxClient(cookies=NoCookies()),
    )
    create = sdk.messages.with_raw_response.create

    def ready(call: Call) -> Request:
        fields = body(call, model)
        messages, max_tokens = cast("Any", fields.pop("messages")), cast("int", fields.pop("max_tokens"))
        return lambda: create(model=call.model, messages=messages, max_tokens=max_tokens, extra_body=fields).read()

    return SdkClient(ready, read_reply, sdk.close, url=url, key=key)


def body(call: Call, model: Model) -> dict[str, Json]:
    """The request's JSON, as the SDK would send it.

    Raises:
        CallFailed: If ``max_tokens``, which the API insists on, is no number.
        DataError: For a medium that cannot be shown.
    """
    parameters = wire_parameters(call, model)
    if isinstance(stop := parameters.get("stop_sequences"), str):
        parameters["stop_sequences"] = [stop]
    system, messages = split_system(shown(call, model.media, _part))
    if not isinstance(limit := parameters.get("max_tokens"), int):
        raise CallFailed(f"max_tokens must be a whole number, not {limit!r}", kind="rejected")
    return {"model": call.model, "messages": messages, **({"system": system} if system else {}), **parameters}


def _part(part: Part) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    assert isinstance(part, Picture)  # this API takes no sound
    source = {"type": "base64", "media_type": part.mime, "data": in_base64(part)}
    return {"type": "image", "source": source}


def split_system(messages: Sequence[Message]) -> tuple[Json, list[Message]]:
    """What stands under ``system`` and under ``messages``: this API knows no message of that role.

    Returns:
        The system messages as one text (as a list of parts if one of them is a list), and the others.
    """
    contents = [message.get("content") for message in messages if message.get("role") == "system"]
    # A turn without a word is refused; where a model said nothing, the conversation goes on without it.
    rest = [message for message in messages if message.get("role") != "system" and message.get("content") != ""]
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(cast("list[str]", contents)), rest
    parts: list[Json] = []
    for content in contents:
        parts.extend(content if isinstance(content, list) else [{"type": "text", "text": content}])
    return parts, rest


def read_reply(body: bytes) -> Reply:
    """What a message says; see :func:`proctor.providers.read_reply`."""
    answer = bodies.parse(body)
    blocks = bodies.objects_at(answer, "content")
    text = "".join(bodies.text_at(block, "text") for block in blocks if block.get("type") == "text")
    return Reply(text=text, finish_reason=bodies.reason(answer.get("stop_reason"), _REASONS), usage=_usage(answer))


def _usage(answer: bodies.Object) -> Usage:
    """Token counts, with the input as the other APIs count it: Anthropic's ``input_tokens`` leave cached ones out."""
    counts = bodies.object_at(answer, "usage")
    fresh, cached = bodies.count_at(counts, "input_tokens"), bodies.count_at(counts, "cache_read_input_tokens")
    written = bodies.count_at(counts, "cache_creation_input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output_tokens=bodies.count_at(counts, "output_tokens"),
        cached_tokens=cached,
        reasoning_tokens=bodies.count_at(bodies.object_at(counts, "output_tokens_details"), "thinking_tokens"),
    )
