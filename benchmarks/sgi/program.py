"""Functions in Python programs: found, replaced and emptied by the syntax tree."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence

FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
INDENT = "    "


class NotAProgram(Exception):
    """A text that is no Python program."""


def functions(program: str) -> dict[str, tuple[int, int]]:
    """Where the top-level functions of a program stand: their first and last line, from 1, without decorators.

    Of several definitions of a name the last one is given, which is the one that Python would call.

    Raises:
        NotAProgram: If it does not parse.
    """
    return {node.name: (node.lineno, node.end_lineno or node.lineno) for node in _definitions(program)}


def function(program: str, name: str) -> str | None:
    """The definition of a top-level function, without decorators; ``None`` if the text is no program or lacks it."""
    try:
        place = functions(program).get(name)
    except NotAProgram:
        return None
    return None if place is None else "\n".join(_lines(program)[place[0] - 1 : place[1]])


def with_functions(program: str, definitions: Iterable[tuple[str, str]]) -> str:
    """The program with functions of its own replaced; those that it does not define at top level are left out.

    Args:
        program: A program that parses.
        definitions: Names and definitions.

    Raises:
        NotAProgram: If the program does not parse.
    """
    places = functions(program)
    lines = _lines(program)
    found = [(places[name], text) for name, text in definitions if name in places]
    for (first, last), text in sorted(found, reverse=True):  # from the end, so that the other line numbers stay right
        lines[first - 1 : last] = text.split("\n")
    return "\n".join(lines)


def emptied(program: str, names: Sequence[str]) -> str:
    """The program with the bodies of these functions replaced by ``pass``, their docstrings left."""
    lines = _lines(program)
    for node in reversed(_definitions(program)):
        if node.name in names:
            start = node.body[0].end_lineno if ast.get_docstring(node) is not None else node.body[0].lineno - 1
            lines[start : node.end_lineno] = [f"{INDENT}pass"]
    return "\n".join(lines)


def code_blocks(text: str) -> str:
    """The contents of all fenced code blocks of a text, joined; empty if it has none."""
    return "\n".join(FENCED.findall(text))


def _definitions(program: str) -> list[ast.FunctionDef]:
    """The functions at top level; those that begin with ``async`` are none, as for the published code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as an invalid escape in a string: not our program
        try:
            tree = ast.parse("\n".join(_lines(program)))
            compile(tree, "<program>", "exec")  # finds what the syntax alone does not, as a return outside a function
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:  # what a hostile text can lead to
            raise NotAProgram(str(problem)) from None
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _lines(program: str) -> list[str]:
    """The lines as Python counts them: unlike ``splitlines``, a form feed ends none."""
    return program.replace("\r\n", "\n").replace("\r", "\n").split("\n")
