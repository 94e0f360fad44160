"""A server that echoes what the request held: none of it is kept, in whatever form a reader would recognise it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from capitals import Project
from judged_project import judged, speak
from stub_server import Answer

from proctor.recordings.leak_detector import Detector
from proctor.recordings.secrets import Secrets

__all__ = ["judged"]

KEY = "local-distinctive/0123456789+x"
ORGANISATION, PROJECT = "org-distinctiveOrg42", "proj_distinctiveProject42"
VALUES = {"LOCAL_KEY": KEY, "OPENAI_ORG_ID": ORGANISATION, "OPENAI_PROJECT_ID": PROJECT}
REGISTRY = "models:\n  chat: {provider: openai, api_id: m, base_url: 'URL', key_env: OPENAI_API_KEY}\n"


def in_base64(before: str) -> Callable[[str], str]:
    return lambda secret: base64.b64encode(f"{before}{secret}:rest".encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda secret: secret,
    "escaped slash": lambda secret: secret.replace("/", "\\/"),
    "escaped letters": lambda secret: "".join(f"\\u{ord(letter):04x}" for letter in secret),
    "one escaped letter": lambda secret: secret[:3] + f"\\u{ord(secret[3]):04X}" + secret[4:],
    "escaped twice": lambda secret: "".join(f"\\\\u{ord(letter):04x}" for letter in secret),
    "as in an address": lambda secret: quote(secret, safe=""),
    "every letter as in an address": lambda secret: "".join(f"%{ord(letter):02x}" for letter in secret),
    **{f"base64 after {len(before)}": in_base64(before) for before in ("", "u", "u:", "Bearer ")},
    "base64 for addresses": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
}


def completion(content: str) -> bytes:
    """A chat completion with this JSON as its content, escapes as they stand."""
    return b'{"choices":[{"message":{"role":"assistant","content":%b},"finish_reason":"stop"}]}' % content.encode()


@pytest.fixture
def environment(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name, value in {**VALUES, "OPENAI_API_KEY": KEY}.items():
        monkeypatch.setenv(name, value)
    (project.path / "models.yaml").write_text(REGISTRY.replace("URL", project.server.openai_url))
    return project


def kept(project: Project) -> str:
    files = [*project.path.glob("cassettes/**/*.jsonl"), *project.path.glob("reports/**/*")]
    return "\n".join(file.read_text(errors="replace") for file in files if file.is_file())


@pytest.mark.parametrize("form", FORMS)
def test_an_echoed_secret_is_not_kept(environment: Project, form: str) -> None:
    for secret in VALUES.values():
        shown = FORMS[form](secret)
        environment.server.script = Answer(body=completion(f'"[Paris] {shown}"'))
        assert environment.run("--record-mode", "all", "-k", "France", model="chat").ret == 0
        core = shown[4:-16] if "base64" in form else shown
        assert core not in kept(environment)
        assert secret not in kept(environment)
        assert environment.rows["France"]["response_text"].startswith("[Paris] ")
        assert "[removed]" in environment.rows["France"]["response_text"]
        assert environment.run("-k", "France", model="chat").ret == 0


def test_a_secret_split_over_the_parts_of_an_answer_is_not_kept(environment: Project) -> None:
    parts = json.dumps([{"type": "text", "text": text} for text in ("[Paris] local-dist", "inctive/01", "23456789+x!")])
    environment.server.script = Answer(body=completion(parts))
    assert environment.run("--record-mode", "all", "-k", "France", model="chat").ret == 0
    assert environment.rows["France"]["response_text"] == "[Paris] [removed]!"
    assert "inctive" not in kept(environment)
    assert environment.run("-k", "France", model="chat").ret == 0
    assert environment.rows["France"]["response_text"] == "[Paris] [removed]!"


def test_a_secret_in_the_content_type_is_not_kept(environment: Project) -> None:
    headers = {"Content-Type": f"application/json; key={KEY}; org={quote(ORGANISATION)}"}
    environment.server.script = Answer("[Paris]", headers=headers)
    assert environment.run("--record-mode", "all", "-k", "France", model="chat").ret == 0
    assert KEY not in kept(environment)
    assert ORGANISATION not in kept(environment)
    assert environment.run("-k", "France", model="chat").ret == 0


def test_a_secret_in_an_answer_that_cannot_be_read_is_not_told(environment: Project) -> None:
    environment.server.script = Answer(body=f"<p>{KEY}</p>".encode())
    result = environment.run("--record-mode", "all", "-k", "France", model="chat")
    assert result.ret == 1
    assert KEY not in kept(environment) + str(result.stdout)


@pytest.mark.parametrize("form", FORMS)
def test_a_recording_from_elsewhere_that_holds_one_is_found(form: str) -> None:
    for name, secret in VALUES.items():
        line = b'{}\n{"body":"%b"}\n' % FORMS[form](secret).encode()
        assert Detector(VALUES).lines_with_secrets(line) == {2: f"the value of {name}"}


def test_other_texts_stay_byte_for_byte() -> None:
    secrets = Secrets(VALUES, shortest=8)
    for text in (b'"50 % of \\u2019\\/\\u0041 %41 %zz"', b'{"text":"a","x":[{"text":"b"},{"text":"c"}]}', b"\xff\xfe%"):
        assert secrets.removed_from(text) == text


def test_a_judges_key_that_only_its_roles_variable_names_is_not_kept(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "distinctive-key-of-the-judge-42"
    monkeypatch.setenv("GEO_JUDGE_URL", judged.server.openai_url)
    monkeypatch.setenv("GEO_JUDGE_KEY", secret)
    judged.server.script = lambda r: f"{speak(r)} {r.headers['authorization'].removeprefix('Bearer ')}"
    judged.record("--record-prompts")
    assert any(secret in request.headers["authorization"] for request in judged.server.requests)
    assert secret not in kept(judged)
