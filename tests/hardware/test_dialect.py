"""Which firmware is there is found out; what is neither is said in one sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.any_motion import AnyMotion
from hardware.clock import VirtualClock
from hardware.dialect import Dialect, dialect_of, identify
from hardware.errors import FirmwareError, SerialError
from hardware.gantry import Gantry
from hardware.grbl.driver import GrblMotion
from hardware.marlin.driver import MarlinMotion
from hardware.permit import AttendedPermit
from hardware.serial_port import BytePort
from hardware.simulated.board import BoardFirmware
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.line import SimulatedLine
from hardware.simulated.marlin import MarlinFirmware


class Device:
    """Something else at the port: says `greeting`, and `answer` to whatever is written."""

    name = "/dev/something"

    def __init__(self, greeting: bytes = b"", answer: bytes = b"", echo: bool = False) -> None:
        self._said = greeting
        self._answer = answer
        self._echo = echo
        self.closed = False

    def write(self, data: bytes) -> None:
        self._said += (data if self._echo else b"") + self._answer

    def read(self) -> bytes:
        said, self._said = self._said, b""
        return said

    def close(self) -> None:
        self.closed = True


def machine(firmware: BoardFirmware) -> tuple[AnyMotion, VirtualClock, list[int]]:
    clock, opened = VirtualClock(), [0]
    clock.attach(firmware.advance_to)

    def open_port() -> BytePort:
        opened[0] += 1
        return SimulatedLine(firmware, clock)

    motion = AnyMotion(
        open_port,
        clock,
        {
            Dialect.GRBL: lambda opener: GrblMotion(opener, clock),
            Dialect.MARLIN: lambda opener: MarlinMotion(opener, clock),
        },
    )
    return motion, clock, opened


@pytest.mark.parametrize(
    ("firmware", "version"), [(GrblFirmware(), "Grbl 1.1h.20190825"), (MarlinFirmware(), "Marlin 2.0.5")]
)
@pytest.mark.parametrize("restarting", [False, True])
def test_the_firmware_that_is_there_is_found_and_works(
    firmware: BoardFirmware, version: str, restarting: bool
) -> None:
    if restarting:
        firmware.power_cycle()
    motion, clock, opened = machine(firmware)
    gantry = Gantry(motion, AttendedPermit(), clock)
    assert gantry.connect() == version
    assert opened == [1], "opening it again would restart an Arduino once more"
    gantry.home()
    gantry.move_to(x=-60, z=-20)
    gantry.grip()
    assert firmware.position == pytest.approx((-60, -2, -20), abs=0.02)
    assert firmware.gripper_on and gantry.holding_disc
    assert gantry.connect() == version
    gantry.close()


def test_a_grbl_that_a_limit_alarm_has_silenced_is_found() -> None:
    firmware = GrblFirmware()
    firmware.raise_alarm(1)
    firmware.advance_to(5)
    motion, _, _ = machine(firmware)
    assert motion.connect().startswith("Grbl 1.1h")


def test_before_connecting_nothing_is_known_and_nothing_moves() -> None:
    motion, _, opened = machine(GrblFirmware())
    assert not motion.gripper_on and not motion.position_known and not motion.stop_at_once()
    for ask in (motion.poll, motion.position, motion.start_homing, lambda: motion.limits):
        with pytest.raises(SerialError, match="not connected"):
            ask()
    motion.close()
    assert opened == [0]


@pytest.mark.parametrize(
    ("device", "words"),
    [
        (Device(), "does not answer: check that it is the controller board's port"),
        (Device(answer=b"\r\nERROR\r\n"), r"neither as Grbl 1.1 nor as Marlin does \(it said 'ERROR'\)"),
        (Device(echo=True), "neither as Grbl 1.1 nor as Marlin"),
        (Device(greeting=b"@PJL READY\r\n"), "neither as Grbl 1.1 nor as Marlin"),
        (Device(answer=b"\xe0\x1c\x00\x9f\xff"), "is no text: set machine.baud"),
        (Device(answer=bytes(range(128, 256)) + b"\n"), "is no text: set machine.baud"),
        (Device(greeting=b"login: "), "it said 'login:'"),
    ],
)
def test_a_printer_a_modem_an_echo_and_a_wrong_speed_are_one_sentence(device: Device, words: str) -> None:
    with pytest.raises(FirmwareError, match=words) as caught:
        identify(device, VirtualClock())
    assert str(caught.value).endswith(".") and str(caught.value).startswith(
        ("/dev/something ", "What /dev/something ")
    )


def test_a_port_that_is_neither_is_let_go() -> None:
    device = Device()
    motion = AnyMotion(lambda: device, VirtualClock(), {})
    with pytest.raises(FirmwareError):
        motion.connect()
    assert device.closed


@pytest.mark.parametrize(
    ("line", "dialect"),
    [
        ("<Idle|MPos:0.000,0.000,0.000|FS:0,0>", Dialect.GRBL),
        ("Grbl 1.1h ['$' for help]", Dialect.GRBL),
        ("Grbl 3.7 [FluidNC v3.7.0 (wifi) '$' for help]", Dialect.GRBL),
        ("GrblHAL 1.1f ['$' or '$HELP' for help]", Dialect.GRBL),
        ("error:9", Dialect.GRBL),
        ("start", Dialect.MARLIN),
        ("echo:Marlin 2.0.5", Dialect.MARLIN),
        ("FIRMWARE_NAME:Marlin bugfix-2.1.x SOURCE_CODE_URL:x", Dialect.MARLIN),
        ('echo:Unknown command: "?"', Dialect.MARLIN),
        ("ok", None),
        ("", None),
        ("AT", None),
    ],
)
def test_what_each_line_tells(line: str, dialect: Dialect | None) -> None:
    assert dialect_of(line) is dialect


@given(st.binary(max_size=300))
def test_no_noise_crashes_it(noise: bytes) -> None:
    clock = VirtualClock()
    try:
        identify(Device(greeting=noise), clock, patience_s=0.5)
    except FirmwareError as error:
        assert "\n" not in str(error)
