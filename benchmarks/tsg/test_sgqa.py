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
from benchmarks.tsg.scene_graph import node_names, note_graphs, size_class
from proctor import Artifact, Ask, Case, DataError, Placeholders, Reply, Row, Sample, Score, Task

# Finds what re.search(r"\[(.*?)\]", …) finds, the first group in brackets. Tied to the start of a line it needs one
# pass, where the published pattern takes quadratic time for an answer that is nothing but "[[[[[…".
FIRST_BRACKETS = re.compile(r"^[^\[\n]*\[([^\]\n]*)\]", re.MULTILINE)
INNER_BRACKETS = re.compile(r"\[([^\[\]\n]*)\]")
UNUSUAL = re.compile(r"[\[\]\n]")


def samples_of(row: Row) -> Iterable[Sample]:
    """One sample per question. The questions of a row share their graphs, and so are one cluster.

    Raises:
        DataError: If there are no questions; a question of its own that cannot be asked or graded costs only itself.
    """
    cluster = row_id(row)
    tags = origin_tags(row)
    pairs = row.typed("qa_pairs", list, "a list")
    if not pairs:
        row.odd("qa_pairs", "no question")
    shared: dict[str, Any] = {}
    error: DataError | None = None
    try:
        graphs = row.there("context_graphs")
    except DataError as missing:
        error = missing
    else:
        note_graphs(row, graphs, "context_graphs")
        shared = {"data_id": row.get("data_id"), "scene_graph": str(graphs), "nodes": node_names(graphs)}
        tags |= {"context_graphs": size_class(len(graphs))} if isinstance(graphs, list) else {}
    for number, pair in enumerate(pairs):
        name = f"{cluster}-q{number + 1}"
        try:
            if error is not None:
                raise error
            question, answer, kind = question_and_answer(row, pair, f"qa_pairs[{number}]")
        except DataError as problem:
            yield row.unusable(name, problem, cluster=cluster, tags=tags)
            continue
        yield Sample(
            id=name,
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
    for name in ("Q", "A"):
        if name not in pair:
            raise row.error(f"{path}.{name}", "is missing")
    question, answer, kind = pair["Q"], pair["A"], pair.get("type")
    if not isinstance(answer, str):
        raise row.error(f"{path}.A", "must be a string", value=answer)
    if not isinstance(question, str) or not question.strip():
        row.odd(f"{path}.Q", "no question", value=question)
    if not answer.strip():
        row.odd(f"{path}.A", "an empty answer", value=answer)
    elif UNUSUAL.search(answer.strip()):
        possible = same(official_answer(written(answer)), answer)
        what = "an answer with brackets or a line break" if possible else "an answer that no response can match"
        row.odd(f"{path}.A", what, value=answer)
    if kind is not None and (not isinstance(kind, str) or not kind.strip()):
        row.odd(f"{path}.type", "no name of a type", value=kind)
        kind = None
    return str(question), answer, kind


def converse(sample: Sample, ask: Ask) -> Reply:
    """Show the whole sequence of graphs and ask one question."""
    return ask("sgqa", scene_graph=sample.fields["scene_graph"], question=sample.fields["question"])


def official_answer(response: str) -> str:
    """What the published ``QA.invoke`` takes for the answer: the first ``[…]`` on one line, else the whole response."""
    found = FIRST_BRACKETS.search(response)
    return found[1] if found else response


def strict_answer(response: str, *, may_be_empty: bool = False) -> re.Match[str] | None:
    """The last ``[…]`` of the response, its inside as group 1; ``None`` if there is none or it is empty.

    A model that thinks aloud, or quotes the graphs, states its answer last. Brackets in brackets count from the inside:
    ``[[wall]]`` says ``wall``, where the published pattern reads ``[wall``.

    Args:
        response: The response.
        may_be_empty: Whether an empty answer is one: where the right one is empty.
    """
    last = None
    for found in INNER_BRACKETS.finditer(response):
        last = found
    return last if last and (may_be_empty or last[1].strip()) else None


def same(answer: str, target: str) -> bool:
    """The published comparison: equal after ``lower()`` and ``strip()``."""
    return answer.lower().strip() == target.lower().strip()


def score(sample: Sample, response: str) -> Score:
    """Exact match, with the answer read by the official and by the strict rule."""
    found = strict_answer(response, may_be_empty=not sample.target.strip())
    answer = found[1].strip() if found else None
    return Score(
        prediction=answer,
        official={"accuracy": float(same(official_answer(response), sample.target))},
        strict={"accuracy": float(answer is not None and same(answer, sample.target))},
        parsed=answer is not None,
        spans=[found.span(1)] if found else [],
    )


def written(answer: str) -> str:
    """The best response with this answer: in brackets, or alone where brackets would not hold it."""
    bracketed = f"[{answer.strip()}]"
    return bracketed if same(official_answer(bracketed), answer) else answer


def oracle(sample: Sample, _: random.Random) -> str:
    """The gold answer."""
    return written(sample.target)


def chance(sample: Sample, generator: random.Random) -> str:
    """Any node of the row's graphs."""
    return f"[{generator.choice(sample.fields['nodes'] or ('',))}]"


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
