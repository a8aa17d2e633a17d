"""The camera and the calibration: does it give pictures, of the right size and light, and do they fit the table."""

from __future__ import annotations

from collections.abc import Mapping

from calibration.calibration import Calibration, load_calibration
from calibration.errors import CalibrationError
from controller.check.finding import Finding, State, fail, ok, parted, warn
from controller.session import BoardNotInPlaceError, check_board_in_place
from controller.settings import Settings
from controller.settings_file import LoadedSettings
from hardware.cameras.open_camera import open_camera
from hardware.cameras.picture_lock import brightness
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame
from vision.errors import BoardNotFoundError

DARK, BRIGHT = 30.0, 225.0
"""Mean brightness (0–255) of a picture in which little is to be seen."""
COARSE_MM, TOO_COARSE_MM = 1.5, 4.0
"""Residual errors of the arm's map with which grips begin to miss, and with which they do."""


def check_camera(settings: Settings, clock: Clock) -> tuple[Finding, Frame | None]:
    """Take a picture."""
    camera_settings = settings.camera
    size = (camera_settings.width, camera_settings.height)
    began = clock.now()
    try:
        camera = open_camera(camera_settings.source, size, clock)
        try:
            frame = camera.frame()
        finally:
            camera.close()
    except CameraError as error:
        return fail(
            "camera", str(error).rstrip("."), "plug a camera in, or set camera.source to the one there is"
        ), None
    seconds = clock.now() - began
    light = brightness(frame.pixels)
    found = f"{camera_settings.source}: {size[0]} × {size[1]} px, the first picture after {seconds:.1f} s"
    if not DARK <= light <= BRIGHT:
        which, other = ("dark", "more") if light < DARK else ("bright", "less")
        return warn("camera", f"{found}, and it is very {which}", f"give the table {other} light"), frame
    return ok("camera", found), frame


def check_calibration(
    loaded: LoadedSettings, environment: Mapping[str, str]
) -> tuple[list[Finding], Calibration | None]:
    """The calibration file, how good it is, and whether it was made with frames of the size that is asked for."""
    path = loaded.settings.files.calibration_path(environment)
    if not path.exists():
        return [fail("calibration", f"there is none at {path}", "crownhead calibrate")], None
    try:
        calibration = load_calibration(path)
    except CalibrationError as error:
        return [parted("calibration", str(error), State.FAIL)], None
    arm, camera = calibration.arm, loaded.settings.camera
    made = f"{path}, made {calibration.made_at[:10]}, off by {arm.rms_mm:.2f} mm (at most {arm.worst_mm:.2f} mm)"
    width, height = calibration.camera.size
    if (width, height) != (camera.width, camera.height):
        return [
            fail(
                "calibration",
                f"it was made with frames of {width} × {height} px and the settings ask for "
                f"{camera.width} × {camera.height}",
                f"camera.width = {width} and camera.height = {height}, or crownhead calibrate",
            )
        ], calibration
    if arm.worst_mm > TOO_COARSE_MM:
        return [fail("calibration", made, "crownhead calibrate")], calibration
    if arm.worst_mm > COARSE_MM:
        return [warn("calibration", made, "crownhead calibrate")], calibration
    return [ok("calibration", made)], calibration


def check_board(frame: Frame, calibration: Calibration) -> Finding:
    """Whether the board lies where the calibration has it."""
    try:
        check_board_in_place(frame, calibration)
    except (BoardNotInPlaceError, BoardNotFoundError) as error:
        return parted("board", str(error), State.WARN)
    return ok("board", "lies where the calibration has it")
