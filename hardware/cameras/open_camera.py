"""Any camera, by the name of its source."""

from __future__ import annotations

from hardware.cameras.capture import Capture
from hardware.cameras.http_capture import open_http_capture
from hardware.cameras.live_camera import LiveCamera, LiveSource
from hardware.cameras.opencv_capture import open_opencv_capture
from hardware.cameras.pi_capture import open_pi_capture
from hardware.cameras.picture_lock import PictureLock
from hardware.cameras.recording import RecordedCamera
from hardware.cameras.video_source import Size, SourceKind, kind_of
from hardware.clock import Clock
from hardware.frame import Camera

HTTP = ("http://", "https://")


def open_camera(source: str, size: Size | None, clock: Clock, lock: PictureLock | None = None) -> Camera:
    """Open a camera.

    `source` is a device path, a number, "picamera", a URL, a video file, a picture or a folder of pictures. `size`
    (width, height) is asked of a camera that has several, and demanded of every frame. With `lock` a camera that can
    settles and then keeps its exposure, white balance and focus.

    Raises CameraError, one sentence that says what to do, if there is no such camera.
    """
    kind = kind_of(source)
    if kind in (SourceKind.RECORDING, SourceKind.PICTURES):
        return RecordedCamera(source, kind, size, clock)

    def opened() -> Capture:
        if kind is SourceKind.RIBBON:
            return open_pi_capture(source, size, lock, clock)
        if source.startswith(HTTP) and (capture := open_http_capture(source)) is not None:
            return capture
        return open_opencv_capture(source, kind, size, lock, clock)

    keeps_noise = kind is not SourceKind.STREAM or source.startswith(HTTP)
    return LiveCamera(
        LiveSource(source, opened, keeps_noise, None if kind is SourceKind.STREAM else lock), size, clock
    )
