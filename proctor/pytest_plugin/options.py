"""The command line: declares the options and a project's settings."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.models.option_values import DEFAULT_MODELS_FILE, LEVELS
from proctor.pytest_plugin.option_names import destination, long_name
from proctor.pytest_plugin.option_types import concurrency, dollars, from_zero, positive, programs_on, shard

DEFAULT_CONCURRENCY = "15"
INI_DIRECTORIES = {
    "data": "data files, <benchmark>/<task>.jsonl",
    "prompts": "prompt templates, <benchmark>/<task>.txt",
    "cassettes": "recordings, <benchmark>/<task>/<model>.jsonl",
    "reports": "reports, one folder a run",
}


def add_options(parser: pytest.Parser) -> None:
    """Declare Proctor's options to pytest, by their long names; see `proctor.pytest_plugin.option_names`.

    ``--record-mode`` is pytest-recording's own.
    """
    group = parser.getgroup("proctor", "Proctor: LLM benchmarks as tests")

    def add(name: str, **attributes: Any) -> None:
        group.addoption(long_name(name), dest=destination(name), **attributes)

    add(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="a name from models.yaml, provider/api-id, or a built-in: oracle, chance, constant; repeatable",
    )
    add(
        "--dataset",
        action="append",
        default=[],
        metavar="BENCH/TASK=PATH",
        help="use this JSONL or Parquet file for that task; repeatable",
    )
    add(
        "--official",
        action="store_true",
        help="use the published data and prompts where a benchmark has them; fetch them with: proctor pull",
    )
    add(
        "--strict-data",
        action="store_true",
        help="refuse data with odd or unusable rows, instead of asking the odd ones and counting the others as errors",
    )
    add(
        "--responses",
        metavar="DIR",
        help="score the responses in DIR/<model>/<task>.jsonl instead of asking; of all models there, or those of "
        "--model",
    )
    add("--prompts-dir", metavar="DIR", help="prompt templates to use instead")
    add("--cassettes-dir", metavar="DIR", help="where recordings are")
    add("--reports-dir", metavar="DIR", help="where reports go")
    add("--limit", type=positive, metavar="N", help="the first N samples of each task")
    add(
        "--shard",
        type=shard,
        metavar="K/N",
        help="the K-th of N parts of the selected cases; each part is the same whatever else is selected",
    )
    add("--shuffle", type=int, metavar="SEED", help="shuffle each task's samples with this seed before --limit")
    add(
        "--concurrency",
        type=concurrency,
        metavar="N|auto",
        help=f"requests in flight, shared by the whole run (default: {DEFAULT_CONCURRENCY}); auto finds out how many "
        "each model takes",
    )
    add(
        "--programs-on",
        type=programs_on,
        default="local",
        metavar="local|dask-local|dask://HOST:PORT",
        help="where programs run that help to score answers: this machine's cores (default), or the workers of a Dask "
        "scheduler, or of one that is started here",
    )
    add("--epochs", type=positive, default=1, metavar="K", help="ask each sample K times (default: 1)")
    add(
        "--temperature",
        type=from_zero,
        metavar="X",
        help="sampling temperature, instead of the registry's",
    )
    add(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="longest answer in tokens, instead of the registry's",
    )
    add(
        "--effort",
        choices=LEVELS,
        metavar="LEVEL",
        help=f"how hard the model thinks before it answers, the same word for all of them: {', '.join(LEVELS)}",
    )
    add(
        "--model-param",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any other sampling parameter; VALUE is JSON, or else a string; repeatable",
    )
    add(
        "--system",
        metavar="TEXT|@FILE",
        help="system prompt for the model under test, instead of the task's; --system=@FILE reads it from a file (with "
        "=, since pytest takes a bare @FILE for a file of arguments); empty for none",
    )
    add(
        "--role",
        action="append",
        default=[],
        metavar="[BENCH/TASK:]ROLE=MODEL",
        help="the model that plays this role, such as judge or parser, in scoring answers; repeatable",
    )
    add(
        "--fail-on",
        choices=("incorrect", "partial"),
        help="let cases with a wrong (or only partly right) answer fail, so that --lf reruns them",
    )
    add(
        "--gate",
        metavar="FILE",
        help="YAML file of scores that the run must reach; exit code 10 if all was measured and one is not reached",
    )
    add(
        "--baseline",
        metavar="RUN",
        help="a former run, by folder or id; exit code 10 if this one is shown to be worse",
    )
    add(
        "--margin",
        type=from_zero,
        metavar="X",
        help="how far each task may be below the baseline, in units of its metric (default: 0)",
    )
    add(
        "--stop-when-decided",
        action="store_true",
        help="ask in a random order, seeded by --shuffle, and stop when it is shown that this run is worse than the "
        "baseline, or no worse than a margin (default then: 0.03)",
    )
    add(
        "--gate-undecided",
        choices=("pass", "fail"),
        default="pass",
        help="what to make of a gate that is not decided by what was measured (default: pass)",
    )
    add("--estimate", action="store_true", help="print requests, tokens and dollars by task and model; call nothing")
    add(
        "--max-cost",
        type=dollars,
        metavar="USD",
        help="stop asking when this run's live calls have cost so much; what was recorded stays (0: ask nothing)",
    )
    add("--record-prompts", action="store_true", help="keep whole prompts in recordings, not only their hashes")
    add(
        "--prune",
        action="store_true",
        help="at the end remove recordings of calls that have changed since and, after a full run, those that no case "
        "uses; what belongs to a case that ended in an error stays",
    )
    for name, what in INI_DIRECTORIES.items():
        parser.addini(f"proctor_{name}", f"folder of {what} (default: {name})", default=name)
    parser.addini(
        "proctor_models",
        "file that adds models to the built-in registry (default: models.yaml)",
        default=DEFAULT_MODELS_FILE,
    )
    parser.addini("proctor_model", "models to use when --model is not given", type="args", default=[])
    parser.addini(
        "proctor_max_workers",
        "most xdist workers that -n N starts: a number, or 'auto' for the number of cores, and for none where all "
        "that is collected is benchmarks (default: no limit)",
        default="",
    )
    parser.addini("proctor_benchmarks", "folders that hold benchmarks and no other tests", type="paths", default=[])
    parser.addini("proctor_timeout", "seconds that one answer may take in all (default: 600)", default="600")
    parser.addini(
        "proctor_silence",
        "seconds that may pass without a byte while one waits for an answer (default: as proctor_timeout)",
        default="",
    )
