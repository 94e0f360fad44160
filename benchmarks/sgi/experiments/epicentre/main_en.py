import json

import numpy as np

RADIUS = 6371.0
SPEED = 8.0


def distance(lat1, lon1, lat2, lon2):
    """Great-circle distance in km between two points given in degrees, by the haversine formula."""
    lat1, lon1, lat2, lon2 = np.radians([lat1, lon1, lat2, lon2])
    h = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(h))


if __name__ == "__main__":
    with open("data/stations.json", encoding="utf-8") as file:
        data = json.load(file)
    for name, place in sorted(data["stations"].items()):
        d = distance(*data["epicentre"], *place)
        print(f"{name}: {d:.2f} km, {d / SPEED:.1f} s")
