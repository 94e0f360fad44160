"""report.html and text from outside: it stays text, whatever it is and however long; a large run stays a small page."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from capitals import CAPITALS, Project
from measured_runs import write_run
from playwright.sync_api import Browser, expect
from report_page import NARROW, ReportPage, report_page

from proctor._base.json_values import sha256_of
from proctor.cli.main import main
from proctor.conversations.first_prompt import FirstPrompt
from proctor.report.build import build_report
from proctor.report.html import texts
from proctor.report.html.page import PageWriter
from proctor.results.manifest import Manifest, ManifestCase, ManifestTask
from proctor.results.prompts import PromptsFile, SavedPrompts, prompt_line
from proctor.results.row import append_result, read_results

MEGABYTE = "x" * 2**20
HOSTILE = {
    "France": "<script>document.title = 'taken'; alert(1)</script><img src=x onerror=\"alert(2)\"> [Paris]",
    "Japan": "</textarea></script></style><!-- --><svg onload=alert(3)> &lt;b&gt; [Tokyo]",
    "Peru": "\x1b[31mred\x1b[0m \x00 \x07 [Lima]",
    "Kenya": "\u202eiboriaN\u202c \u2066x\u2069 \u200f \u2028 \u2029 \ud83d [Nairobi] 😀",
    "Cuba": MEGABYTE + "[Havana]",
    "<b onclick='alert(4)'>Mali</b>": "[Bamako]",
}


@pytest.fixture
def hostile(project: Project) -> Path:
    """A report on a model that answers with the texts above."""
    texts = project.path / "texts.json"
    texts.write_text(json.dumps(HOSTILE))
    answer = f"lambda sample, generator: __import__('json').load(open({str(texts)!r}))[sample.id]"
    project.benchmark(builtin=f"{{'oracle': {answer}}}")
    rows = zip(HOSTILE, CAPITALS.values(), strict=True)
    project.write_rows(
        [{"country": country, "capital": capital, "continent": "</script><i>x</i>"} for country, capital in rows]
    )
    assert project.run(model="oracle").ret == 0
    return project.folders[-1] / "report.html"


@pytest.fixture
def shown(browser: Browser, hostile: Path) -> Iterator[ReportPage]:
    with report_page(browser, hostile) as page:
        yield page


def response(shown: ReportPage, sample: str) -> Any:
    """The block with the response to a sample."""
    shown.case("geo/capitals", sample, "oracle")
    return shown.answer("oracle").locator(".text").first


def test_markup_is_shown_as_text(shown: ReportPage) -> None:
    for sample in ("France", "Japan"):
        assert response(shown, sample).inner_text() == HOSTILE[sample]
        assert shown.answer("oracle").locator("script, img, textarea, b, i, .text svg").count() == 0
    odd = next(name for name in HOSTILE if name.startswith("<b"))
    shown.case("geo/capitals", odd, "oracle")
    assert shown.page.locator("h2").inner_text() == odd
    assert "</script><i>x</i>" in shown.page.locator(".tags").inner_text()
    shown.list(tag="continent=</script><i>x</i>")
    assert shown.found() == len(HOSTILE)
    assert "taken" not in shown.page.title()


def test_characters_that_would_hide_are_made_visible(shown: ReportPage) -> None:
    assert response(shown, "Peru").inner_text() == "␛[31mred␛[0m ␀ ␇ [Lima]"
    text = response(shown, "Kenya")
    assert text.inner_text() == "U+202EiboriaNU+202C U+2066xU+2069 U+200F U+2028 U+2029 U+D83D [Nairobi] 😀"
    assert text.locator(".hidden-character").count() == 8


def test_a_megabyte_without_a_space_is_cut_and_can_be_shown_whole(browser: Browser, hostile: Path) -> None:
    with report_page(browser, hostile, viewport=NARROW) as shown:
        text = response(shown, "Cuba")
        assert text.inner_text() == MEGABYTE[:4000]
        assert not shown.too_wide()
        shown.page.get_by_role("button", name="Show all 1,048,584 characters").click()
        expect(text).to_contain_text("[Havana]")
        assert not shown.too_wide()
        shown.list(q="[havana]")
        assert shown.found() == 1
        assert not shown.too_wide()


# ---- rows that this project does not make: judged, without prompts, or very many

NAMES = ("m-1", "m-2", "m-3")


def manifest(samples: Sequence[str], models: Sequence[str]) -> Manifest:
    cases = tuple(
        ManifestCase(sample, place, 1, sample, {"domain": f"d{place % 25}"}) for place, sample in enumerate(samples)
    )
    run = {"id": "r", "started": datetime(2026, 1, 2, tzinfo=UTC).isoformat(), "command": "pytest", "git_commit": None}
    tasks = [
        ManifestTask("b", "t", model, f"{model}-1", {"f1": 0.0}, "d.jsonl", "0", None, {"p": "0"}, "t.py", False, cases)
        for model in models
    ]
    return Manifest(run, tuple(tasks))


def row(task: ManifestTask, case: ManifestCase, **fields: Any) -> Any:
    return {
        "schema_version": 1, "run_id": "r", "benchmark": "b", "task": "t", "model": task.model, "epoch": 1,
        "sample_id": case.sample_id, "status": "scored", "diagnostics": {}, "prediction": "p", "target": "q",
        "scores": {"official": {"f1": 0.5}, "strict": {"f1": 0.5}}, "response_text": "answer", "finish_reason": "stop",
        "usage": {"input_tokens": 1, "output_tokens": 1, "cached_tokens": None, "reasoning_tokens": None},
        "cost_usd": 0.01, "latency_s": 1.0, "attempts": 1, "source": "replayed", "judging": {}, "evidence": None,
        "recorded_at": "2026-01-01T00:00:00Z", "prompt_sha256": "1" * 64, "calls": [], "error": None, "spans": [],
        **fields,
    }  # fmt: skip


def hash_of(prompt: str) -> str:
    """What a row calls the prompt's hash."""
    return sha256_of([{"role": "user", "content": prompt}])


