"""The answers of the project's own MixEval-X data, found again in the shipped pictures, clips and sounds.

By means of their own: connected areas of a colour, the path of its middle through a clip, the
loudness and the strongest frequency of a sound over time.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import numpy as np
from mixeval_x_media import (
    Sound,
    blobs,
    clip,
    entry,
    middle,
    of_colour,
    picture,
    right_option,
    shown,
    sound,
)
from numpy.typing import NDArray
from scipy import ndimage


def test_blue_circles_can_be_counted() -> None:
    found = entry("image2text", "blue circles")
    areas = blobs(of_colour(picture(shown(found, "image2text")), "blue"))
    # a disc fills π/4 = 0.785 of its box, a square all of it
    fills = [area / np.prod([edge.stop - edge.start for edge in box]) for area, box in areas]
    assert found["target"][0] == str(sum(abs(fill - 0.785) < 0.03 for fill in fills))
    assert len(fills) == 5


def test_small_shapes_in_the_frame_can_be_counted() -> None:
    found = entry("image2text_hard", "small shapes that are not red")
    pixels = picture(shown(found, "image2text_hard"))
    black = np.nonzero(pixels.max(axis=-1) < 40)
    inside = pixels[black[0].min() : black[0].max(), black[1].min() : black[1].max()]
    red = of_colour(inside, "red")
    coloured = (inside.max(axis=-1) - inside.min(axis=-1) > 60) & ~red
    small = [area for area, box in blobs(coloured) if max(edge.stop - edge.start for edge in box) < 30]
    assert found["target"][0] == str(len(small))


def test_highest_bar_can_be_seen() -> None:
    found = entry("image2text", "most cups")
    bars = blobs(of_colour(picture(shown(found, "image2text")), "blue"))
    bars.sort(key=lambda bar: bar[1][1].start)
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
    heights = [box[0].stop - box[0].start for _, box in bars]
    assert found["target"][0] == days[int(np.argmax(heights))]
    assert len(heights) == len(days)


def test_balanced_row_can_be_seen() -> None:
    found = entry("image2text_hard", "as many red cells as blue")
    pixels = picture(shown(found, "image2text_hard"))
    cells = {colour: Counter(box[0].start for _, box in blobs(of_colour(pixels, colour))) for colour in ("red", "blue")}
    # neighbours are kept apart by a gap, so that every cell is a blob of its own
    tops = sorted(cells["red"] | cells["blue"])
    (row,) = (number for number, top in enumerate(tops, 1) if cells["red"][top] == cells["blue"][top])
    assert right_option(found) == f"row {row}"
    assert len(tops) == 4


# --- clips -------------------------------------------------------------------------------------------------


def test_direction_of_the_red_circle_can_be_followed() -> None:
    found = entry("video2text", "direction does the red circle")
    frames = clip(shown(found, "video2text"))
    columns, rows = zip(*(middle(of_colour(frame, "red")) for frame in frames), strict=True)
    steps = np.diff(columns)
    assert found["target"][0] == "right"
    assert (steps > 1).all()
    assert np.ptp(rows) < 2


def test_shape_that_stays_can_be_seen() -> None:
    found = entry("video2text", "stays where it is")
    frames = clip(shown(found, "video2text"))
    ways = {
        colour: np.hypot(*np.subtract(middle(of_colour(frames[-1], colour)), middle(of_colour(frames[0], colour))))
        for colour in ("red", "blue", "green")
    }
    (still,) = (colour for colour, way in ways.items() if way < 2)
    assert f" {still} " in right_option(found)


def test_flashes_of_the_lamp_can_be_counted() -> None:
    found = entry("video2text", "lamp light up?")
    lit = clip(shown(found, "video2text"))[:, 85, 128].max(axis=-1) > 100
    assert found["target"][0] == str(sum(on for on, _ in groupby(lit)))


def test_bounces_can_be_counted() -> None:
    found = entry("video2text", "hit the ground")
    frames = clip(shown(found, "video2text"))
    ball = of_colour(frames, "red") | of_colour(frames, "blue")
    heights = np.array([middle(mask)[1] for mask in ball])
    lowest = (heights[1:-1] > heights[:-2]) & (heights[1:-1] >= heights[2:])
    assert found["target"][0] == str(int(lowest.sum()))
    assert heights.max() > 145


def test_ball_can_be_followed_under_the_cups() -> None:
    found = entry("video2text_hard", "covered by a cup")
    frames = clip(shown(found, "video2text_hard"))
    columns = (48, 128, 208)
    ball = int(np.argmin([abs(middle(of_colour(frames[0], "red"))[0] - column) for column in columns]))
    # each cup that rests shows a piece of its stripe in the row 86; a moving one has left it from its first step on
    stripes = np.stack([frames[16:, 84:88, column - 3 : column + 3] for column in columns], axis=1)
    moved = np.abs(stripes - stripes[-1]).mean(axis=(2, 3, 4)) > 40
    swaps = [next(group) for moving, group in groupby(moved, key=lambda places: bool(places.any())) if moving]
    for places in swaps:
        first, second = np.nonzero(places)[0].tolist()
        ball = {first: second, second: first}.get(ball, ball)
    assert right_option(found) == f"the {('left', 'middle', 'right')[ball]} one"
    assert entry("video2text_hard", "two cups change places")["target"][0] == str(len(swaps))


def test_race_can_be_judged() -> None:
    found = entry("video2text_hard", "arrive at the black line")
    frames = clip(shown(found, "video2text_hard"))
    ways = {colour: [middle(of_colour(frame, colour))[0] for frame in frames] for colour in ("red", "blue", "green")}
    arrivals = {colour: next(time for time, x in enumerate(way) if x >= 214) for colour, way in ways.items()}
    order = sorted(arrivals, key=arrivals.__getitem__)
    assert found["target"][0] == ", ".join(order)
    leader = max(ways, key=lambda colour: ways[colour][12])
    assert right_option(entry("video2text_hard", "overtaken later")) == f"the {leader} ball"


def test_letters_visited_can_be_followed() -> None:
    found = entry("video2text_hard", "letters does the yellow dot visit")
    frames = clip(shown(found, "video2text_hard"))
    letters = ("KRT", "ASE", "MOL")
    visited = []
    for before, after in pairwise(middle(of_colour(frame, "yellow")) for frame in frames):
        if np.hypot(*np.subtract(after, before)) < 1:  # at rest
            visited.append(letters[round((after[1] - 38) / 58)][round((after[0] - 60) / 68)])
    assert found["target"][1] == "".join(letter for letter, _ in groupby(visited))


def test_gauge_can_be_read() -> None:
    found = entry("video2text_hard", "rise above the red line")
    column = clip(shown(found, "video2text_hard"))[:, :, 123]
    tops = np.array([np.nonzero(of_colour(frame, "blue"))[0].min() for frame in column])
    red = np.nonzero(of_colour(column[0], "red"))[0].mean()
    above = tops < red - 3
    assert found["target"][0] == str(sum(is_above for is_above, _ in groupby(above)))
    # the scale: 0 at row 175, 16 pixels for 1
    assert right_option(entry("video2text_hard", "highest value")) == f"about {round((175 - tops.min()) / 16)}"


def test_cars_on_green_can_be_counted() -> None:
    found = entry("video2text_hard", "while the light is green")
    frames = clip(shown(found, "video2text_hard"))
    green = of_colour(frames[:, 66, 137], "green")
    # under a car the white line is hidden
    hidden = frames[:, 140, 137].min(axis=-1) < 150
    crossings = [list(group) for on, group in groupby(range(len(frames)), key=lambda time: bool(hidden[time])) if on]
    assert len(crossings) == 5
    assert found["target"][0] == str(sum(bool(green[times].all()) for times in crossings))
    assert all(green[times].all() or not green[times].any() for times in crossings), "no car crosses at the change"


# --- sounds ------------------------------------------------------------------------------------------------

WINDOW = 160  # samples, 20 ms at 8 kHz


def loudness(heard: Sound) -> Sound:
    """Root mean square of every window."""
    windows = heard[: heard.size // WINDOW * WINDOW].reshape(-1, WINDOW)
    level: Sound = np.sqrt((windows**2).mean(axis=1))
    return level


def pieces(heard: Sound, floor: float = 0.02) -> list[Sound]:
    """What lies between silences."""
    labels, count = ndimage.label(np.repeat(loudness(heard) > floor, WINDOW))
    cut = heard[: labels.size]
    return [cut[labels == number] for number in range(1, count + 1)]


def strongest(heard: Sound) -> float:
    """The strongest frequency, in hertz."""
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(heard.size)))
    return float(np.fft.rfftfreq(heard.size, 1 / 8000)[int(spectrum.argmax())])


def band(heard: Sound, low: float, high: float) -> Sound:
    """Only the frequencies from *low* to *high*, in hertz."""
    spectrum = np.fft.rfft(heard)
    frequencies = np.fft.rfftfreq(heard.size, 1 / 8000)
    spectrum[(frequencies < low) | (frequencies > high)] = 0
    kept: Sound = np.fft.irfft(spectrum, heard.size)
    return kept


def heard_in(asked: str, task: str) -> tuple[list[str], Sound]:
    """The accepted answers and the sound of a question."""
    found = entry(task, asked)
    return found["target"], sound(shown(found, task))


def starts(level: NDArray[np.float64]) -> list[int]:
    """The windows in which the loudness jumps up."""
    jumps = np.diff(level, prepend=0) > 0.03
    return [number for number in range(1, jumps.size) if jumps[number] and not jumps[number - 1]]


def test_beeps_and_knocks_can_be_counted() -> None:
    for asked in ("How many beeps are heard", "somebody knock"):
        target, heard = heard_in(asked, "audio2text")
        assert target[0] == str(len(pieces(heard))), asked


def test_the_tone_rises() -> None:
    target, heard = heard_in("pitch of the tone", "audio2text")
    (tone,) = pieces(heard)
    pitches = [strongest(part) for part in np.array_split(tone, 10)]
    assert target[0] == "it rises"
    assert pitches == sorted(pitches)
    assert pitches[-1] > 3 * pitches[0]


def test_the_tones_become_louder() -> None:
    target, heard = heard_in("louder or quieter", "audio2text")
    levels = [float(np.abs(part).max()) for part in pieces(heard)]
    assert target[0] == "louder"
    assert len(levels) == 4
    assert all(second > 1.5 * first for first, second in pairwise(levels))


def test_the_second_beep_is_the_longest() -> None:
    target, heard = heard_in("Which one is the longest", "audio2text")
    lengths = [part.size for part in pieces(heard)]
    assert target[1] == ("first", "second", "third")[int(np.argmax(lengths))]
    assert max(lengths) > 2 * sorted(lengths)[-2]


def test_the_siren_wails_and_the_bird_chirps() -> None:
    _, heard = heard_in("a bell, a siren", "audio2text")
    (wail,) = pieces(heard)
    pitches = np.array([strongest(part) for part in np.array_split(wail, 20)])
    assert 550 < pitches.min() < 750
    assert 1050 < pitches.max() < 1250
    _, heard = heard_in("kind of animal", "audio2text")
    chirps = pieces(heard)
    assert len(chirps) == 6
    assert all(2200 < strongest(chirp) < 3500 for chirp in chirps)


def vowel_of(part: Sound) -> str:
    """The sung vowel: in "ah" the first formant is high; "ee" has a second one above 2000 Hz, "oo" has not."""
    low, middle_band, high = (
        float((band(part, *edges) ** 2).sum()) for edges in ((50, 500), (550, 1300), (2000, 2600))
    )
    if middle_band > low:
        return "ah"
    return "ee" if high > 0.0005 * low else "oo"


def test_vowels_can_be_told_apart() -> None:
    target, heard = heard_in("sings one vowel", "audio2text")
    assert target[0] == ", ".join(vowel_of(part) for part in pieces(heard))
    target, heard = heard_in("sings four vowels", "audio2text_hard")
    assert target[0] == ", ".join(vowel_of(part) for part in pieces(heard))


def test_rises_of_the_tune_can_be_counted() -> None:
    target, heard = heard_in("tune of seven notes", "audio2text_hard")
    notes = [strongest(part) for part in pieces(heard)]
    assert len(notes) == 7
    assert target[0] == str(sum(second > first for first, second in pairwise(notes)))


def test_low_and_high_beeps_can_be_counted() -> None:
    target, heard = heard_in("more low ones", "audio2text_hard")
    notes = [strongest(part) for part in pieces(heard)]
    low = sum(note < 700 for note in notes)
    assert target[0] == str(low - (len(notes) - low))


def test_order_of_three_sounds_can_be_heard() -> None:
    target, heard = heard_in("one after another", "audio2text_hard")
    tones = [strongest(part) for part in pieces(heard, 0.01)]
    kinds = ["a bird" if tone > 2000 else "a bell" if tone > 400 else "a knock" for tone in tones]
    assert target[0] == ", ".join(kind for kind, _ in groupby(kinds))


def test_beeps_in_the_rain_can_be_counted() -> None:
    target, heard = heard_in("rain begins", "audio2text_hard")
    rain = int(np.argmax(loudness(band(heard, 2500, 4000)) > 0.01))
    beeps = starts(loudness(band(heard, 900, 1100)))
    assert target[0] == str(sum(beep > rain for beep in beeps))
    assert len(beeps) == 7


def test_bells_over_the_engine_can_be_counted() -> None:
    target, heard = heard_in("engine runs", "audio2text_hard")
    running = np.nonzero(loudness(band(heard, 30, 400)) > 0.02)[0]
    strokes = starts(loudness(band(heard, 600, 4000)))
    assert target[0] == str(sum(running[0] < stroke < running[-1] for stroke in strokes))
    assert len(strokes) == 4


def test_the_group_with_another_rhythm_can_be_heard() -> None:
    target, heard = heard_in("another rhythm", "audio2text_hard")
    lengths = ["l" if part.size > 1600 else "s" for part in pieces(heard)]
    groups = ["".join(lengths[first : first + 3]) for first in (0, 3, 6)]
    odd = [groups.count(group) for group in groups].index(1)
    assert target[1] == ("first", "second", "third")[odd]
    assert len(lengths) == 9


def test_the_changed_note_can_be_heard() -> None:
    target, heard = heard_in("played twice", "audio2text_hard")
    notes = [strongest(part) for part in pieces(heard)]
    changes = [abs(old - new) > 20 for old, new in zip(notes[:5], notes[5:], strict=True)]
    assert target[1] == ("first", "second", "third", "fourth", "fifth")[changes.index(True)]
    assert sum(changes) == 1
