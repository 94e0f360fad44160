"""The script of a page: modules of JavaScript joined into one, since a page from disk may load no other file.

Each module becomes a function that is called once, after those that it imports from, and gives what it exports: so each
has names of its own, as it has where a browser or a type checker reads it as a module. What this cannot do, such as
circles and exports that change, is refused.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(folder: Path, entry: str) -> str:
    """A module and all that it imports, as one script.

    Args:
        folder: Where the modules are.
        entry: The name of the module that begins the page, without ``.js``.

    Raises:
        ValueError: If modules import one another in a circle, or import or export in another way than by name.
    """
    done: dict[str, str] = {}
    _take(folder, entry, (), done)
    return '"use strict";\n' + "".join(done.values())


def _take(folder: Path, name: str, way: tuple[str, ...], done: dict[str, str]) -> None:
    if name in way:
        raise ValueError(f"modules import one another in a circle: {' > '.join((*way, name))}")
    if name in done:
        return
    text = (folder / f"{name}.js").read_text(encoding="utf-8")
    for imported in IMPORT.finditer(text):
        _take(folder, imported[2], (*way, name), done)
    exported = [found[2] for found in EXPORT.finditer(text)]
    text = EXPORT.sub(r"\1 \2", IMPORT.sub(r"const { \1 } = $\2;\n", text))
    if left := LEFT.search(text):
        raise ValueError(f"{name}.js cannot be joined: it says {left[0]!r}, which is neither import nor export by name")
    done[name] = f"const ${name} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();\n"
