"""Signals that end the program: the machine is stopped at once, then the program unwinds as for Ctrl-C.

Python runs a signal's handler only between two steps of the main thread, and one step may be a picture that is being
looked at for a tenth of a second and more. So whoever has something to stop is told by a thread that the signal
itself wakes (`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, what systemd and `kill` send, and what a terminal sends when it is closed."""
_CLOSING = b"\0"
"""No signal has the number 0."""


class EndedError(KeyboardInterrupt):
    """The program was told to end by the signal `number`; whatever is right for Ctrl-C is right for it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def exit_status(interrupt: KeyboardInterrupt) -> int:
    """The shell's exit status for a program that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM."""
    number = interrupt.number if isinstance(interrupt, EndedError) else int(signal.SIGINT)
    return 128 + number


def raise_at_ending_signals() -> None:
    """From now on SIGTERM and SIGHUP raise EndedError in the main thread, as Ctrl-C raises KeyboardInterrupt.

    What is ignored stays ignored: `nohup` wants that.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)


def _raise(number: int, _: FrameType | None) -> None:
    raise EndedError(number)


class EndingWatch:
    """Calls `stop` with a reason, in a thread of its own, the moment a signal of ENDING arrives; until `close`.

    To be made and closed in the main thread (elsewhere it watches nothing), and one at a time. A signal that is
    ignored, or that has kept the system's own handler, is not seen.
    """

    def __init__(self, stop: Callable[[str], None]) -> None:
        self._stop = stop
        self._watches = threading.current_thread() is threading.main_thread()
        if not self._watches:
            return
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._run, name="ending signals", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Watch no longer."""
        if not self._watches:
            return
        self._watches = False
        signal.set_wakeup_fd(self._before)
        os.write(self._write, _CLOSING)
        self._thread.join()
        os.close(self._read)
        os.close(self._write)

    def _run(self) -> None:
        while True:
            arrived = os.read(self._read, 64)
            for number in arrived:
                if number in ENDING:
                    self._stop("the program was told to end")
            if _CLOSING in arrived:
                return
