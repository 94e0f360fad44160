"""The command line: declares the options and reads them."""

from __future__ import annotations

import argparse
import json
import math
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor._base.errors import UsageError
from proctor.models.option_values import DEFAULT_MODELS_FILE, LEVELS
from proctor.pytest_plugin.option_names import destination, long_name
from proctor.tasks.names import FULL_NAME

# All else is imported where an option is read: every start of pytest declares them, in any project.
if TYPE_CHECKING:
    from proctor._base.json_values import Json
    from proctor.live.concurrency import Concurrency
    from proctor.run.options import Options
    from proctor.run.shard import Shard

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
    add("--limit", type=_positive, metavar="N", help="the first N samples of each task")
    add(
        "--shard",
        type=_shard,
        metavar="K/N",
        help="the K-th of N parts of the selected cases; each part is the same whatever else is selected",
    )
    add("--shuffle", type=int, metavar="SEED", help="shuffle each task's samples with this seed before --limit")
    add(
        "--concurrency",
        type=_concurrency,
        metavar="N|auto",
        help=f"requests in flight, shared by the whole run (default: {DEFAULT_CONCURRENCY}); auto finds out how many "
        "each model takes",
    )
    add(
        "--programs-on",
        type=_programs_on,
        default="local",
        metavar="local|dask-local|dask://HOST:PORT",
        help="where programs run that help to score answers: this machine's cores (default), or the workers of a Dask "
        "scheduler, or of one that is started here",
    )
    add("--epochs", type=_positive, default=1, metavar="K", help="ask each sample K times (default: 1)")
    add("--temperature", type=_temperature, metavar="X", help="sampling temperature, instead of the registry's")
    add("--max-tokens", type=_positive, metavar="N", help="longest answer in tokens, instead of the registry's")
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
        type=_margin,
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
    parser.addini("proctor_timeout", "seconds that one answer may take in all (default: 600)", default="600")
    parser.addini(
        "proctor_silence",
        "seconds that may pass without a byte while one waits for an answer (default: as proctor_timeout)",
        default="",
    )


def read_options(config: pytest.Config) -> Options:
    """The options of this run.

    Raises:
        UsageError: For a value that cannot be used.
    """
    from proctor.models.efforts import PARAMETER as EFFORT
    from proctor.models.roles import read_roles
    from proctor.official.catalogue import BENCHMARKS, FOLDER
    from proctor.official.pulled import OfficialFiles
    from proctor.recordings.record_mode import RecordMode
    from proctor.run.options import Options

    get = partial(_value, config)
    here = config.invocation_params.dir
    project = config.inipath.parent if config.inipath else config.rootpath  # where pytest's own path settings start

    def folder(name: str) -> Path:
        chosen = get(f"--{name}-dir") if name != "data" else None
        return here / chosen if chosen else project / str(config.getini(f"proctor_{name}"))

    parameters = dict(_parameter(text) for text in get("--model-param"))
    for name in ("temperature", "max_tokens", EFFORT):
        value = get(name)
        if value is not None:
            parameters[name] = value
    responses = get("--responses")
    return Options(
        models=tuple(get("--model") or ([] if responses else config.getini("proctor_model"))),
        models_by_default=not (responses or get("--model")),
        models_file=project / str(config.getini("proctor_models")),
        record_mode=RecordMode(config.getoption("--record-mode", None) or "none"),
        keep_recordings=not config.getoption("--disable-recording", False),
        datasets=dict(_dataset(text, here) for text in get("--dataset")),
        official=OfficialFiles(project / BENCHMARKS, folder("data") / FOLDER) if get("--official") else None,
        strict_data=get("--strict-data"),
        responses=here / responses if responses else None,
        data_dir=folder("data"),
        prompts_dir=folder("prompts"),
        prompts_chosen=get("--prompts-dir") is not None,
        cassettes_dir=folder("cassettes"),
        reports_dir=folder("reports"),
        limit=get("--limit"),
        shuffle=get("--shuffle"),
        shard=get("--shard"),
        concurrency=concurrency_of(config),
        programs_on=get("--programs-on"),
        epochs=get("--epochs"),
        estimate=get("--estimate"),
        max_cost=get("--max-cost"),
        timeout=_seconds(config, "proctor_timeout"),
        silence=_seconds(config, "proctor_silence" if config.getini("proctor_silence") else "proctor_timeout"),
        parameters=parameters,
        system=_system(get("--system"), here),
        roles=read_roles(get("--role")),
        fail_on=get("--fail-on"),
        gate_file=here / get("--gate") if get("--gate") else None,
        baseline=get("--baseline"),
        margin=_with_baseline(config, "--margin"),
        undecided_fails=get("--gate-undecided") == "fail",
        stop_when_decided=_stop_when_decided(config),
        whole_prompts=get("--record-prompts"),
        prune=_prune(config),
        command=tuple(config.invocation_params.args),
    )


