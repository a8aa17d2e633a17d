"""The lines that come in on a file descriptor, while something else goes on."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from controller.engine.hub.lines import LONGEST

_CHUNK = 1 << 16


class Lines(Protocol):
    """Lines that come in one by one."""

    def ready(self) -> bool:
        """Whether `take` would return at once."""
        ...

    def take(self) -> str | None:
        """The next line, waited for; None when the input has ended, and from then on."""
        ...


class DescriptorLines:
    """The lines of a file descriptor, read by a thread of its own.

    The descriptor is read directly: a thread that waits within `sys.stdin` would be in the way when Python ends.
    """

    def __init__(self, descriptor: int) -> None:
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._ended = False
        Thread(target=_read, args=(descriptor, self._queue), daemon=True).start()

    def ready(self) -> bool:
        """See `Lines.ready`."""
        return self._ended or not self._queue.empty()

    def take(self) -> str | None:
        """See `Lines.take`."""
        line = None if self._ended else self._queue.get()
        self._ended = line is None
        return line


def _read(descriptor: int, queue: SimpleQueue[str | None]) -> None:
    """Put every line into the queue, and None at the end; of a line that never ends only the beginning is kept."""
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    begun = ""
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except OSError:
            chunk = b""
        *lines, begun = (begun + decoder.decode(chunk, final=not chunk)).split("\n")
        begun = begun[: LONGEST + 1]
        for line in lines:
            queue.put(line.rstrip("\r"))
        if not chunk:
            if begun:
                queue.put(begun.rstrip("\r"))
            queue.put(None)
            return
