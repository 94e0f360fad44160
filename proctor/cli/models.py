"""The command ``proctor models``: which there are, what a name means, and what their providers say of them today."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError

DEFAULT_FILE = Path("models.yaml")


def declare_models(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor models``."""
    parser = commands.add_parser(
        "models",
        help="list the models, or say what a name means",
        description="List the models of the registry: those first that are shut down within 90 days, those last that "
        "are. With a NAME (an alias, an API id, provider/api-id), say what it means: provider, address, key, "
        "parameters, price, end. With --check, ask the providers whose keys are set for their own lists, and print "
        "what differs from the registry.",
        epilog="Exit code: 0; 1 if --check found a difference or could not ask; 4 for bad usage.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a model, as --model takes it")
    parser.add_argument("--check", action="store_true", help="compare the registry with the providers' own lists")
    parser.add_argument("--models-file", type=Path, metavar="FILE", help="your own models (default: models.yaml)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(run=_models)


def _models(options: argparse.Namespace) -> int:
    from proctor.models.lifecycle import today
    from proctor.models.listing import as_json, described, table
    from proctor.models.registry import Registry

    file = options.models_file or DEFAULT_FILE
    registry = Registry.load(*([file] if options.models_file or file.exists() else []))
    if options.check:
        if options.name is not None:
            raise UsageError("--check is about all models", remedy="Leave out the name.")
        return _check(registry.models, options.json)
    models = list(registry.models) if options.name is None else [registry.resolve(options.name)]
    if options.json:
        print(json.dumps(as_json(models, today()), indent=1, ensure_ascii=False))
    else:
        print("\n".join(table(models, today()) if options.name is None else described(models[0], today())))
    return 0


def _check(models: Any, in_json: bool) -> int:
    from proctor.models.lifecycle import today
    from proctor.providers.catalogues import compare, with_keys

    asked = with_keys(models)
    if not asked:
        variables = sorted({model.key_env for model in models if model.key_env})
        raise UsageError(
            "no key is set, so that no provider can be asked", remedy=f"Set one of {', '.join(variables)}."
        )
    found = [compare(group, today()) for group in asked]
    if in_json:
        print(json.dumps([one.as_json() for one in found], indent=1, ensure_ascii=False))
    else:
        for one in found:
            print("\n".join(one.lines()))
    return 1 if any(one.problem or one.differences for one in found) else 0
