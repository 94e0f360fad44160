"""What the published grader of MixEval-X computes, written anew from its description: the other side of a round trip.

Where it crashes, so does this: with an exception.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
QUESTIONS_JUDGE = "gpt-3.5-turbo-0125"
"""The judge of questions, which the published command takes without being told."""
GRADES_JUDGE = "gpt-4o-2024-08-06"
"""The judge of plans and pictures that the published README names."""


def grade(reply: str) -> float:
    """The number that a judge gives; -1 if it gives none."""
    for brackets in (r"\[\[(\d+\.?\d*)\]\]", r"\[(\d+\.?\d*)\]"):
        if found := re.search(brackets, reply):
            return float(ast.literal_eval(found.group(1)))
    return -1.0


def option(reply: str) -> str:
    """The option that a judge reads; "-1" if it reads none."""
    for brackets in (r"\[\[([A-Z])\]\]", r"\[([A-Z])\]"):
        if found := re.search(brackets, reply):
            return found.group(1)
    return "-1"


def picked_by_rule(response: str, options: Sequence[str]) -> str | None:
    """The option that the rules read; ``None`` where they throw dice."""
    for mark in (",", ".", "!", "?", ";", ":", "'"):
        response = response.strip(mark)
    response = f" {response} "
    found: list[tuple[int, int, str]] = []
    for number in range(len(options)):
        letter = chr(65 + number)
        shapes = [f"{blank}{letter}{point}{end}" for blank in " \n" for point in ("", ".") for end in " \n"]
        shapes += [f"({letter})", f"**{letter} ", f"**{letter}. ", f" {letter}**", f" {letter}.**"]
        found += [(place, number, letter) for shape in shapes if (place := response.find(shape)) >= 0]
    if not found and len(response.split()) > 5:
        lowered = response.lower()
        for number, text in enumerate(options):
            if (place := lowered.find(text.lower())) >= 0:
                found.append((place, number, chr(65 + number)))
    return min(found)[2] if found else None


def free_form_score(entry: Entry, reply: str) -> float | None:
    """The score of a free-form answer, whose judge replies so; ``None`` if it is asked again."""
    if not isinstance(entry["target"], list):
        raise TypeError(entry["target"])
    shown = "; ".join(f"{number} {answer}" for number, answer in enumerate(entry["target"]))
    assert f"{entry['prompt']}{shown}{entry['response']}" is not None
    hash(entry["benchmark_name"])
    score = grade(reply)
    return score if 0 <= score <= 1 else None


def choice_score(entry: Entry, reply: str) -> int | None:
    """Whether a multiple-choice answer is right, whose judge replies so; ``None`` if it is asked again."""
    if not isinstance(entry["options"], list):
        raise TypeError(entry["options"])
    assert f"{entry['prompt']}{entry['options']}{entry['response']}" is not None
    hash(entry["benchmark_name"])
    picked = option(reply)
    if picked == "-1":
        return None
    assert isinstance(entry["target"], list)
    assert len(entry["target"]) == 1
    return int([chr(65 + number) for number in range(len(entry["options"]))][entry["target"][0]] == picked)


def plan_score(entry: Entry, reply: str) -> float | None:
    """The grade of a plan, whose judge replies so; ``None`` if it is asked on."""
    names = ("task description", "allowed actions", "visible objects", "already executed steps", "target", "response")
    assert "".join(f"{entry[name]}" for name in names) is not None
    score = grade(reply)
    return None if score == -1 else score


def mean(values: Sequence[float]) -> float:
    """A mean as Python 3.11 makes it of ``sum``, which adds from the left."""
    total: float = 0
    for value in values:
        total = total + value
    return round(total / len(values), 3)


class JudgedFiles:
    """The published command, told to compute scores from judged files: what it reads, and what it writes of that.

    Args:
        folder: What it is given as the folder of responses.
        task: The benchmark.
        models: The models, in order.
    """

    def __init__(self, folder: Path, task: str, models: Sequence[str]) -> None:
        self._folder = folder / task
        self._models = models

    def judged(self, model: str, kind: str, judge: str) -> list[Entry]:
        file = self._folder / model / f"judge_results_{kind}_model_judge_{judge}.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()]

    def free_form(self, judge: str = QUESTIONS_JUDGE) -> tuple[dict[str, Any], int]:
        scores, count = {}, 0
        for model in self._models:
            entries = self.judged(model, "ff", judge)
            scores[model] = _by_source([(entry["judge_score"], entry["benchmark_name"]) for entry in entries])
            count = len(entries)
        return _sorted(scores, "overall"), count

    def multiple_choice(self, judge: str = QUESTIONS_JUDGE) -> tuple[dict[str, Any], int]:
        scores, count = {}, 0
        for model in self._models:
            pairs = []
            entries = self.judged(model, "mp", judge)
            for entry in entries:
                assert isinstance(entry["target"], list)
                assert len(entry["target"]) == 1
                known = [chr(65 + number) for number in range(len(entry["options"]))]
                right = known[entry["target"][0]] == entry["judge_option"]
                pairs.append((1 if right else 0, entry["benchmark_name"]))
            scores[model], count = _by_source(pairs), len(entries)
        return _sorted(scores, "overall"), count

    def questions(self, judge: str = QUESTIONS_JUDGE) -> dict[str, Any]:
        """The content of ``score.json``, of both kinds together."""
        free, free_count = self.free_form(judge)
        choice, choice_count = self.multiple_choice(judge)
        together = {}
        for model in free:
            if model not in choice:
                continue
            whole = free[model]["overall"] * free_count + choice[model]["overall"] * choice_count
            together[model] = {"overall score (final score)": whole / (free_count + choice_count)}
            for kind, scores in (("free-form", free[model]), ("multiple-choice", choice[model])):
                together[model] |= {f"{name} ({kind})": value for name, value in scores.items() if name != "overall"}
        return _sorted(together, "overall score (final score)")

    def plans(self, kind: str, judge: str = GRADES_JUDGE) -> dict[str, Any]:
        """The content of ``score_t2a.json`` or ``score_i2a.json``."""
        return _sorted(
            {m: {"overall": mean([e["judge_score"] for e in self.judged(m, kind, judge)])} for m in self._models},
            "overall",
        )

    def pictures(self, judge: str = GRADES_JUDGE) -> dict[str, Any]:
        """The content of ``score_t2i.json``."""
        turns = ("1st_turn", "2nd_turn")
        found = {m: self.judged(m, "t2i", judge) for m in self._models}
        scores = {m: {t: mean([e[f"judge_score_{t}"] for e in entries]) for t in turns} for m, entries in found.items()}
        return _sorted(scores, "1st_turn")


def as_written(scores: Any) -> Any:
    """What is left of scores when they are written as JSON, and read."""
    return json.loads(json.dumps(scores))


def _by_source(pairs: Sequence[tuple[float, Any]]) -> dict[Any, float]:
    values: dict[Any, list[float]] = {}
    for score, source in pairs:
        values.setdefault("overall", []).append(score)
        values.setdefault(source, []).append(score)
    return {name: mean(scores) for name, scores in values.items()}


def _sorted(scores: dict[str, Any], by: str) -> dict[str, Any]:
    return dict(sorted(scores.items(), key=lambda one: one[1][by], reverse=True))
