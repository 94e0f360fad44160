"""The command ``proctor init``: a project of the user's own, with the benchmarks that Proctor brings, or a new one."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor._base.errors import UsageError
from proctor.tasks.names import FULL_NAME

CONFIGURATIONS = {
    "pytest.ini": "",
    ".pytest.ini": "",
    "pytest.toml": "",
    ".pytest.toml": "",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
"""Files in which pytest looks for its settings, and what they hold if it finds some."""
EXAMPLE_PAGE = Path("docs/tutorial/own-benchmark.md")
EXAMPLE_FILE = re.compile(r"^`([\w/.-]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = ("dates", "weekday")
"""Benchmark and task of the page's example."""
OPTIONAL = (".gitignore", ".gitattributes")
"""Files of a project that are left as they are where there are some."""
SHOWN = 5  # files that a message names


def declare_init(commands: argparse._SubParsersAction[Any]) -> None:
    """Declare ``proctor init``."""
    parser = commands.add_parser(
        "init",
        help="write a project: benchmarks, prompts and data to run and to change",
        description="Write a project into a folder: settings, a workflow for CI, and copies of the benchmarks that "
        "Proctor brings, with prompts and data. The files are yours; later versions of Proctor leave them alone. What "
        "is there already is never overwritten.",
        epilog="Exit code: 0; 4 for bad usage, such as a file that is there already: then nothing is written.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to; made if it is not there")
    parser.add_argument(
        "--with",
        dest="benchmarks",
        metavar="BENCH,…",
        help="which benchmarks: tsg, sgi, mixeval_x (default: all; with --new: none)",
    )
    parser.add_argument(
        "--new",
        metavar="BENCH/TASK",
        help="begin a benchmark of your own: a test file, a prompt and data that work, to be changed. In a project "
        "these three files are added",
    )
    parser.set_defaults(run=_init)


def _init(options: argparse.Namespace) -> int:
    folder: Path = options.folder
    brought = _brought()
    names = _chosen(options.benchmarks, brought, none=options.new is not None)
    files: dict[str, bytes] = {}
    if options.new is not None:
        files |= _example(brought, options.new)
    for name in names:
        files |= _copied(brought, name)
    new = [] if options.new is None else [f"benchmarks/{options.new.partition('/')[0]}"]
    configuration = _configuration(folder)
    if names and configuration is not None:
        raise UsageError(
            f"{configuration} is there already: nothing was written",
            remedy="Name a new folder; a benchmark of your own is added to a project with --new BENCH/TASK alone.",
        )
    if configuration is None:
        files |= {name: text.encode() for name, text in _frame(names, _testpaths(names, new)).items()}
        files = {name: data for name, data in files.items() if name not in OPTIONAL or not (folder / name).exists()}
    _write(folder, files)
    print(f"{len(files)} files in {folder}. They are yours to change.")
    if configuration is None:
        print(f"Next: cd {folder} && pytest")
    else:
        print(f"Next, in {folder}: pytest {new[0]} --model oracle")
    return 0


def _testpaths(names: Sequence[str], new: Sequence[str]) -> Sequence[str]:
    """What a bare ``pytest`` runs: all there will ever be, but for what no built-in model can do."""
    if "mixeval_x" not in names:
        return ["benchmarks"]
    able = [f"benchmarks/mixeval_x/test_*2{kind}.py" for kind in ("text", "action")]
    return list(dict.fromkeys([*(f"benchmarks/{name}" for name in names if name != "mixeval_x"), *able, *new]))


def _brought() -> Path:
    """The folder of what Proctor brings: inside the package once that is built, the root of a checkout."""
    package = Path(__file__).resolve().parent.parent
    built = package / "brought"
    return built if built.is_dir() else package.parent


def _chosen(wanted: str | None, brought: Path, *, none: bool) -> Sequence[str]:
    known = sorted(file.parent.name for file in (brought / "benchmarks").glob("*/__init__.py"))
    if wanted is None:
        return [] if none else known
    names = list(dict.fromkeys(wanted.split(",")))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"--with {wanted}: no benchmark is called {unknown[0]!r}", remedy=f"There is: {', '.join(known)}."
        )
    return names


