"""From discs that the arm has carried, and the camera has seen, to the map between board and machine.

A carried disc keeps its place under the tip, wherever that is. So the way that it goes is the tip's way, and does not
depend on how it was taken. Ways tell the axes' directions, scales and backlash; what is under the tip's middle is
told by gripping beside the middle of a disc on purpose (`calibration.grip_middle`).

Backlash: when a motor turns back its axis follows only after half the backlash has been taken up on either side, so
the axis stands half of it behind the motor, on the side that the motor came from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationRefusedError
from calibration.grip_middle import GripSearch, GripTry
from calibration.values import PointXY

Axes = NDArray[np.float64]
"""(2, 2): the way of the tip (board mm) on 1 mm of the machine's x and y, in columns."""

SLIPPED_MM = 1.5
"""A disc that ends farther than this from where all the others say has slipped, or was touched."""
SLIPPED_TIMES = 4.0
"""Or so many times as far as the others usually do."""
FEWEST = 6
LARGEST_RMS_MM = 1.0
"""With a residual above this a map is of no use."""
LARGEST_SCALE_ERROR, ROUGH_SCALE_ERROR = 0.03, 0.08
LARGEST_SKEW_DEG, ROUGH_SKEW_DEG = 3.0, 7.0
"""The second of each as long as the axes are known from a few short ways only."""
LARGEST_TURN_DEG = 30.0
MEDIAN_TO_DEVIATION = 1.4826 / math.sqrt(2)


@dataclass(frozen=True)
class Carried:
    """One disc carried: where the machine took it and put it down, and where the camera saw it before and after.

    taken_at, put_at: what the motors were told, machine mm (x, y). came_from, went_to: for each axis the direction
    (−1 or 1) in which its motor turned last before it stood there. before, after: the disc's centre, board mm.
    """

    taken_at: PointXY
    came_from: tuple[int, int]
    put_at: PointXY
    went_to: tuple[int, int]
    before: PointXY
    after: PointXY


@dataclass(frozen=True)
class Tried:
    """An attempt to take a disc beside its middle: where the motors stood (machine mm), how they turned last, where
    the disc lay (board mm), and whether it was taken."""

    taken_at: PointXY
    came_from: tuple[int, int]
    disc: PointXY
    held: bool


@dataclass(frozen=True)
class AxesFit:
    """The axes as the ways of carried discs tell them.

    backlash_mm: of x and y. rms_mm, worst_mm: by how much the ways differ from what they should have been.
    slipped: the numbers of those that were left out.
    """

    axes: Axes
    backlash_mm: tuple[float, float]
    rms_mm: float
    worst_mm: float
    slipped: tuple[int, ...]

    def way_to(self, motors: PointXY, turned: tuple[int, int]) -> NDArray[np.float64]:
        """The way of the tip (board mm) from where it is at zero to where the motors (machine mm) have it that turned
        so last."""
        return np.asarray(self.axes @ (np.asarray(motors) - np.multiply(turned, self.backlash_mm) / 2))


@dataclass(frozen=True)
class MachineNames:
    """What the firmware's settings are called, and what they are set to, for the sentences that name them."""

    steps: tuple[str, str] = ("$100", "$101")
    steps_per_mm: tuple[float, float] = (0.0, 0.0)
    direction: str = "$3"
    direction_mask: int | None = 0
    homing_direction: str = "$23"
    homing_mask: int | None = 0


def fit_axes(carried: Sequence[Carried], with_backlash: bool = True) -> AxesFit:
    """The axes, by least squares over all ways, without those of discs that have slipped.

    Raises CalibrationRefusedError if there are too few ways in too few directions.
    """
    ways = np.array([np.subtract(one.put_at, one.taken_at) for one in carried]).reshape(-1, 2)
    if len(ways) < 2 or np.linalg.matrix_rank(ways, tol=5.0) < 2:
        raise CalibrationRefusedError(
            "too few discs were carried to tell how the arm moves: begin with the arm again"
        )
    turns = np.array([np.subtract(one.went_to, one.came_from) / 2 for one in carried], dtype=np.float64)
    seen = np.array([np.subtract(one.after, one.before) for one in carried])
    causes = np.column_stack([ways, -turns]) if with_backlash and len(carried) >= FEWEST else ways
    kept = np.ones(len(carried), dtype=np.bool_)
    while True:
        effects, *_ = np.linalg.lstsq(causes[kept], seen[kept], rcond=None)
        missed = np.hypot(*(seen - causes @ effects).T)
        usual = MEDIAN_TO_DEVIATION * float(np.median(missed[kept]))
        worst = int(np.where(kept, missed, 0).argmax())
        if missed[worst] <= max(SLIPPED_MM, SLIPPED_TIMES * usual) or kept.sum() <= FEWEST:
            break
        kept[worst] = False
    axes = effects[:2].T
    backlash = (0.0, 0.0)
    if causes.shape[1] == 4:
        # From one side of the play to the other an axis goes as far as its motor turns, less the backlash.
        slack = [float(effects[2 + axis] @ axes[:, axis] / (axes[:, axis] @ axes[:, axis])) for axis in range(2)]
        backlash = max(slack[0], 0.0), max(slack[1], 0.0)
    rms = float(np.sqrt((missed[kept] ** 2).mean()))
    slipped = tuple(int(number) for number in np.flatnonzero(~kept))
    return AxesFit(np.asarray(axes), backlash, rms, float(missed[kept].max()), slipped)


