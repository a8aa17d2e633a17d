"""How soon the hold byte is on the serial line after a stop reaches the program: `python -m tests.stop_latency`.

The gantry moves on real time against the simulated firmware behind a pseudo-terminal, under a permit that looks at
pictures all the time, as the hand guard does. A stop button, Ctrl-C and SIGTERM come at random moments; the far end
of the line notes when it reads `!`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import threading

import cv2
import numpy as np
from gpiozero.pins.mock import MockFactory

from controller.ending_signals import EndingWatch, raise_at_ending_signals
from hardware.clock import RealClock
from hardware.errors import HardwareError, StoppedError
from hardware.gantry import Gantry
from hardware.gantry_limits import GantryLimits
from hardware.gpio_panel import GpioPanel, PanelPins
from hardware.grbl.driver import GrblMotion
from hardware.serial_port import open_serial_port
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.pseudo_terminal import PseudoTerminal

KINDS = ("button", "SIGINT", "SIGTERM")
STOP_PIN = 27
GUARD_LOOKS_AT = (720, 1280, 3)


class BusyPermit:
    """Looks at pictures whenever it is asked, and has nothing against motion."""

    def __init__(self) -> None:
        self._picture = np.random.default_rng(1).integers(0, 255, GUARD_LOOKS_AT, dtype=np.uint8)

    def refusal(self) -> str | None:
        for _ in range(3):
            cv2.GaussianBlur(self._picture, (31, 31), 6)
        return None


class NotedTerminal(PseudoTerminal):
    """Notes when a hold arrives."""

    held_at: float | None = None

    def _receive(self) -> bytes | None:
        received = super()._receive()
        if received and b"!" in received and self.held_at is None:
            self.held_at = RealClock().now()
        return received


def move_until_stopped(port: str) -> None:
    """The program that is stopped: it presses its own stop button when a line comes on stdin."""
    raise_at_ending_signals()
    factory = MockFactory()
    pin = factory.pin(STOP_PIN)
    pin.drive_low()
    panel = GpioPanel(PanelPins(stop=STOP_PIN), factory)
    pin.drive_low()
    panel.stop_pressed()
    clock = RealClock()
    gantry = Gantry(GrblMotion(lambda: open_serial_port(port), clock), BusyPermit(), clock, GantryLimits())
    panel.on_stop(lambda: gantry.stop("the stop button was pressed"))
    watch = EndingWatch(gantry.stop)

    def press_when_told() -> None:
        if sys.stdin.readline():
            print(clock.now(), flush=True)
            pin.drive_high()

    threading.Thread(target=press_when_told, daemon=True).start()
    try:
        gantry.connect()
        gantry.home()
        print("moving", flush=True)
        while True:
            gantry.move_to(x=-600)
            gantry.move_to(x=-20)
    except (KeyboardInterrupt, StoppedError):
        pass
    finally:
        watch.close()
        gantry.close()


def one_stop(kind: str, chance: random.Random) -> float | None:
    """Stop a program that moves the gantry; seconds until the hold byte was read at the other end.

    None if the gantry happened to stand: then there is nothing to hold.
    """
    clock = RealClock()
    firmware = GrblFirmware()
    firmware.settings.write(120, 500.0)  # Slow to gather speed: it is nearly always on its way.
    terminal = NotedTerminal(firmware, clock)
    terminal.start()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "tests.stop_latency", "--port", terminal.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        ) as program:
            assert program.stdout is not None and program.stdin is not None
            if program.stdout.readline() != "moving\n":
                raise HardwareError("The program that was to be stopped has not begun to move.")
            clock.sleep(chance.uniform(0.3, 1.5))
            with terminal.lock:
                moving = firmware.moving
            if kind == "button":
                program.stdin.write("now\n")
                program.stdin.flush()
                stopped_at = float(program.stdout.readline())
            else:
                stopped_at = clock.now()
                program.send_signal(getattr(signal, kind))
            program.wait(30)
        if terminal.held_at is None and moving:
            raise HardwareError(f"No hold has arrived after {kind}.")
        return None if terminal.held_at is None else terminal.held_at - stopped_at
    finally:
        terminal.close()


def main() -> int:
    """Measure, and print the milliseconds of each way to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stops", type=int, default=20, help="how many of each kind (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.port is not None:
        move_until_stopped(arguments.port)
        return 0
    chance = random.Random(arguments.seed)
    for kind in KINDS:
        times: list[float] = []
        while len(times) < arguments.stops:
            seconds = one_stop(kind, chance)
            if seconds is not None:
                times.append(1000 * seconds)
        print(f"{kind:8} median {statistics.median(times):6.1f} ms   worst {max(times):6.1f} ms   of {len(times)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
