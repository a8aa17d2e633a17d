"""The simulated firmware's serial port, inside the process."""

from __future__ import annotations

from hardware.clock import Clock
from hardware.errors import SerialError
from hardware.simulated.board import BoardFirmware


class SimulatedLine:
    """A `BytePort` whose other end is a firmware in the same process; `unplug` is the fault."""

    def __init__(self, firmware: BoardFirmware, clock: Clock, name: str = "simulated") -> None:
        self.name = name
        self._firmware = firmware
        self._clock = clock
        self._plugged = True

    def write(self, data: bytes) -> None:
        """Send bytes to the firmware."""
        self._check()
        self._firmware.advance_to(self._clock.now())
        self._firmware.receive(data)

    def read(self) -> bytes:
        """What the firmware has sent since the last call."""
        self._check()
        self._firmware.advance_to(self._clock.now())
        return self._firmware.take_output()

    def close(self) -> None:
        """Nothing to let go of."""

    def unplug(self) -> None:
        """Pull the cable: reading and writing fail from now on."""
        self._plugged = False

    def plug_in(self) -> None:
        """Put the cable back; what was sent meanwhile is lost."""
        self._firmware.take_output()
        self._plugged = True

    def _check(self) -> None:
        if not self._plugged:
            raise SerialError(f"The serial port {self.name} is gone: check the USB cable and its power.")
