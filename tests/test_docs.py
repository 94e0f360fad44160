"""The documentation: the worked example runs, commands are understood, tables are complete, what is named exists."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from stub_server import Request, StubServer

ROOT = Path(__file__).parents[1]
FILES = [
    *(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY")),
    *(ROOT / "docs").rglob("*.md"),
]
PAGES = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in sorted(FILES)}
README = PAGES["README.md"]
FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = dict(
    re.findall(
        r"^`([\w/.-]+)`\n\n```\w+\n(.*?)^```$", PAGES["docs/tutorial/own-benchmark.md"], re.MULTILINE | re.DOTALL
    )
)
OWN_MODELS = next(block for block in FENCED.findall(PAGES["docs/tutorial/own-model.md"]) if block.startswith("models:"))
OPTIONS = PAGES["docs/reference/options.md"]


def write_example(folder: Path) -> Path:
    """Put the worked example's files into *folder*."""
    for name, text in EXAMPLE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def clean_environment(**more: str) -> dict[str, str]:
    """This process's variables, without what would steer a run of pytest inside."""
    steering = re.compile(r"PYTEST|PYTHONPATH|FORCE_COLOR|PY_COLORS|COLUMNS|\w+_API_KEY|\w+_BASE_URL")
    return {name: value for name, value in os.environ.items() if not steering.match(name)} | more


@dataclass(frozen=True)
class Pytest:
    """pytest as the user of some interpreter starts it in some folder."""

    folder: Path
    python: Path = Path(sys.executable)

    def run(self, *args: str, exit_code: int = 0, **environment: str) -> list[str]:
        """Run pytest and return the lines it prints."""
        ended = subprocess.run(
            [self.python, "-m", "pytest", *args],
            cwd=self.folder,
            env=clean_environment(**environment),
            capture_output=True,
            text=True,
        )
        assert ended.returncode == exit_code, ended.stdout + ended.stderr
        return ended.stdout.splitlines()


# ---- the worked example


def test_the_worked_example_is_three_files_of_under_60_lines() -> None:
    assert list(EXAMPLE) == [
        "benchmarks/dates/test_weekday.py",
        "prompts/dates/weekday.txt",
        "data/dates/weekday.jsonl",
    ]
    assert sum(len(text.splitlines()) for text in EXAMPLE.values()) < 60


