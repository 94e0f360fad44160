"""A server that leaves a run half way, until it is told to answer the rest."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from capitals import Project, answers
from stub_server import Answer, Request
from waiting import LIMIT


class HalfWay:
    """France is answered wrongly, in markup; Japan right after a failure; the others only when told."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self._japan = iter([Answer.error(503)])

    def __call__(self, request: Request) -> str | Answer:
        if "France" in request.question:
            return "[Rome]<img src=x onerror=alert(1)>"
        if "Japan" in request.question:
            return next(self._japan, answers(request))
        self.go.wait(LIMIT)
        return answers(request)


@pytest.fixture
def half_way(project: Project) -> Iterator[HalfWay]:
    project.server.script = script = HalfWay()
    yield script
    script.go.set()
