"""Adapter for OpenAI's chat completions, which OpenRouter, llama.cpp, vLLM and many others speak too."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING

from proctor._base.json_values import Json
from proctor.media.images import Picture
from proctor.providers import bodies, thoughts
from proctor.providers.client import wire_parameters
from proctor.providers.failures import of_error_object
from proctor.providers.media_parts import Part, content_part, data_uri, in_base64
from proctor.providers.openai_client import OpenAIClient
from proctor.tasks.call import FinishReason, Reply, Usage

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

_REASONS: dict[str, FinishReason] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "stop_sequence", "end_turn"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    "content_filter": "refusal",
    **dict.fromkeys(("tool_calls", "function_call"), "tool_call"),
}
"""OpenAI's words, and those of servers that speak its API in words of their own: TGI, Mistral, Together."""


def connect(model: Model, *, url: str, key: str, patience: Patience) -> OpenAIClient:
    """Make a client; see :func:`proctor.providers.connect`."""
    made = partial(body, model=model)
    return OpenAIClient(
        "/chat/completions", made, read_reply, usage_of, model=model, url=url, key=key, patience=patience
    )


def body(call: Call, model: Model) -> dict[str, Json]:
    """The request's JSON, as the SDK would send it.

    Raises:
        DataError: For a medium that cannot be shown.
    """
    return {"model": call.model, "messages": content_part(call, model.media, _part), **wire_parameters(call, model)}


def _part(part: Part) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Picture):
        return {"type": "image_url", "image_url": {"url": data_uri(part)}}
    return {"type": "input_audio", "input_audio": {"data": in_base64(part), "format": part.type}}


def read_reply(body: bytes) -> Reply:
    """What a chat completion says; see :func:`proctor.providers.read_reply`."""
    answer = bodies.parse(body)
    choices = bodies.objects_at(answer, "choices")
    if not choices:
        bodies.malformed("'choices' is empty")
    choice = choices[0]
    if choice.get("error"):  # OpenRouter, when the model's host failed half way
        raise of_error_object(choice["error"])
    message = choice.get("message")
    if not isinstance(message, dict):
        bodies.malformed("'message' is missing")
    text, refusal = _content(message), bodies.text_at(message, "refusal")
    finish = "refusal" if refusal else bodies.reason(choice.get("finish_reason"), _REASONS)
    if finish == "tool_call" or message.get("tool_calls") or message.get("function_call"):
        finish = bodies.with_tool_call(finish, text)
    return thoughts.apart(
        Reply(
            text=text or refusal,
            finish_reason=finish,
            usage=usage_of(answer),
            reasoning=_reasoning(message),
            answerer=bodies.stated(answer),
        )
    )


def _content(message: bodies.Object) -> str:
    """The message's text; null counts as empty, and several parts are joined as they stand."""
    if not isinstance(message.get("content"), list):
        return bodies.text_at(message, "content")
    return "".join(bodies.text_at(part, "text") for part in bodies.objects_at(message, "content"))


def _reasoning(message: bodies.Object) -> str:
    """What the model thought, under the names that servers have for it; Mistral sends it as a part of the content."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(value := message.get(name), str) and value:
            return value
    parts = message.get("content")
    found = [part.get("thinking") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return "".join(
        inner["text"]
        for thinking in found
        if isinstance(thinking, list)
        for inner in thinking
        if isinstance(inner, dict) and isinstance(inner.get("text"), str)
    )


def usage_of(answer: bodies.Object) -> Usage:
    """The tokens that an answer, or what could be had of one, tells."""
    counts = bodies.object_at(answer, "usage")
    read, written = bodies.count_at(counts, "prompt_tokens"), bodies.count_at(counts, "completion_tokens")
    details = bodies.object_at(counts, "prompt_tokens_details")
    thought = bodies.count_at(bodies.object_at(counts, "completion_tokens_details"), "reasoning_tokens")
    apart = (bodies.count_at(counts, "total_tokens") or 0) - (read or 0) - (written or 0)
    if read is not None and written is not None and apart > 0 and thought in (None, apart):
        # xAI and Gemini leave thoughts out of the completion; the total has them.
        written, thought = written + apart, apart
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cached_tokens=bodies.count_at(details, "cached_tokens"),
        reasoning_tokens=thought,
        written_tokens=bodies.count_at(details, "cache_write_tokens"),
        cost_usd=_cost(counts),
    )


def _cost(counts: bodies.Object) -> float | None:
    """Dollars, as OpenRouter states them; with what the host was paid for by a key of one's own."""
    upstream = bodies.object_at(counts, "cost_details").get("upstream_inference_cost") if counts.get("is_byok") else 0
    parts = [counts.get("cost"), upstream or 0]
    known = [float(part) for part in parts if isinstance(part, int | float) and not isinstance(part, bool)]
    return sum(known) if len(known) == len(parts) and 0 <= sum(known) < inf else None
