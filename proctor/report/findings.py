"""What a report concludes, in words: models compared, how much the rules matter, suspect gold answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor._base.figures import change, change_with_interval, probability, score, score_with_interval, some
from proctor._base.markdown import inline, table

SHOWN_CASES = 10
SHOWN_SUSPECTS = 20


def comparison_section(report: Mapping[str, Any]) -> Iterator[str]:
    """The models compared in pairs, in report.md: the headline metrics in the strict family."""
    shown = [c for c in report.get("comparisons", []) if c["headline"] and c["family"] == "strict"]
    if shown:
        yield "## Models compared"
        yield (
            "Paired differences B − A of the headline metric (strict), with clustered 95 % intervals. The verdict is "
            "on B; *p* is adjusted for all rows (Holm). *Detectable* is the smallest difference that these cases would "
            "have shown with 80 % power."
        )
        head = ("task", "A", "B", "metric", "B − A", "p", "A better", "B better", "n", "detectable", "verdict")
        yield table(
            head,
            [
                [
                    f"{c['benchmark']}/{c['task']}",
                    c["a"]["model"],
                    c["b"]["model"],
                    c["metric"],
                    change_with_interval(c),
                    probability(c["p_holm"]),
                    str(c["a_better"]),
                    str(c["b_better"]),
                    str(c["n"]),
                    score(c["detectable"]),
                    c["verdict"] if c["n"] else "not compared",
                ]
                for c in shown
            ],
        )


def ranks_section(report: Mapping[str, Any]) -> Iterator[str]:
    """The places that models may have, in report.md: only where there are three or more."""
    found = report.get("ranks", [])
    if found:
        yield "**Places.** Behind all that are shown to be better, before all that are shown to be worse."
        rows = [
            [
                f"{entry['benchmark']}/{entry['task']}",
                ", ".join(f"{one['model']}: {_places(one['rank'])}" for one in entry["models"]),
                entry["best"][0] if len(entry["best"]) == 1 else f"none alone: {', '.join(entry['best'])}",
            ]
            for entry in found
        ]
        yield table(("task", "places", "best"), rows)


def _places(rank: Sequence[int]) -> str:
    first, last = rank
    return str(first) if first == last else f"{first}–{last}"


def repetition_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """What several epochs tell, for a terminal: a line for each task and model."""
    for task in report["tasks"]:
        found = task.get("repetitions")
        if found is not None:
            k = str(found["epochs"])
            entries = {
                f"pass@{k}": found["pass_at"][k],
                f"pass^{k}": found["pass_all"][k],
                "majority": found["majority"],
            }
            told = ", ".join(f"{name} {_repeated(entry)}" for name, entry in entries.items())
            yield f"{task['benchmark']}/{task['task']} {task['model']}, {k} epochs: {told}"


def repetition_section(report: Mapping[str, Any]) -> Iterator[str]:
    """What several epochs tell, in report.md."""
    rows = []
    for task in report["tasks"]:
        found = task.get("repetitions")
        for k in found["pass_at"] if found is not None else ():
            variance = found["variance"]
            last = k == str(found["epochs"])
            rows.append(
                [
                    f"{task['benchmark']}/{task['task']}",
                    task["model"],
                    k,
                    _repeated(found["pass_at"][k]),
                    _repeated(found["pass_all"][k]),
                    _repeated(found["majority"]) if last else "",
                    score(variance["within"]) if last else "",
                    score(variance["between"]) if last else "",
                ]
            )
    if rows:
        yield "## Several epochs"
        yield (
            "A case passes with full marks. *pass@k* is the chance that one of k answers does, *pass^k* that all do, "
            "*majority* whether the prediction made most often does; in brackets clustered 95 % intervals. Variances "
            "of the headline metric: *within* a sample from epoch to epoch, *between* the samples' own means."
        )
        yield table(("task", "model", "k", "pass@k", "pass^k", "majority", "within", "between"), rows)


def _repeated(entry: Mapping[str, Any]) -> str:
    """A value over samples, or why there is none; and how many were left out."""
    if entry["value"] is None:
        return f"– ({entry['reason']})"
    left_out = f" ({entry['left_out']} measured too seldom)" if entry["left_out"] else ""
    return score_with_interval(entry) + left_out


def sensitivity_section(report: Mapping[str, Any]) -> Iterator[str]:
    """What other rules would make of the headline scores, in report.md; only where some case was not scored."""
    rows = []
    for task in report["tasks"]:
        metric, families = next(iter(task["metrics"].items()))
        strict = families["strict"]
        other = strict.get("sensitivity", {})
        if other and other["scored_only"]["n"] != strict["n"]:
            scored, official = other["scored_only"], other["official"]
            rows.append(
                [
                    f"{task['benchmark']}/{task['task']}",
                    task["model"],
                    metric,
                    score(strict["value"]),
                    f"{score(scored['value'])} (n = {scored['n']})",
                    f"{score(official['value'])} (n = {official['n']})",
                    change(_less(scored["value"], strict["value"])),
                ]
            )
    if rows:
        yield "## If failures counted otherwise"
        head = (
            "task",
            "model",
            "metric",
            "strict",
            "scored answers only",
            "as the official grader counts",
            "scored − strict",
        )
        yield table(head, rows)


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def suspects_section(report: Mapping[str, Any]) -> Iterator[str]:
    """Samples whose gold answer deserves a look, in report.md."""
    found = [entry for entry in report.get("suspects", []) if entry["all_wrong"] or entry["same_other_answer"]]
    if not found:
        return
    yield "## Gold answers to look at"
    for entry in found:
        wrong, same = entry["all_wrong"], entry["same_other_answer"]
        name = f"{entry['benchmark']}/{entry['task']}"
        if wrong:
            yield f"**{name}**: every model got {len(wrong)} wrong: {inline(some(wrong, SHOWN_CASES))}"
        if same:
            more = f" The first {SHOWN_SUSPECTS} are:" if len(same) > SHOWN_SUSPECTS else ""
            yield f"**{name}**: all models gave the same other answer to {len(same)}.{more}"
            rows = [
                [suspect["sample"], _short(suspect["prediction"]), _short(suspect["target"])]
                for suspect in same[:SHOWN_SUSPECTS]
            ]
            yield table(("sample", "all models", "gold"), rows)


def _short(value: Any) -> str:
    return "(long)" if value is None else str(value)
