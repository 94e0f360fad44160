TEST = 0  # which of the five unit tests

POPULATIONS = [
    [("north", 298, 489, 213), ("south", 50, 20, 30)],
    [("island", 12, 40, 12), ("coast", 90, 84, 26)],
    [("lake", 1469, 138, 5), ("river", 33, 33, 34)],
    [("adults", 7, 86, 7), ("larvae", 25, 50, 25), ("eggs", 640, 320, 40)],
    [("1998", 81, 18, 1), ("2008", 64, 31, 5), ("2018", 52, 30, 18)],
][TEST]
