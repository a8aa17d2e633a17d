"""How far the simulated table falls short of the ideal one; every number can be set, chance comes from the seed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Imperfection:
    """Static: what the calibration does not know of. Dynamic: what chance does to each transfer.

    board_shift_mm, board_turn_deg: how far the board lies off its place under camera and gantry. gripper_offset_mm:
    how far the tip is off where the calibration has it. grip_fails: probability that a grip takes nothing although
    the tip is right. drops: probability that a carried disc is lost on its way. placement_noise_mm: standard
    deviation on x and y of where the tip really is when it grips or lets go.
    """

    board_shift_mm: tuple[float, float] = (0.0, 0.0)
    board_turn_deg: float = 0.0
    gripper_offset_mm: tuple[float, float] = (0.0, 0.0)
    grip_fails: float = 0.0
    drops: float = 0.0
    placement_noise_mm: float = 0.0
