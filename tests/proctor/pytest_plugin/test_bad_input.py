"""Bad input: one message with file, line, field, value and remedy, exit code 4, before any call."""

from __future__ import annotations

import json
import os
import re

import pytest
from benchmark_module import SAMPLES
from capitals import Project

GOOD = json.dumps({"country": "France", "capital": "Paris"})
IDS_MAY_REPEAT = SAMPLES.replace("tags=tags)", "tags=tags, id_may_repeat=True)")


def refused(project: Project, *args: str, model: str = "gpt-4o-mini") -> str:
    """What a run says that ends with exit code 4 before any request, the same with and without workers."""
    said = []
    for workers in ("0", "2"):
        result = project.run("--record-mode", "once", "-n", workers, *args, model=model)
        text = str(result.stderr) + "\n" + str(result.stdout)
        assert result.ret == 4, text
        assert "Traceback" not in text
        said.append([line for line in text.splitlines() if line.startswith(("ERROR: ", "  "))])
    assert project.server.count == 0
    assert not (project.path / "reports").exists()
    assert said[0] == said[1]
    return "\n".join(said[0])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '{"country": "France"',
            ":1: not JSON: Expecting ',' delimiter (column 21) (found '{",
        ),
        ("version 1\nsize 2\n", ":1: not JSON: Expecting value (column 1) (found 'version 1')\n  Not one line"),
        ("[1]\n[2]\n", ":1: must be a JSON object (found [1])\n  Not one line of the file holds a JSON object"),
        ("[]", ": the list is empty"),
        (f"[{GOOD},\n{GOOD[:-1]}]", ":2: not JSON: "),
        (f"[{GOOD}\n{GOOD}]", ":1: not JSON: behind an entry stands neither a comma nor the end of the list"),
    ],
)
def test_a_file_that_is_not_json_lines_at_all_is_named(project: Project, content: str, said: str) -> None:
    project.data.write_text(content)
    assert f"data/geo/capitals.jsonl{said}" in refused(project)


def test_an_empty_and_a_missing_data_file_are_named(project: Project) -> None:
    project.data.write_text("")
    assert "capitals.jsonl: the data file is empty" in refused(project)
    said = refused(project, "--dataset", "geo/capitals=elsewhere.jsonl")
    assert "elsewhere.jsonl: no such data file" in said
    assert "--dataset BENCH/TASK=PATH" in said


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("Capital?", "the template lacks the placeholder {country}"),
        ("Capital of {country} on {continent}?", "capitals.txt:1: unknown placeholder in the template"),
        ("a\nb {country}\n{country!r}", "capitals.txt:3: unknown placeholder in the template (found '{country!r}')"),
        ("{country} {", "not a usable template"),
        ("{country} {0}", "(found '{0}')"),
    ],
)
def test_a_template_that_cannot_be_used_is_named(project: Project, template: str, said: str) -> None:
    project.prompt.write_text(template)
    assert said in refused(project)


def test_a_missing_template_is_named(project: Project) -> None:
    said = refused(project, "--prompts-dir", "other")
    assert "other/geo/capitals.txt: no such prompt template" in said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("name", ["data/geo/capitals.jsonl", "prompts/geo/capitals.txt", "models.yaml", "system.txt"])
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(project: Project, name: str) -> None:
    file = project.path / name
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    said = refused(project, "--system=@system.txt" if name == "system.txt" else "--system=Be brief.")
    assert f"{name}: cannot be read: it is a pipe or a device, not a file" in said


def test_braces_in_data_and_doubled_braces_in_a_template_are_text(project: Project) -> None:
    project.write_rows([{"country": "France {0} {country} }{", "capital": "Paris"}])
    project.prompt.write_text('{{"q": "{country}"}}')
    assert project.record().ret == 0
    assert project.server.requests[0].question == '{"q": "France {0} {country} }{"}'


def test_a_mistake_in_models_yaml_is_named_with_its_line(project: Project) -> None:
    (project.path / "models.yaml").write_text("models:\n  mine:\n    provider: openai\n    apiid: x\n")
    said = refused(project)
    assert "models.yaml:4: " in said
    assert "apiid" in said
    assert "api_id" in said


def test_unknown_models_suggest_the_nearest(project: Project) -> None:
    assert "unknown model 'gpt-4o-mimi'; did you mean gpt-4o-mini" in refused(project, model="gpt-4o-mimi")


def test_a_dated_id_an_alias_and_provider_slash_id_are_the_same_model(project: Project) -> None:
    assert project.record().ret == 0
    project.server.stop()
    for name in ("gpt4o-mini", "gpt-4o-mini-2024-07-18", "openai/gpt-4o-mini", "GPT-4o-mini"):
        assert project.run(model=name).ret == 0
        assert {row["model"] for row in project.rows.values()} == {"gpt-4o-mini"}
        assert {row["model_api_id"] for row in project.rows.values()} == {"gpt-4o-mini-2024-07-18"}


def test_no_model_at_all_is_said(project: Project) -> None:
    result = project.run(model=None)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: no model to ask", "*--model NAME*"])


def test_a_parameter_that_the_model_does_not_take_is_named(project: Project) -> None:
    assert "o3-mini does not support the parameter 'temperature'" in refused(
        project, "--temperature", "0.5", model="o3-mini"
    )


def test_a_built_in_model_that_the_task_does_not_define_is_named(project: Project) -> None:
    assert "task geo/capitals does not define the built-in model 'constant'" in refused(project, model="constant")


