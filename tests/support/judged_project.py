"""A small project whose answers are judged, twice each, by a stub server."""

from __future__ import annotations

from collections import Counter

import pytest
from capitals import CAPITALS, Project
from stub_server import Answer, Request

JUDGED = """
from pathlib import Path
from proctor import Judged, JudgeFailed, Placeholders, Role, Sample, Score, Task

def samples_of(row):
    yield Sample(row.text("country"), {"country": row.text("country")}, row.text("capital"))

def converse(sample, ask):
    return ask("capitals", country=sample.fields["country"])

def vote(sample, response, order):
    def cast(ask):
        for _ in range(3):
            reply = ask("judge", role=f"judge/{order}", country=sample.fields["country"], capital=response, order=order)
            if reply.text in ("yes", "no"):
                return reply.text
        return None
    return cast

def count(text):
    with Path("counted").open("a") as log:
        log.write(text + "\\n")
    return len(text)

def examine(sample, response, ask):
    try:
        votes = ask.together([vote(sample, response, order) for order in ("first", "second")])
    except JudgeFailed as failure:
        return {"failed": str(failure)}
    return {"votes": votes, "letters": ask.computed("letters", {"text": response}, lambda: count(response))}

def score(sample, response, evidence):
    votes = evidence.get("votes", [])
    value = sum(vote == "yes" for vote in votes) / 2
    strict = value if len(votes) == 2 and None not in votes else 0.0
    return Score(response, {"accuracy": value}, {"accuracy": strict}, judged=None not in votes and len(votes) == 2,
                 diagnostics={"letters": evidence.get("letters")})

def unmet(sample):
    missing = Path("needs-a-map").exists() and sample.id == "Peru"
    return "there is no map of Peru\\n  Draw one." if missing else None

TASK = Task(
    name="geo/capitals",
    samples_of=samples_of,
    prompts={"capitals": Placeholders("country"), "judge": Placeholders("country", "capital", "order")},
    converse=converse,
    score=Judged(
        roles={"judge": Role(model="o4-mini", builtin=lambda values: "yes", parameters={"temperature": 0.0},
                             model_variable="GEO_JUDGE", base_url_variables=("GEO_JUDGE_URL", "GRADER_URL"),
                             key_variables=("GEO_JUDGE_KEY",))},
        examine=examine, score=score, unmet=unmet,
    ),
    metrics={"accuracy": 0.0},
    builtin={"oracle": lambda sample, generator: sample.target},
)

@TASK.cases
def test_capitals(case):
    case.measure()
"""
COUNTRIES = list(CAPITALS)[:5]


def speak(request: Request) -> str | Answer:
    """Answers with the capital; judges that it is right, and never that Lima is when it is shown second."""
    if "Judge" not in request.question:
        return next(capital for country, capital in CAPITALS.items() if country in request.question)
    if "Lima" in request.question and "second" in request.question:
        return Answer("no", tokens=(50, 0, 1, 0))
    return Answer("yes", tokens=(50, 0, 1, 0))


@pytest.fixture
def judged(project: Project) -> Project:
    project.module.write_text(JUDGED)
    project.prompt.with_name("judge.txt").write_text("Judge {order}: is {capital} the capital of {country}?\n")
    project.server.script = speak
    return project


def models_asked(project: Project) -> Counter[tuple[str, str]]:
    return Counter((r.json["model"], "judge" if "Judge" in r.question else "answer") for r in project.server.requests)
