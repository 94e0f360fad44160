"""Quick runs of pytest within this process: what each would import or read anew is read once, before the first."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor._base import marked_yaml
from proctor._base.marked_yaml import Marked
from proctor.models import registry

# pytester forgets what is imported while it runs pytest in this process. These are slow to import again, and tests
# that replace a part of Proctor need to replace it in the module that runs. Prices are imported by a thread, which must
# not be at it while pytester forgets.
for slow in (
    "anthropic",
    "genai_prices.data",
    "httpcore2",
    "hypothesis.strategies",
    "openai.resources.chat",
    "scipy.special",
    "vcr.cassette",
):
    importlib.import_module(slow)
for module in pkgutil.walk_packages(proctor.__path__, "proctor."):
    if module.name != "proctor.__main__":
        importlib.import_module(module.name)

_read = marked_yaml.load
_built_in_models = cache(_read)


def _load(file: Path, *, trusted: bool = False) -> Marked:
    return _built_in_models(file) if file == registry._built_in() else _read(file, trusted=trusted)


# The models that ship, and what is installed, do not change while tests run.
_whole_process = pytest.MonkeyPatch()
_whole_process.setattr(marked_yaml, "load", _load)
_distribution, _distributions = importlib.metadata.distribution, importlib.metadata.distributions
_installed: dict[str, _Installed] = {}


class _Installed:
    """An installed distribution, of which each file is read once."""

    def __init__(self, distribution: importlib.metadata.Distribution) -> None:
        self._distribution = distribution

    def __getattr__(self, name: str) -> Any:
        value = vars(self)[name] = getattr(self._distribution, name)
        return value


def _known(found: importlib.metadata.Distribution) -> _Installed:
    return _installed.setdefault(str(vars(found)["_path"]), _Installed(found))


_whole_process.setattr(importlib.metadata, "distribution", lambda name: _known(_distribution(name)))
_whole_process.setattr(importlib.metadata, "distributions", lambda **context: map(_known, _distributions(**context)))
