import json

import numpy as np


def eccentric_anomaly(M, e):
    """Solve M = E - e*sin(E) for the number E to within 1e-12.

    M lies between 0 and pi, 0 <= e < 1. Newton's method converges if it starts at E = pi.
    """
    E = np.pi
    for _ in range(100):
        step = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= step
        if abs(step) < 1e-13:
            break
    return E


if __name__ == "__main__":
    with open("data/orbit.json", encoding="utf-8") as file:
        orbit = json.load(file)
    for M in orbit["M"]:
        E = eccentric_anomaly(M, orbit["e"])
        print(f"M={M:.3f} E={E:.6f} r={orbit['a'] * (1 - orbit['e'] * np.cos(E)):.6f}")
