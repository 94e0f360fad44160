"""A small formant synthesiser: a voice that sings vowels."""

from __future__ import annotations

import numpy as np

from benchmarks.mixeval_x.making.sounds import SAMPLES_A_SECOND, Sound, clock

FORMANTS = {"ah": (730, 1090, 2440), "ee": (270, 2290, 3010), "oo": (300, 870, 2240)}
"""Resonances of a man's mouth in hertz, after Peterson and Barney, 1952: as in father, see and blue."""

HIGHER_FORMANTS = (3500, 4500)
"""Of any vowel; without them the second and third resonance would be too weak to tell vowels apart."""

BANDWIDTHS = (60, 90, 150, 200, 200)
"""Of the resonances, in hertz."""


def vowel(name: str, seconds: float, pitch: float = 120) -> Sound:
    """A sung vowel.

    The harmonics of the pitch, 12 dB an octave weaker at the source, of which the lips give back 6, each scaled by the
    response of five resonators in series: ``1 / |1 - (f/F)² + j f B/F²|``.

    Args:
        name: a key of FORMANTS.
        seconds: how long.
        pitch: in hertz.
    """
    times = clock(seconds)
    # a slow, slight vibrato, without which it sounds like a machine
    phase = 2 * np.pi * pitch * times + 0.4 * np.sin(2 * np.pi * 5 * times)
    voice = np.zeros_like(times)
    for order in range(1, int(SAMPLES_A_SECOND / 2 / pitch)):
        frequency = order * pitch
        weight = 1 / order
        for resonance, bandwidth in zip(FORMANTS[name] + HIGHER_FORMANTS, BANDWIDTHS, strict=True):
            weight /= abs(complex(1 - (frequency / resonance) ** 2, frequency * bandwidth / resonance**2))
        voice += weight * np.sin(order * phase)
    swell = np.clip(np.minimum(times, seconds - times) / 0.05, 0, 1)
    sound: Sound = 0.7 * voice / np.max(np.abs(voice)) * swell
    return sound
