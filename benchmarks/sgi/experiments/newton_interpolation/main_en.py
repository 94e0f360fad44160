import numpy as np


def divided_differences(x, y):
    """Return the coefficients c0, c1, ... of Newton's form as an array as long as x.

    c_k is the divided difference over x_0 .. x_k: f[x_i..x_j] = (f[x_i+1..x_j] - f[x_i..x_j-1]) / (x_j - x_i).
    """
    c = np.array(y, dtype=float)
    for order in range(1, len(x)):
        c[order:] = (c[order:] - c[order - 1 : -1]) / (x[order:] - x[:-order])
    return c


def evaluate(c, x, t):
    """Return p(t) for the number t."""
    value = 0.0
    for coefficient, node in zip(c[::-1], x[::-1]):
        value = value * (t - node) + coefficient
    return value


if __name__ == "__main__":
    data = np.load("data/points.npz")
    c = divided_differences(data["x"], data["y"])
    print("coefficients:", " ".join(f"{value + 0.0:.5f}" for value in np.round(c, 9)))
    for t in data["t"]:
        print(f"p({t:.3f}) = {round(evaluate(c, data['x'], t), 9) + 0.0:.5f}")
