"""Idea Generation: propose a research idea that meets a challenge and goes beyond the work so far.

Each of four dimensions is the mean of an objective score, from embeddings or the text itself, and a subjective one,
from votes of three judges between the original idea and the generated one. The headline is their mean (SGI-Bench).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from benchmarks.sgi.embeddings import embedding, mean_cosine, mean_pairwise_cosine, missing_library
from benchmarks.sgi.idea import Idea, idea_of, read_idea
from benchmarks.sgi.idea_scores import objective_scores, sentences
from benchmarks.sgi.identity import COMPOSITE, TASKS, literal_of, text_of, texts_of
from benchmarks.sgi.published_idea import idea_text, published_parts, published_scores
from benchmarks.sgi.votes import ASPECTS, DIMENSIONS, TEMPLATE, Vote, outcome, six_votes, vote_diagnostics
from proctor import ROW_ID, Ask, Case, Judged, Placeholders, Reply, Role, Row, Sample, Score, Task

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
    """The row's one sample, its id made from the row's content.

    Only the question is needed: a part that is missing or cannot be read is empty, as for the published code.

    Raises:
        DataError: If the question is missing or no text.
    """
    order, keywords = literal_of(row, "implementation_order", list), literal_of(row, "keywords", list)
    given = row.get("keywords")
    later_work = literal_of(row, "related_work_test", dict)
    if keywords is None and isinstance(given, str):
        keywords = [keyword.strip() for keyword in given.split(",")]
    steps = literal_of(row, "implementation_steps", dict) or {}
    gold = Idea(
        text=text_of(row, "core_idea").strip(),
        steps={str(number): str(step) for number, step in steps.items()},
        order=tuple(map(str, order or ())),
        dataset=text_of(row, "data"),
        metrics=texts_of(row, "evaluation_metrics"),
        outcome=text_of(row, "expected_outcome"),
    )
    if not gold.text:
        row.odd("core_idea", "no original idea", value=row.get("core_idea"))
    yield Sample(
        id=row.content_id,
        fields={
            "question": row.text("question"),
            "shown": {name: text_of(row, name) for name in SHOWN},
            "gold": gold,
            # an order that is a text but no list counts by its characters, as in the published code
            "published_gold": {
                "steps": steps,
                "order": order if isinstance(order, list) else list(text_of(row, "implementation_order")),
                "later_work_is_empty": later_work == {} and isinstance(row.get("related_work_test"), str),
            },
            "related": [*texts_of(row, "related_work").values(), *texts_of(row, "existing_solutions").values()],
            "related_test": [f"{name}: {text}" for name, text in (later_work or {}).items()],
            "keywords": [str(keyword) for keyword in keywords] if isinstance(keywords, list) else [],
            # keywords that are one text are joined by their characters, as in the published code
            "published_keywords": ", ".join(map(str, given)) if isinstance(given, str | list) else None,
        },
        target=gold.parts,
        tags=row.labels("discipline", ROW_ID),
    )


def converse(sample: Sample, ask: Ask) -> Reply:
    """Tell of the work so far and what it lacks, and ask for an idea."""
    return ask("idea_generation", question=sample.fields["question"], **sample.fields["shown"])


def examine(sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Compute the cosines of embeddings that the objective scores need, and have the judges vote.

    An empty idea is not put to the vote: it has lost every one.

    Returns:
        ``cosines``: what `objective_scores` takes; ``published_cosines``: the same for the idea and the keywords as the
        published code reads them, if that makes a difference; ``votes``: by role the winner in each aspect and why,
        ``None`` for a vote that failed; ``tries``: how often each role was asked; ``problem``: why votes failed, empty
        if none did. Those are empty without a vote.
    """
    fields, (idea, parts) = sample.fields, readings(response)
    told = {"question": fields["question"], **fields["shown"]}
    verdicts = six_votes(ask, fields["gold"].told(), idea.told(), **told) if idea.text else {}
    keywords = ", ".join(fields["keywords"]) if fields["keywords"] else None
    read = (idea.text, keywords)
    published = (idea_text(parts or {}), fields["published_keywords"])
    evidence = {
        "cosines": cosines(fields, *read, ask),
        "votes": {role: verdict.value for role, verdict in verdicts.items()},
        "tries": {role: verdict.tries for role, verdict in verdicts.items()},
        "problem": "; ".join(verdict.problem for verdict in verdicts.values() if verdict.problem),
    }
    return evidence | ({"published_cosines": cosines(fields, *published, ask)} if published != read else {})


