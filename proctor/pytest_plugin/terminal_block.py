"""Lines that refresh in place beneath what pytest writes on a terminal."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress

import pytest

from proctor.pytest_plugin.internals import replace_write


class TerminalBlock:
    """Lines beneath pytest's output that refresh in place.

    The cursor always stays where pytest left it: the lines are written below it, and the cursor goes back. So there is
    no state of the terminal to restore, however the run ends; erasing from the cursor downwards removes the block.
    What pytest writes goes through the block, which makes way for it.

    Args:
        config: pytest's configuration, which has its terminal writer.
        fileno: The terminal. It is duplicated: pytest's capture points the original elsewhere while a test runs.
    """

    def __init__(self, config: pytest.Config, fileno: int) -> None:
        self._config = config
        self._terminal = os.fdopen(os.dup(fileno), "wb", buffering=0)
        self._lock = threading.Lock()  # the thread that refreshes, and the one that runs tests
        self._lines: Sequence[str] = ()
        self._unfinished = ""
        self._write = replace_write(config, self._write_above)

    @property
    def size(self) -> os.terminal_size:
        """Columns and rows of the terminal; 80 and 24 if it does not say."""
        with suppress(OSError):
            size = os.get_terminal_size(self._terminal.fileno())
            if size.columns and size.lines:
                return size
        return os.terminal_size((80, 24))

    def show(self, lines: Sequence[str]) -> None:
        """Show these lines instead."""
        with self._lock:
            if not self._terminal.closed and lines != self._lines:
                self._lines = lines
                self._draw()

    def close(self) -> None:
        """Remove the lines, and leave the terminal to pytest."""
        with self._lock:
            if not self._terminal.closed:
                self._put("\x1b[J" if self._lines else "")
                self._lines = ()
                self._terminal.close()
                replace_write(self._config, self._write)

    def _write_above(self, text: str, *, flush: bool = False, **markup: bool) -> None:
        with self._lock:
            shown = bool(self._lines)
            moves = shown and ("\n" in text or len(self._unfinished) + len(text) >= self.size.columns)
            if moves:
                self._put("\x1b[J")
            self._write(text, flush=flush or shown, **markup)
            self._unfinished = re.split("[\r\n]", self._unfinished + text)[-1]
            if moves:
                self._draw()

    def _draw(self) -> None:
        column = len(self._unfinished) % self.size.columns
        if self._unfinished and not column:
            return  # the cursor hangs at the edge, and terminals differ in where that is
        text = "".join(f"\r\n{line}\x1b[K" for line in self._lines)
        self._put(f"{text}\x1b[J\x1b[{len(self._lines)}A\x1b[{column + 1}G")

    def _put(self, text: str) -> None:
        with suppress(OSError):  # a terminal that has gone shows nothing
            self._terminal.write(text.encode())
