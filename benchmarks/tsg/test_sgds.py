"""SGDS, scene graph description selection: choose the sentence that describes a scene graph.

Each row shows the graphs of the actions so far, the graph of the target action, and four or five candidate sentences of
which one is right. The score is the accuracy of the chosen letter (arXiv 2505.19510).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

from benchmarks.tsg.identity import origin_tags
from benchmarks.tsg.scene_graph import check_graph, check_graphs, size_class
from proctor import Ask, Case, Placeholders, Reply, Row, Sample, Score, Task

LETTERS = "ABCDE"
FEWEST_CANDIDATES = 2
OFFICIAL_LETTER = re.compile(r"\[([A-E])\]|\b([A-E])\b")
BRACKETED_LETTER = re.compile(r"\[([A-E])\]")
BARE_LETTER = re.compile(r"\s*([A-E])\s*")


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample. Rows have no id of their own, so its content gives one.

    Raises:
        DataError: For a field that is missing or wrong, such as a ``position`` beyond the candidates.
    """
    candidates = candidates_of(row)
    position = row.integer("position")
    if not 0 <= position < len(candidates):
        allowed = f"must be from 0 to {len(candidates) - 1}, the place of one of the {len(candidates)} variations"
        raise row.error("position", allowed, value=position)
    triplets = row.sequence("triplet")
    check_graph(row, triplets, "triplet")
    context = row.typed("context_graphs", list, "a list")
    check_graphs(row, context, "context_graphs")
    letter = LETTERS[position]
    tags = {"position": letter, "candidates": str(len(candidates)), "context_graphs": size_class(len(context))}
    yield Sample(
        id=row.content_id,
        fields={
            "context": repr(context),
            "triplet": repr(triplets),
            "sentences": "\n".join(f"{name}: {text}" for name, text in zip(LETTERS, candidates, strict=False)),
            "letters": LETTERS[: len(candidates)],
            "contradictions": contradictions_of(row, len(candidates)),
        },
        target=letter,
        tags=origin_tags(row) | tags,
    )


def candidates_of(row: Row) -> list[str]:
    """The candidate sentences, two to five of them; one official row has four."""
    candidates = row.sequence("variations")
    if not FEWEST_CANDIDATES <= len(candidates) <= len(LETTERS):
        raise row.error("variations", f"must be {FEWEST_CANDIDATES} to {len(LETTERS)} sentences", value=candidates)
    for number, sentence in enumerate(candidates):
        if not isinstance(sentence, str) or not sentence.strip():
            raise row.error(f"variations[{number}]", "must be a non-empty string", value=sentence)
    return candidates


def contradictions_of(row: Row, count: int) -> tuple[str | None, ...]:
    """What makes each candidate wrong (``None``: nothing), where the row says so; the official rows do not.

    Raises:
        DataError: If the row names something else than one kind, or null, per candidate.
    """
    if "contradictions" not in row.data:
        return ()
    kinds = row.sequence("contradictions")
    if len(kinds) != count:
        raise row.error(
            "contradictions", f"must name one kind, or null, for each of the {count} variations", value=kinds
        )
    for number, kind in enumerate(kinds):
        if kind is not None and (not isinstance(kind, str) or not kind.strip()):
            raise row.error(f"contradictions[{number}]", "must be a non-empty string or null", value=kind)
    return tuple(kinds)


def converse(sample: Sample, ask: Ask) -> Reply:
    """Show the context, the target graph and the lettered candidates, and ask for a letter."""
    shown = {name: sample.fields[name] for name in ("context", "triplet", "sentences")}
    return ask("sgds", **shown)


def official_letter(response: str) -> str | None:
    r"""The letter by the published ``parse_prediction``: the first match of ``\[([A-E])\]|\b([A-E])\b``.

    A quirk: the article in "A close look shows [C]" is read as option A.
    """
    found = OFFICIAL_LETTER.search(response)
    return found[1] or found[2] if found else None


def strict_letter(response: str) -> re.Match[str] | None:
    """The last letter in brackets, else the letter that is the whole response, as group 1; else ``None``."""
    last = None
    for found in BRACKETED_LETTER.finditer(response):
        last = found
    return last or BARE_LETTER.fullmatch(response)


def score(sample: Sample, response: str) -> Score:
    """Whether the letter is the right candidate's. A letter beyond the row's candidates is an answer, and wrong.

    Diagnostics: ``fell_for_<kind>`` for each kind of contradiction among the row's candidates, 1 if the chosen one is
    of that kind.
    """
    found = strict_letter(response)
    letter = found[1] if found else None
    kinds = dict(zip(sample.fields["letters"], sample.fields["contradictions"], strict=False))
    chosen = kinds.get(letter)
    return Score(
        prediction=letter,
        official={"accuracy": float(official_letter(response) == sample.target)},
        strict={"accuracy": float(letter == sample.target)},
        parsed=letter is not None,
        diagnostics={f"fell_for_{kind}": float(kind == chosen) for kind in kinds.values() if kind},
        spans=[found.span(1)] if found else [],
    )


def oracle(sample: Sample, _: random.Random) -> str:
    """The right letter."""
    return f"[{sample.target}]"


def chance(sample: Sample, generator: random.Random) -> str:
    """The letter of any of the row's candidates."""
    return f"[{generator.choice(sample.fields['letters'])}]"


def constant(_: Sample, __: random.Random) -> str:
    """Always the first candidate."""
    return "[A]"


TASK = Task(
    name="tsg/sgds",
    samples_of=samples_of,
    prompts={"sgds": Placeholders("context", "triplet", "sentences")},
    converse=converse,
    score=score,
    metrics={"accuracy": 0.0},
    parameters={"temperature": 0.1},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
)


@TASK.cases
def test_sgds(case: Case) -> None:
    """The model chooses the sentence that was written for the graph."""
    case.measure()
