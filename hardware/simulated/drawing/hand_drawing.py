"""The human's arm in the picture: a sheet painted from above, on a plane that rises towards the elbow."""

from __future__ import annotations

import math

import cv2
import numpy as np

from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.hand_relief import BACK, FRONT, PX_PER_MM, SIDE, arm_sheet, limbs_of
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.people import Person, person_of
from hardware.simulated.drawing.soft_shadow import SoftShadows
from hardware.simulated.drawing.view import Floats, View
from hardware.simulated.scene import HandPose, Point

RISE = 0.13
"""How much the arm rises for each mm back from the fingertips."""
LIFT = 7.0
"""Height of the sheet above the fingertips' lowest point, mm."""
THIN_MM = 10.0
"""Fingers are thinner, the rest of the arm is not."""


class HandPainter:
    """Draws the arms of the people at a table."""

    def __init__(self, view: View, illumination: Illumination, light: Floats, seed: int) -> None:
        self._view, self._illumination, self._light, self._seed = view, illumination, light, seed

    def cast_shadow(self, shadows: SoftShadows, pose: HandPose) -> None:
        """Add the arm's shadows: the fingers' and the arm's have edges of different softness."""
        person = person_of(self._seed, pose.reach)
        placed = [
            (_place(limb.start, pose, person), _place(limb.end, pose, person), limb.radius * person.size)
            for limb in limbs_of(person)
        ]
        shadows.add_limbs(limb for limb in placed if limb[2] < THIN_MM * person.size)
        shadows.add_limbs(limb for limb in placed if limb[2] >= THIN_MM * person.size)

    def draw(self, canvas: Canvas, pose: HandPose) -> None:
        """Draw hand and sleeve over whatever is there."""
        person = person_of(self._seed, pose.reach)
        corners = [_place((u, w, LIFT), pose, person) for u in (-SIDE, SIDE) for w in np.linspace(FRONT, BACK, 8)]
        window = self._view.window_around(
            [corner for corner in corners if corner[2] < float(self._view.position[2]) * 0.8]
        )
        if window.empty:
            return
        columns, rows = self._sheet_points(window.slices, pose, person)
        sheet = arm_sheet(person, self._illumination)
        arm = cv2.remap(sheet, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        covered = cv2.merge([arm[..., 3]] * 3).astype(np.float32)
        covered *= np.float32(-1 / 255)
        covered += 1
        part = canvas.part(window)
        part *= covered
        part += np.ascontiguousarray(arm[..., :3]).astype(np.float32) * self._light[window.slices]

    def _sheet_points(self, window: tuple[slice, slice], pose: HandPose, person: Person) -> tuple[Floats, Floats]:
        """Column and row of the sheet that each ray in the window meets.

        From the camera C towards the ground point G a ray is C + t (G - C); it meets the rising plane where its
        height is that of the plane at its distance back. Both are linear in G, so t's denominator is, too.
        """
        right, back = _axes(pose)
        x, y, z = pose.pinch_mm
        camera_x, camera_y, camera_z = (float(value) for value in self._view.position)
        camera_right = (camera_x - x) * right[0] + (camera_y - y) * right[1]
        camera_back = (camera_x - x) * back[0] + (camera_y - y) * back[1]
        above = camera_z - z - LIFT * person.size - RISE * camera_back
        ground_x, ground_y = self._view.ground_x[window], self._view.ground_y[window]
        ray_back = ground_x * np.float32(back[0])
        ray_back += ground_y * np.float32(back[1])
        ray_back -= np.float32(camera_x * back[0] + camera_y * back[1])
        ray_right = ground_x * np.float32(right[0])
        ray_right += ground_y * np.float32(right[1])
        ray_right -= np.float32(camera_x * right[0] + camera_y * right[1])
        along = ray_back * np.float32(RISE)
        along += np.float32(camera_z)
        np.divide(np.float32(above), along, out=along)
        scale = PX_PER_MM / person.size
        along *= np.float32(scale)
        ray_right *= along
        ray_right += np.float32(camera_right * scale + SIDE * PX_PER_MM - 0.5)
        ray_back *= along
        ray_back += np.float32(camera_back * scale - FRONT * PX_PER_MM - 0.5)
        return ray_right, ray_back


def _axes(pose: HandPose) -> tuple[tuple[float, float], tuple[float, float]]:
    """The hand's right and backward directions on the board."""
    turn = math.radians(pose.turn_deg)
    return (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))


def _place(point: Point, pose: HandPose, person: Person) -> Point:
    """Board mm of a point (u, w, height) of a large right hand's frame."""
    right, back = _axes(pose)
    u, w, height = (part * person.size for part in point)
    if person.left:
        u = -u
    x, y, z = pose.pinch_mm
    return x + u * right[0] + w * back[0], y + u * right[1] + w * back[1], z + RISE * max(w, 0) + height
