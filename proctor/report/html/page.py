"""Writing report.html: the fixed document, and a run's data in it."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from proctor.calls import sha256_of
from proctor.report.html.blocks import Blocks, element
from proctor.report.html.columns import STATUS_NAMES, CaseColumns, SampleColumns, without_case_lists
from proctor.results import ResultRow, encoded, read_rows
from proctor.selection import SelectedTask, Selection

FILE_NAME = "report.html"
ASSETS = Path(__file__).with_name("assets")
SCRIPTS = (
    *("text.js", "data.js", "numbers.js", "charts.js", "gate.js", "overview.js", "task_page.js"),
    *("graphs.js", "find.js", "case_list.js", "case_page.js", "start.js"),
)
"""The parts of the page's script in the order in which they build on one another."""

PROMPTS_AND_TARGETS = 5_000_000
ANSWERS = 5_000_000
"""Bytes of a page for the texts of samples and of answers: it opens at once up to about 12 MB. What does not fit is in
results.jsonl, and the page says so."""

ANSWER_FIELDS = (
    *("response_text", "prediction", "spans", "scores", "diagnostics", "evidence", "error", "finish_reason", "judging"),
    *("usage", "source", "recorded_at", "attempts", "calls", "prompt_sha256", "request_key"),
)
"""The fields of a row that the page shows with a case, beside those that it sorts by."""

EMPTY: tuple[object, ...] = (None, [], {})

Prompts = Callable[[SelectedTask, str], str | None]
"""``(task, sample id) -> the prompt that the sample's conversation begins with``, if it can be told."""


def save_page(
    folder: Path, selection: Selection, report: Mapping[str, Any], prompts: Prompts = lambda *_: None
) -> None:
    """Write report.html into a run's folder, whole or not at all.

    The rows are read from the folder once and never held, so that memory does not grow with their texts.

    Args:
        folder: The run's folder, with its results.jsonl.
        selection: What the run set out to measure.
        report: The content of report.json.
        prompts: Gives the prompts, which rows do not hold. One that is not the prompt that was sent, by its hash, is
            left out.

    Raises:
        OSError: If it cannot be written.
        DataError: If a row cannot be read.
    """
    scratch = folder / f".{FILE_NAME}.{os.getpid()}"
    try:
        with scratch.open("wb") as page:
            _write(page, folder / "results.jsonl", selection, report, prompts)
        scratch.replace(folder / FILE_NAME)
    finally:
        scratch.unlink(missing_ok=True)


def _write(page: BinaryIO, rows: Path, selection: Selection, report: Mapping[str, Any], prompts: Prompts) -> None:
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    script = "".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    document = (ASSETS / "page.html").read_text(encoding="utf-8")
    filled = document.replace("STYLE_HASH", _hash(style)).replace("SCRIPT_HASH", _hash(script)).replace("STYLE", style)
    before, after = filled.split("DATA\n")
    page.write(before.encode())
    data = _write_texts(page, rows, selection, prompts)
    page.write(element("run", encoded({"report": without_case_lists(report), "statuses": STATUS_NAMES, **data})))
    page.write(after.replace("SCRIPT", script).encode())


def _hash(text: str) -> str:
    """What a content security policy calls the only style or script that a page may have."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _write_texts(page: BinaryIO, rows: Path, selection: Selection, prompts: Prompts) -> dict[str, Any]:
    """Write the texts of all cases, and return what the page finds them by."""
    samples: dict[str, SampleColumns] = {}
    cases: dict[tuple[str, str, str], tuple[SelectedTask, CaseColumns]] = {}
    for chosen in selection.tasks:
        full_name = f"{chosen.benchmark}/{chosen.task}"
        samples.setdefault(full_name, SampleColumns(full_name)).take(chosen.cases)
        cases[chosen.benchmark, chosen.task, chosen.model] = (chosen, CaseColumns(chosen, samples[full_name]))
    asked = Blocks("samples", page, PROMPTS_AND_TARGETS)
    answers = Blocks("answers", page, ANSWERS)
    for row in read_rows(rows):
        selected = cases.get((row["benchmark"], row["task"], row["model"]))
        place = selected[1].place(row) if selected else None
        if selected is None or place is None:
            continue
        task, columns = selected
        fields: Mapping[str, Any] = row
        answer = {name: fields[name] for name in ANSWER_FIELDS if fields.get(name) not in EMPTY}
        columns.take(place, row, answers.add(answer))
        of_task = samples[f"{task.benchmark}/{task.task}"]
        sample = of_task.place[row["sample_id"]]
        if of_task.texts[sample] is None and not asked.full:
            of_task.texts[sample] = asked.add(_sample_record(task, row, prompts))
    asked.flush()
    answers.flush()
    return {
        "samples": [of_task.content() for of_task in samples.values()],
        "cases": [columns.content() for _, columns in cases.values()],
        "starts": {"samples": asked.starts, "answers": answers.starts},
    }


def _sample_record(task: SelectedTask, row: ResultRow, prompts: Prompts) -> dict[str, Any]:
    record = {"target": row["target"], "prompt_sha256": row["prompt_sha256"]}
    prompt = prompts(task, row["sample_id"])
    if prompt is not None:
        found = sha256_of([{"role": "user", "content": prompt}])
        if row["prompt_sha256"] in (found, None):  # a built-in model is not sent the prompt
            record.update(prompt=prompt, prompt_sha256=found)
    return record
