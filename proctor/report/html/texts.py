"""The texts and media of a run's cases, written into a page row by row."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, BinaryIO

from proctor._base.json_values import encoded
from proctor.conversations.first_prompt import FirstPrompt
from proctor.media.medium import Media
from proctor.report.html.blocks import Blocks
from proctor.report.html.columns import CaseColumns, SampleColumns
from proctor.report.html.media import PageMedia
from proctor.report.html.shares import FairShares
from proctor.results.identity import TaskModel
from proctor.results.manifest import Manifest, ManifestTask
from proctor.results.prompts import SavedPrompts
from proctor.results.row import ROWS_NAME, ResultRow

PROMPTS_AND_TARGETS = 5_000_000
ANSWERS = 5_000_000
MEDIA = 5_000_000
"""Bytes of a page for the texts of samples, for those of answers, and for small pictures: it opens at once up to about
12 MB, and pictures are not unpacked before they are looked at. What does not fit is in results.jsonl, and the page says
so."""

ANSWER_FIELDS = (
    *("response_text", "prediction", "spans", "scores", "diagnostics", "evidence", "error", "finish_reason", "judging"),
    *("reasoning_text", "seen_text", "answered_by", "usage", "source", "recorded_at", "attempts", "calls"),
    *("prompt_sha256", "request_key"),
)
"""The fields of a row that the page shows with a case, beside those that it sorts by."""

LONG_FIELDS = frozenset({"reasoning_text", "seen_text"})
LONGEST = 4_000
"""Characters of such a field: what models think would leave no room for what they answer."""

EMPTY: tuple[object, ...] = (None, [], {})


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters; all are in {ROWS_NAME})"


def _short_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call with as much of a judge's prompt and reply as the page has room for; of a prompt the end tells most."""
    short = dict(call)
    if len(short.get("prompt", "")) > LONGEST:
        short["prompt"] = f"({len(call['prompt']):,} characters; all are in {ROWS_NAME}) …{call['prompt'][-LONGEST:]}"
    if "reply" in short:
        short["reply"] = _cut(short["reply"])
    return short


