"""The simulated serial line as it is over USB: what the firmware says arrives a moment after it was said."""

from __future__ import annotations

from hardware.clock import VirtualClock
from hardware.simulated.board import BoardFirmware
from hardware.simulated.line import SimulatedLine


class LateLine(SimulatedLine):
    """Answers arrive `late_s` late: USB adapters keep bytes back for up to 16 ms (FTDI AN232B-04, latency timer)."""

    def __init__(self, firmware: BoardFirmware, clock: VirtualClock, late_s: float) -> None:
        super().__init__(firmware, clock)
        self.late_s = late_s
        self._on_the_way: list[tuple[float, bytes]] = []
        self._time = clock
        clock.attach(self._carry)

    def _carry(self, now: float) -> None:
        """Send on its way what the firmware has said by now."""
        if said := self._firmware.take_output():
            self._on_the_way.append((now + self.late_s, said))

    def read(self) -> bytes:
        """What has arrived since the last call."""
        self._check()
        now = self._time.now()
        self._firmware.advance_to(now)
        self._carry(now)
        arrived = b""
        while self._on_the_way and self._on_the_way[0][0] <= now:
            arrived += self._on_the_way.pop(0)[1]
        return arrived

    def plug_in(self) -> None:
        """Put the cable back; what was sent meanwhile is lost."""
        self._on_the_way.clear()
        super().plug_in()