def check_axes(axes: Axes, names: MachineNames, size_is_sure: bool, rough: bool = False) -> None:
    """Raise CalibrationRefusedError for a machine that moves otherwise than it should, and say what mends it.

    size_is_sure: whether the squares' size has been measured, so that a wrong scale can only be the machine's. rough:
    the axes are known from a few short ways, which tell scale and angle less exactly.
    """
    across, along = axes[:, 0], axes[:, 1]
    # The larger part of each axis's way tells which of the board's directions it follows.
    if abs(across[1]) > abs(across[0]) and abs(along[0]) > abs(along[1]):
        raise CalibrationRefusedError(
            "the axes are swapped: when the machine is told to go along x it goes along y; exchange the plugs of the "
            "x and y motors on the controller board (and those of their switches)"
        )
    wrong = [axis for axis, way in enumerate((across[0], along[1])) if way < 0]
    if len(wrong) == 2:
        raise CalibrationRefusedError(
            "both axes run the other way: the machine stands on the human's side, or the board is turned by half a "
            "turn; turn the board, or say with --human-side where the human sits"
        )
    if wrong:
        axis = wrong[0]
        letter, bit = "xy"[axis], 1 << axis
        what = f"the {letter} axis is mirrored: it runs the other way than it should; "
        if names.direction_mask is None or names.homing_mask is None:
            raise CalibrationRefusedError(
                f"{what}change its direction ({names.direction}) and that of its homing ({names.homing_direction})"
            )
        raise CalibrationRefusedError(
            f"{what}set {names.direction}={names.direction_mask ^ bit} (now {names.direction_mask}) to turn its "
            "motor round, "
            f"and {names.homing_direction}={names.homing_mask ^ bit} (now {names.homing_mask}) so that it "
            "still finds its switch"
        )
    _check_scale(axes, names, size_is_sure, ROUGH_SCALE_ERROR if rough else LARGEST_SCALE_ERROR)
    lean = math.degrees(math.asin(float(across @ along) / (float(np.linalg.norm(across) * np.linalg.norm(along)))))
    if abs(lean) > (ROUGH_SKEW_DEG if rough else LARGEST_SKEW_DEG):
        raise CalibrationRefusedError(
            f"the axes stand at {90 - lean:.1f}° to each other instead of 90°: square up the gantry's beam"
        )
    turn = math.degrees(math.atan2(float(across[1]), float(across[0])))
    if abs(turn) > LARGEST_TURN_DEG:
        raise CalibrationRefusedError(
            f"the board lies turned by {abs(turn):.0f}° against the machine: turn it until its edges run along the "
            "machine's axes"
        )


def _check_scale(axes: Axes, names: MachineNames, size_is_sure: bool, largest: float) -> None:
    scales = [float(np.linalg.norm(axes[:, axis])) for axis in range(2)]
    wrong = [axis for axis in range(2) if abs(scales[axis] - 1) > largest]
    if not wrong:
        return
    mends = []
    for axis in wrong:
        setting, now = names.steps[axis], names.steps_per_mm[axis]
        value = (
            f"set {setting}={now / scales[axis]:.3f} (now {now:g})"
            if now
            else f"divide {setting} by {scales[axis]:.4f}"
        )
        mends.append(f"{'xy'[axis]} goes {scales[axis]:.3f} mm when told to go 1 mm: {value}")
    sentence = f"the machine's scale is off by {max(abs(scales[axis] - 1) for axis in wrong):.0%}: " + "; ".join(
        mends
    )
    if not size_is_sure and len(wrong) == 2 and abs(scales[0] / scales[1] - 1) < LARGEST_SCALE_ERROR / 2:
        sentence += "; or the squares are not as large as was stated: measure one"
    raise CalibrationRefusedError(sentence)


def check_residual(fit: AxesFit, count: int) -> None:
    """Raise CalibrationRefusedError if what was measured does not agree with itself."""
    if len(fit.slipped) > max(1, count // 4):
        raise CalibrationRefusedError(
            f"{len(fit.slipped)} of {count} discs did not come to lie where the others say: check that the gripper "
            "holds them, that nothing on the gantry is loose, and that board and camera stand firm"
        )
    if fit.rms_mm > LARGEST_RMS_MM:
        raise CalibrationRefusedError(
            f"the remaining error of {fit.rms_mm:.2f} mm is too large (at most {LARGEST_RMS_MM:g} mm): check that "
            "belts are tight, that nothing on the gantry is loose, and that board and camera stand firm"
        )


def tip_at_zero(fit: AxesFit, carried: Sequence[Carried], tried: Sequence[Tried], diameter_mm: float) -> PointXY:
    """Over which point (board mm, on the surface) the tip is when the machine stands at x = y = 0, both axes in the
    middle of their backlash.

    Without anything `tried` discs are taken to have been put down under the tip's middle.
    """
    if not tried:
        under = [np.subtract(one.after, fit.way_to(one.put_at, one.went_to)) for one in carried]
        x, y = (float(value) for value in np.median(under, axis=0))
        return x, y
    offs = np.array([np.subtract(fit.way_to(one.taken_at, one.came_from), one.disc) for one in tried])
    held = np.array([one.held for one in tried])
    guess = -offs[held].mean(axis=0)
    tries = [GripTry((float(x), float(y)), bool(was)) for (x, y), was in zip(offs + guess, held, strict=True)]
    off = GripSearch(diameter_mm, tries).middle().off_mm
    return float(guess[0]) + off[0], float(guess[1]) + off[1]
