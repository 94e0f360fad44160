"""``--estimate``: what the selected cases would take, in requests, tokens and dollars, without asking any model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import fsum
from statistics import fmean

from proctor._base.errors import DataError
from proctor.conversations.context import TaskContext
from proctor.conversations.probe import output_tokens, probe
from proctor.live.tokens import CHARACTERS_PER_TOKEN, approximate_tokens, common_prefix, text_of
from proctor.models.builtin import API as BUILTIN
from proctor.models.prices import Cost, cost_at, price_at
from proctor.models.registry import Model
from proctor.providers import read_reply
from proctor.recordings.cassette import Cassette
from proctor.run.case import Case
from proctor.run.run import Run
from proctor.tasks.call import Reply, Usage
from proctor.tasks.judge import role_name
from proctor.tasks.task import Task

ASSUMED_OUTPUT_TOKENS = 100
CACHED_FROM = 1024
CACHE_BLOCK = 128
"""Tokens. OpenAI caches prompts of at least so many, in blocks of so many."""


@dataclass(frozen=True, slots=True)
class EstimatedRequest:
    """One call that a case would make.

    Args:
        role: What it is for.
        characters: Length of its prompt.
        shared: How many of them the prompt before it, of the same task, model and role, begins with as well.
        recorded: Tokens of the recording of exactly this call, if there is one.
        longest: The most tokens that its answer may have, if that is limited.
    """

    role: str
    characters: int
    shared: int
    recorded: Usage | None
    longest: int | None


@dataclass(frozen=True, slots=True)
class Tokens:
    """A sum of tokens; *cached* is the part of *input* that a prompt cache may hold."""

    input: int = 0
    output: int = 0
    cached: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output, self.cached + other.cached)


@dataclass(frozen=True)
class CostEstimate:
    """What the cases of one task and model under test would take of one model.

    Args:
        task: The task's name, with the roles in which the model is asked if it is not the one under test.
        model: The model that is asked.
        cases: How many cases.
        roles: The roles in which the model is asked, if it is not the one under test.
        requests: How many requests they make, as far as known.
        replayed: How many of these a run would replay.
        tokens: Tokens of all requests.
        cost: Dollars of all requests at full price; ``None`` if the price is unknown.
        cost_with_cache: The same, with the discount on cached input; ``None`` if there is none that is known.
        cost_in_batch: The cost with the provider's discount on batches; ``None`` if there is none that is known.
        unpaid_cost: Dollars, at full price, of the requests that a run would send.
        sources: Where the token numbers come from.
        warnings: What is not in the numbers.
    """

    task: str
    model: Model
    cases: int = 0
    roles: tuple[str, ...] = ()
    requests: int = 0
    replayed: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    cost: float | None = 0.0
    cost_with_cache: float | None = None
    cost_in_batch: float | None = None
    unpaid_cost: float | None = 0.0
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def estimate_cases(run: Run, task: Task, model: Model, cases: Sequence[Case]) -> list[CostEstimate]:
    """Find out what these cases of one task and model would take, of that model and of those in other roles.

    Args:
        run: The run, of which nothing is asked.
        task: The task.
        model: The model under test.
        cases: Its cases.

    Raises:
        UsageError: For a template, parameter or recording that cannot be used.
    """
    context = run.context(task, model)
    if model.api == BUILTIN:
        return [CostEstimate(task.name, model, len(cases), sources=("answers without a request",))]
    requests: dict[Model, list[EstimatedRequest]] = {model: []}
    others = guessed = broken = uncounted = unseen = provided = 0
    before: dict[str, str] = {}
    for case in cases:
        probed = probe(context, case.sample, case.epoch)
        others, guessed, broken = others + probed.others, guessed + probed.guessed, broken + probed.broken
        unseen += probed.unseen
        for answered in probed.calls:
            if answered.source == "responses":
                provided += 1
                continue
            text = text_of(answered.call)
            uncounted += answered.source != "replayed" and bool(answered.call.media or answered.model.outputs)
            longest = answered.call.parameters.get("max_tokens")
            requests.setdefault(answered.model, []).append(
                EstimatedRequest(
                    role=answered.role,
                    characters=len(text),
                    shared=common_prefix(text, before.get(answered.role, "")),
                    recorded=answered.reply.usage if answered.source == "replayed" else None,
                    longest=longest if isinstance(longest, int) else None,
                )
            )
            before[answered.role] = text
    replays = run.options.keep_recordings and context.mode.replays
    warnings = _warnings(others if replays else 0, guessed, broken, uncounted, unseen)
    found = [
        replace(_estimate(run, context, asked, of_model, replays=replays), cases=len(cases))
        for asked, of_model in requests.items()
    ]
    told = (f"{provided} answers are provided, and not asked for",) * (context.provided is not None)
    found[0] = replace(found[0], sources=told + found[0].sources, warnings=tuple(warnings))
    return found


def _estimate(
    run: Run, context: TaskContext, model: Model, requests: Sequence[EstimatedRequest], *, replays: bool
) -> CostEstimate:
    counts = TokenCounts(run, context, requests)
    tokens = [counts.of(request) for request in requests]
    unpaid = [t for t, request in zip(tokens, requests, strict=True) if request.recorded is None or not replays]
    now = datetime.now(UTC)
    price = price_at(model, now)
    dollars, in_batch = cost_at(model, now), cost_at(model, now, batch=True)
    full = [Usage(t.input, t.output) for t in tokens]
    cached = [Usage(t.input, t.output, t.cached) for t in tokens]
    roles = sorted({role_name(request.role) for request in requests} & set(context.role_models))
    if model == context.model:
        roles = []  # it answers too, whatever else it does
    return CostEstimate(
        task=f"{context.task.name} ({', '.join(roles)})" if roles else context.task.name,
        model=model,
        roles=tuple(roles),
        requests=len(requests),
        replayed=len(requests) - len(unpaid),
        tokens=sum(tokens, Tokens()),
        cost=_total(dollars, full),
        cost_with_cache=_total(dollars, cached) if price is not None and price.cached_input is not None else None,
        cost_in_batch=None if model.batch_discount is None else _total(in_batch, full),
        unpaid_cost=_total(dollars, [Usage(t.input, t.output) for t in unpaid]),
        sources=tuple(counts.sources()),
    )


def _total(cost: Cost, usages: Sequence[Usage]) -> float | None:
    """Request by request, since the price of a token may depend on the length of the prompt."""
    costs = [cost(usage) for usage in usages]
    known = [dollars for dollars in costs if dollars is not None]
    return fsum(known) if len(known) == len(costs) else None


def _warnings(others: int, guessed: int, broken: int, uncounted: int, unseen: int) -> list[str]:
    found = []
    if others:
        found.append(
            f"{others} of the requests to send have a recording of another call (the prompt, the data, a parameter "
            "changed since): --record-mode once refuses these, new_episodes sends them"
        )
    if guessed:
        found.append(f"{guessed} requests depend on answers that are not known; others stood in for them")
    if broken:
        found.append(f"{broken} conversations do not get past an empty answer; what they ask after it is not counted")
    if uncounted:
        found.append(f"{uncounted} requests show or make media, whose tokens are not counted: they cost more than this")
    if unseen:
        found.append(
            f"{unseen} conversations go on about pictures that are not made yet; what judges are asked is not counted"
        )
    return found


class TokenCounts:
    """The tokens of requests: as recorded, else approximated from what is known.

    Args:
        run: The run, whose models' recordings may tell how long answers are.
        context: What the requests are made with.
        requests: All requests of the task and model.
    """

    def __init__(self, run: Run, context: TaskContext, requests: Sequence[EstimatedRequest]) -> None:
        self._measured_input = [r for r in requests if r.recorded and r.recorded.input_tokens]
        self._guessed_input = len(requests) - len(self._measured_input)
        tokens = sum(r.recorded.input_tokens or 0 for r in self._measured_input if r.recorded)
        characters = sum(r.characters for r in self._measured_input)
        self._per_token = characters / tokens if characters and tokens else CHARACTERS_PER_TOKEN
        unknown = [r for r in requests if r.recorded is None or r.recorded.output_tokens is None]
        self._guessed_output = Counter(r.role for r in unknown)
        self._mean: dict[str, float] = {}
        self._mean_from: dict[str, str] = {}
        roles = list(self._guessed_output)
        own = output_tokens(_recorded(context.cassette, context, context.model)) if roles else {}
        foreign = _recorded_of_others(run, context) if set(roles) - set(own) else {}
        for role in roles:
            if role in own:
                self._mean[role], whose = fmean(own[role]), f"mean of {len(own[role])} recordings of this model"
            elif role in foreign:
                whose = f"mean of {len(foreign[role])} recordings of other models; one that thinks aloud writes more"
                self._mean[role] = fmean(foreign[role])
            else:
                self._mean[role], whose = ASSUMED_OUTPUT_TOKENS, "assumed, nothing is recorded"
            if any(r.longest is not None and r.longest < self._mean[role] for r in unknown if r.role == role):
                whose += "; less where max_tokens is less"
            self._mean_from[role] = whose

    def of(self, request: EstimatedRequest) -> Tokens:
        """The tokens of one request."""
        recorded = request.recorded or Usage()
        read = recorded.input_tokens
        if read is None:
            read = approximate_tokens(request.characters, self._per_token)
        written = recorded.output_tokens
        if written is None:
            written = round(self._mean[request.role])
            written = written if request.longest is None else min(written, request.longest)
        shared = int(read * request.shared / request.characters) if request.characters else 0
        return Tokens(read, written, shared // CACHE_BLOCK * CACHE_BLOCK if shared >= CACHED_FROM else 0)

    def sources(self) -> list[str]:
        """Where the numbers come from."""
        found = []
        if self._measured_input:
            found.append(f"{len(self._measured_input)} requests: recorded usage of exactly this call")
        if self._guessed_input:
            factor = f"as in the {len(self._measured_input)} recorded requests" if self._measured_input else "assumed"
            found.append(
                f"input of {self._guessed_input} requests: the filled prompt's length at {self._per_token:.2f} "
                f"characters per token ({factor})"
            )
        for role, mean in self._mean.items():
            found.append(
                f"output of {self._guessed_output[role]} {role!r} requests: {round(mean)} tokens each "
                f"({self._mean_from[role]})"
            )
        return found


def _recorded(cassette: Cassette, context: TaskContext, model: Model) -> list[tuple[str, Reply]]:
    """The roles and replies in a cassette of *model*."""
    return [
        (role, read_reply(context.role_models.get(role_name(role), model).api, recording.body))
        for recording in cassette
        for role in [recording.call_id.role]
    ]


def _recorded_of_others(run: Run, context: TaskContext) -> dict[str, list[int]]:
    """Output tokens, by role, of this task's recordings of other registered models."""
    found: list[tuple[str, Reply]] = []
    for model in run.registry.models:
        file = context.cassette.file.with_name(f"{model.file_name}.jsonl")
        if file != context.cassette.file and file.exists():
            try:
                found += _recorded(Cassette(file), context, model)
            except DataError:
                continue  # a run with that model says what is wrong with the file
    return output_tokens(found)
