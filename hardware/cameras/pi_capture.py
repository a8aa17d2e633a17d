"""A camera on the Raspberry Pi's own connector, by Picamera2 (which the system's package manager installs).

Source of the names: the Picamera2 manual and libcamera's control_ids; Picamera2's "RGB888" is blue, green, red in
memory, as OpenCV has it.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

import numpy as np

from hardware.cameras.capture import smaller
from hardware.cameras.picture_lock import PictureLock
from hardware.cameras.video_source import Size
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Pixels

DEFAULT_SIZE: Size = (1280, 720)
FRAME_S = 2.0
"""A camera that gives no frame for so long has a loose cable, or its driver hangs."""
BUFFERS = 4
AUTOMATIC = {"AeEnable": True, "AwbEnable": True, "AfMode": 2}
MANUAL = {"AeEnable": False, "AwbEnable": False, "AfMode": 0}
"""AfMode (libcamera): 0 manual, 1 auto, 2 continuous."""
KEPT = ("ExposureTime", "AnalogueGain", "ColourGains", "LensPosition")
"""What each frame says of how it was taken, and can be told to the camera."""
_FAULTS = (RuntimeError, OSError, ValueError, IndexError, KeyError, TypeError, AttributeError)
"""What Picamera2 raises when a camera is missing, busy, or not as it should be."""


class PiCapture:
    """A `Capture` over Picamera2's `camera`, which runs."""

    def __init__(self, camera: Any) -> None:
        self._camera = camera
        self._request: Any = None

    @property
    def queues(self) -> bool:
        """It is configured to keep none back."""
        return False

    def grab(self) -> bool:
        """Wait for the next frame; False if the camera gives none."""
        self._let_go()
        try:
            self._request = self._camera.capture_request(wait=False).get_result(timeout=FRAME_S)
        except TimeoutError:
            with contextlib.suppress(*_FAULTS):  # What still waits would take the frame that is asked for next.
                self._camera.cancel_all_and_flush()
        except _FAULTS:
            return False
        return self._request is not None

    def age_s(self) -> float | None:
        """How long ago its first line was exposed: libcamera counts in the time since boot."""
        stamp = self.metadata().get("SensorTimestamp")
        return None if stamp is None else max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - stamp / 1e9)

    def metadata(self) -> dict[str, Any]:
        """How what was grabbed was taken."""
        return {} if self._request is None else dict(self._request.get_metadata())

    def retrieve(self) -> Pixels | None:
        """Its pixels; None if there are none."""
        if self._request is None:
            return None
        try:
            return np.array(self._request.make_array("main"), dtype=np.uint8)[:, :, :3]
        except _FAULTS:
            return None

    def retrieve_small(self) -> Pixels | None:
        """Its pixels, made smaller."""
        return smaller(self.retrieve())

    def release(self) -> None:
        """Stop the camera and let go of it."""
        self._let_go()
        with contextlib.suppress(*_FAULTS):
            self._camera.stop()
        with contextlib.suppress(*_FAULTS):
            self._camera.close()

    def set_controls(self, controls: dict[str, Any]) -> None:
        """Tell the camera what of these it knows; one that it does not know would stop it."""
        self._camera.set_controls({name: v for name, v in controls.items() if name in self._camera.camera_controls})

    def _let_go(self) -> None:
        if self._request is not None:
            with contextlib.suppress(*_FAULTS):
                self._request.release()
            self._request = None


def open_pi_capture(source: str, size: Size | None, lock: PictureLock | None, clock: Clock) -> PiCapture:
    """Open "picamera" or "picamera:NUMBER"; it settles and is kept so if there is a `lock`.

    Raises CameraError if there is no such camera, it is in use, or Picamera2 is not installed.
    """
    number = source.partition(":")[2] or "0"
    if not number.isdecimal():
        raise CameraError(f"There is no camera '{source}': it is called picamera, a second one picamera:1.")
    capture = PiCapture(_running(source, int(number), size or DEFAULT_SIZE))
    try:
        if lock is not None:
            _lock_picture(capture, lock, clock)
    except _FAULTS as error:
        capture.release()
        raise CameraError(f"The camera {source} does not take its settings: {error}.") from error
    return capture


def _running(source: str, number: int, size: Size) -> Any:
    """Picamera2's camera of that number, started."""
    os.environ.setdefault("LIBCAMERA_LOG_LEVELS", "*:FATAL")  # What it writes to stderr we say in one sentence.
    try:
        from picamera2 import Picamera2  # noqa: PLC0415
    except (ImportError, ValueError, OSError) as error:  # ValueError: built for another numpy than is installed.
        raise CameraError(
            "The Raspberry Pi's camera needs Picamera2: run 'sudo apt install python3-picamera2', and make the "
            f"virtual environment with --system-site-packages ({error})."
        ) from error
    found = Picamera2.global_camera_info()
    if number >= len(found):
        there = ", ".join(f"picamera:{n} ({info.get('Model', '?')})" for n, info in enumerate(found))
        what = f"connected are {there}" if found else "none is connected, or its ribbon cable is loose"
        raise CameraError(f"There is no camera {source}: {what} ('rpicam-hello --list-cameras' names them).")
    camera = None
    try:
        camera = Picamera2(number)
        camera.configure(
            camera.create_video_configuration(
                main={"size": size, "format": "RGB888"}, buffer_count=BUFFERS, queue=False
            )
        )
        camera.start()
    except _FAULTS as error:
        if camera is not None:
            with contextlib.suppress(*_FAULTS):
                camera.close()
        raise CameraError(
            f"The camera {source} cannot be used: check that no other program uses it and that its cable is tight "
            f"({error})."
        ) from error
    return camera


def _lock_picture(capture: PiCapture, lock: PictureLock, clock: Clock) -> None:
    """Let the camera settle, or take what it has settled before, and keep that."""
    if lock.kept is None:
        capture.set_controls(AUTOMATIC)
        until = clock.now() + lock.settle_s
        while capture.grab() and clock.now() < until:
            pass
        metadata = capture.metadata()
        lock.kept = {name: metadata[name] for name in KEPT if name in metadata}
    capture.set_controls({**MANUAL, **lock.kept})
