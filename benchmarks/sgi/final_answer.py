"""The final answer of a response: what stands between ``<answer>`` and ``</answer>``."""

from __future__ import annotations

OPENING = "<answer>"
CLOSING = "</answer>"
NONE, ERROR = "None", "[Error]"


def final_answer(response: str) -> str:
    """The text between the last ``<answer>`` and the next ``</answer>``, stripped.

    A response without the tags is its own answer, also one whose last ``<answer>`` is never closed.
    """
    start = response.rfind(OPENING)
    if start < 0:
        return response.strip()
    start += len(OPENING)
    end = response.find(CLOSING, start)
    return response.strip() if end < 0 else response[start:end].strip()


def published_answer(response: str) -> str:
    """The final answer as the published code has it.

    Without the tags it is the response with all its blanks; an empty one and one that is an error message count as
    ``None``, the word.
    """
    if response.lower() in ("", NONE.lower()) or response.startswith(ERROR):
        return NONE
    start = response.rfind(OPENING)
    closed = start >= 0 and response.find(CLOSING, start) >= 0
    return final_answer(response) if closed else response


def tagged(answer: str) -> str:
    """A response that is nothing but a final answer."""
    return f"{OPENING}{answer}{CLOSING}"
