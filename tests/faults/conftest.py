"""The fixture of a small project to run pytest in."""

from capitals import project

__all__ = ["project"]
