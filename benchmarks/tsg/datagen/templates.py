"""The question templates of SGQA: type, wordings, what to fill in, and the evaluator that judges."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.tsg.datagen.evaluators import (
    Evaluator,
    Fillings,
    anchors,
    between,
    between_fillings,
    both_handed,
    deed_with,
    deeds,
    ends_at,
    extreme_use,
    freed_for,
    held_during,
    left_then,
    most_taken,
    nearest_grasp,
    neighbour,
    object_of_tool,
    object_of_verb,
    once,
    opened_for,
    origins,
    poured,
    poured_into,
    put,
    put_places,
    source,
    taken_from,
    things,
    tool_for,
    tool_needed,
    tools,
    verbs,
)
from benchmarks.tsg.datagen.verbs import Kind


@dataclass(frozen=True)
class Template:
    """A kind of question: ``parameters`` proposes fillings, ``answers`` gives every right answer to one filling."""

    name: str
    type: str
    wordings: tuple[str, ...]
    parameters: Fillings
    answers: Evaluator


_WORK = (Kind.MANIPULATE, Kind.HELD, Kind.OPEN, Kind.CLOSE)

TEMPLATES: tuple[Template, ...] = (
    Template(
        "before",
        "temporal",
        (
            "What object did the person handle immediately before {a}?",
            "Which object was the direct object of the action right before {a}?",
            "Just before {a}, which object was acted on?",
        ),
        anchors,
        neighbour(-1, lambda e: e.dobj),
    ),
    Template(
        "after",
        "temporal",
        (
            "What object was handled immediately after {a}?",
            "Right after {a}, which object did the person act on?",
            "Which object was the direct object of the action that follows {a}?",
        ),
        anchors,
        neighbour(1, lambda e: e.dobj),
    ),
    Template(
        "deed-after",
        "temporal",
        ("Which action comes directly after {a}?", "What did the person do immediately after {a}? Name the action."),
        anchors,
        neighbour(1, lambda e: None if e.kind in (Kind.GRASP, Kind.RELEASE) else e.verb),
    ),
    Template(
        "deed-before",
        "temporal",
        ("Which action comes directly before {a}?", "What had the person just done before {a}? Name the action."),
        anchors,
        neighbour(-1, lambda e: None if e.kind in (Kind.GRASP, Kind.RELEASE) else e.verb),
    ),
    Template(
        "grasped-after",
        "temporal",
        (
            "What was the first object the person took hold of after {a}?",
            "After {a}, which object was taken up first?",
        ),
        anchors,
        nearest_grasp(1),
    ),
    Template(
        "grasped-before",
        "temporal",
        (
            "What was the last object the person took hold of before {a}?",
            "Before {a}, which object was the most recent one to be taken up?",
        ),
        anchors,
        nearest_grasp(-1),
    ),
    Template(
        "between",
        "temporal",
        (
            "Which object was taken up between {a} and {b}?",
            "What did the person take hold of after {a} and before {b}?",
        ),
        between_fillings,
        between,
    ),
    Template(
        "tool-needed",
        "causal",
        (
            "Which tool had to be taken up first to make {a} possible?",
            "What did the person need to fetch so that {a} could be done?",
            "{A} depended on a tool that was taken up earlier. Which one?",
        ),
        anchors,
        tool_needed,
    ),
    Template(
        "opened-for",
        "causal",
        (
            "What had to be opened before the person could take the {0}?",
            "Opening what made it possible to get the {0}?",
        ),
        things,
        opened_for,
    ),
    Template(
        "freed-for",
        "causal",
        (
            "The hand that took the {0} had to be free. Which object had it let go of last?",
            "Which object had the hand that took the {0} released most recently?",
        ),
        things,
        freed_for,
    ),
    Template(
        "held-during",
        "tracking",
        (
            "Which object was the person holding while {a}?",
            "While {a}, what did the person have in hand?",
            "What was in the person's hands during the step of {a}?",
        ),
        anchors,
        held_during,
    ),
    Template(
        "ends-at",
        "tracking",
        (
            "Where did the {0} end up?",
            "Where was the {0} at the end of the sequence?",
            "What is the final place of the {0}?",
        ),
        things,
        ends_at,
    ),
    Template(
        "left-then",
        "tracking",
        (
            "Once the person no longer held the {0}, which object was taken up next?",
            "Which object did the person take hold of next after leaving the {0} somewhere?",
        ),
        things,
        left_then,
    ),
    Template(
        "most-taken",
        "tracking",
        (
            "Which object was taken up more than once?",
            "Which is the only object that the person took hold of repeatedly?",
        ),
        once,
        most_taken,
    ),
    Template(
        "source",
        "spatial",
        ("From where was the {0} taken?", "Where was the {0} before the person took it?"),
        things,
        source,
    ),
    Template(
        "from-only",
        "spatial",
        ("Which object was taken from the {0}?", "What did the person take from the {0}?"),
        origins,
        taken_from(lambda found: found),
    ),
    Template(
        "from-first",
        "spatial",
        ("What was the first object taken from the {0}?",),
        origins,
        taken_from(lambda found: found[:1] if len(set(found)) > 1 else []),
    ),
    Template(
        "from-last",
        "spatial",
        ("What was the final object taken from the {0}?",),
        origins,
        taken_from(lambda found: found[-1:] if len(set(found)) > 1 else []),
    ),
    Template(
        "put-at",
        "spatial",
        ("Which object was left {in_or_on} the {1}?", "What did the person leave {in_or_on} the {1}?"),
        put_places,
        put,
    ),
    Template(
        "poured-into",
        "spatial",
        ("What received the {0}?", "Where did the {0} go?"),
        poured,
        poured_into,
    ),
    Template(
        "tool-for",
        "action-object",
        (
            "What was used for {a}?",
            "Which tool did the person use for {a}?",
            "With which tool was the step of {a} done?",
        ),
        anchors,
        tool_for,
    ),
    Template(
        "object-of-tool",
        "action-object",
        ("Which object was the {0} used on?", "What did the person work on with the {0}?"),
        tools,
        object_of_tool,
    ),
    Template(
        "object-of-verb",
        "action-object",
        ("Which object did the person {base}?", "Which object was {participle}?"),
        verbs(_WORK),
        object_of_verb,
    ),
    Template(
        "deed-with",
        "action-object",
        (
            "Which action was done to the {1} with the {0}?",
            "What did the person do to the {1} using the {0}? Name the action.",
        ),
        deeds,
        deed_with,
    ),
    Template(
        "both-handed",
        "action-object",
        ("Which object did the person {base} with both hands?",),
        verbs((Kind.GRASP, Kind.MANIPULATE)),
        both_handed,
    ),
    Template(
        "first-tool",
        "action-object",
        ("What was the first tool the person used on something?", "Which tool was put to use first of all?"),
        once,
        extreme_use(last=False),
    ),
    Template(
        "last-tool",
        "action-object",
        ("What was the last tool the person used on something?", "Which tool was put to use last of all?"),
        once,
        extreme_use(last=True),
    ),
)
