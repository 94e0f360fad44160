import json
from itertools import combinations_with_replacement

import numpy as np


def allowed(h, k, l, lattice):
    """Whether planes (h, k, l) reflect: sc all; bcc if h+k+l is even; fcc if h, k, l are all even or all odd."""
    if lattice == "bcc":
        return (h + k + l) % 2 == 0
    if lattice == "fcc":
        return h % 2 == k % 2 == l % 2
    return True


def two_theta(h, k, l, a, wavelength):
    """The angle 2*theta of planes (h, k, l) in degrees; None if sin(theta) would exceed 1."""
    sine = wavelength * np.sqrt(h * h + k * k + l * l) / (2 * a)
    return None if sine > 1 else 2 * np.degrees(np.arcsin(sine))


if __name__ == "__main__":
    with open("data/crystal.json", encoding="utf-8") as file:
        crystal = json.load(file)
    for l, k, h in list(combinations_with_replacement(range(3), 3))[1:]:
        angle = two_theta(h, k, l, crystal["a"], crystal["wavelength"])
        if allowed(h, k, l, crystal["lattice"]) and angle is not None:
            print(f"({h} {k} {l}) {angle:.3f}")
