"""What a user's models.yaml may say, how it adds to the built-in registry, and how its mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor._base.errors import DataError
from proctor.models.registry import Registry

BUILT_IN = Registry.load()
ROOT = Path(__file__).parents[3]


def registry(tmp_path: Path, *texts: str) -> Registry:
    files = [tmp_path / f"models{index}.yaml" for index in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return Registry.load(*files)


class TestUserFile:
    def test_a_model_takes_four_lines(self, tmp_path: Path) -> None:
        models = registry(tmp_path, "models:\n  mine:\n    provider: openrouter\n    api_id: vendor/mine\n")
        mine = models.resolve("mine")
        assert (mine.api_id, mine.key_env) == ("vendor/mine", "OPENROUTER_API_KEY")
        assert models.resolve("gpt4o").name == "gpt-4o"
        assert models.resolve("openrouter/vendor/mine") == mine

    def test_a_later_file_replaces_a_model(self, tmp_path: Path) -> None:
        first = "models:\n  GPT-4o: {provider: openai, api_id: one, aliases: [gpt4o]}\n"
        models = registry(tmp_path, first, first.replace("one", "two"))
        assert models.resolve("gpt4o").api_id == "two"
        assert len(models.names) == len(BUILT_IN.names)

    def test_a_later_file_replaces_a_provider_for_all_its_models(self, tmp_path: Path) -> None:
        models = registry(tmp_path, "providers:\n  local: {api: openai-chat, base_url: 'http://gpu:8000/v1'}\n")
        assert models.resolve("smollm2-135m-instruct").url({}) == "http://gpu:8000/v1"

    def test_a_model_with_its_own_address_is_not_moved_by_the_providers_variable(self, tmp_path: Path) -> None:
        text = "models:\n  mine: {provider: openai, api_id: x, base_url: 'https://vllm/v1', key_env: VLLM_KEY}\n"
        mine = registry(tmp_path, text).resolve("mine")
        assert mine.url({"OPENAI_BASE_URL": "https://other"}) == "https://vllm/v1"
        assert mine.missing_key({"OPENAI_API_KEY": "k"}) == "VLLM_KEY"

    def test_what_a_model_says_adds_to_its_provider_and_api(self, tmp_path: Path) -> None:
        text = """
