"""Adapter for OpenAI's images API: a picture made from a text, or from pictures and a text."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.http import redact
from proctor._base.json_values import Json
from proctor.media.files import type_of
from proctor.media.generated import IN_FILE, hashed
from proctor.media.images import Picture
from proctor.media.limits import IMAGE_TYPES
from proctor.media.medium import Media
from proctor.providers import bodies, openai_client
from proctor.providers.client import Request, SdkClient, list_timeout, wire_parameters
from proctor.providers.media_parts import Part, check_number, parts
from proctor.tasks.call import CallFailed, Reply, Usage

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

REFUSALS = ("moderation_blocked", "content_policy_violation")
"""Codes of the errors by which the API declines to draw what it was asked for."""


def connect(model: Model, *, url: str, key: str, patience: Patience) -> SdkClient:
    """Make a client; see :func:`proctor.providers.connect`."""
    import httpx2
    import openai

    sdk = openai_client.make(model, url=url, key=key, patience=patience)

    def ready(call: Call) -> Request:
        question = _question(call, model)
        prompt = "\n\n".join(part for part in question if isinstance(part, str))
        pictures = [part for part in question if isinstance(part, Picture)]
        body: dict[str, Json] = {"model": call.model, "prompt": prompt, "n": 1, **wire_parameters(call, model)}
        return lambda: answered(body, pictures)

    def answered(body: dict[str, Json], pictures: Sequence[Picture]) -> bytes:
        try:
            if not pictures:
                return sdk.post("/images/generations", body=body, cast_to=httpx2.Response).content
            return sdk.post(
                "/images/edits",
                body=body,
                files=_files(pictures),
                options={"headers": {"Content-Type": "multipart/form-data"}},
                cast_to=httpx2.Response,
            ).content
        except openai.BadRequestError as error:
            if error.code in REFUSALS:
                return error.response.content
            raise

    def list_models() -> object:
        return sdk.get("/models", cast_to=httpx2.Response, options={"timeout": list_timeout()})

    return SdkClient(ready, read_reply, usage_of, sdk.close, list_models, url=url, key=key)


def _question(call: Call, model: Model) -> Sequence[Part]:
    """The parts of the one message that this API takes.

    Raises:
        CallFailed: If there are several messages: the API knows no conversation.
        DataError: For a picture that cannot be shown.
    """
    if len(call.messages) != 1:
        raise CallFailed(
            "the images API takes one message; show the pictures of earlier turns in the question", kind="rejected"
        )
    question = parts(call, call.messages[0], model.media)
    check_number(call, sum(isinstance(part, Picture) for part in question), model.media)
    return question


def _files(pictures: Sequence[Picture]) -> list[tuple[str, tuple[str, bytes, str]]]:
    """The pictures as files of a form, in order, named by their places."""
    field = "image" if len(pictures) == 1 else "image[]"
    return [
        (field, (f"picture-{number}.{picture.type}", picture.content, picture.mime))
        for number, picture in enumerate(pictures, 1)
    ]


def read_reply(body: bytes) -> Reply:
    """The pictures in an answer; see :func:`proctor.providers.read_reply`.

    Each is a `Media` with its hash and the name of its file, which is in no folder yet. If the answer holds the picture
    itself, and not only the name under which it was kept, the medium holds its content.
    """
    refusal = _refusal(body)
    if refusal is not None:
        return Reply(refusal, finish_reason="refusal")
    answer = bodies.parse(body)
    found = bodies.objects_at(answer, "data")
    if not found:
        bodies.malformed("'data' is empty")
    return Reply(text="", images=tuple(_picture(item) for item in found), usage=usage_of(answer))


def usage_of(answer: bodies.Object) -> Usage:
    """The tokens that an answer, or what could be had of one, tells."""
    counts = bodies.object_at(answer, "usage")
    return Usage(
        input_tokens=bodies.count_at(counts, "input_tokens"),
        output_tokens=bodies.count_at(counts, "output_tokens"),
        cached_tokens=bodies.count_at(bodies.object_at(counts, "input_tokens_details"), "cached_tokens"),
    )


def _refusal(body: bytes) -> str | None:
    """What the API said when it declined; ``None`` if it did not."""
    try:
        answer: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, Mapping) or error.get("code") not in REFUSALS:
        return None
    return redact(str(error.get("message") or error["code"]))


def _picture(item: bodies.Object) -> Media:
    text = bodies.text_at(item, "b64_json")
    if (kept := IN_FILE.fullmatch(text)) is not None:
        return Media("image", Path(kept["name"]), kept["sha256"])
    if not text and item.get("url"):
        raise CallFailed(
            "the endpoint sent the address of a picture, which is not followed; for a model that must be asked for the "
            "picture itself, set parameters: {response_format: b64_json} in models.yaml",
            kind="rejected",
        )
    try:
        content = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        bodies.malformed("'b64_json' is no base64")
    if type_of(content) not in IMAGE_TYPES:
        bodies.malformed("'b64_json' is no picture")
    return hashed(content)
