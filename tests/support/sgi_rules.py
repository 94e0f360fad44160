"""SGI-Bench's published rules, each written down once more and on its own: what the official scores are compared with.

Nothing here comes from the project's code, nor is any of it quick or safe with hostile texts.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import combinations, pairwise
from typing import Any

import json_repair

Steps = list[tuple[str, str, dict[str, str]]]


def answer(response: str) -> str:
    """Between the last opening tag and the next closing one; without, all of the response."""
    if response == "" or response.lower() == "none" or response[:7] == "[Error]":
        return "None"
    _before, tag, behind = response.rpartition("<answer>")
    return behind.split("</answer>")[0].strip() if tag and "</answer>" in behind else response


def wet_steps(text: str) -> Steps:
    """``var = <Action>(`` … ``)`` alone on a line; a parameter a line, without its comma and its double quotes."""
    whole = re.compile(
        r"""(?P<made> \w+ ) \s* = \s* < (?P<action> [^>]+ ) > \( \s*
            (?P<inside> (?: . | \n )*? )
            (?= \n \s* \) \s* $ )""",
        re.VERBOSE | re.MULTILINE,
    )
    steps = []
    for found in whole.finditer(text):
        values = {}
        for line in found["inside"].strip().split("\n"):
            if parameter := re.match(r"(\w+)\s*=\s*(.*?)\s*,?\s*$", line.strip()):
                value = parameter[2].strip()
                values[parameter[1]] = value[1:-1] if value[:1] == '"' == value[-1:] else value
        steps.append((found["made"], found["action"].strip(), values))
    return steps


def wet_scores(gold: Steps, predicted: Steps) -> tuple[float, float]:
    """Sequence similarity and parameter accuracy; 0 where nothing was predicted."""
    if not predicted:
        return 0.0, 0.0
    if len(gold) != len(predicted):
        similarity = 0.0
    elif len(gold) <= 1:
        similarity = 1.0
    else:
        inversions = 0
        for i, j in combinations(range(len(gold)), 2):
            a, b, c, d = gold[i][1], gold[j][1], predicted[i][1], predicted[j][1]
            inversions += (a < b and c > d) or (a > b and c < d)
        similarity = 1 - inversions / (len(gold) * (len(gold) - 1) / 2)
    made, own = {step[0] for step in gold}, {step[0] for step in predicted}
    names: dict[str, str] = {}
    wrong = abs(len(gold) - len(predicted))
    for (output, action, values), (other_output, other_action, others) in zip(gold, predicted, strict=False):
        fits = action == other_action and set(values) == set(others)
        for name in values if fits else ():
            if values[name] in made and others[name] in own:
                fits &= names.get(others[name]) == values[name]
            else:
                fits &= values[name] not in made and others[name] not in own
        if fits:
            names[other_output] = output
        wrong += not fits
    return similarity, 1 - wrong / max(len(gold), len(predicted))


def step_level_accuracy(reply: str) -> float | None:
    """The share of steps whose ``judge`` is just ``correct``, in the list from the first to the last bracket."""
    try:
        steps = evaluated(reply[reply.find("[") : reply.rfind("]") + 1])
        return float(sum(step["judge"] == "correct" for step in steps) / len(steps))
    except (LookupError, TypeError, ValueError, SyntaxError, ZeroDivisionError, AttributeError):
        return None


def dry_judgment(reply: str) -> bool | None:
    """Whether ``judgment`` is just ``correct``, in the object from the first to the last brace."""
    try:
        return bool(evaluated(reply[reply.find("{") : reply.rfind("}") + 1])["judgment"] == "correct")
    except (LookupError, TypeError, ValueError, SyntaxError):
        return None


def dry_scores(runs: list[tuple[Any, ...]]) -> dict[str, float] | None:
    """PassAll, SER and AET of five runs, the last only if it counts in the mean; None if a judgment is lost.

    Args:
        runs: Exit code, the limit it was stopped at, seconds, whether the output is the expected one, the judgment.
    """
    passed, codes, runtimes = 0, [], []
    for exit_code, stopped, seconds, same, judgment in runs:
        # a program that was stopped has the error in place of its output, 300 seconds, and -1
        code, runtime, matches = (-1, 300.0, False) if stopped else (exit_code, seconds, same)
        codes.append(code)
        runtimes.append(runtime)
        if matches:
            passed += 1
        elif code == 0:
            if judgment is None:
                return None
            passed += judgment == "correct"
    counted = [runtime for runtime in runtimes if runtime > 0]
    return {
        "PassAll@5": float(passed == 5),
        "PassAll@3": float(passed >= 3),
        "PassAll@1": float(passed >= 1),
        "SER": codes.count(0) / 5,
    } | ({"AET": sum(counted) / len(counted)} if counted else {})


def evaluated(text: str) -> Any:
    """Repaired JSON as Python would evaluate it: a null, true or false is no name that it knows."""
    return ast.literal_eval(re.sub(r"\b(null|true|false|NaN|Infinity)\b(?=[,\]}\s]|$)", "$", mended(text)))


def mended(text: str) -> str:
    repaired = json_repair.repair_json(text)
    assert isinstance(repaired, str)
    return repaired


def votes(reply: str) -> list[str] | None:
    """The winner in each of the five aspects, as told in a line; what is not "Win A" is B."""
    winners = []
    for aspect in ("Effectiveness", "Novelty", "Detailedness", "Feasibility", "Overall"):
        either = r"(win\s*a|win\s*b)"
        for told in (rf"\s*:\s*\[\s*{either}\s*\]", rf"\s*:\s*{either}\s+", rf"[^\n]*?{either}"):
            if found := re.search(f"(?i){aspect}{told}", reply):
                winners.append("A" if found[1].lower() == "win a" else "B")
                break
        else:
            return None
    return winners


def idea_parts(response: str) -> Any:
    """JSON in the first code block, all of the response as JSON, else what patterns find."""
    block = re.search(r"```(?:json)?\s*(.*?)```", response, re.DOTALL)
    for text in ([block[1].strip()] if block else []) + [response]:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            continue
    found: dict[str, Any] = {}
    quoted = {"Idea": (1, "Idea", r"2\.|Implementation"), "ExpectedOutcome": (6, "Expected Outcome", None)}
    for name, (number, title, following) in quoted.items():
        under = rf"{number}\.\s*{title}[:\s-]+(.*?)" + (rf"(?=\n\s*(?:{following}))" if following else r"$")
        if text := searched(response, rf"""["']?{name}["']?\s*:\s*["'](.*?)["']""", under):
            found[name] = text[1].strip()
    under = r"4\.\s*Dataset[:\s-]+(.*?)(?=\n\s*(?:5\.|Evaluation))"
    if text := searched(response, r"""Dataset["']?\s*:\s*["'](.*?)["'](?=\s*,\s*["'])""", under):
        found["Dataset"] = text[1].strip()
    for name, patterns, item in (
        (
            "ImplementationSteps",
            (
                r"""ImplementationSteps["']?\s*:\s*\{(.*?)\}""",
                r"2\.\s*Implementation Steps[:\s-]+(.*?)(?=\n\s*(?:3\.|Implementation Order))",
            ),
            r"""["'](\d+)["']\s*:\s*["'](.*?)["']""",
        ),
        (
            "EvaluationMetrics",
            (
                r"""EvaluationMetrics["']?\s*:\s*\{(.*?)\}(?=\s*,\s*["'])""",
                r"5\.\s*Evaluation Metrics[:\s-]+(.*?)(?=\n\s*(?:6\.|Expected))",
            ),
            r"""["']([^"']+)["']\s*:\s*["'](.*?)["']""",
        ),
        (
            "ImplementationOrder",
            (
                r"""ImplementationOrder["']?\s*:\s*\[(.*?)\]""",
                r"3\.\s*Implementation Order[:\s-]+(.*?)(?=\n\s*(?:4\.|Dataset))",
            ),
            r"""["']([^"']+)["']""",
        ),
    ):
        for pattern in patterns:
            text = searched(response, pattern)
            items = re.findall(item, text[1].strip()) if text else []
            if items and name not in found:
                pairs = name != "ImplementationOrder"
                found[name] = {key.strip(): value.strip() for key, value in items} if pairs else items
    return found


