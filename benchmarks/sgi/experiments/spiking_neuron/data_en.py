import json

TEST = 0  # which of the five unit tests

strength, resistance, time_constant = [(2.1, 10, 10), (1.2, 10, 10), (4.03, 8, 20), (0.9, 30, 15), (2.6, 10, 5)][TEST]
steps = 400
current = [strength if 40 <= step < 360 and step % 100 < 70 + 10 * TEST else 0.0 for step in range(steps)]
neuron = {
    "dt": 0.25,
    "tau": time_constant,
    "R": resistance,
    "V_rest": -65.0,
    "V_threshold": -50.0,
    "V_reset": -68.0,
    "I": current,
}
with open("data/neuron.json", "w", encoding="utf-8") as file:
    json.dump(neuron, file)
