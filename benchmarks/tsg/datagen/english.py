"""From one action to one clause: voices, verb forms, articles and pronouns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.tsg.datagen import verbs
from benchmarks.tsg.datagen.action import Action
from benchmarks.tsg.datagen.nouns import plural, words


@dataclass(frozen=True)
class Voice:
    """Who tells: ``mood`` is past, present, imperative or passive; ``person`` is how the passive names the actor."""

    subject: str
    mood: str
    person: str = "the person"


VOICES = (
    Voice("I", "past"),
    Voice("", "imperative"),
    Voice("", "passive"),
    Voice("she", "past"),
    Voice("we", "present"),
    Voice("he", "past"),
)
"""The narrative voices; ``doc_index`` counts them."""


@dataclass(frozen=True)
class Wording:
    """How one clause names things.

    ``pronoun_for`` is the noun that becomes *it* or *them*; ``origins`` says of a noun where it comes from ("the wrench
    from the toolbox"); ``verb`` is a synonym; ``hands`` forces a phrase about hands; ``tail`` is added at the end.
    """

    pronoun_for: str | None = None
    origins: tuple[tuple[str, str], ...] = ()
    verb: str | None = None
    hands: str | None = None
    adverb: str = ""
    same_tool: bool = False
    tail: str = ""


PLAIN = Wording()


def noun_phrase(noun: str, wording: Wording = PLAIN) -> str:
    """``noun`` with its article, as a pronoun, or with its origin, as ``wording`` says."""
    if noun == wording.pronoun_for:
        return "them" if plural(noun) else "it"
    origin = dict(wording.origins).get(noun)
    return f"the {words(noun)}" + (f" from the {words(origin)}" if origin else "")


def joined(parts: list[str]) -> str:
    """``a, b and c``; parts that hold commas themselves are all set off by commas."""
    if len(parts) < 2:
        return "".join(parts)
    comma = "," if len(parts) > 2 and any("," in part for part in parts) else ""
    return ", ".join(parts[:-1]) + f"{comma} and {parts[-1]}"


def _rest(action: Action, wording: Wording) -> str:
    """Everything behind verb and object: places, tool, hands."""
    parts = [f"{prep} {noun_phrase(noun, wording)}" for prep, noun in action.places]
    if action.tool and wording.same_tool:
        parts.append("with the same tool")
    elif action.tool:
        parts.append(f"with {noun_phrase(action.tool, wording)}")
    if wording.tail:
        parts.append(wording.tail)
    hands = wording.hands
    if hands is None and action.both_hands and not action.hands_follow:
        hands = "both hands"
    if hands:
        parts.append(f"using {hands}" if action.tool else f"with {hands}")
    return " ".join(parts)


def predicate(
    action: Action, form: Callable[[str], tuple[str, str]], wording: Wording = PLAIN, auxiliary: str = ""
) -> str:
    """Verb, object and the rest in the active: ``picked it up from the shelf``.

    Args:
        action: what was done.
        form: the verb form, one of :func:`verbs.base`, :func:`verbs.past`, :func:`verbs.gerund`.
        wording: how to name things.
        auxiliary: words before the verb, for example ``did not``.

    Returns:
        The predicate without a subject.
    """
    head, particle = form(wording.verb or action.verb)
    noun = noun_phrase(action.dobj, wording) if action.dobj else ""
    pieces = [head, noun, particle] if noun in ("it", "them") else [head, particle, noun]
    return _spaced(auxiliary, wording.adverb, *pieces, _rest(action, wording))


def passive_predicate(action: Action, wording: Wording = PLAIN, *, auxiliary: str | None = None) -> str:
    """The passive without its subject: ``was picked up from the shelf``; ``auxiliary`` replaces was/were if given."""
    if auxiliary is None:
        auxiliary = "were" if plural(action.dobj or "") else "was"
    head, particle = verbs.participle(wording.verb or action.verb)
    return _spaced(auxiliary, wording.adverb, head, particle, _rest(action, wording))


def passive_subject(action: Action, wording: Wording = PLAIN) -> str:
    """The subject of the passive: the object of the action, or the person when there is none."""
    phrase = noun_phrase(action.dobj or "person", wording)
    return "they" if phrase == "them" else phrase


def clause(action: Action, voice: Voice, wording: Wording = PLAIN, *, negated: bool = False) -> str:
    """A whole clause in ``voice``, without capital or full stop; ``negated`` denies it."""
    if voice.mood == "passive":
        if not action.dobj:
            aux, form = ("did not", verbs.base) if negated else ("", verbs.past)
            return f"{voice.person} {predicate(action, form, wording, aux)}"
        be = "were" if plural(action.dobj or "") else "was"
        text = passive_predicate(action, wording, auxiliary=f"{be} not" if negated else be)
        return f"{passive_subject(action, wording)} {text}"
    if voice.mood == "past":
        aux, form = ("did not", verbs.base) if negated else ("", verbs.past)
        return f"{voice.subject} {predicate(action, form, wording, aux)}"
    return _spaced(voice.subject, predicate(action, verbs.base, wording, "do not" if negated else ""))


def sentence(text: str) -> str:
    """``text`` with a capital and a full stop."""
    return text[0].upper() + text[1:] + "."


def _spaced(*parts: str) -> str:
    return " ".join(part for part in parts if part)
