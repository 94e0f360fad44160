"""What the code and the documents refer to is there: modules, what is in them, and documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import proctor

ROOT = Path(__file__).parents[1]
PACKAGES = ("proctor", "benchmarks", "scripts", "perf", "simulations")


def sources() -> Iterator[tuple[Path, str]]:
    """The modules of the project, and the documents that name some."""
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            yield file, file.read_text(encoding="utf-8")


def module_of(parts: list[str]) -> tuple[Path, list[str]] | None:
    """The module that a dotted name begins with, and what is left of the name."""
    for count in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:count])
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file, parts[count:]
    return None


def resolves(name: str) -> bool:
    """Whether what a docstring points to is named in the module, or for a package in one of its modules."""
    if name.startswith("proctor.") and name[len("proctor.")].isupper():
        return bool(attrgetter(name.removeprefix("proctor."))(proctor))
    found = module_of(name.split("."))
    if found is None:
        return False
    file, rest = found
    files = file.parent.glob("*.py") if file.name == "__init__.py" else [file]
    text = "\n".join(one.read_text(encoding="utf-8") for one in files)
    return all(re.search(rf"\b{re.escape(part)}\b", text) for part in rest)


def test_docstrings_point_to_what_there_is() -> None:
    named = {
        (str(file.relative_to(ROOT)), name)
        for file, text in sources()
        for name in re.findall(r"`((?:proctor|benchmarks)(?:\.\w+)+)`", text)
    }
    assert len(named) > 50
    assert [one for one in sorted(named) if not resolves(one[1])] == []


def test_code_names_documents_that_there_are() -> None:
    named = {
        (str(file.relative_to(ROOT)), name)
        for file, text in sources()
        for name in re.findall(r"\bdocs/[\w/-]+\.md", text)
    }
    assert named
    assert [one for one in sorted(named) if not (ROOT / one[1]).is_file()] == []


def test_architecture_names_files_that_there_are() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", text))
    assert len(named) > 40
    missing = [name for name in sorted(named) if not any((ROOT / top / name).is_file() for top in ("", "proctor"))]
    assert missing == []