def _copied(brought: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """A benchmark's files: all that belongs to it but answers of models.

    What was computed for the right answers comes along: without it a first run would execute programs for a minute, and
    need a model of embeddings.
    """
    patterns = (
        "benchmarks/__init__.py",
        f"benchmarks/{name}/**/*",
        f"prompts/{name}/**/*",
        f"data/{name}/**/*",
        f"cassettes/{name}/*/computed/*.jsonl",
    )
    for pattern in patterns:
        for file in sorted(brought.glob(pattern)):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(brought).as_posix(), file.read_bytes()


def _example(brought: Path, name: str) -> Mapping[str, bytes]:
    """The files of the tutorial's benchmark, under another name."""
    if not re.fullmatch(FULL_NAME, name):
        raise UsageError(
            f"--new {name}: a task is named BENCH/TASK in lower case", remedy="Example: --new dates/weekday"
        )
    benchmark, _, task = name.partition("/")
    stem = task.replace("-", "_")
    old_benchmark, old = EXAMPLE
    page = (brought / EXAMPLE_PAGE).read_text(encoding="utf-8")
    renamed = {
        f'name="{old_benchmark}/{old}"': f'name="{name}"',
        f'prompts={{"{old}"': f'prompts={{"{task}"',
        f'ask("{old}"': f'ask("{task}"',
        f"def test_{old}(": f"def test_{stem}(",
        f"prompts/{old_benchmark}/{old}.txt": f"prompts/{name}.txt",
    }
    files = {}
    for path, text in EXAMPLE_FILE.findall(page):
        target = path.replace(f"test_{old}.", f"test_{stem}.").replace(f"/{old_benchmark}/", f"/{benchmark}/")
        target = target.replace(f"/{old}.", f"/{task}.")
        if target.endswith(".py"):
            for before, after in renamed.items():
                text = text.replace(before, after)
        files[target] = text.encode()
    return files


def _configuration(folder: Path) -> Path | None:
    """The file with pytest's settings in *folder*, if there is one."""
    for name, mark in CONFIGURATIONS.items():
        file = folder / name
        if file.is_file() and mark in file.read_text(encoding="utf-8", errors="replace"):
            return file
    return None


def _frame(names: Sequence[str], testpaths: Sequence[str]) -> Mapping[str, str]:
    """The files of a project around its benchmarks: wiring, settings, a workflow."""
    from importlib.metadata import version

    plugins = [f"benchmarks.{name}.plugin" for name in names if name in ("sgi", "mixeval_x")]
    listed = ", ".join(f'"{plugin}"' for plugin in plugins)
    wiring = f"\n# Options of the benchmarks, such as --sgi-python.\npytest_plugins = [{listed}]\n" if plugins else ""
    left_out = (
        "# Of MixEval-X, text2image is left out: no built-in model draws. With one that does:\n"
        "# pytest benchmarks/mixeval_x/test_text2image.py --model NAME --record-mode once\n"
    )
    return {
        "conftest.py": f'"""The project\'s own wiring. Proctor itself is found where it is installed."""\n{wiring}',
        "pytest.ini": SETTINGS.format(
            testpaths="".join(f"\n    {path}" for path in testpaths), note=left_out if "mixeval_x" in names else ""
        ),
        "requirements.txt": f"proctor=={version('proctor')}\n",
        ".github/workflows/benchmarks.yml": WORKFLOW,
        ".gitignore": "reports/\ndata/official/\ncassettes/**/.*\n.venv*/\n__pycache__/\n.pytest_cache/\n",
        ".gitattributes": "cassettes/** -text\ndata/** -text\nprompts/** -text\n",
    }


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files, or none if one of them is there.

    Raises:
        UsageError: If one is there, or the folder cannot be written to.
    """
    there = [name for name in files if os.path.lexists(folder / name)]
    if there:
        more = f" and {len(there) - SHOWN} more" if len(there) > SHOWN else ""
        raise UsageError(
            f"{folder} has {', '.join(there[:SHOWN])}{more} already; nothing was written",
            remedy="Name another folder, or move them away.",
        )
    try:
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("xb") as file:
                file.write(data)
    except OSError as problem:
        raise UsageError(
            f"{problem.filename or folder} cannot be written: {problem.strerror}", remedy="Name another folder."
        ) from None


SETTINGS = """[pytest]
minversion = 9.0
{note}testpaths ={testpaths}
pythonpath = .
# Test files of different benchmarks may have equal names.
addopts = --import-mode=importlib --strict-markers
proctor_benchmarks = benchmarks
# Benchmarks run in one process, which is faster than any number of workers.
proctor_max_workers = auto
# Who is measured without --model. The oracle knows the right answers and asks nobody: data and scorers agree if it gets
# full marks. Name a model of your own here once you have recorded its answers.
proctor_model = oracle
"""
WORKFLOW = """name: benchmarks
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  replay:  # no key: answers that are recorded are replayed, with the network blocked
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: { python-version: "3.12", cache: pip, cache-dependency-path: requirements.txt }
      - run: pip install --requirement requirements.txt
      - run: pytest
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: reports
          path: reports/
"""
