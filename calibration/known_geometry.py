"""The calibration of a simulated table, written down from its known geometry instead of measured."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cache

from calibration.calibration import FORMAT_VERSION, ArmMap, ArmPart, Calibration
from calibration.parking import parking_place
from hardware.simulated.geometry import TableGeometry
from vision.camera_model import CameraModel
from vision.disc_size import DiscSize


def calibration_of(geometry: TableGeometry, made_at: datetime) -> Calibration:
    """The exact calibration of a simulated table."""
    return replace(_measured(geometry), made_at=made_at.isoformat())


@cache
def _measured(geometry: TableGeometry) -> Calibration:
    camera = geometry.camera
    x, y, z = (float(value) for value in camera.translation_mm)
    calibration = Calibration(
        version=FORMAT_VERSION,
        made_at="",
        made_by="the simulated table's known geometry",
        square_mm=geometry.square_mm,
        disc=DiscSize(geometry.disc_diameter_mm, geometry.disc_height_mm),
        camera=CameraModel(
            matrix=tuple(tuple(float(value) for value in row) for row in camera.matrix),
            distortion=camera.distortion,
            rotation=tuple(tuple(float(value) for value in row) for row in camera.rotation),
            translation_mm=(x, y, z),
            size=camera.size,
        ),
        camera_rms_px=0.0,
        arm=ArmMap(
            matrix=tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in geometry.board_to_machine),
            rms_mm=0.0,
            worst_mm=0.0,
        ),
        tray_mm=geometry.tray_mm,
        tray_height_mm=geometry.tray_height_mm,
        park_mm=geometry.park_mm,
        arm_parts=tuple(ArmPart(part.name, part.lower, part.upper, part.follows) for part in geometry.arm_parts),
    )
    return replace(calibration, park_mm=parking_place(calibration, geometry.travel_mm))
