import json

TEST = 0  # which of the five unit tests

length, damping, angle, speed = [
    (1.0, 0.0, 0.1, 0.0),
    (1.0, 0.2, 1.5, 0.0),
    (0.5, 0.05, 3.0, 0.0),
    (2.0, 0.5, 0.0, 4.0),
    (1.5, 0.1, -0.8, 1.2),
][TEST]
pendulum = {"L": length, "b": damping, "theta0": angle, "omega0": speed, "dt": 0.01, "steps": 500}
with open("data/pendulum.json", "w", encoding="utf-8") as file:
    json.dump(pendulum, file)
