"""Adapter for Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from proctor._base.json_values import Json
from proctor.media.images import Picture
from proctor.models.endpoint import without_query
from proctor.providers import bodies, thoughts
from proctor.providers.client import Request, SdkClient, list_timeout, wire_parameters
from proctor.providers.media_parts import Part, content_part, in_base64
from proctor.tasks.call import CallFailed, FinishReason, Message, Reply, Usage

if TYPE_CHECKING:
    import anthropic

    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "tool_use": "tool_call",
    "pause_turn": "other",
}


def connect(model: Model, *, url: str, key: str, patience: Patience) -> SdkClient:
    """Make a client; see :func:`proctor.providers.connect`."""
    sdk = make(model, url=url, key=key, patience=patience)
    create = sdk.messages.with_raw_response.create

    def ready(call: Call) -> Request:
        fields = body(call, model)
        messages, max_tokens = cast("Any", fields.pop("messages")), cast("int", fields.pop("max_tokens"))
        return lambda: create(model=call.model, messages=messages, max_tokens=max_tokens, extra_body=fields).read()

    def list_models() -> object:
        import httpx2

        return sdk.get("/v1/models", cast_to=httpx2.Response, options={"timeout": list_timeout()})

    return SdkClient(ready, read_reply, usage_of, sdk.close, list_models, url=url, key=key)


def make(model: Model, *, url: str, key: str, patience: Patience) -> anthropic.Anthropic:
    """An SDK client without retries, which are the dispatcher's.

    Args:
        model: The model it is for.
        url: The endpoint.
        key: The API key.
        patience: How long to wait for an answer.
    """
    import anthropic

    from proctor.providers.http_client import Client, timeouts

    # A timeout of its own also keeps the SDK from refusing a large max_tokens without streaming.
    return anthropic.Anthropic(
        api_key=key,
        base_url=without_query(url),
        default_headers=model.sent_headers(),
        default_query=model.sent_query(url),
        timeout=timeouts(patience),
        max_retries=0,
        http_client=Client(url, patience),
    )


def body(call: Call, model: Model) -> dict[str, Json]:
    """The request's JSON, as the SDK would send it.

    Raises:
        CallFailed: If ``max_tokens``, which the API insists on, is no number.
        DataError: For a medium that cannot be shown.
    """
    parameters = wire_parameters(call, model)
    if isinstance(stop := parameters.get("stop_sequences"), str):
        parameters["stop_sequences"] = [stop]
    system, messages = split_system(content_part(call, model.media, _part))
    if not isinstance(limit := parameters.get("max_tokens"), int):
        raise CallFailed(f"max_tokens must be a whole number, not {limit!r}", kind="rejected")
    # A budget of thoughts has to be below max_tokens, which is to leave as many for the answer as without one.
    thinking = parameters.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    if isinstance(budget, int) and budget >= limit:
        parameters["max_tokens"] = budget + limit
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
    thought = [block.get("thinking") for block in blocks if block.get("type") == "thinking"]
    finish = bodies.reason(answer.get("stop_reason"), _REASONS)
    if any(block.get("type") == "tool_use" for block in blocks) or finish == "tool_call":
        finish = bodies.with_tool_call(finish, text)
    return thoughts.apart(
        Reply(
            text=text,
            finish_reason=finish,
            usage=usage_of(answer),
            reasoning="\n\n".join(part for part in thought if isinstance(part, str) and part),
            answerer=bodies.stated(answer),
        )
    )


def usage_of(answer: bodies.Object) -> Usage:
    """The tokens that an answer, or what could be had of one, tells.

    The input is as the other APIs count it: Anthropic's ``input_tokens`` leave cached ones out.
    """
    counts = bodies.object_at(answer, "usage")
    fresh, cached = bodies.count_at(counts, "input_tokens"), bodies.count_at(counts, "cache_read_input_tokens")
    written = bodies.count_at(counts, "cache_creation_input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output_tokens=bodies.count_at(counts, "output_tokens"),
        cached_tokens=cached,
        reasoning_tokens=bodies.count_at(bodies.object_at(counts, "output_tokens_details"), "thinking_tokens"),
        written_tokens=written,
    )
