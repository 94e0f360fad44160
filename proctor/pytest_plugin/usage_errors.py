"""Bad usage, as pytest says it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from proctor._base.errors import UsageError


@contextmanager
def ending_pytest() -> Iterator[None]:
    """Let a `UsageError` of ours end pytest as one of its own: message, no traceback, exit code 4."""
    try:
        yield
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
