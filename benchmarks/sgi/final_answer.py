"""The final answer of a response: what stands between ``<answer>`` and ``</answer>``."""

from __future__ import annotations

OPENING = "<answer>"
CLOSING = "</answer>"


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


def tagged(answer: str) -> str:
    """A response that is nothing but a final answer."""
    return f"{OPENING}{answer}{CLOSING}"
