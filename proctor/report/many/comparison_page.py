"""The page of ``proctor compare --html``: what differs between two runs, or two models, case by case."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from proctor._base.files import replacing
from proctor._base.json_values import encoded
from proctor.report.html.blocks import Blocks, element
from proctor.report.html.document import document
from proctor.report.html.flips import Answers, answers_of, shown_answers, shown_prompt
from proctor.results.identity import TaskModel
from proctor.results.prompts import SavedPrompts
from proctor.results.saved_run import SavedRun
from proctor.statistics.comparison import Comparison, Pairing, as_json

STYLES = ("page.css", "sides.css")
FAMILY = "strict"
ROOM = 12_000_000
"""Bytes of the page for texts: those that flipped come first."""
MOST_CHANGED = 500
"""Cases of a pairing that are shown with another answer and the same score."""
KINDS = ("worse", "better", "changed")


def save_comparison(
    file: Path, pairings: Sequence[Pairing], comparisons: Sequence[Comparison], runs: tuple[SavedRun, SavedRun]
) -> None:
    """Write the page, whole or not at all.

    Args:
        file: The file.
        pairings: What was paired.
        comparisons: What came of it.
        runs: The run of the sides a, and that of the sides b: it may be the same.

    Raises:
        OSError: If it cannot be written.
    """
    changed = _changed(pairings, runs)
    kinds: list[dict[str, list[str]]] = []
    for pairing, others in zip(pairings, changed, strict=True):
        lost, won = pairing.flipped(pairing.b.task.headline, FAMILY)
        flipped = {*lost, *won}
        same = [name for name in others if name not in flipped]
        kinds.append({"worse": lost, "better": won, "changed": same})
    before, after = document("Proctor comparison", "compare", "proctor compare prints the same figures.", STYLES)
    with replacing(file) as page:
        page.write(before)
        blocks = Blocks("cases", page, ROOM)
        listed = _listed(blocks, pairings, kinds, runs)
        blocks.flush()
        content = {
            **as_json(pairings, comparisons),
            "runs": [run.manifest.run for run in runs],
            "headlines": [pairing.b.task.headline for pairing in pairings],
            "scales": [list(pairing.b.task.scale) for pairing in pairings],
            "cases": listed,
            "starts": blocks.starts,
        }
        page.write(element("run", encoded(content)))
        page.write(after)


def _names(pairing: Pairing) -> tuple[TaskModel, TaskModel]:
    return pairing.a.task.identity, pairing.b.task.identity


def _changed(pairings: Sequence[Pairing], runs: tuple[SavedRun, SavedRun]) -> list[list[str]]:
    """For each pairing the samples that both sides measured and answered differently."""
    said = [_said(run) for run in runs]
    return [
        [
            sample
            for pair in pairing.pairs
            for sample in [pair[1][0].case.sample_id]
            if said[0].get((_names(pairing)[0], sample)) != said[1].get((_names(pairing)[1], sample))
        ]
        for pairing in pairings
    ]


def _said(run: SavedRun) -> dict[tuple[TaskModel, str], dict[int, bytes]]:
    """What tells one answer from another, of each sample and epoch."""
    found: dict[tuple[TaskModel, str], dict[int, bytes]] = {}
    for row in run.rows():
        digest = hashlib.sha256(str(row["response_text"]).encode(errors="replace")).digest()
        found.setdefault((TaskModel.of(row), row["sample_id"]), {})[row["epoch"]] = digest
    return found


def _listed(
    blocks: Blocks,
    pairings: Sequence[Pairing],
    kinds: Sequence[Mapping[str, Sequence[str]]],
    runs: tuple[SavedRun, SavedRun],
) -> list[dict[str, Any]]:
    """Write the cases, the flipped ones of all pairings first, and return where each stands."""
    listed: list[dict[str, Any]] = [{kind: {"total": len(of[kind]), "cases": []} for kind in KINDS} for of in kinds]
    prompts = [SavedPrompts([run.folder], Path.cwd()) for run in runs]
    shown = [{**of, "changed": of["changed"][:MOST_CHANGED]} for of in kinds]
    for of_kind in (KINDS[:2], KINDS[2:]):
        wanted: list[dict[TaskModel, set[str]]] = [{}, {}]
        for pairing, of in zip(pairings, shown, strict=True):
            for side, name in enumerate(_names(pairing)):
                wanted[side].setdefault(name, set()).update(chain(*(of[kind] for kind in of_kind)))
        answers = [answers_of(run, names) for run, names in zip(runs, wanted, strict=True)]
        for pairing, of, places in zip(pairings, shown, listed, strict=True):
            for kind in of_kind:
                for sample in of[kind]:
                    record = _record(pairing, sample, answers, prompts)
                    places[kind]["cases"].append([sample, blocks.add(record)])
    return listed


def _record(
    pairing: Pairing, sample: str, answers: Sequence[Answers], prompts: Sequence[SavedPrompts]
) -> dict[str, Any]:
    """What the page shows of a sample: what both sides were asked and answered."""
    rows = [found.get((name, sample), []) for found, name in zip(answers, _names(pairing), strict=True)]
    return {
        "target": next((row["target"] for row in chain(*reversed(rows))), None),
        "sides": [shown_answers(of_side, pairing.b.task.headline) for of_side in rows],
        "prompts": [shown_prompt(kept, pairing.b.name, side) for kept, side in zip(prompts, rows, strict=True)],
    }
