"""What can be asked of a simulated table while it runs: each request is one JSON object, `do` says which.

Encoded and checked by msgspec; `docs/table-program.md` describes them for other programs. Lengths in mm, times in s
of the table's clock.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal, Protocol

import msgspec

from hardware.simulated.errand import Step


class Truth(msgspec.Struct, tag_field="do", tag="truth", frozen=True):
    """Ask where every disc really is, and for all else that is known: the reply's fields are `TruthReply`'s."""


class Press(msgspec.Struct, tag_field="do", tag="press", frozen=True):
    """A button is pressed for a moment, or, with `seconds`, held for that long."""

    button: Literal["turn", "stop"]
    seconds: float = 0.2


class DoErrand(msgspec.Struct, tag_field="do", tag="errand", frozen=True):
    """The human's hand does these steps in one reach, after those it is doing; the reply's `errand` is its number."""

    steps: tuple[Step, ...]


class HandAway(msgspec.Struct, tag_field="do", tag="hand_away", frozen=True):
    """The hand breaks off whatever it does once it holds nothing, and leaves."""


class Fault(Enum):
    """What can be made to go wrong, or to go well again."""

    UNPLUG = "unplug"
    PLUG_IN = "plug in"
    RESET_FIRMWARE = "reset firmware"
    ALARM = "alarm"
    CAMERA_OFF = "camera off"
    CAMERA_FREEZES = "camera freezes"
    CAMERA_ON = "camera on"
    GRIP_FAILS = "grip fails"
    """The next grip takes nothing."""
    DROP = "drop"
    """What is carried now, or next, is lost on the way."""
    BUMP = "bump"
    """Somebody knocks against the table: every disc slips by up to 2 mm, and the camera shakes for a second."""
    NUDGE_CAMERA = "nudge camera"
    """The camera stays where somebody has pushed it, a few mm and tenths of a degree away."""
    STRAIGHTEN_CAMERA = "straighten camera"
    POWER_OFF = "power off"
    """The whole table loses its power: motors, gripper, Z sags, camera and serial line are dead."""
    POWER_ON = "power on"


class MakeFault(msgspec.Struct, tag_field="do", tag="fault", frozen=True):
    """Let something go wrong (or well again) now."""

    fault: Fault


class SetLight(msgspec.Struct, tag_field="do", tag="light", frozen=True):
    """Change the light that falls on the table to one of `hardware.simulated.names.LIGHTS`."""

    name: str


class DrivePins(msgspec.Struct, tag_field="do", tag="pins", frozen=True):
    """The controller's output pins, by BCM number as text: how far each is on, 0 to 1."""

    levels: dict[str, float]


class Watch(msgspec.Struct, tag_field="do", tag="watch", frozen=True):
    """From now on this connection gets a line for each change of a button: {"pin": 17, "high": false}."""


Request = Truth | Press | DoErrand | HandAway | MakeFault | SetLight | DrivePins | Watch


class DiscTruth(msgspec.Struct, frozen=True):
    """One disc as it really is; `where` is "lying", "carried" or "hand"; z is the underside's height.

    face: "crown" of a disc that has been turned so that its crown is up, else "plain".
    """

    id: int
    colour: str
    x_mm: float
    y_mm: float
    z_mm: float
    where: str
    face: str = "plain"


class MishapTruth(msgspec.Struct, frozen=True):
    """Something that should not have happened."""

    time_s: float
    kind: str
    disc: int | None
    text: str


class TruthReply(msgspec.Struct, frozen=True):
    """All that the table knows of itself."""

    time_s: float
    discs: tuple[DiscTruth, ...]
    mishaps: tuple[MishapTruth, ...]
    knocked: int
    dropped: int
    tip_mm: tuple[float, float, float] | None
    machine_mm: tuple[float, float, float]
    moving: bool
    gripping: bool
    light: str
    """What the status light shows: a value of `hardware.panel.Light`."""
    illumination: str
    hand_busy: bool
    errands_done: int
    moved_under_hand_s: float
    """Seconds in which the gantry moved while the hand was in view."""


class Control(Protocol):
    """Whoever can carry requests out: the table itself, or a client of its control socket."""

    def handle(self, request: Request) -> dict[str, Any]:
        """Carry one request out and return what it answers (for `Truth` a TruthReply as a dict).

        Raises TableProgramError when it cannot be done or the table is gone.
        """
        ...
