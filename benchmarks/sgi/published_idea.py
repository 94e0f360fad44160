"""Research ideas as the published code reads and scores them, quirks included: the official family.

`benchmarks.sgi.idea` and `benchmarks.sgi.idea_scores` have the strict one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.sgi import idea_scores
from benchmarks.sgi.idea import Idea

FENCE, LANGUAGE = "```", "json"
QUOTE = re.compile("[\"']")
QUOTE_BEFORE_NEXT = re.compile("[\"'](?=\\s*,\\s*[\"'])")
BRACE_BEFORE_NEXT = re.compile("\\}(?=\\s*,\\s*[\"'])")
NUMBERED = re.compile("[\"'](\\d+)[\"']\\s*:\\s*[\"'](.*?)[\"']")
NAMED = re.compile("[\"']([^\"']+)[\"']\\s*:\\s*[\"'](.*?)[\"']")
QUOTED = re.compile("[\"']([^\"']+)[\"']")
PARTS = tuple(Idea().parts)
LEAST_TEXT = 3  # characters of all steps together; fewer are like nothing


def published_parts(response: str) -> dict[str, Any] | None:
    """The parts of an idea under their names; those that are not found are missing.

    The JSON in the first code block, else the response if all of it is JSON, else what is fished out of it. A fished
    text ends at the first quotation mark of either kind, so an apostrophe cuts it.

    Returns:
        The parts, whatever their types; ``None`` for JSON that is no object, with which the published grader fails.
    """
    for candidate in (_first_block(response), response):
        if candidate is not None:
            try:
                value = json.loads(candidate)
            except json.JSONDecodeError:
                continue
            except (RecursionError, ValueError):  # too deep, or a number of too many digits
                return None
            return value if isinstance(value, dict) else None
    return _fished(response)


def _first_block(text: str) -> str | None:
    """The content of the first code block."""
    _, opening, rest = text.partition(FENCE)
    content, closing, _ = rest.partition(FENCE)
    return content.removeprefix(LANGUAGE).strip() if opening and closing else None


def _fished(text: str) -> dict[str, Any]:
    """The parts in a text that is no JSON: as in JSON or Python, else under numbered headings."""
    found: dict[str, Any] = {
        "Idea": _first(_quoted(text, "Idea"), _section(text, 1, "Idea", ("2.", "implementation"))),
        "ImplementationSteps": _pairs(
            NUMBERED,
            _after(text, "ImplementationSteps", r"\{", re.compile(r"\}")),
            _section(text, 2, "Implementation Steps", ("3.", "implementation order")),
        ),
        "ImplementationOrder": _items(
            _after(text, "ImplementationOrder", r"\[", re.compile(r"\]")),
            _section(text, 3, "Implementation Order", ("4.", "dataset")),
        ),
        "Dataset": _first(
            _after(text, "Dataset", QUOTE.pattern, QUOTE_BEFORE_NEXT),
            _section(text, 4, "Dataset", ("5.", "evaluation")),
        ),
        "EvaluationMetrics": _pairs(
            NAMED,
            _after(text, "EvaluationMetrics", r"\{", BRACE_BEFORE_NEXT),
            _section(text, 5, "Evaluation Metrics", ("6.", "expected")),
        ),
        "ExpectedOutcome": _first(_quoted(text, "ExpectedOutcome"), _section(text, 6, "Expected Outcome", None)),
    }
    return {name: part for name, part in found.items() if part is not None}


def _first(*texts: str | None) -> str | None:
    """The first text that was found."""
    return next((text.strip() for text in texts if text is not None), None)


def _pairs(pattern: re.Pattern[str], *texts: str | None) -> dict[str, str] | None:
    """The names and values in the first text that holds any."""
    for text in texts:
        if text is not None and (pairs := pattern.findall(text.strip())):
            return {name.strip(): value.strip() for name, value in pairs}
    return None


def _items(*texts: str | None) -> list[str] | None:
    """The quoted items of the first text that holds any."""
    return next((items for text in texts if text is not None and (items := QUOTED.findall(text.strip()))), None)


def _quoted(text: str, name: str) -> str | None:
    """What stands in quotation marks behind *name*, up to the next mark of either kind."""
    return _after(text, name, QUOTE.pattern, QUOTE)


def _after(text: str, name: str, opening: str, closing: re.Pattern[str]) -> str | None:
    """What stands behind *name*, between the opening and the first closing.

    The first place of the name decides: what is not closed behind it is not closed behind a later one either.
    """
    begun = re.search(rf"{name}[\"']?\s*:\s*{opening}", text, re.IGNORECASE)
    ended = closing.search(text, begun.end()) if begun else None
    return text[begun.end() : ended.start()] if begun and ended else None


def _section(text: str, number: int, title: str, following: Iterable[str] | None) -> str | None:
    """What stands under a numbered heading, up to a line that begins as the next one does; ``None`` without that.

    Args:
        text: The text.
        number: The heading's number.
        title: Its words.
        following: How the next heading begins, in lower case; ``None`` to take all up to the end.
    """
    heading = re.search(rf"{number}\.\s*{title}(?P<gap>[:\s-]+)", text, re.IGNORECASE)
    if heading is None:
        return None
    rest = text[heading.end() :]
    if following is None:
        return rest
    begins = tuple(following)
    lines = rest.split("\n")
    for place, line in enumerate(lines[1:], 1):
        if line.strip().lower().startswith(begins):
            return "\n".join(lines[:place])
    gap = heading["gap"]
    at_once = "\n" in gap[1:][len(gap[1:].rstrip()) :] and rest.lower().startswith(begins)
    return "" if at_once else None


def idea_text(parts: Mapping[str, Any]) -> str:
    """The idea as its embedding is made: blanks around it are no part of it, and a list or object is written out."""
    return str(parts.get("Idea", "")).strip()


def published_scores(
    gold_steps: Any, gold_order: Any, parts: Mapping[str, Any], cosines: Mapping[str, Any]
) -> dict[str, float] | None:
    """The four objective scores of the official family, from 0 to 10.

    Args:
        gold_steps: The steps of the original idea, as in the row.
        gold_order: Their order.
        parts: The parts of the generated idea; see `published_parts`.
        cosines: As `benchmarks.sgi.idea_scores.objective_scores` takes them.

    Returns:
        The scores; ``None`` if the idea is null or a number, whose length the published code fails to take.
    """
    idea = parts.get("Idea", "")
    if not isinstance(idea, str | list | dict):
        return None
    # a part that is missing is an empty one, which counts; only null does not
    complete = 10 * sum(parts.get(name, "") is not None for name in PARTS) / len(PARTS)
    repetition = idea_scores.repetition_penalty(cosines["sentences"] if isinstance(idea, str) else None)
    length = idea_scores.length_penalty(len(idea)) if idea else 0.0
    steps, order = parts.get("ImplementationSteps", {}), parts.get("ImplementationOrder", {})
    return {
        "effectiveness": idea_scores.effectiveness(cosines["keywords"]),
        "novelty": idea_scores.novelty(cosines["related"], cosines["related_test"]),
        "detailedness": idea_scores.detailedness(complete, repetition, length),
        "feasibility": 10 * published_graph_similarity((gold_steps, gold_order), (steps, order)),
    }


def published_graph_similarity(gold: tuple[Any, Any], idea: tuple[Any, Any]) -> float:
    """How alike two graphs of steps are, from 0 to 1.

    Args:
        gold: Steps and order of the original idea.
        idea: Those of the generated one.

    Returns:
        What `benchmarks.sgi.idea_scores.likeness` says; 0 if steps or order are missing or of a type that the published
        code cannot use, such as an order of numbers.
    """
    if not all((*gold, *idea)):
        return 0.0
    try:
        return idea_scores.likeness(_edges(*gold), _edges(*idea), _word_likeness(gold[0], idea[0]))
    except (AttributeError, TypeError):
        return 0.0


def _edges(steps: Any, order: Any) -> idea_scores.Edges:
    """Which step leads to which.

    Raises:
        AttributeError: If the steps are no object, or what stands among step numbers is no text.
        TypeError: If the order cannot be walked through, or holds a number or null beside texts.
    """
    known = {str(number) for number in steps.keys()}  # noqa: SIM118  (what is no object is to fail here)
    edges: idea_scores.Edges = set()
    if all(item.isdigit() for item in order):
        # a number given twice leads to itself; they are sorted as texts: 1, 10, 2
        edges = idea_scores.chain(sorted(item for item in order if item in known))
    else:
        for item in order:
            ends = item.split("-") if "-" in item and isinstance(item, str) else []
            if len(ends) == 2 and set(ends) <= known:
                edges.add((ends[0], ends[1]))
    return edges or idea_scores.chain(sorted(known))


def _word_likeness(gold: Mapping[Any, Any], idea: Mapping[Any, Any]) -> float:
    """The Jaccard index of the words of all steps; 0 if a step is no text, or there is hardly any text."""
    try:
        texts = [" ".join({str(number): step for number, step in steps.items()}.values()) for steps in (gold, idea)]
    except TypeError:
        return 0.0
    if any(len(text.strip()) < LEAST_TEXT for text in texts):
        return 0.0
    words, others = (set(text.lower().split()) for text in texts)
    return idea_scores.jaccard(words, others)