providers:
  p: {api: openai-chat, base_url: https://p, parameters: {a: 1, b: 1}, unsupported: [c], rename: {d: provider_d, e: e2}}
models:
  chat: {provider: p, api_id: x, parameters: {b: 2}, unsupported: [f], rename: {d: model_d}}
  other: {provider: p, api_id: y, api: openai-responses}
"""
        models = registry(tmp_path, text)
        chat, other = models.resolve("chat"), models.resolve("other")
        assert chat.parameters == {"a": 1, "b": 2}
        assert chat.unsupported == {"c", "f"}
        assert chat.rename == {"d": "model_d", "e": "e2"}
        assert other.rename == {"max_tokens": "max_output_tokens"}
        assert {"c", "seed"} <= other.unsupported

    def test_what_a_model_takes_is_its_own_word_or_its_providers_or_unknown(self, tmp_path: Path) -> None:
        text = """
providers:
  p: {api: openai-chat, base_url: https://p, inputs: [image], media: {image: {max_edge: 500, max_count: 9}}}
models:
  seeing: {provider: p, api_id: x, media: {image: {max_edge: 300}}}
  hearing: {provider: p, api_id: y, inputs: [audio]}
  reading: {provider: p, api_id: z, inputs: []}
  free: {provider: openrouter, api_id: vendor/free}
"""
        models = registry(tmp_path, text)
        assert models.resolve("p/other").lacks({"image", "video", "audio"}) == ["audio"]
        assert models.resolve("seeing").lacks({"image", "video", "audio"}) == ["audio"]
        assert models.resolve("hearing").lacks({"image", "video", "audio"}) == ["image", "video"]
        assert models.resolve("reading").lacks({"image", "video", "audio"}) == ["audio", "image", "video"]
        assert models.resolve("free").lacks({"image", "video", "audio"}) == []
        image = models.resolve("seeing").media.image
        # Its own, its provider's, and that of the api, in this order.
        assert image is not None
        assert (image.max_edge, image.max_count, image.max_bytes) == (300, 9, 20_000_000)

    def test_limits_are_read(self, tmp_path: Path) -> None:
        text = "models:\n  m: {provider: local, api_id: m, limits: {requests_per_minute: 60}}\n"
        limits = registry(tmp_path, text).resolve("m").limits
        assert (limits.requests_per_minute, limits.tokens_per_minute) == (60, None)

    def test_several_models_may_share_an_api_id(self, tmp_path: Path) -> None:
        models = registry(tmp_path, "models:\n  hot: {provider: openai, api_id: o3, parameters: {x: 1}}\n")
        assert models.resolve("hot").parameters == {"x": 1}
        assert models.resolve("openai/o3").name == "o3"

    @pytest.mark.parametrize("text", ["", "# nothing\n", "models:\n", "models: {}\n"])
    def test_an_empty_file_changes_nothing(self, tmp_path: Path, text: str) -> None:
        assert registry(tmp_path, text).names == BUILT_IN.names

    def test_the_file_that_ships_may_be_named_again(self) -> None:
        assert Registry.load(ROOT / "models.yaml").names == BUILT_IN.names


def entry(line: str) -> str:
    """A file whose seventh line is *line*, inside model ``mine``."""
    return f"# comment\n\nmodels:\n  mine:\n    provider: openai\n    api_id: x\n    {line}\n"


MISTAKES = [
    # text, line, field path, words of the message
    ("modells: {}\n", 1, "modells", "did you mean 'models'?"),
    ("- a\n", 1, None, "expected a mapping"),
    ("models: [a]\n", 1, "models", "expected a mapping"),
    ("\nmodels:\n  m: {\n", 4, None, "invalid YAML"),
    ("models:\n\tm: 1\n", 2, None, "invalid YAML"),
    ("models: &a {}\nproviders: *b\n", 2, None, "invalid YAML"),
    ("models: !!python/object:os.system {}\n", 1, "models", "not allowed"),
    ("models: !x y\n", 1, None, "invalid YAML"),
    ("a: 1\n---\nb: 2\n", 2, None, "invalid YAML"),
    ("models:\n  m: {provider: local, api_id: a}\n  m: {provider: local, api_id: b}\n", 3, "models.m", "given before"),
    ("models:\n  m: {provider: local, api_id: a}\n  M: {provider: local, api_id: b}\n", 3, "models.M", "as 'm'"),
    ("models:\n  1: {provider: local, api_id: a}\n", 2, "models", "must be text"),
    ("models:\n  a b: {provider: local, api_id: a}\n", 2, "models.a b", "no name"),
    ("models:\n  a/b: {provider: local, api_id: a}\n", 2, "models.a/b", "no name"),
    (
        "models:\n  ok: {provider: local, api_id: a}\n  Oracle: {provider: local, api_id: a}\n",
        3,
        "models.Oracle",
        "built in",
    ),
    ("models:\n  mine:\n", 2, "models.mine", "'provider' is missing"),
    ("models:\n  mine:\n    provider: local\n", 2, "models.mine", "'api_id' is missing"),
    ("models:\n  mine: text\n", 2, "models.mine", "expected a mapping"),
    ("models:\n  mine:\n    provider: opnai\n    api_id: x\n", 3, "models.mine.provider", "did you mean 'openai'?"),
    ("models:\n  mine:\n    provider: zzz\n    api_id: x\n", 3, "models.mine.provider", "known providers: openai"),
    ("models:\n  mine:\n    provider: local\n    api_id: 4\n", 4, "models.mine.api_id", "put it in quotes"),
    ("models:\n  mine:\n    provider: local\n    api_id: 2024-07-18\n", 4, "models.mine.api_id", "expected text"),
    ("models:\n  mine:\n    provider: local\n    api_id: ''\n", 4, "models.mine.api_id", "empty"),
    ("models:\n  mine:\n    provider: local\n    api_id: a b\n", 4, "models.mine.api_id", "blanks"),
    (entry("windw: 5"), 7, "models.mine.windw", "did you mean 'window'?"),
    (entry("key: sk-secret"), 7, "models.mine.key", "unknown key"),
    (entry("key_env: sk-secret"), 7, "models.mine.key_env", "not the name of an environment variable"),
    (entry("base_url: sk-secret.example"), 7, "models.mine.base_url", "not an address"),
    (entry("window: big"), 7, "models.mine.window", "whole number"),
    (entry("window: 0"), 7, "models.mine.window", "whole number"),
    (entry("window: true"), 7, "models.mine.window", "whole number"),
    (entry("api: openai-chatt"), 7, "models.mine.api", "did you mean 'openai-chat'?"),
    (entry("aliases: one"), 7, "models.mine.aliases", "expected a list"),
    (entry("aliases:\n      - ok\n      - 3"), 9, "models.mine.aliases[1]", "expected text"),
    (entry("aliases:\n      - ok\n      - GPT4o"), 9, "models.mine.aliases[1]", "model 'gpt-4o' has this name already"),
    ("models:\n  gpt4o: {provider: local, api_id: x}\n", 2, "models.gpt4o", "model 'gpt-4o' has this alias already"),
    (entry("aliases: [chance]"), 7, "models.mine.aliases[0]", "built in"),
    (entry("price: 3"), 7, "models.mine.price", "expected a mapping"),
    (entry("price: {input: 1}"), 7, "models.mine.price", "'output' is missing"),
    (entry("price:\n      input: 1\n      output: -1"), 9, "models.mine.price.output", "not negative"),
    (entry("price:\n      input: .nan\n      output: 1"), 8, "models.mine.price.input", "not negative"),
    (entry("price:\n      input: .inf\n      output: 1"), 8, "models.mine.price.input", "not negative"),
    (entry("price:\n      input: 1\n      outptu: 1"), 9, "models.mine.price.outptu", "did you mean 'output'?"),
    (entry("limits: {requests: 1}"), 7, "models.mine.limits.requests", "known keys: requests_per_minute"),
    (entry("limits: {requests_per_minute: 1.5}"), 7, "models.mine.limits.requests_per_minute", "whole number"),
    (entry("unsupported: temperature"), 7, "models.mine.unsupported", "expected a list"),
    (entry("unsupported: [temperature, 1]"), 7, "models.mine.unsupported[1]", "expected text"),
    (entry("rename: {a: 1}"), 7, "models.mine.rename.a", "expected text"),
    (entry("rename: {a: model}"), 7, "models.mine.rename.a", "not a parameter"),
    (entry("parameters: [a]"), 7, "models.mine.parameters", "expected a mapping"),
    (entry("parameters: {stream: true}"), 7, "models.mine.parameters.stream", "not a parameter"),
    (entry("parameters: {a: 2024-07-18}"), 7, "models.mine.parameters.a", "JSON value"),
    (entry("parameters: {a: [.inf]}"), 7, "models.mine.parameters.a[0]", "finite"),
    (entry("parameters: {a: 1}\n    unsupported: [a]"), 7, "models.mine.parameters.a", "listed as unsupported"),
    (entry("required: {a: 1}"), 7, "models.mine.required", "unknown key"),
    ("providers:\n  p: {api: openai-chat}\n", 2, "providers.p", "'base_url' is missing"),
    ("families:\n  f: {effort: {levels: [low]}}\n", 2, "families.f", "'models' is missing"),
    ("families:\n  f: {models: [x], effort: {levels: [hihg]}}\n", 2, "families.f.effort.levels[0]", "'high'"),
    ("families:\n  f: {models: [x], api: soap}\n", 2, "families.f.api", "unknown api"),
    (entry("lifecycle: {shutdown: soon}"), 7, "models.mine.lifecycle.shutdown", "expected a date"),
    (entry("lifecycle: {shut: 2026-12-01}"), 7, "models.mine.lifecycle.shut", "did you mean 'shutdown'?"),
    (entry("effort: {special: {ultra: {x: 1}}}"), 7, "models.mine.effort.special.ultra", "unknown level"),
    ("providers:\n  p: {api: x, base_url: 'http://x'}\n", 2, "providers.p.api", "one of openai-chat"),
    ("providers:\n  p/q: {api: x, base_url: 'http://x'}\n", 2, "providers.p/q", "no name"),
    (
        "providers:\n  p:\n    api: openai-chat\n    base_url: http://x\n    batch_discount: 50\n",
        5,
        "providers.p.batch_discount",
        "0 to 1",
    ),
    (entry("inputs: image"), 7, "models.mine.inputs", "expected a list"),
    (entry("inputs: [imgae]"), 7, "models.mine.inputs[0]", "did you mean 'image'?"),
    (entry("inputs: [video]"), 7, "models.mine.inputs[0]", "one of image, audio"),
    (entry("outputs: [image]"), 7, "models.mine.outputs", "unknown key"),
    (entry("parameters: {frames: 8}"), 7, "models.mine.parameters.frames", "it says how media are shown"),
    (entry("media:\n      image: {max_edge: 0}"), 8, "models.mine.media.image.max_edge", "whole number above 0"),
    (
        entry("media:\n      image:\n        max_egde: 9"),
        9,
        "models.mine.media.image.max_egde",
        "did you mean 'max_edge'?",
    ),
    (entry("media:\n      image: {types: [heic]}"), 8, "models.mine.media.image.types[0]", "one of png, jpeg"),
    (entry("media:\n      audio: {types: []}"), 8, "models.mine.media.audio.types", "at least one"),
    (entry("media:\n      video: {strategy: first}"), 8, "models.mine.media.video.strategy", "one of uniform"),
    (entry("media:\n      smell: {}"), 8, "models.mine.media.smell", "known keys: image, video, audio"),
    (entry("api: anthropic-messages\n    inputs: [audio]"), 8, "models.mine.inputs", "takes no audio"),
    (entry("api: openai-responses\n    media:\n      audio: {}"), 9, "models.mine.media.audio", "takes no audio"),
    (
        "apis:\n  openai-chat:\n    media: {image: {max_edge: 5}}\n",
        3,
        "apis.openai-chat.media.image",
        "'max_bytes' is missing",
    ),
    ("apis:\n  openai-images: {outputs: [audio]}\n", 2, "apis.openai-images.outputs[0]", "one of image"),
    ("apis:\n  openai: {}\n", 2, "apis.openai", "did you mean 'openai-chat'?"),
    ("apis:\n  openai-chat: {parameters: {}}\n", 2, "apis.openai-chat.parameters", "unknown key"),
]


@pytest.mark.parametrize(("text", "line", "field", "words"), MISTAKES, ids=lambda value: repr(value)[-40:])
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, field: str | None, words: str) -> None:
    with pytest.raises(DataError) as caught:
        registry(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'models0.yaml'}:{line}: ")
    assert words in message
    if field is not None:
        assert f"field {field!r}: " in message
    assert "secret" not in message


def test_a_mistake_in_the_second_file_names_the_second_file(tmp_path: Path) -> None:
    fine = "models:\n  m: {provider: local, api_id: x, aliases: [n]}\n"
    with pytest.raises(DataError, match=r"models1\.yaml:2: .*model 'm' has this name already"):
        registry(tmp_path, fine, fine.replace("m:", "other:"))


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"models:\n  m: \xff\n", ":2: .*UTF-8"), (b"a: 2025-02-30\n", "invalid YAML"), (b"a: \0", ":1: ")],
)
def test_a_file_that_is_no_text_is_a_data_error(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "models.yaml"
    file.write_bytes(content)
    with pytest.raises(DataError, match=words):
        Registry.load(file)


def test_a_missing_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        Registry.load(tmp_path / "none.yaml")
