"""The registry that ships, what names mean, and what a model makes of a question and of its answer's tokens."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor._base.errors import UsageError
from proctor.models.registry import RESERVED_NAMES, Model, Registry
from proctor.tasks.call import Usage

BUILT_IN = Registry.load()


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
