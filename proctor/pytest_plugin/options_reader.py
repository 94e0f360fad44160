"""Reads the command line and the settings of a project: what this run was asked for."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor._base.errors import UsageError
from proctor._base.files import content_of
from proctor.pytest_plugin.option_names import destination
from proctor.pytest_plugin.option_types import concurrency, number
from proctor.pytest_plugin.options import DEFAULT_CONCURRENCY
from proctor.tasks.names import FULL_NAME

if TYPE_CHECKING:
    from proctor._base.json_values import Json
    from proctor.live.concurrency import Concurrency
    from proctor.run.options import Options


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
    chosen: Concurrency | None = _value(config, "--concurrency")
    return chosen or concurrency(DEFAULT_CONCURRENCY)


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


def _system(text: str | None, here: Path) -> str | None:
    """The system prompt: as given, or what a file holds, without blank lines around it; ``@@`` stands for ``@``."""
    if text is None or not text.startswith("@"):
        return text
    if text.startswith("@@"):
        return text[1:]
    file = here / text[1:]
    try:
        return content_of(file).decode("utf-8").strip("\r\n")
    except OSError as problem:
        raise UsageError(f"--system {text}: cannot be read: {problem.strerror}", remedy="Check the path.") from None
    except UnicodeDecodeError as problem:
        raise UsageError(f"--system {text}: not UTF-8 at byte {problem.start}") from None


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


def _seconds(config: pytest.Config, option: str) -> float:
    text = str(config.getini(option))
    value = number(text)
    if not value > 0:
        raise UsageError(f"the ini option {option} takes seconds, not {text!r}")
    return value
