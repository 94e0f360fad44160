import numpy as np


def fit_decay(t, c):
    """Fit the line ln(c) = ln(c0) - k*t by ordinary least squares.

    t, c: arrays of equal length. Return the tuple (k, c0).
    """
    slope, intercept = np.polyfit(t, np.log(c), 1)
    return -slope, np.exp(intercept)


def half_life(k):
    """Return the time in which the concentration of a first-order reaction halves."""
    return np.log(2) / k


if __name__ == "__main__":
    t, c = np.loadtxt("data/decay.csv", delimiter=",", unpack=True)
    k, c0 = fit_decay(t, c)
    print(f"k = {k:.5f} 1/s")
    print(f"c0 = {c0:.5f} mol/L")
    print(f"half-life = {half_life(k):.3f} s")
