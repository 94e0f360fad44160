"""How MixEval-X is graded, and where its media are: what the options of a run say, and its tasks are made with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

Parser = Literal["judge", "rule"]
MEDIA = Path("data/mixeval_x/media")


@dataclass(frozen=True)
class Settings:
    """How answers are graded, and where media are looked for.

    Args:
        parser: Who reads answers to free-form and multiple-choice questions: a judge, or rules.
        media_folder: Where the pictures, clips and sounds of the data are.
        made_in: Where pictures may lie that a model made: the recordings' folder and that of the reports.
    """

    parser: Parser = "judge"
    media_folder: Path = MEDIA
    made_in: tuple[Path, ...] = ()


DEFAULT = Settings()
SETTINGS = pytest.StashKey[Settings]()
"""Under this key pytest's configuration has them, where the benchmark's plugin has read them."""


def settings_of(config: pytest.Config) -> Settings:
    """What the options of a run say."""
    return config.stash.get(SETTINGS, DEFAULT)