def concurrency_of(config: pytest.Config) -> Concurrency:
    """How many requests may be in flight. The default is no business of a start that asks nothing."""
    given: Concurrency | None = _value(config, "--concurrency")
    return given or _concurrency(DEFAULT_CONCURRENCY)


def _value(config: pytest.Config, name: str) -> Any:
    """The value of Proctor's option, whoever the option of this name belongs to."""
    return getattr(config.option, destination(name))


def _dataset(text: str, here: Path) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not path or not re.fullmatch(FULL_NAME, name):
        raise UsageError(
            f"--dataset takes BENCH/TASK=PATH, not {text!r}", remedy="Example: --dataset tsg/sgqa=my.jsonl"
        )
    return name, here / path


def _system(given: str | None, here: Path) -> str | None:
    """The system prompt: as given, or what a file holds, without blank lines around it; ``@@`` stands for ``@``."""
    if given is None or not given.startswith("@"):
        return given
    if given.startswith("@@"):
        return given[1:]
    file = here / given[1:]
    try:
        return file.read_bytes().decode("utf-8").strip("\r\n")
    except OSError as problem:
        raise UsageError(f"--system {given}: cannot be read: {problem.strerror}", remedy="Check the path.") from None
    except UnicodeDecodeError as problem:
        raise UsageError(f"--system {given}: not UTF-8 at byte {problem.start}") from None


def _prune(config: pytest.Config) -> bool:
    prune: bool = _value(config, "--prune")
    if prune and _value(config, "--responses"):
        raise UsageError("--prune and --responses exclude each other", remedy="Prune where the models are asked.")
    if prune and config.getoption("--disable-recording", False):
        raise UsageError(
            "--prune and --disable-recording exclude each other", remedy="Without recordings, none is found unused."
        )
    return prune


def _stop_when_decided(config: pytest.Config) -> bool:
    """Whether to stop when it is decided; that needs all cases to choose from."""
    wanted: bool = _with_baseline(config, "--stop-when-decided")
    for name in ("--shard", "--limit"):
        if wanted and _value(config, name):
            raise UsageError(
                f"--stop-when-decided and {name} exclude each other",
                remedy="It asks no more cases than it needs, of all that are selected; select with -k.",
            )
    return wanted


def _with_baseline(config: pytest.Config, name: str) -> Any:
    """The value of an option that says something about ``--baseline``."""
    value = _value(config, name)
    if value and not _value(config, "--baseline"):
        raise UsageError(f"{name} needs a former run to compare with", remedy="Add --baseline RUN.")
    return value


def _parameter(text: str) -> tuple[str, Json]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--model-param takes KEY=VALUE, not {text!r}", remedy="Example: --model-param top_p=0.9")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _concurrency(text: str) -> Concurrency:
    from proctor.live.concurrency import Concurrency

    return Concurrency.parse(text)


def _shard(text: str) -> Shard:
    from proctor.run.shard import Shard

    return Shard.parse(text)


def _programs_on(text: str) -> str:
    if text not in ("local", "dask-local") and not re.fullmatch(r"dask://[^/\s]+:\d+", text):
        raise argparse.ArgumentTypeError(f"must be local, dask-local or dask://HOST:PORT, not {text!r}")
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


def _temperature(text: str) -> float:
    value = _number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be a number from 0, not {text!r}")
    return value


def _margin(text: str) -> float:
    value = _number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be a number from 0, not {text!r}")
    return value


def _dollars(text: str) -> float:
    value = _number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must be dollars from 0, not {text!r}")
    return value


def _seconds(config: pytest.Config, option: str) -> float:
    text = str(config.getini(option))
    value = _number(text)
    if not value > 0:
        raise UsageError(f"the ini option {option} takes seconds, not {text!r}")
    return value


def _number(text: str) -> float:
    """The finite number written in *text*, else NaN, which fails every comparison."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
