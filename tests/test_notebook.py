"""The notebook of the documentation: it runs, and shows what stands in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scripts.notebook import NOTEBOOK, executed


def shown(notebook: dict[str, Any]) -> list[str]:
    return ["".join(output["data"]["text/plain"]) for cell in notebook["cells"] for output in cell.get("outputs", ())]


def test_the_notebook_shows_what_its_cells_give(tmp_path: Path) -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    found = shown(executed(notebook, tmp_path))
    assert len(found) == 6
    assert found == shown(notebook), "run: python -m scripts.notebook"
