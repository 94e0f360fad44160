"""TSG-Bench's rules, written down a second time for the tests: they trust the rows alone, not the generator."""

from __future__ import annotations

import re
from typing import Any

# The verbs that fill a hand and those that empty it, written down a second time on purpose.
GRASPS = {"pick-up", "take", "grab", "lift", "collect", "remove", "detach", "pull-out", "unhook", "hold"}

RELEASES = {
    "put-down",
    "place",
    "put",
    "return",
    "hang",
    "insert",
    "attach",
    "lay",
    "drop",
    "throw",
    "store",
    "pack",
    "load",
    "plant",
    "fit",
    "stick",
    "mount",
    "release",
}

Row = dict[str, Any]

Graph = list[list[str]]


def verb_of(graph: Graph) -> str:
    (verb,) = [node for subject, edge, node in graph if (subject, edge) == ("person", "verb")]
    return verb


def dobj_of(graph: Graph) -> str | None:
    return next((node for subject, edge, node in graph if edge == "dobj"), None)


def nodes_of(graph: Graph) -> set[str]:
    return {node for triplet in graph for node in (triplet[0], triplet[2])}


def withs_of(graph: Graph) -> tuple[list[str], list[str]]:
    """The hands and the tools of a graph."""
    all_with = [node for subject, edge, node in graph if edge == "with"]
    return [n for n in all_with if n in ("hand1", "hand2")], [n for n in all_with if n not in ("hand1", "hand2")]


def places_of(graph: Graph, *edges: str) -> list[str]:
    verb = verb_of(graph)
    return [node for subject, edge, node in graph if subject == verb and edge in edges]


def replay_hands(graphs: list[Graph]) -> None:
    """Follow what is in which hand from empty hands on, by the benchmark's rules; assert that every graph agrees."""
    held: dict[str, str] = {}
    for graph in graphs:
        verb, thing = verb_of(graph), dobj_of(graph)
        hands, tools = withs_of(graph)
        free = [hand for hand in ("hand1", "hand2") if hand not in held]
        holding = [hand for hand in ("hand1", "hand2") if thing and held.get(hand) == thing]
        for tool in tools:
            assert any(held.get(hand) == tool for hand in hands), (graph, held)
        if verb in GRASPS:
            assert hands in (free[:1], ["hand1", "hand2"]), (graph, held)
            assert set(hands) <= set(free), (graph, held)
            held.update({hand: str(thing) for hand in hands})
        elif verb in RELEASES:
            assert hands, (graph, held)
            assert hands == holding, (graph, held)
            held = {hand: what for hand, what in held.items() if hand not in hands}
        elif holding and not tools:
            assert set(holding) <= set(hands), (graph, held)
        elif hands and not tools and not places_of(graph, "from"):
            assert hands in (free[:1], ["hand1", "hand2"]), (graph, held)
        for subject, edge, node in graph:
            if edge == "in" and node in ("hand1", "hand2"):
                assert held.get(node) == subject, (graph, held)


def stem(word: str) -> str:
    """A verb form without its ending, roughly: enough to match *tying* with *tie* and *putting* with *put*."""
    if re.search("[aeiouy].*ing$", word):  # not *string*
        word = word.removesuffix("ing")
    word = word.removesuffix("e").replace("y", "i")
    return word[:-1] if len(word) > 1 and word[-1] == word[-2] else word


def anchored(graphs: list[Graph], phrase: str) -> list[int]:
    """The positions of all events that ``tightening the bolt`` may mean."""
    verb, thing = re.fullmatch(r"([a-z]+(?: [a-z]+)?) the ([a-z-]+)(?: .*)?", phrase).groups()  # type: ignore[union-attr]
    head, *particle = verb.split()
    return [
        i
        for i, graph in enumerate(graphs)
        if dobj_of(graph) == thing
        and stem(verb_of(graph).split("-")[0]) == stem(head)
        and verb_of(graph).split("-")[1:] == particle
    ]


def only(values: list[str | None]) -> str:
    (value,) = {value for value in values if value}
    return value


def grasped(graphs: list[Graph]) -> list[str | None]:
    return [dobj_of(graph) for graph in graphs if verb_of(graph) in GRASPS]


