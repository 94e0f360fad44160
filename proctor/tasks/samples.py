"""The samples of a data set: JSONL rows in, samples out. A row that is no good costs its own cases, and no other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from proctor._base.errors import DataError, printable
from proctor._base.json_values import is_unicode
from proctor.tasks.oddities import Findings, Oddity
from proctor.tasks.row import CONTENT_ID_LENGTH, Row, escaped, has_half_characters, read_rows
from proctor.tasks.sample import Sample, ToldBy

SamplesOf = Callable[[Row], Iterable[Sample]]
"""Turns a row into its samples; see `proctor.tasks.task.Task`."""


def read_samples(
    files: Path | Sequence[Path],
    samples_of: SamplesOf,
    *,
    without: Sequence[str] = (),
    findings: Findings | None = None,
    shown: Callable[[Path], Path] = lambda file: file,
) -> list[Sample]:
    """All samples of a data file, or of several in order, with their index and row hash set.

    Args:
        files: The files.
        samples_of: Turns a row into its samples; raises what `Row.error` gives for a row that it cannot use.
        without: Fields of a row that do not belong to its samples.
        findings: Takes up what is odd or unusable.
        shown: What messages call a file.

    Raises:
        DataError: If a file is not there, holds no row, or is not JSON at all; if no row gives a sample; or if one row
            gives two of the same id, which is a mistake in *samples_of*.
    """
    samples: list[Sample] = []
    first: dict[str, tuple[int, int]] = {}  # index and row of the first sample of each id
    repeated: dict[str, list[int]] = {}
    found = Findings() if findings is None else findings
    all_files = [files] if isinstance(files, Path) else list(files)
    rows = (row for file in all_files for row in read_rows(file, shown_file=shown(file)))
    for number, whole in enumerate(rows):
        row = whole.without(*without) if without else whole
        of_row = samples_of_row(row, samples_of)
        for sample in of_row:
            index, earlier = first.setdefault(sample.id, (len(samples), number))
            if index != len(samples):
                if earlier == number:
                    raise row.error("", f"sample id {sample.id!r} was already used in line {row.line}")
                if not (sample.id_may_repeat or samples[index].id_may_repeat or sample.id == row.content_id):
                    row.odd("", "an id that an earlier row has", value=sample.id)
                repeated.setdefault(sample.id, [index]).append(len(samples))
            samples.append(replace(sample, cluster=sample.cluster or sample.id, index=len(samples), row_hash=row.hash))
        _take_up(row, of_row, found)
    if not samples:
        raise DataError("no row of the file holds a sample", file=all_files[0])
    taken = {sample.id for sample in samples} if repeated else set()
    for sample_id, indices in repeated.items():
        _tell_apart(sample_id, samples, indices, taken)
    return samples


def samples_of_row(row: Row, samples_of: SamplesOf) -> list[Sample]:
    """The samples of a row; for an unusable one those that could be read, and one that says why there are no more."""
    found: list[Sample] = []
    problem = row.broken
    if problem is None:
        try:
            for sample in samples_of(row):
                found.append(sample)  # noqa: PERF402  # what came before an error stays
        except DataError as error:
            problem = error
        except Exception as failure:  # a reader meets whatever stands in a file, and not all of it was foreseen
            problem = row.error("", f"the reader of rows fails with {type(failure).__name__}: {failure}")
    if problem is not None:
        found.append(row.unusable(row.id or row.content_id, problem))
    if has_half_characters(row):
        found = [_if_unicode(row, sample) for sample in found]
    return found


def _if_unicode(row: Row, sample: Sample) -> Sample:
    if is_unicode([sample.id, sample.cluster, sample.fields, sample.target, sample.tags]):
        return sample
    field = next((name for name, value in row.data.items() if not is_unicode([name, value])), "")
    error = row.error(
        printable(field),
        "holds half of a surrogate pair, which is no character",
        remedy="Write the character itself, or both \\u escapes of it.",
    )
    tags = {name: value for name, value in sample.tags.items() if is_unicode(value)}
    return row.unusable(escaped(sample.id), error, cluster=escaped(sample.cluster), metrics=sample.metrics, tags=tags)


def _take_up(row: Row, samples: Iterable[Sample], found: Findings) -> None:
    found.rows += 1
    found.odd += row.oddities
    errors = Counter(sample.error for sample in samples if sample.error is not None)
    found.unusable += [
        Oddity.of_error(error, file=row.shown_file, line=row.line, cases=cases) for error, cases in errors.items()
    ]


def _tell_apart(sample_id: str, samples: list[Sample], indices: Sequence[int], taken: set[str]) -> None:
    """Give samples of one id ids of their own, which do not depend on the order of the rows.

    Different rows are told apart by their content, each of them, since none is more entitled to the bare id; rows that
    are equal in everything by a number. Ids that are *taken* by others are passed over.
    """
    contents = {samples[index].row_sha256 for index in indices}
    seen: Counter[str] = Counter()
    for index in indices:
        sample = samples[index]
        own_id = sample_id if len(contents) == 1 else f"{sample_id}-{sample.row_sha256[:CONTENT_ID_LENGTH]}"
        seen[own_id] += 1
        copy = f"-copy{seen[own_id]}" if seen[own_id] > 1 else ""
        while own_id + copy in taken and own_id + copy != sample_id:
            seen[own_id] += 1
            copy = f"-copy{seen[own_id]}"
        taken.add(own_id + copy)
        told_by: ToldBy = "number" if copy else "content" if len(contents) > 1 else ""
        samples[index] = replace(sample, id=own_id + copy, told_by=told_by)


def notes_on(samples: Iterable[Sample]) -> tuple[str, ...]:
    """What the reader of a report should know about the ids of a data file's samples."""
    told_by = Counter(sample.told_by for sample in samples)
    notes = []
    if told_by["content"]:
        notes.append(
            f"samples told apart by a hash of their row, their published ids being equal: {told_by['content']}"
        )
    if told_by["number"]:
        notes.append(
            f"samples that are exact copies of others: {told_by['number']} (their ids end in -copy2 and so on; they "
            "count as cases, in the cluster of the first)"
        )
    return tuple(notes)


def choose(samples: Sequence[Sample], *, limit: int | None, shuffle: int | None) -> list[Sample]:
    """The first *limit* samples, after shuffling with the seed *shuffle*; ``None`` leaves that step out."""
    chosen = list(samples)
    if shuffle is not None:
        random.Random(shuffle).shuffle(chosen)
    return chosen if limit is None else chosen[:limit]
