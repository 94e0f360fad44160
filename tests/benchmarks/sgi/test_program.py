"""Functions of programs: found, replaced and emptied by the syntax tree."""

from __future__ import annotations

import ast

import pytest

from benchmarks.sgi.program import NotAProgram, code_blocks, emptied, function, functions, with_functions

PROGRAM = '''\
import math


@once
def area(r):
    """The area."""
    pass


class Shape:
    def area(self):
        return 0


def show():
    print(area(2))


show()
'''


def test_a_function_reaches_from_def_to_its_last_line() -> None:
    assert functions(PROGRAM) == {"area": (5, 7), "show": (15, 16)}
    assert function(PROGRAM, "show") == "def show():\n    print(area(2))"


def test_only_functions_at_top_level_are_found() -> None:
    assert function("class A:\n    def f(self):\n        pass", "f") is None
    assert function("if True:\n    def f():\n        pass", "f") is None
    assert function("async def f():\n    pass", "f") is None  # as for the published code
    assert function("def f():\n    pass\nreturn 1", "f") is None  # what Python cannot compile is no program


def test_the_last_of_several_definitions_counts() -> None:
    assert function("def f(): return 1\ndef f(): return 2", "f") == "def f(): return 2"
    assert with_functions("def f(): return 1\ndef f(): return 2\nx = f()", [("f", "def f(): return 3")]) == (
        "def f(): return 1\ndef f(): return 3\nx = f()"
    )


def test_replacing_keeps_everything_else() -> None:
    show, area = "def show():\n    return area(3)", "def area(r):\n    x = r * r\n    return 3 * x"
    replaced = with_functions(PROGRAM, [("show", show), ("area", area)])
    expected = PROGRAM.replace('    """The area."""\n    pass', "    x = r * r\n    return 3 * x")
    assert replaced == expected.replace("    print(area(2))", "    return area(3)")
    ast.parse(replaced)


def test_a_function_that_the_program_lacks_is_not_put_in() -> None:
    assert with_functions("x = 1", [("f", "def f(): pass")]) == "x = 1"


def test_lines_are_counted_as_python_does() -> None:
    # str.splitlines would also break at the form feed and at the line separator, and cut the wrong lines
    program = 'a = "\x0c\u2028"\r\ndef f():\r\n    return 1\r\nb = 2'
    assert function(program, "f") == "def f():\n    return 1"
    assert with_functions(program, [("f", "def f(): return 2")]).endswith("\ndef f(): return 2\nb = 2")


@pytest.mark.parametrize(
    "text",
    [
        "def f(:",
        "```python\ndef f(): pass\n```",
        "x = '\0'",
        "(" * 5_000,
        "-" * 100_000 + "1",
        "a" + ".b" * 100_000,
        "f" + "(1)" * 50_000,
        "\ud800",
    ],
    ids=["syntax", "fence", "null", "brackets", "minus", "attributes", "calls", "surrogate"],
)
def test_what_is_no_program_is_said_to_be_none(text: str) -> None:
    assert function(text, "f") is None
    with pytest.raises(NotAProgram):
        functions(text)


def test_code_blocks_are_joined_without_their_fences() -> None:
    text = "First:\n```python\ndef f():\n    return 1\n```\nthen\n  ```\ndef g(): pass\n  ```\nand `x` and ```inline```"
    assert code_blocks(text) == "def f():\n    return 1\n\ndef g(): pass\n"
    assert code_blocks("no code") == ""
    assert code_blocks("```python\ndef f(): pass") == "", "a block that is cut off is none"


def test_emptying_leaves_the_head_and_the_docstring() -> None:
    program = 'def f(x,\n      y):\n    """What."""\n    z = x\n    return z\n\n\ndef g():\n    return 2\n\n\nf(g())\n'
    assert emptied(program, ["f", "g"]) == (
        'def f(x,\n      y):\n    """What."""\n    pass\n\n\ndef g():\n    pass\n\n\nf(g())\n'
    )
    assert emptied(program, ["g"]) == program.replace("return 2", "pass")