def right_answer(graphs: list[Graph], question: str) -> str | None:
    """The answer to a temporal or spatial question, found afresh; None for wordings this does not know."""
    text = question[0].lower() + question[1:]
    near = {
        -1: r"what object did the person handle immediately before (.*)\?|which object was the direct object of the "
        r"action right before (.*)\?|just before (.*), which object was acted on\?",
        1: r"what object was handled immediately after (.*)\?|right after (.*), which object did the person act on\?|"
        r"which object was the direct object of the action that follows (.*)\?",
    }
    for step, pattern in near.items():
        if found := re.fullmatch(pattern, text):
            (at,) = anchored(graphs, next(filter(None, found.groups())))
            return dobj_of(graphs[at + step])
    if found := re.fullmatch(r"which action comes directly (before|after) (.*)\?", text):
        (at,) = anchored(graphs, found[2])
        return verb_of(graphs[at + (1 if found[1] == "after" else -1)])
    if found := re.fullmatch(r"which object was taken up between (.*) and (.*)\?", text):
        (first,), (last,) = anchored(graphs, found[1]), anchored(graphs, found[2])
        return only(grasped(graphs[first + 1 : last]))
    pattern = r"what was the (first|last) object the person took hold of (?:after|before) (.*)\?"
    if found := re.fullmatch(pattern, text):
        (at,) = anchored(graphs, found[2])
        return grasped(graphs[at + 1 :])[0] if found[1] == "first" else grasped(graphs[:at])[-1]
    if found := re.fullmatch(r"from where was the (.*) taken\?|where was the (.*) before the person took it\?", text):
        thing = found[1] or found[2]
        taken = [graph for graph in graphs if dobj_of(graph) == thing and verb_of(graph) in GRASPS]
        return only([place for graph in taken for place in places_of(graph, "from")])
    if found := re.fullmatch(r"which object was taken from the (.*)\?|what did the person take from the (.*)\?", text):
        return only([dobj_of(graph) for graph in graphs if (found[1] or found[2]) in places_of(graph, "from")])
    if found := re.fullmatch(r"what was the (first|final) object taken from the (.*)\?", text):
        taken_from = [dobj_of(graph) for graph in graphs if found[2] in places_of(graph, "from")]
        return taken_from[0 if found[1] == "first" else -1]
    if found := re.fullmatch(r"(?:which object was left|what did the person leave) (in|on) the (.*)\?", text):
        edges = ("in", "into") if found[1] == "in" else ("on",)
        return only([dobj_of(graph) for graph in graphs if found[2] in places_of(graph, *edges)])
    if found := re.fullmatch(r"what received the (.*)\?|where did the (.*) go\?", text):
        mine = [graph for graph in graphs if dobj_of(graph) == (found[1] or found[2])]
        return only([place for graph in mine for place in places_of(graph, "into", "onto", "over")])
    return None


def replaced(target: str, wrong: str, node: str) -> bool:
    """Whether ``wrong`` is ``target`` with another noun for one ``node`` (and *was* or *were* to go with it)."""
    noun = node.replace("-", " ")
    for spot in re.finditer(rf"\bthe {noun}\b", target):
        before, after = (re.escape(part) for part in (target[: spot.start()], target[spot.end() :]))
        pattern = re.sub(r"\b(was|were)\b", "(?:was|were)", f"{before}the ([a-z ]+){after}")
        if (found := re.fullmatch(pattern, wrong)) and found[1] != noun:
            return True
    return False


def changed_words(target: str, wrong: str) -> tuple[list[str], list[str]]:
    """What is left of two sentences without their common beginning and end."""
    one, other = target.rstrip(".").split(), wrong.rstrip(".").split()
    while one and other and one[0] == other[0]:
        del one[0], other[0]
    while one and other and one[-1] == other[-1]:
        del one[-1], other[-1]
    return one, other


def check_contradiction(row: Row, kind: str, text: str) -> None:
    """Assert that ``text`` differs from the right sentence in the slot ``kind`` and nowhere else."""
    graph, target, wrong = row["triplet"], row["target_sentence"].lower(), text.lower()
    old, new = changed_words(target, wrong)
    if kind == "object":
        assert replaced(target, wrong, str(dobj_of(graph)))
    elif kind == "tool":
        assert replaced(target, wrong, withs_of(graph)[1][0])
    elif kind == "place":
        places = [node for subject, edge, node in graph if subject == verb_of(graph) and edge not in ("dobj", "with")]
        assert any(replaced(target, wrong, place) for place in places)
    elif kind == "direction":
        edges = {edge for subject, edge, _ in graph if subject == verb_of(graph)}
        assert len(old) == len(new) == 1
        assert old[0] in edges
        assert new[0] not in edges
    elif kind == "hand-use":
        said = "both hands" if len(withs_of(graph)[0]) == 2 else "one hand"
        assert said in target
        assert said not in wrong
        assert {"".join(old), "".join(new)} <= {"onehand", "bothhands"}
    elif kind == "negation":
        assert " not " in f" {wrong}"
        assert " not " not in target
        rest = target.partition(" the ")[2]
        assert wrong.endswith(rest) or wrong.replace(" not ", " ") == target
    else:
        assert kind == "action"
        assert 1 <= len(old) <= 2
        assert 1 <= len(new) <= 2
        assert "the" not in old + new
