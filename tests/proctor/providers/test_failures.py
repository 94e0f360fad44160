"""Each fault of a provider gives a CallFailed of the right kind, without any secret in it."""

from __future__ import annotations

import email.utils
import functools
import time
import traceback
from collections.abc import Callable

import pytest
from stub_server import SECRETS, Answer, StubServer

from proctor._base.http import redact, retry_after
from proctor.models.registry import Model, Registry
from proctor.providers import Client, connect, read_reply
from proctor.tasks.call import Call, CallFailed

REGISTRY = Registry.load()
MODELS = ["gpt-4o", "o1-pro", "claude-3-5-haiku"]
KEY = "sk-proj-distinctive_key-0123456789abcdefABCDEF"
every_api = pytest.mark.parametrize("name", MODELS)


@functools.cache
def client_of(model: Model, timeout: float, _url: str, _key: str | None) -> Client:
    return connect(model, timeout=timeout)  # takes 20 ms, which adds up over all these faults


def ask(name: str, *, timeout: float = 5) -> str:
    model = REGISTRY.resolve(name)
    client = client_of(model, timeout, model.url(), model.key())
    return read_reply(model.api, client.send(model.call([{"role": "user", "content": "?"}], {}, {}))).text


def failure(name: str, *, timeout: float = 5) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        ask(name, timeout=timeout)
    return caught.value


@every_api
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer.error(400), "rejected"),
        (Answer.error(401), "authentication"),
        (Answer.error(402), "quota"),
        (Answer.error(403), "authentication"),
        (Answer.error(404), "unknown_model"),
        (Answer.error(408), "timeout"),
        (Answer.error(409), "server"),
        (Answer.error(413), "rejected"),
        (Answer.error(422), "rejected"),
        (Answer.error(429), "rate_limit"),
        (Answer.error(429, code="insufficient_quota"), "quota"),
        (Answer.error(500), "server"),
        (Answer.error(503), "server"),
        (Answer.error(529, error_type="overloaded_error"), "server"),
        (Answer.error(400, "nope/none is not a valid model ID"), "unknown_model"),
        (Answer.error(400, "Your credit balance is too low to access the Anthropic API."), "quota"),
        (Answer(status=502, body=b"<html>Bad gateway</html>"), "server"),
        (Answer(status=500, body=b""), "server"),
        (Answer(status=500, body=b"\xff\xfe"), "server"),
        (Answer(status=500, body=b'{"error": ["odd"]}'), "server"),
        (Answer(status=304, body=b""), "rejected"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.status),
)
def test_a_status_tells_the_kind(server: StubServer, name: str, answer: Answer, kind: str) -> None:
    server.script = answer
    assert failure(name).kind == kind
    assert server.count == 1  # the SDK did not retry


@every_api
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(cut=True), "connection"),
        (Answer(body=b'{"choices": ['), "malformed"),
        (Answer(body=b'{"text": "\xff\xfe"}'), "malformed"),
        (Answer(body=b""), "malformed"),
        (Answer(body=b"   "), "malformed"),
        (Answer(body=b"[]"), "malformed"),
        (Answer(body=b"{}"), "malformed"),
        (Answer(body=b"[" * 100_000), "malformed"),
        (Answer(body=b'{"choices": [], "output": [1], "content": null}'), "malformed"),
        (Answer(body=b'{"choices": [{}], "output": [{"type": "message"}], "content": "text"}'), "malformed"),
        (
            Answer(
                body=b'{"choices": [{"message": {"content": 1}}], "content": [{"type": "text", "text": 1}],'
                b' "output": [{"type": "message", "content": [{"text": 1}]}]}'
            ),
            "malformed",
        ),
        (Answer(body=b"not gzip", headers={"Content-Encoding": "gzip"}), "malformed"),
        (Answer(body=b'{"error": {"code": 429, "message": "slow down"}}'), "rate_limit"),
        (Answer(body=b'{"error": {"code": 502, "message": "host is down"}}'), "server"),
        (Answer(body=b'{"error": {"code": "402", "message": "pay"}}'), "quota"),
        (Answer(body=b'{"error": {"type": "overloaded_error", "message": "busy"}}'), "server"),
        (Answer(body=b'{"error": {"code": "rate_limit_exceeded", "message": "busy"}}'), "rate_limit"),
        (Answer(body=b'{"error": "just text"}'), "server"),
    ],
)
def test_an_answer_that_is_none_tells_the_kind(server: StubServer, name: str, answer: Answer, kind: str) -> None:
    server.script = answer
    assert failure(name).kind == kind


@every_api
def test_silence_is_a_timeout(server: StubServer, name: str) -> None:
    server.script = Answer(delay=0.3)
    assert failure(name, timeout=0.05).kind == "timeout"


