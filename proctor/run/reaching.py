"""Finds out whether the endpoints that a run needs are there, before anything is paid for."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from proctor._base.errors import UsageError
from proctor._base.http import host_of
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.run.run import Run

ANSWERS = "answers"
"""What the model under test is asked for; others are asked for what their role is called."""

PAUSES = (0.5, 0.0)  # seconds after each vain attempt to reach an endpoint


def asks(asked: Mapping[Model, Sequence[str]]) -> list[str]:
    """Whom a run is going to ask, where, and what for."""
    return [
        f"asks {model.name} at {', '.join(map(host_of, model.urls()))}: {', '.join(uses)}"
        for model, uses in asked.items()
    ]


def reach(run: Run, asked: Mapping[Model, Sequence[str]]) -> list[str]:
    """Find out whether the endpoints of all models are there, each with what the model is asked for.

    Returns:
        Which addresses are not there, of models that have others.

    Raises:
        UsageError: For the first that is not, with its address.
    """
    first = {(model.urls(), model.key()): model for model in reversed(list(asked))}.values()
    with ThreadPoolExecutor(max(1, len(first)), thread_name_prefix="proctor-reach") as pool:
        found = list(pool.map(partial(_unreachable, run), first))
    missing = []
    for model, problem in zip(first, found, strict=True):
        if not isinstance(problem, CallFailed):
            missing += [f"{model.name} goes on without {address}" for address in problem]
        else:
            variable = f" ({model.base_url_env} gives the address)" if model.base_url_env else ""
            other = " or --role" if any(not use.startswith(ANSWERS) for use in asked[model]) else ""
            raise UsageError(
                f"{model.name} ({', '.join(asked[model])}) cannot be asked: {problem}",
                remedy=f"Start it, or correct its address or key{variable}; or name another with --model{other}.",
            )
    return missing


def _unreachable(run: Run, model: Model) -> CallFailed | Sequence[str]:
    """Why a model's endpoint is not there; or else which of its addresses are not."""
    for pause in PAUSES:
        try:
            return run.live.reach(model)
        except CallFailed as failure:
            problem = failure
            time.sleep(pause)
    return problem
