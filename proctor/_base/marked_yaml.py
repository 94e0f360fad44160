"""YAML whose every value knows its line, so that a mistake in a file the user wrote can be named exactly."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from proctor._base.errors import DataError
from proctor._base.files import content_of
from proctor._base.json_values import Json

if TYPE_CHECKING:
    import yaml

LARGEST = 1_000_000
"""Bytes of a file; the registry that ships has 20,000."""
DEPTH = 20
"""Nesting that no honest file reaches; an alias that contains itself does."""
MOST_VALUES = 50_000
"""Values, each alias counted with all that it stands for."""
LONGEST = 200
"""Characters of a key, and of a value that is no text: reading the number 1:1:1:… takes time by the square of these."""


def nearest(word: str, known: Iterable[str]) -> str:
    """``did you mean 'x'?`` for the word of *known* most like *word*, else the empty string."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {found[0]!r}?" if found else ""


@dataclass(frozen=True)
class Marked:
    """A value of a YAML file and where it stands.

    Args:
        value: A scalar, a list of ``Marked``, or a dict of text to ``Marked``.
        file: The file.
        line: Its line, from 1.
        path: The field path from the top, such as ``models.mine.price.input``; empty at the top.
        key_line: Where the key of this value stands, which may be an earlier line.
    """

    value: object
    file: Path
    line: int
    path: str
    key_line: int

    def fail(self, problem: str, remedy: str = "") -> NoReturn:
        """Raise a :class:`DataError` that names this value and its place.

        Args:
            problem: What is wrong.
            remedy: What to do about it.
        """
        shown = {"value": self.value} if self._is_scalar else {}
        raise DataError(problem, file=self.file, line=self.line, field=self.path or None, remedy=remedy, **shown)

    def fail_key(self, problem: str, remedy: str = "") -> NoReturn:
        """Raise a :class:`DataError` that names this value's key and the key's line.

        Args:
            problem: What is wrong.
            remedy: What to do about it.
        """
        raise DataError(problem, file=self.file, line=self.key_line, field=self.path or None, remedy=remedy)

    @property
    def _is_scalar(self) -> bool:
        return not isinstance(self.value, (list, dict))

    @property
    def kind(self) -> str:
        """What the value is, in the words of a message."""
        names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list"}
        if self.value is None:
            return "nothing"
        return names.get(type(self.value), "a mapping" if isinstance(self.value, dict) else type(self.value).__name__)

    def mapping(self) -> dict[str, Marked]:
        """The value as a mapping; nothing at all counts as an empty one.

        Raises:
            DataError: If it is something else.
        """
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.fail(f"expected a mapping (key: value), not {self.kind}")
        return self.value

    def fields(self, known: Iterable[str], needed: Iterable[str] = ()) -> dict[str, Marked]:
        """The value as a mapping that has the *needed* keys and no key outside *known*.

        Raises:
            DataError: If it has not.
        """
        known, items = list(known), self.mapping()
        for name, item in items.items():
            if name not in known:
                item.fail_key("unknown key", nearest(name, known) or f"known keys: {', '.join(known)}")
        for name in needed:
            if name not in items:
                self.fail_key(f"{name!r} is missing", f"add a line {name}: …")
        return items

    def items(self) -> list[Marked]:
        """The value as a list.

        Raises:
            DataError: If it is something else.
        """
        if not isinstance(self.value, list):
            self.fail(f"expected a list such as [a, b], not {self.kind}")
        return self.value

    def text(self) -> str:
        """The value as text that is not empty.

        Raises:
            DataError: If it is something else.
        """
        if not isinstance(self.value, str):
            self.fail(f"expected text, not {self.kind}", "put it in quotes" if self.value is not None else "")
        if not self.value.strip():
            self.fail("expected text, not an empty string")
        return self.value

    def number(self, *, most: float = float("inf")) -> float:
        """The value as a finite number from 0 to *most*.

        Raises:
            DataError: If it is something else.
        """
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            self.fail(f"expected a number, not {self.kind}")
        if not 0 <= self.value <= most or self.value == float("inf"):
            self.fail("expected a number that is not negative" if most == float("inf") else f"expected 0 to {most:g}")
        return float(self.value)

    def count(self) -> int:
        """The value as a whole number above 0.

        Raises:
            DataError: If it is something else.
        """
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 1:
            self.fail("expected a whole number above 0")
        return self.value

    def day(self) -> date:
        """The value as a date.

        Raises:
            DataError: If it is something else.
        """
        if not isinstance(self.value, date) or isinstance(self.value, datetime):
            self.fail(f"expected a date, not {self.kind}", "write it as 2026-12-31, without quotes")
        return self.value

    def json(self) -> Json:
        """The value without its marks, as JSON could hold it.

        Raises:
            DataError: If JSON has no such value: a date, infinity.
        """
        if isinstance(self.value, dict):
            return {name: item.json() for name, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.json() for item in self.value]
        if isinstance(self.value, float) and not abs(self.value) < float("inf"):
            self.fail("expected a finite number")
        if self.value is not None and not isinstance(self.value, (bool, int, float, str)):
            self.fail(f"expected a JSON value, not {self.kind}", "put it in quotes")
        return self.value

    def words(self) -> list[str]:
        """The value as a list of texts.

        Raises:
            DataError: If it is something else.
        """
        return [item.text() for item in self.items()]


