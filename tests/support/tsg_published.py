"""The published grading of TSG-Bench, written down from its description once more: for the tests.

Each function takes the row as JSON gives it, and fails with whatever Python fails with where the published code would.
"""

from __future__ import annotations

import re
from typing import Any

FAILS = (KeyError, TypeError, AttributeError)
"""What the published code does not survive: such a row has no score."""

Row = dict[str, Any]
Scores = dict[str, float]


def sgqa(row: Row, pair: Any, response: str) -> tuple[dict[str, str], bool]:
    """The prompt's values, and whether the answer is right."""
    shown = {"scene_graph": "{}".format(row["context_graphs"]), "question": "{}".format(pair["Q"])}
    found = re.findall(r"\[(.*?)\]", response)
    prediction = found[0] if found else response
    return shown, prediction.lower().strip() == pair["A"].lower().strip()


def sgds(row: Row, response: str) -> tuple[dict[str, str], bool]:
    """The prompt's values, and whether the letter is right."""
    shown = {
        "context": "{}".format(row["context_graphs"]),
        "triplet": "{}".format(row["triplet"]),
        "sentences": "\n".join(f"{chr(65 + number)}: {text}" for number, text in enumerate(row["variations"])),
    }
    found = re.search(r"\[([A-E])\]|\b([A-E])\b", response)
    index = ord(found.group(1) or found.group(2)) - 65 if found else None
    position = row["position"]
    if position is None:
        raise TypeError("there is no right answer")
    return shown, index is not None and index == position


def parse_response(response: str) -> list[list[list[str]]]:
    """The graphs of an answer."""
    graphs: list[list[list[str]]] = []
    graph: list[list[str]] = []
    for line in response.split("\n"):
        if not line.strip():
            if graph:
                graphs.append(graph)
            graph = []
            continue
        parts = [part.strip() for part in line.split("->")]
        if len(parts) == 3:
            graph.append(parts)
    if graph:
        graphs.append(graph)
    return graphs


def calculate_scores(true_triplets: Any, pred_triplets: Any) -> Scores:
    """Precision, recall and F1 of one graph."""
    true_set = {" ".join(triplet) for triplet in true_triplets}
    pred_set = {" ".join(triplet) for triplet in pred_triplets}
    correct = len(true_set & pred_set)
    precision = correct / len(pred_set) if pred_set else 0
    recall = correct / len(true_set) if true_set else 0
    f1 = 2 * (precision * recall) / (precision + recall) if precision + recall > 0 else 0
    return {"precision": precision, "recall": recall, "f1": f1}


def sgg(row: Row, response: str) -> tuple[dict[str, str], list[Scores]]:
    """The prompt's values, and the scores of each pair of graphs."""
    space = row["mandatory_space"]
    shown = {
        "context": "{}".format(row["context"]),
        "target_sentence": "{}".format(row["target_sentence"]),
        "available_nodes": ", ".join(space["object"] + space["verb"]),
        "available_edges": ", ".join(space["relationship"]),
        "num_scene_graphs": str(len(row["graphs"])),
    }
    ", ".join(space["verb"])
    gold = [graph["triplets"] for graph in row["graphs"]]
    if not gold:
        raise TypeError("there is no pair of graphs to score")
    for triplets in gold:
        calculate_scores(triplets, [])  # also where the answer is too short to reach it
    return shown, [calculate_scores(true, pred) for true, pred in zip(gold, parse_response(response), strict=False)]
