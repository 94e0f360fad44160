"""What is asked about sounds: how many, in which order, how they change."""

from __future__ import annotations

from itertools import pairwise

from benchmarks.mixeval_x.making.entries import FreeForm, Medium, number
from benchmarks.mixeval_x.making.sounds import (
    Sound,
    bell,
    birdsong,
    engine,
    glide,
    in_turn,
    knock,
    rain,
    siren,
    together,
    tone,
)
from benchmarks.mixeval_x.making.speech import vowel

ORDINALS = ("first", "second", "third", "fourth", "fifth")


def easy() -> list[Medium[Sound]]:
    """The sounds of audio2text."""
    return [beeps(), sliding_tone(), knocks(), warning(), animal(), swelling_tone(), one_vowel(), longest_beep()]


def hard() -> list[Medium[Sound]]:
    """The sounds of audio2text_hard."""
    return [
        tune(),
        three_sounds(),
        beeps_in_rain(),
        low_and_high(),
        vowels_in_turn(),
        bells_and_engine(),
        odd_rhythm(),
        changed_note(),
    ]


def beeps() -> Medium[Sound]:
    """Equal beeps to count."""
    count = 4
    sound = in_turn([tone(880, 0.18)] * count, gap=0.25)
    return Medium("Beeps", sound, (FreeForm("How many beeps are heard?", number(count)),))


def sliding_tone() -> Medium[Sound]:
    """A tone that changes its pitch."""
    first, last = 300, 1200
    word = "rises" if last > first else "falls"
    sound = in_turn([glide(first, last, 1.6)], gap=0)
    question = "Does the pitch of the tone rise or fall?"
    return Medium("Tones", sound, (FreeForm(question, (f"it {word}", word[:-1])),))


def knocks() -> Medium[Sound]:
    """Somebody at the door."""
    count = 3
    sound = in_turn([knock()] * count, gap=0.25)
    return Medium("Sounds", sound, (FreeForm("How many times does somebody knock?", number(count)),))


def warning() -> Medium[Sound]:
    """One of several sounds that warn."""
    name = "siren"
    sound = in_turn([siren(2.2)], gap=0)
    question = "Which of these is heard: a bell, a siren, knocking or an engine?"
    return Medium("Sounds", sound, (FreeForm(question, (f"a {name}", name)),))


def animal() -> Medium[Sound]:
    """An animal's voice."""
    sound = in_turn([birdsong(), birdsong()], gap=0.3)
    question = "What kind of animal makes a sound like this?"
    return Medium("Sounds", sound, (FreeForm(question, ("a bird", "bird", "a songbird")),))


def swelling_tone() -> Medium[Sound]:
    """Tones of one pitch, each louder or softer than the last."""
    loudness = (0.06, 0.14, 0.3, 0.6)
    word = "louder" if loudness[-1] > loudness[0] else "quieter"
    sound = in_turn([tone(523, 0.35, level) for level in loudness], gap=0.12)
    question = "Do the tones become louder or quieter?"
    return Medium("Tones", sound, (FreeForm(question, (word, f"they become {word}")),))


def one_vowel() -> Medium[Sound]:
    """A sung vowel."""
    name = "ee"
    question = 'A voice sings one vowel: "ah" as in father, "ee" as in see, or "oo" as in blue. Which one is it?'
    return Medium("Voices", in_turn([vowel(name, 1.4)], gap=0), (FreeForm(question, (name, f'"{name}" as in see')),))


def longest_beep() -> Medium[Sound]:
    """Three beeps of different length."""
    lengths = (0.2, 0.7, 0.3)
    longest = ORDINALS[lengths.index(max(lengths))]
    sound = in_turn([tone(660, length) for length in lengths], gap=0.25)
    question = "Three beeps are heard. Which one is the longest?"
    return Medium("Beeps", sound, (FreeForm(question, (f"the {longest} one", longest)),))


