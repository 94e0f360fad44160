"""One model behind several addresses: who is asked, who is left out, and when one is tried again."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from capitals import Project, answers
from stub_server import Answer, Request, StubServer
from waiting import wait_until

from proctor.providers.several_endpoints import SeveralEndpoints
from proctor.tasks.call import Call, CallFailed

CALL = Call("m", ({"role": "user", "content": "?"},), {})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Fake:
    """A client that answers with its name, or fails as it is told."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0
        self.failure: str | None = None
        self.retry_after: float | None = None

    def ready(self, call: Call):  # type: ignore[no-untyped-def]
        return lambda: self.send(call)

    def send(self, call: Call) -> bytes:
        self.asked += 1
        if self.failure is not None:
            raise CallFailed("no", kind=self.failure, retry_after=self.retry_after)
        return self.name.encode()

    def reach(self) -> Sequence[str]:
        return ()

    def close(self) -> None: ...


def several(count: int) -> tuple[SeveralEndpoints, list[Fake], Clock]:
    fakes, clock = [Fake(f"http://host{number}") for number in range(count)], Clock()
    return SeveralEndpoints({fake.name: fake for fake in fakes}, clock=clock), fakes, clock


def sent(endpoints: SeveralEndpoints) -> str:
    """Send a request until it is answered, as the way to a model does."""
    request = endpoints.ready(CALL)
    while True:
        try:
            return request().decode()
        except CallFailed as failure:
            if not failure.elsewhere:
                raise


def test_the_one_with_the_fewest_in_flight_is_asked() -> None:
    endpoints, _, _ = several(3)
    first = [endpoints.take() for _ in range(3)]
    assert {address.url for address in first} == {"http://host0", "http://host1", "http://host2"}
    endpoints.answered(first[1])
    assert endpoints.take() is first[1]


def test_one_that_fails_is_left_out_and_tried_again_with_one_request() -> None:
    endpoints, (bad, good), clock = several(2)
    bad.failure = "connection"
    assert {sent(endpoints) for _ in range(6)} == {good.name}
    assert bad.asked == 1
    clock.now = 9.9
    assert (sent(endpoints), bad.asked) == (good.name, 1)
    clock.now = 10.0  # it still fails, and is left out for 20 s
    assert {sent(endpoints) for _ in range(4)} == {good.name}
    assert bad.asked == 2
    clock.now = 29.9
    assert (sent(endpoints), bad.asked) == (good.name, 2)
    clock.now, bad.failure = 30.0, None
    trial = endpoints.take()
    assert trial.url == bad.name
    assert [endpoints.take().url for _ in range(3)] == [good.name] * 3  # while the trial is in flight
    endpoints.answered(trial)
    assert endpoints.take().url == bad.name


@pytest.mark.parametrize(("kind", "requests"), [("unknown_model", 1), ("authentication", 1), ("server", 3)])
def test_what_is_the_fault_of_one_address_ends_nothing(kind: str, requests: int) -> None:
    endpoints, (bad, good), _ = several(2)
    bad.failure = kind
    told = []
    for _ in range(10):
        try:
            assert sent(endpoints) == good.name
        except CallFailed as failure:
            told.append((failure.kind, failure.fatal))
    assert bad.asked == requests
    assert told == [("server", False)] * (requests - 1)


def test_one_that_limits_is_left_out_for_as_long_as_it_asks_and_holds_nobody_back() -> None:
    endpoints, (busy, good), clock = several(2)
    busy.failure, busy.retry_after = "rate_limit", 3.0
    assert {sent(endpoints) for _ in range(6)} == {good.name}
    assert busy.asked == 1
    clock.now, busy.failure = 3.0, None
    assert sent(endpoints) == busy.name  # which has had the fewest
    assert endpoints.notes == ["http://host0 was left out, and tried again later: no"]


def test_where_all_limit_the_model_is_held_back() -> None:
    endpoints, fakes, _ = several(2)
    for fake in fakes:
        fake.failure = "rate_limit"
    with pytest.raises(CallFailed) as caught:
        sent(endpoints)
    assert (caught.value.kind, caught.value.elsewhere) == ("rate_limit", False)
    assert [fake.asked for fake in fakes] == [1, 1]


def test_a_request_that_is_at_fault_itself_leaves_nobody_out() -> None:
    endpoints, fakes, _ = several(2)
    for fake in fakes:
        fake.failure = "rejected"
    for _ in range(4):
        with pytest.raises(CallFailed, match="no") as caught:
            endpoints.send(CALL)
        assert caught.value.kind == "rejected"
    assert [fake.asked for fake in fakes] == [2, 2]


