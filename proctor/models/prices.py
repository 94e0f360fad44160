"""What an answer costs on the day of the call: as the provider states it, by a kept library, or by models.yaml.

The library, genai-prices, knows prices by date, by the time of day, by the length of the prompt, for caches and for
batches. It works offline. Only what asks models, or estimates what that would cost, imports it: a replay finds the cost
in its recordings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, Any

from proctor.models.registry_file import Price
from proctor.tasks.call import Usage

if TYPE_CHECKING:
    from proctor.models.registry import Model

MILLION = 1_000_000
MANY = 1000
"""Tokens; fewer than any price by the length of the prompt begins at."""
BATCH = {"processing": "batch"}
_asking = threading.Lock()
Cost = Callable[[Usage], float | None]


def is_priced(model: Model, at: datetime) -> bool:
    """Whether anybody knows what *model* costs."""
    return model.price is not None or library_knows(model, at)


def cost_at(model: Model, at: datetime, *, batch: bool = False) -> Cost:
    """What makes dollars of the tokens of an answer.

    A price in a user's own file goes before the library, and the library before the prices that ship.

    Args:
        model: The model.
        at: When it is asked, in UTC.
        batch: Whether through a batch.

    Returns:
        A function of an answer's tokens; it returns ``None`` where the price or a count is unknown.
    """
    if not library_knows(model, at):
        return lambda usage: model.cost(usage, batch=batch)

    def cost(usage: Usage) -> float | None:
        stated = model.stated_cost(usage)
        if stated is not None:
            return stated
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return _by_library(model, usage, at, batch=batch)

    return cost


def price_at(model: Model, at: datetime) -> Price | None:
    """What tokens of short prompts cost, in dollars per million; ``None`` where nobody knows."""
    if not library_knows(model, at):
        return model.price
    counts = (Usage(MANY, 0), Usage(0, MANY), Usage(MANY, 0, MANY))
    read, written, cached = (_by_library(model, usage, at, batch=False) * MILLION / MANY for usage in counts)
    return Price(round(read, 6), round(written, 6), round(cached, 6) if cached < read else None)


def cost_of(model: Model, usage: Usage, at: datetime, *, batch: bool = False) -> float | None:
    """What one answer costs; see `cost_at`.

    Args:
        model: Who answered.
        usage: The tokens.
        at: When, since prices change.
        batch: Whether through the provider's batch API.
    """
    return cost_at(model, at, batch=batch)(usage)


def library_knows(model: Model, at: datetime) -> bool:
    """Whether the library knows the model, and is to be asked."""
    return model.prices is not None and not model.own_price and _knows(model, at.date())


@cache
def _knows(model: Model, day: date) -> bool:
    with _asking:  # what the library looks up at its first question, each of many threads would look up
        try:
            _by_library(model, Usage(1, 1), datetime.combine(day, time(), UTC), batch=False)
        except LookupError:
            return False
        return True


def _by_library(model: Model, usage: Usage, at: datetime, *, batch: bool) -> float:
    import genai_prices

    read, cached = usage.input_tokens or 0, usage.cached_tokens or 0
    counts: dict[str, Any] = {"input_tokens": read, "output_tokens": usage.output_tokens or 0}
    # More than was read would be refused; a server that counts so is taken at its word about the input.
    counts["cache_read_tokens"] = min(cached, read)
    if usage.written_tokens:
        counts["cache_write_tokens"] = min(usage.written_tokens, read - counts["cache_read_tokens"])
    found = genai_prices.calc_price(
        genai_prices.Usage(**counts),
        model.api_id,
        provider_id=model.prices,
        genai_request_timestamp=at,
        price_context=BATCH if batch else None,
    )
    return float(found.total_price)
