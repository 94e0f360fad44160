"""SGQA, scene graph question answering: answer a question about a sequence of scene graphs in one word.

Each row is one sequence of graphs, one graph per action, with about five questions about it. The score is the exact
match of the answer in square brackets, upper and lower case being the same (arXiv 2505.19510).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from benchmarks.tsg.identity import origin_tags, row_id
from benchmarks.tsg.scene_graph import check_graphs, node_names, size_class
from proctor import Artifact, Ask, Case, Placeholders, Reply, Row, Sample, Score, Task

# Finds what re.search(r"\[(.*?)\]", …) finds, the first group in brackets. Tied to the start of a line it needs one
# pass, where the published pattern takes quadratic time for an answer that is nothing but "[[[[[…".
FIRST_BRACKETS = re.compile(r"^[^\[\n]*\[([^\]\n]*)\]", re.MULTILINE)
INNER_BRACKETS = re.compile(r"\[([^\[\]\n]*)\]")
UNANSWERABLE = re.compile(r"[\[\]\n]")


def samples_of(row: Row) -> Iterable[Sample]:
    """One sample per question. The questions of a row share their graphs, and so are one cluster.

    Raises:
        DataError: For a field that is missing or wrong, such as ``qa_pairs[2].A``.
    """
    cluster = row_id(row)
    graphs = row.sequence("context_graphs")
    check_graphs(row, graphs, "context_graphs")
    shared = {"data_id": row.data["data_id"], "scene_graph": repr(graphs), "nodes": node_names(graphs)}
    tags = origin_tags(row) | {"context_graphs": size_class(len(graphs))}
    for number, pair in enumerate(row.sequence("qa_pairs")):
        question, answer, kind = question_and_answer(row, pair, f"qa_pairs[{number}]")
        yield Sample(
            id=f"{cluster}-q{number + 1}",
            fields=shared | {"question": question},
            target=answer,
            cluster=cluster,
            tags=tags | {"question_type": kind} if kind else tags,
            id_may_repeat=True,
        )


def question_and_answer(row: Row, pair: Any, path: str) -> tuple[str, str, str | None]:
    """The question, the answer and, where the data names it, the question's type."""
    if not isinstance(pair, dict):
        raise row.error(path, 'must be an object {"Q": …, "A": …}', value=pair)
    for name in ("Q", "A", "type"):
        if name not in pair:
            if name == "type":
                continue
            raise row.error(f"{path}.{name}", "is missing")
        if not isinstance(pair[name], str) or not pair[name].strip():
            raise row.error(f"{path}.{name}", "must be a non-empty string", value=pair[name])
    if UNANSWERABLE.search(pair["A"].strip()):
        raise row.error(
            f"{path}.A",
            "no response can match an answer with square brackets or a line break",
            value=pair["A"],
            remedy="The grader reads the response's answer out of square brackets on one line; write it without.",
        )
    return pair["Q"], pair["A"], pair.get("type")


def converse(sample: Sample, ask: Ask) -> Reply:
    """Show the whole sequence of graphs and ask one question."""
    return ask("sgqa", scene_graph=sample.fields["scene_graph"], question=sample.fields["question"])


def official_answer(response: str) -> str:
    """What the published ``QA.invoke`` takes for the answer: the first ``[…]`` on one line, else the whole response."""
    found = FIRST_BRACKETS.search(response)
    return found[1] if found else response


def strict_answer(response: str) -> re.Match[str] | None:
    """The last ``[…]`` of the response, its inside as group 1; ``None`` if there is none or it is empty.

    A model that thinks aloud, or quotes the graphs, states its answer last. Brackets in brackets count from the inside:
    ``[[wall]]`` says ``wall``, where the published pattern reads ``[wall``.
    """
    last = None
    for found in INNER_BRACKETS.finditer(response):
        last = found
    return last if last and last[1].strip() else None


def same(answer: str, target: str) -> bool:
    """The published comparison: equal after ``lower()`` and ``strip()``."""
    return answer.lower().strip() == target.lower().strip()


def score(sample: Sample, response: str) -> Score:
    """Exact match, with the answer read by the official and by the strict rule."""
    found = strict_answer(response)
    answer = found[1].strip() if found else None
    return Score(
        prediction=answer,
        official={"accuracy": float(same(official_answer(response), sample.target))},
        strict={"accuracy": float(answer is not None and same(answer, sample.target))},
        parsed=answer is not None,
        spans=[found.span(1)] if found else [],
    )


def oracle(sample: Sample, _: random.Random) -> str:
    """The gold answer."""
    return f"[{sample.target.strip()}]"


def chance(sample: Sample, generator: random.Random) -> str:
    """Any node of the row's graphs."""
    return f"[{generator.choice(sample.fields['nodes'])}]"


def constant(_: Sample, __: random.Random) -> str:
    """Always the same word."""
    return "[cloth]"


def result_file_name(model: str, timestamp: str) -> str:
    """The name of the official result file; whatever the model is called, it stays one file name."""
    return f"sgqa_{re.sub(r'[^A-Za-z0-9._~%+-]', '-', model)}_{timestamp}.json"


def result_file(model: str, timestamp: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The content of the official result file.

    Every row counts: a case without a response has the prediction ``null`` and does not match.

    Args:
        model: The model's name.
        timestamp: Start of the run, ISO 8601.
        rows: Result rows of that model, each with the sample's fields under ``fields``.
    """
    results = []
    for row in sorted(rows, key=lambda row: (row["sample_index"], row["epoch"])):
        response = row["response_text"]
        prediction = None if response is None else official_answer(response)
        results.append(
            {
                "data_id": row["fields"]["data_id"],
                "question": row["fields"]["question"],
                "ground_truth": row["target"],
                "prediction": prediction,
                "exact_match": prediction is not None and same(prediction, row["target"]),
            }
        )
    correct = sum(result["exact_match"] for result in results)
    return {
        "task": "SGQA",
        "metric": "Exact Match (EM)",
        "timestamp": timestamp,
        "model": model,
        "total_questions": len(results),
        "correct": correct,
        "exact_match_percent": 100 * correct / len(results) if results else 0.0,
        "results": results,
    }


def result_files(start: datetime, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The official result file of each model."""
    return {
        result_file_name(model, f"{start:%Y%m%d_%H%M%S}"): result_file(model, f"{start:%Y-%m-%dT%H:%M:%S}", mine)
        for model, mine in rows.items()
    }


TASK = Task(
    name="tsg/sgqa",
    samples_of=samples_of,
    prompts={"sgqa": Placeholders("scene_graph", "question")},
    converse=converse,
    score=score,
    metrics={"accuracy": 0.0},
    parameters={"temperature": 0.1},
    builtin={"oracle": oracle, "chance": chance, "constant": constant},
    artifacts=(Artifact(result_files),),
)


@TASK.cases
def test_sgqa(case: Case) -> None:
    """The model's word for the answer equals the annotators' word."""
    case.measure()
