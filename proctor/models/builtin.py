"""The built-in models: an oracle, chance, and always the same answer; and what judges them."""

from __future__ import annotations

from proctor.models.registry import RESERVED_NAMES, Model, Price

API = "builtin"


STAND_IN = "stand-in"


def builtin_model(name: str) -> Model | None:
    """The built-in model of that name, or ``None``."""
    if name not in RESERVED_NAMES:
        return None
    return _model(name)


def stand_in() -> Model:
    """What judges a built-in model, in the place of every other model."""
    return _model(STAND_IN)


def _model(name: str) -> Model:
    return Model(name=name, provider=API, api=API, api_id=name, price=Price(input=0.0, output=0.0))
