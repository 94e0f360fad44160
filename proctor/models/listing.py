"""The registry in words: a table of all models, and what is known of one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any

from proctor._base.http import without_account
from proctor._base.text_table import aligned
from proctor.models.prices import library_knows, price_at
from proctor.models.registry import Model
from proctor.models.registry_file import Location

SOON = 90
"""Days; what is shut down within them comes first."""
HEAD = ("model", "provider", "API id", "window", "$ in", "$ out", "media", "shut down", "instead")
NUMBERS = frozenset({"window", "$ in", "$ out"})
SCHEMA_VERSION = 1


def table(models: Sequence[Model], day: date) -> list[str]:
    """All models as aligned lines: first what is shut down soon, by date, and last what is shut down already."""
    order = sorted(models, key=lambda model: _order(model, day))
    rows = [HEAD, *(_row(model, day) for model in order)]
    lines = aligned(rows, words=[column for column, name in enumerate(HEAD) if name not in NUMBERS])
    doubtful = [f"? {model.name}: not confirmed: {model.unverified}" for model in order if model.unverified]
    return [
        *lines,
        "",
        "$: dollars per million tokens of short prompts, today: docs/how-to/costs.md. Any other one: provider/api-id.",
        *doubtful,
    ]


def _order(model: Model, day: date) -> tuple[int, int]:
    left = model.lifecycle.days_left(day)
    if left is None or left > SOON:
        return (1, 0)
    return (0, left) if left > 0 else (2, -left)


def _row(model: Model, day: date) -> tuple[str, ...]:
    left, price = model.lifecycle.days_left(day), price_at(model, _noon(day))
    end = "" if left is None else f"{model.lifecycle.shutdown}" + (" (past)" if left <= 0 else f" (in {left} days)")
    return (
        model.name + ("?" if model.unverified else ""),
        model.provider,
        model.api_id,
        f"{model.window:,}" if model.window else "–",
        f"{price.input:g}" if price else "–",
        f"{price.output:g}" if price else "–",
        _media(model),
        end or "–",
        (model.lifecycle.replacement or "–") if end else "–",
    )


def _media(model: Model) -> str:
    takes = "?" if model.inputs is None else ", ".join(sorted(model.inputs)) or "–"
    return f"{takes}; makes {', '.join(sorted(model.outputs))}" if model.outputs else takes


def described(model: Model, day: date, environ: Mapping[str, str] = os.environ) -> list[str]:
    """What a name means, a line for each thing that is known.

    Args:
        model: The model that the name stands for.
        day: Today, on which its lifecycle depends.
        environ: Variables, of which some may hold its key or its address.
    """
    facts = dict(_facts(model, day, environ))
    width = max(map(len, facts))
    return [model.name, *(f"  {name.ljust(width)}  {value}" for name, value in facts.items())]


def _facts(model: Model, day: date, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if model.aliases:
        yield "also", ", ".join(model.aliases)
    yield "entry", _location(model.entry) or "none: it is asked as its provider's others are"
    yield "provider", model.provider + (f" ({location})" if (location := _location(model.provider_entry)) else "")
    yield "api", model.api
    yield "API id", model.api_id
    moved = model.base_url_env if environ.get(model.base_url_env or "", "").strip() else None
    addresses = ", ".join(map(without_account, model.urls(environ))) if moved or model.base_url else ""
    yield "endpoint", (addresses or f"none: set {model.base_url_env}") + (f" (from {moved})" if moved else "")
    yield "key", _key(model, environ)
    for name, values in (("headers", model.headers), ("query", model.query)):
        if values:  # as the file has them: the values of variables are nobody's business
            yield name, ", ".join(f"{key}: {value}" for key, value in values.items())
    for name, value in (("parameters", model.parameters), ("required", model.required), ("renamed", model.rename)):
        if value:
            yield name, ", ".join(f"{key}={_told(setting)}" for key, setting in value.items())
    if model.unsupported:
        yield "refuses", ", ".join(sorted(model.unsupported))
    yield "effort", _effort(model)
    if model.window:
        yield "window", f"{model.window:,} tokens"
    yield "price", _price(model, day)
    yield "media", _media(model)
    if model.batch_discount:
        yield "batches", f"{model.batch_discount:.0%} off"
    left = model.lifecycle.days_left(day)
    if left is None:
        yield "lifecycle", "no end is known"
    else:
        when = (
            f"was shut down on {model.lifecycle.shutdown}"
            if left <= 0
            else (f"is shut down on {model.lifecycle.shutdown}, in {left} days")
        )
        yield "lifecycle", when + model.lifecycle.instead
    if model.lifecycle.source:
        yield "source", model.lifecycle.source
    if model.unverified:
        yield "not confirmed", model.unverified
    if not model.described:
        yield "note", "nothing is known of what it refuses; its first request is sent alone"


def _location(location: Location | None) -> str:
    return (
        "" if location is None else f"{'built in' if location.built_in else 'yours'}, {location.file}:{location.line}"
    )


def _key(model: Model, environ: Mapping[str, str]) -> str:
    if model.key_env is None:
        return "none is needed"
    if environ.get(model.key_env, "").strip():
        return f"{model.key_env} (set)"
    return f"{model.key_env} ({'not set' if model.missing_key(environ) else 'not set, and not needed on this machine'})"


def _effort(model: Model) -> str:
    effort = model.effort
    if effort.levels == ():
        return "none: it does not think first"
    levels = "any level is passed on" if effort.levels is None else ", ".join(effort.levels)
    unasked = f"; unasked {effort.default}" if effort.default else ""
    refused = f"; while it thinks it refuses {', '.join(sorted(effort.refuses))}" if effort.refuses else ""
    return levels + unasked + refused


def _price(model: Model, day: date) -> str:
    price = price_at(model, _noon(day))
    if price is None:
        return "not known"
    more = "" if price.cached_input is None else f", cached ${price.cached_input:g}"
    whose = "the library of prices" if library_knows(model, _noon(day)) else "models.yaml"
    return f"${price.input:g} in, ${price.output:g} out{more}, per million tokens (by {whose})"


def _noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def as_json(models: Sequence[Model], day: date) -> dict[str, Any]:
    """The models for programs."""
    return {
        "schema_version": SCHEMA_VERSION,
        "date": day.isoformat(),
        "models": [
            {
                "name": model.name,
                "aliases": list(model.aliases),
                "provider": model.provider,
                "api": model.api,
                "api_id": model.api_id,
                "entry": _location(model.entry) or None,
                "endpoint": without_account(model.base_url) if model.base_url else None,
                "endpoints": list(map(without_account, model.base_urls)),
                "endpoint_variable": model.base_url_env,
                "key_variable": model.key_env,
                "parameters": dict(model.parameters),
                "refuses": sorted(model.unsupported),
                "effort": None if model.effort.levels is None else list(model.effort.levels),
                "window": model.window,
                "price": asdict(price) if (price := price_at(model, _noon(day))) else None,
                "inputs": None if model.inputs is None else sorted(model.inputs),
                "outputs": sorted(model.outputs),
                "shutdown": model.lifecycle.shutdown.isoformat() if model.lifecycle.shutdown else None,
                "replacement": model.lifecycle.replacement,
                "source": model.lifecycle.source,
                "unverified": model.unverified,
            }
            for model in models
        ],
    }
