"""Marlin's outputs by name, and the lines that switch them.

"fan" (M106, M107; "fan1" for the next), "spindle" (M3, M5), "coolant" (M8, M9), "pin 42" (M42), "servo 0" (M280,
whose level is its angle). Source: Marlin's documentation of these commands. Marlin cannot be asked whether one is on.
"""

from __future__ import annotations

import re

_NAME = re.compile(r"(fan|pin|servo) ?(\d{1,3})?")
FULL = 255.0
SERVO_ON_DEG, SERVO_OFF_DEG = 90.0, 0.0


def output_line(name: str, on: bool, level: float | None = None) -> str:
    """The line that switches the output; ValueError if there is none of that name.

    `level` is a fan's or pin's from 0 to 255, a spindle's speed, a servo's angle (degrees).
    """
    if name == "coolant":
        return "M8" if on else "M9"
    if name == "spindle":
        return f"M3 S{FULL if level is None else level:.0f}" if on else "M5"
    match = _NAME.fullmatch(name)
    if match is None or (match[2] is None and match[1] != "fan"):
        raise ValueError(
            f"Marlin has no output {name!r}: its outputs are fan, spindle, coolant, and pin and servo with a number"
        )
    number = int(match[2] or 0)
    if match[1] == "fan":
        return f"M106 P{number} S{FULL if level is None else level:.0f}" if on else f"M107 P{number}"
    if match[1] == "pin":
        return f"M42 P{number} S{(FULL if level is None else level) if on else 0:.0f}"
    return f"M280 P{number} S{(SERVO_ON_DEG if level is None else level) if on else SERVO_OFF_DEG:.0f}"
