"""Readers of judges' replies and of answers, and means, against what the published grader computes with the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mixeval_x_grader import choice_score, free_form_score, grade, mean, option, picked_by_rule, plan_score
from mixeval_x_project import action, free_form, multiple_choice

from benchmarks.mixeval_x.official_results import mean as our_mean
from benchmarks.mixeval_x.rule_parser import option_letter
from benchmarks.mixeval_x.test_image2text import TASK as IMAGE2TEXT
from benchmarks.mixeval_x.test_text2action import TASK as TEXT2ACTION
from benchmarks.mixeval_x.verdicts import letter_in_brackets, number_in_brackets, share_in_brackets
from proctor import Ask, Judged, Reply, Row, Task
from proctor._base.errors import DataError
from proctor.tasks.samples import samples_of_row

MAY_BE_SLOW = settings(suppress_health_check=[HealthCheck.too_slow])  # to draw an entry, where others use the cores
NUMBERS = st.one_of(
    st.sampled_from(
        ["0", "1", "0.7", "10", "07", "00", "07.5", "1.", ".5", "-1", "1e3", "0.12345678901", "٣", "", "x"]
    ),
    st.from_regex(r"[0-9]{1,12}\.?[0-9]{0,12}", fullmatch=True),
    st.text("0123456789.٣", max_size=6),
)
REPLIES = st.lists(
    st.one_of(
        st.builds("[[{}]]".format, NUMBERS),
        st.builds("[{}]".format, NUMBERS),
        st.builds("[[{}]]".format, st.sampled_from("ABZb")),
        st.builds("[{}]".format, st.sampled_from("ABZb")),
        st.text("[]0.7 AB", max_size=8),
    ),
    max_size=5,
).map(" ".join)
OPTIONS = st.lists(
    st.one_of(
        st.sampled_from(["a dog", "a doghouse", "Yes", "no", "3", "A"]), st.text("ab C.", min_size=1, max_size=5)
    ),
    min_size=1,
    max_size=28,
)
RESPONSES = st.one_of(
    st.sampled_from(["'B'", "Not D, but C", "**B**", "B. a dog", "(C) because A is wrong", "", "A\nB", "**B. a dog"]),
    st.lists(
        st.sampled_from(["A", "B.", "(B)", "**C**", "**A", "B**", "D,", "'A'", "I", "a dog", "doghouse", "it is", "\n"])
    ).map(" ".join),
    st.text("AB ab.,'*()\n", max_size=20),
)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.text(max_size=3),
    st.lists(st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text("aB ", max_size=2)), max_size=3),
    st.lists(st.one_of(st.integers(-3, 3), st.booleans()), min_size=1, max_size=1),
    st.dictionaries(st.text("ab", max_size=1), st.integers(), max_size=1),
)
GONE = object()


@st.composite
def odd_entries(draw: st.DrawFn, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry in which some fields are odd, and some are not there."""
    drawn = dict(entry)
    for name in draw(st.lists(st.sampled_from(sorted(entry)), max_size=3, unique=True)):
        value = draw(st.one_of(ODD, st.just(GONE)))
        if value is GONE:
            del drawn[name]
        else:
            drawn[name] = value
    return drawn


def ours(task: Task, entry: dict[str, Any], reply: str, file: Path) -> Mapping[str, float] | None:
    """The official scores of an entry in a file of responses, whose judge always replies so; ``None`` if unusable."""

    def ask(template: str, /, *_: Any, **__: Any) -> Reply:
        assert template in task.prompts
        return Reply(reply)

    assert task.response_files is not None
    assert isinstance(task.score, Judged)
    row = Row(entry, file, 1)
    (sample,) = samples_of_row(row.without(*task.response_fields), task.samples_of)
    try:
        response = task.response_files.response(row)
    except DataError:
        return None
    if sample.error is not None:
        return None
    ask.again = lambda *_: False  # type: ignore[attr-defined]
    return task.scored(sample, response, task.score.examine(sample, response, cast("Ask", ask))).official


