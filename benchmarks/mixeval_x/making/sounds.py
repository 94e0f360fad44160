"""Sounds synthesised sample by sample, and the WAV files they become."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SAMPLES_A_SECOND = 8000
FADE = 0.01
"""Seconds in which a tone swells and dies away, so that it does not click."""

Sound = NDArray[np.float64]
"""Samples between -1 and 1."""


def clock(seconds: float) -> Sound:
    """The time of every sample, in seconds from 0."""
    return np.arange(round(seconds * SAMPLES_A_SECOND)) / SAMPLES_A_SECOND


def silence(seconds: float) -> Sound:
    """Nothing to hear."""
    return np.zeros_like(clock(seconds))


def tone(hertz: float, seconds: float, loudness: float = 0.5) -> Sound:
    """A pure tone with soft ends."""
    return glide(hertz, hertz, seconds, loudness)


def glide(first: float, last: float, seconds: float, loudness: float = 0.5) -> Sound:
    """A tone whose pitch goes evenly from *first* to *last*, in hertz."""
    times = clock(seconds)
    # the phase is the integral of the frequency
    phase = 2 * np.pi * (first * times + (last - first) * times**2 / (2 * seconds))
    return loudness * np.sin(phase) * _soft_ends(seconds)


def _soft_ends(seconds: float) -> Sound:
    times = clock(seconds)
    envelope: Sound = np.clip(np.minimum(times, seconds - times) / FADE, 0, 1)
    return envelope


def knock() -> Sound:
    """A knuckle on wood: a low thud and a short burst of noise, 0.2 s."""
    times = clock(0.2)
    thud = np.sin(2 * np.pi * 170 * times) * np.exp(-times / 0.03)
    burst = _noise(times.size, seed=1) * np.exp(-times / 0.006)
    return 0.6 * thud + 0.3 * burst


def bell() -> Sound:
    """A struck bell: partials that are no multiples of one another and die away, 0.8 s."""
    times = clock(0.8)
    partials = ((1.0, 1.0), (2.0, 0.5), (2.4, 0.4), (3.0, 0.25), (4.5, 0.15))
    rings = (
        weight * np.sin(2 * np.pi * 700 * ratio * times) * np.exp(-times * ratio / 0.35) for ratio, weight in partials
    )
    struck: Sound = 0.3 * np.sum(list(rings), axis=0) * _soft_ends(0.8)
    return struck


def birdsong() -> Sound:
    """Three quick whistled chirps, 0.55 s."""
    chirp = np.concatenate([glide(2300, 3400, 0.07), glide(3400, 2700, 0.05), silence(0.065)])
    return np.tile(chirp, 3)[: clock(0.55).size]


def siren(seconds: float) -> Sound:
    """A tone that wails up and down between 600 and 1200 Hz, once a second."""
    times = clock(seconds)
    phase = 2 * np.pi * 900 * times - 300 * np.cos(2 * np.pi * times)
    wail: Sound = 0.45 * np.sin(phase) * _soft_ends(seconds)
    return wail


def rain(seconds: float) -> Sound:
    """An even rush of noise with drops in it."""
    size = clock(seconds).size
    rush = np.diff(_noise(size + 1, seed=2)) * 0.12
    drops = _noise(size, seed=3)
    return rush + np.where(np.abs(drops) > 0.998, drops * 0.4, 0)


def engine(seconds: float, loudness: float = 0.4) -> Sound:
    """A running motor: a buzz of 45 pulses a second."""
    times = clock(seconds)
    buzz = np.sum([np.sin(2 * np.pi * 45 * order * times) / order for order in range(1, 9)], axis=0)
    # it throbs eleven times a second
    motor: Sound = loudness * 0.6 * buzz * (0.85 + 0.15 * np.sin(2 * np.pi * 11 * times)) * _soft_ends(seconds)
    return motor


def _noise(size: int, seed: int) -> Sound:
    """White noise between -1 and 1, the same for the same seed."""
    return np.random.default_rng(seed).random(size) * 2 - 1


def in_turn(parts: list[Sound], gap: float, lead: float = 0.2) -> Sound:
    """The parts one after another, *gap* seconds of silence between them, *lead* seconds before and after."""
    pieces = [silence(lead)]
    for part in parts:
        pieces += [part, silence(gap)]
    return np.concatenate([*pieces[:-1], silence(lead)])


def together(seconds: float, parts: list[tuple[float, Sound]]) -> Sound:
    """The parts added up in a sound of *seconds*, each from its starting time on."""
    mixed = silence(seconds)
    for start, part in parts:
        first = round(start * SAMPLES_A_SECOND)
        mixed[first : first + part.size] += part
    return mixed


def save_sound(sound: Sound, path: Path) -> None:
    """Write a WAV file: one channel, 16 bits."""
    samples = np.round(np.clip(sound, -1, 1) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLES_A_SECOND)
        file.writeframes(samples.tobytes())
