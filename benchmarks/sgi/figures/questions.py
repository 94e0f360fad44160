"""Questions about pictures: each draws what it asks about, and computes its answer from what it has drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PIL import Image

from benchmarks.sgi.figures.canvas import PALETTE, blank, write
from benchmarks.sgi.figures.plot import Plot


@dataclass(frozen=True)
class Question:
    """A question of multiple choice.

    Args:
        discipline: Of the ten.
        kind: ``signal perception``, ``attribute understanding``, ``comparative reasoning`` or ``causal reasoning``.
        image_type: What the pictures are: of an experiment, an observation, a simulation, a process …
        text: The question.
        pictures: What it is about.
        options: What there is to choose from, in order.
        answer: The right one of them.
        steps: How to get there.
    """

    discipline: str
    kind: str
    image_type: str
    text: str
    pictures: Sequence[Image.Image]
    options: Sequence[str]
    answer: str
    steps: Sequence[str]


def resistor() -> Question:
    """A voltage over a current: the slope is the resistance."""
    ohms, amperes = 40, [0.05, 0.1, 0.15, 0.2]
    plot = Plot("Resistor", ("current in A", [0, 0.05, 0.1, 0.15, 0.2, 0.25]), ("voltage in V", [0, 2, 4, 6, 8, 10]))
    plot.curve(lambda x: ohms * x, "grey")
    plot.dots([(x, ohms * x) for x in amperes], "blue")
    return Question(
        "physics",
        "attribute understanding",
        "experiment",
        "What is the resistance of the resistor?",
        [plot.picture],
        [f"{value:g} ohm" for value in (0.025, 8, 25, ohms, 80)],
        f"{ohms:g} ohm",
        ["The dots lie on a line through the origin.", "At 0.2 A the voltage is 8 V.", "8 V / 0.2 A = 40 ohm."],
    )


def titration() -> Question:
    """A titration curve, steepest where acid and base are equal."""
    acid_ml, base_molar, equivalent_ml = 20, 0.1, 30
    plot = Plot(
        f"Titration of {acid_ml} mL of HCl",
        (f"added NaOH, {base_molar:g} mol/L, in mL", [0, 10, 20, 30, 40, 50]),
        ("pH", [0, 2, 4, 6, 8, 10, 12, 14]),
    )
    plot.curve(lambda x: 7 + 5.4 * math.tanh((x - equivalent_ml) / 2.5), "purple")
    molar = base_molar * equivalent_ml / acid_ml
    return Question(
        "chemistry",
        "causal reasoning",
        "experiment",
        "What was the concentration of the acid before the titration?",
        [plot.picture],
        [f"{value:g} mol/L" for value in (0.067, 0.1, molar, 0.2, 0.3)],
        f"{molar:g} mol/L",
        [
            "The pH is 7, where the curve is steepest, at 30 mL of base.",
            "The base added is 0.1 mol/L x 30 mL = 3 mmol, and as much acid was there.",
            "3 mmol / 20 mL = 0.15 mol/L.",
        ],
    )


def transits() -> Question:
    """The light of a star that a planet dims."""
    first, period, days = 2, 6, 24
    plot = Plot(
        "Light of a star", ("time in days", range(0, days + 1, 2)), ("brightness in %", [0, 20, 40, 60, 80, 100])
    )
    dips = [first + period * number for number in range(4)]
    light = [(0.0, 90.0)]
    for dip in dips:
        light += [(dip - 0.4, 90), (dip - 0.2, 60), (dip + 0.2, 60), (dip + 0.4, 90)]
    plot.line([*light, (days, 90)], "orange")
    return Question(
        "astronomy",
        "signal perception",
        "observation",
        "A planet dims the star whenever it passes in front of it. How long does it take to go round the star?",
        [plot.picture],
        [f"{value:g} days" for value in (2, 4, period, 8, 24)],
        f"{period:g} days",
        ["The brightness falls at 2, 8, 14 and 20 days.", "From one fall to the next it is 6 days."],
    )


def earthquake() -> Question:
    """A seismogram with two waves that are not equally fast."""
    p_speed, s_speed, p_arrives, s_arrives = 8, 4, 10, 20  # km/s, s
    plot = Plot("Seismogram", ("time after the earthquake in s", range(0, 36, 5)), ("deflection", [0, 1, 2]))

    def trace(x: float) -> float:
        strength = 0.0 if x < p_arrives else 0.25 if x < s_arrives else 0.8 * math.exp(-(x - s_arrives) / 12)
        return 1 + strength * math.sin(7 * x)

    plot.line([(x / 8, trace(x / 8)) for x in range(281)], "black", 1)
    plot.name((p_arrives, 1.6), "P", "blue")
    plot.name((s_arrives, 1.95), "S", "red")
    distance = p_speed * p_arrives
    assert distance == s_speed * s_arrives
    return Question(
        "earth",
        "causal reasoning",
        "observation",
        f"P waves travel at {p_speed} km/s and S waves at {s_speed} km/s. How far from the station was the earthquake?",
        [plot.picture],
        [f"{value:g} km" for value in (20, 40, distance, 120, 160)],
        f"{distance:g} km",
        [
            "The P wave arrives after 10 s, the S wave after 20 s.",
            "10 s x 8 km/s = 80 km, and 20 s x 4 km/s = 80 km as well.",
        ],
    )


def solar_cell() -> Question:
    """Current over voltage of a cell: the power is largest before the current falls."""
    points = [(0, 5), (1, 5), (2, 5), (3, 4.5), (4, 3), (5, 0)]
    plot = Plot("Solar panel", ("voltage in V", range(6)), ("current in A", range(7)))
    plot.line(points, "red")
    plot.dots(points, "red")
    power = {volts: volts * amperes for volts, amperes in points}
    best = max(power, key=power.__getitem__)
    return Question(
        "energy",
        "attribute understanding",
        "experiment",
        "At which of the marked points does the panel give the most power?",
        [plot.picture],
        [f"{volts} V" for volts, _ in points[1:]],
        f"{best} V",
        [
            "Power is voltage times current: 5 W at 1 V, 10 W at 2 V, 13.5 W at 3 V, 12 W at 4 V, 0 W at 5 V.",
            "It is largest at 3 V.",
        ],
    )


def stiffness() -> Question:
    """Stress over strain of three materials."""
    stiff = {"X": (60, "blue", 0.9), "Y": (100, "red", 1.3), "Z": (25, "green", 2.8)}  # GPa, and where it breaks, %
    plot = Plot(
        "Tensile test", ("strain in %", [0, 0.5, 1, 1.5, 2, 2.5, 3]), ("stress in GPa", [0, 0.3, 0.6, 0.9, 1.2, 1.5])
    )
    for name, (gigapascal, colour, end) in stiff.items():
        plot.line([(0, 0), (end, gigapascal * end / 100)], colour)
        plot.name((end + 0.1, gigapascal * end / 100), name, colour)
    by_energy = sorted(stiff, key=lambda name: stiff[name][0] * stiff[name][2] ** 2)
    by_modulus = sorted(stiff, key=lambda name: stiff[name][0])
    assert by_energy[0] != by_modulus[0]
    return Question(
        "material",
        "comparative reasoning",
        "experiment",
        "Each line ends where the material breaks. Which takes up the least energy per volume before it breaks?",
        [plot.picture],
        ["X", "Y", "Z", "all three the same"],
        by_energy[0],
        [
            "The energy per volume is the area below a line, half of its height times its length.",
            "X: 0.5 x 0.54 GPa x 0.9 % = 2.4 MJ per cubic metre; Y: 0.5 x 1.3 x 1.3 = 8.5; Z: 0.5 x 0.7 x 2.8 = 9.8.",
            "It is least for X.",
        ],
    )


def spikes() -> Question:
    """Times at which a neuron fires, before and after a light."""
    before, after = [60, 180, 310, 430], [515, 555, 590, 640, 675, 715, 760, 800, 845, 890, 930, 975]
    plot = Plot("Spikes of a neuron", ("time in ms", range(0, 1001, 250)), ("", [0, 1]))
    for time in (*before, *after):
        plot.line([(time, 0.25), (time, 0.65)], "black", 2)
    plot.line([(500, 0), (500, 1)], "orange", 2)
    plot.name((590, 0.85), "light on", "orange")
    ratio = len(after) / len(before)
    return Question(
        "neuroscience",
        "signal perception",
        "experiment",
        "Each short line is a spike. By what factor does the firing rate rise when the light goes on?",
        [plot.picture],
        [f"{value:g}" for value in (1, 2, ratio, 4, 6, 12)],
        f"{ratio:g}",
        ["In the first 500 ms there are 4 spikes.", "In the 500 ms with light there are 12.", "12 / 4 = 3."],
    )


def confusion() -> Question:
    """A table of right and wrong classifications."""
    table = {"cat": (40, 5, 5), "dog": (10, 30, 10), "fox": (2, 8, 20)}
    picture, draw = blank((320, 230))
    write(draw, (200, 16), "predicted", 15)
    write(draw, (36, 42), "true", 15)
    for column, name in enumerate(table):
        write(draw, (120 + 80 * column, 42), name, 15)
    for line, (name, counts) in enumerate(table.items()):
        write(draw, (36, 85 + 55 * line), name, 15)
        for column, count in enumerate(counts):
            x, y = 120 + 80 * column, 85 + 55 * line
            draw.rectangle((x - 36, y - 24, x + 36, y + 24), fill=PALETTE["sky" if line == column else "pale"])
            write(draw, (x, y), str(count), 18)
    recall = table["dog"][1] / sum(table["dog"])
    return Question(
        "information",
        "attribute understanding",
        "visualization",
        "What is the recall of the class dog?",
        [picture],
        [f"{value:.3f}" for value in (30 / 43, recall, 30 / 130, 90 / 130, 40 / 50)],
        f"{recall:.3f}",
        ["The row dog holds 10 + 30 + 10 = 50 dogs.", "30 of them are predicted as dogs.", "30 / 50 = 0.600."],
    )


def network() -> Question:
    """A graph with weights, whose shortest way is not the one with the fewest edges."""
    places = {"S": (45, 120), "A": (130, 45), "B": (130, 195), "C": (225, 45), "T": (310, 120)}
    weights = {("S", "A"): 2, ("S", "B"): 4, ("A", "B"): 1, ("A", "C"): 7, ("B", "T"): 6, ("C", "T"): 1, ("B", "C"): 3}
    picture, draw = blank((355, 240))
    for (first, second), weight in weights.items():
        (x1, y1), (x2, y2) = places[first], places[second]
        draw.line((x1, y1, x2, y2), fill=PALETTE["grey"], width=3)
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        draw.ellipse((middle[0] - 11, middle[1] - 11, middle[0] + 11, middle[1] + 11), fill=PALETTE["white"])
        write(draw, middle, str(weight), 15)
    for name, (x, y) in places.items():
        draw.ellipse((x - 17, y - 17, x + 17, y + 17), fill=PALETTE["blue"])
        write(draw, (x, y), name, 16, colour="white")
    ways = {way: _length(way, weights) for way in ("SACT", "SBT", "SABT", "SABCT", "SBCT")}
    return Question(
        "mathematics",
        "comparative reasoning",
        "visualization",
        "The number on an edge is its length. Which is the shortest way from S to T?",
        [picture],
        ["-".join(way) for way in ways],
        "-".join(min(ways.items(), key=lambda way: way[1])[0]),
        [
            "S-A-C-T: 2 + 7 + 1 = 10; S-B-T: 4 + 6 = 10; S-A-B-T: 2 + 1 + 6 = 9.",
            "S-A-B-C-T: 2 + 1 + 3 + 1 = 7; S-B-C-T: 4 + 3 + 1 = 8.",
            "The shortest is S-A-B-C-T.",
        ],
    )


def _length(way: str, weights: dict[tuple[str, str], int]) -> int:
    return sum(weights.get((a, b)) or weights[b, a] for a, b in pairwise(way))


def gel() -> Question:
    """Bands of DNA: two pictures, of a sample and of four suspects."""
    bands = {"1": (40, 90, 150), "2": (40, 110, 150), "3": (65, 110, 170), "4": (40, 110, 170)}
    found = "2"
    sample, suspects = _gel("sample", {"": bands[found]}, 140), _gel("suspects", bands, 280)
    return Question(
        "life",
        "comparative reasoning",
        "experiment",
        "The first picture shows the DNA bands of a sample, the second those of four suspects on the same scale. Whose "
        "bands are those of the sample?",
        [sample, suspects],
        [f"suspect {name}" for name in bands],
        f"suspect {found}",
        [
            "The sample has bands at 40, 110 and 150.",
            "Suspect 1 has 90 instead of 110, suspect 3 has 65 and 170, suspect 4 has 170 instead of 150.",
            "Suspect 2 has all three.",
        ],
    )


def _gel(title: str, lanes: Mapping[str, tuple[int, ...]], width: int) -> Image.Image:
    picture, draw = blank((width, 220), "black")
    write(draw, (width / 2, 12), title, 14, colour="white")
    for height in range(40, 200, 40):
        write(draw, (18, height), str(height), 12, colour="grey")
    for number, (name, heights) in enumerate(lanes.items()):
        x = 75 + 55 * number
        write(draw, (x, 205), name, 14, colour="white")
        for height in heights:
            draw.rectangle((x - 18, height - 3, x + 18, height + 3), fill=PALETTE["sky"])
    return picture


def growth() -> Question:
    """The growth of a culture on a logarithmic scale, read as a doubling time."""
    start, per_hour = 1, 2  # doublings
    plot = Plot("Bacteria", ("time in h", [0, 1, 2, 3, 4]), ("log2 of the cells per mL, in thousands", range(0, 11, 2)))
    points = [(hour, start + per_hour * hour) for hour in range(5)]
    plot.line(points, "green")
    plot.dots(points, "green")
    minutes = 60 / per_hour
    return Question(
        "life",
        "causal reasoning",
        "experiment",
        "How long does the culture take to double?",
        [plot.picture],
        [f"{value:g} minutes" for value in (15, minutes, 60, 120)],
        f"{minutes:g} minutes",
        [
            "The vertical axis is the logarithm to base 2, so that one unit is one doubling.",
            "It rises by 8 in 4 h, by 2 an hour.",
            "60 minutes / 2 = 30 minutes.",
        ],
    )


def batteries() -> Question:
    """What went into four batteries, and what came out: two pictures."""
    stored = {"P": (10, 8), "Q": (6, 5.4), "R": (9, 6.3), "S": (12, 9)}
    pictures = []
    for title, which, colour in (("Energy put in", 0, "blue"), ("Energy taken out", 1, "orange")):
        plot = Plot(title, ("battery", [5]), ("kWh", range(0, 13, 2)))
        for number, (name, energy) in enumerate(stored.items(), 1):
            plot.bar(number, energy[which], colour)
            plot.name((number, energy[which] + 0.7), f"{energy[which]:g}")
            plot.name((number, -0.7), name)
        pictures.append(plot.picture)
    share = {name: out / put_in for name, (put_in, out) in stored.items()}
    return Question(
        "energy",
        "comparative reasoning",
        "experiment",
        "Which battery loses the smallest share of the energy that was put in?",
        pictures,
        list(stored),
        max(share, key=share.__getitem__),
        [
            "What comes out of what went in: P 8/10 = 80 %, Q 5.4/6 = 90 %, R 6.3/9 = 70 %, S 9/12 = 75 %.",
            "Q loses the smallest share, 10 %.",
        ],
    )


QUESTIONS: Sequence[Callable[[], Question]] = (
    *(resistor, titration, transits, earthquake, solar_cell, stiffness),
    *(spikes, confusion, network, gel, growth, batteries),
)
