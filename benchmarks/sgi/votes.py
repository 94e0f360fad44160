"""Votes of judges on two ideas: asking for them, counting them, and how far judges agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import combinations
from statistics import fmean

from benchmarks.sgi.judge_reply import JudgeReply, json_object, verdict
from proctor import Ask

TEMPLATE = "idea_generation_vote"
DIMENSIONS = ("effectiveness", "novelty", "detailedness", "feasibility")
ASPECTS = (*DIMENSIONS, "overall")
"""What each vote decides; `overall` is reported and counts nowhere."""
JUDGES = ("judge_1", "judge_2", "judge_3")
SWAPPED = "/swapped"
ROLES = tuple(f"{judge}{order}" for order in ("", SWAPPED) for judge in JUDGES)
"""The six votes: each judge sees the original idea first, then the generated one first."""
WINS = {"Win A": 0, "Win B": 1}
WIN = re.compile(r"Win\s*[AB]", re.IGNORECASE)
SAID = (r"\s*:\s*\[\s*(?=Win\s*[AB]\s*\])", r"\s*:\s*(?=Win\s*[AB]\s)")
"""What stands between the name of an aspect and the vote, if it is told at once: in brackets or without them."""

ORIGINAL, GENERATED = "original", "generated"
OFFICIAL = "official"
Vote = Mapping[str, Mapping[str, str]]
"""``{aspect: {winner, reason}}``, the winner being the original or the generated idea.

Where the published reader takes another winner out of the reply, that one is ``official``.
"""


def six_votes(ask: Ask, original: str, generated: str, **shown_with: str) -> dict[str, JudgeReply[Vote]]:
    """Ask each judge twice, with the ideas swapped, all six at the same time.

    Args:
        ask: Asks.
        original: The reference idea in words.
        generated: The idea of the model under test.
        **shown_with: What else the judges may see: the task that both ideas answer, and what is known about it.
    """
    ideas = {ORIGINAL: original, GENERATED: generated}

    def vote(role: str, ask: Ask) -> JudgeReply[Vote]:
        shown = tuple(reversed(ideas)) if role.endswith(SWAPPED) else tuple(ideas)
        values = {**shown_with, "idea_a": ideas[shown[0]], "idea_b": ideas[shown[1]]}
        return verdict(ask, TEMPLATE, lambda reply: read_vote(reply, shown), role=role, **values)

    return dict(zip(ROLES, ask.together([partial(vote, role) for role in ROLES]), strict=True))


def read_vote(reply: str, shown: tuple[str, ...]) -> Vote | None:
    """The winner in each aspect; ``None`` unless the reply names one in all of them.

    Args:
        reply: ``{aspect: {"vote": "Win A" or "Win B", "reason": …}, …}``, or for each aspect
            ``Aspect: [Win A] because …`` or anything like it that the published reader takes.
        shown: Which idea was A, and which B.
    """
    told = json_object(reply) or {}
    vote = {}
    for aspect in ASPECTS:
        entry = told.get(aspect)
        if not isinstance(entry, dict):
            return read_lines(reply, shown)
        place = WINS.get(" ".join(str(entry.get("vote")).split()).title())
        if place is None:
            return read_lines(reply, shown)
        vote[aspect] = {"winner": shown[place], "reason": str(entry.get("reason", ""))}
    return vote


def read_lines(reply: str, shown: tuple[str, ...]) -> Vote | None:
    """The winner in each aspect, as the published reader finds it; see `read_vote`.

    That takes everything but "Win A" with one space for B, as "WinA": then the official winner is the other one.
    """
    vote = {}
    for aspect in ASPECTS:
        found = _said(reply, aspect)
        if found is None:
            return None
        said = found[0].upper()
        winner, official = (shown[not won] for won in (said.endswith("A"), said == "WIN A"))
        reason = reply[found.end() :].partition("\n")[0].lstrip(" ]").removeprefix("because").strip()
        vote[aspect] = {"winner": winner, "reason": reason} | ({OFFICIAL: official} if official != winner else {})
    return vote


def _said(reply: str, aspect: str) -> re.Match[str] | None:
    """The vote in an aspect: told at once behind its name, or else anywhere behind it on the line."""
    for between in SAID:
        if told := re.search(aspect + between, reply, re.IGNORECASE):
            return WIN.match(reply, told.end())
    vote, line_end = None, 0
    for name in re.finditer(aspect, reply, re.IGNORECASE):
        if name.end() <= line_end:
            continue  # a name before it on the line has found nothing
        if vote is None or vote.start() < name.end():
            vote = WIN.search(reply, name.end())
        if vote is None:
            break
        line_end = reply.find("\n", name.end(), vote.start())
        if line_end < 0:
            return vote
    return None


def outcome(votes: Mapping[str, Vote | None], aspect: str, *, official: bool = False) -> str:
    """``win``, ``tie`` or ``lose`` of the generated idea: more than 3 votes win, but 4 in novelty; up to 2 lose.

    A vote that failed counts for neither idea, and so against the generated one.

    Args:
        votes: The votes by role.
        aspect: What they are about.
        official: Whether the winners are those that the published reader sees.
    """
    winner = OFFICIAL if official else "winner"
    won = sum(vote[aspect].get(winner, vote[aspect]["winner"]) == GENERATED for vote in votes.values() if vote)
    if won > (4 if aspect == "novelty" else 3):
        return "win"
    return "lose" if won <= 2 else "tie"


def agreement(votes: Mapping[str, Vote | None]) -> float | None:
    """The share of pairs of judges that name the same winner, over all aspects and both orders."""
    same = []
    for order in ("", SWAPPED):
        valid = [vote for judge in JUDGES if (vote := votes.get(f"{judge}{order}"))]
        same += [same_winner(*pair, aspect) for pair in combinations(valid, 2) for aspect in ASPECTS]
    return fmean(same) if same else None


def position_flips(votes: Mapping[str, Vote | None]) -> float | None:
    """The share of a judge's decisions that change with the order in which the ideas are shown."""
    both = [
        (first, second)
        for judge in JUDGES
        if (first := votes.get(judge)) and (second := votes.get(f"{judge}{SWAPPED}"))
    ]
    return 1 - fmean(same_winner(*pair, aspect) for pair in both for aspect in ASPECTS) if both else None


def same_winner(first: Vote, second: Vote, aspect: str) -> bool:
    """Whether two votes agree in an aspect."""
    return first[aspect]["winner"] == second[aspect]["winner"]


def vote_diagnostics(votes: Mapping[str, Vote | None], tries: Mapping[str, int]) -> dict[str, float | None]:
    """Rates of winning, agreement, position bias, and how often judges were asked again.

    Args:
        votes: The votes by role, ``None`` for one that failed; empty if there was no vote, which is then lost.
        tries: How often each role was asked.
    """
    rates: dict[str, float | None] = {}
    for aspect in ASPECTS:
        found = outcome(votes, aspect)
        rates |= {f"{result}_{aspect}": float(result == found) for result in ("win", "tie", "lose")}
    return rates | {
        "judge_agreement": agreement(votes),
        "position_flip": position_flips(votes),
        "vote_retries": float(sum(tries.values()) - len(tries)) if tries else None,
    }
