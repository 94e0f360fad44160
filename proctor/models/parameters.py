"""Which parameters a model is sent: what it refuses is left out, or is an error if somebody asked for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from proctor._base.errors import UsageError
from proctor._base.json_values import Json
from proctor.models.efforts import PARAMETER as EFFORT
from proctor.models.efforts import Effort
from proctor.models.registry_file import EXTRA_BODY, HOW_SHOWN, NOT_PARAMETERS


class TakesParameters(Protocol):
    """A model, as far as its parameters go; see `proctor.models.registry.Model`."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def unsupported(self) -> frozenset[str]:
        """What it refuses."""

    @property
    def required(self) -> Mapping[str, Json]:
        """What it insists on, with the value that is sent where nobody gave one."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What is sent with every call to it."""

    @property
    def effort(self) -> Effort:
        """The levels of effort that it knows."""


def check_parameters(model: TakesParameters, wanted: Mapping[str, Json], overrides: Collection[str]) -> None:
    """Raise a `UsageError` for what is no parameter, and for an override that the model refuses.

    Args:
        model: The model.
        wanted: All parameters, whoever wants them.
        overrides: The names of those that the command line gave.
    """
    extra = wanted.get(EXTRA_BODY, {})
    if not isinstance(extra, Mapping):
        raise UsageError(f"{EXTRA_BODY!r} holds parameters by name, not {extra!r}", remedy='such as {"top_k": 40}')
    for name in (*wanted, *extra):
        if name in NOT_PARAMETERS:
            remedy = "use --epochs to ask each sample several times" if name == "n" else "leave it out"
            raise UsageError(f"{name!r} is not a parameter that can be set", remedy=remedy)
        if name in HOW_SHOWN:
            raise UsageError(
                f"{name!r} is not a parameter: it says how media are shown", remedy="set it under media: in models.yaml"
            )
    if EFFORT in overrides and not model.effort.takes(wanted[EFFORT]):
        levels = ", ".join(model.effort.levels or ())
        raise UsageError(
            f"model {model.name} does not know the effort {wanted[EFFORT]!r}",
            remedy=f"It knows {levels}." if levels else "It is not one that thinks first: leave --effort out.",
        )
    thinking = model.effort.refused(_with_level(model, wanted))
    for name in overrides:
        if name in model.unsupported:
            raise UsageError(f"model {model.name} does not support the parameter {name!r}", remedy="leave it out")
        if name in thinking:
            remedy = "leave it out" + (", or say --effort none" if model.effort.takes("none") else "")
            raise UsageError(f"model {model.name} does not support {name!r} while it thinks", remedy=remedy)


def accepted(model: TakesParameters, wanted: Mapping[str, Json]) -> dict[str, Json]:
    """Those of the wanted parameters that the model does not refuse."""
    level = _with_level(model, wanted)
    refused = model.unsupported | model.effort.refused(level)
    return {name: value for name, value in level.items() if name not in refused}


def refused_defaults(model: TakesParameters, defaults: Mapping[str, Json], overrides: Mapping[str, Json]) -> list[str]:
    """The names of a task's own parameters that the model is not sent, because it refuses them.

    Args:
        model: The model.
        defaults: The task's parameters.
        overrides: Those of the command line.
    """
    wanted = {**model.required, **defaults, **model.parameters, **overrides}
    sent = accepted(model, wanted)
    return [name for name in defaults if name not in sent]


def _with_level(model: TakesParameters, wanted: Mapping[str, Json]) -> dict[str, Json]:
    """The parameters without a level of effort that the model does not know."""
    return {name: value for name, value in wanted.items() if name != EFFORT or model.effort.takes(value)}
