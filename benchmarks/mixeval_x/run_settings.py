"""How MixEval-X is graded in this process, and where its media are: what the options say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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


_settings = Settings()


def configure(chosen: Settings) -> None:
    """Say how answers are graded from now on in this process."""
    global _settings
    _settings = chosen


def settings() -> Settings:
    """How answers are graded in this process."""
    return _settings
