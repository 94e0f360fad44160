"""An estimate in words: the table that ``--estimate`` prints, and what its columns mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor._base.figures import dollars
from proctor._base.text_table import aligned
from proctor.estimates.estimate import CACHE_BLOCK, CACHED_FROM, CostEstimate
from proctor.recordings.record_mode import RecordMode

HEAD = (
    "task",
    "model",
    "cases",
    "requests",
    "input tokens",
    "output tokens",
    "cost",
    "cached input",
    "batch",
    "recorded",
    "to pay",
)
WORDS = (0, 1)  # the columns "task" and "model"


def estimate_lines(estimates: Sequence[CostEstimate], mode: RecordMode) -> list[str]:
    """The table, the sources of its numbers, and its legend.

    Args:
        estimates: One for each task and model.
        mode: The record mode that the user asked for.
    """
    rows = [HEAD, *map(_row, estimates), _total(estimates)]
    return [*aligned(rows, words=WORDS), "", *_unpriced(estimates), *_sources(estimates), *_legend(mode)]


def _row(estimate: CostEstimate) -> tuple[str, ...]:
    no_discount = "unknown" if estimate.cost is None else "–"
    return (
        estimate.task,
        estimate.model.name,
        f"{estimate.cases:,}",
        f"{estimate.requests:,}",
        f"{estimate.tokens.input:,}",
        f"{estimate.tokens.output:,}",
        dollars(estimate.cost),
        dollars(estimate.cost_with_cache, no_discount),
        dollars(estimate.cost_in_batch, no_discount),
        f"{estimate.replayed:,}",
        dollars(_to_pay(estimate)),
    )


def _to_pay(estimate: CostEstimate) -> float | None:
    """Nothing is to be paid where everything is recorded, whatever it costs."""
    return 0.0 if estimate.replayed == estimate.requests else estimate.unpaid_cost


def _total(estimates: Sequence[CostEstimate]) -> tuple[str, ...]:
    def total(cost: Callable[[CostEstimate], float | None]) -> str:
        costs = [cost(estimate) for estimate in estimates]
        known = [c for c in costs if c is not None]
        return dollars(sum(known)) if len(known) == len(costs) else "unknown"

    return (
        "total",
        "",
        f"{sum(e.cases for e in estimates if not e.roles):,}",
        f"{sum(e.requests for e in estimates):,}",
        f"{sum(e.tokens.input for e in estimates):,}",
        f"{sum(e.tokens.output for e in estimates):,}",
        total(lambda e: e.cost),
        total(lambda e: e.cost if e.cost_with_cache is None else e.cost_with_cache),
        total(lambda e: e.cost if e.cost_in_batch is None else e.cost_in_batch),
        f"{sum(e.replayed for e in estimates):,}",
        total(_to_pay),
    )


def _unpriced(estimates: Sequence[CostEstimate]) -> list[str]:
    names = list(dict.fromkeys(e.model.name for e in estimates if e.cost is None))
    if not names:
        return []
    known = [e.cost for e in estimates if e.cost is not None]
    rest = f" The other models together: {dollars(sum(known))}." if known else ""
    return [f"No price is known for {', '.join(names)}: give one in models.yaml.{rest}", ""]


def _sources(estimates: Sequence[CostEstimate]) -> list[str]:
    lines = ["Where the numbers come from:"]
    for estimate in estimates:
        lines.append(f"  {estimate.task} {estimate.model.name}")
        lines += [f"    {text}" for text in (*estimate.sources, *(f"but: {w}" for w in estimate.warnings))]
    return [*lines, ""]


def _legend(mode: RecordMode) -> list[str]:
    shown = mode if mode.records else RecordMode.ONCE
    return [
        "cost: every token at the full price of today. The hidden tokens of a reasoning model count only where "
        "they were recorded.",
        "cached input: the beginning that a prompt shares with the one before it, in whole blocks of "
        f"{CACHE_BLOCK} tokens from {CACHED_FROM:,} tokens on, at the cached price. At best: prompts in flight at the "
        "same time do not find one another.",
        "batch: the cost with the provider's batch discount, as proctor batch pays it; the two discounts are not added "
        "up.",
        "–: no such discount is known; the total counts the full cost.",
        f"recorded: requests that --record-mode {shown.value} replays for nothing. to pay: the cost of the others.",
    ]