def searched(text: str, *patterns: str) -> re.Match[str] | None:
    return next(filter(None, (re.search(pattern, text, re.DOTALL | re.IGNORECASE) for pattern in patterns)), None)


def feasibility(gold_steps: Any, gold_order: Any, steps: Any, order: Any) -> float:
    """Ten times 0.6 · Jaccard of the edges + 0.4 · Jaccard of the words; the words alone if a side has no edge."""
    if not (gold_steps and gold_order and steps and order):
        return 0.0
    try:
        graphs = [graph(gold_steps, gold_order), graph(steps, order)]
    except (TypeError, AttributeError):
        return 0.0
    (edges, words), (other_edges, other_words) = graphs
    likeness = len(words & other_words) / len(words | other_words) if words and other_words else 0.0
    if not edges or not other_edges:
        return 10 * likeness
    return 10 * (0.6 * len(edges & other_edges) / len(edges | other_edges) + 0.4 * likeness)


def graph(steps: Any, order: Any) -> tuple[set[tuple[str, str]], set[str]]:
    nodes = {str(number): text for number, text in steps.items()}
    edges = set()
    if all(item.isdigit() for item in order):
        chained = sorted(item for item in order if item in nodes)
        edges = set(pairwise(chained))
    else:
        for item in order:
            if "-" in item:
                try:
                    first, second = item.split("-")
                except (ValueError, AttributeError):
                    continue
                if first in nodes and second in nodes:
                    edges.add((first, second))
    if not edges:
        chained = sorted(nodes)
        edges = set(pairwise(chained))
    if not all(isinstance(text, str) for text in nodes.values()):
        return edges, set()
    text = " ".join(nodes.values())
    return edges, set(text.lower().split()) if len(text.strip()) >= 3 else set()


def detailedness(parts: dict[str, Any], sentences_cosine: float | None) -> float | None:
    """0.2 · completeness + 0.4 · (10 − repetition) + 0.4 · (10 − length); None if the idea has no length."""
    idea = parts.get("Idea", "")
    try:
        length = len(idea)
    except TypeError:
        return None
    names = ("Idea", "ImplementationSteps", "ImplementationOrder", "Dataset", "EvaluationMetrics", "ExpectedOutcome")
    there = sum(not (name in parts and parts[name] is None) for name in names)
    excess = length - 700 if length > 700 else 300 - length if 0 < length < 300 else 0
    repetition = 0.0
    if isinstance(idea, str) and sentences_cosine is not None:
        repetition = min(10.0, max(0.0, (sentences_cosine - 0.2) * 10))
    return 0.2 * 10 * there / 6 + 0.4 * (10 - repetition) + 0.4 * (10 - min(10.0, excess / 100))