def load(file: Path, *, trusted: bool = False) -> Marked:
    """Read one YAML document.

    Args:
        file: The file.
        trusted: Whether it ships with Proctor, and need not be looked through first for what would take too long.

    Returns:
        Its top value.

    Raises:
        DataError: If the file cannot be read or is not valid YAML, or gives one key twice.
    """
    import yaml

    try:
        if file.stat().st_size > LARGEST:
            raise DataError(f"larger than {LARGEST:,} bytes", file=file)
        text = content_of(file)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=file) from None
    # The C parser is ten times faster; both give the same marks.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        if not trusted:
            _check_size(yaml.parse(text, Loader=type(loader)), file)
        node = loader.get_single_node()
        return Marked(None, file, 1, "", 1) if node is None else _marked(loader, node, file, "", 1, 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, (error.context, error.problem)))
        raise DataError(f"invalid YAML: {problem}", file=file, line=mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count(b"\n") + 1
        raise DataError(f"invalid YAML: {error.reason}", file=file, line=line, remedy="save it as UTF-8") from None
    except ValueError as error:  # such as the date 2025-02-30, which YAML reads as a timestamp
        raise DataError(f"invalid YAML: {error}", file=file, remedy="put dates in quotes") from None
    finally:
        loader.dispose()


def _check_size(events: Iterable[yaml.Event], file: Path) -> None:
    """Raise for what would take more time, or memory, to read than an honest file has reason to.

    Aliases make a short file long: what one stands for is counted each time. In an anchor of its own an alias would
    have no end.
    """
    import yaml

    sizes: dict[str, int] = {}  # of what has an anchor; 0 while that is open
    opened: list[tuple[str | None, int]] = []
    values = 0
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            anchor, before = opened.pop()
            if anchor is not None:
                sizes[anchor] = values - before
            continue
        if isinstance(event, yaml.AliasEvent):
            size = sizes.get(event.anchor or "", 1)  # the loader says if there is no such anchor
            if not size:
                raise DataError(f"the alias *{event.anchor} contains itself", file=file, line=line)
            values += size
        elif isinstance(event, yaml.NodeEvent):
            values += 1
            if isinstance(event, yaml.ScalarEvent):
                if event.anchor is not None:
                    sizes[event.anchor] = 1
            else:
                opened.append((event.anchor, values - 1))
                if event.anchor is not None:
                    sizes[event.anchor] = 0
        if len(opened) > DEPTH:
            raise DataError("nested too deeply", file=file, line=line)
        if values > MOST_VALUES:
            raise DataError(f"more than {MOST_VALUES:,} values, what aliases stand for included", file=file, line=line)


def _marked(loader: yaml.SafeLoader, node: yaml.Node, file: Path, path: str, key_line: int, depth: int) -> Marked:
    import yaml

    line = node.start_mark.line + 1
    if depth > DEPTH:
        raise DataError("nested too deeply", file=file, line=line, field=path)
    value: object
    if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
        value = dict(_pairs(loader, node, file, path, depth))
    elif isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
        value = [
            _marked(loader, item, file, f"{path}[{index}]", item.start_mark.line + 1, depth + 1)
            for index, item in enumerate(node.value)
        ]
    elif isinstance(node, yaml.ScalarNode):
        if len(node.value) > LONGEST and node.tag != "tag:yaml.org,2002:str":
            raise DataError(f"longer than {LONGEST} characters, and no text", file=file, line=line, field=path or None)
        value = loader.construct_object(node)
    else:
        raise DataError(f"tag {node.tag!r} is not allowed", file=file, line=line, field=path or None)
    return Marked(value, file, line, path, key_line)


def _pairs(
    loader: yaml.SafeLoader, node: yaml.MappingNode, file: Path, path: str, depth: int
) -> Iterator[tuple[str, Marked]]:
    import yaml

    seen: set[str] = set()
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if len(key_node.value) > LONGEST:
            raise DataError(f"a key is longer than {LONGEST} characters", file=file, line=line, field=path or None)
        key = loader.construct_object(key_node) if isinstance(key_node, yaml.ScalarNode) else key_node.value
        if not isinstance(key, str):
            raise DataError("a key must be text", file=file, line=line, field=path or None, value=key)
        if key in seen:
            raise DataError(
                "this key was given before",
                file=file,
                line=line,
                field=f"{path}.{key}" if path else key,
                remedy="keep one",
            )
        seen.add(key)
        yield key, _marked(loader, value_node, file, f"{path}.{key}" if path else key, line, depth + 1)
