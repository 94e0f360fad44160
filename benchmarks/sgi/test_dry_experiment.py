"""Dry Experiment: complete the missing functions of a scientific program.

The completed program is run on five inputs, and what it prints is compared with what the reference program prints.
Where that differs, a judge decides whether the difference matters. The headline is whether all five pass (SGI-Bench).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from benchmarks.sgi.execution import (
    UNCONFINED,
    cut,
    execution,
    fingerprint,
    fingerprints,
    inputs,
    official_output,
)
from benchmarks.sgi.final_answer import final_answer, tagged
from benchmarks.sgi.identity import COMPOSITE, TASKS, row_idx
from benchmarks.sgi.judge_reply import json_object, published_value, verdict
from benchmarks.sgi.needs import machine
from benchmarks.sgi.program import NotAProgram, code_blocks, function, functions, with_functions
from benchmarks.sgi.run_settings import DEFAULT, Settings, settings_of
from benchmarks.sgi.sandbox import in_text_mode
from benchmarks.sgi.unit_test_input import UnitTest, fixture_of
from proctor import Ask, Case, Judged, JudgeFailed, Placeholders, Reply, Role, Row, Sample, Score, Table, Task

TESTS = range(5)
CORRECT, INCORRECT = "correct", "incorrect"
SLOWEST = 300.0
"""Seconds: the strict family counts a case without a usable answer as if its runs had taken the official limit."""

MACHINE = ("sandbox", "python", "numpy", "processor")
UNKNOWN = "not noted"  # in recordings of before that was
MIXED = "programs of one model ran on several kinds of machine, and AET compares within one kind only"
SHOWN = 2_000  # characters of each output that the evidence shows
JUDGED = 4_000  # characters of each output that the judge sees
BEYOND_EXPECTED = 200  # characters the judge sees of an output beyond the length of the expected one
BEFORE_DIFFERENCE = 500  # characters it sees of what long outputs have in common

Definitions = dict[str, tuple[str, str]]
"""By function: where its definition was found, and the definition."""


def samples_of(row: Row) -> Iterable[Sample]:
    """The row's one sample. Names of functions, the reference program and expected outputs may be missing.

    Raises:
        DataError: For another field that is missing or no text.
    """
    idx = row_idx(row)
    names = row.get("incomplete_functions")
    if not names or not isinstance(names, list):
        row.odd("incomplete_functions", "no list of functions", value=names)
        names = [names] if names else []
    fields = {name: row.text(name) for name in ("question", "incomplete_main_code")}
    outputs = [row.get(f"unit_test_{test}_output") for test in TESTS]
    for test, output in zip(TESTS, outputs, strict=True):
        if not isinstance(output, str):
            row.odd(f"unit_test_{test}_output", "no text, which officially no output equals", value=output)
    yield Sample(
        id=idx,
        fields=fields
        | {
            "main_code": row.textual("main_code"),
            "incomplete_functions": [str(name) for name in names],
            "tests": [UnitTest(row.text(f"unit_test_{test}_data"), fixture_of(idx)) for test in TESTS],
        },
        target=outputs,
        tags=row.labels("discipline", "function_type"),
        id_may_repeat=True,
    )


def converse(sample: Sample, ask: Ask) -> Reply:
    """Show what the program is for and what it lacks."""
    fields = sample.fields
    return ask(
        "dry_experiment",
        question=fields["question"],
        incomplete_main_code=fields["incomplete_main_code"],
        incomplete_functions=", ".join(fields["incomplete_functions"]),
    )


def examine(settings: Settings, sample: Sample, response: str, ask: Ask) -> dict[str, Any]:
    """Put the answer's functions into the program, run its unit tests, and have outputs judged that differ.

    Returns:
        ``functions``: where the definition of each was found: ``answer``, ``code block``, ``parser``, or ``missing``;
        ``environments``: versions and sandboxes that the tests ran with; ``tests``: what `unit_test` gives for each,
        but for its ``problem``; ``problem``: why the parser or the judge gave nothing, empty if neither failed;
        ``parser_failed``: whether the parser did.

    Without any of the functions there is no program to run, and no test.

    Raises:
        NotAProgram: If the row's program does not parse. That is found out here and not when the row is read, since
            parsing takes longer than all else that a replay does.
    """
    names, incomplete = sample.fields["incomplete_functions"], sample.fields["incomplete_main_code"]
    found, parser_problem = definitions(response, names, ask)
    try:
        usable = functions(incomplete).keys() & found.keys()
        program = with_functions(incomplete, [(name, text) for name, (_, text) in found.items()])
    except NotAProgram as fault:
        raise NotAProgram(f"incomplete_main_code of row {sample.id} is no Python program: {fault}") from None
    tests = ask.together([partial(unit_test, settings, sample, number, program) for number in TESTS]) if usable else []
    environments = dict.fromkeys(tuple(test.pop("environment").items()) for test in tests)
    return {
        "functions": {name: found[name][0] if name in found else "missing" for name in names},
        "parser_failed": bool(parser_problem),
        "environments": [dict(each) for each in environments],
        "tests": tests,
        "problem": "; ".join(filter(None, [parser_problem, *(test.pop("problem") for test in tests)])),
    }


def definitions(response: str, names: Iterable[str], ask: Ask) -> tuple[Definitions, str]:
    """The definitions of these functions that an answer holds, as far as it does; and why the parser gave none.

    Looked for in the final answer, if that is a program; then in its code blocks; only then is the parser asked, which
    could do little else with a code block than take off the fence.
    """
    answer = final_answer(response)
    found: Definitions = {}
    take(found, names, "answer", answer)
    take(found, names, "code block", code_blocks(answer))
    missing = [name for name in names if name not in found]
    if missing and answer:
        listed = ", ".join(f"`{name}`" for name in missing)
        try:
            parsed = ask("dry_experiment_parser", role="parser", functions=listed, answer=answer).text
        except JudgeFailed as failure:
            return found, str(failure)  # the answer is used as it is
        take(found, missing, "parser", final_answer(parsed))
        take(found, missing, "parser", code_blocks(parsed))
    return found, ""


def take(found: Definitions, names: Iterable[str], place: str, text: str) -> None:
    """Add those definitions that *text* holds and that were not found before."""
    for name in names:
        if name not in found and (definition := function(text, name)) is not None:
            found[name] = (place, definition)


def unit_test(settings: Settings, sample: Sample, number: int, program: str, ask: Ask) -> dict[str, Any]:
    """Run one unit test, and have its output judged if the program succeeded but the output differs.

    Returns:
        ``exit_code``, ``seconds``, ``stopped``, ``stdout``, ``stderr`` and ``environment`` of the execution; ``same``:
        whether the output is the expected one, by the official and by the strict rule; ``judgment`` (``None`` if there
        is none), ``reason`` and ``judge_tries``; ``published_judgment``: as the published code reads it, ``None`` if it
        cannot; ``problem``: why the judge gave none.
    """
    test: UnitTest = sample.fields["tests"][number]
    run = ask.computed("executions", inputs(settings, test, program), execution(settings, test, program))
    expected = sample.target[number]
    found = run.pop("sha256") or fingerprints(run["stdout"], run["stderr"])
    known = isinstance(expected, str)
    same = {
        "official": known and found["official"] == fingerprint(expected),
        "strict": known and found["strict"] == fingerprint(in_text_mode(expected).strip()),
    }
    result = {**run, "stdout": cut(run["stdout"], SHOWN), "stderr": cut(run["stderr"], SHOWN), "same": same}
    result |= {"judgment": None, "reason": None, "published_judgment": None, "judge_tries": 0, "problem": ""}
    if same["official"] or run["exit_code"] or run["stopped"]:
        return result
    wanted, printed = shown_to_judge(str(expected), official_output(run["stdout"], run["stderr"]))
    said = verdict(ask, "dry_experiment_judge", read_judgment, role=f"judge/{number}", expected=wanted, output=printed)
    told = said.value or Judgment(None, None, None)
    return result | {
        "judgment": told.judgment,
        "reason": told.reason,
        "published_judgment": told.published,
        "judge_tries": said.tries,
        "problem": said.problem,
    }


def shown_to_judge(expected: str, output: str) -> tuple[str, str]:
    """What the judge sees of both outputs, which may be long.

    Of two long outputs it sees the part where they first differ. Of an output far longer than the expected one it sees
    little more than that length: what follows cannot make it right.
    """
    same = next((place for place, (a, b) in enumerate(zip(expected, output, strict=False)) if a != b), len(expected))
    start = max(0, same - BEFORE_DIFFERENCE) if len(expected) > JUDGED else 0
    end = start + min(len(expected) - start, JUDGED)
    return excerpt(expected, start, end), excerpt(output, start, end + BEYOND_EXPECTED)


def excerpt(text: str, start: int, end: int) -> str:
    """``text[start:end]``, with what was left out said."""
    before = f"[{start} characters before this are left out]\n" if start else ""
    after = f"\n[{len(text) - end} characters after this are left out]" if len(text) > end else ""
    return f"{before}{text[start:end]}{after}"


class Judgment(NamedTuple):
    """What a judge says about an output.

    Args:
        judgment: Whether it is ``correct``, in the judge's word.
        reason: Why.
        published: The judgment as the published code reads it, ``None`` if it cannot.
    """

    judgment: str | None
    reason: str | None
    published: str | None


def read_judgment(reply: str) -> Judgment | None:
    """The judgment in a judge's reply; ``None`` unless there is one."""
    published = published_value(reply, "{}")
    seen = published.get("judgment") if isinstance(published, dict) else None
    for fields in (json_object(reply), published):
        judgment = fields.get("judgment") if isinstance(fields, dict) else None
        if isinstance(fields, dict) and judgment is not None and not isinstance(judgment, bool):
            return Judgment(str(judgment), str(fields.get("reason", "")), None if seen is None else str(seen))
    return None