@every_api
def test_a_closed_port_is_a_connection_failure_that_names_the_endpoint(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with StubServer() as gone:
        port = gone.port
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(variable, f"http://me:password@127.0.0.1:{port}/v1")
    failed = failure(name)
    assert failed.kind == "unreachable"
    assert f"no connection to http://127.0.0.1:{port}: " in str(failed)
    assert "password" not in str(failed)


@every_api
def test_the_server_may_recover(server: StubServer, name: str) -> None:
    server.script = [Answer.error(429, retry_after="2"), Answer(cut=True), "[table]"]
    assert [failure(name).kind, failure(name).kind, ask(name)] == ["rate_limit", "connection", "[table]"]


@pytest.mark.parametrize("body", [b'{"error": {"code": 429, "message": "slow down"}}', b"{}", b"<html>"])
def test_sending_fails_for_a_body_that_is_no_answer_before_anybody_keeps_it(server: StubServer, body: bytes) -> None:
    server.script = Answer(body=body)
    model = REGISTRY.resolve("metallama")
    client = client_of(model, 5, model.url(), model.key())
    with pytest.raises(CallFailed):
        client.send(model.call([{"role": "user", "content": "?"}], {}, {}))


def test_openrouters_moderation_rejects_the_prompt_not_the_account(server: StubServer) -> None:
    server.script = Answer(
        status=403, body=b'{"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["violence"]}}}'
    )
    failed = failure("metallama")
    assert (failed.kind, failed.fatal) == ("rejected", False)


def test_openrouters_error_inside_a_choice_counts(server: StubServer) -> None:
    server.script = Answer(
        body=b'{"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "host"}, "message": {}}]}'
    )
    assert failure("metallama").kind == "server"


def test_a_response_that_failed_tells_its_error(server: StubServer) -> None:
    server.script = Answer(
        body=b'{"status": "failed", "output": [], "error": {"code": "server_error", "message": "sorry"}}'
    )
    assert failure("o1-pro").kind == "server"


@every_api
@pytest.mark.parametrize("wait", [{"retry_after": "1.5"}, {"retry_after_ms": "1500", "retry_after": "9"}])
def test_the_wait_a_provider_asks_for_is_told(server: StubServer, name: str, wait: dict[str, str]) -> None:
    server.script = Answer.error(429, **wait)
    assert failure(name).retry_after == 1.5


@every_api
def test_without_such_a_header_no_wait_is_told(server: StubServer, name: str) -> None:
    server.script = Answer.error(503)
    assert failure(name).retry_after is None


def test_a_wait_may_be_a_date() -> None:
    started = time.time()
    told = retry_after({"retry-after": email.utils.formatdate(started + 60, usegmt=True)})
    assert told is not None
    assert 58 - (time.time() - started) <= told <= 62  # it is in whole seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 99 Foo 2015"}, None),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
    ],
)
def test_odd_waits(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    "message",
    [
        f"Incorrect API key provided: {KEY}.",
        "Incorrect API key provided: sk-proj-********************cdEF.",
        "Rate limit reached in organization org-a1b2c3d4e5f6g7h8 on tokens",
        "project proj_a1b2c3d4 of account acct_1A2b3C4d and user-Qm3fX9aa77",
        "organization 5b0c3d2e-0000-4000-8000-57ab00000042 is disabled",
        "header Authorization: Bearer abc.def-ghi",
        "somebody@example.org has no access",
        "proxy http://me:pass@proxy.example refused",
        "token 0123456789abcdef0123456789abcdef",
    ],
)
def test_what_looks_like_a_key_or_an_account_is_hidden(message: str) -> None:
    shown = redact(message, key=KEY)
    for secret in ("cdEF", "a1b2", "1A2b", "Qm3f", "5b0c", "abc.def", "somebody", "me:pass", "0123456789abcdef"):
        assert secret not in shown
    assert "[hidden]" in shown


def test_the_key_in_use_is_hidden_whatever_it_looks_like() -> None:
    assert redact("the key plain.word is wrong", key="plain.word") == "the key [hidden] is wrong"


def test_ordinary_words_are_not_hidden() -> None:
    message = "The model `meta-llama/llama-3.3-70b-instruct` does not exist; user-defined max_tokens 4096 > 2048"
    assert redact(message) == message


def test_a_message_is_one_short_line() -> None:
    shown = redact("a\nb " + "long " * 1000)
    assert shown.startswith("a b long")
    assert len(shown) <= 500


def test_a_message_holds_nothing_that_a_terminal_obeys() -> None:
    shown = redact("no \x1b]0;title\x07\x1b[31m red\0, \u202eleft, \ud800 half")
    assert shown == "no �]0;title��[31m red�, �left, � half"


@every_api
@pytest.mark.parametrize(
    "fault",
    [
        lambda: Answer.error(401, f"bad key {KEY} of org-realOrg12345"),
        lambda: Answer.error(500, f"key was {KEY}"),
        lambda: Answer(body=f"key {KEY}".encode()),
        lambda: Answer(body=f'{{"error": {{"code": 429, "message": "{KEY}"}}}}'.encode()),
        lambda: Answer(cut=True),
    ],
)
def test_neither_message_nor_traceback_holds_a_secret(
    server: StubServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    fault: Callable[[], Answer],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    server.script = fault()
    with caplog.at_level("DEBUG"):
        failed = failure(name)
    told = "".join(traceback.format_exception(failed)) + repr(failed) + caplog.text
    for secret in (KEY, "realOrg", *(value.split(";")[0] for value in SECRETS.values())):
        assert secret not in told
    assert failed.__context__ is None


@every_api
def test_an_exception_of_a_player_under_the_sdk_comes_through(
    server: StubServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    import httpx2

    class NotRecorded(Exception):
        pass

    def play(*_: object, **__: object) -> None:
        raise NotRecorded("never recorded")

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", play)
    with pytest.raises(NotRecorded, match="never recorded"):
        ask(name)


def test_a_call_that_cannot_be_written_as_json_is_not_taken_for_a_failure_of_the_provider(server: StubServer) -> None:
    client = connect(REGISTRY.resolve("gpt-4o"), timeout=120)
    with pytest.raises(TypeError):
        client.send(Call("gpt-4o", ({"role": "user", "content": object()},), {}))  # type: ignore[dict-item]
    client.close()


@every_api
def test_a_prompt_that_is_no_unicode_is_rejected(server: StubServer, name: str) -> None:
    model = REGISTRY.resolve(name)
    client = client_of(model, 5, model.url(), model.key())
    with pytest.raises(CallFailed, match="surrogates") as caught:
        client.send(model.call([{"role": "user", "content": "half an emoji: \ud83e"}], {}, {}))
    assert caught.value.kind == "rejected"
    assert server.count == 0
