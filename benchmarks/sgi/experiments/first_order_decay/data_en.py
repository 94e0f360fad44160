import math

TEST = 0  # which of the five unit tests

start, rate, interval = [(1.0, 0.01, 20), (0.5, 0.25, 1), (2.4, 0.0031, 60), (0.08, 1.7, 0.2), (1.5, 0.042, 10)][TEST]
errors = [0.012, -0.02, 0.005, 0.016, -0.011, 0.008, -0.014, 0.004]
with open("data/decay.csv", "w", encoding="utf-8") as file:
    for number, error in enumerate(errors):
        time = number * interval
        file.write(f"{time:.3f},{start * math.exp(-rate * time) * (1 + error):.8f}\n")
