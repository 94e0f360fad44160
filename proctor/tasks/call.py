"""A request to a model and what came back, in terms that no provider owns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from proctor._base.json_values import Json, sha256_of
from proctor.media.medium import Media

Message = Mapping[str, Json]
"""``{"role": "user" | "system" | "assistant", "content": …}``. The content is a text, or a list of parts in order:
``{"type": "text", "text": …}``, or ``{"type": "image" | "video" | "audio", "sha256": …}`` with whatever else says how
the medium is shown."""

FinishReason = Literal["stop", "length", "refusal", "tool_call", "other"]


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
    """Tokens as the provider counted them; ``None`` where it did not say.

    Input includes what was read from a cache and what was written to one, and output what a model thought.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    written_tokens: int | None = None
    cost_usd: float | None = None
    """What the provider says that the answer cost."""


class Answerer(NamedTuple):
    """Who answered, as the answer itself states it; ``None`` where it does not."""

    model: str | None = None
    provider: str | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """An answer that could not be used, and may have to be paid for all the same.

    Args:
        usage: Its tokens, as the provider counted them.
        assumed: The same, with an estimate where the provider did not say.
    """

    usage: Usage
    assumed: Usage


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Args:
        text: The answer's text, exactly as sent but for thoughts in it; empty where there is none.
        finish_reason: ``stop``; ``length`` (cut at the token limit); ``refusal`` (the model or a filter declined);
            ``tool_call`` (it called a tool instead of answering); ``other``.
        usage: Token counts.
        images: The pictures that the model made.
        reasoning: What the model thought before it answered, as far as it was sent.
        seen: The text with the thoughts that a server left in it, as a script reads it that knows of none; ``None``
            if that is *text*.
        answerer: Who answered.
    """

    text: str
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    images: tuple[Media, ...] = ()
    reasoning: str = ""
    seen: str | None = None
    answerer: Answerer = field(default_factory=Answerer)


class CallFailed(Exception):
    """A request that brought no usable answer.

    Args:
        message: What happened, without any secret.
        kind: ``rate_limit``, ``server``, ``timeout``, ``connection`` (it broke), ``unreachable`` (there was none),
            ``malformed`` (an answer that is not what the
            API promises), ``unfinished`` (an answer that ended in a way that is not known), ``rejected`` (the provider
            refuses this request, such as a prompt over the window), ``authentication``, ``unknown_model``, ``quota``
            (the account has no credit left), ``parameter`` (it refuses one of the parameters, whatever is asked),
            ``given_up`` (the run was stopped).
        retry_after: Seconds the provider asked to wait, if it did.
        parameter: The name of the parameter that is at fault, if the provider named one.
        status: The HTTP status, or an error's own number where that was 200; ``None`` if no answer came.

    Attributes:
        billable: Whether the provider may want money for it: an answer came, or began to, that cannot be used.
        usage: The tokens of such an answer, as far as it tells.
        unread: All such answers that the call brought, requests that were sent again included.
        elsewhere: Whether another address of the same model can be asked at once.
    """

    TURNED_AWAY = "rate_limit"
    RETRYABLE = frozenset({TURNED_AWAY, "server", "timeout", "connection", "unreachable", "malformed"})
    FATAL = frozenset({"authentication", "unknown_model", "quota", "parameter"})

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        retry_after: float | None = None,
        parameter: str | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
        self.parameter = parameter
        self.status = status
        self.attempts = 1
        self.billable = False
        self.usage = Usage()
        self.unread: tuple[Unread, ...] = ()
        self.elsewhere = False

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed when sent again."""
        return self.kind in self.RETRYABLE

    @property
    def fatal(self) -> bool:
        """Whether every further request to this model would fail the same way."""
        return self.kind in self.FATAL
