"""A request to a model and what came back, in terms that no provider owns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from proctor.media.medium import Media

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Message = Mapping[str, Json]
"""``{"role": "user" | "system" | "assistant", "content": …}``. The content is a text, or a list of parts in order:
``{"type": "text", "text": …}``, or ``{"type": "image" | "video" | "audio", "sha256": …}`` with whatever else says how
the medium is shown."""

FinishReason = Literal["stop", "length", "refusal", "other"]


# One encoder for all: json.dumps builds a new one for every call that does not use its defaults.
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def sha256_of(value: Json) -> str:
    """SHA-256 (hex) of the canonical JSON of *value*: sorted keys, no spaces, UTF-8."""
    return hashlib.sha256(_canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Call:
    """One request to a model.

    Args:
        model: The provider's API id of the model.
        messages: The conversation so far; the last message is the question.
        parameters: Sampling parameters under their neutral names (``temperature``, ``max_tokens``, …).
        media: The files of what the messages show, by hash.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Json]
    media: Mapping[str, Path] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def messages_sha256(self) -> str:
        """Hash of the messages alone: what the report calls the prompt's hash."""
        return sha256_of(list(self.messages))

    @cached_property
    def key(self) -> str:
        """Hash of everything that may change the answer. A recording replays only under its own key.

        The endpoint is not part of it: the same model asked through another address is the same call. 128 bits of
        the hash are enough to tell calls apart, and every recording holds them.
        """
        whole = sha256_of({"model": self.model, "messages": self.messages_sha256, "parameters": dict(self.parameters)})
        return whole[:32]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; ``None`` where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Args:
        text: The answer's text, exactly as sent; empty where there is none.
        finish_reason: ``stop``; ``length`` (cut at the token limit); ``refusal`` (the model or a filter declined);
            ``other``.
        usage: Token counts.
        images: The pictures that the model made.
    """

    text: str
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    images: tuple[Media, ...] = ()


class CallFailed(Exception):
    """A request that brought no usable answer.

    Args:
        message: What happened, without any secret.
        kind: ``rate_limit``, ``server``, ``timeout``, ``connection``, ``malformed`` (an answer that is not what the
            API promises), ``rejected`` (the provider refuses this request, such as a prompt over the window),
            ``authentication``, ``unknown_model``, ``quota`` (the account has no credit left).
        retry_after: Seconds the provider asked to wait, if it did.
    """

    RETRYABLE = frozenset({"rate_limit", "server", "timeout", "connection", "malformed"})
    FATAL = frozenset({"authentication", "unknown_model", "quota"})

    def __init__(self, message: str, *, kind: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
        self.attempts = 1

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed when sent again."""
        return self.kind in self.RETRYABLE

    @property
    def fatal(self) -> bool:
        """Whether every further request to this model would fail the same way."""
        return self.kind in self.FATAL
