"""``--max-cost``: what a run may spend on live calls, over all its processes."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor._base.errors import NotAsked, UsageError
from proctor._base.figures import dollars
from proctor._base.files import append_line
from proctor.live.endpoint_client import EndpointClient, LiveResponse, Stopped
from proctor.live.tokens import approximate_tokens, text_of
from proctor.models.prices import cost_of, is_priced
from proctor.models.registry import Model
from proctor.tasks.call import Call, Reply, Unread, Usage

LEDGER = ".spent"
"""The file in a run's folder that holds the cost of each live answer, one a line, while the run goes on."""

WAIT = 0.2  # seconds after which a waiting request looks what other processes have spent meanwhile
ROUNDING = 1e-9  # dollars; a token costs more


class Budget:
    """The money of a run.

    A request is sent while what was spent, and what the requests in flight are expected to cost, stay below the limit;
    the expectation is the mean cost of the answers so far. Until the limit is reached, a request waits instead.

    Args:
        limit: Dollars.
        ledger: The file through which the run's processes know of one another's answers.
        processes: How many processes ask models; each takes the others to have as many requests in flight as itself.
        stop: Ends all waiting.
    """

    def __init__(self, limit: float, *, ledger: Path, processes: int, stop: threading.Event) -> None:
        self.limit = limit
        self._ledger = ledger
        self._processes = processes
        self._stop = stop
        self._changed = threading.Condition()
        self._in_flight = 0
        self._spent = 0.0
        self._answers = 0
        self._read_up_to = 0
        self._unwritten = 0.0

    @property
    def spent(self) -> float:
        """Dollars that the run's live answers cost so far."""
        with self._changed:
            self._read_ledger()
            return self._spent + self._unwritten

    @property
    def reached(self) -> bool:
        """Whether nothing more may be asked."""
        # An answer that could not be entered is unknown to the other processes: nobody could keep to the limit.
        return self.spent >= self.limit - ROUNDING or self._unwritten > 0

    def check(self) -> None:
        """End a case that needs a request when there is no money left: its test is skipped, and has no row.

        Raises:
            NotAsked: If the limit is reached.
        """
        if self.reached:
            raise NotAsked(f"not asked: --max-cost {self.limit:g} is reached")

    @contextmanager
    def request(self) -> Iterator[None]:
        """Around a request: wait for the money it may take, and reserve that until it has landed.

        Raises:
            NotAsked: If the limit is reached.
            Stopped: If the run ends.
        """
        with self._changed:
            while True:
                self.check()
                expected = self._spent / self._answers if self._answers else 0.0
                if self._spent + expected * self._in_flight * self._processes < self.limit - ROUNDING:
                    break
                if self._stop.is_set():
                    raise Stopped("the run was stopped before this call was made")
                self._changed.wait(WAIT)
            self._in_flight += 1
        try:
            yield
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    def pay(self, cost: float) -> None:
        """Enter the cost of an answer."""
        try:
            append_line(self._ledger, f"{cost!r}\n".encode())
        except OSError:
            with self._changed:
                self._unwritten += cost or ROUNDING

    def _read_ledger(self) -> None:
        try:
            with self._ledger.open("rb") as handle:
                handle.seek(self._read_up_to)
                new = handle.read()
        except FileNotFoundError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        self._read_up_to += len(whole)
        costs = [float(line) for line in whole.split()]
        self._spent += math.fsum(costs)
        self._answers += len(costs)


class PaidEndpointClient(EndpointClient):
    """The way to one model, paid from a budget.

    Args:
        budget: The budget.
        model: The model, whose price is known.
        line: Further arguments of `EndpointClient`.
    """

    def __init__(self, budget: Budget, model: Model, **line: Any) -> None:
        budget.check()
        check_price(model)
        super().__init__(model, **line)
        self._budget = budget

    def sending(self) -> AbstractContextManager[None]:
        """See `EndpointClient.sending`: a request is sent when there is money for it.

        Raises:
            NotAsked: If the limit is reached.
            Stopped: If the run ends.
        """
        return self._budget.request()

    def note_answer(self, call: Call, response: LiveResponse) -> None:
        """See `EndpointClient.note_answer`: it is paid for."""
        cost = response.cost_usd
        self._budget.pay(cost if cost is not None else guess(self._model, call, response.reply))

    def note_unread(self, unread: Unread) -> None:
        """See `EndpointClient.note_unread`. Such an answer may have to be paid for as well."""
        cost = self._model.cost(unread.assumed)
        assert cost is not None
        self._budget.pay(cost)

    def check_may_send(self) -> None:
        """See `EndpointClient.check_may_send`. A retry is a request too."""
        super().check_may_send()
        self._budget.check()


def check_price(model: Model) -> None:
    """Raise a `UsageError` if nobody knows what the model costs."""
    if not is_priced(model, datetime.now(UTC)):
        raise UsageError(
            f"--max-cost cannot be kept: no price is known for {model.name}",
            remedy="Add it to models.yaml, in dollars per million tokens:\n"
            f"    models:\n      {model.name.rpartition('/')[2]}:\n        provider: {model.provider}\n"
            f"        api_id: {model.api_id}\n        price: {{input: 0.15, output: 0.60}}",
        )


def guess(model: Model, call: Call, reply: Reply) -> float:
    """What an answer cost of which the provider did not count the tokens: by the length of the texts.

    Args:
        model: Who answered.
        call: What was asked.
        reply: The answer.
    """
    told = reply.usage
    read, written = approximate_tokens(len(text_of(call))), approximate_tokens(len(reply.text))
    usage = Usage(
        read if told.input_tokens is None else told.input_tokens,
        written if told.output_tokens is None else told.output_tokens,
        told.cached_tokens,
    )
    cost = cost_of(model, usage, datetime.now(UTC))
    assert cost is not None
    return cost


def spending_lines(budget: Budget | None, missing: int) -> list[str]:
    """What the end of the terminal output says about the money.

    Args:
        budget: The run's budget, if it has one.
        missing: How many selected cases were not measured.
    """
    if budget is None:
        return []
    spent = f"{dollars(budget.spent)} spent on live calls"
    if not (budget.reached and missing):
        return [f"--max-cost {budget.limit:g}: {spent}"]
    return [f"--max-cost {budget.limit:g} reached: {spent}, {missing} cases not run. A next run continues with them."]
