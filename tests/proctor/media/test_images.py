"""How pictures, clips and sounds are prepared: left alone if they fit, else converted, made smaller or refused."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from drawn_media import clip, gif, mp3, numbers_of, picture, tone
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from proctor._base.errors import DataError, UsageError
from proctor.media import audio as sounds
from proctor.media import images as pictures
from proctor.media import video as clips
from proctor.media.files import library
from proctor.media.limits import AudioLimits, ImageLimits, VideoLimits

LIMITS = ImageLimits(max_edge=100, max_bytes=100_000)
SOUNDS = AudioLimits(max_bytes=10_000)
LYING = (0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
UPRIGHT = (0, 0x10000, 0, 0xFFFF0000, 0, 0, 48 << 16, 0, 0x40000000)
"""How an MP4 file is to be turned: not at all; by a quarter to the right, for 48 pixels of height."""


def opened(made: pictures.Picture) -> Image.Image:
    return Image.open(io.BytesIO(made.content))


def is_red(image: Image.Image, place: tuple[int, int]) -> bool:
    found: Any = image.convert("RGB").getpixel(place)
    return bool(found[0] > 200 and found[2] < 60)


def is_blue(image: Image.Image, place: tuple[int, int]) -> bool:
    found: Any = image.convert("RGB").getpixel(place)
    return bool(found[2] > 200 and found[0] < 60)


class TestPictures:
    @pytest.mark.parametrize(
        ("name", "kind"), [("a.png", "png"), ("a.jpg", "jpeg"), ("a.gif", "gif"), ("a.webp", "webp")]
    )
    def test_one_that_fits_is_sent_byte_for_byte(self, tmp_path: Path, name: str, kind: str) -> None:
        file = picture(tmp_path / name)
        assert pictures.prepared(file, LIMITS) == pictures.Picture(file.read_bytes(), kind)

    def test_the_type_is_told_from_the_content(self, tmp_path: Path) -> None:
        made = pictures.prepared(picture(tmp_path / "a.jpg", format="PNG"), LIMITS)
        assert (made.type, made.mime) == ("png", "image/png")

    def test_a_large_one_is_scaled_down_and_keeps_its_type(self, tmp_path: Path) -> None:
        for name, kind in (("a.png", "png"), ("a.jpg", "jpeg")):
            made = pictures.prepared(picture(tmp_path / name, (300, 150)), LIMITS)
            assert (made.type, opened(made).size) == (kind, (100, 50))

    def test_a_png_that_stays_too_heavy_becomes_a_jpeg(self, tmp_path: Path) -> None:
        file = picture(tmp_path / "a.png", (90, 90), noise=True)
        light = ImageLimits(max_edge=100, max_bytes=5_000)
        assert file.stat().st_size > light.max_bytes
        made = pictures.prepared(file, light)
        assert (made.type, opened(made).size) == ("jpeg", (90, 90))
        assert len(made.content) <= light.max_bytes

    def test_one_that_no_quality_makes_light_enough_is_made_smaller(self, tmp_path: Path) -> None:
        light = ImageLimits(max_edge=100, max_bytes=1_000)
        made = pictures.prepared(picture(tmp_path / "a.png", (90, 90), noise=True), light)
        assert len(made.content) <= light.max_bytes
        assert max(opened(made).size) < 90

    def test_the_orientation_in_exif_is_applied(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6  # to be turned by a quarter to the right: the left half comes to the top
        made = opened(pictures.prepared(picture(tmp_path / "a.jpg", (80, 40), exif=exif), LIMITS))
        assert made.size == (40, 80)
        assert is_red(made, (20, 10))
        assert is_blue(made, (20, 70))
        assert made.getexif().get(0x0112) is None

    @pytest.mark.parametrize(
        ("mode", "name"),
        [("CMYK", "a.jpg"), ("CMYK", "a.tiff"), ("RGBA", "a.tiff"), ("P", "a.bmp"), ("1", "a.bmp")],
    )
    def test_what_apis_do_not_take_is_converted(self, tmp_path: Path, mode: str, name: str) -> None:
        made = pictures.prepared(picture(tmp_path / name, mode=mode), LIMITS)
        assert made.type in ("png", "jpeg")
        assert opened(made).mode in ("RGB", "RGBA", "L")
        assert opened(made).size == (64, 48)

    def test_sixteen_bits_become_eight_with_full_scale_for_full_scale(self, tmp_path: Path) -> None:
        row = b"\x00\x80" * 20 + b"\xff\xff" * 20  # 32768 in the left half, 65535 in the right one
        Image.frombytes("I;16", (40, 20), row * 20).save(tmp_path / "a.png")
        made = opened(pictures.prepared(tmp_path / "a.png", LIMITS))
        assert made.mode == "L"
        assert (made.getpixel((5, 5)), made.getpixel((35, 5))) == (127, 255)  # 32768 · 255 / 65535 = 127.5, cut

    def test_transparency_survives_scaling_and_becomes_white_in_a_jpeg(self, tmp_path: Path) -> None:
        Image.new("RGBA", (300, 300), (255, 0, 0, 0)).save(tmp_path / "a.png")
        assert opened(pictures.prepared(tmp_path / "a.png", LIMITS)).getchannel("A").getextrema() == (0, 0)
        only_jpeg = ImageLimits(max_edge=100, max_bytes=100_000, types=("jpeg",))
        assert opened(pictures.prepared(tmp_path / "a.png", only_jpeg)).getpixel((50, 50)) == (255, 255, 255)

    def test_of_a_picture_that_moves_the_first_frame_is_sent(self, tmp_path: Path) -> None:
        made = pictures.prepared(gif(tmp_path / "a.gif", 5), LIMITS)
        assert getattr(opened(made), "n_frames", 1) == 1
        assert numbers_of([made.content]) == [0]

    @settings(max_examples=60, deadline=None)
    @given(width=st.integers(1, 400), height=st.integers(1, 400), edge=st.integers(1, 200))
    def test_scaling_down_keeps_the_bounds_and_the_proportions(self, width: int, height: int, edge: int) -> None:
        made = pictures.shrunk(Image.new("L", (width, height)), edge)
        assert max(made.size) <= edge or made.size == (width, height)
        assert max(made.size) == min(edge, max(width, height))
        factor = min(1.0, edge / max(width, height))
        for now, before in zip(made.size, (width, height), strict=True):
            assert abs(now - before * factor) <= 0.5 + 1e-9 or now == 1  # half a pixel, as floats have it

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "the image is empty"),
            (b"no picture at all", "not a picture"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a picture"),
        ],
    )
    def test_what_is_no_picture_is_refused_by_name(self, tmp_path: Path, content: bytes, problem: str) -> None:
        (tmp_path / "a.png").write_bytes(content)
        with pytest.raises(DataError, match=f"a.png: {problem}"):
            pictures.prepared(tmp_path / "a.png", LIMITS)

    def test_a_missing_one_is_refused_by_name(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"gone\.png: there is no such image"):
            pictures.prepared(tmp_path / "gone.png", LIMITS)

    @pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.webp"])
    def test_a_cut_one_is_refused_by_name(self, tmp_path: Path, name: str) -> None:
        file = picture(tmp_path / name, (90, 90), noise=True)
        file.write_bytes(file.read_bytes()[:-800])
        with pytest.raises(DataError, match=rf"{name}: the picture is (cut or )?broken"):
            pictures.prepared(file, LIMITS)

    @pytest.mark.parametrize("name", ["a.jpg", "a.webp", "a.png"])
    @pytest.mark.parametrize("edge", [200, 32])
    def test_broken_exif_data_keep_nobody_from_seeing_a_picture(self, tmp_path: Path, name: str, edge: int) -> None:
        file = picture(tmp_path / name, exif=b"Exif\0\0ZZZZZZZZZZZZ")
        made = opened(pictures.prepared(file, ImageLimits(edge, 100_000)))
        assert made.size == ((64, 48) if edge > 64 else (32, 24))
        assert is_red(made, (2, 2))

    @pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
    @pytest.mark.parametrize("edge", [12_000, 60_000])
    def test_one_that_claims_too_many_pixels_is_not_decoded(self, tmp_path: Path, edge: int) -> None:
        def chunk(name: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

        head = struct.pack(">IIBBBBB", edge, edge, 8, 0, 0, 0, 0)
        content = (
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")
        )
        (tmp_path / "bomb.png").write_bytes(content)
        with pytest.raises(DataError, match=r"bomb\.png: the picture is too large"):
            pictures.prepared(tmp_path / "bomb.png", LIMITS)


class TestClips:
    @pytest.mark.parametrize(
        ("name", "codec"),
        [
            ("a.mp4", "mpeg4"),
            ("a.mkv", "ffv1"),
            ("a.avi", "mpeg4"),
            ("a.mov", "mpeg4"),
            ("b.mp4", "libx264"),
            ("a.webm", "libvpx-vp9"),
        ],
    )
    def test_frames_stand_at_the_centres_of_equal_parts(self, tmp_path: Path, name: str, codec: str) -> None:
        made = clips.prepared(clip(tmp_path / name, 40, codec=codec), VideoLimits(4, 100), LIMITS)
        # 40 frames in 4 parts of 10: the centres are at 5, 15, 25 and 35 frames.
        assert numbers_of([frame.content for frame in made]) == [5, 15, 25, 35]
        assert {frame.type for frame in made} == {"jpeg"}

    def test_a_gif_is_a_clip_too(self, tmp_path: Path) -> None:
        made = clips.prepared(gif(tmp_path / "a.gif", 10), VideoLimits(2, 100), LIMITS)
        assert numbers_of([frame.content for frame in made]) == [2, 7]  # 2.5 and 7.5, in the middle of these frames

    @pytest.mark.parametrize("frames", [1, 2, 5])
    def test_of_a_short_clip_each_frame_is_sent_once(self, tmp_path: Path, frames: int) -> None:
        made = clips.prepared(clip(tmp_path / "a.mp4", frames), VideoLimits(16, 100), LIMITS)
        assert numbers_of([frame.content for frame in made]) == list(range(frames))

    def test_frames_are_scaled_down(self, tmp_path: Path) -> None:
        made = clips.prepared(clip(tmp_path / "a.mp4", 3, size=(320, 160)), VideoLimits(2, 80), LIMITS)
        assert {opened(frame).size for frame in made} == {(80, 40)}

    def test_a_clip_that_was_filmed_upright_is_shown_upright(self, tmp_path: Path) -> None:
        file = clip(tmp_path / "a.mp4", 1, picture=Image.open(picture(tmp_path / "a.png")))
        content = file.read_bytes()
        start = content.index(struct.pack(">9I", *LYING), content.index(b"tkhd"))
        file.write_bytes(content[:start] + struct.pack(">9I", *UPRIGHT) + content[start + 36 :])
        (made,) = clips.prepared(file, VideoLimits(1, 100), LIMITS)
        assert opened(made).size == (48, 64)
        assert is_red(opened(made), (24, 5))  # the left half has come to the top
        assert is_blue(opened(made), (24, 60))

    @pytest.mark.parametrize(
        ("starts", "end", "number", "expected"),
        [
            ([0.0, 1.0, 2.0, 3.0], 4.0, 2, [1, 3]),  # at 1.0 and 3.0, when these frames begin
            ([0.0, 1.0, 2.0, 3.0], 4.0, 1, [2]),
            ([0.0, 9.0], 10.0, 5, [0, 1]),  # at 1, 3, 5, 7 and 9: the first frame is seen for most of the time
            ([5.0, 6.0], 7.0, 2, [0, 1]),  # a clip need not begin at 0
            ([], 0.0, 3, []),
        ],
    )
    def test_frames_are_chosen_by_when_they_are_seen(
        self, starts: list[float], end: float, number: int, expected: list[int]
    ) -> None:
        assert clips.centres(starts, end, number) == expected

    @settings(max_examples=60, deadline=None)
    @given(frames=st.integers(1, 60), number=st.integers(1, 60))
    def test_frames_of_equal_length_are_spread_evenly(self, frames: int, number: int) -> None:
        found = clips.centres([float(index) for index in range(frames)], float(frames), number)
        # Worked out in whole numbers: the frame at (2k + 1) · frames / (2 · number), rounded down.
        assert found == sorted({(2 * k + 1) * frames // (2 * number) for k in range(number)})
        assert len(found) == min(frames, number)

    def test_what_is_no_clip_is_refused_by_name(self, tmp_path: Path) -> None:
        limits = VideoLimits(4, 100)
        for content, problem in ((b"", "the video is empty"), (b"#EXTM3U\n/etc/passwd\n", "not a clip")):
            (tmp_path / "a.mp4").write_bytes(content)
            with pytest.raises(DataError, match=f"a.mp4: {problem}"):
                clips.prepared(tmp_path / "a.mp4", limits, LIMITS)
        with pytest.raises(DataError, match=r"b\.mp4: there is no such video"):
            clips.prepared(tmp_path / "b.mp4", limits, LIMITS)

    @pytest.mark.parametrize("name", ["a.mp4", "a.avi"])
    def test_a_cut_one_is_refused_by_name(self, tmp_path: Path, name: str) -> None:
        file = clip(tmp_path / name, 40)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 3])
        with pytest.raises(DataError, match=f"{name}: the clip"):
            clips.prepared(file, VideoLimits(16, 100), LIMITS)

    def test_one_of_an_unknown_encoding_is_refused_by_name(self, tmp_path: Path) -> None:
        file = clip(tmp_path / "a.mp4", 5)
        file.write_bytes(file.read_bytes().replace(b"mp4v", b"zzzz").replace(b"esds", b"zzzz"))
        with pytest.raises(DataError, match=r"a\.mp4: the clip's pictures are encoded in a way that is not known"):
            clips.prepared(file, VideoLimits(4, 100), LIMITS)


class TestSounds:
    def test_wav_and_mp3_are_sent_byte_for_byte(self, tmp_path: Path) -> None:
        for file, kind in ((tone(tmp_path / "a.mp3"), "wav"), (mp3(tmp_path / "a.wav"), "mp3")):
            assert sounds.prepared(file, SOUNDS) == sounds.Sound(file.read_bytes(), kind)

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "the audio is empty"),
            (b"fLaC" + bytes(40), r"the API takes wav and mp3, and this is flac\n +Convert it: ffmpeg"),
            (b"OggS" + bytes(40), "this is ogg"),
            (b"?" * 40, "this is nothing that is known"),
            (b"\xff\xfb\x90\x00" + bytes(20_000), "the sound has 20,004 bytes, and the API takes 10,000"),
            (b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0" + bytes(16) + b"data\0\0\0\0", "the sound is empty"),
            (b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0" + bytes(16), "it has no samples"),
        ],
    )
    def test_what_no_api_takes_is_refused_by_name(self, tmp_path: Path, content: bytes, problem: str) -> None:
        (tmp_path / "a.wav").write_bytes(content)
        with pytest.raises(DataError, match=rf"a\.wav: [\s\S]*{problem}"):
            sounds.prepared(tmp_path / "a.wav", SOUNDS)

    @pytest.mark.parametrize("size", [0x7FFFF000, 0xFFFFFFFF])  # as SoX and FFmpeg write it into a pipe
    def test_one_whose_length_was_not_known_when_it_was_written_is_sent(self, tmp_path: Path, size: int) -> None:
        file = tone(tmp_path / "a.wav")
        place = file.read_bytes().index(b"data") + 4
        file.write_bytes(file.read_bytes()[:place] + struct.pack("<I", size) + file.read_bytes()[place + 4 :])
        assert sounds.prepared(file, SOUNDS).content == file.read_bytes()

    def test_a_cut_one_is_refused(self, tmp_path: Path) -> None:
        file = tone(tmp_path / "a.wav")
        file.write_bytes(file.read_bytes()[:-100])
        with pytest.raises(DataError, match="1,500 of 1,600 bytes are there"):  # 800 samples of 2 bytes, less 100
            sounds.prepared(file, SOUNDS)


@pytest.mark.parametrize(("kind", "module"), [("image", "PIL"), ("video", "av")])
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, kind: str, module: str
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(UsageError, match=r"pip install 'proctor\[media\]'"):
        library(kind)
