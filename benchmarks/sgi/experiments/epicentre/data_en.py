import json

TEST = 0  # which of the five unit tests

epicentre = [[38.3, 142.37], [-35.9, -72.73], [3.3, 95.98], [61.02, -147.65], [28.15, 84.71]][TEST]
stations = {
    "Tokyo": [35.68, 139.69],
    "Quito": [-0.18, -78.47],
    "Cairo": [30.04, 31.24],
    "Perth": [-31.95, 115.86],
    "Tromso": [69.65, 18.96],
}
with open("data/stations.json", "w", encoding="utf-8") as file:
    json.dump({"epicentre": epicentre, "stations": stations}, file)
