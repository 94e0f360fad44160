"""Which model plays a role: a benchmark prescribes one, and the run's configuration may name another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from proctor._base.errors import UsageError
from proctor.models.lifecycle import Lifecycle
from proctor.models.registry import Model, Registry
from proctor.tasks.judge import Role
from proctor.tasks.names import FULL_NAME
from proctor.tasks.task import Task

COMPATIBLE = "openai-chat"
"""What an endpoint speaks that is given by variables, as all of its kind do."""


def read_roles(texts: Iterable[str]) -> dict[tuple[str, str], str]:
    """What ``--role [BENCH/TASK:]ROLE=MODEL`` says: by task (empty for all) and role, the name of the model.

    Raises:
        UsageError: For anything else.
    """
    roles = {}
    for text in texts:
        where, equals, model = text.partition("=")
        task, _, role = where.rpartition(":")
        if not equals or not model or not role.isidentifier() or (task and not re.fullmatch(FULL_NAME, task)):
            raise UsageError(
                f"--role {text}: not a role and a model",
                remedy="Write --role ROLE=MODEL, or --role BENCH/TASK:ROLE=MODEL for one task.",
            )
        roles[task, role] = model
    return roles


def check_roles(roles: Mapping[tuple[str, str], str], tasks: Iterable[Task]) -> None:
    """Raise a `UsageError` for a role that none of these tasks has."""
    tasks = list(tasks)
    known = sorted({(task.name, role) for task in tasks for role in task.roles})
    for task, role in roles:
        if not any(role == other and task in ("", name) for name, other in known):
            listed = ", ".join(f"{name}:{other}" for name, other in known) or "none"
            where = f"{task}:{role}" if task else role
            raise UsageError(f"--role {where}: no collected task has that role", remedy=f"Roles: {listed}.")


def role_model(
    task: str,
    name: str,
    role: Role,
    registry: Registry,
    chosen: Mapping[tuple[str, str], str],
    environ: Mapping[str, str],
    *,
    recorded: str | None = None,
) -> Model:
    """The model that plays a role.

    Named, in this order, by the command line, the role's variable, models.yaml, the recordings, and the benchmark.
    Where the role's variables give an endpoint, a model that is not named on the command line is asked there, under its
    name as given.

    Args:
        task: The task's name, ``benchmark/task``.
        name: The role.
        role: What the task says about the role.
        registry: The model registry.
        chosen: What the command line names; see `read_roles`.
        environ: The environment.
        recorded: API id of the model that plays the role in recordings that are to be replayed.

    Raises:
        UsageError: If the model is not known, or the endpoint is none.
    """
    by_hand = chosen.get((task, name)) or chosen.get(("", name))
    if by_hand:
        return registry.resolve(by_hand)
    by_variable = environ.get(role.model_variable or "", "").strip()
    endpoint = next((variable for variable in role.base_url_variables if environ.get(variable, "").strip()), None)
    wanted = by_variable or registry.roles.get((task, name)) or role.model
    if endpoint is None:
        named = by_variable or (task, name) in registry.roles
        return (None if named or recorded is None else _known(registry, recorded)) or registry.resolve(wanted)
    key = next((variable for variable in role.key_variables if environ.get(variable, "").strip()), None)
    known = _known(registry, wanted) or Model(name=wanted, provider="", api=COMPATIBLE, api_id=wanted)
    moved = replace(
        known,
        provider="compatible",
        api=COMPATIBLE,
        api_id=wanted,
        base_urls=(),
        base_url_env=endpoint,
        headers={},
        query={},
        key_env=key or (role.key_variables[0] if role.key_variables else None),
        required={},
        lifecycle=Lifecycle(),  # which is that of its provider
        media=known.media if known.api == COMPATIBLE and known.provider else registry.media[COMPATIBLE],
    )
    moved.url(environ)
    return moved


def _known(registry: Registry, name: str) -> Model | None:
    try:
        return registry.resolve(name)
    except UsageError:
        return None
