"""How long it takes from `Gantry.stop` in another thread until the hold byte has crossed a real pseudo-terminal.

`python -m tests.hold_latency --stops 40`: while the machine moves, the main thread asks a permit that is busy with
pictures for 0.15 s at a time, as the guard is on a slow computer. Prints the times as JSON, in ms.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
import time
import tty

import numpy as np

from hardware.clock import RealClock
from hardware.errors import StoppedError
from hardware.gantry import Gantry
from hardware.grbl.driver import GrblMotion
from hardware.serial_port import open_serial_port
from hardware.simulated.firmware import GrblFirmware

QUICK_HOMING = {24: 3000.0, 25: 24000.0, 26: 0.0, 110: 3000.0}


class BusyPermit:
    """Always gives leave, after a long look."""

    def __init__(self) -> None:
        self._picture = np.ones((720, 1280, 3))

    def refusal(self) -> str | None:
        until = time.monotonic() + 0.15
        while time.monotonic() < until:
            np.sqrt(self._picture).sum()


class Board:
    """The firmware behind a pseudo-terminal, which notes when a hold byte came."""

    def __init__(self) -> None:
        self.firmware = GrblFirmware(QUICK_HOMING, start_mm=(-3.0, -3.0, -3.0))
        self.firmware.advance_to(time.monotonic())
        self._ours, theirs = os.openpty()
        tty.setraw(theirs)
        self.name = os.ttyname(theirs)
        self.held_at = 0.0
        self.held = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        os.set_blocking(self._ours, False)
        while True:
            try:
                data = os.read(self._ours, 4096)
            except BlockingIOError:
                data = b""
            if b"!" in data and not self.held.is_set():
                self.held_at = time.monotonic()
                self.held.set()
            self.firmware.advance_to(time.monotonic())
            self.firmware.receive(data)
            os.write(self._ours, self.firmware.take_output())
            time.sleep(0.001)


def measure(stops: int) -> list[float]:
    """The times, s."""
    board, clock = Board(), RealClock()
    gantry = Gantry(GrblMotion(lambda: open_serial_port(board.name), clock), BusyPermit(), clock)
    gantry.connect()
    gantry.home()
    times, chance, there = [], random.Random(1), False
    for _ in range(stops):
        board.held.clear()
        called: list[float] = []

        def stop(called: list[float] = called) -> None:
            called.append(time.monotonic())
            gantry.stop()

        timer = threading.Timer(chance.uniform(0.4, 1.2), stop)
        timer.start()
        try:
            gantry.move_to(x=-600 if not there else -5)
        except StoppedError:
            board.held.wait(5)
            times.append(board.held_at - called[0])
        timer.cancel()
        timer.join()
        gantry.allow()
        there = gantry.position[0] < -300
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--stops", type=int, default=40)
    times = sorted(1000 * seconds for seconds in measure(parser.parse_args().stops))
    print(json.dumps({"stops": len(times), "median_ms": times[len(times) // 2], "worst_ms": times[-1]}))
    return 0 if times[-1] <= 20 else 1


if __name__ == "__main__":
    sys.exit(main())
