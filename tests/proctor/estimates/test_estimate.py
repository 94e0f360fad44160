"""--estimate: what a run would take, without a call."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from capitals import CAPITALS, Project, answers
from judged_project import COUNTRIES, judged
from scipy import stats
from stub_server import Answer, Request

__all__ = ["judged"]


def table(result: pytest.RunResult) -> dict[tuple[str, ...], dict[str, str]]:
    """The printed table: ``{(task, model): {column: cell}}``; the last line under ``("total",)``."""
    lines = result.outlines
    first = next(n for n, line in enumerate(lines) if line.startswith("task ") and "to pay" in line)
    columns = [cell.strip() for cell in lines[first].split("  ") if cell.strip()][2:]
    rows = {}
    for line in lines[first + 1 : lines.index("", first)]:
        cells = line.split()
        rows[tuple(cells[: -len(columns)])] = dict(zip(columns, cells[-len(columns) :], strict=True))
    return rows


def estimated(project: Project, *args: str, model: str = "gpt-4o-mini") -> dict[str, str]:
    result = project.run("--estimate", *args, model=model)
    assert result.ret == 0
    return table(result)["geo/capitals", model]


def test_nothing_is_called_or_written_and_no_key_is_needed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    result = project.run("--estimate")
    assert result.ret == 0
    assert project.server.count == 0
    assert not (project.path / "reports").exists()
    assert not (project.path / "cassettes").exists()
    result.stdout.fnmatch_lines(["*5 requests: the filled prompt's length at 3.50 characters per token (assumed)*"])


def test_without_recordings_tokens_are_approximated(project: Project) -> None:
    # Prompts of 31, 30, 29, 30, 29 characters: 9 tokens each. 45 × $0.15/M + 500 × $0.60/M = $0.00030675
    assert estimated(project) == {
        "cases": "5",
        "requests": "5",
        "input tokens": "45",
        "output tokens": "500",
        "cost": "$0.000307",
        "cached input": "$0.000307",
        "batch": "$0.000153",
        "recorded": "0",
        "to pay": "$0.000307",
    }


def test_an_answer_is_no_longer_than_max_tokens(project: Project) -> None:
    assert estimated(project, "--max-tokens", "20")["output tokens"] == "100"


def test_recorded_usage_counts_and_informs_the_rest(project: Project) -> None:
    project.server.script = lambda r: Answer(answers(r), tokens=(610, 0, 40, 0))
    project.record("-k", "France or Japan")
    # 61 characters took 1,220 tokens: 0.05 a token, so 29 + 30 + 29 characters take 580 + 600 + 580.
    found = estimated(project)
    assert (found["input tokens"], found["output tokens"], found["recorded"]) == ("2,980", "200", "2")
    assert found["cost"] == "$0.000567"  # 2,980 × 0.15 + 200 × 0.60 = 447 + 120
    assert found["to pay"] == "$0.000336"  # 1,760 × 0.15 + 120 × 0.60 = 264 + 72


def test_what_is_recorded_costs_nothing_to_replay_but_to_record_again(project: Project) -> None:
    project.record()
    assert estimated(project)["to pay"] == "$0.00"
    again = estimated(project, "--record-mode", "all")
    assert (again["recorded"], again["to pay"]) == ("0", again["cost"])
    assert project.server.count == 5


def test_a_changed_prompt_is_to_be_paid_again_and_the_estimate_says_so(project: Project) -> None:
    project.record()
    project.prompt.write_text("Name the capital of {country}.\n")
    result = project.run("--estimate")
    assert table(result)["geo/capitals", "gpt-4o-mini"]["recorded"] == "0"
    result.stdout.fnmatch_lines(["*but: 5 of the requests to send have a recording of another call*"])


def test_other_models_recordings_tell_how_long_answers_are(project: Project) -> None:
    project.server.script = lambda r: Answer(answers(r), tokens=(100, 0, 30, 0))
    project.record()
    result = project.run("--estimate", model="gpt-4o")
    assert table(result)["geo/capitals", "gpt-4o"]["output tokens"] == "150"
    result.stdout.fnmatch_lines(["*30 tokens each (mean of 5 recordings of other models*"])


@pytest.mark.parametrize(
    ("length", "tokens", "cost", "cached"),
    [
        # France: 7,006 characters, 2,002 tokens; Japan 2,002, of which 2,000 repeat: 15 blocks of 128 at half price.
        (7000, "4,004", "$0.000721", "$0.000577"),
        # 1,002 tokens a prompt: too short for the cache.
        (3500, "2,004", "$0.000421", "$0.000421"),
    ],
)
def test_a_repeated_beginning_is_cached_input(
    project: Project, length: int, tokens: str, cost: str, cached: str
) -> None:
    project.prompt.write_text("x" * length + "{country}")
    found = estimated(project, "--limit", "2")
    assert (found["input tokens"], found["cost"], found["cached input"]) == (tokens, cost, cached)


def test_an_unknown_price_is_unknown_and_so_is_the_total(project: Project) -> None:
    result = project.run("--estimate", "--model", "openrouter/nobody/knows")
    rows = table(result)
    unknown = rows["geo/capitals", "openrouter/nobody/knows"]
    assert [unknown[c] for c in ("cost", "cached input", "batch", "to pay")] == ["unknown"] * 4
    assert rows["total",]["cost"] == "unknown"
    assert rows["total",]["input tokens"] == "90"
    result.stdout.fnmatch_lines(["No price is known for openrouter/nobody/knows*together: $0.000307."])


def test_a_model_without_discounts_counts_in_full_in_the_totals(project: Project) -> None:
    (project.path / "models.yaml").write_text(
        "models:\n  plain:\n    provider: openrouter\n    api_id: plain\n    price: {input: 10, output: 100}\n"
    )
    rows = table(project.run("--estimate", "--model", "plain"))
    plain = rows["geo/capitals", "plain"]
    assert (plain["cost"], plain["cached input"], plain["batch"]) == ("$0.0505", "–", "–")  # 450 + 50,000 dollars / M
    assert rows["total",]["batch"] == "$0.0506"  # 0.05045 + 0.000153375


def test_models_selection_epochs_and_workers(project: Project) -> None:
    result = project.run_apart("--estimate", "--model", "gpt-4o", "-k", "america", "--epochs", "2", "-n", "2")
    rows = table(result)
    assert result.ret == 0
    assert [row["requests"] for row in rows.values()] == ["4", "4", "8"]  # Peru and Cuba
    assert str(result.stdout).count("to pay  ") + str(result.stdout).count("to pay\n") == 1
    assert rows["total",]["cost"] == "$0.004335"  # 36 × (2.50 + 0.15) + 400 × (10 + 0.60), per million


def test_builtin_models_cost_nothing(project: Project) -> None:
    found = estimated(project, model="oracle")
    assert (found["cases"], found["requests"], found["to pay"]) == ("5", "0", "$0.00")


def test_provided_answers_are_not_asked_for_but_what_judges_are_told_of_them_is(judged: Project) -> None:
    answers = judged.path / "answers/someone/capitals.jsonl"
    answers.parent.mkdir(parents=True)
    said = [{"sample_id": country, "response": CAPITALS[country]} for country in COUNTRIES[:4]]  # of five
    answers.write_text("".join(json.dumps(line) + "\n" for line in said))
    result = judged.run("--estimate", "--responses", "answers", model=None)
    assert result.ret == 0
    assert judged.server.count == 0
    found = table(result)
    assert (found["geo/capitals", "someone"]["requests"], found["geo/capitals", "someone"]["to pay"]) == ("0", "$0.00")
    assert found["geo/capitals", "(judge)", "o4-mini"]["requests"] == "8"
    assert "    4 answers are provided, and not asked for" in result.outlines


def converse(project: Project, body: str) -> None:
    """Let the task hold this conversation."""
    project.benchmark(converse=dedent(body))


def test_calls_after_an_unknown_answer_are_counted_as_guesses(project: Project) -> None:
    converse(
        project,
        '    first = ask("capitals", country=sample.fields["country"])\n'
        '    ask("capitals", country=first.text, role="judge")\n'
        "    return first\n",
    )
    project.server.script = "[Paris]"
    result = project.run("--estimate")
    assert table(result)["geo/capitals", "gpt-4o-mini"]["requests"] == "10"
    result.stdout.fnmatch_lines(["*but: 5 requests depend on answers that are not known*"])
    project.record("-k", "France")
    again = project.run("--estimate")
    again.stdout.fnmatch_lines(["*but: 4 requests depend on*"])
    assert table(again)["geo/capitals", "gpt-4o-mini"]["recorded"] == "2"


@pytest.mark.parametrize(
    ("body", "requests"),
    [
        ("    return ask('capitals', country=ask('capitals', country='x').text.split()[0])\n", "5"),
        (
            "    while True:\n"
            "        try:\n"
            "            int(ask('capitals', country='x').text)\n"
            "        except Exception:\n"
            "            pass\n",
            "500",
        ),
        (
            "    while True:\n"
            "        try:\n"
            "            ask('rivers', country='x')\n"
            "        except Exception:\n"
            "            pass\n",
            "0",
        ),
    ],
)
def test_conversations_that_fail_or_never_end_on_empty_answers(project: Project, body: str, requests: str) -> None:
    converse(project, body)
    result = project.run("--estimate")
    assert table(result)["geo/capitals", "gpt-4o-mini"]["requests"] == requests
    result.stdout.fnmatch_lines(["*but: 5 conversations do not get past an empty answer*"])


def test_mistakes_are_said_as_in_a_run(project: Project) -> None:
    assert project.run("--estimate", model="gpt-4o-maxi").ret == 4
    result = project.run("--estimate", "--dataset", "geo/rivers=x.jsonl")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--dataset geo/rivers: no collected test runs that task*"])
    project.prompt.write_text("What?\n")
    assert project.run("--estimate").ret == 4


def test_a_baseline_tells_what_could_be_shown_against_it_and_for_how_much(project: Project) -> None:
    """Two epochs of five samples, all of a cluster of their own: 1 1, 1 0, 0 0, 0 1 and 1 1."""
    right = {"France": 2, "Japan": 1, "Peru": 0, "Kenya": 1, "Cuba": 2}
    asked: dict[str, int] = dict.fromkeys(right, 0)

    def script(request: Request) -> str:
        country = next(name for name in right if name in request.question)
        asked[country] += 1
        return answers(request) if asked[country] <= right[country] else "[Rome]"

    project.server.script = script
    assert project.record("--epochs", "2").ret == 0
    result = project.run("--estimate", "--baseline", str(project.folders[-1]), "--model", "gpt-4o", model=None)
    assert result.ret == 0
    # The variance within the samples is 0.5 in two of five: 0.2. Means 1, 0.5, 0, 0.5, 1: their variance is 0.175, that
    # of their mean 0.035, of which 0.2 / 2 / 5 = 0.02 is chance.
    quantiles = stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)
    for epochs in (1, 2, 4):
        linked = quantiles * (0.2 / epochs / 5 + 0.02) ** 0.5
        unlinked = quantiles * (2 * 0.015 + 0.2 / epochs / 5 + 0.02) ** 0.5
        shown = f"{linked:.4f}    {unlinked:.4f}"
        for name in ("geo/capitals  gpt-4o", "mean                "):
            of_name = [line for line in result.outlines if line.startswith(name) and f"  {5 * epochs}  " in line]
            assert any(line.endswith(shown) for line in of_name), (epochs, shown)
    result.stdout.fnmatch_lines(["*variance within a sample 0.2000, of the mean between 5 samples 0.015000"])
    prices = [line.split()[4] for line in result.outlines if line.startswith("geo/capitals  gpt-4o ")][-3:]
    dollars = [float(price.removeprefix("$")) for price in prices]
    assert dollars[1:] == pytest.approx([2 * dollars[0], 4 * dollars[0]], rel=1e-2)


def test_a_baseline_of_one_epoch_does_not_tell_chance_from_samples(project: Project) -> None:
    assert project.record().ret == 0
    result = project.run("--estimate", "--baseline", str(project.folders[-1]))
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*the baseline asked its 5 samples once, which does not tell chance*--epochs 2 or more."]
    )
    (two,) = [line for line in result.outlines if line.startswith("geo/capitals  gpt-4o-mini       2")]
    assert two.split()[-2:] == ["–", "–"]


def test_an_estimate_says_if_there_is_no_such_baseline(project: Project) -> None:
    result = project.run("--estimate", "--baseline", "nowhere")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *no run 'nowhere'*"])
