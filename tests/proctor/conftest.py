"""The fixtures of a small project to run pytest in, and of a browser."""

from batches import provider
from capitals import project
from published import home, publisher
from report_page import browser

__all__ = ["browser", "home", "project", "provider", "publisher"]
