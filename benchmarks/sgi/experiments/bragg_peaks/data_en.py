import json

TEST = 0  # which of the five unit tests

a, lattice, wavelength = [
    (3.352, "sc", 1.5406),
    (2.8665, "bcc", 1.5406),
    (4.0495, "fcc", 1.5406),
    (3.6149, "fcc", 2.2897),
    (3.1652, "bcc", 0.7093),
][TEST]
with open("data/crystal.json", "w", encoding="utf-8") as file:
    json.dump({"a": a, "lattice": lattice, "wavelength": wavelength}, file)
