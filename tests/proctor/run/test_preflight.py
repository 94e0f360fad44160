"""What is found out before the first case, and what that takes."""

from __future__ import annotations

from collections import Counter

import pytest
from capitals import Project
from judged_project import COUNTRIES, judged

__all__ = ["judged"]

HELD = """
def examine(sample, response, ask):
    with Path("held").open("a") as log:
        log.write(sample.id + "\\n")
"""


@pytest.mark.parametrize("options", [("--record-mode", "new_episodes"), ()], ids=["live", "replay"])
def test_before_a_case_is_measured_its_conversation_is_held_once_at_most(
    judged: Project, options: tuple[str, ...]
) -> None:
    assert judged.record().ret == 0
    before = judged.module.read_text()
    judged.module.write_text(before.replace("\ndef examine(sample, response, ask):\n", HELD))
    judged.server.requests.clear()
    assert judged.run(*options).ret == 0
    held = Counter((judged.path / "held").read_text().split())
    assert held == dict.fromkeys(COUNTRIES, 2)  # once to find out what it needs, and once to measure it
    assert judged.server.count == 0
