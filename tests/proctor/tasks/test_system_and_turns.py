"""A system prompt and examples before the question: of a task, in its template, from the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from capitals import Project

from proctor._base.errors import DataError
from proctor.tasks.prompt import Placeholders, Template

TURNS = """=== system ===
You know {country} well.

=== user ===
Capital of Italy?
=== assistant ===
[Rome]
=== user ===

Capital of {country}?
"""


def sent(project: Project) -> list[tuple[str, str]]:
    """The messages of the newest request."""
    return [(message["role"], message["content"]) for message in project.server.requests[-1].json["messages"]]


def in_task(project: Project, text: str) -> None:
    project.benchmark(system=repr(text))


QUESTION = ("user", "What is the capital of France?\n")


def test_without_any_of_it_calls_and_keys_are_as_ever(project: Project) -> None:
    project.record("-k", "France")
    assert sent(project) == [QUESTION]
    # Worked out with hashlib from the canonical JSON of model, hash of messages and parameters.
    assert project.rows["France"]["request_key"] == "47af9188521abe3948e84bc78b0bca96"
    assert "system" not in json.loads(project.cassette.read_text())["origin"]


def test_a_template_with_turns_says_all_of_them(project: Project) -> None:
    project.prompt.write_text(TURNS)
    assert project.record("-k", "France").ret == 0
    assert sent(project) == [
        ("system", "You know France well."),
        ("user", "Capital of Italy?"),
        ("assistant", "[Rome]"),
        ("user", "Capital of France?"),
    ]
    assert project.run("-k", "France").ret == 0
    assert project.server.count == 1
    project.prompt.write_text(TURNS.replace("[Rome]", "[Roma]"))
    assert project.run("-k", "France").ret == 1


@pytest.mark.parametrize(
    ("in_template", "arguments", "said"),
    [
        (False, [], "of the task"),
        (True, [], "You know France well."),
        (False, ["--system", "given"], "given"),
        (True, ["--system", "given"], "given"),
        (False, ["--system=@system.txt"], "from\na file"),
        (False, ["--system=@@home"], "@home"),
        (True, ["--system", ""], None),
    ],
)
def test_the_command_line_goes_before_the_template_before_the_task(
    project: Project, in_template: bool, arguments: Sequence[str], said: str | None
) -> None:
    in_task(project, "of the task")
    (project.path / "system.txt").write_text("from\na file\n")
    if in_template:
        project.prompt.write_text(TURNS)
    assert project.record("-k", "France", *arguments).ret == 0
    assert dict(sent(project)).get("system") == said
    assert project.run("-k", "France", *arguments).ret == 0
    assert project.server.count == 1


def test_another_system_prompt_replays_no_old_answer_and_is_named(project: Project) -> None:
    project.record("-k", "France")
    result = project.run("-k", "France", "--system", "Be brief.")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*changed since then: system prompt"])
    project.run("--record-mode", "new_episodes", "-k", "France", "--system", "Be brief.")
    assert project.server.count == 2
    assert project.run("-k", "France").ret == 0  # the first answer is still there
    assert project.run("-k", "France", "--system", "Be brief.").ret == 0


@pytest.mark.parametrize(("model", "where"), [("claude-haiku-4-5", "system"), ("o1-pro", "input")])
def test_each_api_is_told_in_its_own_words(project: Project, model: str, where: str) -> None:
    project.run("--record-mode", "once", "-k", "France", "--system", "Be brief.", model=model)
    body = project.server.requests[-1].json
    said = body["system"] if where == "system" else body["input"][0]["content"]
    assert said == "Be brief."


def test_the_page_shows_what_was_sent(project: Project) -> None:
    project.prompt.write_text(TURNS)
    project.record("-k", "France")
    (line,) = (project.folders[-1] / "prompts.jsonl").read_text().splitlines()
    shown = "".join(json.loads(line)["pieces"])
    assert shown.startswith("system:\nYou know France well.\n\nuser:\nCapital of Italy?\n\nassistant:\n[Rome]")
    assert json.loads(line)["sha256"] == project.rows["France"]["prompt_sha256"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("=== user ===\n{country}\n=== assistant ===\nyes", 3, "the last turn is not the question"),
        ("=== assistant ===\nx\n=== user ===\n{country}", 1, "a turn of system or user is wanted here"),
        ("=== user ===\nx\n=== system ===\nx\n=== user ===\n{country}", 3, "a turn of assistant is wanted here"),
        ("=== system ===\n{wrong}\n=== user ===\n{country}", 2, "unknown placeholder"),
        ("=== user ===\nx", None, "lacks the placeholder {country}"),
    ],
)
def test_a_mistake_in_the_turns_is_named(text: str, line: int | None, words: str) -> None:
    with pytest.raises(DataError, match=words.replace("{", r"\{")) as caught:
        Template(text, file=Path("capitals.txt"), placeholders=Placeholders("country"))
    assert caught.value.line == line


def test_a_marker_further_down_is_text() -> None:
    text = "Read {country}:\n=== user ===\n"
    template = Template(text, file=Path("x"), placeholders=Placeholders("country"))
    assert template.fill({"country": "it"}) == ("Read it:\n=== user ===\n",)


def test_a_file_that_is_not_there_is_said(project: Project) -> None:
    result = project.record("--system=@nowhere.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--system @nowhere.txt: cannot be read" in f"{result.stdout}{result.stderr}"