def score(_: Sample, __: str, evidence: Any) -> Score:
    """Count the unit tests that pass, by each family's rule.

    Official: a program that was not stopped prints the expected output (errors, then what was printed), or it succeeded
    and the judge says so, in just the word; a judgment that cannot be read loses the sample. Strict: the program must
    have succeeded, and it is enough that what it printed is the expected output; the judge's word may be in capitals.
    A case of which no run took any time has no official AET: the published mean is over the others.
    """
    tests = evidence["tests"]
    judged = [test for test in tests if test["judge_tries"]]
    published = [test.get("published_judgment", test["judgment"]) for test in judged]
    official = [
        test["stopped"] is None
        and (test["same"]["official"] or test.get("published_judgment", test["judgment"]) == CORRECT)
        for test in tests
    ]
    strict = [succeeded(test) and (test["same"]["strict"] or says_correct(test)) for test in tests]
    runtimes = [test["seconds"] for test in tests if test["seconds"] > 0]
    share_run = share(map(succeeded, tests)) or 0.0
    runtime = {"AET": sum(runtimes) / len(runtimes)} if runtimes else {}
    return Score(
        prediction=evidence["functions"],
        official={} if None in published else passed_at_least(sum(official)) | runtime | {"SER": share_run},
        strict=passed_at_least(sum(strict)) | {"AET": SLOWEST} | runtime | {"SER": share_run},
        parsed=any(place != "missing" for place in evidence["functions"].values()),
        judged=all(test["judgment"] is not None for test in judged) and not evidence.get("parser_failed"),
        problem=evidence.get("problem", ""),
        diagnostics={
            "tests_passed": sum(strict) / len(TESTS),
            "functions_found": share(place != "missing" for place in evidence["functions"].values()),
            "parser_needed": float("parser" in evidence["functions"].values()),
            "tests_judged": len(judged) / len(TESTS),
            "judged_correct": share(map(says_correct, judged)),
            "judge_retries": share(test["judge_tries"] - 1 for test in judged),
        },
    )