def save_page(folder: Path, chosen: Manifest, report: Mapping[str, Any]) -> None:
    """Write report.html of the rows and prompts in a folder."""
    with PageWriter(folder, chosen, SavedPrompts([folder])) as page:
        for each in read_results(folder / "results.jsonl"):
            page.take(each)
        page.save(report)


def save(folder: Path, chosen: Manifest, rows: Sequence[Any], prompts: Mapping[str, str] | None = None) -> Path:
    """Write report.html of these rows, and of these prompts by sample."""
    kept = PromptsFile(folder)
    for sample, prompt in (prompts or {}).items():
        kept.take(prompt_line("b/t", sample, FirstPrompt((prompt,), hash_of(prompt)), str))
    for each in rows:
        append_result(folder / "results.jsonl", each)
    report = build_report(chosen, rows, finished=datetime(2026, 1, 3, tzinfo=UTC))
    save_page(folder, chosen, report)
    return folder / "report.html"


def test_evidence_opens_as_a_tree_and_judges_speak_as_text(browser: Browser, tmp_path: Path) -> None:
    chosen = manifest(["s"], ["m-1"])
    said = "I judge <b>this</b>:\nwell done"
    lists = {"votes": [{"judge": ["a"], "reply": said, "score": 4}, {"judge": ["b"], "reply": "no", "score": 1}]}
    evidence = {"seen": lists, "steps": [{"step": "<i>one</i>", "judge": "correct"}, {"step": "two", "judge": "wrong"}]}
    (task,) = chosen.tasks
    file = save(tmp_path, chosen, [row(task, task.cases[0], evidence=evidence, status="judge_failed")])
    with report_page(browser, file) as shown:
        shown.case("b/t", "s", "m-1")
        judging = shown.answer("m-1").locator("details.tree").first
        closed = judging.locator("details:not([open]) > summary")
        while closed.count():  # each level is there once the one above is open
            closed.first.click()
            # It is filled once the browser has said that it opened.
            shown.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert judging.locator(".text").inner_text() == said
        steps = shown.answer("m-1").locator("table.records tbody").inner_text()
        assert steps.splitlines() == ["<i>one</i>\tcorrect", "two\twrong"]
        assert "score: 4" in judging.inner_text()
        assert "not measured" in shown.answer("m-1").inner_text()


def test_a_page_without_prompts_says_so(browser: Browser, tmp_path: Path) -> None:
    chosen = manifest(["s", "lost"], ["m-1"])
    (task,) = chosen.tasks
    # A prompt that is not the one that was sent is none.
    file = save(tmp_path, chosen, [row(task, task.cases[0])], prompts={"s": "another prompt"})
    with report_page(browser, file) as shown:
        shown.case("b/t", "s", "m-1")
        question = shown.page.locator("section[aria-label=Question]").inner_text()
        assert "The prompt is not in this page" in question
        assert "another prompt" not in question
        shown.case("b/t", "lost", "m-1")
        assert "never finished" in shown.answer("m-1").inner_text()


def test_spans_count_characters_as_python_does(browser: Browser, tmp_path: Path) -> None:
    text = "😀😀 so [Paris]"
    start = text.index("Paris")
    chosen = manifest(["s"], ["m-1"])
    (task,) = chosen.tasks
    file = save(tmp_path, chosen, [row(task, task.cases[0], response_text=text, spans=[[start, start + 5]])])
    with report_page(browser, file) as shown:
        shown.case("b/t", "s", "m-1")
        assert shown.answer("m-1").locator("mark").inner_text() == "Paris"


