"""Research ideas: the six parts they have, reading them out of a response, and writing them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

BLOCK = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
STRING = r'"((?:[^"\\]|\\.)*)"'
PAIR = re.compile(rf"{STRING}\s*:\s*{STRING}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Idea:
    """A research idea; a part that is missing is empty.

    Args:
        text: The idea itself.
        steps: What is to be done, by step number.
        order: Which step comes before which, as ``1-2``, or just step numbers.
        dataset: The data it uses.
        metrics: How success is measured, by name.
        outcome: What is expected to come out.
    """

    text: str = ""
    steps: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    dataset: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict)
    outcome: str = ""

    @property
    def parts(self) -> dict[str, Any]:
        """The six parts under the names that a response gives them."""
        return {
            "Idea": self.text,
            "ImplementationSteps": dict(self.steps),
            "ImplementationOrder": list(self.order),
            "Dataset": self.dataset,
            "EvaluationMetrics": dict(self.metrics),
            "ExpectedOutcome": self.outcome,
        }

    def told(self) -> str:
        """The idea in words, as judges read it."""
        lines = [
            f"Idea: {self.text}",
            "Steps: " + " ".join(f"{number}. {step}" for number, step in self.steps.items()),
            f"Order: {', '.join(self.order)}",
            f"Data: {self.dataset}",
            "Metrics: " + "; ".join(f"{name}: {meaning}" for name, meaning in self.metrics.items()),
            f"Expected outcome: {self.outcome}",
        ]
        return "\n".join(line.strip() for line in lines)


def read_idea(response: str) -> Idea:
    """The idea in a response: JSON in a ```` ```json ```` block or bare, else what can be fished out of it.

    A part that is not of the type it should be counts as missing.
    """
    block = BLOCK.search(response)
    return idea_of(parts_in(block[1] if block else response))


def idea_of(parts: Mapping[str, Any]) -> Idea:
    """The idea of these parts."""
    return Idea(
        text=_text(parts.get("Idea")),
        steps=_texts(parts.get("ImplementationSteps")),
        order=_items(parts.get("ImplementationOrder")),
        dataset=_text(parts.get("Dataset")),
        metrics=_texts(parts.get("EvaluationMetrics")),
        outcome=_text(parts.get("ExpectedOutcome")),
    )


def parts_in(text: str) -> dict[str, Any]:
    """The parts of an idea in *text*: those of the JSON object that begins first, else what can be fished out."""
    start = text.find("{")
    if start >= 0:
        with suppress(ValueError, RecursionError):
            parts: dict[str, Any] = json.JSONDecoder().raw_decode(text, start)[0]
            return parts
    return fished(text)


def fished(text: str) -> dict[str, Any]:
    """The parts that stand whole in a text that is no JSON as a whole, such as one that was cut off."""
    parts: dict[str, Any] = {}
    for name, empty in Idea().parts.items():
        if isinstance(empty, str):
            found = re.search(rf'"{name}"\s*:\s*{STRING}', text, re.DOTALL)
            parts[name] = _unescaped(found[1]) if found else ""
        elif isinstance(empty, dict):
            found = re.search(rf'"{name}"\s*:\s*\{{([^{{}}]*)\}}', text)
            pairs = PAIR.findall(found[1]) if found else []
            parts[name] = {_unescaped(key): _unescaped(value) for key, value in pairs}
        else:
            found = re.search(rf'"{name}"\s*:\s*\[([^\[\]]*)\]', text)
            parts[name] = [_unescaped(item) for item in re.findall(STRING, found[1])] if found else []
    return parts


def _unescaped(text: str) -> str:
    """What a JSON string means; as it stands if it is not one, as with a bare line break."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(key).strip(): str(text).strip() for key, text in value.items()}


def _items(value: Any) -> tuple[str, ...]:
    return tuple(str(item).strip() for item in value) if isinstance(value, list) else ()
