"""What a report concludes, in words: the gate, models compared, how much the rules matter, suspect gold answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor.report.figures import change, change_with_interval, interval, probability, score, some
from proctor.report.markdown import inline, table

SHOWN_CASES = 10
SHOWN_SUSPECTS = 20


def gate_lines(report: Mapping[str, Any]) -> list[str]:
    """What came of the gate, for a terminal; nothing if there was none."""
    gate = report.get("gate")
    if gate is None:
        return []
    asked = _count(len(gate["floors"]), "floor")
    if gate["baseline"] is not None:
        asked += f", {_count(len(gate['against_baseline']), 'comparison')} with {gate['baseline']}"
    if gate["holds"] is None:
        return [f"gate: not decided, {_count(gate['unmeasured'], 'case')} could not be measured ({asked})"]
    if gate["holds"]:
        return [f"gate: holds ({asked})", *_notes(gate)]
    return [f"gate: NOT HELD ({asked})", *(f"  {line}" for line in _broken(gate)), *_notes(gate)]


def _broken(gate: Mapping[str, Any]) -> Iterator[str]:
    for floor in gate["floors"]:
        if not floor["holds"]:
            yield (
                f"{floor['task']} {floor['model']}: {floor['metric']} ({floor['family']}) is {score(floor['value'])}"
                f"{interval(floor['ci95'])}, the floor {floor['at_least']:g}"
            )
    for found in gate["against_baseline"]:
        if not found["holds"]:
            below = f" below the margin of {found['margin']:g}" if found["margin"] else ""
            then, now = found["a"]["model"], found["b"]["model"]
            against = "" if then == now else f" against {then}"
            yield (
                f"{found['benchmark']}/{found['task']} {now}{against}: {found['metric']} ({found['family']}) "
                f"dropped{below} from {score(found['a']['value'])} to {score(found['b']['value'])}, "
                f"by {change_with_interval(found)} over {_count(found['n'], 'case')} in "
                f"{_count(found['clusters'], 'cluster')}"
            )
            yield f"  lower in {_named(found['lost'])}"
            yield f"  higher in {_named(found['won'])}"


def _notes(gate: Mapping[str, Any]) -> Iterator[str]:
    for found in gate["against_baseline"]:
        left_out = sum(len(names) for names in found["unpaired"].values())
        place = f"  {found['benchmark']}/{found['task']} {found['b']['model']}:"
        if found["data_differs"]:
            yield f"{place} the data file is not that of the baseline"
        if left_out:
            reasons = "; ".join(f"{reason}: {_named(names)}" for reason, names in found["unpaired"].items())
            yield f"{place} {left_out} not compared (a is the baseline). {reasons}"


def _named(names: Sequence[str]) -> str:
    return f"{_count(len(names), 'case')}: {some(names, SHOWN_CASES)}" if names else "0 cases"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def gate_section(report: Mapping[str, Any]) -> Iterator[str]:
    """The gate in report.md."""
    head, *more = gate_lines(report) or [""]
    if head:
        yield "## Gate"
        yield f"**{inline(head.removeprefix('gate: '))}**"
        if more:
            yield "\n".join(f"{'  ' if line.startswith('    ') else ''}- {inline(line)}" for line in more)


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
                    c["verdict"],
                ]
                for c in shown
            ],
        )


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
