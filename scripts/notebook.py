"""Run docs/how-to/notebook.ipynb and keep what its cells show: ``python -m scripts.notebook``.

In this process and without Jupyter: a cell is Python, and what it shows is the value of its last line.
"""

from __future__ import annotations

import ast
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pandas

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "docs" / "how-to" / "notebook.ipynb"
NEEDED = ("conftest.py", "pytest.ini", "models.yaml", "proctor", "benchmarks", "prompts", "data", "cassettes")


def executed(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The notebook with what its cells show.

    Args:
        notebook: The notebook.
        folder: An empty folder, which becomes a project with this repository's benchmarks and no runs.
    """
    for name in NEEDED:
        (folder / name).symlink_to(ROOT / name)
    before = Path.cwd()
    os.chdir(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        return {**notebook, "cells": [_executed(cell, names) for cell in notebook["cells"]]}
    finally:
        os.chdir(before)


def _executed(cell: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    body = ast.parse("".join(cell["source"])).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)  # noqa: S102  # this repository's own notebook
    shown = None
    if isinstance(last, ast.Expr):
        shown = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    return {**cell, "outputs": [] if shown is None else [_output(shown)]}


def _output(shown: object) -> dict[str, Any]:
    data = {}
    if isinstance(shown, pandas.DataFrame):  # as Jupyter shows it
        data["text/html"] = shown.to_html().splitlines(keepends=True)
        data["text/plain"] = shown.to_string().splitlines(keepends=True)
    else:
        data["text/plain"] = repr(shown).splitlines(keepends=True)
    return {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}


def main() -> None:
    """Run the notebook, and put what it shows in its file."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        made = executed(notebook, Path(folder))
    NOTEBOOK.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