def published(score: Callable[[dict[str, Any], str], float | None], entry: dict[str, Any], reply: str) -> float | None:
    """What the published grader gives; ``None`` where it crashes, or asks again."""
    try:
        return score(entry, reply)
    except (KeyError, TypeError, IndexError, AssertionError, SyntaxError, ValueError, OverflowError):
        return None


@MAY_BE_SLOW
@given(odd_entries(free_form(response="a swan")), REPLIES)
@example(free_form(response=None, target=[], benchmark_name=None), "[[0.25]]")
@example(free_form(response=3, target=["", 3, None], prompt=None), "[0.5]")
def test_odd_free_form_entries_score_as_published(entry: dict[str, Any], reply: str) -> None:
    found, right = ours(IMAGE2TEXT, entry, reply, Path("one/one_ff.jsonl")), published(free_form_score, entry, reply)
    if right is not None:
        assert found == {"overall": right, "judge_score": right}


@MAY_BE_SLOW
@given(odd_entries(multiple_choice(response="green")), st.sampled_from(["[[A]]", "[[B]]", "[C] [[x]]", "[[Z]]", "?"]))
@example(multiple_choice(response="green", target=[-1]), "[[C]]")
@example(multiple_choice(response="green", target=[True]), "[[B]]")
@example(multiple_choice(response=None, options=["", 2, None]), "[[B]]")
def test_odd_multiple_choice_entries_score_as_published(entry: dict[str, Any], reply: str) -> None:
    found, right = ours(IMAGE2TEXT, entry, reply, Path("one/one_mp.jsonl")), published(choice_score, entry, reply)
    if right is not None:
        assert found == {"overall": right, "accuracy": right}


@MAY_BE_SLOW
@given(odd_entries(action(response="[Pour]")), REPLIES)
def test_odd_plans_score_as_published(entry: dict[str, Any], reply: str) -> None:
    found, right = ours(TEXT2ACTION, entry, reply, Path("one/one_t2a.jsonl")), published(plan_score, entry, reply)
    if right is not None and right != float("inf"):
        assert found == {"judge_score": right}


def published_grade(reply: str) -> float | None:
    """The published grade; ``None`` where there is none, or a crash."""
    try:
        number = grade(reply)
    except (SyntaxError, ValueError, OverflowError):
        return None
    return None if number in (-1, float("inf")) else number


@given(REPLIES)
@example("[[0.123456789012345]]")
@example("[[07]] and [[8]]")
@example("[7] but then [[3]] and [[4]]")
@example("[[[6]]]")
@example(f"[[{'9' * 400}.5]]")
def test_numbers_are_read_as_published(reply: str) -> None:
    published = published_grade(reply)
    assert number_in_brackets(reply) == published
    in_range = published is not None and 0 <= published <= 1
    assert share_in_brackets(reply) == (published if in_range else None)


@given(REPLIES)
def test_letters_are_read_as_published(reply: str) -> None:
    published = option(reply)
    assert letter_in_brackets(reply) == (None if published == "-1" else published)


@given(RESPONSES, OPTIONS)
def test_rules_read_what_the_published_ones_read(response: str, options: list[str]) -> None:
    if any(not text.strip() for text in options):
        return  # the published rules find nothing in everything
    published = picked_by_rule(response, options)
    if published is not None:
        assert option_letter(response, options) == published


@given(
    st.lists(st.one_of(st.integers(0, 10).map(lambda tenth: tenth / 10), st.floats(0, 10)), min_size=1, max_size=400)
)
def test_means_are_those_of_the_published_grader(values: list[float]) -> None:
    assert our_mean(values) == mean(values)


def test_a_tie_in_the_third_decimal_goes_as_it_goes_in_python_3_11() -> None:
    values = [0.1] * 3 + [0.7] * 7 + [0.9] * 6  # 10.6 / 16 = 0.6625, added from the left 0.66250…01
    assert our_mean(values) == 0.663
    assert round(fmean(values), 3) == 0.662


def test_a_reply_of_nothing_but_digits_is_read_in_one_pass() -> None:
    assert number_in_brackets("[[" + "1" * 300_000) is None  # what tries every cut would take hours
    assert number_in_brackets("[" * 300_000) is None
