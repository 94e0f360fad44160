"""What a report says about a task of MixEval-X: scores by source, what the judge gave, and how far rules agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from benchmarks.mixeval_x.entries import FREE_FORM, MULTIPLE_CHOICE, ProblemType
from benchmarks.mixeval_x.official_results import METRICS, mean
from benchmarks.mixeval_x.response_files import ResultRow, RowsByModel
from benchmarks.mixeval_x.rule_parser import option_letter
from proctor import Table

Figures = tuple[float | None, float | None]
"""An official mean and a strict one."""


def question_tables(rows: RowsByModel) -> list[Table]:
    """The tables of a task of questions, from its rows by model."""
    tenths = {f"{tenth / 10:.1f}": tenth / 10 for tenth in range(11)}
    free = {model: of_kind(mine, FREE_FORM) for model, mine in rows.items()}
    choice = {model: of_kind(mine, MULTIPLE_CHOICE) for model, mine in rows.items()}
    tables = [
        by_source(rows),
        distribution(
            "Scores that the judge gave to free-form answers", tenths, free, partial(value_of, METRICS[FREE_FORM])
        ),
        agreement(free, choice),
        judging(rows, lambda row: [verdict_of(METRICS[FREE_FORM], row)]),
    ]
    return with_rows(tables)


def graded_tables(metrics: Mapping[str, str], rows: RowsByModel) -> list[Table]:
    """The tables of a task that is graded from 1 to 10.

    Args:
        metrics: The metrics by what tells them apart in titles.
        rows: Its rows by model.
    """
    grades = {f"{grade}": float(grade) for grade in range(1, 11)}
    tables = [
        distribution(f"Grades that the judge gave{label}", grades, rows, partial(value_of, metric))
        for label, metric in metrics.items()
    ]
    tables.append(judging(rows, lambda row: [verdict_of(metric, row) for metric in metrics.values()]))
    return with_rows(tables)


def with_rows(tables: Iterable[Table]) -> list[Table]:
    """The tables that say something: under the rule parser nothing is to be said about a judge."""
    return [table for table in tables if table.rows]


def of_kind(rows: Iterable[ResultRow], kind: ProblemType) -> list[ResultRow]:
    """The rows of one kind of questions, the unusable ones with them."""
    return [row for row in rows if row["tags"].get("problem_type") == kind]


def verdict_of(metric: str, row: ResultRow) -> Mapping[str, Any]:
    """The judge's `Verdict` about a metric: the row's evidence, or what that has for each metric; empty without one."""
    evidence: Mapping[str, Any] = row["evidence"] or {}
    found: Mapping[str, Any] = evidence.get(metric, evidence)
    return found


def value_of(metric: str, row: ResultRow) -> Any:
    """What the judge said that could be read; ``None`` if there is nothing."""
    return verdict_of(metric, row).get("value")


def by_source(rows: RowsByModel) -> Table:
    """The mean score by kind of question and source, in both families."""
    cells: list[list[str | int | float | None]] = []
    for model, mine in rows.items():
        for kind, metric in METRICS.items():
            of = of_kind(mine, kind)
            sources = sorted({row["tags"]["source"] for row in of})
            for source in ["all", *sources] if of else []:
                chosen = [row for row in of if source in ("all", row["tags"]["source"])]
                cells.append([model, kind, source, len(chosen), *both_families(chosen, metric)])
    columns = ["model", "kind", "source", "entries", "official", "strict"]
    return Table("Scores by source", columns, cells, read_by(row for mine in rows.values() for row in mine))


def read_by(rows: Iterable[ResultRow]) -> str:
    """What a reader should know about who read the answers: nothing, if it was a judge."""
    parsers = Counter((row["evidence"] or {}).get("parser") for row in rows)
    if not parsers["rule"]:
        return ""
    if not parsers["judge"]:
        return "Rules have read the answers; no judge was asked."
    return f"Rules have read {parsers['rule']} of the answers, and a judge {parsers['judge']}: they do not compare."


def distribution(title: str, bins: Mapping[str, float], rows: RowsByModel, value: Callable[[ResultRow], Any]) -> Table:
    """How often the judge gave each score."""
    cells: list[list[str | int | float | None]] = []
    for model, mine in rows.items():
        counts = Counter(value(row) for row in mine)
        within = [counts.pop(score, 0) for score in bins.values()]
        without = counts.pop(None, 0)
        if without < len(mine):
            cells.append([model, *within, sum(counts.values()), without])
    return Table(title, ["model", *bins, "other", "none"], cells)


def agreement(free: RowsByModel, choice: RowsByModel) -> Table:
    """How often the rule parser comes to the judge's verdict, where the judge gave one."""
    cells: list[list[str | int | float | None]] = []
    for model in free:
        for kind, rows in ((FREE_FORM, free[model]), (MULTIPLE_CHOICE, choice[model])):
            both = [row for row in rows if row["diagnostics"].get("rule_agrees") is not None]
            if not both:
                continue
            share = fmean(row["diagnostics"]["rule_agrees"] for row in both)
            pairs = [letters(row) for row in both] if kind == MULTIPLE_CHOICE else []
            cells.append([model, kind, len(both), share, kappa(pairs) if pairs else None])
    note = (
        "Free-form answers agree if both or neither score 0.5 or more; multiple-choice answers if the same option, or "
        "none, is read. Kappa is Cohen's, over the options."
    )
    return Table("Judge and rule parser", ["model", "kind", "answers", "agreement", "kappa"], cells, note)


def letters(row: ResultRow) -> tuple[str | None, str | None]:
    """What the judge and the rules read out of a multiple-choice answer."""
    return row["prediction"], option_letter(row["response_text"] or "", row["fields"]["options"])


def kappa(pairs: Sequence[tuple[str | None, str | None]]) -> float | None:
    """Cohen's kappa (1960): agreement beyond chance, (observed - expected) / (1 - expected).

    Args:
        pairs: What two raters said of each thing.

    Returns:
        The value, 1 at most; ``None`` where chance alone would agree always.
    """
    observed = fmean(first == second for first, second in pairs)
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    expected = sum(firsts[name] * seconds[name] for name in firsts) / len(pairs) ** 2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def judging(rows: RowsByModel, verdicts: Callable[[ResultRow], Sequence[Mapping[str, Any]]]) -> Table:
    """How often the judge had to be asked again, and how often there is no verdict in the end."""
    cells: list[list[str | int | float | None]] = []
    for model, mine in rows.items():
        wanted = [each for row in mine for each in verdicts(row) if "rounds" in each]
        asked = [each for each in wanted if each["rounds"]]
        if wanted:
            cells.append(
                [
                    model,
                    len(asked),
                    sum(each["rounds"] - 1 for each in asked),
                    sum(each["value"] is None and each["failure"] is None for each in asked),
                    sum(each["failure"] is not None for each in asked),
                    len(wanted) - len(asked),
                ]
            )
    note = (
        "Where there is no verdict the official family has the published grader's fallback, if there is one, and the "
        "strict family counts the worst."
    )
    columns = ["model", "questions", "asked again", "unreadable", "failed", "not asked: no picture"]
    return Table("Asking the judge", columns, cells, note)


def both_families(rows: Sequence[ResultRow], metric: str) -> Figures:
    """The mean of the official scores, of which some rows have none, as published; and of all strict ones."""
    official = [score for row in rows if (score := row["scores"].get("official", {}).get(metric)) is not None]
    strict = [row["scores"].get("strict", {}).get(metric, 0.0) for row in rows]
    return (mean(official) if official else None, fmean(strict) if strict else None)
