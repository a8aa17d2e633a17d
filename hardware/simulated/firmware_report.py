"""The words of the simulated Grbl: banner, messages, parameters and the realtime status report.

Source: Grbl 1.1 documentation, "Interface": `WCO:` and `Ov:` come only in some reports, `A:` only beside `Ov:`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.simulated.gcode import MM_PER_INCH
from hardware.simulated.planner import Point

BANNER = "Grbl 1.1h ['$' for help]"
VERSION_LINES = ("[VER:1.1h.20190825:]", "[OPT:V,15,128]")
HELP = "[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]"
LOCKED = "[MSG:'$H'|'$X' to unlock]"
UNLOCKED = "[MSG:Caution: Unlocked]"
RESET_TO_CONTINUE = "[MSG:Reset to continue]"
CHECK_DOOR = "[MSG:Check Door]"
PROGRAM_END = "[MSG:Pgm End]"
SLEEPING = "[MSG:Sleeping]"

_WCO_EVERY_BUSY, _WCO_EVERY_IDLE = 30, 10
_OV_EVERY_BUSY, _OV_EVERY_IDLE = 20, 10


def coordinates(point: Point) -> str:
    """Three numbers as Grbl prints them, mm."""
    return ",".join(f"{value + 0.0:.3f}" for value in point)


def _scaled(point: Point, scale: float) -> str:
    x, y, z = (value * scale for value in point)
    return coordinates((x, y, z))


def parameters(systems: tuple[Point, ...], g28: Point, g30: Point, g92: Point) -> list[str]:
    """What `$#` answers, without the `ok`."""
    return [
        *(f"[G{54 + index}:{coordinates(point)}]" for index, point in enumerate(systems)),
        f"[G28:{coordinates(g28)}]",
        f"[G30:{coordinates(g30)}]",
        f"[G92:{coordinates(g92)}]",
        "[TLO:0.000]",
        "[PRB:0.000,0.000,0.000:0]",
    ]


@dataclass(frozen=True)
class Snapshot:
    """What a status report tells. Position in machine mm, feed in mm/min."""

    state: str
    busy: bool
    position: Point
    offset: Point
    feed: float
    spindle_speed: float
    accessories: str
    overrides: tuple[int, int, int]
    planner_free: int
    buffer_free: int
    mask: int
    inches: bool


class StatusReporter:
    """Formats status reports and counts which of them carry the seldom fields."""

    def __init__(self) -> None:
        self._until_wco = 0
        self._until_ov = 0

    def offset_changed(self) -> None:
        """Tell the work offset in the next report."""
        self._until_wco = 0

    def overrides_changed(self) -> None:
        """Tell overrides and accessories in the next report."""
        self._until_ov = 0

    def report(self, now: Snapshot) -> str:
        """One status report."""
        fields = [now.state]
        scale = 1 / MM_PER_INCH if now.inches else 1.0
        if now.mask & 1:
            fields.append(f"MPos:{_scaled(now.position, scale)}")
        else:
            x, y, z = (value - shift for value, shift in zip(now.position, now.offset, strict=True))
            fields.append(f"WPos:{_scaled((x, y, z), scale)}")
        if now.mask & 2:
            fields.append(f"Bf:{now.planner_free},{now.buffer_free}")
        fields.append(f"FS:{now.feed * scale:.0f},{now.spindle_speed:.0f}")
        if self._until_wco > 0:
            self._until_wco -= 1
        else:
            self._until_wco = (_WCO_EVERY_BUSY if now.busy else _WCO_EVERY_IDLE) - 1
            if self._until_ov == 0:
                self._until_ov = 1
            fields.append(f"WCO:{_scaled(now.offset, scale)}")
        if self._until_ov > 0:
            self._until_ov -= 1
        else:
            self._until_ov = (_OV_EVERY_BUSY if now.busy else _OV_EVERY_IDLE) - 1
            feed, rapid, spindle = now.overrides
            fields.append(f"Ov:{feed},{rapid},{spindle}")
            if now.accessories:
                fields.append(f"A:{now.accessories}")
        return f"<{'|'.join(fields)}>"
