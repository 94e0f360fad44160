"""Where the final answer of a response stands."""

from __future__ import annotations

import pytest

from benchmarks.sgi.final_answer import final_answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("So <answer> 0.25\n</answer>.", "0.25"),
        ("<answer>1</answer> No: <answer>2</answer> it is", "2"),
        ("Write <answer>. <answer>3</answer> and </answer>", "3"),
        (" four \n", "four"),
        ("<answer>5", "<answer>5"),
        ("<answer>6</answer> or <answer>7", "<answer>6</answer> or <answer>7"),
        ("8</answer>", "8</answer>"),
        ("<answer></answer>", ""),
        ("", ""),
    ],
)
def test_it_stands_between_the_last_opening_and_the_next_closing_tag(response: str, answer: str) -> None:
    assert final_answer(response) == answer
