"""The pages' modules joined into one script."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.report.html.document import ASSETS
from proctor.report.html.modules import IMPORT, joined

ENTRIES = ("report", "compare", "many", "live", "wait")


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder


def test_each_module_comes_once_after_those_that_it_needs_and_keeps_its_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        page='import { a, b } from "./one.js";\nimport { c } from "./two.js";\na(b, c);\n',
        one='import { c } from "./two.js";\nconst own = 1;\nexport async function a() {}\nexport const b = c;\n',
        two="const own = 2;\nexport class c {}\n",
    )
    assert joined(tmp_path, "page") == (
        '"use strict";\n'
        "const $two = (() => {\nconst own = 2;\nclass c {}\nreturn { c };\n})();\n"
        "const $one = (() => {\nconst { c } = $two;\nconst own = 1;\nasync function a() {}\nconst b = c;\n"
        "return { a, b };\n})();\n"
        "const $page = (() => {\nconst { a, b } = $one;\nconst { c } = $two;\na(b, c);\nreturn {  };\n})();\n"
    )


def test_a_circle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match="in a circle: a > b > a"):
        joined(tmp_path, "a")


@pytest.mark.parametrize(
    "text",
    [
        "export let changes = 1;\n",
        "export default 1;\n",
        "export { a };\n",
        'import * as b from "./b.js";\n',
        'import { b as c } from "./b.js";\n',
        'import "./b.js";\n',
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path, a=text)
    with pytest.raises(ValueError, match=r"a\.js cannot be joined: it says '(import|export)"):
        joined(tmp_path, "a")


def test_every_module_is_part_of_a_page() -> None:
    found, left = set[str](), list(ENTRIES)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [one[2] for one in IMPORT.finditer((ASSETS / f"{name}.js").read_text(encoding="utf-8"))]
    assert found == {file.stem for file in ASSETS.glob("*.js")}
    assert all("import " not in joined(ASSETS, entry).split("/*")[0] for entry in ENTRIES)
