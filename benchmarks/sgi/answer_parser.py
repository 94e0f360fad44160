"""The answer parser: a model that brings an answer in free words into the shape of an example.

It sees the answer and the example, never the gold answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchmarks.sgi.judge_reply import JudgeReply, json_object, verdict
from proctor import Ask, Placeholders, Role

TEMPLATE = "answer_parser"
PROMPTS = {TEMPLATE: Placeholders("answer", "example", optional=["kind"])}
NUMBER = "0.25"
TEXT = "T cell and B cell"


def example_for(gold: Any) -> tuple[str, str]:
    """The example that shows the shape of answers like *gold*, and its kind: a number, or text."""
    try:
        float(gold)
    except (ValueError, TypeError, OverflowError):
        return TEXT, "text"
    return NUMBER, "number"


def parsed_answer(ask: Ask, answer: str, gold: Any) -> JudgeReply[str]:
    """Ask the parser for the answer in the shape of the example that *gold* calls for."""
    example, kind = example_for(gold)
    return verdict(ask, TEMPLATE, read_answer, role="parser", answer=answer, example=example, kind=kind)


def read_answer(reply: str) -> str | None:
    """The field ``answer`` of the reply's JSON; without that field the whole reply, as it stands.

    ``None`` if the field is neither text nor number, or the reply is empty.
    """
    told = json_object(reply) or {}
    if "answer" not in told:
        return reply if reply.strip() else None
    value = told["answer"]
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def echo(values: Mapping[str, str]) -> str:
    """What stands in for the parser when a built-in model is under test: the answer as it is."""
    return json.dumps({"answer": values["answer"]})


ROLE = Role(
    model="gpt-4.1-mini",
    parameters={"temperature": 0.0},
    builtin=echo,
    model_variable="SGI_DR_GRADER_MODEL",
    base_url_variables=("GRADER_BASE_URL",),
    key_variables=("GRADER_API_KEY",),
)
