"""The source of a small benchmark's test module, as its author would write it."""

from __future__ import annotations

from textwrap import indent

SAMPLES = """\
tags = {"continent": row.text("continent")} if "continent" in row.data else {}
yield Sample(row.text("country"), {"country": row.text("country")}, row.text("capital"), tags=tags)
"""
CONVERSE = 'return ask("capitals", country=sample.fields["country"])\n'
SCORING = """\
found = re.findall(r"\\[(.*?)\\]", response)
guess = found[-1] if found else None
value = 1.0 if guess == sample.target else 0.5 if guess and guess[0] == sample.target[0] else 0.0
return Score(guess, {"accuracy": value}, {"accuracy": value if found else 0.0}, parsed=bool(found))
"""
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
    "scoring": SCORING.replace('"accuracy": value', '"errors": 1 - value'),
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
        **fields: Arguments of its `Task`, further ones or others than `FIELDS`, each as source.
    """
    task = "".join(f"    {name}={value},\n" for name, value in {**FIELDS, **fields}.items())
    functions = {"samples_of(row)": samples, "converse(sample, ask)": converse, "score(sample, response)": scoring}
    defined = "\n".join(f"def {head}:\n{_body(body)}" for head, body in functions.items())
    return (
        f"\nimport re\nfrom proctor import {imports}\n\n{defined}{before}\nTASK = Task(\n{task})\n\n"
        f"@TASK.cases\ndef test_capitals(case):\n{_body(test)}"
    )


def _body(source: str) -> str:
    return indent(source if source.endswith("\n") else f"{source}\n", "    ")
