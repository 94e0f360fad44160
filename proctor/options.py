"""The command line and ini options, read once into one value."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from proctor.calls import Json
from proctor.conversation import RecordMode
from proctor.distributed.shards import Shard
from proctor.errors import UsageError
from proctor.models.roles import read_roles
from proctor.official.files import BENCHMARKS, FOLDER, OfficialFiles
from proctor.task import NAME

DEFAULT_MODELS_FILE = "models.yaml"
INI_DIRECTORIES = {
    "data": "data files, <benchmark>/<task>.jsonl",
    "prompts": "prompt templates, <benchmark>/<task>.txt",
    "cassettes": "recordings, <benchmark>/<task>/<model>.jsonl",
    "reports": "reports, one folder a run",
}


@dataclass(frozen=True)
class Options:
    """What the user asked for; see `add_options` for the meaning of each."""

    models: tuple[str, ...]
    models_by_default: bool
    models_file: Path
    record_mode: RecordMode
    keep_recordings: bool
    datasets: Mapping[str, Path]
    official: OfficialFiles | None
    responses: Path | None
    data_dir: Path
    prompts_dir: Path
    prompts_chosen: bool
    cassettes_dir: Path
    reports_dir: Path
    limit: int | None
    shuffle: int | None
    shard: Shard | None
    concurrency: int
    epochs: int
    estimate: bool
    max_cost: float | None
    timeout: float
    parameters: Mapping[str, Json]
    roles: Mapping[tuple[str, str], str]
    fail_on: str | None
    gate_file: Path | None
    baseline: str | None
    whole_prompts: bool
    prune: bool
    command: tuple[str, ...]


def add_options(parser: pytest.Parser) -> None:
    """Declare Proctor's options to pytest. ``--record-mode`` is pytest-recording's own."""
    group = parser.getgroup("proctor", "Proctor: LLM benchmarks as tests")
    add = group.addoption
    add(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        dest="model_names",
        help="a name from models.yaml, provider/api-id, or a built-in: oracle, chance, constant; repeatable",
    )
    add(
        "--dataset",
        action="append",
        default=[],
        metavar="BENCH/TASK=PATH",
        help="use this JSONL file for that task; repeatable",
    )
    add(
        "--official",
        action="store_true",
        help="use the published data and prompts where a benchmark has them; fetch them with: proctor pull",
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
    add("--limit", type=_positive, metavar="N", help="the first N samples of each task")
    add(
        "--shard",
        type=Shard.parse,
        metavar="K/N",
        help="the K-th of N parts of the selected cases; each part is the same whatever else is selected",
    )
    add("--shuffle", type=int, metavar="SEED", help="shuffle each task's samples with this seed before --limit")
    add(
        "--concurrency",
        type=_positive,
        default=15,
        metavar="N",
        help="requests in flight, shared by the whole run (default: 15)",
    )
    add("--epochs", type=_positive, default=1, metavar="K", help="ask each sample K times (default: 1)")
    add("--temperature", type=_temperature, metavar="X", help="sampling temperature, instead of the registry's")
    add("--max-tokens", type=_positive, metavar="N", help="longest answer in tokens, instead of the registry's")
    add(
        "--model-param",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any other sampling parameter; VALUE is JSON, or else a string; repeatable",
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
        dest="gate_file",
        help="YAML file of scores that the run must reach; exit code 10 if all was measured and one is not reached",
    )
    add(
        "--baseline",
        metavar="RUN",
        help="a former run, by folder or id; exit code 10 if a score is shown to have dropped below it",
    )
    add("--estimate", action="store_true", help="print requests, tokens and dollars by task and model; call nothing")
    add(
        "--max-cost",
        type=_dollars,
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
    parser.addini("proctor_timeout", "seconds to wait for one answer (default: 600)", default="600")


def read_options(config: pytest.Config) -> Options:
    """The options of this run.

    Raises:
        UsageError: For a value that cannot be used.
    """
    get = config.getoption
    here = config.invocation_params.dir
    project = config.inipath.parent if config.inipath else config.rootpath  # where pytest's own path settings start

    def folder(name: str) -> Path:
        chosen = get(f"--{name}-dir", None) if name != "data" else None
        return here / chosen if chosen else project / str(config.getini(f"proctor_{name}"))

    parameters = dict(_parameter(text) for text in get("--model-param"))
    for name in ("temperature", "max_tokens"):
        value = get(name)
        if value is not None:
            parameters[name] = value
    responses = get("--responses")
    return Options(
        models=tuple(get("model_names") or ([] if responses else config.getini("proctor_model"))),
        models_by_default=not (responses or get("model_names")),
        models_file=project / str(config.getini("proctor_models")),
        record_mode=RecordMode(get("--record-mode", None) or "none"),
        keep_recordings=not get("--disable-recording", False),
        datasets=dict(_dataset(text, here) for text in get("--dataset")),
        official=OfficialFiles(project / BENCHMARKS, folder("data") / FOLDER) if get("--official") else None,
        responses=here / responses if responses else None,
        data_dir=folder("data"),
        prompts_dir=folder("prompts"),
        prompts_chosen=get("--prompts-dir") is not None,
        cassettes_dir=folder("cassettes"),
        reports_dir=folder("reports"),
        limit=get("--limit"),
        shuffle=get("--shuffle"),
        shard=get("--shard"),
        concurrency=get("--concurrency"),
        epochs=get("--epochs"),
        estimate=get("--estimate"),
        max_cost=get("--max-cost"),
        timeout=_timeout(str(config.getini("proctor_timeout"))),
        parameters=parameters,
        roles=read_roles(get("--role")),
        fail_on=get("--fail-on"),
        gate_file=here / get("--gate") if get("--gate") else None,
        baseline=get("--baseline"),
        whole_prompts=get("--record-prompts"),
        prune=_prune(config),
        command=tuple(config.invocation_params.args),
    )


def _dataset(text: str, here: Path) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not path or not NAME.fullmatch(name):
        raise UsageError(
            f"--dataset takes BENCH/TASK=PATH, not {text!r}", remedy="Example: --dataset tsg/sgqa=my.jsonl"
        )
    return name, here / path


def _prune(config: pytest.Config) -> bool:
    prune: bool = config.getoption("--prune")
    if prune and config.getoption("--responses"):
        raise UsageError("--prune and --responses exclude each other", remedy="Prune where the models are asked.")
    if prune and config.getoption("--disable-recording"):
        raise UsageError(
            "--prune and --disable-recording exclude each other", remedy="Without recordings, none is found unused."
        )
    return prune


def _parameter(text: str) -> tuple[str, Json]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--model-param takes KEY=VALUE, not {text!r}", remedy="Example: --model-param top_p=0.9")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


def _temperature(text: str) -> float:
    value = _number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be a number from 0, not {text!r}")
    return value


def _dollars(text: str) -> float:
    value = _number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be dollars from 0, not {text!r}")
    return value


def _timeout(text: str) -> float:
    value = _number(text)
    if not value > 0:
        raise UsageError(f"the ini option proctor_timeout takes seconds, not {text!r}")
    return value


def _number(text: str) -> float:
    """The finite number written in *text*, else NaN, which fails every comparison."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
