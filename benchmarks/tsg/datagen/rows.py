"""Rows of the four data files, made from played episodes."""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.tsg.datagen.action import Action, Graph
from benchmarks.tsg.datagen.activities import SCENARIOS
from benchmarks.tsg.datagen.contradictions import contradict
from benchmarks.tsg.datagen.english import VOICES
from benchmarks.tsg.datagen.narrative import Sentence, tell
from benchmarks.tsg.datagen.questions import Question, ask
from benchmarks.tsg.datagen.scenario import Episode, episode
from benchmarks.tsg.datagen.verbs import KINDS, Kind

Row = dict[str, Any]

_ATTEMPTS_PER_ROW = 60
_QUESTIONS_PER_ROW = 5
_TYPES_PER_ROW = 4
_REPEATABLE = frozenset({Kind.MANIPULATE, Kind.HELD, Kind.POUR})


@dataclass(frozen=True)
class Shape:
    """How long things may be: graphs in an SGQA row, context graphs in SGDS, context sentences, scenarios chained."""

    sgqa_graphs: tuple[int, int]
    sgds_context: tuple[int, int]
    context_sentences: int
    chained: int


SHORT = Shape(sgqa_graphs=(11, 18), sgds_context=(4, 10), context_sentences=6, chained=1)
LONG = Shape(sgqa_graphs=(11, 40), sgds_context=(4, 24), context_sentences=12, chained=2)


class TooFewRowsError(RuntimeError):
    """The world could not make as many different rows as asked for."""


