"""The TSG-Bench data files, judged from the files alone: nothing here trusts the simulator's own bookkeeping."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import uuid
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tsg_rules import (
    Row,
    anchored,
    check_contradiction,
    grasped,
    nodes_of,
    replay_hands,
    right_answer,
    verb_of,
    withs_of,
)

from benchmarks.tsg.datagen.rows import LONG, SHORT, TooFewRowsError, make_rows
from benchmarks.tsg.generate import SIZES, generate, main, serialise

ROOT = Path(__file__).parents[3]
TASKS = ("sgqa", "sgds", "sa-sgg", "ma-sgg")
QUESTION_TYPES = {"temporal", "causal", "tracking", "spatial", "action-object"}


@pytest.fixture(scope="module")
def data() -> dict[str, list[Row]]:
    """The rows that ship."""
    lines = {task: (ROOT / "data/tsg" / f"{task}.jsonl").read_text(encoding="utf-8").splitlines() for task in TASKS}
    return {task: [json.loads(line) for line in lines[task]] for task in TASKS}


@pytest.fixture(scope="module")
def official() -> dict[str, list[Row]]:
    """A set as large as the official one, with another seed."""
    return {task: make_rows(task, SIZES["official"][task], 11, LONG) for task in TASKS}


def test_shipped_files_are_what_seed_7_generates(tmp_path: Path) -> None:
    generate(7, SIZES["shipped"], tmp_path)
    for task in TASKS:
        assert (tmp_path / f"{task}.jsonl").read_bytes() == (ROOT / "data/tsg" / f"{task}.jsonl").read_bytes()


def test_command_line_writes_the_same_bytes_for_the_same_seed_only(tmp_path: Path) -> None:
    def run(seed: int, out: str) -> bytes:
        command = [sys.executable, "-m", "benchmarks.tsg.generate", "--seed", str(seed), "--size", "tiny"]
        done = subprocess.run([*command, "--out", str(tmp_path / out)], cwd=ROOT, capture_output=True, check=True)
        assert done.stdout.count(b"rows") == 4
        return b"".join((tmp_path / out / f"{task}.jsonl").read_bytes() for task in TASKS)

    first = run(1, "a")
    assert run(1, "b") == first
    assert run(2, "c") != first
    assert first.endswith(b"\n")
    assert b"\r" not in first


def test_naming_some_files_writes_only_these(tmp_path: Path) -> None:
    assert main(["--seed", "3", "--sgds", "4", "--sa-sgg", "2", "--out", str(tmp_path)]) == 0
    assert {path.name: len(path.read_text().splitlines()) for path in tmp_path.iterdir()} == {
        "sgds.jsonl": 4,
        "sa-sgg.jsonl": 2,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1", "--sgqa", "0"], "'0' is not a whole number of rows above 0"),
        (["--seed", "1", "--ma-sgg", "many"], "'many' is not a whole number of rows above 0"),
        (["--seed", "1", "--size", "huge"], "invalid choice: 'huge'"),
        (["--size", "tiny"], "required: --seed"),
        (["--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_bad_arguments_are_usage_errors(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--out", str(tmp_path / "out")])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_out_folder_that_cannot_be_written_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["--seed", "1", "--size", "tiny", "--out", str(blocked)]) == 1
    assert "File exists" in capsys.readouterr().err


def test_too_many_rows_stop_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.tsg.datagen.rows._ATTEMPTS_PER_ROW", 0)
    with pytest.raises(TooFewRowsError, match="sgds: only 0 different rows after 0 attempts, not 3"):
        make_rows("sgds", 3, 1, SHORT)


def test_sizes_are_those_asked_for(data: dict[str, list[Row]], official: dict[str, list[Row]]) -> None:
    assert {task: len(rows) for task, rows in data.items()} == {"sgqa": 20, "sgds": 50, "sa-sgg": 60, "ma-sgg": 40}
    assert {task: len(rows) for task, rows in official.items()} == {
        "sgqa": 100,
        "sgds": 250,
        "sa-sgg": 1188,
        "ma-sgg": 853,
    }


@pytest.mark.parametrize("task", TASKS)
def test_no_row_comes_twice_and_ids_are_unique(task: str, official: dict[str, list[Row]]) -> None:
    rows = official[task]
    without_id = [serialise([{k: v for k, v in row.items() if k != "data_id"}]) for row in rows]
    assert len(set(without_id)) == len(rows)
    if task != "sgds":
        ids = [(row["data_id"], row["doc_index"], row["text_part_index"]) for row in rows]
        assert len(set(ids)) == len(rows)
        assert all(str(uuid.UUID(row["data_id"])) == row["data_id"] for row in rows)


@pytest.mark.parametrize("task", TASKS)
def test_rows_are_spread_over_the_domains(task: str, data: dict[str, list[Row]]) -> None:
    domains = Counter(row["domain"] for row in data[task])
    assert len(domains) >= 12
    assert max(domains.values()) <= len(data[task]) // 8


@pytest.mark.parametrize("task", TASKS)
def test_keys_are_the_official_ones_and_the_agreed_extras(task: str, official: dict[str, list[Row]]) -> None:
    expected = {
        "sgqa": "data_id doc_index text_part_index context_graphs qa_pairs domain scenario",
        "sgds": "target_sentence position variations triplet context_graphs domain contradictions",
        "sa-sgg": "data_id doc_index text_part_index context target_sentence graph_id is_repeatable graphs verbs "
        "mandatory_space context_graphs domain scenario",
    }
    for row in official[task]:
        assert set(row) == set(expected[task if task != "ma-sgg" else "sa-sgg"].split())


@pytest.mark.parametrize("task", TASKS)
def test_every_graph_has_one_action_and_clean_names(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        graphs = [*row["context_graphs"], *([row["triplet"]] if task == "sgds" else [])]
        graphs += [graph["triplets"] for graph in row.get("graphs", [])]
        for graph in graphs:
            assert verb_of(graph) not in nodes_of(graph) - {triplet[0] for triplet in graph} - {verb_of(graph)}
            assert len({tuple(triplet) for triplet in graph}) == len(graph)
            assert all(
                len(triplet) == 3 and re.fullmatch(r"[a-z]+[12]?(-[a-z]+)*", n) for triplet in graph for n in triplet
            )


@pytest.mark.parametrize("task", ["sgqa", "sa-sgg", "ma-sgg"])
def test_hands_follow_the_rules_from_the_first_context_graph_on(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        replay_hands([*row["context_graphs"], *(graph["triplets"] for graph in row.get("graphs", []))])


def test_hand_tracker_of_this_test_objects_to_a_swapped_hand() -> None:
    with pytest.raises(AssertionError):
        replay_hands([[["person", "verb", "take"], ["take", "dobj", "cup"], ["take", "with", "hand2"]]])


def test_shipped_sgqa_rows_are_short_and_mixed(data: dict[str, list[Row]]) -> None:
    for row in data["sgqa"]:
        assert 11 <= len(row["context_graphs"]) <= 18
        assert len(row["qa_pairs"]) == 5
        assert len({pair["type"] for pair in row["qa_pairs"]}) >= 4
        assert len({pair["A"] for pair in row["qa_pairs"]}) == 5
    assert {pair["type"] for row in data["sgqa"] for pair in row["qa_pairs"]} == QUESTION_TYPES


def test_answers_are_nodes_of_the_graphs_that_the_question_does_not_name(official: dict[str, list[Row]]) -> None:
    answers: Counter[str] = Counter()
    for row in official["sgqa"]:
        nodes = {node for graph in row["context_graphs"] for node in nodes_of(graph)}
        for pair in row["qa_pairs"]:
            assert set(pair) == {"Q", "A", "type"}
            assert pair["A"] in nodes - {"person", "hand1", "hand2"}
            assert pair["A"] not in re.findall(r"[a-z]+(?:-[a-z]+)*", pair["Q"].lower())
            answers[pair["A"]] += 1
    assert answers.most_common(1)[0][1] <= 10


def test_temporal_and_spatial_answers_are_the_only_right_ones(official: dict[str, list[Row]]) -> None:
    judged: Counter[str] = Counter()
    for row in official["sgqa"]:
        for pair in row["qa_pairs"]:
            if pair["type"] in ("temporal", "spatial"):
                answer = right_answer(row["context_graphs"], pair["Q"])
                if answer is not None:
                    assert answer == pair["A"], (pair, row["context_graphs"])
                    judged[pair["type"]] += 1
    assert judged["spatial"] == sum(pair["type"] == "spatial" for row in official["sgqa"] for pair in row["qa_pairs"])
    assert judged["temporal"] >= 60


def test_every_tool_that_an_answer_needs_was_taken_up_before(official: dict[str, list[Row]]) -> None:
    judged = 0
    for row in official["sgqa"]:
        graphs = row["context_graphs"]
        for pair in row["qa_pairs"]:
            if found := re.match(r"(.*) depended on a tool", pair["Q"]):
                spots = anchored(graphs, found[1][0].lower() + found[1][1:])
                assert {tool for at in spots for tool in withs_of(graphs[at])[1]} == {pair["A"]}
                assert pair["A"] in grasped(graphs[: spots[0]])
                judged += 1
    assert judged >= 5


def test_positions_are_balanced_and_point_at_the_target(
    data: dict[str, list[Row]], official: dict[str, list[Row]]
) -> None:
    for rows in (data["sgds"], official["sgds"]):
        assert set(Counter(row["position"] for row in rows).values()) == {len(rows) // 5}
        for row in rows:
            assert len(set(row["variations"])) == 5
            assert row["variations"][row["position"]] == row["target_sentence"]
            assert [i for i, kind in enumerate(row["contradictions"]) if kind is None] == [row["position"]]
    assert all(4 <= len(row["context_graphs"]) <= 10 for row in data["sgds"])


def test_each_wrong_description_differs_in_exactly_one_slot(official: dict[str, list[Row]]) -> None:
    seen: Counter[str] = Counter()
    for row in official["sgds"]:
        for kind, text in zip(row["contradictions"], row["variations"], strict=True):
            if kind is not None:
                check_contradiction(row, kind, text)
                seen[kind] += 1
    assert set(seen) == {"object", "action", "place", "tool", "direction", "hand-use", "negation"}


def test_wrong_descriptions_are_about_as_long_as_the_right_one(official: dict[str, list[Row]]) -> None:
    longest_is_right = 0
    for row in official["sgds"]:
        words = [len(text.split()) for text in row["variations"]]
        assert max(words) - min(words) <= 4
        longest_is_right += max(row["variations"], key=len) == row["target_sentence"]
    assert longest_is_right <= len(official["sgds"]) * 0.35


@pytest.mark.parametrize("task", ["sa-sgg", "ma-sgg"])
def test_vocabulary_holds_the_gold_and_gives_nothing_away(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        space = row["mandatory_space"]
        assert list(space) == ["verb", "relationship", "object"]
        for words in space.values():
            assert words == sorted(set(words))
        assert {"person", "hand1", "hand2"} <= set(space["object"])
        assert not set(space["object"]) & set(space["verb"])
        for graph in row["graphs"]:
            assert nodes_of(graph["triplets"]) <= set(space["object"]) | set(space["verb"])
            assert {edge for _, edge, _ in graph["triplets"]} <= set(space["relationship"])
            assert graph["relationships"] == [edge for _, edge, _ in graph["triplets"]]
            assert graph["object_pairs"] == [[one, other] for one, _, other in graph["triplets"]]
            assert graph["objects"] == sorted(nodes_of(graph["triplets"]))
        assert len(space["verb"]) > len(row["verbs"])
        assert len(space["object"]) >= 8


@pytest.mark.parametrize("task", ["sa-sgg", "ma-sgg"])
def test_graph_ids_verbs_and_context_go_with_the_graphs(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        assert row["graph_id"] == [graph["action_id"] for graph in row["graphs"]]
        assert row["graph_id"] == list(range(row["graph_id"][0], row["graph_id"][0] + len(row["graphs"])))
        assert row["verbs"] == [verb_of(graph["triplets"]) for graph in row["graphs"]]
        assert row["context"]
        assert row["context_graphs"]
        assert row["text_part_index"] >= row["context"].count(". ") + 1


def test_single_action_rows_have_one_graph_and_multi_action_rows_two_to_five(data: dict[str, list[Row]]) -> None:
    assert {len(row["graphs"]) for row in data["sa-sgg"]} == {1}
    assert Counter(len(row["graphs"]) for row in data["ma-sgg"]).keys() == {2, 3, 4, 5}
    assert all(len(re.findall(r"\.", row["context"])) <= 6 for task in ("sa-sgg", "ma-sgg") for row in data[task])


@pytest.mark.parametrize("task", ["sa-sgg", "ma-sgg"])
def test_every_object_of_the_gold_is_named_or_was_named_before(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        told = f"{row['context']} {row['target_sentence']}".lower()
        for graph in row["graphs"]:
            for node in nodes_of(graph["triplets"]) - {"person", "hand1", "hand2", verb_of(graph["triplets"])}:
                assert f"the {node.replace('-', ' ')}" in told, (node, told)


@pytest.mark.parametrize("task", ["sa-sgg", "ma-sgg"])
def test_both_hands_are_told_or_follow_from_what_is_held(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        told = f"{row['context']} {row['target_sentence']}"
        if any(len(withs_of(graph["triplets"])[0]) == 2 for graph in row["graphs"]):
            assert "both hands" in told


@pytest.mark.parametrize("task", ["sa-sgg", "ma-sgg"])
def test_sentences_are_tidy_english(task: str, official: dict[str, list[Row]]) -> None:
    for row in official[task]:
        for text in (row["target_sentence"], row["context"]):
            assert re.fullmatch(r"[A-Z][A-Za-z ,.]*\.", text), text
            assert not re.search(
                r" [,.]|  |\bthe the\b|\b(?:it|them) (?:it|them)\b|gloves was|scissors was|,,", text
            ), text


@settings(max_examples=12, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_any_seed_makes_sound_tiny_files(seed: int) -> None:
    made = {task: make_rows(task, count, seed, SHORT) for task, count in SIZES["tiny"].items()}
    assert {task: len(rows) for task, rows in made.items()} == SIZES["tiny"]
    assert sorted(row["position"] for row in made["sgds"]) == [0, 1, 2, 3, 4]
    for row in made["sgds"]:
        for kind, text in zip(row["contradictions"], row["variations"], strict=True):
            if kind is not None:
                check_contradiction(row, kind, text)
    for row in made["sgqa"]:
        replay_hands(row["context_graphs"])
        for pair in row["qa_pairs"]:
            if pair["type"] in ("temporal", "spatial"):
                assert right_answer(row["context_graphs"], pair["Q"]) in (pair["A"], None)
