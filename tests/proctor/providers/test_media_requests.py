"""What arrives at each API when a question shows media: the parts, their order, their types, sizes and bytes."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from drawn_media import clip, mp3, numbers_of, picture, tone
from PIL import Image
from stub_server import Answer, Request, StubServer

from proctor._base.errors import DataError, UsageError
from proctor.media.medium import Media
from proctor.models.registry import Model, Registry
from proctor.providers import connect, read_reply
from proctor.tasks.call import Call, CallFailed, Reply

REGISTRY = Registry.load()
VISION = ["gpt-4o", "o1-pro", "claude-3-5-haiku"]


def question(model: Model, *pieces: str | Media, before: tuple[Any, ...] = ()) -> Call:
    """The call that asks *model* these texts and media, after some earlier messages."""
    media = {piece.sha256: piece.file for piece in pieces if isinstance(piece, Media)}
    content: Any = [
        {"type": "text", "text": piece} if isinstance(piece, str) else model.shown(piece) for piece in pieces
    ]
    return model.call([*before, {"role": "user", "content": content}], {}, {}, media)


def sent(server: StubServer, model: Model | str, *pieces: str | Media, before: tuple[Any, ...] = ()) -> Request:
    """The request that this question makes."""
    model = REGISTRY.resolve(model) if isinstance(model, str) else model
    client = connect(model, timeout=120)
    try:
        client.send(question(model, *pieces, before=before))
    finally:
        client.close()
    return server.requests[-1]


def messages_of(request: Request) -> list[Any]:
    found: list[Any] = request.json.get("messages") or request.json["input"]
    return found


def picture_in(part: dict[str, Any]) -> tuple[str, bytes]:
    """Media type and content of a part that shows a picture, whatever the API."""
    if part["type"] == "image":
        assert part["source"]["type"] == "base64"
        return part["source"]["media_type"], base64.b64decode(part["source"]["data"], validate=True)
    uri = part["image_url"] if part["type"] == "input_image" else part["image_url"]["url"]
    head, _, data = uri.partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(data, validate=True)


@pytest.mark.parametrize(
    ("name", "text_type", "image_type"),
    [("gpt-4o", "text", "image_url"), ("o1-pro", "input_text", "input_image"), ("claude-3-5-haiku", "text", "image")],
)
def test_texts_and_pictures_arrive_in_order(
    server: StubServer, tmp_path: Path, name: str, text_type: str, image_type: str
) -> None:
    first, second = picture(tmp_path / "1.png"), picture(tmp_path / "2.jpg")
    request = sent(server, name, "Look:", Media("image", first), "and", Media("image", second), "What is it?")
    (message,) = messages_of(request)
    assert message["role"] == "user"
    assert [part["type"] for part in message["content"]] == [text_type, image_type, text_type, image_type, text_type]
    assert [part["text"] for part in message["content"][::2]] == ["Look:", "and", "What is it?"]
    assert picture_in(message["content"][1]) == ("image/png", first.read_bytes())
    assert picture_in(message["content"][3]) == ("image/jpeg", second.read_bytes())


@pytest.mark.parametrize(("name", "edge"), [("gpt-4o", 2048), ("o1-pro", 2048), ("claude-3-5-haiku", 1568)])
def test_a_large_picture_arrives_within_the_providers_limits(
    server: StubServer, tmp_path: Path, name: str, edge: int
) -> None:
    file = picture(tmp_path / "a.png", (4096, 1024))
    media_type, content = picture_in(messages_of(sent(server, name, "?", Media("image", file)))[0]["content"][1])
    with Image.open(io.BytesIO(content)) as arrived:
        assert (media_type, arrived.size) == ("image/png", (edge, edge // 4))


def test_a_heavy_picture_arrives_below_anthropics_five_megabytes_of_base64(server: StubServer, tmp_path: Path) -> None:
    file = picture(tmp_path / "a.png", (1500, 1500), noise=True)
    assert file.stat().st_size > 3_750_000
    part = messages_of(sent(server, "claude-3-5-haiku", "?", Media("image", file)))[0]["content"][1]
    assert part["source"]["media_type"] == "image/jpeg"
    assert len(part["source"]["data"]) <= 5_000_000


@pytest.mark.parametrize("name", VISION)
def test_a_clip_arrives_as_a_run_of_frames(server: StubServer, tmp_path: Path, name: str) -> None:
    file = clip(tmp_path / "a.mp4", 40)
    (message,) = messages_of(sent(server, name, "Watch:", Media("video", file), "What happens?"))
    frames = [picture_in(part) for part in message["content"][1:-1]]
    assert {media_type for media_type, _ in frames} == {"image/jpeg"}
    # 16 equal parts of 2.5 frames; their centres lie at 1.25, 3.75, 6.25, …
    assert numbers_of([content for _, content in frames]) == [int(1.25 + 2.5 * k) for k in range(16)]
    assert message["content"][-1]["text"] == "What happens?"


@pytest.mark.parametrize("name", ["gpt-audio", "gemini-3-pro-preview"])
def test_sounds_arrive_byte_for_byte(server: StubServer, tmp_path: Path, name: str) -> None:
    one, other = tone(tmp_path / "a.bin"), mp3(tmp_path / "b.bin")
    (message,) = messages_of(sent(server, name, Media("audio", one), Media("audio", other), "What do you hear?"))
    *sounds, text = message["content"]
    assert text == {"type": "text", "text": "What do you hear?"}
    assert [(part["type"], part["input_audio"]["format"]) for part in sounds] == [
        ("input_audio", "wav"),
        ("input_audio", "mp3"),
    ]
    arrived = [base64.b64decode(part["input_audio"]["data"], validate=True) for part in sounds]
    assert arrived == [one.read_bytes(), other.read_bytes()]


@pytest.mark.parametrize("name", VISION)
def test_an_earlier_answer_stands_between_two_pictures(server: StubServer, tmp_path: Path, name: str) -> None:
    model, file = REGISTRY.resolve(name), picture(tmp_path / "a.png")
    before = ({"role": "user", "content": "Draw a cat."}, {"role": "assistant", "content": "Here it is."})
    messages = messages_of(sent(server, model, "Is it a cat?", Media("image", file), before=before))
    assert messages[:2] == list(before)
    assert picture_in(messages[2]["content"][1])[1] == file.read_bytes()


def test_limits_of_models_yaml_reach_what_is_sent(server: StubServer, tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        "models:\n  mine: {provider: openai, api_id: m, media: {image: {max_edge: 40}, video: {frames: 2}}}\n"
    )
    model = Registry.load(tmp_path / "models.yaml").resolve("mine")
    shown = [Media("image", picture(tmp_path / "a.png", (80, 20))), Media("video", clip(tmp_path / "a.mp4", 8))]
    image, *frames = [picture_in(part)[1] for part in messages_of(sent(server, model, *shown))[0]["content"]]
    assert Image.open(io.BytesIO(image)).size == (40, 10)
    assert numbers_of(frames) == [2, 6]  # two parts of four frames


def test_too_many_pictures_are_refused_before_they_are_sent(server: StubServer, tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        "models:\n  mine: {provider: anthropic, api_id: m, media: {image: {max_count: 3}, video: {frames: 4}}}\n"
    )
    model = Registry.load(tmp_path / "models.yaml").resolve("mine")
    with pytest.raises(DataError, match=r"a\.mp4: the question shows 4 pictures, and the API takes 3"):
        sent(server, model, Media("video", clip(tmp_path / "a.mp4", 8)))
    assert server.count == 0


@pytest.mark.parametrize("name", ["o1-pro", "claude-3-5-haiku"])
def test_an_api_without_sounds_is_sent_none(server: StubServer, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"takes no audio, such as .*a\.wav"):
        sent(server, name, Media("audio", tone(tmp_path / "a.wav")), "?")
    assert server.count == 0


class TestKeys:
    def test_the_content_counts_and_the_name_of_the_file_does_not(self, tmp_path: Path) -> None:
        model = REGISTRY.resolve("gpt-4o")
        files = [picture(tmp_path / "a.png"), picture(tmp_path / "b.png"), picture(tmp_path / "c.png", (65, 48))]
        one, same, other = (question(model, "?", Media("image", file)).key for file in files)
        assert one == same != other

    @pytest.mark.parametrize(
        ("kind", "media", "same"),
        [
            ("image", "{image: {max_edge: 1000}}", False),
            ("image", "{image: {max_count: 5}, video: {frames: 3}}", True),
            ("video", "{video: {frames: 3}}", False),
            ("video", "{video: {max_edge: 300}}", False),
            ("audio", "{image: {max_edge: 1000}, video: {frames: 3}, audio: {max_bytes: 5}}", True),
        ],
    )
    def test_how_a_medium_is_shown_counts(self, tmp_path: Path, kind: Any, media: str, same: bool) -> None:
        (tmp_path / "models.yaml").write_text(
            "models:\n  one: {provider: openai, api_id: m}\n"
            f"  other: {{provider: openai, api_id: m, media: {media}}}\n"
        )
        (tmp_path / "medium").write_bytes(b"x")
        registry, medium = Registry.load(tmp_path / "models.yaml"), Media(kind, tmp_path / "medium")
        one, other = (question(registry.resolve(name), "?", medium).key for name in ("one", "other"))
        assert (one == other) is same


class TestMakingPictures:
    def drawn(self, tmp_path: Path) -> bytes:
        return picture(tmp_path / "drawn.png", (32, 32)).read_bytes()

    def test_a_text_alone_asks_for_a_new_picture(self, server: StubServer, tmp_path: Path) -> None:
        content = self.drawn(tmp_path)
        server.script = base64.b64encode(content).decode()
        model = REGISTRY.resolve("gpt-image-1")
        client = connect(model, timeout=120)
        call = model.call([{"role": "user", "content": "A red ball"}], {"temperature": 0}, {"size": "1024x1024"})
        reply = read_reply(model.api, client.send(call))
        client.close()
        assert server.requests[-1].path == "/v1/images/generations"
        wanted = {"model": "gpt-image-1", "prompt": "A red ball", "n": 1, "size": "1024x1024"}
        assert server.requests[-1].json == wanted
        (image,) = reply.images
        assert (reply.text, reply.finish_reason, image.kind, image.content) == ("", "stop", "image", content)
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 5)

    @pytest.mark.parametrize(("number", "field"), [(1, "image"), (2, "image[]")])
    def test_pictures_ask_for_an_edited_one(self, server: StubServer, tmp_path: Path, number: int, field: str) -> None:
        files = [picture(tmp_path / f"{n}.jpg", (20 + n, 20), format="PNG") for n in range(number)]
        server.script = base64.b64encode(self.drawn(tmp_path)).decode()
        request = sent(server, "gpt-image-1", "Make it blue", *(Media("image", file) for file in files), "and round")
        assert request.path == "/v1/images/edits"
        assert request.json == {"model": "gpt-image-1", "prompt": "Make it blue\n\nand round", "n": "1"}
        assert [(upload.field, upload.media_type) for upload in request.files] == [(field, "image/png")] * number
        assert [upload.content for upload in request.files] == [file.read_bytes() for file in files]

    def test_earlier_turns_are_refused(self, server: StubServer) -> None:
        with pytest.raises(CallFailed, match="takes one message") as caught:
            sent(server, "gpt-image-1", "Bluer", before=({"role": "user", "content": "A ball"},))
        assert (caught.value.kind, server.count) == ("rejected", 0)

    @pytest.mark.parametrize("code", ["moderation_blocked", "content_policy_violation"])
    def test_a_refusal_is_an_answer(self, server: StubServer, code: str) -> None:
        server.script = Answer.error(400, "Rejected by the safety system: req_0123456789abcdef", code=code)
        model = REGISTRY.resolve("gpt-image-1")
        client = connect(model, timeout=120)
        reply = read_reply(model.api, client.send(question(model, "…")))
        client.close()
        assert reply == Reply("Rejected by the safety system: [hidden]", finish_reason="refusal")

    def test_any_other_rejection_is_a_failure(self, server: StubServer) -> None:
        server.script = Answer.error(400, "Unknown size", code="invalid_value")
        with pytest.raises(CallFailed, match="Unknown size") as caught:
            sent(server, "gpt-image-1", "A ball")
        assert caught.value.kind == "rejected"

    @pytest.mark.parametrize(
        ("body", "kind"),
        [(b"[" * 200_000, "malformed"), (b'{"error": {"code": {"odd": 1}, "message": "Busy"}}', "server")],
        ids=["nested too deeply", "odd code"],
    )
    def test_an_odd_answer_is_a_failure_that_is_tried_again(self, server: StubServer, body: bytes, kind: str) -> None:
        server.script = Answer(body=body)
        with pytest.raises(CallFailed) as caught:
            sent(server, "gpt-image-1", "A ball")
        assert (caught.value.kind, caught.value.retryable) == (kind, True)

    @pytest.mark.parametrize(
        ("item", "kind", "problem"),
        [
            ({"url": "https://host/picture.png"}, "rejected", "response_format: b64_json"),
            ({"b64_json": "no base64!"}, "malformed", "no base64"),
            ({"b64_json": base64.b64encode(b"no picture").decode()}, "malformed", "no picture"),
            ({}, "malformed", "no picture"),
            (None, "malformed", "'data' is empty"),
        ],
    )
    def test_an_answer_without_a_picture_is_a_failure(
        self, server: StubServer, item: dict[str, str] | None, kind: str, problem: str
    ) -> None:
        server.script = Answer(body=json.dumps({"data": [] if item is None else [item]}).encode())
        with pytest.raises(CallFailed, match=problem) as caught:
            sent(server, "gpt-image-1", "A ball")
        assert caught.value.kind == kind
