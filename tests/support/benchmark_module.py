"""The source of a small benchmark's test module, as its author would write it."""

from __future__ import annotations

from textwrap import indent

SAMPLES = """\
tags = {"continent": row.text("continent")} if "continent" in row.data else {}
yield Sample(row.text("country"), {"country": row.text("country")}, row.text("capital"), tags=tags)
"""
CONVERSE = 'return ask("capitals", country=sample.fields["country"])\n'
GRADE = "1.0 if guess == sample.target else 0.5 if guess and guess[0] == sample.target[0] else 0.0"


def scoring(
    official: str = '{"accuracy": value}',
    strict: str = '{"accuracy": value if found else 0.0}',
    *,
    guess: str = "found[-1]",
    grade: str = GRADE,
    before: str = "",
) -> str:
    """The body of ``score(sample, response)``.

    Args:
        official: The scores of that family, from ``value`` and ``found``.
        strict: The same of the other one.
        guess: Which of the answers in brackets counts.
        grade: What the ``guess`` is worth.
        before: What stands before all of it.
    """
    return (
        f'{before}found = re.findall(r"\\[(.*?)\\]", response)\n'
        f"guess = {guess} if found else None\n"
        f"value = {grade}\n"
        f"return Score(guess, {official}, {strict}, parsed=bool(found))\n"
    )


SCORING = scoring()
MEASURE = "case.measure()\n"
ORACLE = 'lambda sample, generator: f"[{sample.target}]"'
CHANCE = 'lambda sample, generator: f"[{generator.random()}]"'
FIELDS = {
    "name": '"geo/capitals"',
    "samples_of": "samples_of",
    "prompts": '{"capitals": Placeholders("country")}',
    "converse": "converse",
    "score": "score",
    "metrics": '{"accuracy": 0.0}',
    "builtin": f'{{\n        "oracle": {ORACLE},\n        "chance": {CHANCE},\n    }}',
}
COUNTING_ERRORS = {
    "metrics": '{"errors": 1.0}',
    "best": '{"errors": 0.0}',
    "scoring": scoring('{"errors": 1 - value}', '{"errors": 1 - value if found else 0.0}'),
}
"""The arguments for a benchmark whose metric is the better the smaller it is."""


def benchmark_module(
    *,
    imports: str = "Placeholders, Sample, Score, Task",
    before: str = "",
    samples: str = SAMPLES,
    converse: str = CONVERSE,
    scoring: str = SCORING,
    test: str = MEASURE,
    function: str = "test_capitals",
    after: str = "",
    **fields: str,
) -> str:
    """The source of the benchmark ``geo/capitals``, or of a variant of it.

    Args:
        imports: What it imports from proctor.
        before: What stands between its functions and its task.
        samples: The body of ``samples_of(row)``.
        converse: The body of ``converse(sample, ask)``.
        scoring: The body of ``score(sample, response)``.
        test: The body of the test function, which has ``case``.
        function: The name of the test function.
        after: What stands behind it.
        **fields: Arguments of its `Task`, further ones or others than `FIELDS`, each as source.
    """
    task = "".join(f"    {name}={value},\n" for name, value in {**FIELDS, **fields}.items())
    functions = {"samples_of(row)": samples, "converse(sample, ask)": converse, "score(sample, response)": scoring}
    defined = "\n".join(f"def {head}:\n{_body(body)}" for head, body in functions.items())
    return (
        f"\nimport re\nfrom proctor import {imports}\n\n{defined}{before}\nTASK = Task(\n{task})\n\n"
        f"@TASK.cases\ndef {function}(case):\n{_body(test)}{after}"
    )


def _body(source: str) -> str:
    return indent(source if source.endswith("\n") else f"{source}\n", "    ")
