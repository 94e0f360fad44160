import numpy as np

TEST = 0  # which of the five unit tests

x = [[0, 1, 2], [-1, 0, 2, 3], [0, 0.5, 1, 1.5, 2], [-2, -1, 0, 1, 2, 3], [1.0, 1.2, 1.7, 2.1]][TEST]
x = np.array(x, dtype=float)
curves = [lambda x: x**2 - 3 * x + 1, lambda x: x**3 - x, np.exp, np.abs, np.log]
y = curves[TEST](x).round(5)
t = np.linspace(x[0] - 0.5, x[-1] + 0.5, 5)
np.savez("data/points.npz", x=x, y=y, t=t)
