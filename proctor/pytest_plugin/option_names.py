"""The names of Proctor's options: ``--proctor-model`` always, ``--model`` unless another plugin has such an option.

pytest ends with an error if two plugins declare an option of one name, and the first one to come is not at fault more
than the second. Proctor is a guest in a project, so its short names are added when all others have had their turn.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator

import pytest

from proctor.pytest_plugin.internals import options_by_name

PREFIX = "proctor"


def long_name(name: str) -> str:
    """The name of an option that is Proctor's in any project, such as ``--proctor-limit`` for ``--limit``."""
    return f"--{PREFIX}-{name.removeprefix('--')}"


def destination(name: str) -> str:
    """Where pytest keeps an option's value; no other plugin's option is kept there."""
    return f"{PREFIX}_{name.removeprefix('--')}".replace("-", "_")


def claim_short_names(parser: pytest.Parser) -> None:
    """Let each of Proctor's options have its short name as well, unless that is taken."""
    known = options_by_name(parser)
    for short, action in _options(parser):
        if known.setdefault(short, action) is action:
            action.option_strings = [short]  # by which --help and messages call it; both are understood


def release_short_names(parser: pytest.Parser) -> None:
    """Take the short names back, so that others may declare them."""
    known = options_by_name(parser)
    for short, action in _options(parser):
        if known.get(short) is action:
            del known[short]
            action.option_strings = [long_name(short)]


def read_again(config: pytest.Config, parser: pytest.Parser, arguments: list[str]) -> None:
    """Read the command line as far as it is known before conftest.py files are loaded, with the short names.

    pytest has read it without them, and has taken the 5 of ``--limit 5`` for a file: it would look for conftest.py
    files there and not in the folders of ``testpaths``. What cannot be read like that is meant for another plugin's
    options, or is complained about later.
    """
    try:
        known = parser.parse_known_args(arguments, namespace=copy.copy(config.option))
    except pytest.UsageError:
        return
    known.confcutdir = config.known_args_namespace.confcutdir  # found out by pytest after reading
    config.known_args_namespace = known


def _options(parser: pytest.Parser) -> Iterator[tuple[str, argparse.Action]]:
    """Each of Proctor's options, and its short name."""
    start = long_name("")
    for name, action in list(options_by_name(parser).items()):
        if name.startswith(start):
            yield f"--{name.removeprefix(start)}", action
