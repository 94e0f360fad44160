"""The command line and ini options, read once into one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proctor._base.json_values import Json
from proctor.live.concurrency import Concurrency
from proctor.models.option_values import DEFAULT_MODELS_FILE as DEFAULT_MODELS_FILE
from proctor.official.pulled import OfficialFiles
from proctor.recordings.record_mode import RecordMode
from proctor.run.shard import Shard


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
    strict_data: bool
    responses: Path | None
    data_dir: Path
    prompts_dir: Path
    prompts_chosen: bool
    cassettes_dir: Path
    reports_dir: Path
    limit: int | None
    shuffle: int | None
    shard: Shard | None
    concurrency: Concurrency
    programs_on: str
    epochs: int
    estimate: bool
    max_cost: float | None
    timeout: float
    silence: float
    parameters: Mapping[str, Json]
    system: str | None
    roles: Mapping[tuple[str, str], str]
    fail_on: str | None
    gate_file: Path | None
    baseline: str | None
    margin: float | None
    undecided_fails: bool
    stop_when_decided: bool
    whole_prompts: bool
    prune: bool
    command: tuple[str, ...]