class CaseTexts:
    """Writes the texts and media of all cases into a page, and knows what the page finds them by.

    Args:
        page: The page.
        manifest: What the run set out to measure.
        prompts: Tells what rows do not hold. A prompt that is not the one that was sent, by its hash, is left out.
        whole: Whether all texts are written, whatever their size.
    """

    def __init__(self, page: BinaryIO, manifest: Manifest, prompts: SavedPrompts, *, whole: bool = False) -> None:
        self._prompts = prompts
        self._samples: dict[str, SampleColumns] = {}
        self._cases: dict[TaskModel, tuple[ManifestTask, CaseColumns]] = {}
        for chosen in manifest.tasks:
            samples = self._samples.setdefault(chosen.name, SampleColumns(chosen.name))
            samples.take(chosen.cases)
            self._cases[chosen.identity] = (chosen, CaseColumns(chosen, samples))
        self._whole = whole
        asked, answers, media = (sys.maxsize,) * 3 if whole else (PROMPTS_AND_TARGETS, ANSWERS, MEDIA)
        self._asked = Blocks("samples", page, asked)
        self._answers = Blocks("answers", page, answers)
        self._media = PageMedia(page, media)
        # A little less than there is: the last block of each kind is packed when its records are counted already.
        self._asked_shares = FairShares(
            0.95 * asked, {name: len(samples.positions) for name, samples in self._samples.items()}
        )
        self._answer_shares = FairShares(0.95 * answers, {task.identity: len(task.cases) for task in manifest.tasks})
        self._sent: dict[tuple[str, int], str | None] = {}
        self._with_media: dict[tuple[str, int], FirstPrompt | None] = {}

    def take(self, row: ResultRow) -> None:
        """Take up a row; one of a case that was not selected is left out."""
        selected = self._cases.get(TaskModel.of(row))
        position = selected[1].position(row) if selected else None
        if selected is None or position is None:
            return
        task, columns = selected
        of_task = self._samples[task.name]
        sample = of_task.positions[row["sample_id"]]
        if of_task.texts[sample] is None and not self._asked.full and self._asked_shares.may_have_room(of_task.task):
            record = encoded(self._sample_record(task, row, (of_task.task, sample)))
            if self._asked_shares.has_room(of_task.task, self._asked.room(record)):
                of_task.texts[sample] = self._asked.add_line(record)
        columns.take(position, row, self._answer(task, row, (of_task.task, sample)))

    def _answer(self, task: ManifestTask, row: ResultRow, sample: tuple[str, int]) -> int | None:
        """The number of the record of a row's answer, if there was room for it."""
        if self._answers.full or not self._answer_shares.may_have_room(task.identity):
            return None
        record = encoded(self._answer_record(task, row, sample))
        if not self._answer_shares.has_room(task.identity, self._answers.room(record)):
            return None
        return self._answers.add_line(record)

    def content(self) -> dict[str, Any]:
        """What the page finds texts and media by, once all rows are taken."""
        for blocks in (self._asked, self._answers, self._media):
            blocks.flush()
        return {
            "samples": [of_task.content() for of_task in self._samples.values()],
            "cases": [columns.content() for _, columns in self._cases.values()],
            "starts": {"samples": self._asked.starts, "answers": self._answers.starts, "media": self._media.starts},
            "media_left_out": self._media.left_out,
        }

    def _sample_record(self, task: ManifestTask, row: ResultRow, sample: tuple[str, int]) -> dict[str, Any]:
        record = {"target": row["target"], "prompt_sha256": row["prompt_sha256"]}
        prompt = self._prompts.first(task.name, row["sample_id"], row["prompt_sha256"])
        # A built-in model is not sent the prompt, nor is one whose responses are given.
        sent = prompt is not None and row["prompt_sha256"] in (prompt.sha256, None)
        if prompt is not None and sent:
            record.update(prompt=self._shown(prompt), prompt_sha256=prompt.sha256)
        self._sent[sample] = record["prompt_sha256"]
        if prompt is not None and prompt.has_media:
            self._with_media[sample] = prompt if sent else None
        return record

    def _shown(self, prompt: FirstPrompt) -> Any:
        """A text, or a list of texts and references to media."""
        pieces = [self._media.reference(piece) if isinstance(piece, Media) else piece for piece in prompt.pieces]
        return pieces if prompt.has_media else "".join(map(str, pieces))

    def _answer_record(self, task: ManifestTask, row: ResultRow, sample: tuple[str, int]) -> dict[str, Any]:
        fields: Mapping[str, Any] = row
        answer = {name: fields[name] for name in ANSWER_FIELDS if fields.get(name) not in EMPTY}
        for name in () if self._whole else LONG_FIELDS & answer.keys():
            answer[name] = _cut(answer[name])
        answer["calls"] = [call if self._whole else _short_call(call) for call in row.get("calls", ())]
        if self._has_other_prompt(task, row, sample):
            answer["other_prompt"] = True
        made = self._prompts.response_media(row)
        if made:
            answer["media"] = [self._media.reference(medium) for medium in made]
        return answer

    def _has_other_prompt(self, task: ManifestTask, row: ResultRow, sample: tuple[str, int]) -> bool:
        """Whether a row's model was asked with another prompt than the one that the page shows.

        Models are shown one and the same picture in different sizes, so that hashes alone do not tell: the prompt is
        rebuilt as this model is asked it.
        """
        sent, shown = row["prompt_sha256"], self._sent.get(sample)
        if sent is None or shown is None or sent == shown:
            return False
        if sample not in self._with_media:
            return True
        prompt = self._with_media[sample]
        if prompt is None:
            return False  # there is none above, and nothing is known of what the other was
        mine = self._prompts.first(task.name, row["sample_id"], row["prompt_sha256"])
        return mine is None or mine.sha256 != sent or mine.pieces != prompt.pieces
