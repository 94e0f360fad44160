"""The simulated world: what it allows, what it refuses, and how it puts an action into words."""

from __future__ import annotations

import random

import pytest

from benchmarks.tsg.datagen import verbs
from benchmarks.tsg.datagen.action import Action
from benchmarks.tsg.datagen.activities import SCENARIOS
from benchmarks.tsg.datagen.english import VOICES, Wording, clause, joined, sentence
from benchmarks.tsg.datagen.events import held_before, read_events
from benchmarks.tsg.datagen.narrative import tell
from benchmarks.tsg.datagen.questions import ask, gives_away
from benchmarks.tsg.datagen.scenario import Scenario, episode, parse_scenarios, parse_step, play
from benchmarks.tsg.datagen.simulation import ImpossibleActionError, World
from benchmarks.tsg.datagen.verbs import KINDS


def run(*lines: str) -> list[Action]:
    world = World()
    return [world.do(parse_step(line)) for line in lines]


def hands(*lines: str) -> list[tuple[str, ...]]:
    return [action.hands for action in run(*lines)]


def test_first_object_goes_to_hand1_the_second_to_hand2_and_a_freed_hand1_is_used_first() -> None:
    assert hands("take cup from shelf", "take jug from shelf", "put cup on tray", "take spoon from drawer-unit") == [
        ("hand1",),
        ("hand2",),
        ("hand1",),
        ("hand1",),
    ]


def test_both_hands_are_listed_for_a_heavy_object_until_it_is_put_down() -> None:
    assert hands("lift! box from floor", "carry box to hall", "put box in hall", "press bell") == [
        ("hand1", "hand2"),
        ("hand1", "hand2"),
        ("hand1", "hand2"),
        ("hand1",),
    ]


def test_a_tool_works_with_the_hand_that_holds_it_and_the_other_hand_holds_the_object() -> None:
    peel = run("take onion from basket", "take peeler from rack", "peel onion with peeler")[-1]
    assert peel.graph() == [
        ["person", "verb", "peel"],
        ["peel", "dobj", "onion"],
        ["peel", "with", "peeler"],
        ["peel", "with", "hand2"],
        ["onion", "in", "hand1"],
    ]


def test_the_second_hand_joins_a_tool_that_takes_both() -> None:
    assert hands("take broom from closet", "sweep! floor with broom", "return broom to closet") == [
        ("hand1",),
        ("hand1", "hand2"),
        ("hand1",),
    ]


