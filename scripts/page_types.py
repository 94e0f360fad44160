"""Make the pages' types of report.json from the program's: ``python -m scripts.page_types``."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from proctor.report.fields import ReportFields
from proctor.report.html.document import ASSETS

FILE: Path = ASSETS / "types" / "report.d.ts"
HEAD = "// The types of report.json, made by `python -m scripts.page_types`; a test keeps them current.\n"
NAMES = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}


def declarations() -> str:
    """The file's content: an interface for each typed dict that report.json is made of."""
    found: dict[str, type] = {}
    _take(ReportFields, found)
    return HEAD + "".join(f"\n{_interface(kind)}" for kind in found.values())


def _take(held: Any, found: dict[str, type]) -> None:
    if is_typeddict(held) and held.__name__ not in found:
        found[held.__name__] = held
        for inner in get_type_hints(held).values():
            _take(inner, found)
    for inner in get_args(held):
        _take(inner, found)


def _interface(kind: type) -> str:
    return f"interface {kind.__name__} {{\n" + "".join(f"  {line};\n" for line in _members(kind)) + "}\n"


def _members(kind: type) -> Iterator[str]:
    for name, held in get_type_hints(kind, include_extras=True).items():
        optional = get_origin(held) is NotRequired
        yield f"{name}{'?' if optional else ''}: {_named(get_args(held)[0] if optional else held)}"


def _named(held: Any) -> str:
    """A type as TypeScript writes it."""
    if held in NAMES:
        return NAMES[held]
    if is_typeddict(held):
        name: str = held.__name__
        return name
    origin, parts = get_origin(held), get_args(held)
    if origin in (types.UnionType, Union):
        return " | ".join(map(_named, parts))
    if origin is list:
        inner = _named(parts[0])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if origin is dict:
        return f"Record<{_named(parts[0])}, {_named(parts[1])}>"
    raise TypeError(f"no word for {held}")


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
