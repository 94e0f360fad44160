"""The registry that ships, what names mean, and what a model makes of a question and of its answer's tokens."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor._base.errors import UsageError
from proctor._base.json_values import Json
from proctor.models.registry import RESERVED_NAMES, Model, Price, Registry
from proctor.tasks.call import Usage

BUILT_IN = Registry.load()

# The models of the seed: name, API id, window, input, output and cached input in dollars a million tokens. Where part
# 10 of it is out of date, what the provider said in 2026: windows of gpt-4.1, gpt-5 and o1, prices of o3 and o4-mini.
OPENAI_MODELS = [
    ("gpt-4o", "gpt-4o-2024-08-06", 128_000, 2.50, 10.00, 1.25),
    ("gpt-4o-mini", "gpt-4o-mini-2024-07-18", 128_000, 0.15, 0.60, 0.075),
    ("gpt-4.1", "gpt-4.1", 1_047_576, 2.00, 8.00, 0.50),
    ("gpt-4.1-mini", "gpt-4.1-mini", 1_047_576, 0.40, 1.60, 0.10),
    ("gpt-4.1-nano", "gpt-4.1-nano", 1_047_576, 0.10, 0.40, 0.025),
    ("gpt-5", "gpt-5", 400_000, 1.25, 10.00, 0.125),
    ("gpt-5.1", "gpt-5.1-2025-11-13", 400_000, 1.25, 10.00, 0.125),
    ("gpt-5-mini", "gpt-5-mini", 400_000, 0.25, 2.00, 0.025),
    ("gpt-5-nano", "gpt-5-nano", 400_000, 0.05, 0.40, 0.005),
    ("gpt-5-pro", "gpt-5-pro", 400_000, 15.00, 120.00, None),
    ("o1", "o1", 200_000, 15.00, 60.00, 7.50),
    ("o1-pro", "o1-pro", 200_000, 150.00, 600.00, None),
    ("o3", "o3", 200_000, 2.00, 8.00, 0.50),
    ("o3-mini", "o3-mini", 200_000, 1.10, 4.40, 0.55),
    ("o4-mini", "o4-mini", 200_000, 1.10, 4.40, 0.275),
]
ANTHROPIC_MODELS = [
    ("claude-3-5-sonnet", "claude-3-5-sonnet-20241022", 200_000, 3.00, 15.00),
    ("claude-3-5-haiku", "claude-3-5-haiku-20241022", 200_000, 0.80, 4.00),
]
OPENROUTER_IDS = [
    "meta-llama/llama-3.3-70b-instruct",
    "qwen/qwen-2.5-72b-instruct",
    "qwen/qwen-2.5-7b-instruct",
    "deepseek/deepseek-chat",
    "mistralai/mixtral-8x22b-instruct",
    "mistralai/mistral-large-2411",
    "mistralai/mistral-7b-instruct",
    "google/gemini-3-pro-preview",
    "anthropic/claude-sonnet-4.5",
]
OTHER_OPENAI_MODELS = ["gpt-audio", "gpt-4o-audio-preview", "gpt-image-1", "gpt-3.5-turbo"]
LOCAL_MODELS = ["qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct", "smollm2-135m-instruct"]


class TestBuiltIn:
    @pytest.mark.parametrize(("name", "api_id", "window", "read", "written", "cached"), OPENAI_MODELS)
    def test_openai(
        self, name: str, api_id: str, window: int, read: float, written: float, cached: float | None
    ) -> None:
        model = BUILT_IN.resolve(name)
        assert (model.name, model.provider, model.api_id, model.window) == (name, "openai", api_id, window)
        assert model.price == Price(read, written, cached)
        assert model.batch_discount == 0.5

    @pytest.mark.parametrize(("name", "api_id", "window", "read", "written"), ANTHROPIC_MODELS)
    def test_anthropic(self, name: str, api_id: str, window: int, read: float, written: float) -> None:
        model = BUILT_IN.resolve(name)
        assert (model.provider, model.api, model.api_id) == ("anthropic", "anthropic-messages", api_id)
        assert (model.window, model.price) == (window, Price(read, written))

    @pytest.mark.parametrize("api_id", OPENROUTER_IDS)
    def test_openrouter(self, api_id: str) -> None:
        model = BUILT_IN.resolve(api_id)
        assert (model.provider, model.name, model.price) == ("openrouter", api_id.partition("/")[2], None)

    @pytest.mark.parametrize("name", LOCAL_MODELS)
    def test_local(self, name: str) -> None:
        model = BUILT_IN.resolve(name)
        assert (model.provider, model.key_env, model.window) == ("local", None, 8192)
        assert model.parameters == {"seed": 42, "max_tokens": 512}
        assert model.cost(Usage(10_000, 100)) == 0

    def test_what_it_says_is_told_from_what_nobody_confirmed(self) -> None:
        """Every end of a model says where it was read; a replacement is a model that has a name here, and no end."""
        ends = [model for model in BUILT_IN.models if model.lifecycle.shutdown]
        shut_down = {model.name for model in ends if (model.lifecycle.days_left(date(2026, 11, 22)) or 0) <= 0}
        assert (len(ends), len(shut_down)) == (24 + 2, 11)  # of the registry of 2025, and two of today's
        assert {"o4-mini", "gpt-3.5-turbo", "gemini-3-pro-preview"} <= shut_down  # judges that papers prescribe
        for model in ends:
            assert (model.lifecycle.source or "").startswith("https://")
            if model.lifecycle.replacement:
                assert BUILT_IN.resolve(model.lifecycle.replacement).lifecycle.shutdown is None
        doubtful = {model.name for model in BUILT_IN.models if model.unverified}
        assert {"gpt-4o-audio-preview", "mistral-7b-instruct", "gpt-6.2-astra", "glm-5.3"} <= doubtful
        assert not {"gpt-4o-mini", "gpt-6-luna", "claude-opus-5-5", "o4-mini"} & doubtful

    def test_what_media_they_take_and_make(self) -> None:
        able = {
            kind: {model.name for model in BUILT_IN.models if not model.lacks([kind]) and not model.outputs}
            for kind in ("image", "video", "audio")
        }
        assert {"gpt-4o", "gpt-4.1-nano", "gpt-5-pro", "o1", "o4-mini", "claude-3-5-haiku"} <= able["image"]
        assert able["image"] == able["video"]
        hearing = {model.name for model in BUILT_IN.models if "audio" in (model.inputs or ())}
        assert {"gpt-audio", "gpt-4o-audio-preview", "gemini-3-pro-preview", "gemini-4-argon"} <= hearing
        assert able["audio"] - hearing <= {model.name for model in BUILT_IN.models if model.inputs is None}
        assert not {"o3-mini", "gpt-3.5-turbo", *LOCAL_MODELS} & (able["image"] | able["audio"])
        drawing = {model.name for model in BUILT_IN.models if model.outputs}
        assert drawing == {"gpt-image-1", "gpt-image-2.6-sunburst", "gpt-image-2.6-flare"}
        assert BUILT_IN.resolve("gpt-image-1").batch_discount is None

    @pytest.mark.parametrize("name", ["o1-pro", "gpt-5-pro"])
    def test_two_models_speak_responses_only(self, name: str) -> None:
        assert BUILT_IN.resolve(name).api == "openai-responses"

    @pytest.mark.parametrize(
        ("name", "refused"),
        [
            ("gpt-4o-mini", ""),
            ("gpt-4.1", ""),
            ("o1", "temperature top_p"),
            ("gpt-5-nano", "temperature top_p stop"),
            ("gpt-5.1", "stop"),  # it does not think unless it is asked to
            ("gpt-6-luna", "temperature top_p stop"),
            ("gpt-6.1-sol", "temperature top_p stop"),
            ("claude-3-5-haiku", ""),
            ("claude-haiku-4-5", ""),
            ("claude-opus-4-7", "temperature top_p"),
            ("claude-haiku-5-5", "temperature top_p"),
            ("kimi-k3", "temperature top_p"),
            ("grok-4.7", "stop"),
            ("deepseek-flash", ""),  # which ignores it
            ("llama-3.3-70b-instruct", ""),
            # without an entry, by family
            ("openai/gpt-6.9-new", "temperature top_p stop"),
            ("azure/gpt-6-luna", "temperature top_p stop"),
            ("openrouter/anthropic/claude-opus-5.5:batch", "temperature top_p"),
            ("local/nobody-knows-it", ""),
        ],
    )
    def test_what_a_task_wants_and_the_model_refuses_is_left_out(self, name: str, refused: str) -> None:
        wanted: dict[str, Json] = {"temperature": 0, "top_p": 1, "stop": ["x"], "max_tokens": 9}
        sent = BUILT_IN.resolve(name).call([], wanted, {}).parameters
        assert set(wanted) - set(sent) == set(refused.split())

    @pytest.mark.parametrize(
        ("name", "level", "sent"),
        [
            ("gpt-5", "high", {"reasoning_effort": "high"}),
            ("gpt-5-pro", "high", {"reasoning": {"effort": "high"}}),
            ("gpt-6.1-sol-pro", "max", {"reasoning": {"effort": "max"}}),
            ("openrouter/openai/gpt-6-luna", "none", {"reasoning": {"effort": "none"}}),
            ("openrouter/new/one", "xhigh", {"reasoning": {"effort": "xhigh"}}),
            (
                "claude-opus-5-5",
                "low",
                {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "low"}},
            ),
            ("claude-haiku-5-5", "none", {"thinking": {"type": "disabled"}}),
            ("claude-haiku-4-5", "medium", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
            ("claude-sonnet-4.5", "medium", {"reasoning": {"effort": "medium"}}),  # through OpenRouter
            ("deepseek-flash", "max", {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
            ("deepseek-flash", "none", {"thinking": {"type": "disabled"}}),
            ("glm-5.3", "none", {"thinking": {"type": "disabled"}}),
            ("qwen3.8-max", "high", {"enable_thinking": True}),
            ("gemini-4-argon", "low", {"reasoning_effort": "low"}),
            ("local/qwen3", "low", {"reasoning_effort": "low"}),
        ],
    )
    def test_a_level_of_effort_is_said_in_each_ones_words(self, name: str, level: str, sent: object) -> None:
        assert BUILT_IN.resolve(name).effort.wire(level) == sent

    @pytest.mark.parametrize(
        ("name", "levels"),
        [
            ("gpt-4o", ()),
            ("claude35haiku", ()),
            ("gpt-image-1", ()),
            ("o3", ("low", "medium", "high")),
            ("gpt-6.2-sol", ("low", "medium", "high", "xhigh")),
            ("mistral-large-4", ("none", "high")),
            ("grok-4.7", None),
        ],
    )
    def test_levels_that_are_known(self, name: str, levels: tuple[str, ...] | None) -> None:
        assert BUILT_IN.resolve(name).effort.levels == levels


class TestResolve:
    @pytest.mark.parametrize(
        ("name", "canonical"),
        [
            # the command line of the seed
            ("gpt4o", "gpt-4o"),
            ("gpt4o-mini", "gpt-4o-mini"),
            ("gpt41", "gpt-4.1"),
            ("gpt41-mini", "gpt-4.1-mini"),
            ("gpt41-nano", "gpt-4.1-nano"),
            ("o1", "o1"),
            ("o1-pro", "o1-pro"),
            ("o3", "o3"),
            ("o3-mini", "o3-mini"),
            ("o4-mini", "o4-mini"),
            # its class names
            ("GPT4oMini", "gpt-4o-mini"),
            ("GPT41Nano", "gpt-4.1-nano"),
            ("GPT5", "gpt-5"),
            ("GPT5Pro", "gpt-5-pro"),
            ("O1Pro", "o1-pro"),
            ("O4Mini", "o4-mini"),
            ("Claude35Sonnet", "claude-3-5-sonnet"),
            ("Claude35Haiku", "claude-3-5-haiku"),
            ("MetaLlama", "llama-3.3-70b-instruct"),
            ("Qwen", "qwen-2.5-72b-instruct"),
            ("Qwen7B", "qwen-2.5-7b-instruct"),
            ("DeepSeek", "deepseek-chat"),
            ("MistralMixtral", "mixtral-8x22b-instruct"),
            ("MistralLarge", "mistral-large-2411"),
            ("Mistral7B", "mistral-7b-instruct"),
            # one model under all its names
            ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
            ("openai/gpt-4o-mini", "gpt-4o-mini"),
            ("openai/gpt4o-mini", "gpt-4o-mini"),
            ("OpenAI/GPT-4o-mini-2024-07-18", "gpt-4o-mini"),
            ("openrouter/meta-llama/llama-3.3-70b-instruct", "llama-3.3-70b-instruct"),
            ("local/smollm2-135m-instruct", "smollm2-135m-instruct"),
        ],
    )
    def test_a_name_means(self, name: str, canonical: str) -> None:
        assert BUILT_IN.resolve(name).name == canonical

    def test_any_other_model_of_a_provider_has_its_settings(self) -> None:
        model = BUILT_IN.resolve("openrouter/openai/gpt-4o")
        assert (model.name, model.api_id) == ("openrouter/openai/gpt-4o", "openai/gpt-4o")
        assert (model.key_env, model.price) == ("OPENROUTER_API_KEY", None)
        assert BUILT_IN.resolve("anthropic/claude-new").required == {"max_tokens": 4096}

    def test_an_api_id_keeps_its_case(self) -> None:
        assert BUILT_IN.resolve("Local/Qwen/Qwen3-8B").name == "local/Qwen/Qwen3-8B"

    @pytest.mark.parametrize(
        ("name", "near"),
        [("gpt-4o-mni", "gpt-4o-mini"), ("GPT4-O", "gpt-4o"), ("claude-35-sonnet", "claude-3-5-sonnet")],
    )
    def test_an_unknown_name_suggests_the_nearest(self, name: str, near: str) -> None:
        with pytest.raises(UsageError, match=f"did you mean .*{near}") as caught:
            BUILT_IN.resolve(name)
        assert "provider/api-id" in str(caught.value)
        assert "models.yaml" in str(caught.value)

    @pytest.mark.parametrize(
        "name", ["", "/", "openai", "openai/", "nobody/gpt-4o", "local/two words", "local/a\nb", "zzz"]
    )
    def test_what_names_no_model_is_a_usage_error(self, name: str) -> None:
        with pytest.raises(UsageError, match="unknown model"):
            BUILT_IN.resolve(name)


class TestCall:
    question = ({"role": "user", "content": "?"},)

    def parameters(self, name: str, defaults: Mapping[str, object], overrides: Mapping[str, object]) -> object:
        return BUILT_IN.resolve(name).call(self.question, defaults, overrides).parameters  # type: ignore[arg-type]

    def test_command_line_over_registry_over_task(self) -> None:
        task = {"temperature": 0, "max_tokens": 64, "seed": 1}
        expected = {"temperature": 0.7, "max_tokens": 512, "seed": 42}
        assert self.parameters("smollm2-135m-instruct", task, {"temperature": 0.7}) == expected

    def test_thinking_decides_what_is_refused(self) -> None:
        assert self.parameters("gpt-5.1", {"temperature": 0}, {}) == {"temperature": 0}
        assert self.parameters("gpt-5.1", {"temperature": 0}, {"effort": "high"}) == {"effort": "high"}
        assert self.parameters("gpt-5.1", {"temperature": 0}, {"reasoning_effort": "low"}) == {
            "reasoning_effort": "low"
        }
        assert self.parameters("gpt-6-luna", {"temperature": 0}, {"effort": "none"}) == {
            "temperature": 0,
            "effort": "none",
        }
        with pytest.raises(UsageError, match=r"'temperature' while it thinks\n.*--effort none"):
            self.parameters("gpt-6-luna", {}, {"temperature": 1})

    @pytest.mark.parametrize(
        ("name", "level", "known"),
        [("gpt-6.1-sol", "none", "low, medium, high, xhigh"), ("gpt-4o", "low", "thinks first")],
    )
    def test_an_effort_that_a_model_does_not_know_is_refused(self, name: str, level: str, known: str) -> None:
        with pytest.raises(UsageError, match=rf"effort '{level}'\n.*{known}"):
            self.parameters(name, {}, {"effort": level})
        assert self.parameters(name, {"effort": level}, {}) == {}  # a task's own is left out

    def test_names_stay_neutral(self) -> None:
        assert self.parameters("gpt-4o", {"max_tokens": 64}, {}) == {"max_tokens": 64}

    def test_the_task_asks_for_what_the_model_cannot_do_in_vain(self) -> None:
        assert self.parameters("o3", {"temperature": 0, "max_tokens": 64}, {}) == {"max_tokens": 64}
        assert self.parameters("o1-pro", {"seed": 1, "stop": ["x"]}, {}) == {}

    @pytest.mark.parametrize(
        ("name", "parameter"), [("o3", "temperature"), ("claude35haiku", "seed"), ("o1-pro", "stop")]
    )
    def test_the_command_line_asks_for_it_and_is_told(self, name: str, parameter: str) -> None:
        with pytest.raises(UsageError, match=parameter):
            self.parameters(name, {}, {parameter: 1})

    @pytest.mark.parametrize("parameter", ["model", "messages", "stream", "n", "system"])
    def test_what_the_call_decides_is_no_parameter(self, parameter: str) -> None:
        with pytest.raises(UsageError, match=parameter):
            self.parameters("gpt-4o", {}, {parameter: 2})

    def test_what_an_api_requires_is_the_weakest_wish(self) -> None:
        assert self.parameters("claude35haiku", {}, {}) == {"max_tokens": 4096}
        assert self.parameters("claude35haiku", {"max_tokens": 64}, {}) == {"max_tokens": 64}

    def test_the_call_names_the_dated_model(self) -> None:
        call = BUILT_IN.resolve("gpt4o").call(self.question, {}, {})
        assert (call.model, call.messages) == ("gpt-4o-2024-08-06", self.question)

    def test_every_alias_makes_the_same_call(self) -> None:
        names = ["gpt4o-mini", "gpt-4o-mini", "openai/gpt-4o-mini-2024-07-18"]
        assert len({BUILT_IN.resolve(name).call(self.question, {"temperature": 0}, {}).key for name in names}) == 1


class TestCost:
    def test_of_the_seeds_sgqa_run(self) -> None:
        costs = {
            name: BUILT_IN.resolve(name).cost(Usage(268_366, 5_716))
            for name in ("gpt-4o", "o1-pro", "claude-3-5-haiku")
        }
        assert {name: round(cost or 0, 2) for name, cost in costs.items()} == {
            "gpt-4o": 0.73,
            "o1-pro": 43.68,
            "claude-3-5-haiku": 0.24,
        }

    def test_cached_input_is_cheaper(self) -> None:
        assert BUILT_IN.resolve("gpt-5").cost(Usage(1_000_000, 0, cached_tokens=1_000_000)) == pytest.approx(0.125)
        assert BUILT_IN.resolve("gpt-4o").cost(Usage(2_000_000, 0, cached_tokens=1_000_000)) == pytest.approx(3.75)

    def test_cached_input_without_a_known_discount_counts_in_full(self) -> None:
        assert BUILT_IN.resolve("claude35sonnet").cost(Usage(1_000_000, 0, 1_000_000)) == pytest.approx(3.0)

    def test_reasoning_is_part_of_the_output(self) -> None:
        assert BUILT_IN.resolve("o1").cost(Usage(0, 1_000_000, reasoning_tokens=900_000)) == pytest.approx(60)

    @pytest.mark.parametrize(
        ("name", "usage"),
        [("deepseek", Usage(1, 1)), ("gpt-4o", Usage()), ("gpt-4o", Usage(1)), ("gpt-4o", Usage(None, 1))],
    )
    def test_what_is_unknown_is_not_zero(self, name: str, usage: Usage) -> None:
        assert BUILT_IN.resolve(name).cost(usage) is None


class TestEndpointAndKey:
    def test_a_variable_moves_the_endpoint(self) -> None:
        model = BUILT_IN.resolve("gpt-4o")
        assert model.url({}) == "https://api.openai.com/v1"
        assert model.url({"OPENAI_BASE_URL": ""}) == "https://api.openai.com/v1"
        assert model.url({"OPENAI_BASE_URL": "http://here/v1"}) == "http://here/v1"

    def test_a_variable_that_holds_no_address_is_not_shown(self) -> None:
        with pytest.raises(UsageError, match="OPENAI_BASE_URL") as caught:
            BUILT_IN.resolve("gpt-4o").url({"OPENAI_BASE_URL": "sk-secret"})
        assert "secret" not in str(caught.value)

    def test_a_missing_key_is_named(self) -> None:
        model = BUILT_IN.resolve("claude35haiku")
        assert (model.key({}), model.missing_key({})) == (None, "ANTHROPIC_API_KEY")
        assert (model.key({"ANTHROPIC_API_KEY": " "}), model.key({"ANTHROPIC_API_KEY": "k"})) == (None, "k")

    @pytest.mark.parametrize(
        ("url", "needed"),
        [
            ("http://127.0.0.1:8081/v1", False),
            ("http://127.1.2.3", False),
            ("http://localhost:1", False),
            ("http://[::1]:8080/v1", False),
            ("https://localhost.example.org", True),
            ("http://127.0.0.1.example.org", True),
            ("http://user@example.org:80", True),
        ],
    )
    def test_this_machine_needs_no_key(self, url: str, needed: bool) -> None:
        missing = BUILT_IN.resolve("gpt-4o").missing_key({"OPENAI_BASE_URL": url})
        assert missing == ("OPENAI_API_KEY" if needed else None)

    def test_a_key_that_is_set_is_used_on_this_machine_too(self) -> None:
        environ = {"OPENAI_BASE_URL": "http://localhost", "OPENAI_API_KEY": "k"}
        assert BUILT_IN.resolve("gpt-4o").key(environ) == "k"


class TestFileName:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("gpt-4o-mini", "gpt-4o-mini"),
            ("local/a/b:free", "local~a~b%3Afree"),
            ("local/../../etc", "local~%2E%2E~%2E%2E~etc"),
            ("local/a~b", "local~a%7Eb"),
        ],
    )
    def test_examples(self, name: str, expected: str) -> None:
        assert Model(name=name, provider="", api="", api_id="").file_name == expected

    @given(st.lists(st.text(alphabet="aé./~%:\\\0 -", min_size=1, max_size=6), min_size=2, max_size=2, unique=True))
    def test_is_safe_and_different_for_different_names(self, names: list[str]) -> None:
        files = [Model(name=name, provider="", api="", api_id="").file_name for name in names]
        assert files[0] != files[1]
        for file in files:
            assert not set(file) & set('/\\:\0 "')
            assert ".." not in file
            assert not file.startswith(".")

    def test_a_long_name_fits_a_file_system(self) -> None:
        files = {Model(name="local/" + "x" * 300 + end, provider="", api="", api_id="").file_name for end in "ab"}
        assert len(files) == 2
        assert all(len(file) <= 150 for file in files)


def test_reserved_names_are_those_of_the_models_that_are_built_in() -> None:
    assert {"oracle", "chance", "constant"} == RESERVED_NAMES
