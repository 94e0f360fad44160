"""What a report shows of a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.media.medium import Media
from proctor.tasks.prompt import Piece


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """A prompt that a conversation begins with.

    Args:
        pieces: Its texts and media in order.
        sha256: What a row would call its hash, had the row's model been asked it; ``None`` if a medium cannot be read.
    """

    pieces: tuple[Piece, ...]
    sha256: str | None

    @property
    def has_media(self) -> bool:
        """Whether it is more than a text."""
        return any(isinstance(piece, Media) for piece in self.pieces)
