"""A benchmark that publishes its data and its prompt, and the server that has them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from capitals import Project
from file_server import FileServer

from proctor.cli.main import main

DATA = "".join(
    json.dumps({"country": country, "capital": capital}) + "\n"
    for country, capital in {"Chad": "N'Djamena", "Fiji": "Suva", "Oman": "Muscat", "Togo": "Lomé"}.items()
).encode()
PROMPT = b"Official: which city is the capital of {country}?"
REVISION = "0123456789abcdef0123456789abcdef01234567"
PLACE = Path("data/official/geo/capitals.jsonl")
PART = Path("data/official/geo/.capitals.jsonl.part")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def git_blob(content: bytes) -> str:
    """As ``git hash-object`` computes it."""
    return hashlib.sha1(b"blob " + str(len(content)).encode() + b"\0" + content).hexdigest()


def catalogue(source: str, *, size: bool = True, data: bytes = DATA) -> str:
    """An official.yaml; the source in ``key: value`` form."""
    revision = "" if source.startswith("lfs") else f'revision: "{REVISION}"\n'
    return f"""title: Capitals of the world
page: https://example.org/capitals
licence: CC0-1.0
{revision}{source}
files:
  - path: set/data.jsonl
    task: capitals
    rows: 4
    sha256: "{sha256(data)}"
{f"    bytes: {len(data)}" if size else ""}
"""


PROMPT_ENTRY = f"""  - path: set/prompt one.txt
    prompt: capitals
    git_blob: "{git_blob(PROMPT)}"
"""


@pytest.fixture
def publisher() -> Iterator[FileServer]:
    with FileServer({f"/{REVISION}/set/data.jsonl": DATA, f"/{REVISION}/set/prompt%20one.txt": PROMPT}) as publisher:
        yield publisher


@pytest.fixture
def home(project: Project, publisher: FileServer, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose benchmark publishes its data, of known size, on the server."""
    monkeypatch.chdir(project.path)
    monkeypatch.setattr("proctor._base.http.FIRST_DELAY", 0.01)
    publish(project, catalogue(f"url: {publisher.url}/{{revision}}/{{path}}"))
    return project


def publish(project: Project, text: str) -> None:
    (project.path / "benchmarks/geo/official.yaml").write_text(text)


def pull(*arguments: str) -> int:
    return main(["pull", "geo", *arguments])
