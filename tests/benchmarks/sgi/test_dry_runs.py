"""The Dry Experiment as a user runs it: model and judge are a stub server, the programs really run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from capitals import project
from dry_project import INPUTS, PROGRAM, RIGHT, ROW, WRONG, Dry, bubblewrap_found, dry, passes
from waiting import LIMIT, wait_until

from benchmarks.sgi.unit_test_input import same_files

__all__ = ["bubblewrap_found", "dry", "project"]


@pytest.mark.usefixtures("bubblewrap_found")
def test_a_right_answer_passes_all_tests_and_needs_no_judge(dry: Dry) -> None:
    assert dry.record().ret == 0
    assert dry.asked == {"answer": 1, "judge": 0, "parser": 0}
    assert passes(dry.row)
    for family in ("official", "strict"):
        scores = dry.row["scores"][family]
        assert [scores[name] for name in ("PassAll@5", "PassAll@3", "PassAll@1", "SER")] == [1, 1, 1, 1]
        assert 0 < scores["AET"] < 60
    assert dry.row["evidence"]["functions"] == {"double": "answer"}
    assert [test["stdout"] for test in dry.row["evidence"]["tests"]] == [f"double: {2 * x}\n" for x in INPUTS]


def test_a_replay_runs_no_program(dry: Dry, monkeypatch: pytest.MonkeyPatch) -> None:
    dry.answer = WRONG
    assert dry.record().ret == 0
    recorded = dry.row
    dry.project.server.stop()
    monkeypatch.setenv("SGI_CONDA_ENV", "no-such-environment")  # whoever would run a program fails with this
    result = dry.run()
    assert result.ret == 0
    assert dry.row["scores"] == recorded["scores"]
    assert dry.row["evidence"] == recorded["evidence"]
    assert dry.row["source"] == "replayed"


def test_outputs_that_differ_are_judged_one_by_one(dry: Dry) -> None:
    dry.answer = WRONG
    assert dry.record().ret == 0
    assert dry.asked == {"answer": 1, "judge": 4, "parser": 0}
    asked = sorted(
        request.question.partition("Expected output:")[2].split("The JSON object")[0].split()
        for request in dry.project.server.requests[1:]
    )
    assert asked[0] == ["double:", "4", "Output", "of", "the", "program:", "double:", "6"]
    assert [dry.row["scores"]["official"][f"PassAll@{n}"] for n in (5, 3, 1)] == [0, 0, 1]
    assert [test["judgment"] for test in dry.row["evidence"]["tests"]] == [None] + ["incorrect"] * 4


def test_the_judge_is_the_model_that_the_variable_names(dry: Dry) -> None:
    dry.answer, dry.judge = WRONG, '{"judgment": "correct"}'
    assert dry.record().ret == 0
    assert [request.json["model"].startswith("gpt-4o-mini") for request in dry.project.server.requests] == [
        True,
        *[False] * 4,
    ]
    assert passes(dry.row)


def test_a_judge_that_says_nothing_readable_is_asked_five_times(dry: Dry) -> None:
    dry.answer, dry.judge = WRONG, "I cannot say."
    dry.record()
    assert dry.asked["judge"] == 4 * 5
    assert dry.row["status"] == "judge_failed"
    assert dry.row["scores"]["strict"]["PassAll@1"] == 1.0, "the test without a difference needs no judge"


def test_code_in_a_block_needs_no_parser(dry: Dry) -> None:
    dry.answer = "Here it is:\n```python\ndef double(x):\n    return 2 * x\n```\nThat doubles x."
    dry.record()
    assert dry.asked == {"answer": 1, "judge": 0, "parser": 0}
    assert dry.row["evidence"]["functions"] == {"double": "code block"}


def test_the_parser_is_asked_for_what_the_answer_lacks(dry: Dry) -> None:
    dry.answer = "def double(x): return 2 * x, and that is all."
    dry.parser = "def double(x): return 2 * x"
    dry.record()
    assert dry.asked == {"answer": 1, "judge": 0, "parser": 1}
    assert dry.row["evidence"]["functions"] == {"double": "parser"}
    assert passes(dry.row)
    asked = dry.project.server.requests[1].question
    assert "`double`" in asked
    assert ROW["main_code"] not in asked


@pytest.mark.parametrize("answer", ["I do not know.", "<answer></answer>", "<answer>def triple(x): pass</answer>"])
def test_an_answer_without_the_functions_writes_no_program(dry: Dry, answer: str) -> None:
    # the unfinished program would pass
    dry.write_rows(ROW | {f"unit_test_{n}_output": "double: None" for n in range(5)})
    dry.answer = answer
    dry.record()
    assert dry.row["status"] == "unparsed"
    assert dry.row["evidence"]["tests"] == []
    assert dry.row["scores"]["official"] == {"PassAll@5": 0, "PassAll@3": 0, "PassAll@1": 0, "SER": 0}
    assert dry.row["scores"]["strict"] == {"PassAll@5": 0, "PassAll@3": 0, "PassAll@1": 0, "AET": 300, "SER": 0}


@pytest.mark.usefixtures("bubblewrap_found")
def test_a_hostile_answer_scores_and_the_run_goes_on(dry: Dry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGI_EXECUTION_TIMEOUT", "1.5")
    hostile = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); time.sleep(1000)"
    dry.write_rows(ROW | {"question": "Treble a number."}, ROW | {"idx": "dry_2"})
    dry.answer = lambda request: (
        RIGHT if "Double" in request.question else f"<answer>\ndef double(x):\n    {hostile}\n</answer>"
    )
    assert dry.record().ret == 0
    rows = dry.project.rows
    assert [passes(rows[idx]) for idx in ("dry_1", "dry_2")] == [False, True]
    assert {test["stopped"] for test in rows["dry_1"]["evidence"]["tests"]} == {"time"}
    assert rows["dry_1"]["scores"]["official"] == {"PassAll@5": 0, "PassAll@3": 0, "PassAll@1": 0, "AET": 1.5, "SER": 0}
    assert dry.asked["judge"] == 0


def test_a_warning_is_judged_officially_and_passes_strictly(dry: Dry) -> None:
    dry.answer = "def double(x):\n    import sys\n    print('careful', file=sys.stderr)\n    return 2 * x"
    dry.record()
    assert dry.asked["judge"] == 5
    scores = dry.row["scores"]
    assert (scores["official"]["PassAll@1"], scores["strict"]["PassAll@5"]) == (0.0, 1.0)


def test_long_output_is_cut_in_the_evidence_and_compared_whole(dry: Dry) -> None:
    program = PROGRAM.replace("double(X))", "double(X), 'x' * 50_000)")
    expected = {f"unit_test_{n}_output": f"double: {2 * x} " + "x" * 50_000 for n, x in enumerate(INPUTS)}
    incomplete = program.replace("return 2 * x", "pass")
    dry.write_rows(ROW | {"main_code": program, "incomplete_main_code": incomplete} | expected)
    dry.record()
    assert dry.asked["judge"] == 0
    assert passes(dry.row)
    assert len(dry.row["evidence"]["tests"][0]["stdout"]) < 2_100
    assert "characters left out" in dry.row["evidence"]["tests"][0]["stdout"]


def test_without_a_sandbox_a_warning_says_what_is_not_contained(dry: Dry) -> None:
    result = dry.record()
    assert result.ret == 0
    # before the first program runs, and where the results are read
    said = [
        "WARNING: sgi/dry_experiment: bubblewrap is not installed*can use the network*",
        "collected 1 item",
        "suite/*",
    ]
    result.stdout.fnmatch_lines(said)
    report = dry.project.folders[-1]
    note = "WARNING: in 1 cases, programs written by a model ran as plain processes of this user."
    assert note in (report / "report.md").read_text()
    (table,) = json.loads((report / "report.json").read_bytes())["tables"]
    assert table["note"].startswith(note)
    assert [(sandbox, cases) for _, sandbox, *_, cases in table["rows"]] == [("none", 1)]
    assert [each["sandbox"] for each in dry.row["evidence"]["environments"]] == ["none"]


def test_a_demanded_sandbox_that_is_missing_is_said_before_anything_is_asked(dry: Dry) -> None:
    result = dry.record("--sgi-require-sandbox")
    assert result.ret == 1
    assert dry.project.server.count == 0
    text = result.stdout.str()
    assert "--sgi-require-sandbox: bubblewrap is not installed" in text
    assert "apt-get install bubblewrap" in text


@pytest.mark.parametrize(
    ("row", "variable", "said", "remedy"),
    [
        (
            {"idx": "SGI_DryExperiment_0206"},
            {},
            "row SGI_DryExperiment_0206 needs files that",
            "set SGI_DRY_EXPERIMENT_DATA_DIR to the folder",
        ),
        ({}, {"SGI_CONDA_ENV": "nowhere"}, "there is no conda environment of that name", "conda create -n nowhere"),
        (
            {"main_code": f"import no_such_package\n{PROGRAM}"},
            {},
            "cannot import no_such_package",
            "python -m benchmarks.sgi.environment create",
        ),
    ],
    ids=["files", "interpreter", "package"],
)
def test_what_is_missing_is_said_with_the_remedy_and_only_its_rows_fail(
    dry: Dry, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any], variable: dict[str, str], said: str, remedy: str
) -> None:
    dry.write_rows(ROW | row, ROW | {"idx": "dry_2"})
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    result = dry.record()
    assert result.ret == 1
    text = " ".join(result.stdout.str().split())
    assert said in text
    assert remedy in text
    if variable:
        assert dry.project.server.count == 0
    else:
        assert dry.project.server.count == 1
        assert passes(dry.project.rows["dry_2"])


def test_files_of_their_own_are_where_official_rows_look_for_them(dry: Dry, monkeypatch: pytest.MonkeyPatch) -> None:
    files = dry.project.path / "files/SGI_DryExperiment_0236"
    files.mkdir(parents=True)
    (files / "x.txt").write_text("21")
    monkeypatch.setenv("SGI_DRY_EXPERIMENT_DATA_DIR", str(files.parent))
    data = {f"unit_test_{n}_data": "X = int(open('data/em_3d_user_study/x.txt').read())\n" for n in range(5)}
    dry.write_rows(
        ROW | {"idx": "SGI_DryExperiment_0236"} | data | {f"unit_test_{n}_output": "double: 42" for n in range(5)}
    )
    assert dry.record().ret == 0
    assert passes(dry.row)


def test_a_data_program_that_fails_is_no_fault_of_the_answer(dry: Dry) -> None:
    dry.write_rows(ROW | {"unit_test_2_data": "raise SystemExit('no input today')"}, ROW | {"idx": "dry_2"})
    assert dry.record().ret == 1
    rows = dry.project.rows
    assert rows["dry_1"]["status"] == "error"
    assert "no input today" in json.dumps(rows["dry_1"]["error"])
    assert passes(rows["dry_2"])


@pytest.mark.usefixtures("bubblewrap_found")
@pytest.mark.parametrize("script", ["main_en.py", "data_en.py"])
def test_a_link_that_a_data_program_leaves_leads_nothing_out_of_its_folder(
    dry: Dry, tmp_path: Path, script: str
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    link = f"import os\nif os.path.exists({script!r}): os.unlink({script!r})\nos.symlink({str(mine)!r}, {script!r})\n"
    plain = {"unit_test_0_data": link + "X = 0\n"}
    dry.write_rows(ROW | plain)
    dry.record()
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    "last", ["os.mkfifo('data/pipe')", "for _ in range(1500): os.mkdir('d'); os.chdir('d')", "os.mkdir('main_en.py')"]
)
def test_an_input_that_cannot_be_used_is_no_fault_of_the_answer(dry: Dry, tmp_path: Path, last: str) -> None:
    dry.write_rows(ROW | {"unit_test_2_data": f"X = 2\nimport os\n{last}\n"}, ROW | {"idx": "dry_2"})
    assert dry.record().ret == 1
    rows = dry.project.rows
    assert rows["dry_1"]["status"] == "error"
    assert "the program that writes a unit test's input" in json.dumps(rows["dry_1"]["error"])
    assert passes(rows["dry_2"])


def test_a_program_that_nests_its_folders_deeply_is_scored_and_cleared_away(
    dry: Dry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    nested = "import os\n    for _ in range(1500): os.mkdir('d'); os.chdir('d')"
    dry.answer = f"<answer>\ndef double(x):\n    {nested}\n    return 2 * x\n</answer>"
    assert dry.record().ret == 0
    assert passes(dry.row)
    assert list((tmp_path / "scratch").glob("proctor-dry-*")) == []


def test_links_in_an_input_are_not_followed_to_compare_it(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "outside").symlink_to(Path(__file__).parent)
    assert not same_files(tmp_path / "one", tmp_path / "other")


def test_ctrl_c_ends_the_programs_and_keeps_the_answer(dry: Dry, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    dry.answer = f"<answer>\ndef double(x):\n    import time; open({str(begun)!r}, 'w'); time.sleep(1000)\n</answer>"
    command = [sys.executable, "-m", "pytest", "suite", "--model", "gpt-4o-mini", "--record-mode", "once"]
    run = subprocess.Popen(command, cwd=dry.project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wait_until(begun.exists)
    run.send_signal(signal.SIGINT)
    output = run.communicate(timeout=LIMIT)[0].decode()
    assert (run.returncode, "1 missing" in output) == (2, True), output
    assert len((dry.project.path / "cassettes/sgi/dry_experiment/gpt-4o-mini.jsonl").read_text().splitlines()) == 1


def test_a_row_whose_program_does_not_parse_is_an_error_of_its_own(dry: Dry) -> None:
    dry.write_rows(ROW | {"incomplete_main_code": "def double(x:"}, ROW | {"idx": "dry_2"})
    assert dry.record().ret == 1
    rows = dry.project.rows
    assert "incomplete_main_code of row dry_1 is no Python program" in json.dumps(rows["dry_1"]["error"])
    assert passes(rows["dry_2"])


def test_the_oracle_passes_and_the_unfinished_program_does_not(dry: Dry) -> None:
    assert dry.run(model="oracle").ret == 0
    assert passes(dry.row)
    assert dry.run(model="constant").ret == 0
    assert not passes(dry.row)
    assert dry.row["evidence"]["functions"] == {"double": "answer"}
    assert dry.project.server.count == 0


@pytest.mark.parametrize(
    ("args", "variable", "said"),
    [
        (["--sgi-python", "no/python"], {}, "--sgi-python no/python: no such file"),
        ([], {"SGI_EXECUTION_TIMEOUT": "soon"}, "SGI_EXECUTION_TIMEOUT=soon: not a number of seconds above 0"),
        ([], {"SGI_EXECUTION_TIMEOUT": "-1"}, "SGI_EXECUTION_TIMEOUT=-1: not a number of seconds above 0"),
    ],
)
def test_bad_usage_ends_with_exit_code_4(
    dry: Dry, monkeypatch: pytest.MonkeyPatch, args: list[str], variable: dict[str, str], said: str
) -> None:
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    result = dry.run(*args, model="oracle")
    assert result.ret == 4
    assert said in result.stderr.str()


def test_prompts_in_the_official_shape_score_as_ours_do(dry: Dry) -> None:
    folder = dry.project.path / "official/sgi"
    folder.mkdir(parents=True)
    (folder / "dry_experiment.txt").write_text("{question}\nThe functions between <answer> and </answer>.")
    (folder / "dry_experiment_parser.txt").write_text("Functions asked for: as in def add(a, b)\n{answer}")
    judging = 'A program was completed: {expected}, {output}. {{"judgment": "…", "reason": "…"}}'
    (folder / "dry_experiment_judge.txt").write_text(judging)
    dry.answer = "The function doubles: def double(x) returns 2 * x"
    dry.parser = "def double(x):\n    return 2.0 * x"
    dry.judge = '{"judgment": "correct", "reason": "only the point differs"}'
    assert dry.record("--prompts-dir", "official").ret == 0
    assert (dry.asked["parser"], dry.asked["judge"]) == (1, 5)
    assert dry.row["evidence"]["functions"] == {"double": "parser"}
    assert dry.row["scores"]["official"]["PassAll@5"] == dry.row["scores"]["strict"]["PassAll@5"] == 1


def test_a_program_that_is_stopped_fails_although_it_printed_the_expected_output(
    dry: Dry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SGI_EXECUTION_TIMEOUT", "2")
    late = "import atexit, time\n    atexit.register(time.sleep, 60)\n    return 2 * x"
    dry.answer = f"<answer>\ndef double(x):\n    {late}\n</answer>"
    assert dry.record().ret == 0
    test = dry.row["evidence"]["tests"][0]
    assert (test["stopped"], test["seconds"], test["judge_tries"]) == ("time", 2.0, 0)
    for family in ("official", "strict"):
        assert dry.row["scores"][family] == {"PassAll@5": 0, "PassAll@3": 0, "PassAll@1": 0, "AET": 2, "SER": 0}


def test_line_ends_of_the_output_do_not_matter(dry: Dry) -> None:
    dry.answer = "<answer>\ndef double(x):\n    print('x', end='\\r\\n')\n    return 2 * x\n</answer>"
    dry.write_rows(ROW | {f"unit_test_{n}_output": f"x\ndouble: {2 * x}" for n, x in enumerate(INPUTS)})
    assert dry.record().ret == 0
    assert dry.row["scores"]["official"]["PassAll@5"] == 1