def where_programs_ran(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Table]:
    """The interpreters and sandboxes of the programs, by model; with a warning if some ran without a sandbox."""
    counts = Counter(
        (model, *(str(where.get(name, UNKNOWN)) for name in MACHINE))
        for model, mine in rows.items()
        for row in mine
        for where in (row["evidence"] or {}).get("environments", ())
    )
    if not counts:
        return []
    bare = sum(number for (_, sandbox, *_), number in counts.items() if sandbox == "none")
    notes = [f"WARNING: in {bare} cases, {UNCONFINED.replace('run as', 'ran as', 1)}"] if bare else []
    noted = [tuple(where) for where in counts if UNKNOWN not in where]
    mixed = [model for model in rows if sum(where[0] == model for where in noted) > 1]
    if mixed:
        notes.append(f"WARNING: {MIXED}: {', '.join(mixed)}.")
    cells: list[list[str | int | float | None]] = [[*where, number] for where, number in counts.items()]
    columns = ["model", "sandbox", "Python", "NumPy", "processor", "cases"]
    return [Table("Where the programs ran", columns, cells, " ".join(notes))]


def says_correct(test: Mapping[str, Any]) -> bool:
    """Whether the judge calls a test's output correct, in small letters or in capitals."""
    return (test["judgment"] or "").strip().lower() == CORRECT


