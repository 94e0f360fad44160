"""A process on a terminal, and what the terminal shows."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from fcntl import ioctl
from pathlib import Path
from struct import pack
from typing import Any

from waiting import LIMIT, wait_until

TOKEN = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|(.)", re.DOTALL)


class Screen:
    """As much of a terminal as Proctor and pytest use; what it does not know is an error."""

    def __init__(self, columns: int = 100, rows: int = 30) -> None:
        self.columns = columns
        self.rows = rows
        self.cells: list[list[str]] = [[]]
        self.row = self.column = 0

    def feed(self, text: str) -> None:
        for private, number, command, character in TOKEN.findall(text):
            if character:
                self._put(character)
            elif private or command not in "AGJKm":
                raise AssertionError(f"control sequence that this screen does not know: {private}{number}{command}")
            elif command != "m":
                self._control(command, int(number or 0))

    def _put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        else:
            if self.column == self.columns:
                self.column = 0
                self._down()
            line = self.cells[self.row]
            line += " " * (self.column + 1 - len(line))
            line[self.column] = character
            self.column += 1

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.cells):
            self.cells.append([])

    def _control(self, command: str, number: int) -> None:
        if command == "A":
            top = max(0, len(self.cells) - self.rows)
            assert self.row - number >= top, "the cursor would leave the screen"
            self.row -= number
        elif command == "G":
            self.column = number - 1
        else:
            assert number == 0
            del self.cells[self.row][self.column :]
            if command == "J":
                del self.cells[self.row + 1 :]

    @property
    def lines(self) -> list[str]:
        """All lines since the start, without trailing spaces."""
        return ["".join(line).rstrip() for line in self.cells]


class OnTerminal:
    """A process whose output is a terminal; end it by leaving the ``with`` block.

    Args:
        command: What to run.
        folder: Where.
        columns: Width of the terminal.
        rows: Its height.
        environment: Variables beside those of this process.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        columns: int = 100,
        rows: int = 30,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.output = ""
        self.screen = Screen(columns, rows)
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, pack("HHHH", rows, columns, 0, 0))
        self.settings_before = self.settings
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "CI")}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**kept, "TERM": "xterm", **(environment or {})},
        )
        os.close(slave)
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        pending = b""
        while True:
            try:
                pending += os.read(self._master, 65536)
            except OSError:  # nobody has the terminal open any more
                return
            # A character or a control sequence may come in two halves.
            whole, escape, rest = pending.rpartition(b"\x1b")
            if escape and not re.match(rb"\[[?\d;]*[A-Za-z]", rest):
                text, pending = whole, escape + rest
            else:
                text, pending = pending, b""
            with self._lock:
                self.output += text.decode("utf-8", "replace")
                self.screen.feed(text.decode("utf-8", "replace"))

    @property
    def lines(self) -> list[str]:
        """What the terminal shows."""
        with self._lock:
            return self.screen.lines

    def wait_for(self, found: Callable[[Sequence[str]], Any]) -> Any:
        """Wait until *found* finds something in the lines, and return that."""
        return wait_until(lambda: found(self.lines), otherwise=lambda: "not shown:\n" + "\n".join(self.lines))

    def wait(self) -> int:
        """Wait for the end, and for the last of the output."""
        code = self.process.wait(timeout=LIMIT)
        self._reader.join(timeout=LIMIT)
        return code

    @property
    def settings(self) -> list[Any]:
        """The terminal's settings."""
        return termios.tcgetattr(self._master)

    def __enter__(self) -> OnTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
