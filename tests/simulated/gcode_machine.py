"""A simulated table that is worked by lines of G-code, each awaited."""

from __future__ import annotations

from hardware.clock import VirtualClock
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.table import SimulatedTable, TableSetup


class GcodeMachine:
    """Points are given in the board's frame as the calibration believes it."""

    def __init__(self, setup: TableSetup, *stacks: StackOfDiscs) -> None:
        self.clock = VirtualClock()
        self.table = SimulatedTable(self.clock, setup, stacks)
        self._to_machine = setup.geometry.board_to_machine
        self.send("$H")

    def send(self, line: str) -> None:
        self.table.line.write(line.encode() + b"\n")
        answer = b""
        while b"ok" not in answer:
            self.clock.sleep(0.05)
            answer += self.table.line.read()
            assert b"error" not in answer
            assert b"ALARM" not in answer
            assert self.clock.now() < 300

    def go(self, x: float, y: float, z: float) -> None:
        self.send("G53 G0 X{:.3f} Y{:.3f} Z{:.3f}".format(*(self._to_machine @ (x, y, z, 1.0))))
        self.send("G4 P0.01")

    def grip(self, on: bool) -> None:
        self.send("M8" if on else "M9")
        self.send("G4 P0.15")
