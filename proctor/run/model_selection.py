"""Which models a run measures: those that are named, or those whose responses are provided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from proctor._base.errors import UsageError
from proctor.models.builtin import builtin_model
from proctor.models.registry import Model, Registry
from proctor.run.options import Options


def models_to_measure(options: Options, registry: Callable[[], Registry]) -> tuple[Model, ...]:
    """The models to measure, each once, in the order given.

    Args:
        options: What the user asked for.
        registry: Loads the model registry; built-in models need none.

    Raises:
        UsageError: If none is given, or one is not known.
    """
    if options.responses is not None:
        from proctor.conversations.responses import models_in

        names = models_in(options.responses)
        answered = [_answered_elsewhere(name, names, registry()) for name in options.models or names]
        return tuple({model.name: model for model in answered}.values())
    if not options.models:
        raise UsageError(
            "no model to ask",
            remedy="Give --model NAME (try --model oracle), or set proctor_model in pytest.ini.",
        )
    found = [builtin_model(name) or registry().resolve(name) for name in options.models]
    return tuple({model.name: model for model in found}.values())


def _answered_elsewhere(name: str, there: Sequence[str], registry: Registry) -> Model:
    """A model whose responses are provided: one of the registry, or one that nothing else is known of.

    It keeps the name as given where that is the name of responses that are *there*: its alias may have others there.
    """
    from proctor.conversations.responses import API

    try:
        found = registry.resolve(name)
    except UsageError:
        return Model(name=name, provider="", api=API, api_id=name)
    return replace(found, name=name) if name in there else found
