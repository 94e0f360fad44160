"""What a model thinks is kept apart from what it answers; who answered is told from what was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from capitals import Project, answers
from playwright.sync_api import Browser, expect
from report_page import report_page
from stub_server import Answer, Request

from proctor.providers import read_reply
from proctor.statistics.answerers import same_model
from proctor.tasks.call import Answerer, Usage

OFFICIAL_FIRST = """\
found = re.findall(r"\\[(.*?)\\]", response)
return Score(
    found[-1] if found else None,
    {"accuracy": float(found[:1] == [sample.target])},
    {"accuracy": float(found[-1:] == [sample.target])},
    parsed=bool(found),
)
"""


def chat(message: Mapping[str, Any], finish: str = "stop", **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return json.dumps({"model": "m-1", "choices": [choice], **more}).encode()


@pytest.mark.parametrize(
    ("content", "text", "reasoning", "reason"),
    [
        ("[x]", "[x]", "", "stop"),
        ("<think>hm</think>[x]", "[x]", "hm", "stop"),
        ("\n<think>\nhm\n</think>\n\n[x]\n", "[x]\n", "hm", "stop"),
        ("hm\n</think>\n\n[x]", "[x]", "hm", "stop"),  # the prompt's template has opened it
        ("<think></think>[x]", "[x]", "", "stop"),
        ("<think>a</think><think>b</think>[x]", "[x]", "a\n\nb", "stop"),
        ("<think>a [y] and", "", "a [y] and", "length"),
        ("<think>a</think><think>b", "", "a\n\nb", "length"),
        ("write <think> in HTML", "write <think> in HTML", "", "stop"),
        ("write <think>a</think> in HTML", "write <think>a</think> in HTML", "", "stop"),
    ],
)
def test_thoughts_in_the_text(content: str, text: str, reasoning: str, reason: str) -> None:
    reply = read_reply("openai-chat", chat({"content": content}))
    assert (reply.text, reply.reasoning, reply.finish_reason) == (text, reasoning, reason)
    assert reply.seen == (None if text == content else content)


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_thoughts_in_the_text_of_any_api(api: str) -> None:
    request = Request("", {}, {"model": "m"}, api)
    reply = read_reply(api, Answer("<think>hm</think>[x]").content(request))
    assert (reply.text, reply.reasoning, reply.seen) == ("[x]", "hm", "<think>hm</think>[x]")


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("openai-chat", chat({"content": "[x]", "reasoning_content": "hm"})),  # DeepSeek, Kimi, vLLM
        ("openai-chat", chat({"content": "[x]", "reasoning": "hm", "reasoning_details": []})),  # OpenRouter
        (
            "openai-chat",  # Mistral
            chat(
                {
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                        {"type": "text", "text": "[x]"},
                    ]
                }
            ),
        ),
        (
            "openai-responses",
            json.dumps(
                {
                    "model": "m-1",
                    "status": "completed",
                    "output": [
                        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                        {"type": "message", "content": [{"type": "output_text", "text": "[x]"}]},
                    ],
                }
            ).encode(),
        ),
        (
            "anthropic-messages",
            json.dumps(
                {
                    "model": "m-1",
                    "content": [
                        {"type": "thinking", "thinking": "", "signature": "abc"},  # omitted, as by default
                        {"type": "thinking", "thinking": "hm", "signature": "abc"},
                        {"type": "redacted_thinking", "data": "xyz"},
                        {"type": "text", "text": "[x]"},
                    ],
                    "stop_reason": "end_turn",
                }
            ).encode(),
        ),
    ],
)
def test_thoughts_beside_the_text(api: str, body: bytes) -> None:
    reply = read_reply(api, body)
    assert (reply.text, reply.reasoning, reply.seen, reply.finish_reason) == ("[x]", "hm", None, "stop")
    assert reply.answerer == Answerer("m-1")


def test_the_official_score_sees_the_thoughts_and_the_strict_one_the_answer(project: Project) -> None:
    project.benchmark(scoring=OFFICIAL_FIRST)
    project.server.script = lambda r: f"<think>Is it [Rome]? No.</think>\n{answers(r)}"
    result = project.record("-k", "France or Japan")
    assert result.ret == 0
    row = project.rows["France"]
    assert row["response_text"] == "[Paris]"
    assert row["reasoning_text"] == "Is it [Rome]? No."
    assert row["seen_text"] == "<think>Is it [Rome]? No.</think>\n[Paris]"
    assert row["scores"] == {"official": {"accuracy": 0.0}, "strict": {"accuracy": 1.0}}
    assert row["prediction"] == "Paris"
    assert project.run("-k", "France or Japan").ret == 0
    replayed = project.rows["France"]
    assert all(replayed[name] == row[name] for name in ("scores", "response_text", "reasoning_text", "seen_text"))
    folder = project.folders[-1]
    assert project.command("rescore", str(folder)) == 0
    assert project.command("export", str(folder), "--out", "given") == 0
    (line, *_) = (project.path / "given/gpt-4o-mini/capitals.jsonl").read_text().splitlines()
    assert json.loads(line)["response"] == row["seen_text"]
    assert project.run("-k", "France or Japan", "--responses", "given").ret == 0
    assert project.rows["France"]["scores"] == row["scores"]
    assert project.rows["France"]["reasoning_text"] == row["reasoning_text"]
    assert "Is it [Rome]" in (folder / "results.jsonl").read_text()


def test_thoughts_without_an_end_are_truncated(project: Project) -> None:
    project.server.script = "<think>It may be [Paris], or"
    assert project.record("-k", "France").ret == 0
    row = project.rows["France"]
    assert (row["status"], row["response_text"], row["finish_reason"]) == ("truncated", "", "length")
    assert row["scores"] == {"official": {"accuracy": 1.0}, "strict": {"accuracy": 0.0}}


def test_a_later_turn_repeats_the_answer_without_the_thoughts(project: Project) -> None:
    project.benchmark(
        imports="Placeholders, Question, Sample, Score, Task",
        converse='first = ask("capitals", country=sample.fields["country"])\n'
        'return ask("capitals", Question("capitals", {"country": "x"}), first, country="France")',
    )
    project.server.script = "<think>hm</think>[Paris]"
    assert project.record("-k", "France").ret == 0
    assert project.server.requests[-1].json["messages"][1] == {"role": "assistant", "content": "[Paris]"}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        # xAI: 9 tokens of answer, 94 of thought
        (
            {
                "prompt_tokens": 32,
                "completion_tokens": 9,
                "total_tokens": 135,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            Usage(32, 103, None, 94),
        ),
        # Gemini, which does not say what the rest of the total is
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}, Usage(10, 30, None, 25)),
        # OpenAI: thoughts are part of the completion
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 30,
                "total_tokens": 40,
                "completion_tokens_details": {"reasoning_tokens": 25},
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 6},
            },
            Usage(10, 30, 4, 25, 6),
        ),
        # totals that fit nothing
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 30,
                "total_tokens": 77,
                "completion_tokens_details": {"reasoning_tokens": 25},
            },
            Usage(10, 30, None, 25),
        ),
        ({"completion_tokens": 30, "total_tokens": 77}, Usage(None, 30)),
    ],
)
def test_thoughts_that_a_provider_leaves_out_of_its_count_are_counted(usage: object, expected: Usage) -> None:
    assert read_reply("openai-chat", chat({"content": "x"}, usage=usage)).usage == expected


@pytest.mark.parametrize(
    ("asked", "stated", "same"),
    [
        ("gpt-4.1", "gpt-4.1-2025-04-14", True),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini", True),
        ("claude-haiku-5-5", "claude-haiku-5-5", True),
        ("anthropic/claude-haiku-4.5", "anthropic/claude-haiku-4.5-20251001", True),
        ("mistralai/mistral-large-2512", "mistral-large-2512", True),
        ("meta/llama:free", "meta/llama", True),
        ("gemini-4-argon", "models/gemini-4-argon-001", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-6-sol", "gpt-6-sol-pro", False),
        ("gemini-2.5-pro", "gemini-3.8-flash", False),
        ("gpt-4", "gpt-4.1", False),
        ("o1", "o1-pro", False),
    ],
)
def test_a_snapshot_is_the_model_asked_for(asked: str, stated: str, same: bool) -> None:
    assert same_model(asked, stated) is same


class TestWhoAnswered:
    def body(self, request: Request, **stated: str) -> Answer:
        said = {"model": "gpt-4o-mini-2024-07-18", "system_fingerprint": "fp_1", **stated}
        return Answer(body=chat({"content": answers(request)}, **said))

    def test_what_is_stated_is_in_rows_and_report(self, project: Project) -> None:
        project.server.script = lambda r: self.body(r, provider="Some Host")
        result = project.record()
        expected = {"model": "gpt-4o-mini-2024-07-18", "provider": "Some Host", "fingerprint": "fp_1"}
        assert [row["answered_by"] for row in project.rows.values()] == [[expected]] * 5
        (entry,) = project.report["tasks"][0]["answered_by"]
        assert entry == {"role": "answer", **expected, "cases": 5, "asked_for": True}
        assert "which is not the model" not in result.stdout.str()
        assert "| Some Host | fp_1 | 5 | yes |" in (project.folders[-1] / "report.md").read_text()

    def test_another_model_and_a_change_are_told(self, project: Project) -> None:
        project.server.script = lambda r: (
            self.body(r, model="gpt-4.1-nano", system_fingerprint="fp_2") if "Peru" in r.question else self.body(r)
        )
        result = project.record()
        lines = [
            "geo/capitals gpt-4o-mini: 1 answered by gpt-4.1-nano, which is not the model that was asked for",
            "geo/capitals gpt-4o-mini: the model that answered changed: gpt-4o-mini-2024-07-18 (4), gpt-4.1-nano (1)",
            "geo/capitals gpt-4o-mini: the fingerprint that answered changed: fp_1 (4), fp_2 (1)",
        ]
        said = result.stdout.str()
        assert all(line in said for line in lines)
        assert "| gpt-4.1-nano | – | fp_2 | 1 | no |" in (project.folders[-1] / "report.md").read_text()

    def test_rows_from_before_say_nothing(self, project: Project) -> None:
        project.record()
        file = project.folders[-1] / "results.jsonl"
        newer = ("answered_by", "reasoning_text", "seen_text")
        old = [{k: v for k, v in json.loads(line).items() if k not in newer} for line in file.read_text().splitlines()]
        file.write_text("".join(json.dumps(row) + "\n" for row in old))
        assert project.command("report", str(file.parent), "--out", "again") == 0
        report = json.loads((project.path / "again/report.json").read_text())
        assert report["tasks"][0]["answered_by"] == []


def test_report_html_shows_thoughts_beside_the_answer_and_as_text(browser: Browser, project: Project) -> None:
    thought = "Is it <img src=x onerror='alert(1)'>?"
    project.server.script = f"<think>{thought} {'x' * 5_000}</think>[Paris]"
    assert project.record("-k", "France").ret == 0
    with report_page(browser, project.folders[-1] / "report.html") as page:
        answer = page.case("geo/capitals", "France", "gpt-4o-mini").answer("gpt-4o-mini")
        answer.get_by_text("Reasoning, before the response").click()
        expect(answer).to_contain_text(thought)
        answer.get_by_role("button", name="Show all").click()
        expect(answer).to_contain_text(f"({len(thought) + 5_001:,} characters; all are in results.jsonl)")
        expect(answer).to_contain_text("[Paris]")
        expect(answer).to_contain_text("the reasoning too")
        assert page.said == []
