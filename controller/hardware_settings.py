"""What can be set of camera, machine, gripper and panel; see `controller.settings`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

from msgspec import Meta

Pin = Annotated[int, Meta(ge=0, le=27)]
"""A pin of the Raspberry Pi by its BCM (GPIO) number."""


@dataclass(frozen=True)
class CameraSettings:
    """The camera that looks at the board."""

    source: Annotated[
        str,
        Meta(
            min_length=1,
            description=(
                'Where frames come from: a device\'s path, its number in quotes, the URL of a stream, or "picamera" '
                '(the second one is "picamera:1") for a camera on the Raspberry Pi\'s ribbon cable.'
            ),
        ),
    ] = "/dev/video0"
    width: Annotated[int, Meta(ge=320, le=7680, description="Width of the frames in pixels.")] = 1280
    height: Annotated[int, Meta(ge=240, le=4320, description="Height of the frames in pixels.")] = 720
    lock: Annotated[
        bool,
        Meta(
            description=(
                "Whether exposure, white balance and focus are found once, when the camera is opened, and then kept: "
                "a hand over the board would change them. Of a stream only its server can do that."
            )
        ),
    ] = True
    settle_s: Annotated[
        float, Meta(ge=0, le=30, description="How long the camera may take to find them before they are kept.")
    ] = 2.0


@dataclass(frozen=True)
class MachineSettings:
    """The gantry, its firmware and the gripper."""

    port: Annotated[
        str,
        Meta(
            min_length=1,
            description=(
                "The serial port of the motion firmware. The udev rules in systemd/ give it this name; without them "
                "use its path under /dev/serial/by-id/, which stays the same when it is plugged in again."
            ),
        ),
    ] = "/dev/crownhead"
    baud: Annotated[int, Meta(ge=9600, le=4_000_000, description="Speed of the serial line in bits per second.")] = (
        115200
    )
    firmware: Annotated[
        Literal["auto", "grbl", "marlin"],
        Meta(
            description=(
                'The motion firmware: "grbl" is Grbl 1.1, grblHAL or FluidNC, "marlin" is Marlin; "auto" asks which '
                "it is."
            )
        ),
    ] = "auto"
    gripper_output: Annotated[
        Literal["coolant", "spindle", "fan", "pin"],
        Meta(
            description=(
                "What works the gripper: the firmware's coolant (M8, M9) or spindle output (M3, M5), Marlin's fan "
                "(M106, M107), or a pin of the Raspberry Pi, which lets go when the program dies."
            )
        ),
    ] = "coolant"
    gripper_pin: Annotated[
        Pin | None, Meta(examples=[23], description='BCM number of the gripper\'s pin, for gripper_output "pin".')
    ] = None
    gripper_pin_active_high: Annotated[
        bool, Meta(description="Whether the gripper on a pin works while the pin is high, or while it is low.")
    ] = True
    travel_x_mm: Annotated[
        float, Meta(ge=100, le=5000, description="How far the machine can travel in x: from minus this to 0.")
    ] = 620.0
    travel_y_mm: Annotated[
        float, Meta(ge=100, le=5000, description="How far the machine can travel in y: from minus this to 0.")
    ] = 490.0
    travel_z_mm: Annotated[
        float, Meta(ge=10, le=1000, description="How far the machine can travel in z: from minus this to 0.")
    ] = 95.0
    fastest_mm_s: Annotated[
        float,
        Meta(
            ge=10,
            le=5000,
            description="How fast the tip ever moves: so far the guard foresees it between two reports.",
        ),
    ] = 600.0
    grip_s: Annotated[
        float, Meta(ge=0, le=10, description="How long the gripper needs to hold a disc before it may be lifted.")
    ] = 0.15
    release_s: Annotated[
        float, Meta(ge=0, le=10, description="How long the gripper needs to let go of a disc before it may rise.")
    ] = 0.15

    @property
    def travel_mm(self) -> tuple[float, float, float]:
        """The travel on x, y and z, mm."""
        return self.travel_x_mm, self.travel_y_mm, self.travel_z_mm


@dataclass(frozen=True)
class GripperSettings:
    """What kind of gripper it is, and what it has besides the output of [machine] that works it."""

    kind: Annotated[
        Literal["vacuum", "magnet", "jaws"],
        Meta(
            description=(
                "What lifts discs: a pump, an electromagnet, or jaws, which are a servo where gripper_output is "
                '"pin".'
            )
        ),
    ] = "vacuum"
    sensor_pin: Annotated[
        Pin | None,
        Meta(
            examples=[24],
            description=(
                "BCM number of the pin of a contact to ground that feels whether a disc is held: a vacuum switch, a "
                "light barrier."
            ),
        ),
    ] = None
    sensor_closed_when_held: Annotated[
        bool, Meta(description="Whether that contact is closed while a disc is held, or open.")
    ] = True
    sense_s: Annotated[
        float, Meta(ge=0.05, le=5, description="How long the sensor may take to feel a disc, or that it is gone.")
    ] = 0.6
    release_output: Annotated[
        Literal["pin", "coolant", "spindle", "fan"],
        Meta(
            description=(
                "What switches that which helps to let go, if the build has it: release_pin, or an output of the "
                "firmware that is not the gripper's own."
            )
        ),
    ] = "pin"
    release_pin: Annotated[
        Pin | None,
        Meta(
            examples=[25],
            description=(
                "BCM number of the pin of what helps to let go: the valve that lets air into a vacuum gripper, or "
                "the other input of the bridge that drives an electromagnet, which reverses its field."
            ),
        ),
    ] = None
    release_pin_active_high: Annotated[
        bool, Meta(description="Whether that is on while its pin is high, or while it is low.")
    ] = True
    release_pulse_s: Annotated[
        float,
        Meta(ge=0.005, le=5, description="How long that is on: a valve needs about 0.15 s, a reversed field 0.03 s."),
    ] = 0.15
    longest_on_s: Annotated[
        float,
        Meta(ge=5, le=3600, description="How long an electromagnet that is cold may be on before it must let go."),
    ] = 60.0
    duty: Annotated[
        float,
        Meta(
            ge=0.05,
            le=1,
            description="The share of the time that an electromagnet may be on; 1 for one that nothing limits.",
        ),
    ] = 0.25
    open_us: Annotated[
        float, Meta(ge=500, le=2500, description="The servo's pulses, in microseconds, with the jaws open.")
    ] = 1200.0
    closed_us: Annotated[
        float, Meta(ge=500, le=2500, description="The servo's pulses with the jaws closed on a disc.")
    ] = 1800.0


@dataclass(frozen=True)
class PanelSettings:
    """Buttons, light and buzzer on the Raspberry Pi's pins; a build may lack any of them."""

    turn_pin: Annotated[
        Pin | None,
        Meta(examples=[17], description="BCM number of the pin of the button that a player presses after a move."),
    ] = None
    stop_pin: Annotated[Pin | None, Meta(examples=[27], description="BCM number of the pin of the stop button.")] = (
        None
    )
    light_pin: Annotated[
        Pin | None, Meta(examples=[22], description="BCM number of the pin of a status light of one colour.")
    ] = None
    red_pin: Annotated[
        Pin | None, Meta(examples=[5], description="BCM number of the red pin of a coloured status light.")
    ] = None
    green_pin: Annotated[Pin | None, Meta(examples=[6], description="BCM number of its green pin.")] = None
    blue_pin: Annotated[Pin | None, Meta(examples=[13], description="BCM number of its blue pin.")] = None
    buzzer_pin: Annotated[
        Pin | None,
        Meta(
            examples=[19],
            description=(
                "BCM number of the pin of a buzzer that sounds by itself while the pin is high; it says when it is "
                "your turn and when help is wanted."
            ),
        ),
    ] = None
    stop_normally_closed: Annotated[
        bool,
        Meta(
            description=(
                "Whether the stop button opens its contact when it is pressed, so that a broken wire stops, too; "
                "else it closes it."
            )
        ),
    ] = True

    @property
    def has_any(self) -> bool:
        """Whether anything is connected."""
        return any(getattr(self, item.name) is not None for item in fields(self) if item.name.endswith("_pin"))
