"""The texts and media of a run's cases, written into a page row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from proctor.media.medium import Media
from proctor.report.html.blocks import Blocks
from proctor.report.html.columns import CaseColumns, SampleColumns
from proctor.report.html.media import PageMedia
from proctor.results import ResultRow
from proctor.selection import SelectedTask, Selection

if TYPE_CHECKING:
    from proctor.report.rebuilt_prompts import RebuiltPrompt

PROMPTS_AND_TARGETS = 5_000_000
ANSWERS = 5_000_000
MEDIA = 5_000_000
"""Bytes of a page for the texts of samples, for those of answers, and for small pictures: it opens at once up to about
12 MB, and pictures are not unpacked before they are looked at. What does not fit is in results.jsonl, and the page says
so."""

ANSWER_FIELDS = (
    *("response_text", "prediction", "spans", "scores", "diagnostics", "evidence", "error", "finish_reason", "judging"),
    *("usage", "source", "recorded_at", "attempts", "calls", "prompt_sha256", "request_key"),
)
"""The fields of a row that the page shows with a case, beside those that it sorts by."""

EMPTY: tuple[object, ...] = (None, [], {})


class Prompts(Protocol):
    """Tells of a case what its row does not hold; see `proctor.report.rebuilt_prompts.RebuiltPrompts`."""

    def first(self, selected: SelectedTask, sample_id: str, /) -> RebuiltPrompt | None:
        """The prompt that the conversation about a sample begins with, if it can be told."""

    def response_media(self, selected: SelectedTask, sample_id: str, response: str, /) -> Sequence[Media]:
        """The media that a response stands for."""


class NoPrompts:
    """`Prompts` that tell nothing."""

    def first(self, selected: SelectedTask, sample_id: str, /) -> RebuiltPrompt | None:  # noqa: ARG002
        """Nothing."""
        return None

    def response_media(self, selected: SelectedTask, sample_id: str, response: str, /) -> Sequence[Media]:  # noqa: ARG002
        """None."""
        return ()


class CaseTexts:
    """Writes the texts and media of all cases into a page, and knows what the page finds them by.

    Args:
        page: The page.
        selection: What the run set out to measure.
        prompts: Tells what rows do not hold. A prompt that is not the one that was sent, by its hash, is left out.
    """

    def __init__(self, page: BinaryIO, selection: Selection, prompts: Prompts) -> None:
        self._prompts = prompts
        self._samples: dict[str, SampleColumns] = {}
        self._cases: dict[tuple[str, str, str], tuple[SelectedTask, CaseColumns]] = {}
        for chosen in selection.tasks:
            name = f"{chosen.benchmark}/{chosen.task}"
            self._samples.setdefault(name, SampleColumns(name)).take(chosen.cases)
            columns = CaseColumns(chosen, self._samples[name])
            self._cases[chosen.benchmark, chosen.task, chosen.model] = (chosen, columns)
        self._asked = Blocks("samples", page, PROMPTS_AND_TARGETS)
        self._answers = Blocks("answers", page, ANSWERS)
        self._media = PageMedia(page, MEDIA)
        self._sent: dict[tuple[str, int], str | None] = {}
        self._with_media: dict[tuple[str, int], RebuiltPrompt | None] = {}

    def take(self, row: ResultRow) -> None:
        """Take up a row; one of a case that was not selected is left out."""
        selected = self._cases.get((row["benchmark"], row["task"], row["model"]))
        place = selected[1].place(row) if selected else None
        if selected is None or place is None:
            return
        task, columns = selected
        of_task = self._samples[f"{task.benchmark}/{task.task}"]
        sample = of_task.place[row["sample_id"]]
        if of_task.texts[sample] is None and not self._asked.full:
            of_task.texts[sample] = self._asked.add(self._sample_record(task, row, (of_task.task, sample)))
        answer = self._answer_record(task, row, (of_task.task, sample))
        columns.take(place, row, None if answer is None else self._answers.add(answer))

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

    def _sample_record(self, task: SelectedTask, row: ResultRow, sample: tuple[str, int]) -> dict[str, Any]:
        record = {"target": row["target"], "prompt_sha256": row["prompt_sha256"]}
        prompt = self._prompts.first(task, row["sample_id"])
        # A built-in model is not sent the prompt, nor is one whose responses are given.
        sent = prompt is not None and row["prompt_sha256"] in (prompt.sha256, None)
        if prompt is not None and sent:
            record.update(prompt=self._shown(prompt), prompt_sha256=prompt.sha256)
        self._sent[sample] = record["prompt_sha256"]
        if prompt is not None and prompt.has_media:
            self._with_media[sample] = prompt if sent else None
        return record

    def _shown(self, prompt: RebuiltPrompt) -> Any:
        """A text, or a list of texts and references to media."""
        pieces = [self._media.reference(piece) if isinstance(piece, Media) else piece for piece in prompt.pieces]
        return pieces if prompt.has_media else "".join(map(str, pieces))

    def _answer_record(self, task: SelectedTask, row: ResultRow, sample: tuple[str, int]) -> dict[str, Any] | None:
        if self._answers.full:
            return None
        fields: Mapping[str, Any] = row
        answer = {name: fields[name] for name in ANSWER_FIELDS if fields.get(name) not in EMPTY}
        if self._has_other_prompt(task, row, sample):
            answer["other_prompt"] = True
        if row["response_text"]:
            made = self._prompts.response_media(task, row["sample_id"], row["response_text"])
            if made:
                answer["media"] = [self._media.reference(medium) for medium in made]
        return answer

    def _has_other_prompt(self, task: SelectedTask, row: ResultRow, sample: tuple[str, int]) -> bool:
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
        mine = self._prompts.first(task, row["sample_id"])
        return mine is None or mine.sha256 != sent or mine.pieces != prompt.pieces
