"""Finding out which motion firmware is at the other end of a port."""

from __future__ import annotations

from enum import Enum

from hardware.clock import Clock
from hardware.errors import FirmwareError
from hardware.grbl import messages as grbl
from hardware.grbl.greeting import looks_like_noise
from hardware.marlin import messages as marlin
from hardware.serial_port import BytePort, stolen_by

PATIENCE_S = 8.0
"""A board that restarts when its port is opened listens after two to six seconds."""
_ASK_EVERY_S = 1.0
_MARLIN_AFTER_S = 0.4
_WAKE_AFTER_S = 3.0
_STEP_S = 0.005
_LONGEST_LINE = 512
_GRBL = (grbl.Status, grbl.Banner, grbl.Error, grbl.Alarm, grbl.Feedback, grbl.Info)
_MARLIN = (marlin.Firmware, marlin.Capability, marlin.Started, marlin.Busy, marlin.UnknownCommand, marlin.Halted)


class Dialect(Enum):
    """The motion firmwares that are spoken."""

    GRBL = "grbl"
    """Grbl 1.1, grblHAL, FluidNC."""
    MARLIN = "marlin"


def dialect_of(line: str) -> Dialect | None:
    """What only one of the firmwares would say; None for what tells nothing (`ok`, noise)."""
    if isinstance(grbl.parse(line), _GRBL):
        return Dialect.GRBL
    if isinstance(marlin.parse(line), _MARLIN) or line.startswith("echo:"):
        return Dialect.MARLIN
    return None


def identify(port: BytePort, clock: Clock, patience_s: float = PATIENCE_S) -> Dialect:
    """Ask until something tells. Nothing moves, but a Grbl that a limit alarm has silenced is reset.

    Raises FirmwareError, in one sentence, if nothing answers or what answers is neither firmware.
    """
    began = clock.now()
    next_status, next_identity = began, began + _MARLIN_AFTER_S
    woken = False
    heard, received = "", bytearray()
    port.write(b"\n")
    while (now := clock.now()) - began <= patience_s:
        if now >= next_status:
            port.write(b"?")
            next_status = now + _ASK_EVERY_S
        if now >= next_identity:
            # The empty line ends the question marks, which Marlin takes for part of a line.
            port.write(b"\nM115\n")
            next_identity = now + _ASK_EVERY_S
        if not woken and not heard and not received and now - began > _WAKE_AFTER_S:
            port.write(b"\x18")
            woken = True
        received += port.read()
        *lines, rest = received.split(b"\n")
        if len(rest) > _LONGEST_LINE:
            lines.append(rest)
            rest = bytearray()
        received = rest
        for raw in lines:
            line = raw.decode("ascii", "backslashreplace").strip("\r\0 ")
            found = dialect_of(line)
            if found is not None:
                return found
            heard = heard or line
        clock.sleep(_STEP_S)
    raise FirmwareError(_neither(port.name, heard or received.decode("ascii", "backslashreplace").strip("\r\0 ")))


def _neither(name: str, heard: str) -> str:
    if heard and looks_like_noise(heard):
        return (
            f"What {name} says is no text: set machine.baud to the speed of the controller board (Grbl's is 115200, "
            "Marlin's often 250000), and check that it is that board's port."
        )
    if heard:
        said = heard if len(heard) <= 40 else heard[:40] + "…"
        return (
            f"{name} answers, but neither as Grbl 1.1 nor as Marlin does (it said {said!r}): give the port of the "
            "controller board, or install Grbl 1.1 on it."
        )
    return (
        f"{name} does not answer{stolen_by(name)}: check that it is the controller board's port, that the board has "
        "power, and that machine.baud is its speed (Grbl's is 115200)."
    )