def test_a_gate_comes_first_and_says_whether_it_holds(browser: Browser, tmp_path: Path) -> None:
    chosen = manifest(["s"], ["m-1"])
    (task,) = chosen.tasks
    (tmp_path / "results.jsonl").write_text(json.dumps(row(task, task.cases[0])) + "\n")
    floor = {"task": "b/t", "model": "m-1", "metric": "f1", "family": "strict", "at_least": 0.6, "value": 0.5}
    gate: dict[str, Any] = {"holds": False, "unmeasured": 0, "baseline": None, "against_baseline": []}
    report = build_report(chosen, [row(task, task.cases[0])], finished=datetime(2026, 1, 3, tzinfo=UTC))
    save_page(tmp_path, chosen, {**report, "gate": {**gate, "floors": [{**floor, "ci95": None, "holds": False}]}})
    with report_page(browser, tmp_path / "report.html") as shown:
        first = shown.open().page.locator("section").first.inner_text()
        assert "The gate does not hold" in first
        assert "0.5000" in first
        assert "at least 0.6000" in first


def test_2791_cases_of_three_models_fit_into_12_megabytes(browser: Browser, tmp_path: Path) -> None:
    """Texts as long as the official ones, of random words: real ones repeat themselves more, and take less room."""
    random_source = random.Random(5)
    vocabulary = ["".join(random_source.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(800)]

    def text(count: int) -> str:
        return " ".join(random_source.choices(vocabulary, k=count))

    chosen = manifest([f"sample-{number}" for number in range(2791)], NAMES)
    prompts = {case.sample_id: text(550) for case in chosen.tasks[0].cases}  # 3.8 kB
    sent = {sample: hash_of(prompt) for sample, prompt in prompts.items()}
    rows = [
        row(task, case, response_text=text(60), prompt_sha256=sent[case.sample_id])
        for task in chosen.tasks
        for case in task.cases
    ]
    file = save(tmp_path, chosen, rows, prompts=prompts)
    assert file.stat().st_size < 12_000_000
    with report_page(browser, file) as shown:
        shown.open()
        assert "8,373 cases" in shown.page.locator("header").inner_text()
        shown.list(sort="-output_tokens", page="3")
        assert shown.found() == 8373
        shown.case("b/t", "sample-0", "m-2")
        assert prompts["sample-0"][-200:] in shown.page.locator("section[aria-label=Question]").inner_text()


def test_a_task_of_130000_cases_is_drawn(browser: Browser, tmp_path: Path) -> None:
    chosen = manifest([f"s{number}" for number in range(130_000)], ["m-1"])
    (task,) = chosen.tasks
    empty = {"official": {"f1": 0.0}, "strict": {"f1": 0.0}}
    rows = [row(task, case, scores=empty, prediction=None) for case in task.cases[1:]]
    file = save(tmp_path, chosen, [row(task, task.cases[0]), *rows])
    with report_page(browser, file) as shown:
        bars = shown.open("#/task/b%2Ft").page.locator("section[aria-label='How scores are spread'] rect title")
        # Tenths: 0.5 is the worth of one case.
        assert [bar for bar in bars.all_text_contents() if not bar.startswith("0 ")][1].startswith("1 cases")


def test_long_names_are_cut_between_characters(browser: Browser, tmp_path: Path) -> None:
    name = "😀" * 70
    chosen = manifest([name], ["m-1"])
    (task,) = chosen.tasks
    file = save(tmp_path, chosen, [row(task, task.cases[0], prediction=name)])
    with report_page(browser, file) as shown:
        (line,) = shown.list()
        assert line.count("😀" * 29 + "…") == 2  # the sample and the answer
        assert "U+D83D" not in line


def test_the_spread_over_epochs_is_shown(browser: Browser, tmp_path: Path) -> None:
    write_run(tmp_path / "r", {"m": {"a": 1, "b": 0.5, "a-epoch2": 0.5, "b-epoch2": 0.25}})
    assert main(["report", str(tmp_path / "r")]) == 0
    with report_page(browser, tmp_path / "r/report.html") as shown:
        # The epochs are worth 0.75 and 0.375: their mean is 0.5625, and they lie 0.1875 from it.
        first = shown.open().page.locator("section[aria-labelledby=all]")
        assert "± is the standard deviation over epochs." in first.inner_text()
        assert first.locator("td.strict").inner_text() == "0.5625 ±0.2652"
        metrics = shown.open("#/task/b%2Ft").page.locator("section[aria-label=Metrics]")
        assert metrics.locator(".value").all_inner_texts() == ["0.5625 ±0.2652"] * 2


def test_every_model_has_answers_and_a_search_says_what_it_cannot_find(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "ANSWERS", 100_000)
    source = random.Random(1)
    chosen = manifest([f"s{number}" for number in range(200)], NAMES)
    rows = [
        row(task, case, response_text="needle " + "".join(source.choices("abcdefghijklmnopqrstuvwxyz ", k=2000)))
        for task in chosen.tasks
        for case in task.cases
    ]
    with report_page(browser, save(tmp_path, chosen, rows)) as shown:
        found = {}
        for model in ("m-1", "m-2", "m-3"):
            shown.list(q="needle", model=model)
            found[model] = shown.found()
        assert min(found.values()) > 10
        assert max(found.values()) < 1.3 * min(found.values())
        shown.list(q="needle")
        assert shown.found() == sum(found.values())
        note = shown.page.locator(".cut").inner_text()
        assert all(f"b/t {model}: {200 - kept} of 200 answers" in note for model, kept in found.items())
        assert "not searched" in note
