"""Idea Generation: propose a research idea that meets a challenge and goes beyond the work so far.

Each of four dimensions is the mean of an objective score, from embeddings or the text itself, and a subjective one,
from votes of three judges between the original idea and the generated one. The headline is their mean (SGI-Bench).
"""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from benchmarks.sgi.embeddings import embedding, mean_cosine, mean_pairwise_cosine, missing_library
from benchmarks.sgi.idea import Idea, read_idea
from benchmarks.sgi.idea_scores import objective_scores, sentences
from benchmarks.sgi.votes import ASPECTS, DIMENSIONS, TEMPLATE, outcome, six_votes, vote_diagnostics
from proctor import Ask, Case, Judged, Placeholders, Reply, Role, Row, Sample, Score, Task

JUDGES = {
    "judge_1": "gpt-5.1-2025-11-13",
    "judge_2": "gemini-3-pro-preview",
    "judge_3": "anthropic/claude-sonnet-4.5",
}
"""The judges that the benchmark prescribes, by role."""
SHOWN = ("related_work", "existing_solutions", "challenge", "limitation", "motivation", "task_objective")
"""Fields that a prompt may show beside the question, which tells of all of them."""
CONSTANT_IDEA = Idea(
    text="Collect more data and train a larger neural network on them.",
    steps={"1": "Collect data", "2": "Train the network", "3": "Compare it with earlier work"},
    order=("1-2", "2-3"),
    dataset="All data there are.",
    metrics={"Accuracy": "Share of right results"},
    outcome="Better results.",
)


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample. Rows have no id of their own, so its content gives one.

    Raises:
        DataError: For a field that is missing or wrong, such as ``related_work`` that is no dict written as in Python.
    """
    gold = Idea(
        text=row.text("core_idea").strip(),
        steps=texts(row, "implementation_steps"),
        order=tuple(map(str, literal(row, "implementation_order", list))),
        dataset=row.text("data"),
        metrics=texts(row, "evaluation_metrics"),
        outcome=row.text("expected_outcome"),
    )
    if not gold.text:
        raise row.error("core_idea", "must not be empty", value=row.data["core_idea"])
    related = [*texts(row, "related_work").values(), *texts(row, "existing_solutions").values()]
    yield Sample(
        id=row.content_id,
        fields={
            "question": row.text("question"),
            "shown": {name: str(row.data[name]) for name in SHOWN if name in row.data},
            "gold": gold,
            "related": related,
            "related_test": [f"{name}: {text}" for name, text in texts(row, "related_work_test").items()],
            "keywords": [str(keyword) for keyword in literal(row, "keywords", list)],
        },
        target=gold.parts,
        tags={"discipline": row.text("discipline")},
    )


def literal(row: Row, name: str, kind: type) -> Any:
    """The list or dict in field *name*: as JSON has it, or written as in Python, which is read and never evaluated."""
    value = row.data.get(name)
    if isinstance(value, kind):
        return value
    written = row.text(name)
    problem = f"must be a {kind.__name__}, or one written as in Python"
    try:
        value = ast.literal_eval(written.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise row.error(name, problem, value=written) from None
    if not isinstance(value, kind):
        raise row.error(name, problem, value=written)
    return value


def texts(row: Row, name: str) -> dict[str, str]:
    """The texts in field *name*, by their names."""
    return {str(key): str(text) for key, text in literal(row, name, dict).items()}


def converse(sample: Sample, ask: Ask) -> Reply:
    """Tell of the work so far and what it lacks, and ask for an idea."""
    return ask("idea_generation", question=sample.fields["question"], **sample.fields["shown"])


def examine(sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Compute the cosines of embeddings that the objective scores need, and have the judges vote.

    An empty idea is not put to the vote: it has lost every one.

    Returns:
        ``cosines``: what `objective_scores` takes; ``votes``: by role the winner in each aspect and why, ``None`` for a
        vote that failed; ``tries``: how often each role was asked. The latter two are empty without a vote.
    """
    fields, idea = sample.fields, read_idea(response)
    verdicts = six_votes(ask, fields["question"], fields["gold"].told(), idea.told()) if idea.text else {}
    vector = embedding(ask, idea.text)
    return {
        "cosines": {
            "related": mean_cosine(vector, [embedding(ask, text) for text in fields["related"]]),
            "related_test": mean_cosine(vector, [embedding(ask, text) for text in fields["related_test"]]),
            "keywords": mean_cosine(vector, [embedding(ask, ", ".join(fields["keywords"]))]),
            "sentences": mean_pairwise_cosine([embedding(ask, sentence) for sentence in sentences(idea.text)]),
        },
        "votes": {role: verdict.value for role, verdict in verdicts.items()},
        "tries": {role: verdict.tries for role, verdict in verdicts.items()},
    }


