"""What came of a gate, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor._base.figures import change_with_interval, interval, score, some
from proctor._base.markdown import inline

SHOWN_CASES = 10
BOUNDS = {
    "at_least": "must be at least",
    "at_most": "must be at most",
    "shown_at_least": "must be shown to be at least",
    "shown_at_most": "must be shown to be at most",
    "shown_below": "must not be shown to be below",
    "shown_above": "must not be shown to be above",
}


def gate_lines(report: Mapping[str, Any]) -> list[str]:
    """What came of the gate, for a terminal; nothing if there was none."""
    gate = report.get("gate")
    if gate is None:
        return []
    asked = _count(len(gate["floors"]), "floor")
    if gate["baseline"] is not None:
        asked += f", {_count(len(gate['against_baseline']), 'comparison')} with {gate['baseline']}"
    if gate["unmeasured"]:
        return [f"gate: not decided, {_count(gate['unmeasured'], 'case')} could not be measured ({asked})"]
    outcome = {True: "holds", False: "NOT HELD", None: "undecided"}[gate["holds"]]
    lines = [*_floors(gate), *_decision(gate), *_suite(gate), *_parts(gate), *_notes(gate)]
    return [f"gate: {outcome} ({asked})", *(f"  {line}" for line in lines)]


def _floors(gate: Mapping[str, Any]) -> Iterator[str]:
    for floor in gate["floors"]:
        if not floor["holds"]:
            bound = floor.get("bound", "at_least")
            yield (
                f"{floor['task']} {floor['model']}: {floor['metric']} ({floor['family']}) is {score(floor['value'])}"
                f"{interval(floor['ci95'])}, {BOUNDS[bound]} {floor[bound]:g}"
                f"{'' if floor['holds'] is False else ': there is no interval to tell it by'}"
            )


def _decision(gate: Mapping[str, Any]) -> Iterator[str]:
    """What a run has decided that stops when it is decided."""
    found = gate.get("decision")
    if found is None:
        return
    mean = "nothing could be compared"
    if found["difference"] is not None:
        low, high = found["interval"]
        mean = (
            f"mean {found['difference']:+.4f} [{low:+.3f}, {high:+.3f}] of the tasks, each from 0 (worst) to 1 (best)"
        )
    margin = f"the margin of {found['margin']:g}"
    outcome = {"worse": "worse", "no worse": f"no worse than {margin}"}.get(found["verdict"], f"undecided at {margin}")
    cases = _count(found["cases"], "case")
    yield f"{outcome} by the first {found['counted']} of {cases}: {mean}; each end holds with 95 % over all looks"
    yield f"{found['not_needed']} of {cases} not needed; none was asked but those in flight by then"


def _suite(gate: Mapping[str, Any]) -> Iterator[str]:
    suite = gate.get("suite")
    if suite is None:
        return
    if suite["difference"] is not None and len(gate["against_baseline"]) > 1:
        outcome = {"worse": "worse", "no worse": f"no worse{_than(suite['margin'])}"}.get(suite["verdict"], "undecided")
        if suite["verdict"] == "worse" and not suite["worse_in_the_mean"]:
            outcome = "not shown to be worse, but a part is"
        tasks = _count(suite["tasks"], "task")
        mean = change_with_interval(suite)
        yield f"mean of {tasks}, each from 0 (worst) to 1 (best): {mean}, {outcome}{_could_show(suite)}"
    if suite["not_compared"]:
        yield f"not compared, for lack of pairs or clusters: {some(suite['not_compared'], SHOWN_CASES)}"


def _parts(gate: Mapping[str, Any]) -> Iterator[str]:
    for found in gate["against_baseline"]:
        then, now = found["a"]["model"], found["b"]["model"]
        against = "" if then == now else f" against {then}"
        outcome = {
            "worse": f"worse{_by_more_than(found['margin'])}",
            "no worse": f"no worse{_than(found['margin'])}",
        }.get(found["verdict"], found["verdict"])
        number = f"{_count(found['n'], 'sample')} in {_count(found['clusters'], 'cluster')}"
        yield (
            f"{found['benchmark']}/{found['task']} {now}{against}: {found['metric']} ({found['family']}) is {outcome}: "
            f"{score(found['a']['value'])} before, {score(found['b']['value'])} now, {change_with_interval(found)} "
            f"over {number}{_could_show(found)}"
        )
        for word, names in (("worse", found["lost"]), ("better", found["won"])):
            if names:
                yield f"  {word} in {_named(names)}"


def _than(margin: float) -> str:
    return f" than the margin of {margin:g}" if margin else ""


def _by_more_than(margin: float) -> str:
    return f" by more than the margin of {margin:g}" if margin else ""


def _could_show(found: Mapping[str, Any]) -> str:
    """How small a difference would have been shown where none is."""
    if found["verdict"] != "undecided" or found["detectable"] is None:
        return ""
    return f"; a difference of {score(found['detectable'])} could have been shown"


def _notes(gate: Mapping[str, Any]) -> Iterator[str]:
    for found in gate["against_baseline"]:
        unpaired = sum(len(names) for names in found["unpaired"].values())
        subject = f"{found['benchmark']}/{found['task']} {found['b']['model']}:"
        if found["data_differs"]:
            yield f"{subject} the data file is not that of the baseline"
        if unpaired:
            reasons = "; ".join(f"{reason}: {_named(names)}" for reason, names in found["unpaired"].items())
            yield f"{subject} {unpaired} not compared (a is the baseline). {reasons}"


def _named(names: Sequence[str]) -> str:
    return f"{_count(len(names), 'case')}: {some(names, SHOWN_CASES)}"


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
