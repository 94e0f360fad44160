"""``proctor batch fetch`` and ``status``: what became of what was handed over, and its answers as recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from proctor._base.errors import UsageError
from proctor._base.time_stamps import time_stamp
from proctor.batch.state import Batch, Batches, EndedBatch, SentCall
from proctor.batch.submit import Say, reach, settle_doubt
from proctor.live.endpoint_client import SHORTEST_SECRET
from proctor.models.endpoint import keys_in_environment
from proctor.models.prices import cost_of
from proctor.providers import read_reply
from proctor.providers.batch.protocol import BatchApi, BatchProgress
from proctor.recordings.cassette import Cassette, compact
from proctor.recordings.leak_detector import Detector
from proctor.recordings.recorder import interaction_of
from proctor.recordings.recording import Recording
from proctor.recordings.secrets import Secrets
from proctor.tasks.call import CallFailed, Usage

if TYPE_CHECKING:
    from proctor.models.registry import Model, Registry

SHOWN_PROBLEMS = 10


@dataclass
class Imported:
    """What a batch brought.

    Args:
        recorded: Names of the calls whose answers are recorded now.
        known: Names of those whose answers were recorded before.
        problems: What is wrong with calls, lines and the batch, in words.
        cassettes: The cassettes that were written to.
    """

    recorded: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    cassettes: dict[str, Cassette] = field(default_factory=dict)


def status(batches: Batches, registry: Registry, *, say: Say) -> int:
    """Say how far each batch is that was not fetched yet; the number of those of which that is not known.

    Args:
        batches: Those of the project.
        registry: The models that can be asked.
        say: Takes a line for the user.
    """

    def told(found: _UnderWay) -> int:
        say(f"{found.shown}{'; fetch it' if found.progress.ended else ''}")
        return 0

    return _of_each(batches, registry, say, told)


def fetch(batches: Batches, registry: Registry, *, say: Say) -> int:
    """Record the answers of the batches that have ended.

    Args:
        batches: Those of the project.
        registry: The models that can be asked.
        say: Takes a line for the user.

    Returns:
        How many calls, lines and batches went wrong.
    """

    def fetched(found: _UnderWay) -> int:
        if found.progress.ended:
            return _fetch_one(found, batches, registry, say)
        say(found.shown)
        return 0

    return _of_each(batches, registry, say, fetched)


class _UnderWay(NamedTuple):
    """A batch that was not fetched yet, and how far it is."""

    batch: Batch
    model: Model
    api: BatchApi
    progress: BatchProgress

    @property
    def shown(self) -> str:
        """The same for the user."""
        return f"{self.batch.model}  {self.batch.batch_id}  {_told(self.progress)}"


def _of_each(batches: Batches, registry: Registry, say: Say, work: Callable[[_UnderWay], int]) -> int:
    """The sum of what *work* makes of each batch that is under way, with 1 for one of which nothing is known."""
    if all(batch.ended for batch in batches.all()):
        say("nothing is on its way")
        return 0
    with batches.held():
        return sum(1 if found is None else work(found) for found in _under_way(batches, registry, say))


def _under_way(batches: Batches, registry: Registry, say: Say) -> Iterator[_UnderWay | None]:
    """The batches that were not fetched yet, with how far they are; ``None`` for one of which that is not known."""
    for doubtful in [batch for batch in batches.all() if batch.ended is None]:
        name = f"{doubtful.model}  {doubtful.batch_id or doubtful.mark}"
        try:
            model, api = reach(doubtful, registry)
        except UsageError as problem:
            say(f"{name}  not known: {problem}")
            yield None
            continue
        with closing(api):
            try:
                batch = settle_doubt(doubtful, api, batches, say=say)
                if batch is None:
                    continue
                assert batch.batch_id is not None
                progress = api.progress(batch.batch_id)
            except CallFailed as problem:
                say(f"{name}  not known: {problem}")
                yield None
            else:
                yield _UnderWay(batch, model, api, progress)


def _told(progress: BatchProgress) -> str:
    counts = [
        f"{count} {what}"
        for count, what in ((progress.answered, "answered"), (progress.failed, "failed"))
        if count is not None
    ]
    of = f" of {progress.total}" if progress.total is not None else ""
    return f"{progress.state}: {', '.join(counts)}{of}" if counts else progress.state


def _fetch_one(found: _UnderWay, batches: Batches, registry: Registry, say: Say) -> int:
    batch, model, api, progress = found
    assert batch.batch_id is not None
    importer = _ResultImporter(batch, model, batches.root, registry)
    brought = importer.brought
    brought.problems += [f"the batch: {problem}" for problem in progress.problems]
    lines = 0
    try:
        for lines, result in enumerate(api.results(batch.batch_id), 1):
            importer.take(api, lines, result)
    except CallFailed as problem:
        say(f"{batch.model}  {batch.batch_id}  not fetched: {problem}; what has come is recorded")
        return 1
    finally:
        for cassette in brought.cassettes.values():
            cassette.sync()
            compact(cassette.file)
    if progress.answered is not None and lines < progress.answered:
        # Cut short, or not there yet; if the batch were let go of, what is missing would be paid for again.
        say(
            f"{batch.model}  {batch.batch_id}  not fetched: of {progress.answered} answers the results have {lines}; "
            "what has come is recorded"
        )
        return 1
    answered = brought.recorded | brought.known
    unanswered = len(batch.calls) - len(answered)
    now = time_stamp(datetime.now(UTC), "seconds")
    batches.end(batch, EndedBatch(now, progress.state, len(brought.recorded), unanswered))
    say(
        f"{batch.model}  {batch.batch_id}  {progress.state}: {len(brought.recorded)} answers recorded"
        + (f", {len(brought.known)} recorded before" if brought.known else "")
        + (f", {unanswered} calls without an answer, which may be submitted again" if unanswered else "")
    )
    for line in brought.problems[:SHOWN_PROBLEMS]:
        say(f"  {line}")
    if len(brought.problems) > SHOWN_PROBLEMS:
        say(f"  … and {len(brought.problems) - SHOWN_PROBLEMS} more")
    return unanswered + len(brought.problems)


class _ResultImporter:
    """Takes in the results of one batch."""

    def __init__(self, batch: Batch, model: Model, root: Path, registry: Registry) -> None:
        keys = keys_in_environment((*registry.models, model))
        self._batch = batch
        self._model = model
        self._root = root
        self._detector = Detector(keys)
        self._secrets = Secrets(keys, shortest=SHORTEST_SECRET)
        self.brought = Imported()

    def take(self, api: BatchApi, number: int, line: bytes) -> None:
        """Record what a line brings, or note what is wrong with it."""
        brought = self.brought
        try:
            result = api.read(line)
        except (ValueError, RecursionError) as problem:
            brought.problems.append(f"line {number} of the results cannot be used: {problem}")
            return
        sent = self._batch.calls.get(result.custom_id)
        if sent is None:
            brought.problems.append(f"line {number} of the results is for a call that was not sent")
            return
        if result.custom_id in brought.recorded | brought.known:
            brought.problems.append(f"{_named(sent)}: a second result, in line {number}, which is not used")
            return
        if result.body is None:
            brought.problems.append(f"{_named(sent)}: {result.error}")
            return
        body = self._secrets.removed_from(result.body)
        try:
            reply = read_reply(self._model.api, body)
        except CallFailed as problem:
            brought.problems.append(f"{_named(sent)}: {self._secrets.removed_from_text(str(problem))}")
            return
        cassette = self._cassette(sent)
        if cassette.find(sent.call_id, sent.key) is not None:
            brought.known.add(result.custom_id)
            return
        try:
            cassette.append(self._recording(sent, body, reply.usage))
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror, str(cassette.file)) from None
        brought.recorded.add(result.custom_id)

    def _cassette(self, sent: SentCall) -> Cassette:
        opened = self.brought.cassettes
        if sent.cassette not in opened:
            opened[sent.cassette] = Cassette(self._root / sent.cassette, repair=True, detector=self._detector)
        return opened[sent.cassette]

    def _recording(self, sent: SentCall, body: bytes, usage: Usage) -> Recording:
        now = datetime.now(UTC)
        return Recording(
            call_id=sent.call_id,
            key=sent.key,
            origin=sent.origin,
            recorded_at=time_stamp(now),
            latency_s=0.0,
            attempts=1,
            interaction=interaction_of(self._batch.uri, sent.prompt, body, self._secrets),
            batch=True,
            cost_usd=cost_of(self._model, usage, now, batch=True),
        )


def _named(sent: SentCall) -> str:
    epoch = f", epoch {sent.call_id.epoch}" if sent.call_id.epoch > 1 else ""
    return f"{sent.call_id.sample} ({sent.call_id.role}{epoch})"
