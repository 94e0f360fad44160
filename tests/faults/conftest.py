"""The fixtures of a small project to run pytest in."""

from capitals import project
from disturbed_runs import disturbed

__all__ = ["disturbed", "project"]
