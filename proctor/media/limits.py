"""How media are shown to a model: what models.yaml says under ``media`` about its API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from proctor.media.medium import Kind, Media

if TYPE_CHECKING:
    from proctor._base.json_values import Json

IMAGE_TYPES = ("png", "jpeg", "gif", "webp")
AUDIO_TYPES = ("wav", "mp3")
STRATEGIES = ("uniform",)
"""How the frames of a clip are chosen. ``uniform``: those at the centres of equal parts of its length."""

Settings: TypeAlias = Mapping[Kind, Mapping[str, "Json"]]
"""What an api, a provider or a model says under ``media``, checked: settings by kind."""


@dataclass(frozen=True)
class ImageLimits:
    """What a picture must keep to; one that does not is made smaller.

    Args:
        max_edge: Pixels of the longer edge.
        max_bytes: Size of the file, before it is encoded as text.
        types: Types that the API takes as they are, of `IMAGE_TYPES`.
        max_count: Pictures, and frames of clips, in one request.
    """

    max_edge: int
    max_bytes: int
    types: tuple[str, ...] = IMAGE_TYPES
    max_count: int | None = None


@dataclass(frozen=True)
class VideoLimits:
    """How a clip is turned into pictures.

    Args:
        frames: How many, where the clip has as many.
        max_edge: Pixels of the longer edge of a frame.
        strategy: How they are chosen, of `STRATEGIES`.
    """

    frames: int
    max_edge: int
    strategy: Literal["uniform"] = "uniform"


@dataclass(frozen=True)
class AudioLimits:
    """What a sound must keep to; one that does not is refused.

    Args:
        max_bytes: Size of the file, before it is encoded as text.
        types: Types that the API takes, of `AUDIO_TYPES`.
    """

    max_bytes: int
    types: tuple[str, ...] = AUDIO_TYPES


@dataclass(frozen=True)
class MediaLimits:
    """How an API takes media; ``None`` for a kind that it does not take."""

    image: ImageLimits | None = None
    video: VideoLimits | None = None
    audio: AudioLimits | None = None

    @classmethod
    def of(cls, api: Settings, *more: Settings) -> MediaLimits:
        """The limits of an api with further settings over them, later ones before earlier ones, value by value.

        Args:
            api: What the api says, with all that has no default.
            *more: What its provider and the model say. Kinds that the api does not take are left out.
        """
        made = {
            kind: CLASSES[kind](
                **{name: value for given in (api, *more) for name, value in given.get(kind, {}).items()}
            )
            for kind in api
        }
        return cls(**made)

    def takes(self, kind: Kind) -> bool:
        """Whether media of this kind can be shown at all; a clip is shown as pictures."""
        return getattr(self, kind) is not None and (kind != "video" or self.image is not None)

    def shown(self, medium: Media) -> dict[str, Json]:
        """The part of a message that shows a medium: what stands for it, and what changes how the model sees it."""
        part = medium.part()
        if medium.kind == "image" and self.image is not None:
            part["max_edge"] = self.image.max_edge
        if medium.kind == "video" and self.video is not None:
            part |= {
                "frames": self.video.frames,
                "strategy": self.video.strategy,
                "max_edge": self.video.max_edge,
            }
        return part


CLASSES: Mapping[str, Callable[..., Any]] = {"image": ImageLimits, "video": VideoLimits, "audio": AudioLimits}
NEEDED: Mapping[str, Sequence[str]] = {
    "image": ("max_edge", "max_bytes"),
    "video": ("frames", "max_edge"),
    "audio": ("max_bytes",),
}
"""What has no default, by kind."""