def test_a_data_set_for_a_task_that_is_not_selected_is_named(project: Project) -> None:
    assert "--dataset geo/rivers: no collected test runs that task\n  Collected: geo/capitals." in refused(
        project, "--dataset", "geo/rivers=x.jsonl"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--limit", "0"], "must be a whole number from 1, not '0'"),
        (["--concurrency", "x"], "must be a whole number from 1, or auto, not 'x'"),
        (["--temperature", "-1"], "must be a number from 0, not '-1'"),
        (["--temperature", "nan"], "must be a number from 0, not 'nan'"),
        (["--dataset", "capitals.jsonl"], "--dataset takes BENCH/TASK=PATH, not 'capitals.jsonl'"),
        (["--model-param", "top_p"], "--model-param takes KEY=VALUE, not 'top_p'"),
        (["--fail-on", "everything"], "invalid choice: 'everything'"),
    ],
)
def test_an_option_with_a_value_that_cannot_be_used_is_named(project: Project, args: list[str], said: str) -> None:
    result = project.run_apart(*args)
    assert result.ret == 4
    assert said in str(result.stderr)


def test_several_mistakes_are_said_together(project: Project) -> None:
    project.second_benchmark("rivers")
    project.data.write_text("")
    said = refused(project)
    assert "capitals.jsonl: the data file is empty" in said
    assert "rivers.jsonl: no such data file" in said


def test_rows_without_id_that_are_equal_are_told_apart(project: Project) -> None:
    project.benchmark(samples=SAMPLES.replace('Sample(row.text("country")', "Sample(row.content_id"))
    project.data.write_text(f"{GOOD}\n{GOOD}\n{GOOD}\n")
    result = project.run(model="oracle")
    assert result.ret == 0
    first, second, third = project.rows
    assert (second, third) == (f"{first}-copy2", f"{first}-copy3")
    # Copies are no independent observations; the report says that there are some.
    assert {row["cluster"] for row in project.rows.values()} == {first}
    note = "samples that are exact copies of others: 2"
    assert project.report["tasks"][0]["data_notes"][0].startswith(note)
    assert note in (project.folders[-1] / "report.md").read_text()
    result.stdout.fnmatch_lines([f"geo/capitals: {note} *"])


def test_rows_that_share_an_id_are_told_apart_where_that_is_foreseen(project: Project) -> None:
    project.benchmark(samples=IDS_MAY_REPEAT)
    other = '{"country": "France", "capital": "Lyon"}'
    peru = '{"country": "Peru", "capital": "Lima"}'
    project.data.write_text(f"{GOOD}\n{peru}\n{other}\n{other}\n")
    result = project.run(model="oracle")
    assert result.ret == 0
    told_apart = {sample: row["target"] for sample, row in project.rows.items()}
    good, _, lyon, copy = told_apart
    assert told_apart == {good: "Paris", "Peru": "Lima", lyon: "Lyon", copy: "Lyon"}
    assert re.fullmatch(r"France-[0-9a-f]{12}", good)
    assert re.fullmatch(r"France-[0-9a-f]{12}", lyon)
    assert copy == f"{lyon}-copy2"
    by_content, by_number = project.report["tasks"][0]["data_notes"]
    assert by_content == "samples told apart by a hash of their row, their published ids being equal: 2"
    assert by_number.startswith("samples that are exact copies of others: 1 ")
    project.data.write_text(f"{other}\n{other}\n{peru}\n{GOOD}\n")  # the order makes no difference
    project.run(model="oracle")
    assert {sample: row["target"] for sample, row in project.rows.items()} == told_apart
    assert {row["cluster"] for row in project.rows.values()} == {"France", "Peru"}


def test_one_row_does_not_give_one_id_twice(project: Project) -> None:
    project.benchmark(samples=IDS_MAY_REPEAT + IDS_MAY_REPEAT)
    assert "capitals.jsonl:1: sample id 'France' was already used in line 1" in refused(project)


def test_a_malformed_key_is_said_once_without_showing_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abc def")
    said = refused(project)
    assert "OPENAI_API_KEY does not hold an API key" in said
    assert "sk-abc" not in said


def test_a_malformed_address_is_said_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "foo")
    assert "OPENAI_BASE_URL does not hold an address" in refused(project)


def test_two_tests_of_one_case_are_refused(project: Project) -> None:
    project.benchmark(after="\n@TASK.cases\ndef test_again(case):\n    case.measure()\n")
    assert "two tests measure geo/capitals [gpt-4o-mini-France]" in refused(project)


def test_a_models_file_that_was_named_must_exist(project: Project) -> None:
    assert "typo.yaml" in refused(project, "-o", "proctor_models=typo.yaml")


def test_a_data_set_may_be_named_for_a_task_that_k_deselects(project: Project) -> None:
    project.second_benchmark("rivers")
    (project.data.with_name("rivers.jsonl")).write_text(GOOD)
    dataset = f"geo/rivers={project.data}"
    assert project.run("--dataset", dataset, "-k", "test_capitals", model="oracle").ret == 0
    assert {task["task"] for task in project.report["tasks"]} == {"capitals"}


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read(
    project: Project, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    file = project.path / "certificates.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    monkeypatch.setenv("OPENAI_BASE_URL", "https://127.0.0.1:1/v1")
    assert f"SSL_CERT_FILE does not name a file of certificates: {file}: " in refused(project)
