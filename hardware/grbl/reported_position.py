"""Where the machine says that it is: status reports in whatever units and frame → machine millimetres."""

from __future__ import annotations

import math

from hardware.grbl.messages import Status
from hardware.motion import MachinePoint

MM_PER_INCH = 25.4


class ReportedPosition:
    """The last position reported (machine mm; None before the first) and when (the clock's s)."""

    def __init__(self) -> None:
        self.point: MachinePoint | None = None
        self.time_s = -math.inf
        self._offset: MachinePoint | None = None

    def note(self, status: Status, inches: bool, now: float) -> None:
        """Take account of a report. Work positions need the offset, which only some reports tell."""
        if status.offset is not None:
            self._offset = status.offset
        if status.machine is not None:
            x, y, z = status.machine
        elif status.work is not None and self._offset is not None:
            x, y, z = (work + shift for work, shift in zip(status.work, self._offset, strict=True))
        else:
            return
        scale = MM_PER_INCH if inches else 1.0
        self.point = (x * scale, y * scale, z * scale)
        self.time_s = now
