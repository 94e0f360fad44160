"""Reading JSON out of what judges say."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.sgi.answer_parser import example_for, read_answer
from benchmarks.sgi.judge_reply import json_list, json_object


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here it is:\n```json\n{"a": {"b": "x"}}\n```\nDone {"c": 2}', {"a": {"b": "x"}}),
        ("{'a': 'single', 'b': True,}", {"a": "single", "b": True}),
        ('{"a": "he said "no" twice", "b": 2', {"a": 'he said "no" twice', "b": 2}),
        ('[{"a": 1}, {"a": 2}]', {"a": 1}),
        ("no JSON", None),
        ("", None),
        ("{" * 100_000, None),
        ("{" * 200, None),
        ('{"a":' * 100_000, None),
        ('{"a": ' + '"' * 10_000, {"a": ""}),
    ],
)
def test_an_object_is_read_and_mended(reply: str, value: Any) -> None:
    assert json_object(reply) == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('[{"a": 1}]', [{"a": 1}]),
        ('The list:\n[{"a": 1},\n{"a": 2},]\nend', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1}, {"a": "cut of', [{"a": 1}, {"a": "cut of"}]),
        ('{"a": 1}', None),
        ("[" * 100_000, None),
        ('[{"```json}]```[', None),  # json-repair fails with an AssertionError
    ],
)
def test_a_list_is_read_and_mended(reply: str, value: Any) -> None:
    assert json_list(reply) == value


def test_nothing_in_a_reply_is_ever_run(tmp_path: Any) -> None:
    target = tmp_path / "pwned"
    for read in (json_object, json_list, read_answer):
        read(f"{{'answer': open({str(target)!r}, 'w')}}")
        read(f"[__import__('pathlib').Path({str(target)!r}).touch()]")
    assert not target.exists()


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": "0.25"}', "0.25"),
        ('{"answer": " T cell "}', "T cell"),
        ('{"answer": 12}', "12"),
        ('{"answer": null}', None),
        ('{"answer": true}', None),
        ('{"answer": ["a"]}', None),
        ('{"result": "1"}', '{"result": "1"}'),
        ("0.25", "0.25"),
        ("T cell and B cell\n", "T cell and B cell\n"),
        (" ", None),
    ],
)
def test_the_parsers_answer_is_the_field_of_that_name_or_all_it_says(reply: str, answer: str | None) -> None:
    assert read_answer(reply) == answer


@pytest.mark.parametrize(
    ("gold", "example"),
    [
        ("4.39", ("0.25", "number")),
        ("-3", ("0.25", "number")),
        ("1e-5", ("0.25", "number")),
        ("5 mM", ("T cell and B cell", "text")),
        ("10:20", ("T cell and B cell", "text")),
        ("silver", ("T cell and B cell", "text")),
    ],
)
def test_the_example_has_the_gold_answers_shape_and_nothing_of_it(gold: str, example: tuple[str, str]) -> None:
    assert example_for(gold) == example