def test_where_all_fail_the_last_failure_is_told_as_it_is() -> None:
    endpoints, fakes, _ = several(3)
    for fake in fakes:
        fake.failure = "authentication"
    with pytest.raises(CallFailed) as caught:
        sent(endpoints)
    assert (caught.value.kind, caught.value.fatal) == ("authentication", True)
    assert [fake.asked for fake in fakes] == [1, 1, 1]


@pytest.fixture
def servers(project: Project) -> Iterator[Sequence[StubServer]]:
    with StubServer(answers) as second, StubServer(answers) as third:
        yield project.server, second, third


def configure(project: Project, urls: Sequence[str]) -> None:
    listed = ", ".join(f"'{url}'" for url in urls)
    (project.path / "models.yaml").write_text(
        f"models:\n  served: {{provider: local, api_id: m, base_url: [{listed}]}}\n"
    )


def host(server: StubServer) -> str:
    return server.anthropic_url


def many_rows(project: Project, count: int) -> None:
    project.write_rows([{"country": f"Land{number:04}", "capital": "Paris"} for number in range(count)])


def test_requests_are_spread_evenly_and_rows_name_the_endpoint(project: Project, servers: Sequence[StubServer]) -> None:
    many_rows(project, 12)
    configure(project, [server.openai_url for server in servers])

    def script(_request: Request) -> str:
        wait_until(lambda: sum(server.count for server in servers) >= 12)
        return "[Paris]"

    for server in servers:
        server.script = script
    (project.path / "models.yaml").write_text((project.path / "models.yaml").read_text() + FAMILY)
    assert project.run("--record-mode", "once", "--concurrency", "12", model="served").ret == 0
    assert [server.count for server in servers] == [4, 4, 4]
    named = Counter(endpoint for row in project.rows.values() for endpoint in row["endpoints"])
    assert named == {host(server): 4 for server in servers}
    configure(project, ["http://elsewhere.example/v1"])
    assert project.run(model="served").ret == 0  # the address is not part of the key


FAMILY = "families:\n  known: {models: [m]}\n"
"""So that something is known of the model, whose first request is else sent alone."""


def test_one_of_three_servers_dies_half_way(project: Project, servers: Sequence[StubServer]) -> None:
    many_rows(project, 60)
    configure(project, [server.openai_url for server in servers])
    dying = servers[1]

    def script(_request: Request) -> str | Answer:
        if dying.count < 10:
            return "[Paris]"
        if dying.count == 10:
            threading.Thread(target=dying.stop).start()
        return Answer("[Paris]", cut=True)

    for server in servers:
        server.script = "[Paris]"
    dying.script = script
    result = project.run("--record-mode", "once", "--concurrency", "6", model="served")
    assert result.ret == 0
    assert {row["status"] for row in project.rows.values()} == {"scored"}
    assert len(project.rows) == 60
    named = Counter(row["endpoints"][0] for row in project.rows.values())
    assert named[host(servers[0])] == servers[0].count
    assert named[host(servers[2])] == servers[2].count
    assert 0 < named[host(dying)] < dying.count <= 16
    result.stdout.fnmatch_lines([f"served: {host(dying)} was left out, and tried again later: no connection to *"])


def closed_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize("how", ["models.yaml", "variable"])
def test_an_address_that_is_not_there_is_named_and_the_run_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    missing = closed_address()
    addresses = [f"{missing}/v1", project.server.openai_url]
    model = "served"
    if how == "variable":
        monkeypatch.setenv("LOCAL_BASE_URL", ", ".join(addresses))
        model = "local/m"
    else:
        configure(project, addresses)
    result = project.run("--record-mode", "once", model=model)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            f"WARNING: {model} goes on without {missing}: no connection to {missing}:*",
            f"asks {model} at {missing}, {host(project.server)}: answers of geo/capitals",
        ]
    )
    assert project.server.count == 5


def test_a_run_without_any_ends_before_its_first_call(project: Project) -> None:
    configure(project, [f"{closed_address()}/v1", f"{closed_address()}/v1"])
    result = project.run("--record-mode", "once", model="served")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: served (answers of geo/capitals) cannot be asked: no connection to *"])


def test_fields_of_rows_with_one_address_are_as_ever(project: Project) -> None:
    project.record()
    assert not any("endpoints" in row for row in project.rows.values())
