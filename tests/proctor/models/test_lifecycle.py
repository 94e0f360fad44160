"""Models that are shut down, or soon will be: what a live run says of them, and that a replay says nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from capitals import Project
from file_server import FileServer

SHUT_DOWN = "2026-10-23"
JUDGED = """
from proctor import Judged, Role

def examine(sample, response, ask):
    return {"verdict": ask("capitals", role="judge", country=sample.fields["country"]).text}

def judged(sample, response, evidence):
    return score(sample, response)

JUDGE = Role(model="o4-mini", parameters={"temperature": 0}, builtin=lambda values: "yes")
"""


@pytest.fixture
def day(monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda text: monkeypatch.setenv("PROCTOR_TODAY", text)


def asked_of(project: Project, model: str, *args: str) -> pytest.RunResult:
    return project.run("--record-mode", "once", *args, model=model)


def with_judge(project: Project) -> None:
    project.benchmark(
        before=JUDGED, score='Judged(roles={"judge": JUDGE}, examine=examine, score=judged)', builtin="{}"
    )


def test_a_model_that_is_shut_down_is_not_asked(project: Project, day: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    day("2026-10-22")
    assert asked_of(project, "o1", "-k", "France").ret == 0
    asked = project.server.count
    for today in (SHUT_DOWN, "2031-01-01"):
        day(today)
        result = asked_of(project, "o1", "--limit", "3")
        assert (result.ret, project.server.count) == (4, asked)
        result.stderr.fnmatch_lines(
            [
                "*o1 was shut down on 2026-10-23 and cannot be asked for geo/capitals; its provider names gpt-5.6-sol*",
                "*Ask others: pytest --record-mode once --limit 3 --model gpt-5.6-sol",
            ]
        )
    monkeypatch.delenv("OPENAI_API_KEY")  # who has no key is not sent for one in vain
    asked_of(project, "o1", "--limit", "3").stderr.fnmatch_lines(["*o1 was shut down on 2026-10-23*"])
    replayed = project.run("-k", "France", model="o1")
    assert replayed.ret == 0
    assert "was shut down" not in replayed.stdout.str() + replayed.stderr.str()
    # once: all that is recorded is replayed, and nobody has to be asked
    assert asked_of(project, "o1", "-k", "France").ret == 0
    assert project.server.count == asked


def test_a_judge_that_is_shut_down_is_named_with_its_role(project: Project, day: Any) -> None:
    with_judge(project)
    day("2026-11-22")
    result = project.record()
    assert (result.ret, project.server.count) == (4, 0)
    result.stderr.fnmatch_lines(
        [
            "*o4-mini was shut down on 2026-10-23 and cannot be asked for geo/capitals (judge)*gpt-5.6-terra*",
            "*pytest --record-mode once --model gpt-4o-mini --role geo/capitals:judge=gpt-5.6-terra",
        ]
    )
    assert project.record("--role", "geo/capitals:judge=gpt-5.6-terra").ret == 0


def test_all_that_are_shut_down_are_named_at_once(project: Project, day: Any) -> None:
    with_judge(project)
    day("2026-11-22")
    result = project.run("--record-mode", "once", "--model=o3-mini", model="gpt-5-mini")
    assert result.ret == 4
    said = result.stderr.str()
    assert said.count("was shut down on") == 2  # o3-mini, and the judge; gpt-5-mini has three weeks left
    assert "--model=gpt-5.6-sol --model gpt-5-mini --role geo/capitals:judge=gpt-5.6-terra" in said


@pytest.mark.parametrize(("today", "warned"), [("2026-12-14", False), ("2026-12-15", True), ("2027-01-13", True)])
def test_one_that_is_shut_down_within_30_days_warns(project: Project, day: Any, today: str, warned: bool) -> None:
    day(today)
    result = project.record("--limit", "1")
    assert result.ret == 0
    told = "WARNING: gpt-4o-mini, asked for geo/capitals, is shut down on 2027-01-14, in "
    assert (told in result.stdout.str()) is warned
    assert "WARNING" not in project.run("--limit", "1").stdout.str()


def test_an_entry_of_ones_own_has_no_end(project: Project, day: Any) -> None:
    day("2026-11-22")
    (project.path / "models.yaml").write_text("models:\n  mine:\n    provider: openai\n    api_id: o1\n")
    assert asked_of(project, "mine", "--limit", "1").ret == 0


def test_a_date_that_is_none_is_said(project: Project, day: Any) -> None:
    day("soon")
    result = project.record()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*PROCTOR_TODAY does not hold a date*"])


class TestCommand:
    def test_what_is_shut_down_soon_comes_first(self, project: Project, day: Any, capsys: Any) -> None:
        day("2026-11-22")
        assert project.command("models") == 0
        names = [line.split()[0].rstrip("?") for line in capsys.readouterr().out.split("\n\n")[0].splitlines()[1:]]
        soon = ["claude-sonnet-4.5", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "o3", "gpt-4o", "gpt-4o-mini"]
        assert names[:8] == soon
        assert names[12] == "gpt-6.2-astra"  # 2 more until 14 January, and 2 on the 20th: then those that stay
        assert set(names[-11:]) >= {"o4-mini", "gpt-3.5-turbo", "claude-3-5-sonnet"}

    def test_one_name(self, project: Project, day: Any, capsys: Any) -> None:
        day("2026-11-22")
        assert project.command("models", "GPT4oMini") == 0
        facts = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines()[1:])
        assert facts["api"] == "openai-chat"
        assert facts["endpoint"] == f"{project.server.openai_url} (from OPENAI_BASE_URL)"
        assert facts["key"] == "OPENAI_API_KEY (set)"
        assert facts["price"] == "$0.15 in, $0.6 out, cached $0.075, per million tokens (by the library of prices)"
        assert facts["lifecycle"] == "is shut down on 2027-01-14, in 53 days; its provider names gpt-6-luna instead"

    def test_a_password_in_an_address_is_not_shown(
        self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: Any
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "https://me:hunter2@host.example/v1?token=hunter3")
        assert project.command("models", "gpt-4o") == 0
        said = capsys.readouterr().out
        assert "https://host.example/v1 (from OPENAI_BASE_URL)" in said
        assert "hunter" not in said

    def test_for_programs(self, project: Project, capsys: Any) -> None:
        assert project.command("models", "--json", "o4-mini") == 0
        (model,) = json.loads(capsys.readouterr().out)["models"]
        assert (model["shutdown"], model["replacement"]) == ("2026-10-23", "gpt-5.6-terra")
        assert model["source"].startswith("https://")

    def test_an_unknown_name(self, project: Project, capsys: Any) -> None:
        assert project.command("models", "gpt-4o-mni") == 4
        assert "did you mean gpt-4o-mini" in capsys.readouterr().err


def listed(**fields: Any) -> Mapping[str, Any]:
    return {"object": "model", "owned_by": "someone", **fields}


class TestCheck:
    """Against a server that sends what the providers' documents say that theirs send."""

    @pytest.fixture(autouse=True)
    def only_these(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("PROCTOR_TODAY", "2026-11-22")

    def checked(self, project: Project, capsys: Any) -> tuple[int, list[dict[str, Any]]]:
        code = project.command("models", "--check", "--json")
        return code, json.loads(capsys.readouterr().out)

    def test_without_a_key_nobody_is_asked(self, project: Project, capsys: Any) -> None:
        assert project.command("models", "--check") == 4
        assert "no key is set" in capsys.readouterr().err

    def test_openai(self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        entries = [
            listed(id="gpt-4o-mini-2024-07-18", shutdown_date="2027-01-14"),
            listed(id="gpt-4.1", shutdown_date="2027-03-01"),
            listed(id="gpt-6-luna", shutdown_date=None),
            listed(id="gpt-5", shutdown_date=None),
            listed(id="o1", shutdown_date="2026-10-23"),
            listed(id="o4-mini", shutdown_date=None),
        ]
        with FileServer({"/v1/models": json.dumps({"object": "list", "data": entries}).encode()}) as server:
            monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-distinctiveKey0123456789")
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            code, asked = self.checked(project, capsys)
        (openai,) = asked
        found = openai["differences"]
        assert (code, openai["problem"]) == (1, None)
        assert found["gpt-4.1"] == ["it is shut down on 2027-03-01; the registry says 2027-01-14"]
        assert found["gpt-5"] == ["it has no end; the registry says 2026-12-11"]
        assert found["o4-mini"] == ["it is listed, though the registry says that it was shut down on 2026-10-23"]
        assert found["gpt-6-sol"] == ["it is not listed"]
        # as the registry has them; what is shut down need not be listed
        assert not {"gpt-4o-mini", "gpt-6-luna", "o1", "gpt-3.5-turbo"} & set(found)

    def test_anthropic_in_pages(self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        first = [
            listed(id="claude-opus-5-5", lifecycle="active", retires_at=None, max_input_tokens=1_000_000),
            listed(id="claude-sonnet-5-5", lifecycle="active", retires_at=None, max_input_tokens=200_000),
        ]
        second = [listed(id="claude-haiku-5-5", lifecycle="deprecated", retires_at="2027-10-07T00:00:00Z")]
        pages = {
            "/v1/models?limit=1000": {"data": first, "has_more": True, "last_id": "claude-sonnet-5-5"},
            "/v1/models?limit=1000&after_id=claude-sonnet-5-5": {"data": second, "has_more": False},
        }
        with FileServer({path: json.dumps(page).encode() for path, page in pages.items()}) as server:
            monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-distinctiveKey0123456789")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            _, asked = self.checked(project, capsys)
        found = asked[0]["differences"]
        assert found["claude-sonnet-5-5"] == ["its window has 200,000 tokens; the registry says 1,000,000"]
        assert found["claude-haiku-5-5"] == ["it is shut down on 2027-10-07; the registry says nothing"]
        assert "claude-opus-5-5" not in found
        assert "claude-3-5-haiku" not in found

    def test_openrouter(self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        (project.path / "models.yaml").write_text(
            "models:\n  mine:\n    provider: openrouter\n    api_id: a/b\n    price: {input: 1.5, output: 2}\n"
        )
        pricing = {"prompt": "0.0000015", "completion": "0.000003"}
        entries = [
            {"id": "a/b", "context_length": 4096, "pricing": pricing, "expiration_date": None},
            {"id": "anthropic/claude-sonnet-4.5", "expiration_date": "2026-11-30"},
            {"id": "deepseek/deepseek-chat", "expiration_date": "2027-02-01"},
        ]
        with FileServer({"/api/v1/models": json.dumps({"data": entries}).encode()}) as server:
            monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-distinctiveKey0123456789")
            monkeypatch.setenv("OPENROUTER_BASE_URL", f"{server.url}/api/v1")
            _, asked = self.checked(project, capsys)
        found = asked[0]["differences"]
        assert found["mine"] == ["a million tokens of completion cost $3; the registry says $2"]
        assert found["deepseek-chat"] == ["it is shut down on 2027-02-01; the registry says nothing"]
        assert found["qwen-2.5-7b-instruct"] == ["it is not listed"]
        assert not {"claude-sonnet-4.5", "gemini-3-pro-preview"} & set(found)

    def test_one_that_cannot_be_asked_is_said_without_its_key(
        self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: Any
    ) -> None:
        with FileServer({}) as server:
            monkeypatch.setenv("XAI_API_KEY", "xai-distinctiveKey0123456789")
            monkeypatch.setenv("XAI_BASE_URL", f"{server.url}/v1")
            assert project.command("models", "--check") == 1
        said = capsys.readouterr().out
        assert "xai (http://127.0.0.1:" in said
        assert "cannot be asked: 404" in said
        assert "distinctive" not in said
