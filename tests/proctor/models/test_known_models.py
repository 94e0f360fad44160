"""The models that come with Proctor: what its registry says of each, and what it sends them."""

from __future__ import annotations

from datetime import date

import pytest

from proctor._base.json_values import Json
from proctor.models.registry import Price, Registry
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
