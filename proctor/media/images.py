"""Pictures as they are sent: as they are if they fit, else upright, converted and made smaller."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proctor._base.errors import DataError
from proctor.media.files import library, read
from proctor.media.limits import ImageLimits

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 80_000_000
"""A picture of more is not decoded: a file of a few bytes may claim any number. Below what Pillow warns of."""

READ = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
"""The types that are read, in Pillow's words."""

PHOTOGRAPHIC = frozenset({"JPEG", "MPO", "WEBP"})
PLAIN_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})
QUALITIES = (90, 80, 70, 55, 40)
ORIENTATION = 0x0112
BRIGHTEST = {"I;16": 65535, "I;16L": 65535, "I;16B": 65535, "I;16N": 65535}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is sent: the content of a file, and its type (``png``, ``jpeg``, ``gif`` or ``webp``)."""

    content: bytes
    type: str

    @property
    def mime(self) -> str:
        """Its media type."""
        return f"image/{self.type}"


def prepared(file: Path, limits: ImageLimits) -> Picture:
    """A picture that keeps to the limits.

    One that fits is sent as it is, byte for byte. Any other is turned as its EXIF orientation says, reduced to its
    first frame if it moves, and made as small as needed; a PNG stays one if it then fits.

    Raises:
        DataError: For a file that is no picture, is cut, or has too many pixels; it names the file.
        UsageError: If Pillow is not installed.
    """
    library("image")
    content = read(file, "image")
    with _opened(content, file) as image:
        # MPO is a JPEG with further pictures behind the first, as some cameras write it.
        kind = "jpeg" if image.format == "MPO" else str(image.format).lower()
        try:
            if _fits(image, kind, len(content), limits):
                return Picture(content, kind)
            photographic = image.format in PHOTOGRAPHIC
            return encoded_image(_upright(image), limits, photographic=photographic)
        except Exception as problem:  # whatever Pillow finds wrong only now; an OSError would look like the network's
            raise DataError(f"the picture cannot be converted: {problem}", file=file) from None


def _opened(content: bytes, file: Path) -> Image:
    """The picture, decoded."""
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(io.BytesIO(content), formats=READ)
    except UnidentifiedImageError:
        raise DataError(
            "not a picture, or of no type that is read", file=file, remedy=f"Types: {', '.join(READ)}."
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_large(file) from None
    except (OSError, ValueError, SyntaxError) as problem:
        raise DataError(f"the picture is broken: {problem}", file=file) from None
    if image.width * image.height > MOST_PIXELS:
        raise _too_large(file, f"{image.width} × {image.height} pixels")
    try:
        image.load()
    except (OSError, ValueError, SyntaxError, EOFError) as problem:  # Pillow's decoders raise any of these
        raise DataError(f"the picture is cut or broken: {problem}", file=file) from None
    return image


def _too_large(file: Path, size: str = "") -> DataError:
    return DataError(
        f"the picture is too large: {size or 'far too many pixels'}",
        file=file,
        remedy=f"Up to {MOST_PIXELS:,} pixels are decoded.",
    )


def _fits(image: Image, kind: str, size: int, limits: ImageLimits) -> bool:
    """Whether a picture may be sent as it is."""
    return (
        kind in limits.types
        and size <= limits.max_bytes
        and max(image.size) <= limits.max_edge
        and image.mode in PLAIN_MODES
        and getattr(image, "n_frames", 1) == 1
        and not _is_turned(image)
    )


def _is_turned(image: Image) -> bool:
    """Whether EXIF data say that the picture is not upright. Broken ones say nothing: the picture can be seen."""
    try:
        return image.getexif().get(ORIENTATION, 1) not in (0, 1)
    except Exception:  # Pillow's reader raises SyntaxError, struct.error and more
        return False


def _upright(image: Image) -> Image:
    """The picture, or its first frame, turned as its EXIF orientation says, with 8 bits a channel, RGB or grey."""
    from PIL import ImageOps

    image.seek(0)
    turned = ImageOps.exif_transpose(image) if _is_turned(image) else image
    if turned.mode in ("I", "F") or turned.mode in BRIGHTEST:
        return _eight_bits(turned)
    if "transparency" in turned.info or turned.mode == "PA":
        return turned.convert("RGBA")
    if turned.mode in ("L", "LA", "RGB", "RGBA"):
        return turned
    plain = turned.convert("L" if turned.mode == "1" else "RGB")
    if turned.mode != "P":
        plain.info.pop("icc_profile", None)  # it describes the inks that the picture no longer has
    return plain


def _eight_bits(image: Image) -> Image:
    """A grey picture of more bits with 8: full scale becomes full scale; without one, the brightest pixel does."""
    values = image.convert("F")
    extrema = values.getextrema()
    brightest = BRIGHTEST.get(
        image.mode, max(255.0, float(extrema[1]) if isinstance(extrema[1], (int, float)) else 0.0)
    )
    return values.point(lambda value: value * (255 / brightest) + 0).convert("L")


def encoded_image(image: Image, limits: ImageLimits, *, photographic: bool) -> Picture:
    """A picture made small enough, and encoded.

    As PNG while that fits, unless it is a photograph without transparency; else as JPEG, in falling quality, and then
    in falling size.

    Args:
        image: The picture, RGB or grey, with or without alpha.
        limits: What it must keep to.
        photographic: Whether it came in a type for photographs.
    """
    image = shrunk(image, limits.max_edge)
    if "png" in limits.types and (not photographic or "A" in image.mode):
        content = _saved(image, "PNG", optimize=False)
        if len(content) <= limits.max_bytes:
            return Picture(content, "png")
    image = _opaque(image)
    while True:
        for quality in QUALITIES:
            content = _saved(image, "JPEG", quality=quality)
            if len(content) <= limits.max_bytes or max(image.size) == 1:
                return Picture(content, "jpeg")
        image = shrunk(image, max(1, max(image.size) * 3 // 4))


def shrunk(image: Image, max_edge: int) -> Image:
    """The picture, scaled down if its longer edge has more pixels than *max_edge*; its proportions stay."""
    from PIL.Image import Resampling

    longer = max(image.size)
    if longer <= max_edge:
        return image
    width, height = (max(1, round(edge * max_edge / longer)) for edge in image.size)
    return image.resize((width, height), Resampling.LANCZOS)


def _opaque(image: Image) -> Image:
    """The picture without alpha, on white."""
    from PIL import Image

    if "A" not in image.mode:
        return image
    on_white = Image.new("RGBA", image.size, "white")
    on_white.alpha_composite(image.convert("RGBA"))
    return on_white.convert("RGB")


def _saved(image: Image, form: str, **how: int) -> bytes:
    profile = image.info.get("icc_profile") if image.mode in ("RGB", "RGBA") else None
    into = io.BytesIO()
    image.save(into, form, icc_profile=profile, **how)
    return into.getvalue()
