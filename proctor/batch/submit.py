"""``proctor batch submit``: hand over what the selected cases wait for, and never the same call twice."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from proctor._base.errors import DataError, UsageError
from proctor._base.http import without_account
from proctor.batch.pending import PendingCall, PendingCalls
from proctor.batch.state import Batch, Batches, SentCall
from proctor.media.generated import without_media
from proctor.models.lifecycle import today
from proctor.providers.batch.protocol import BatchApi, connect_batches, encoded_call
from proctor.recordings.cassette import Cassette
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.models.registry import Model, Registry

NOT_ACCEPTED = frozenset({"rejected", "authentication", "unknown_model", "quota", "rate_limit"})
"""Kinds of failure in which the provider says that it did not take the batch; after the others nobody knows."""

Say = Callable[[str], None]


def submit(waiting: PendingCalls, batches: Batches, registry: Registry, *, say: Say) -> int:
    """Hand over the calls that are in no batch yet.

    Args:
        waiting: What the selected cases wait for.
        batches: What was handed over before.
        registry: The model registry.
        say: Tells the user what happens, a line at a time.

    Returns:
        How many calls could not be handed over.

    Raises:
        UsageError: If no model has a batch API, or a key is missing; nothing was handed over then.
    """
    groups: dict[Model, list[PendingCall]] = {}
    for call in waiting.calls:
        groups.setdefault(call.model, []).append(call)
    for model in groups:
        if model.lifecycle.has_ended(today()):
            raise UsageError(
                f"{model.name} was shut down on {model.lifecycle.shutdown}{model.lifecycle.instead}",
                remedy="Name another model; what is recorded replays all the same.",
            )
    without = [model for model in groups if not _has_batches(model, registry)]
    if len(without) == len(groups):
        raise UsageError(
            f"no batch API is known for {', '.join(f'{model.name} ({model.provider})' for model in without)}",
            remedy="Ask live: pytest … --record-mode new_episodes. A provider that has one needs a batch_discount in "
            "models.yaml.",
        )
    for model in without:
        say(f"{model.name} ({model.provider}): no batch API is known; {len(groups.pop(model))} calls are left out")
    apis = {model: connect_batches(model) for model in groups}
    failed = 0
    try:
        with batches.held():
            _settle_doubts(batches, registry, say)
            on_the_way = {name for batch in batches.all() if batch.ended is None for name in batch.calls}
            for model, calls in groups.items():
                new = [call for call in calls if call.custom_id not in on_the_way]
                if len(new) < len(calls):
                    say(f"{model.name}: {len(calls) - len(new)} calls are on their way already")
                failed += _submit_to(model, apis[model], _still_waiting(new, batches), waiting, batches, say)
    finally:
        for api in apis.values():
            api.close()
    return failed


def _has_batches(model: Model, registry: Registry) -> bool:
    """Whether the model's provider has a batch API, and the model can be found by its name when answers are fetched.

    One whose endpoint is given by the variables of a role cannot.
    """
    try:
        return model.batch_discount is not None and registry.resolve(model.name) == model
    except UsageError:
        return False


def _still_waiting(calls: Sequence[PendingCall], batches: Batches) -> list[PendingCall]:
    """Those of the calls that nobody has fetched an answer for since it was found out that they wait."""
    cassettes = {name: Cassette(batches.root / name, repair=True) for name in {call.cassette for call in calls}}
    return [call for call in calls if cassettes[call.cassette].find(call.call_id, call.call.key) is None]


def _settle_doubts(batches: Batches, registry: Registry, say: Say) -> None:
    for batch in batches.all():
        if batch.ended is None and batch.batch_id is None:
            try:
                _, api = reach(batch, registry)
                with closing(api):
                    settle_doubt(batch, api, batches, say=say)
            except (CallFailed, UsageError) as problem:  # its calls count as on their way
                say(f"{batch.model}: whether batch {batch.mark} was handed over is still not known: {problem}")


def reach(batch: Batch, registry: Registry) -> tuple[Model, BatchApi]:
    """The model of a batch, and the batch API that it was given to.

    Raises:
        UsageError: If the model or its key is not known any more, or is at another endpoint now: that one would say
            that there is no such batch.
    """
    model = registry.resolve(batch.model)
    api = connect_batches(model)
    now = without_account(api.uri)
    if now != batch.uri:
        api.close()
        raise UsageError(
            f"it was prepared for {batch.uri}, but {model.name} is asked at {now} now",
            remedy="Give models.yaml and the environment the endpoint of then, and the same command again.",
        )
    return model, api


def settle_doubt(batch: Batch, api: BatchApi, batches: Batches, *, say: Say) -> Batch | None:
    """Find out whether a batch was handed over, if a killed run or a lost connection left that open.

    Args:
        batch: The batch.
        api: The API that it would have been handed to.
        batches: All batches of the project; they take up what is found out.
        say: Tells the user.

    Returns:
        The batch with the provider's name; ``None`` if it was not handed over, and is forgotten.

    Raises:
        CallFailed: If that is still not known.
    """
    if batch.batch_id is not None:
        return batch
    others = {other.batch_id for other in batches.all() if other.batch_id is not None}
    since = datetime.fromisoformat(batch.prepared_at)
    found = api.find(batch.mark, batch.calls.keys(), since=since, known=others)
    if found is None:
        say(f"{batch.model}: batch {batch.mark} was prepared but never handed over; it is forgotten")
        batches.forget(batch)
        return None
    say(f"{batch.model}: batch {batch.mark} was handed over as {found}, though its command did not live to see that")
    claimed = replace(batch, batch_id=found)
    batches.save(claimed)
    return claimed


def _submit_to(
    model: Model, api: BatchApi, calls: Sequence[PendingCall], waiting: PendingCalls, batches: Batches, say: Say
) -> int:
    failed = 0
    for part in _parts(api, calls):
        if part.problem:
            say(f"{model.name}: {part.problem}")
            failed += 1
            continue
        batch = _prepared(model, api, part, waiting)
        batches.save(batch)  # before the request that may be paid for
        try:
            batch_id = api.submit(part.lines, batch.mark)
        except CallFailed as problem:
            failed += len(part.lines)
            if problem.kind in NOT_ACCEPTED:
                batches.forget(batch)
                say(f"{model.name}: {len(part.lines)} calls were not accepted: {problem}")
            else:
                say(
                    f"{model.name}: whether {len(part.lines)} calls were accepted is not known: {problem}\n"
                    "  The next proctor batch command finds out."
                )
            continue
        batches.save(replace(batch, batch_id=batch_id))
        say(f"{model.name}: {len(part.lines)} calls handed over as {batch_id}")
    return failed


class _Part:
    """As many calls as one batch may hold; *problem* says of a call why none can hold it."""

    def __init__(self, problem: str = "") -> None:
        self.calls: list[PendingCall] = []
        self.lines: list[bytes] = []
        self.size = 0
        self.problem = problem


def _parts(api: BatchApi, calls: Sequence[PendingCall]) -> Iterator[_Part]:
    part = _Part()
    for call in calls:
        try:
            line = api.line(call.custom_id, call.call)
        except DataError as problem:  # a medium that cannot be shown costs its own call alone
            yield _Part(f"a call of {call.call_id.sample} cannot be made: {problem}")
            continue
        if len(line) > api.most_bytes:
            yield _Part(f"a call of {call.call_id.sample} is longer than a whole batch may be")
            continue
        if len(part.lines) == api.most_requests or part.size + len(line) > api.most_bytes:
            yield part
            part = _Part()
        part.calls.append(call)
        part.lines.append(line)
        part.size += len(line)
    if part.lines:
        yield part


def _prepared(model: Model, api: BatchApi, part: _Part, waiting: PendingCalls) -> Batch:
    now = datetime.now(UTC)
    return Batch(
        mark=f"{now:%Y%m%dT%H%M%S.%fZ}-{secrets.token_hex(4)}",
        model=model.name,
        uri=without_account(api.uri),
        prepared_at=now.isoformat(timespec="seconds"),
        calls={
            call.custom_id: SentCall(
                call_id=call.call_id,
                key=call.call.key,
                origin=call.origin.fields,
                cassette=call.cassette,
                prompt=without_media(encoded_call(api.body(call.call)).decode()) if waiting.whole_prompts else None,
            )
            for call in part.calls
        },
    )
