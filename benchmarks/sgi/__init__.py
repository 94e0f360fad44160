"""SGI-Bench: the work of a scientist, from reading the literature to planning experiments."""
