import json

TEST = 0  # which of the five unit tests

axis, eccentricity = [(1.0, 0.0167), (17.834, 0.96714), (2.7675, 0.0758), (3.46, 0.641), (5.2, 0.4)][TEST]
anomalies = [round(0.2 + 0.6 * step + 0.1 * TEST, 3) for step in range(5)]
with open("data/orbit.json", "w", encoding="utf-8") as file:
    json.dump({"a": axis, "e": eccentricity, "M": anomalies}, file)
