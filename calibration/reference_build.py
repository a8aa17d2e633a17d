"""The reference build, from which calibrating begins: where things are meant to be before anything is measured.

These are guesses, good to a few centimetres; every one of them is replaced by what is found.
"""

from __future__ import annotations

from calibration.values import ArmMap, ArmPart

SQUARE_MM = 40.0
HOME_BESIDE_MM, HOME_BEHIND_MM, HOME_ABOVE_MM = 150.0, 138.0, 92.0
"""Where the tip is at machine zero: to the right of the board's right edge and behind its far edge (as the human sees
it), and above the playing surface."""
TRAY_SQUARES = (-1.25, -2.25, 9.25, 10.25)
"""Where the tray's columns of eight are: x of T1–T8, T9–T16, T17–T24, T25–T32, in squares."""
ARM_PARTS = (
    ArmPart("nozzle", (-6, -6, 0), (6, 6, 45), (True, True, True)),
    ArmPart("tool", (-18, -18, 45), (18, 18, 150), (True, True, True)),
    ArmPart("carriage", (-32, 18, 140), (32, 62, 210), (True, True, False)),
    ArmPart("beam", (-190, 30, 155), (520, 58, 190), (False, True, False)),
)


def tray_places(square_mm: float) -> tuple[tuple[float, float], ...]:
    """The centres of T1–T32, board mm."""
    return tuple((x * square_mm, (row + 0.5) * square_mm) for x in TRAY_SQUARES for row in range(8))


def park_place(square_mm: float) -> tuple[float, float, float]:
    """Where the arm is out of the camera's way, board mm: near its home."""
    side = 8 * square_mm
    return side + HOME_BESIDE_MM - 30.0, side + HOME_BEHIND_MM - 18.0, HOME_ABOVE_MM - 12.0


def arm_map(square_mm: float) -> ArmMap:
    """The map of a machine whose axes run along the board's."""
    side = 8 * square_mm
    x, y, z = -(side + HOME_BESIDE_MM), -(side + HOME_BEHIND_MM), -HOME_ABOVE_MM
    return ArmMap(((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z)), rms_mm=0.0, worst_mm=0.0)