def test_the_worked_example_keeps_the_style_of_this_repository(tmp_path: Path) -> None:
    module = write_example(tmp_path) / "benchmarks/dates/test_weekday.py"
    for command in (["check"], ["format", "--check"]):
        style = [
            sys.executable,
            "-m",
            "ruff",
            *command,
            "--no-cache",
            "--config",
            str(ROOT / "pyproject.toml"),
            str(module),
        ]
        ended = subprocess.run(style, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout


def test_the_worked_example_runs_in_this_repository(tmp_path: Path) -> None:
    repository = tmp_path / "proctor"
    repository.mkdir()
    for name in ("conftest.py", "pytest.ini", "models.yaml", "proctor", "tests"):
        (repository / name).symlink_to(ROOT / name)
    for name in ("benchmarks", "prompts", "data"):
        (repository / name).mkdir()
        for entry in (ROOT / name).iterdir():
            (repository / name / entry.name).symlink_to(entry)
    there = Pytest(write_example(repository))
    assert " 3 correct in " in there.run("benchmarks/dates", "--model", "oracle")[-1]
    beside = there.run("benchmarks/dates", "benchmarks/tsg", "--model", "oracle", "--limit", "1")
    assert " 5 correct in " in beside[-1]
    assert " 2 deselected, 1 correct in " in there.run("benchmarks/dates", "--model", "oracle", "-k", "future")[-1]


# ---- where only the package is installed


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has Proctor's wheel and its dependencies, and not this checkout."""
    wheels = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(wheels)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    # A wheel of plain Python is installed by unpacking it. The dependencies are those of this interpreter; .pth files
    # among them, by which the checkout is installed here, have no effect from there.
    zipfile.ZipFile(next(wheels.glob("*.whl"))).extractall(packages)
    (packages / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    python = home / "bin" / "python"
    finds = "import importlib.util as u, proctor; print(proctor.__file__, u.find_spec('benchmarks'))"
    found = subprocess.run(
        [python, "-c", finds], cwd=home, env=clean_environment(), check=True, capture_output=True, text=True
    )
    assert found.stdout.split() == [str(packages / "proctor" / "__init__.py"), "None"]
    return python


def name_of_the_day(request: Request) -> str:
    found = re.search(r"\d{4}-\d\d-\d\d", request.question)
    assert found is not None
    return f"It is [{date.fromisoformat(found[0]):%A}]"


def test_the_worked_example_records_and_replays_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    there = Pytest(write_example(tmp_path), installed)
    command = ("benchmarks/dates", "--model", "openai/gpt-4o-mini")
    with StubServer(name_of_the_day) as server:
        lines = there.run(
            *command, "--record-mode", "once", OPENAI_BASE_URL=server.openai_url, OPENAI_API_KEY="sk-of-nobody"
        )
        assert " 3 correct in " in lines[-1]
        assert server.count == 3
    # The server is gone, and so is the key. A name and provider/api-id mean the same recordings.
    assert " 3 correct in " in there.run(*command)[-1]
    assert " 3 correct in " in there.run("benchmarks/dates", "--model", "gpt-4o-mini")[-1]
    assert (tmp_path / "cassettes/dates/weekday/gpt-4o-mini.jsonl").exists()
    # The package has the parts of the page.
    assert all((folder / "report.html").exists() for folder in (tmp_path / "reports").glob("*Z-*"))


def test_four_lines_of_yaml_add_a_model_to_those_of_the_package(installed: Path, tmp_path: Path) -> None:
    assert len(OWN_MODELS.splitlines()) == 4
    there = Pytest(write_example(tmp_path), installed)
    (tmp_path / "models.yaml").write_text(OWN_MODELS)
    with StubServer(name_of_the_day) as server:
        lines = there.run(
            "benchmarks/dates", "--model=my-model", "--disable-recording", OPENROUTER_BASE_URL=server.openai_url
        )
        assert {request.json["model"] for request in server.requests} == {"vendor/my-model"}
    assert " 3 correct in " in lines[-1]


def test_a_project_from_the_wheel_is_green_and_complete(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    environment = clean_environment(HOME=str(tmp_path / "home"))
    command = [str(installed), "-m", "proctor", "init", "project"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    project = tmp_path / "project"
    for name in ("benchmarks", "prompts", "data/tsg", "data/sgi", "data/mixeval_x"):
        shipped = {file.relative_to(ROOT) for file in (ROOT / name).rglob("*") if file.is_file()}
        assert all((project / file).is_file() for file in shipped if "__pycache__" not in file.parts), name
    assert not (project / "data" / "official").exists()
    lines = Pytest(project, installed).run(HOME=str(tmp_path / "home"), COLUMNS="200")
    assert re.search(r" \d+ correct, \d+ partial in ", lines[-1])  # AET of programs is a time: full marks have none
    assert any(line.startswith("tsg/sgqa ") and " 1.0000 " in line for line in lines)


# ---- tables, names and output


def options_in(lines: Sequence[str]) -> set[str]:
    return {option for line in lines for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)}


@pytest.fixture(scope="module")
def help_lines() -> list[str]:
    return Pytest(ROOT).run("--help")


def test_the_option_table_is_complete(help_lines: list[str]) -> None:
    start = help_lines.index("Proctor: LLM benchmarks as tests:") + 1
    group = help_lines[start : help_lines.index("", start)]
    proctors = options_in([line for line in group if line.startswith("  --")])
    table = options_in([line.split("|")[1] for line in OPTIONS.splitlines() if line.startswith("| `--")])
    assert proctors <= table
    assert table <= options_in([line for line in help_lines if line.startswith("  -")])


def test_the_settings_are_complete(help_lines: list[str]) -> None:
    settings = {line.split()[0] for line in help_lines if re.match(r"  proctor_\w+ \(", line)}
    assert set(re.findall(r"`(proctor_\w+)`", OPTIONS)) == settings
    ini = configparser.ConfigParser()
    ini.read(ROOT / "pytest.ini")
    assert {name for name in ini["pytest"] if name.startswith("proctor_")} <= settings


def anchors_of(text: str) -> set[str]:
    titles = re.findall("^#+ (.+)$", re.sub(FENCED, "", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(FENCED, "", PAGES[page])):
        target, _, heading = link.partition("#")
        if re.match("https?://", target):
            continue
        file = (ROOT / page).parent / target if target else ROOT / page
        assert file.exists(), link
        if heading and file.suffix == ".md":
            assert heading in anchors_of(file.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("page", PAGES)
def test_files_and_folders_that_are_named_exist(page: str) -> None:
    text = PAGES[page]
    own = r"benchmarks|proctor|docs|perf|prompts|scripts|simulations|tests|\.ci"
    named = set(re.findall(rf"(?<=`)(?:{own})/(?![\w/.-]*[<…*{{])[\w/.-]*\w(?=/?`)", text)) - set(EXAMPLE)
    examples = re.compile(r"dates|capitals|cities|weather|my")
    for name in named:
        assert (ROOT / name).exists() or examples.search(name), name


def test_the_array_of_shards_runs_as_plain_processes(tmp_path: Path) -> None:
    text = PAGES["docs/how-to/clusters.md"]
    script = next(block for block in FENCED.findall(text) if "#SBATCH --array" in block)
    number = 3  # Slurm gives it, from the line that says --array
    for name in ("conftest.py", "pytest.ini", "models.yaml", "proctor", "benchmarks", "prompts", "data", "cassettes"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    slurm = {"SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_ARRAY_JOB_ID": "77", "SLURM_ARRAY_TASK_COUNT": str(number)}
    for task in range(1, number + 1):
        environment = clean_environment(SLURM_ARRAY_TASK_ID=str(task), **slurm)
        command = ["bash", "-c", script, "shards.sh", "-k", "sgqa", "-p", "no:cacheprovider"]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    (merge,) = (command for command in commands_of("proctor") if "JOB" in command)
    merging = ["bash", "-c", f"{sys.executable} -m {merge.replace('JOB', '77')}"]
    ended = subprocess.run(merging, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (report,) = tmp_path.glob("merged/**/report.json")
    (task_of_report,) = json.loads(report.read_bytes())["tasks"]
    rows = [json.loads(line) for line in report.with_name("results.jsonl").read_text().splitlines()]
    assert len({row["sample_id"] for row in rows}) == len(rows) == task_of_report["expected"] > number


def test_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page, text in PAGES.items():
        named = {name for line in text.splitlines() for name in re.findall(r"(?:`|^|\d )make (\w+)", line)}
        assert named <= targets, page


def commands_of(program: str) -> list[str]:
    """What the pages tell to type, without variables before it; lines that go on are one command."""
    lines = [
        line
        for text in PAGES.values()
        for block in FENCED.findall(text)
        for line in block.replace("\\\n", " ").splitlines()
    ]
    found = [re.match(rf"(?:[A-Z_]+=\S+ )*({program} .*)", line) for line in lines]
    return list(dict.fromkeys(match[1] for match in found if match))


# What needs the network, a folder of the reader's own or another machine: the other tests of those features run them.
ELSEWHERE = re.compile(r"\b(?:PATH|DIR|NAME|fresh|RUN)\b|--official|--tx|benchmarks/dates|mine/")
COMMANDS = [command for command in commands_of("pytest") if not ELSEWHERE.search(command)]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_select_something(command: str, tmp_path: Path) -> None:
    _, *arguments = shlex.split(command, comments=True)
    Pytest(ROOT).run(*arguments, "--collect-only", "-o", f"cache_dir={tmp_path}")


def test_the_scores_that_are_shown_are_those_of_the_shipped_recordings(tmp_path: Path) -> None:
    shown = next(block for block in FENCED.findall(README) if "= scores =" in block).splitlines()
    lines = Pytest(ROOT).run("benchmarks/tsg", f"--reports-dir={tmp_path}")
    assert table_in(shown) == table_in(lines)


def table_in(lines: Sequence[str]) -> list[str]:
    """The table of scores in pytest's output, and the counts of its last line."""
    start = next(number for number, line in enumerate(lines) if line.startswith("==") and " scores " in line)
    end = next(number for number, line in enumerate(lines) if line.startswith("report: "))
    return [*lines[start + 1 : end], lines[-1].strip("= ").partition(" in ")[0]]


@pytest.mark.parametrize("command", commands_of("proctor"))
def test_proctors_commands_know_their_options(command: str) -> None:
    words = shlex.split(command, comments=True)[1:]
    if "--" in words:
        words = words[: words.index("--")]
    places = [words[:1]] + ([words[:2]] if words[0] == "batch" else [])
    told = subprocess.run(
        [sys.executable, "-m", "proctor", *places[-1], "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    assert options_in(words) <= options_in(told.stdout.splitlines())
