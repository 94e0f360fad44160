"""The providers' own lists of models: what they say of those in the registry, and what differs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from proctor._base.errors import UsageError, printable
from proctor.providers import checked_key
from proctor.providers.batch.protocol import told
from proctor.providers.bodies import Object, count_at, object_at, objects_at, parse, text_at
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.models.registry import Model

TIMEOUT = 60.0
MOST_PAGES = 100
ENDS = ("shutdown_date", "retires_at", "expiration_date")
"""Where OpenAI, Anthropic and OpenRouter say when a model is shut down."""
WINDOWS = ("context_length", "max_input_tokens")
ROUNDING = 1e-6
"""Share of a price; they come as text, by the token."""


@dataclass(frozen=True)
class Compared:
    """What came of asking one endpoint.

    Args:
        provider: The provider's name in the registry.
        endpoint: The address that was asked.
        models: How many models of the registry are asked there.
        differences: For each model by name what differs, in words.
        problem: Why it could not be asked; empty if it could.
    """

    provider: str
    endpoint: str
    models: int
    differences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    problem: str = ""

    def lines(self) -> Iterator[str]:
        """In words."""
        head = f"{self.provider} ({self.endpoint})"
        if self.problem:
            yield f"{head}: cannot be asked: {self.problem}"
            return
        agree = self.models - len(self.differences)
        yield f"{head}: {agree} of {self.models} models as in the registry"
        for name, found in self.differences.items():
            yield f"  {name}: {'; '.join(found)}"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "provider": self.provider,
            "endpoint": self.endpoint,
            "models": self.models,
            "differences": {name: list(found) for name, found in self.differences.items()},
            "problem": self.problem or None,
        }


def with_keys(models: Sequence[Model], environ: Mapping[str, str] = os.environ) -> list[list[Model]]:
    """The models whose key is set, together with those that are asked at the same endpoint."""
    groups: dict[tuple[str, str, str, bool], list[Model]] = {}
    for model in models:
        if model.key_env and environ.get(model.key_env, "").strip():
            address = (model.provider, model.base_url_env or "", model.base_url, _is_anthropic(model))
            groups.setdefault(address, []).append(model)
    return list(groups.values())


def compare(models: Sequence[Model], day: date) -> Compared:
    """Ask an endpoint for its list, and compare that with what the registry says of these models.

    Args:
        models: Models that are asked at one endpoint.
        day: Today.
    """
    first, url = models[0], models[0].base_url
    try:
        url = first.url()
        listed = {text_at(entry, "id").casefold(): entry for entry in _listed(first, url)}
    except (UsageError, CallFailed) as problem:
        return Compared(first.provider, _shown(url), len(models), problem=str(problem))
    found = {model.name: list(_differences(model, listed.get(model.api_id.casefold()), day)) for model in models}
    differing = {name: different for name, different in found.items() if different}
    return Compared(first.provider, _shown(url), len(models), differing)


def _shown(url: str) -> str:
    """An address without what may say who asks."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _is_anthropic(model: Model) -> bool:
    return model.api == "anthropic-messages"


def _listed(model: Model, url: str) -> Iterator[Object]:
    """The entries of an endpoint's list of models."""
    key = checked_key(model)
    sdk, path = _sdk(model, url, key)
    import httpx2

    with closing(sdk):

        def page(query: str) -> Object:
            return parse(told(lambda: sdk.get(path + query, cast_to=httpx2.Response).read(), url=url, key=key))

        yield from _pages(page, in_steps=_is_anthropic(model))


def _sdk(model: Model, url: str, key: str) -> tuple[Any, str]:
    from proctor.providers import anthropic_messages, openai_client
    from proctor.providers.patience import Patience

    patience = Patience(TIMEOUT, TIMEOUT)
    if _is_anthropic(model):
        return anthropic_messages.make(model, url=url, key=key, patience=patience), "/v1/models"
    return openai_client.make(model, url=url, key=key, patience=patience), "/models"


def _pages(page: Callable[[str], Object], *, in_steps: bool) -> Iterator[Object]:
    answer = page("?limit=1000" if in_steps else "")
    for _ in range(MOST_PAGES):
        yield from objects_at(answer, "data")
        after = text_at(answer, "last_id") if answer.get("has_more") else ""
        if not after:
            return
        answer = page(f"?limit=1000&after_id={quote(after, safe='')}")


def _differences(model: Model, entry: Object | None, day: date) -> Iterator[str]:
    ended = model.lifecycle.has_ended(day)
    if entry is None:
        if not ended:
            yield "it is not listed"
        return
    end = next((value for name in ENDS if (value := text_at(entry, name))), "")[:10]
    known = str(model.lifecycle.shutdown or "")
    if end != known:
        if end:
            yield f"it is shut down on {printable(end)}; the registry says {known or 'nothing'}"
        elif ended:
            yield f"it is listed, though the registry says that it was shut down on {known}"
        elif not _says_no_ends(entry):
            yield f"it has no end; the registry says {known}"
    window = next((count for name in WINDOWS if (count := count_at(entry, name))), None)
    if window and model.window and window != model.window:
        yield f"its window has {window:,} tokens; the registry says {model.window:,}"
    if model.price is not None:
        pricing = object_at(entry, "pricing")
        for name, price in (("prompt", model.price.input), ("completion", model.price.output)):
            told_price = _per_million(pricing.get(name))
            if told_price is not None and abs(told_price - price) > ROUNDING * max(price, told_price):
                yield f"a million tokens of {name} cost ${told_price:g}; the registry says ${price:g}"


def _says_no_ends(entry: Object) -> bool:
    """Whether a list does not know of ends at all."""
    return not any(name in entry for name in ENDS)


def _per_million(value: object) -> float | None:
    try:
        price = float(value) * 1e6 if isinstance(value, str | int | float) else None
    except ValueError:
        return None
    return None if price is None or price < 0 else price