def succeeded(test: Mapping[str, Any]) -> bool:
    """Whether a run of the program ended by itself, with exit code 0."""
    return test["exit_code"] == 0 and test["stopped"] is None


def passed_at_least(passed: int) -> dict[str, float]:
    """The PassAll metrics of a case with that many passed tests."""
    return {f"PassAll@{least}": float(passed >= least) for least in (5, 3, 1)}


def share(values: Iterable[float]) -> float | None:
    """The mean; ``None`` of nothing."""
    values = list(values)
    return sum(values) / len(values) if values else None


def oracle(sample: Sample, _: random.Random) -> str:
    """The reference program's functions."""
    return answer_of(sample, sample.fields["main_code"])


def constant(sample: Sample, _: random.Random) -> str:
    """The functions as they were given: unfinished."""
    return answer_of(sample, sample.fields["incomplete_main_code"])


def answer_of(sample: Sample, program: str) -> str:
    """An answer with the functions that a program defines."""
    found = (function(program, name) for name in sample.fields["incomplete_functions"])
    return tagged("\n\n".join(definition for definition in found if definition is not None))


def differing(_: Mapping[str, str]) -> str:
    """What stands in for the judge when a built-in model is under test: what differs is wrong."""
    return json.dumps({"reason": "the outputs differ", "judgment": INCORRECT})


def nothing(_: Mapping[str, str]) -> str:
    """What stands in for the parser when a built-in model is under test: it finds no code."""
    return "NONE"


JUDGE = Role(
    model="o4-mini",
    parameters={"temperature": 0.0},
    builtin=differing,
    model_variable="SGI_DE_GRADER_MODEL",
    base_url_variables=("GRADER_BASE_URL",),
    key_variables=("GRADER_API_KEY",),
)
PARSER = replace(JUDGE, model="gpt-4.1-mini", builtin=nothing)


def dry_experiment_task(settings: Settings) -> Task:
    """The task, as options and environment say."""
    return Task(
        name="sgi/dry_experiment",
        samples_of=samples_of,
        prompts={
            "dry_experiment": Placeholders("question", optional=["incomplete_main_code", "incomplete_functions"]),
            "dry_experiment_parser": Placeholders("answer", optional=["functions"]),
            "dry_experiment_judge": Placeholders("expected", "output"),
        },
        converse=converse,
        score=Judged(
            roles={"judge": JUDGE, "parser": PARSER},
            examine=partial(examine, settings),
            score=score,
            machine=partial(machine, settings),
        ),
        metrics={"PassAll@5": 0.0, "PassAll@3": 0.0, "PassAll@1": 0.0, "AET": SLOWEST, "SER": 0.0},
        composite=COMPOSITE,
        composite_tasks=TASKS,
        tables=where_programs_ran,
        parameters={"temperature": 0.0},
        builtin={"oracle": oracle, "constant": constant},
        configured=lambda config: dry_experiment_task(settings_of(config)),
    )


TASK = dry_experiment_task(DEFAULT)


@TASK.cases
def test_dry_experiment(case: Case) -> None:
    """The program with the model's functions prints what the reference program prints, in all five unit tests."""
    case.measure()
