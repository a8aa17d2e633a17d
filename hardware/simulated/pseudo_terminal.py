"""The simulated firmware behind a real pseudo-terminal, so that a program can open it as a serial port."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import tty

from hardware.clock import Clock
from hardware.simulated.board import BoardFirmware

_CHUNK = 4096
_SERVE_EVERY_S = 0.002


class PseudoTerminal:
    """Carries bytes between a firmware and whoever opens `name`.

    Call `serve_once` often, or `start` a thread that does so until `close`. A pseudo-terminal has no DTR line;
    with `opening_resets` every opening restarts the firmware's chip, as an Arduino's does. `unplug` is the fault: the
    terminal vanishes under whoever has it open; `plug_in` makes another one, perhaps of another name.
    """

    def __init__(self, firmware: BoardFirmware, clock: Clock, opening_resets: bool = False) -> None:
        self.firmware = firmware
        self._clock = clock
        self._opening_resets = opening_resets
        self._open = False
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.lock = threading.RLock()
        """Held while the firmware is served; hold it to look at the firmware from another thread."""
        self.plug_in()

    def serve_once(self) -> None:
        """Let the firmware's time reach the clock's, and carry what is to be carried; never waits."""
        with self.lock:
            self.firmware.advance_to(self._clock.now())
            received = self._receive() if self._open else None
            if received is None:
                self._opened = False
                self._unsent = b""
                self.firmware.take_output()  # Said to nobody: a serial line keeps nothing.
                return
            if not self._opened:
                self._opened = True
                if self._opening_resets:
                    self.firmware.power_cycle()
            if received:
                self.firmware.receive(received)
            self._send(self.firmware.take_output())

    def start(self) -> None:
        """Serve in a thread of its own until `close`."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="simulated firmware", daemon=True)
            self._thread.start()

    def unplug(self) -> None:
        """Take the terminal away, as a pulled USB cable does."""
        with self.lock:
            if self._open:
                self._open = False
                os.close(self._ours)

    def plug_in(self) -> None:
        """Put the cable back, if it is out."""
        with self.lock:
            if self._open:
                return
            self._ours, theirs = os.openpty()
            tty.setraw(theirs)
            self.name = os.ttyname(theirs)
            os.set_blocking(self._ours, False)
            # Only while nobody else has it open does reading our end fail: so we learn of openings.
            os.close(theirs)
            self._opened = False
            self._unsent = b""
            self._open = True

    def close(self) -> None:
        """End the thread and take the terminal away."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.unplug()

    def _serve(self) -> None:
        while not self._stop.is_set():
            self.serve_once()
            self._clock.sleep(_SERVE_EVERY_S)

    def _receive(self) -> bytes | None:
        """What has arrived; None while nobody has the terminal open."""
        try:
            return os.read(self._ours, _CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno == errno.EIO:
                return None
            raise

    def _send(self, data: bytes) -> None:
        """Pass on what fits; the rest waits, as in a UART's buffer."""
        self._unsent += data
        with contextlib.suppress(OSError):
            while self._unsent:
                self._unsent = self._unsent[os.write(self._ours, self._unsent) :]