def readings(response: str) -> tuple[Idea, dict[str, Any] | None]:
    """The idea in a response, and its parts as the published reader takes them out (see `published_parts`)."""
    idea, parts = read_idea(response), published_parts(response)
    return (idea if idea.text else idea_of(parts or {})), parts


def cosines(fields: Mapping[str, Any], idea: str, keywords: str | None, ask: Ask) -> dict[str, float | None]:
    """What `objective_scores` takes; ``None`` where there is nothing to compare the idea with."""
    vector = embedding(ask, idea)
    others = {name: [embedding(ask, text) for text in fields[name]] for name in ("related", "related_test")}
    others["keywords"] = [] if keywords is None else [embedding(ask, keywords)]
    return {
        **{name: mean_cosine(vector, texts) if texts else None for name, texts in others.items()},
        "sentences": mean_pairwise_cosine([embedding(ask, sentence) for sentence in sentences(idea)]),
    }


def score(sample: Sample, response: str, evidence: Any) -> Score:
    """Each dimension is the mean of its objective score and, if it won the vote, 100; all from 0 to 100.

    In the official family a vote that failed counts as lost, and a sample with whose idea the published code fails is
    left out. In the strict one a sample that lacks a vote is not judged, and 0.
    """
    fields, (idea, parts) = sample.fields, readings(response)
    votes = evidence["votes"]
    judged = all(votes.values())
    strict = combined(objective_scores(fields["gold"], idea, evidence["cosines"]), votes, official=False)
    return Score(
        prediction=idea.parts,
        official=official_scores(fields["published_gold"], parts, evidence),
        strict=strict if judged else dict.fromkeys(strict, 0.0),
        parsed=bool(idea.text),
        judged=judged,
        problem=evidence.get("problem", ""),
        diagnostics=vote_diagnostics(votes, evidence["tries"]),
    )


def official_scores(gold: Mapping[str, Any], parts: dict[str, Any] | None, evidence: Any) -> dict[str, float]:
    """The scores of the official family; empty if the published code loses the sample."""
    if parts is None:
        return {}
    taken = evidence.get("published_cosines", evidence["cosines"])
    if gold["later_work_is_empty"]:
        taken = taken | {"related_test": 0.0}  # a mean of nothing, NaN, which the published code clips to 10 points
    objective = published_scores(gold["steps"], gold["order"], parts, taken)
    votes = evidence["votes"] if idea_text(parts) else {}
    return {} if objective is None else combined(objective, votes, official=True)


def combined(objective: Mapping[str, float], votes: Mapping[str, Vote | None], *, official: bool) -> dict[str, float]:
    """The scores of a sample, from 0 to 100.

    Args:
        objective: By dimension, from 0 to 10.
        votes: The votes by role.
        official: Whether they count as the published reader sees them.
    """
    subjective = {name: 100.0 * (outcome(votes, name, official=official) == "win") for name in DIMENSIONS}
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
    keywords = sample.fields["keywords"] or ["idea"]
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
        TEMPLATE: Placeholders("idea_a", "idea_b", optional=["question", *SHOWN]),
    },
    converse=converse,
    score=Judged(
        roles={name: judge(number, model) for number, (name, model) in enumerate(JUDGES.items(), 1)},
        examine=examine,
        score=score,
        unmet=unmet,
    ),
    metrics=dict.fromkeys(METRICS, 0.0),
    composite=COMPOSITE,
    composite_tasks=TASKS,
    best=dict.fromkeys(METRICS, 100.0),
    parameters={"temperature": 0.0},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
)


@TASK.cases
def test_idea_generation(case: Case) -> None:
    """The model's idea is judged better than the original one, and is new, detailed and feasible."""
    case.measure()