def tune() -> Medium[Sound]:
    """Notes that go up and down."""
    notes = (392, 523, 440, 587, 659, 494, 587)
    ups = sum(second > first for first, second in pairwise(notes))
    sound = in_turn([tone(note, 0.32) for note in notes], gap=0.06)
    question = (
        f"A tune of {number(len(notes))[1]} notes is heard. How many times is a note higher than the one before it?"
    )
    return Medium("Tones", sound, (FreeForm(question, number(ups)),))


def three_sounds() -> Medium[Sound]:
    """Different sounds, one after another."""
    made = {"a bell": bell(), "a knock": knock(), "a bird": birdsong()}
    order = ("a bird", "a bell", "a knock")
    sound = in_turn([made[name] for name in order], gap=0.35)
    question = "A knock, a bell and a bird are heard, one after another. In which order?"
    return Medium("Sounds", sound, (FreeForm(question, (", ".join(order), ", then ".join(order))),))


def beeps_in_rain() -> Medium[Sound]:
    """Beeps, some before the rain starts and some in it."""
    seconds, starts = 3.0, 1.1
    times = (0.2, 0.6, 1.3, 1.65, 2.0, 2.35, 2.7)
    sound = together(seconds, [(starts, rain(seconds - starts)), *((time, tone(1000, 0.15, 0.4)) for time in times)])
    question = "At some time rain begins to fall. How many beeps are heard after that, while it rains?"
    return Medium("Sounds", sound, (FreeForm(question, number(sum(time > starts for time in times))),))


def low_and_high() -> Medium[Sound]:
    """Beeps of two pitches."""
    pitches = {"L": 330, "H": 1320}
    order = "LHLLHLL"
    sound = in_turn([tone(pitches[letter], 0.16) for letter in order], gap=0.16)
    question = "Low beeps and high beeps are heard. How many more low ones than high ones are there?"
    return Medium("Beeps", sound, (FreeForm(question, number(order.count("L") - order.count("H"))),))


def vowels_in_turn() -> Medium[Sound]:
    """Several sung vowels."""
    order = ("oo", "ah", "ee", "ah")
    sound = in_turn([vowel(name, 0.5) for name in order], gap=0.15)
    question = 'A voice sings four vowels, each "ah" (father), "ee" (see) or "oo" (blue). Name them in their order.'
    return Medium("Voices", sound, (FreeForm(question, (", ".join(order), "-".join(order))),))


def bells_and_engine() -> Medium[Sound]:
    """A bell that rings before, during and after the running of an engine."""
    begin, end = 0.9, 2.5
    strokes = (0.1, 1.1, 1.7, 2.7)
    sound = together(3.5, [(begin, engine(end - begin)), *((time, bell()) for time in strokes)])
    question = "An engine runs for a while. How many times is a bell struck while the engine is running?"
    return Medium("Sounds", sound, (FreeForm(question, number(sum(begin < time < end for time in strokes))),))


def odd_rhythm() -> Medium[Sound]:
    """Three groups of beeps, two of them with the same rhythm."""
    rhythms = ("ssl", "ssl", "sls")
    odd = ORDINALS[next(place for place, rhythm in enumerate(rhythms) if rhythms.count(rhythm) == 1)]
    lengths = {"s": 0.1, "l": 0.35}
    groups = [in_turn([tone(700, lengths[sign]) for sign in rhythm], gap=0.1, lead=0) for rhythm in rhythms]
    question = "Three groups of short and long beeps are heard. Which group has another rhythm than the other two?"
    return Medium("Beeps", in_turn(groups, gap=0.5), (FreeForm(question, (f"the {odd} one", odd)),))


def changed_note() -> Medium[Sound]:
    """A tune, and the same tune again with one note changed."""
    tune = (440, 523, 587, 523, 440)
    again = (440, 523, 587, 784, 440)
    changed = ORDINALS[next(place for place, (old, new) in enumerate(zip(tune, again, strict=True)) if old != new)]
    halves = [in_turn([tone(note, 0.22) for note in notes], gap=0.05, lead=0) for notes in (tune, again)]
    question = (
        "A tune of five notes is played twice; the second time one note is different. Which note of the five is it?"
    )
    return Medium("Tones", in_turn(halves, gap=0.6), (FreeForm(question, (f"the {changed} note", changed)),))
