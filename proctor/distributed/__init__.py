"""Runs of several processes: pytest-xdist's workers, and shards."""
