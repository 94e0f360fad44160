"""Make docs/reference/fields.md from the types of what a run writes: ``python -m scripts.fields_page``."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from proctor.report.fields import ReportFields
from proctor.results.manifest import Manifest
from proctor.results.row import ResultRow
from proctor.results.run_info import RunFields
from proctor.statistics.tidy import MetricColumns, ScoreColumns, WideColumns

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "fields.md"
FILES: Mapping[str, type] = {
    "selection.json": Manifest,
    "results.jsonl, a line": ResultRow,
    "report.json": ReportFields,
}
TABLES: Mapping[str, type] = {"metrics": MetricColumns, "cases": WideColumns, "scores": ScoreColumns}
TOLD_APART: Mapping[type, Mapping[str, Any]] = {Manifest: {"run": RunFields}}
"""What some fields hold, where the program's own type is a wider one."""
WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", type(None): "null", Any: "any"}
HEAD = """# Every field

This page is made from the program's types by `python -m scripts.fields_page`; a test sees to it that it is current.

*Optional* fields are there where they apply. A reader should pass over fields that it does not know.
"""
PROMPTS = """## prompts.jsonl, a line

The prompts that were asked, each once: `benchmark`, `task`, `sample_id`; `sha256`, a row's `prompt_sha256`, or
null; and `pieces`, a list of texts, and of media as `kind`, `path` and `sha256`.
"""
TABLES_HEAD = """## Tables

`proctor.read_runs("reports/*").to_pandas(TABLE)` has these columns; so have the files of `proctor export --format csv`.
"""


def fields_of(kind: type) -> dict[str, tuple[Any, bool]]:
    """The fields of a typed dict or dataclass: what each holds, and whether it may be missing."""
    found = {}
    for name, held in {**get_type_hints(kind, include_extras=True), **TOLD_APART.get(kind, {})}.items():
        optional = get_origin(held) is NotRequired
        found[name] = (get_args(held)[0] if optional else held, optional)
    return found


def meanings(kind: type) -> dict[str, str]:
    """What the docstring of a type says of its fields, and those of the types in its module that it extends."""
    found: dict[str, str] = {}
    names = kind.__annotations__.keys()
    same = [one for one in vars(sys.modules[kind.__module__]).values() if is_record(one) and isinstance(one, type)]
    for base in [*(one for one in same if one.__annotations__.keys() < names), kind]:
        text = cleandoc(base.__doc__ or "").partition("Args:\n")[2]
        for name, said in re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE):
            found[name] = re.sub(r"\s+", " ", said)
    return found


def is_record(held: Any) -> bool:
    """Whether a type has fields of its own."""
    return is_typeddict(held) or is_dataclass(held)


def parts(held: Any) -> Iterator[type]:
    """The types with fields that something consists of."""
    if is_record(held):
        yield held
    for part in get_args(held):
        yield from parts(part)


def words(held: Any) -> str:
    """What a field holds."""
    origin, inside = get_origin(held), get_args(held)
    if is_record(held):
        return f"[{title(held)}](#{title(held)})"
    if origin in (Union, types.UnionType):
        return " or ".join(words(part) for part in inside)
    if origin is Literal:
        return "text"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"object of {words(inside[1])}"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return f"list of {words(inside[0])}"
    return WORDS[held]


def title(kind: type) -> str:
    """What a type is called on the page."""
    name = re.sub("Fields$", "", kind.__name__).replace("Manifest", "Selected")
    return re.sub("(?<=[a-z])(?=[A-Z])", "-", name).lower()


def section(kind: type, heading: str) -> Iterator[str]:
    """The table of a type's fields, and what it says of itself."""
    yield heading
    yield _marked(cleandoc(kind.__doc__ or "").partition("\n\nArgs:")[0])
    told = meanings(kind)
    rows = ["| field | holds | |", "|---|---|---|"]
    for name, (held, optional) in fields_of(kind).items():
        if name not in told:
            sys.exit(f"{kind.__module__}.{kind.__name__}: the docstring does not say what {name} is")
        rows.append(f"| `{name}` | {words(held)}{', *optional*' if optional else ''} | {_marked(told[name])} |")
    yield "\n".join(rows)


def _marked(text: str) -> str:
    text = re.sub(r"; see `[\w.]+`", "", re.sub(r"\s*\n\s*", " ", text))
    return re.sub(r"`+([^`]+)`+", r"`\1`", text).replace("``", "`").replace("`None`", "null")


def page() -> str:
    """The whole page."""
    said = [HEAD.rstrip()]
    seen: set[type] = set()
    for name, kind in FILES.items():
        said += section(kind, f"## {name}")
        waiting = [part for held, _ in fields_of(kind).values() for part in parts(held)]
        while waiting:
            one = waiting.pop(0)
            if one not in seen:
                seen.add(one)
                said += section(one, f"### {title(one)}")
                waiting = [part for held, _ in fields_of(one).values() for part in parts(held)] + waiting
    said += [PROMPTS.rstrip(), TABLES_HEAD.rstrip()]
    for name, kind in TABLES.items():
        said += section(kind, f"### The table {name}")
    return "\n\n".join(said) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
