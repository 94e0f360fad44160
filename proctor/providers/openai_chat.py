"""Adapter for OpenAI's chat completions, which OpenRouter, llama.cpp, vLLM and many others speak too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proctor.calls import FinishReason, Json, Reply, Usage
from proctor.media.pictures import Picture
from proctor.media.showing import Part, data_uri, in_base64, shown
from proctor.providers import bodies, openai_client
from proctor.providers.client import Request, SdkClient, wire_parameters
from proctor.providers.failures import of_error_object

if TYPE_CHECKING:
    from proctor.calls import Call
    from proctor.models.registry import Model

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
}


def connect(model: Model, *, url: str, key: str, timeout: float) -> SdkClient:
    """Make a client; see :func:`proctor.providers.connect`."""
    sdk = openai_client.make(model, url=url, key=key, timeout=timeout)
    post = openai_client.poster(sdk, "/chat/completions")

    def ready(call: Call) -> Request:
        made = body(call, model)
        return lambda: post(made)

    return SdkClient(ready, read_reply, sdk.close, url=url, key=key)


def body(call: Call, model: Model) -> dict[str, Json]:
    """The request's JSON, as the SDK would send it.

    Raises:
        DataError: For a medium that cannot be shown.
    """
    return {"model": call.model, "messages": shown(call, model.media, _part), **wire_parameters(call, model)}


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
    return Reply(text=text or refusal, finish_reason=finish, usage=_usage(answer))


def _content(message: bodies.Object) -> str:
    """The message's text; null counts as empty, and several parts are joined as they stand."""
    if not isinstance(message.get("content"), list):
        return bodies.text_at(message, "content")
    return "".join(bodies.text_at(part, "text") for part in bodies.objects_at(message, "content"))


def _usage(answer: bodies.Object) -> Usage:
    counts = bodies.object_at(answer, "usage")
    return Usage(
        input_tokens=bodies.count_at(counts, "prompt_tokens"),
        output_tokens=bodies.count_at(counts, "completion_tokens"),
        cached_tokens=bodies.count_at(bodies.object_at(counts, "prompt_tokens_details"), "cached_tokens"),
        reasoning_tokens=bodies.count_at(bodies.object_at(counts, "completion_tokens_details"), "reasoning_tokens"),
    )
