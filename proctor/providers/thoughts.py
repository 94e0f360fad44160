"""What a model thinks before it answers, where a server leaves it in the answer's text.

A server that knows its model sends thoughts in a field or a block of their own. One that does not leaves them in the
text, between tags; where the prompt's template has opened the tag already, only its end is there.
"""

from __future__ import annotations

from dataclasses import replace

from proctor.tasks.call import Reply

OPEN, CLOSE = "<think>", "</think>"


def apart(reply: Reply) -> Reply:
    """A reply whose text is the answer alone, if there are thoughts in it; else the reply as it is.

    Thoughts without an end were cut: there is no answer then, whatever the server says of the end.
    """
    text = reply.text
    if CLOSE not in text and not text.lstrip().startswith(OPEN):
        return reply
    thoughts, rest, whole = [reply.reasoning] if reply.reasoning else [], text, True
    if OPEN not in text.partition(CLOSE)[0]:
        first, _, rest = text.partition(CLOSE)
        thoughts.append(first.strip())
    while whole and rest.lstrip().startswith(OPEN):
        thought, end, rest = rest.lstrip().removeprefix(OPEN).partition(CLOSE)
        thoughts.append(thought.strip())
        whole = bool(end)
    if not thoughts:  # tags somewhere in an answer
        return reply
    return replace(
        reply,
        text=rest.lstrip() if whole else "",
        reasoning="\n\n".join(filter(None, thoughts)),
        seen=text,
        finish_reason=reply.finish_reason if whole or reply.finish_reason == "refusal" else "length",
    )
