"""SGDS, scene graph description selection: choose the sentence that describes a scene graph.

Each row shows the graphs of the actions so far, the graph of the target action, and four or five candidate sentences of
which one is right. The score is the accuracy of the chosen letter (arXiv 2505.19510).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

from benchmarks.tsg.identity import origin_tags
from benchmarks.tsg.scene_graph import note_graph, note_graphs, size_class
from proctor import Ask, Case, Placeholders, Reply, Row, Sample, Score, Task

LETTERS = "ABCDE"
FEWEST_CANDIDATES = 2
OFFICIAL_LETTER = re.compile(r"\[([A-E])\]|\b([A-E])\b")
BRACKETED_LETTER = re.compile(r"\[([A-E])\]")
BARE_LETTER = re.compile(r"\s*([A-E])\s*")


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample. Rows have no id of their own, so its content gives one.

    Raises:
        DataError: For a field without which it cannot be asked or graded, such as ``position``.
    """
    candidates = candidates_of(row)
    letter = right_letter(row, len(candidates))
    triplets, context = row.there("triplet"), row.there("context_graphs")
    if triplets:
        note_graph(row, triplets, "triplet")
    else:
        row.odd("triplet", "no triplet", value=triplets)
    note_graphs(row, context, "context_graphs")
    tags = {"position": letter or "none", "candidates": str(len(candidates))}
    if isinstance(context, list):
        tags["context_graphs"] = size_class(len(context))
    yield Sample(
        id=row.content_id,
        fields={
            "context": str(context),
            "triplet": str(triplets),
            "sentences": "\n".join(f"{chr(ord('A') + number)}: {text}" for number, text in enumerate(candidates)),
            "letters": LETTERS[: len(candidates)],
            "contradictions": contradictions_of(row, len(candidates)),
        },
        target=letter,
        tags=origin_tags(row) | tags,
    )


def candidates_of(row: Row) -> list[str]:
    """The candidate sentences, two to five of them; one official row has four."""
    candidates = row.typed("variations", list, "a list of sentences")
    if not FEWEST_CANDIDATES <= len(candidates) <= len(LETTERS):
        row.odd("variations", "fewer than 2 or more than 5 candidates", value=candidates)
    for number, sentence in enumerate(candidates):
        if not isinstance(sentence, str) or not sentence.strip():
            row.odd(f"variations[{number}]", "no sentence", value=sentence)
    return list(map(str, candidates))


def right_letter(row: Row, count: int) -> str | None:
    """The letter whose number is the row's ``position``; ``None`` if no letter's is.

    The published grader compares the two with ``==``, so that ``1.0`` is B and ``"1"`` is no letter's number. It knows
    the letters A to E, whatever the number of candidates.
    """
    position = row.there("position")
    if position is None:
        raise row.error("position", "must say which candidate is right", value=position)
    letter = next((letter for number, letter in enumerate(LETTERS) if number == position), None)
    if letter is None:
        row.odd("position", "a place that no letter has", value=position)
    elif not isinstance(position, int) or isinstance(position, bool):
        row.odd("position", "a place that is no whole number", value=position)
    elif position >= count:
        row.odd("position", "a place beyond the candidates", value=position)
    return letter


def contradictions_of(row: Row, count: int) -> tuple[str | None, ...]:
    """What makes each candidate wrong (``None``: nothing), where the row says so; the official rows do not."""
    if "contradictions" not in row.data:
        return ()
    kinds = row.listed("contradictions")
    if len(kinds) != count:
        row.odd("contradictions", "more or fewer kinds than candidates", value=kinds)
        return ()
    for number, kind in enumerate(kinds):
        if kind is not None and (not isinstance(kind, str) or not kind.strip()):
            row.odd(f"contradictions[{number}]", "no name of a kind", value=kind)
    return tuple([kind if isinstance(kind, str) and kind.strip() else None for kind in kinds])


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


def is_right(letter: str | None, sample: Sample) -> bool:
    """Whether a letter was found and is the right one; where none is, none can be."""
    return letter is not None and letter == sample.target


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
        official={"accuracy": float(is_right(official_letter(response), sample))},
        strict={"accuracy": float(is_right(letter, sample))},
        parsed=letter is not None,
        diagnostics={f"fell_for_{kind}": float(kind == chosen) for kind in kinds.values() if kind},
        spans=[found.span(1)] if found else [],
    )


def oracle(sample: Sample, _: random.Random) -> str:
    """The right letter, if there is one."""
    return f"[{sample.target or ''}]"


def chance(sample: Sample, generator: random.Random) -> str:
    """The letter of any of the row's candidates."""
    return f"[{generator.choice(sample.fields['letters'] or LETTERS)}]"


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
