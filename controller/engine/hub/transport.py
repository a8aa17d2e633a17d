"""Another program's standard input and output, line by line."""

from __future__ import annotations

import subprocess
import tempfile
from codecs import getincrementaldecoder
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Protocol

from controller.engine.hub.errors import HubError

_LEAVE_S = 2.0
"""How long a program may take to end after it was asked to, or its input has ended."""
_WORDS = 200


class Transport(Protocol):
    """Lines to a program and from it."""

    def write(self, line: str) -> None:
        """Send a line. What can no longer be sent is lost: `read` tells that the program has ended."""
        ...

    def read(self, within_s: float) -> str | None:
        """The next line, without its end; None when none has come within that time.

        Raises HubError when the program has ended and every line was read.
        """
        ...

    def close(self) -> None:
        """End the program if it still runs."""
        ...


class ProcessTransport:
    """A program that this one has started. Its lines are read by a thread of its own, so that reading can time out.

    Raises HubError when the program cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - it stays open as long as the program runs
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._complaints.close()
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise HubError(f"cannot start {command[0]!r}: {reason}") from error
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        assert self._process.stdout is not None
        self._reader = Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True)
        self._reader.start()
        self._ended = False

    def write(self, line: str) -> None:
        """Send a line; see `Transport.write`."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def read(self, within_s: float) -> str | None:
        """The next line; see `Transport.read`."""
        if not self._ended:
            try:
                line = self._lines.get(timeout=max(within_s, 0.0))
            except Empty:
                return None
            if line is not None:
                return line
            self._ended = True
        raise HubError(self._last_words())

    def close(self) -> None:
        """Close the program's input, which asks it to end; end it if it does not."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        if not self._ends():
            self._process.terminate()
            if not self._ends():
                self._process.kill()
                self._process.wait()
        self._reader.join(_LEAVE_S)
        if not self._reader.is_alive() and self._process.stdout is not None:
            self._process.stdout.close()
        self._complaints.close()

    def _ends(self) -> bool:
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _last_words(self) -> str:
        """How the program has ended, with the last line of what it complained about."""
        if not self._ends():
            return "it has closed its output"
        status = self._process.returncode
        how = f"it was ended by signal {-status}" if status < 0 else f"it has ended with exit status {status}"
        self._complaints.seek(0)
        words = self._complaints.read().decode(errors="replace").strip().splitlines()
        return f"{how}: {words[-1].strip()[:_WORDS]}" if words else how


def _read(stream: IO[bytes], lines: SimpleQueue[str | None]) -> None:
    """Put every line of a stream into a queue, and None at its end."""
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    with suppress(OSError, ValueError):
        for line in stream:
            lines.put(decoder.decode(line).rstrip("\r\n"))
    lines.put(None)