def test_walking_needs_no_hand() -> None:
    assert run("walk to sink")[0].graph() == [["person", "verb", "walk"], ["walk", "to", "sink"]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("put cup on table",), "not held"),
        (("take cup", "take cup"), "already held"),
        (("take cup", "take jug", "take pan"), "no free hand"),
        (("take cup", "take jug", "open door"), "no free hand"),
        (("take cup", "lift! box"), "no free hand"),
        (("pour water from jug into cup",), "not held"),
        (("loosen nut with wrench",), "the wrench is not held"),
        (("take milk from fridge",), "the fridge is closed"),
        (("take milk from shelf", "put milk in fridge"), "the fridge is closed"),
        (("open door", "open door"), "it is so already"),
        (("turn-on tap", "turn-on tap"), "it is so already"),
        (("take cup", "put cup on tray", "take cup from shelf"), "it is at tray"),
        (("take cup", "put cup"), "nowhere to leave it"),
        (("take cup", "take pan", "stir! soup with cup"), "the other hand holds pan"),
    ],
)
def test_what_cannot_be_done_is_refused(lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(ImpossibleActionError, match=message):
        run(*lines)


@pytest.mark.parametrize(
    ("line", "message"), [("juggle ball", "unknown verb"), ("put cup beneath tray", "unknown edge")]
)
def test_a_mistyped_script_line_is_named(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_step(line)


def test_a_heading_without_title_is_refused() -> None:
    with pytest.raises(ValueError, match="'cooking' is not '# domain / title'"):
        parse_scenarios("# cooking\ntake cup")


def test_a_script_that_ends_with_something_in_hand_is_refused() -> None:
    (scenario,) = parse_scenarios("# cooking / half done\nGET cup from shelf")
    with pytest.raises(ImpossibleActionError, match="cooking / half done ends with something in hand"):
        play(scenario, random.Random(1))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.title)
def test_every_variant_of_every_scenario_can_be_played(scenario: Scenario) -> None:
    for seed in range(12):
        actions = play(scenario, random.Random(seed))
        assert 14 <= len(actions) <= 24
        nouns = {
            noun for action in actions for noun in (action.dobj, action.tool, *dict(action.places).values()) if noun
        }
        assert not nouns & set(KINDS), "a node that is both a verb and an object cannot be told apart"
        assert not nouns & {"person", "hand1", "hand2"}


def test_there_are_many_domains_and_scenarios() -> None:
    assert len({scenario.domain for scenario in SCENARIOS}) >= 18
    assert len({(scenario.domain, scenario.title) for scenario in SCENARIOS}) == len(SCENARIOS) >= 70


@pytest.mark.parametrize(
    ("verb", "past", "participle", "gerund"),
    [
        ("pick-up", "picked up", "picked up", "picking up"),
        ("take", "took", "taken", "taking"),
        ("tie", "tied", "tied", "tying"),
        ("dry", "dried", "dried", "drying"),
        ("spray", "sprayed", "sprayed", "spraying"),
        ("put-down", "put down", "put down", "putting down"),
        ("sew", "sewed", "sewn", "sewing"),
        ("squeeze", "squeezed", "squeezed", "squeezing"),
        ("mop", "mopped", "mopped", "mopping"),
        ("turn-off", "turned off", "turned off", "turning off"),
    ],
)
def test_verbs_are_bent_right(verb: str, past: str, participle: str, gerund: str) -> None:
    forms = (verbs.past(verb), verbs.participle(verb), verbs.gerund(verb))
    assert tuple(" ".join(part for part in form if part) for form in forms) == (past, participle, gerund)


def test_one_action_in_every_voice() -> None:
    (action,) = run("pick-up scissors from drawer-unit")
    assert [sentence(clause(action, voice)) for voice in VOICES] == [
        "I picked up the scissors from the drawer unit.",
        "Pick up the scissors from the drawer unit.",
        "The scissors were picked up from the drawer unit.",
        "She picked up the scissors from the drawer unit.",
        "We pick up the scissors from the drawer unit.",
        "He picked up the scissors from the drawer unit.",
    ]


def test_a_pronoun_stands_between_verb_and_particle() -> None:
    action = run("take cup", "put-down cup on table")[1]
    assert clause(action, VOICES[0], Wording(pronoun_for="cup")) == "I put it down on the table"


def test_denials() -> None:
    (action,) = run("open door")
    assert [clause(action, voice, negated=True) for voice in VOICES[:3]] == [
        "I did not open the door",
        "do not open the door",
        "the door was not opened",
    ]


def test_lists_of_clauses_are_joined_with_commas_and_and() -> None:
    assert [joined([]), joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_a_narrative_covers_every_action_once_and_in_order() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        played = episode([rng.choice(SCENARIOS)], rng)
        told = tell(played, rng.choice(VOICES), (1, 2, 3, 4, 5), rng)
        assert tuple(action for each in told for action in each.actions) == played.actions
        assert [each.start for each in told] == [sum(len(e.actions) for e in told[:i]) for i in range(len(told))]


def test_what_is_held_is_told_from_graphs_alone() -> None:
    events = read_events([action.graph() for action in run("take cup", "take jug", "put cup on tray", "press bell")])
    assert held_before(events, 2) == {"hand1": "cup", "hand2": "jug"}
    assert held_before(events, 3) == {"hand2": "jug"}


def test_a_graph_without_a_verb_is_refused() -> None:
    with pytest.raises(ValueError, match="graph 0 has no 'person verb ACTION' triplet"):
        read_events([[["take", "dobj", "cup"]]])


def test_a_question_about_an_event_that_happened_twice_is_not_asked() -> None:
    once = run("open door", "press bell", "close door", "press lamp-button")
    twice = run("open door", "press bell", "close door", "open door", "press lamp-button")

    def openings(actions: list[Action]) -> set[str]:
        questions = ask([action.graph() for action in actions], random.Random(1))
        return {
            question.answer
            for question in questions
            if "opening the door" in question.text and question.type == "temporal"
        }

    assert openings(once) >= {"bell"}
    assert openings(twice) == set()


@pytest.mark.parametrize(
    ("question", "answer", "given"),
    [
        ("What was used for combing the hair?", "hair-comb", True),
        ("Which object was taken after putting down the cup?", "put-down", True),
        ("Which object was taken after opening the box?", "spoon", False),
    ],
)
def test_an_answer_that_stands_in_the_question_is_noticed(question: str, answer: str, given: bool) -> None:
    assert gives_away(question, answer) is given