def score(sample: Sample, response: str, evidence: Any) -> Score:
    """Each dimension is the mean of its objective score and, if it won the vote, 100; all from 0 to 100.

    In the official family a vote that failed counts as lost. In the strict one the sample is then not judged, and 0.
    """
    gold, idea = sample.fields["gold"], read_idea(response)
    votes, cosines = evidence["votes"], evidence["cosines"]
    subjective = {name: 100.0 * (outcome(votes, name) == "win") for name in DIMENSIONS}
    judged = all(votes.values())
    strict = combined(objective_scores(gold, idea, cosines, strict=True), subjective)
    return Score(
        prediction=idea.parts,
        official=combined(objective_scores(gold, idea, cosines, strict=False), subjective),
        strict=strict if judged else dict.fromkeys(strict, 0.0),
        parsed=bool(idea.text),
        judged=judged,
        diagnostics=vote_diagnostics(votes, evidence["tries"]),
    )


def combined(objective: Mapping[str, float], subjective: Mapping[str, float]) -> dict[str, float]:
    """The scores of a sample, from 0 to 100.

    Args:
        objective: By dimension, from 0 to 10.
        subjective: By dimension, 0 or 100.
    """
    both = {name: (10 * objective[name] + subjective[name]) / 2 for name in DIMENSIONS}
    return {
        "final_score": fmean(both.values()),
        **both,
        **{f"{name}_objective": 10 * objective[name] for name in DIMENSIONS},
        **{f"{name}_subjective": subjective[name] for name in DIMENSIONS},
    }


def unmet(_: Sample) -> str | None:
    """What this machine lacks to embed texts."""
    return missing_library()


def first_shown(_: Mapping[str, str]) -> str:
    """What stands in for each judge when a built-in model is under test: the idea shown first wins, so 3 votes to 3."""
    return json.dumps({aspect: {"vote": "Win A", "reason": "it is shown first"} for aspect in ASPECTS})


def response(idea: Idea) -> str:
    """The response that holds *idea*."""
    return json.dumps(idea.parts, ensure_ascii=False)


def oracle(sample: Sample, _: random.Random) -> str:
    """The original idea."""
    return response(sample.fields["gold"])


def chance(sample: Sample, generator: random.Random) -> str:
    """The keywords in any order."""
    keywords = sample.fields["keywords"]
    return response(Idea(text=" ".join(generator.sample(keywords, len(keywords)))))


def constant(_: Sample, __: random.Random) -> str:
    """Always the same idea."""
    return response(CONSTANT_IDEA)


def judge(number: int, model: str) -> Role:
    """The judge of that number."""
    return Role(
        model=model,
        parameters={"temperature": 0.1},
        builtin=first_shown,
        model_variable=f"SGI_JUDGE_MODEL_{number}",
        base_url_variables=(f"SGI_JUDGE_BASE_URL_{number}", "GRADER_BASE_URL"),
        key_variables=(f"SGI_JUDGE_API_KEY_{number}", "GRADER_API_KEY"),
    )


METRICS = (
    "final_score",
    *DIMENSIONS,
    *(f"{name}_objective" for name in DIMENSIONS),
    *(f"{name}_subjective" for name in DIMENSIONS),
)

TASK = Task(
    name="sgi/idea_generation",
    samples_of=samples_of,
    prompts={
        "idea_generation": Placeholders("question", optional=SHOWN),
        TEMPLATE: Placeholders("question", "idea_a", "idea_b"),
    },
    converse=converse,
    score=Judged(
        roles={name: judge(number, model) for number, (name, model) in enumerate(JUDGES.items(), 1)},
        examine=examine,
        score=score,
        unmet=unmet,
    ),
    metrics=dict.fromkeys(METRICS, 0.0),
    composite="SGI-Score",
    best=dict.fromkeys(METRICS, 100.0),
    parameters={"temperature": 0.0},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
)


@TASK.cases
def test_idea_generation(case: Case) -> None:
    """The model's idea is judged better than the original one, and is new, detailed and feasible."""
    case.measure()
