"""The controls of a Linux video device, by ioctl: exposure, white balance, focus and gain.

Source of all numbers: linux/videodev2.h and linux/v4l2-controls.h (the kernel's user-space headers).
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass

from hardware.cameras.picture_lock import Kept

Ioctl = Callable[[int, int, bytes], bytes]

_CONTROL = struct.Struct("=Ii")
"""struct v4l2_control: id, value."""


def _read_write(number: int) -> int:
    """_IOWR('V', number, struct v4l2_control)."""
    return 3 << 30 | _CONTROL.size << 16 | ord("V") << 8 | number


GET, SET = _read_write(27), _read_write(28)

_USER, _CAMERA = 0x00980900, 0x009A0900
AUTO_WHITE_BALANCE, AUTO_GAIN, GAIN, WHITE_BALANCE_K = _USER + 12, _USER + 18, _USER + 19, _USER + 26
AUTO_EXPOSURE, EXPOSURE, EXPOSURE_MAY_SLOW_FRAMES = _CAMERA + 1, _CAMERA + 2, _CAMERA + 3
FOCUS, AUTO_FOCUS = _CAMERA + 10, _CAMERA + 12


@dataclass(frozen=True)
class Automatic:
    """A control that the camera sets by itself while its `switch` is at one of `automatic`, tried in this order."""

    switch: int
    automatic: tuple[int, ...]
    manual: int
    value: int


AUTOMATICS = (
    # 3 is "aperture priority", the automatic exposure of nearly all webcams; 0 is "auto".
    Automatic(AUTO_EXPOSURE, (3, 0), 1, EXPOSURE),
    Automatic(AUTO_GAIN, (1,), 0, GAIN),
    Automatic(AUTO_WHITE_BALANCE, (1,), 0, WHITE_BALANCE_K),
    Automatic(AUTO_FOCUS, (1,), 0, FOCUS),
)


class V4l2Controls:
    """The controls of one device, which may be streaming to somebody else at the same time."""

    def __init__(self, path: str, ioctl: Ioctl = fcntl.ioctl) -> None:
        """Raises OSError if the device cannot be opened."""
        self._ioctl = ioctl
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def close(self) -> None:
        """Let go of the device."""
        os.close(self._descriptor)

    def get(self, control: int) -> int | None:
        """A control's value; None if the device does not have it, or does not tell."""
        try:
            answer = self._ioctl(self._descriptor, GET, _CONTROL.pack(control, 0))
        except OSError:
            return None
        return int(_CONTROL.unpack(answer)[1])

    def set(self, control: int, value: int) -> bool:
        """Set a control; whether the device has taken it."""
        try:
            self._ioctl(self._descriptor, SET, _CONTROL.pack(control, value))
        except OSError:
            return False
        return True

    def settle(self) -> None:
        """Have the camera find all by itself."""
        for control in AUTOMATICS:
            any(self.set(control.switch, value) for value in control.automatic)

    def found(self) -> Kept:
        """What the camera uses now, by control: what can be kept."""
        values = {each: self.get(each.value) for each in AUTOMATICS if self.get(each.switch) is not None}
        return {each: value for each, value in values.items() if value is not None}

    def keep(self, kept: Kept) -> None:
        """Keep what was found: switch each automatic off and set its value. What is refused stays automatic."""
        self.set(EXPOSURE_MAY_SLOW_FRAMES, 0)
        for control, value in kept.items():
            if self.set(control.switch, control.manual) and not self.set(control.value, value):
                any(self.set(control.switch, each) for each in control.automatic)