def make_rows(task: str, count: int, seed: int, shape: Shape) -> list[Row]:
    """Make the rows of one file.

    Args:
        task: ``sgqa``, ``sgds``, ``sa-sgg`` or ``ma-sgg``.
        count: how many rows.
        seed: the same seed makes the same rows, whatever the other files hold.
        shape: how long things may be.

    Returns:
        ``count`` different rows, shuffled, spread over the domains.

    Raises:
        TooFewRowsError: no more different rows were found within a fixed number of attempts.
    """
    rng = random.Random(f"{task}/{seed}")
    make = _MAKERS[task](rng, shape)
    rows: list[Row] = []
    seen: set[str] = set()
    domains = _cycle_of_domains(rng)
    for attempt in range(_ATTEMPTS_PER_ROW * count):
        if len(rows) == count:
            break
        row = make(_play(domains[(len(rows) + attempt // 7) % len(domains)], rng, shape), len(rows))
        if row is None:
            continue
        content = json.dumps({key: value for key, value in row.items() if key != "data_id"})
        if content not in seen:
            seen.add(content)
            rows.append(row)
    if len(rows) < count:
        raise TooFewRowsError(
            f"{task}: only {len(rows)} different rows after {_ATTEMPTS_PER_ROW * count} attempts, not {count}"
        )
    rng.shuffle(rows)
    return rows


def _cycle_of_domains(rng: random.Random) -> list[str]:
    domains = sorted({scenario.domain for scenario in SCENARIOS})
    rng.shuffle(domains)
    return domains


def _play(domain: str, rng: random.Random, shape: Shape) -> Episode:
    choices = [scenario for scenario in SCENARIOS if scenario.domain == domain]
    count = min(rng.randint(1, shape.chained), len(choices))
    return episode(rng.sample(choices, count), rng)


def _identity(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _graphs(actions: Iterable[Action]) -> list[Graph]:
    return [action.graph() for action in actions]


Maker = Callable[[Episode, int], Row | None]


def _sgqa(rng: random.Random, shape: Shape) -> Maker:
    used: Counter[str] = Counter()

    def make(played: Episode, number: int) -> Row | None:
        low, high = shape.sgqa_graphs
        starts = [i for i, a in enumerate(played.actions) if a.hands_were_empty and len(played.actions) - i >= low]
        start = rng.choice([0, rng.choice(starts)])
        actions = played.actions[start : start + rng.randint(low, high)]
        graphs = _graphs(actions)
        questions = _mixed(ask(graphs, rng), used, rng)
        if questions is None:
            return None
        return {
            "data_id": _identity(rng),
            "doc_index": number % len(VOICES),
            "text_part_index": len(graphs) - 1,
            "context_graphs": graphs,
            "qa_pairs": [{"Q": q.text, "A": q.answer, "type": q.type} for q in questions],
            "domain": played.domain,
            "scenario": played.scenario,
        }

    return make


def _mixed(questions: list[Question], used: Counter[str], rng: random.Random) -> list[Question] | None:
    """Five questions of at least four types, no template or answer twice; what is rare in the file so far comes first.

    ``used`` counts the answers and templates of the file so far.
    """
    types = sorted({question.type for question in questions})
    rng.shuffle(types)
    chosen: list[Question] = []
    for wanted in (*types, *types):
        if len(chosen) == _QUESTIONS_PER_ROW:
            break
        taken = {name for question in chosen for name in (question.answer, question.template)}
        fresh = [q for q in questions if q.type == wanted and not {q.answer, q.template} & taken]
        if fresh:
            rarest = min(used[question.answer] for question in fresh)
            rare = [question for question in fresh if used[question.answer] <= rarest + 1]
            chosen.append(min(rare, key=lambda question: used[question.template]))
    if len(chosen) < _QUESTIONS_PER_ROW or len({question.type for question in chosen}) < _TYPES_PER_ROW:
        return None
    rng.shuffle(chosen)
    used.update(name for question in chosen for name in (question.answer, question.template))
    return chosen


def _sgds(rng: random.Random, shape: Shape) -> Maker:
    def make(played: Episode, number: int) -> Row | None:
        low, high = shape.sgds_context
        target = rng.randrange(low, len(played.actions))
        action = played.actions[target]
        told = contradict(action, played.domain, rng.choice(VOICES), rng)
        if told is None:
            return None
        right, wrong = told
        rng.shuffle(wrong)
        position = number % 5
        variations = [each.text for each in wrong]
        kinds: list[str | None] = [each.kind for each in wrong]
        variations.insert(position, right)
        kinds.insert(position, None)
        context = played.actions[max(0, target - rng.randint(low, high)) : target]
        return {
            "target_sentence": right,
            "position": position,
            "variations": variations,
            "triplet": action.graph(),
            "context_graphs": _graphs(context),
            "domain": played.domain,
            "contradictions": kinds,
        }

    return make


def _sgg(sizes: tuple[int, ...], targets: tuple[int, ...]) -> Callable[[random.Random, Shape], Maker]:
    """Makers of rows whose sentences cover ``sizes`` actions and whose target covers one of ``targets``, by turns."""

    def maker(rng: random.Random, shape: Shape) -> Maker:
        def make(played: Episode, number: int) -> Row | None:
            doc_index = rng.randrange(len(VOICES))
            sentences = tell(played, VOICES[doc_index], sizes, rng)
            wanted = targets[number % len(targets)]
            choices = [
                (begin, index)
                for index, each in enumerate(sentences)
                if len(each.actions) == wanted
                and (begin := _context_start(sentences, index, shape.context_sentences)) is not None
            ]
            if not choices:
                return None
            begin, index = rng.choice(choices)
            row = {"data_id": _identity(rng), "doc_index": doc_index, "text_part_index": index}
            return row | _sgg_fields(played, sentences[begin:index], sentences[index])

        return make

    return maker


def _context_start(sentences: list[Sentence], target: int, most: int) -> int | None:
    """The earliest of the last ``most`` sentences before ``target`` where both hands are empty.

    From there on, a reader can tell by the hand rules what is in which hand, so the gold graph can be found.
    """
    for index in range(max(0, target - most), target):
        if sentences[index].actions[0].hands_were_empty:
            return index
    return None


def _sgg_fields(played: Episode, context: list[Sentence], target: Sentence) -> Row:
    return {
        "context": " ".join(each.text for each in context),
        "target_sentence": target.text,
        "graph_id": [target.start + offset for offset in range(len(target.actions))],
        "is_repeatable": all(KINDS[action.verb] in _REPEATABLE for action in target.actions),
        "graphs": [_graph_entry(target.start + offset, action) for offset, action in enumerate(target.actions)],
        "verbs": [action.verb for action in target.actions],
        "mandatory_space": played.vocabulary,
        "context_graphs": _graphs(action for each in context for action in each.actions),
        "domain": played.domain,
        "scenario": played.scenario,
    }


def _graph_entry(action_id: int, action: Action) -> Row:
    triplets = action.graph()
    return {
        "action_id": action_id,
        "triplets": triplets,
        "objects": sorted({node for subject, _, target in triplets for node in (subject, target)}),
        "relationships": [edge for _, edge, _ in triplets],
        "object_pairs": [[subject, target] for subject, _, target in triplets],
    }


_MAKERS: dict[str, Callable[[random.Random, Shape], Maker]] = {
    "sgqa": _sgqa,
    "sgds": _sgds,
    "sa-sgg": _sgg(sizes=(1, 1, 1, 2, 3), targets=(1,)),
    "ma-sgg": _sgg(sizes=(1, 2, 3, 4, 5), targets=(2, 3, 4, 2, 3, 5)),
}

TASKS = tuple(_MAKERS)
"""The names of the files, without ``.jsonl``."""
