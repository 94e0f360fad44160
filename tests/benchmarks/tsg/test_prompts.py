"""The prompts: what the templates say, what a model is shown, and that the published templates fit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from tsg_rows import PICK_UP, SWEEP, samples, sgds_row, sgg_row, sgqa_row

from benchmarks.tsg.test_ma_sgg import TASK as MA_SGG
from benchmarks.tsg.test_sa_sgg import TASK as SA_SGG
from benchmarks.tsg.test_sgds import TASK as SGDS
from benchmarks.tsg.test_sgqa import TASK as SGQA
from proctor import Reply, Sample, Task
from proctor.tasks.prompt import Template, Value

if TYPE_CHECKING:
    from proctor import Ask

PROMPTS = Path(__file__).parents[3] / "prompts"
TASKS = (SGQA, SGDS, SA_SGG, MA_SGG)

# The placeholders of the published templates, in the order in which they stand there.
PUBLISHED = {
    "sgqa": "Scene Graph: {scene_graph}\nQuestion: {question}",
    "sgds": "{context}|{triplet}|{sentences}",
    "sa-sgg": "{context}|{target_sentence}|{available_nodes}|{available_edges}",
    "ma-sgg": "{context}|{target_sentence}|{available_nodes}|{available_edges}|{num_scene_graphs}",
}


def prompt_of(task: Task, sample: Sample, text: str | None = None) -> str:
    """What the model is asked, with *text* as the template instead of the project's own."""
    prompts: list[tuple[Value, ...]] = []

    def ask(template: str, /, *, role: str = "answer", **values: str) -> Reply:
        assert role == "answer"
        file = PROMPTS / task.benchmark / f"{template}.txt"
        loaded = Template(
            file.read_text("utf-8") if text is None else text, file=file, placeholders=task.prompts[template]
        )
        prompts.append(loaded.fill(values))
        return Reply("reply")

    assert task.converse(sample, cast("Ask", ask)).text == "reply"
    ((prompt,),) = prompts
    assert isinstance(prompt, str)
    return prompt


def test_sgqa_shows_the_graphs_as_python_writes_lists() -> None:
    sample = samples(SGQA, sgqa_row())[1]
    assert prompt_of(SGQA, sample, PUBLISHED["sgqa"]) == (
        "Scene Graph: "
        "[[['person', 'verb', 'pick-up'], ['pick-up', 'dobj', 'mop-stick'], ['pick-up', 'with', 'hand1']], "
        "[['person', 'verb', 'sweep'], ['sweep', 'dobj', 'floor'], ['sweep', 'with', 'mop-stick']]]\n"
        "Question: What was swept?"
    )


def test_sgds_shows_lettered_candidates() -> None:
    row = sgds_row(variations=["One.", "Two.", "Three.", "Four."], context_graphs=[[["a", "b", "it's {c}"]]])
    assert prompt_of(SGDS, samples(SGDS, row)[0], PUBLISHED["sgds"]) == (
        """[[['a', 'b', "it's {c}"]]]|"""
        "[['person', 'verb', 'sweep'], ['sweep', 'dobj', 'floor'], ['sweep', 'with', 'mop-stick']]|"
        "A: One.\nB: Two.\nC: Three.\nD: Four."
    )


def test_generation_shows_the_narrative_and_the_vocabulary_objects_before_verbs() -> None:
    shown = (
        "The mop stick stood in a corner.|It was picked up.|"
        "person, mop-stick, floor, hand1, hand2, pick-up, sweep|dobj, with, verb"
    )
    assert prompt_of(SA_SGG, samples(SA_SGG, sgg_row())[0], PUBLISHED["sa-sgg"]) == shown
    assert prompt_of(MA_SGG, samples(MA_SGG, sgg_row(PICK_UP, SWEEP))[0], PUBLISHED["ma-sgg"]) == f"{shown}|2"


@pytest.mark.parametrize("task", [SA_SGG, MA_SGG], ids=lambda task: task.short_name)
def test_generation_templates_may_show_the_verbs_again(task: Task) -> None:
    text = PUBLISHED[task.short_name] + "|Available Verbs: {verbs}"
    assert prompt_of(task, samples(task, sgg_row())[0], text).endswith("|Available Verbs: pick-up, sweep")


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (SGQA, ["[answer]", "one word", "verb", "dobj", "with"]),
        (SGDS, ["[A]", "verb", "dobj", "Context", "Candidates"]),
        (
            SA_SGG,
            ["node -> edge -> node", "person -> verb -> action", "dobj", "hand1", "hand2", "both hands", "released"],
        ),
        (
            MA_SGG,
            ["node -> edge -> node", "person -> verb -> action", "dobj", "hand1", "hand2", "both hands", "released"],
        ),
        (MA_SGG, ["blank line between", "exactly 2 scene graphs", "infer"]),
    ],
)
def test_the_prompt_tells_the_rules_by_which_answers_are_scored(task: Task, said: list[str]) -> None:
    row = {"sgqa": sgqa_row(), "sgds": sgds_row()}.get(task.short_name, sgg_row(PICK_UP, SWEEP))
    prompt = prompt_of(task, samples(task, row)[0])
    assert [words for words in said if words not in prompt] == []


def test_the_five_questions_of_a_row_share_all_but_the_end_of_the_prompt() -> None:
    first, second = (prompt_of(SGQA, sample) for sample in samples(SGQA, sgqa_row()))
    shared = first[: first.index("What was picked up?")]
    assert second.startswith(shared)
    assert "['sweep', 'with', 'mop-stick']" in shared


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.short_name)
def test_the_templates_own_text_is_short(task: Task) -> None:
    # Counted in words, since every model has its own tokens; 300 words of English are under 400 of them.
    assert len((PROMPTS / f"{task.name}.txt").read_text("utf-8").split()) <= 300
