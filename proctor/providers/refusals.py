"""Parameters that a model refuses, told from what its provider says to a request that has one."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from proctor.models.efforts import PARAMETER as EFFORT
from proctor.tasks.call import CallFailed

if TYPE_CHECKING:
    from proctor.models.registry import Model
    from proctor.tasks.call import Call

KIND = "parameter"
"""Of a failure that every request with these parameters will have."""

_REFUSED = re.compile(
    r"(?:un|not |n't |no longer )support|deprecated|unknown|unrecogni[sz]ed|unexpected|extra inputs"
    r"|(?:not|only \S+ is) (?:allowed|permitted|available|accepted|possible)"
    r"|(?:cannot|can't|may not|must not) be (?:set|used|specified|given)",
    re.IGNORECASE,
)
_OF_THIS_PROMPT = re.compile(r"context|input tokens|too long|prompt", re.IGNORECASE)
_OF_ITS_CONTENT = re.compile(r"context|too long|prompt|filter|moderat|safety|polic|flagged|surrogates", re.IGNORECASE)
_INSTEAD = re.compile(r"\buse '?`?(\w+)'?`? instead", re.IGNORECASE)


def is_about_this_prompt(failure: CallFailed) -> bool:
    """Whether a provider refuses what one prompt says, or its length, so that others may well be answered."""
    return bool(_OF_ITS_CONTENT.search(str(failure)))


def refused_parameter(failure: CallFailed, call: Call, model: Model) -> str | None:
    """The neutral name of the parameter that a provider refuses, whatever is asked; ``None`` if it says no such thing.

    Args:
        failure: What came of the request.
        call: What was asked.
        model: Who was asked.
    """
    said = str(failure)
    if failure.kind != "rejected" or not _REFUSED.search(said) or _OF_THIS_PROMPT.search(said):
        return None
    names = {model.rename.get(name, name): name for name in call.parameters if name != EFFORT}
    level = call.parameters.get(EFFORT)
    if isinstance(level, str):
        names |= dict.fromkeys((*model.effort.wire(level), EFFORT), EFFORT)
    if failure.parameter is not None:
        return names.get(failure.parameter) or names.get(failure.parameter.partition(".")[0])
    return next((name for wire, name in names.items() if re.search(rf"\b{re.escape(wire)}\b", said)), None)


def remedy(model: Model, failure: CallFailed, overrides: Collection[str]) -> str:
    """What to do about a refused parameter: what to leave out of the command, or the lines to add to models.yaml.

    Args:
        model: The model that refuses it.
        failure: What it said, with the parameter's neutral name.
        overrides: The names of the parameters that the command line gave.
    """
    name = failure.parameter or ""
    if name in overrides:
        option = f"--{name.replace('_', '-')}" if name in ("temperature", "max_tokens", EFFORT) else "--model-param"
        return f"Leave out {option}."
    instead = _INSTEAD.search(str(failure))
    own = model.unsupported if model.has_entry else ()
    line = f"unsupported: [{', '.join(sorted({*own, name}))}]"
    if name == EFFORT:
        line = "effort: {levels: []}"
    elif instead is not None and instead[1] != name:
        line = f"rename: {{{name}: {instead[1]}}}"
    entry = model.name.rpartition("/")[2]
    lines = [
        f"      {entry}:",
        f"        provider: {model.provider}",
        f"        api_id: {model.api_id}",
        f"        {line}",
    ]
    return "\n".join(["Say so in models.yaml, then run the same command again:", "    models:", *lines, ""])
