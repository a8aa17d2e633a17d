"""The simulated Grbl against what facts about the real one say."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.firmware_state import State


class Terminal:
    """Types lines at a firmware and lets time run."""

    def __init__(self, firmware: GrblFirmware | None = None) -> None:
        self.firmware = firmware or GrblFirmware()
        self.now = 0.0

    def type(self, data: bytes | str, wait: float = 0.0) -> list[str]:
        self.firmware.receive(data.encode() if isinstance(data, str) else data)
        return self.run(wait)

    def run(self, seconds: float) -> list[str]:
        self.now += seconds
        self.firmware.advance_to(self.now)
        return [line for line in self.firmware.take_output().decode("latin-1").split("\r\n") if line]

    def status(self) -> str:
        (line,) = self.type("?")
        return line

    def home(self) -> None:
        assert self.type("$H\n", 20) == ["ok"]

    def seconds_until_ok(self, limit: float = 60) -> float:
        """Time until the barrier is answered, found through the firmware's own next events."""
        start = self.now
        self.firmware.receive(b"G4P0\n")
        while b"ok" not in self.firmware.take_output():
            assert self.now - start < limit
            self.now = self.firmware.next_event_s
            self.firmware.advance_to(self.now)
        return self.now - start


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


@pytest.fixture
def homed() -> Terminal:
    terminal = Terminal()
    terminal.home()
    return terminal


def test_it_is_locked_until_homed_or_unlocked(terminal: Terminal) -> None:
    assert terminal.type("G0X-10\n") == ["error:9"]
    assert terminal.status().startswith("<Alarm|MPos:0.000,0.000,0.000|FS:0,0")
    assert terminal.type("$X\n") == ["[MSG:Caution: Unlocked]", "ok"]
    assert terminal.type("G0X-10\n", 1) == ["ok"]
    assert terminal.firmware.position == pytest.approx((-40, -18, -12)), "unhomed, it counts from where it stands"


def test_without_homing_it_is_not_locked() -> None:
    terminal = Terminal(GrblFirmware({22: 0, 20: 0}))
    assert terminal.type("G0X-1\n") == ["ok"]
    assert Terminal(GrblFirmware({22: 0, 20: 0})).type("$H\n") == ["error:5"]


def test_homing_ends_at_negative_coordinates_clear_of_the_switches() -> None:
    terminal = Terminal(GrblFirmware(start_mm=(-310.0, -245.0, -50.0)))
    start = terminal.now
    terminal.firmware.receive(b"$H\n")
    z_first = []
    while not (output := terminal.firmware.take_output()):
        terminal.now += 0.01
        terminal.firmware.advance_to(terminal.now)
        x, _, z = terminal.firmware.position
        z_first.append(z > -2.5 or x == -310.0)
    assert output == b"ok\r\n"
    assert 4 < terminal.now - start < 8
    assert all(z_first)
    assert terminal.firmware.position == pytest.approx((-2, -2, -2))
    assert "<Idle|MPos:-2.000,-2.000,-2.000" in terminal.status()


def test_homing_direction_mask_turns_axes_round() -> None:
    terminal = Terminal(GrblFirmware({23: 1}))
    terminal.home()
    assert terminal.firmware.position == pytest.approx((-618, -2, -2))
    assert "MPos:-618.000,-2.000,-2.000" in terminal.status()


def test_status_is_silent_while_homing_and_hold_is_ignored(terminal: Terminal) -> None:
    assert terminal.type("$H\n?!", 0.5) == []
    assert terminal.firmware.state is State.HOME
    lines = terminal.run(20)
    assert [line[:5] for line in lines] == ["<Home", "ok"]
    assert terminal.firmware.state is State.IDLE
    reporting = Terminal(GrblFirmware(reports_while_homing=True))
    assert reporting.type("$H\n?")[0].startswith("<Home|")


def test_reset_stops_homing_and_the_position_is_lost(terminal: Terminal) -> None:
    terminal.type("$H\n", 0.3)
    assert terminal.type(b"\x18") == ["ALARM:6"]
    assert terminal.run(1) == ["ok", "Grbl 1.1h ['$' for help]", "[MSG:'$H'|'$X' to unlock]"]
    assert terminal.firmware.position != terminal.firmware.counted_position


@pytest.mark.parametrize(
    ("move", "distance", "v", "a"),
    [
        ("G53G0X-382", 380, 400, 2000),
        ("G53G0X-382Y-202", 380, 400, 2000),
        ("G53G0X-302Y-302", 300, 400, 2000),
        ("G53G0X-42", 40, 400, 2000),
        ("G53G0Z-32", 30, 100, 2000),
        ("G53G1F6000Y-102", 100, 100, 2000),
        ("G53G1F600Z-12", 10, 10, 2000),
    ],
)
def test_moves_take_the_trapezoids_time(homed: Terminal, move: str, distance: float, v: float, a: float) -> None:
    assert homed.type(move + "\n") == ["ok"], "ok means queued"
    expected = distance / v + v / a if distance >= v * v / a else 2 * math.sqrt(distance / a)
    assert homed.seconds_until_ok() == pytest.approx(expected, rel=0.01)


def test_settings_change_speed_and_acceleration(homed: Terminal) -> None:
    homed.type("$110=6000\n", 0.1)
    homed.type("$120=500\n", 0.1)
    homed.type("G53G0X-202\n")
    assert homed.seconds_until_ok() == pytest.approx(200 / 100 + 100 / 500, rel=0.01)


def test_the_barrier_is_answered_only_at_rest(homed: Terminal) -> None:
    assert homed.type("G0X-382\nG4P0\n", 1.14) == ["ok"]
    assert homed.status().startswith("<Run|")
    assert homed.run(0.05) == ["ok"]
    assert homed.firmware.position == pytest.approx((-382, -2, -2))


def test_fifteen_blocks_are_queued_and_the_sixteenth_waits(homed: Terminal) -> None:
    lines = "".join(f"G0X{-10 - n}\n" for n in range(17))
    first = homed.type(lines[:100])
    assert first + homed.type(lines[100:]) == ["ok"] * 15
    assert homed.run(5) == ["ok", "ok"]


def test_overflow_is_silent(homed: Terminal) -> None:
    homed.type("G0X-300\n", 0.3)
    homed.type("!", 1.0)
    assert homed.type("G0X-100.00Y-100.00\n" * 24) == []
    assert "Hold:0" in homed.status()
    answers = homed.type("~", 10)
    assert answers.count("ok") == 128 // 19
    assert not [line for line in answers if line.startswith(("error", "ALARM"))]


def test_hold_then_resume(homed: Terminal) -> None:
    homed.type("G0X-402\n", 0.5)
    homed.type("!")
    assert homed.status().startswith("<Hold:1|")
    homed.type("~", 0.5)
    assert homed.status().startswith("<Hold:0|"), "a resume while braking is forgotten"
    at = homed.firmware.position
    homed.run(60)
    assert homed.firmware.position == at
    homed.type("~", 2)
    assert homed.status().startswith("<Idle|")
    assert homed.firmware.position == pytest.approx((-402, -2, -2))


def test_hold_at_rest_then_reset_keeps_the_position(homed: Terminal) -> None:
    homed.type("M8\nG0X-402\nG4P0.01\n", 0.5)
    homed.type("!", 1)
    assert homed.firmware.gripper_on
    at = homed.firmware.position
    assert homed.type(b"\x18") == ["ok", "Grbl 1.1h ['$' for help]"], "the aborted line's ok comes late"
    assert homed.firmware.position == at
    assert not homed.firmware.gripper_on, "a reset switches the outputs off"
    x, y, z = at
    assert f"<Idle|MPos:{x:.3f},{y:.3f},{z:.3f}" in homed.status()


def test_reset_in_motion_is_alarm_3(homed: Terminal) -> None:
    homed.type("G0X-402\n", 0.5)
    assert homed.type(b"\x18") == ["ALARM:3"]
    assert homed.run(1) == ["Grbl 1.1h ['$' for help]", "[MSG:'$H'|'$X' to unlock]"]
    assert homed.type("G0X-1\n") == ["error:9"]
    assert not homed.firmware.busy


def test_a_stray_reset_inside_a_line_when_idle_raises_no_alarm(homed: Terminal) -> None:
    assert homed.type(b"G0X-\x1810\n") == ["Grbl 1.1h ['$' for help]", "error:1"]


@pytest.mark.parametrize("target", ["X1", "X-621", "Y-490.5", "Z-96", "Z0.01"])
def test_soft_limits_lock_up_until_reset(homed: Terminal, target: str) -> None:
    before = homed.firmware.position
    assert homed.type(f"G53G0{target}\n") == ["ALARM:2"]
    assert homed.type(b"\x18?", 0.4) == [], "a reset within the alarm's pause is thrown away"
    assert homed.run(0.2) == ["[MSG:Reset to continue]"]
    assert homed.type("?$X\n?") == []
    assert homed.type(b"\x18") == ["ok", "Grbl 1.1h ['$' for help]", "[MSG:'$H'|'$X' to unlock]"]
    assert homed.status().startswith("<Alarm|")
    assert homed.firmware.position == before
    homed.home()


def test_a_soft_limit_while_moving_brakes_first(homed: Terminal) -> None:
    homed.type("G0X-402\n", 0.5)
    assert homed.type("G0X-700\n") == []
    assert homed.run(0.3)[0] == "ALARM:2"
    assert homed.firmware.position == homed.firmware.counted_position


def test_hard_limits_stop_at_the_switch() -> None:
    terminal = Terminal(GrblFirmware({21: 1, 20: 0}))
    terminal.home()
    lines = terminal.type("G53G0X50\n", 1)
    assert lines == ["ok", "ALARM:1", "[MSG:Reset to continue]"]
    assert terminal.firmware.position[0] == pytest.approx(0, abs=0.01)


def test_without_limits_an_axis_strikes_the_frame_and_loses_steps() -> None:
    terminal = Terminal(GrblFirmware({20: 0}))
    terminal.home()
    terminal.type("G53G0X50\n", 1)
    terminal.type("G53G0X0\n", 1)
    assert terminal.firmware.counted_position[0] == 0
    assert terminal.firmware.position[0] == pytest.approx(3 - 50)


def test_power_up_counts_from_zero_wherever_it_stands(homed: Terminal) -> None:
    homed.type("M8\nG0X-300\n", 2)
    homed.firmware.power_cycle()
    assert homed.type("?") == []
    assert homed.run(2) == ["Grbl 1.1h ['$' for help]", "[MSG:'$H'|'$X' to unlock]"]
    assert "<Alarm|MPos:0.000,0.000,0.000" in homed.status()
    assert homed.firmware.position == pytest.approx((-300, -2, -2))
    assert not homed.firmware.gripper_on
    homed.home()
    assert homed.firmware.position == homed.firmware.counted_position == pytest.approx((-2, -2, -2))


def test_jogging(homed: Terminal) -> None:
    assert homed.type("$J=G91 G21 X-10 F1000\n") == ["ok"]
    assert homed.status().startswith("<Jog|")
    assert homed.type("G0X-5\n") == ["error:9"]
    homed.run(2)
    assert homed.firmware.position == pytest.approx((-12, -2, -2), abs=0.02)
    homed.type("$J=G53X-500F24000\n", 0.5)
    homed.type(b"\x85", 1)
    assert homed.status().startswith("<Idle|")
    x = homed.firmware.position[0]
    assert -500 < x < -100
    assert homed.type("$J=X1F100\n") == ["error:15"]
    assert homed.type("$J=X-1\n") == ["error:22"]
    assert homed.type("$J=M8X-1F100\n") == ["error:16"]
    assert homed.type("G0X-20\n$J=X-1F100\n", 0) == ["ok", "error:8"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1X", 1), ("GX1", 2), ("$FOO", 2), ("$1", 3), ("$200=1", 3), ("$110=-5", 4), ("$0=2", 6), ("$100=200", 12),
        ("G0X-1.2.3", 1), ("G2X-10Y-10I5", 20), ("M7", 20), ("G38.2Z-1F10", 20), ("G0.5X1", 23), ("M3.5", 23),
        ("G1X-10", 22), ("G0G1X-5", 21), ("G20G21", 21), ("M8M9", 21), ("G0X-1X-2", 25), ("F-1", 4),
        ("G10L2P1", 26), ("G10L2X1", 28), ("G10L3P1X1", 20), ("G10L2P9X1", 29), ("G4", 28), ("G53G80X1", 30),
        ("G80X1", 31), ("G0X-5P3", 36), ("G92", 26), ("G28G0X-5", 24), ("N99999999", 27), ("X" * 90, 11),
    ],
)  # fmt: skip
def test_errors_have_their_numbers(homed: Terminal, line: str, code: int) -> None:
    before = homed.firmware.position
    assert homed.type(line + "\n") == [f"error:{code}"]
    homed.run(5)
    assert homed.firmware.position == before


def test_soft_limits_need_homing() -> None:
    terminal = Terminal(GrblFirmware({22: 0, 20: 0}))
    assert terminal.type("$20=1\n") == ["error:10"]


def test_spelling_does_not_matter(homed: Terminal) -> None:
    assert homed.type("g0 x-1\t0 (to the (left) y-5 ; never mind\n", 1) == ["ok"]
    assert homed.firmware.position == pytest.approx((-10, -5, -2), abs=0.02)
    assert homed.type("\n") == ["ok"]
    assert homed.type("; only words\r\n") == ["ok", "ok"], "CR and LF each end a line"


def test_comments_do_not_count_for_the_length(homed: Terminal) -> None:
    assert homed.type("G0 X-10 (" + "so long a word " * 7 + ")\n") == ["ok"]


def test_bytes_above_ascii_are_dropped(homed: Terminal) -> None:
    assert homed.type(b"G0X-1\xff0\xfe\n", 1) == ["ok"]
    assert homed.firmware.position[0] == pytest.approx(-10)
    assert homed.type(b"G0X\xff\n") == ["error:2"]


def test_units_distance_and_work_coordinates(homed: Terminal) -> None:
    homed.type("G20 G0 X-1\n", 1)
    assert homed.firmware.position[0] == pytest.approx(-25.4, abs=0.01)
    homed.type("G21 G91 G0 X-10\n", 1)
    assert homed.firmware.position[0] == pytest.approx(-35.4, abs=0.02)
    homed.type("G90 G10 L2 P1 X-100\n", 1)
    assert homed.type("G0X0\n", 1) == ["ok"]
    assert homed.firmware.position[0] == pytest.approx(-100, abs=0.01)
    homed.type("G53 G0 X-50\n", 1)
    assert homed.firmware.position[0] == pytest.approx(-50, abs=0.01)
    homed.type("G92 X0\n")
    homed.type("G0 X-10\n", 1)
    assert homed.firmware.position[0] == pytest.approx(-60, abs=0.02)
    assert "[G54:-100.000,0.000,0.000]" in homed.type("$#\n")
    assert homed.type("$G\n")[0].startswith("[GC:G0 G54 G17 G21 G90 G94 M5 M9 T0 F0 S0]")


def test_status_fields_that_come_seldom(homed: Terminal) -> None:
    reports = [homed.status() for _ in range(25)]
    assert "WCO:" in reports[0]
    assert "Ov:100,100,100" in reports[1]
    assert sum("WCO:" in report for report in reports) in (2, 3)
    assert sum("Ov:" in report for report in reports) in (2, 3)
    homed.type("M8\n")
    assert "|A:F" in homed.status()


def test_a_report_never_splits_a_line_and_comes_while_a_line_waits(homed: Terminal) -> None:
    assert homed.type("G0X-300\nG4P0\n") == ["ok"]
    assert re.fullmatch(r"<Run\|MPos:.*>", homed.status())


def test_outputs_wait_for_motion_and_end_with_a_reset(homed: Terminal) -> None:
    homed.type("G0X-302\nM8\n", 0.5)
    assert not homed.firmware.gripper_on
    homed.run(1)
    assert homed.firmware.outputs.coolant
    homed.type("M3S500\n")
    assert homed.firmware.outputs.spindle_speed == 500
    homed.type("M9\nM5\n")
    assert not homed.firmware.gripper_on


def test_door_brakes_and_switches_off_until_resumed(homed: Terminal) -> None:
    homed.type("M8\nG0X-402\n", 0.5)
    assert homed.type(b"\x84") == ["[MSG:Check Door]"]
    assert homed.status().startswith("<Door:2|")
    homed.run(1)
    assert homed.status().startswith("<Door:0|")
    assert not homed.firmware.gripper_on
    homed.type("~", 2)
    assert homed.firmware.gripper_on
    assert homed.firmware.position[0] == pytest.approx(-402)


def test_settings_are_listed_written_and_outlive_power(homed: Terminal) -> None:
    listed = homed.type("$$\n")
    assert "$130=620.000" in listed and "$22=1" in listed and listed[-1] == "ok"
    assert homed.type("$130=600\n") == []
    assert homed.type("G0X-5\n?") == [], "the receiver is deaf while it writes"
    assert homed.run(0.1) == ["ok"]
    homed.firmware.power_cycle()
    homed.run(3)
    assert "$130=600.000" in homed.type("$$\n")
    homed.type("$X\nG0X-300\n")
    assert homed.type("$$\n") == ["error:8"]


def test_check_sleep_and_build(homed: Terminal) -> None:
    assert homed.type("$I\n") == ["[VER:1.1h.20190825:]", "[OPT:V,15,128]", "ok"]
    assert homed.type("$C\n") == ["[MSG:Enabled]", "ok"]
    assert homed.type("G0X-100\n", 1) == ["ok"]
    assert homed.firmware.position == pytest.approx((-2, -2, -2))
    assert homed.type("$C\n") == ["[MSG:Disabled]", "ok", "Grbl 1.1h ['$' for help]"]
    assert homed.type("$SLP\n") == ["ok", "[MSG:Sleeping]"]
    assert homed.status().startswith("<Sleep|")
    assert "[MSG:'$H'|'$X' to unlock]" in homed.type(b"\x18")


def test_faults(homed: Terminal) -> None:
    homed.firmware.faults.swallow_replies = 1
    assert homed.type("G0X-5\n", 1) == []
    homed.firmware.faults.garble_replies = 1
    (spoilt,) = homed.type("G0X-6\n", 1)
    assert spoilt != "ok" and len(spoilt) == 2
    homed.firmware.noise(b"\xff\x00")
    assert homed.run(0) == ["\xff\x00"]
    homed.firmware.faults.mute = True
    assert homed.type("?G0X-7\n", 1) == []
    assert homed.firmware.position[0] == pytest.approx(-7)
    homed.firmware.faults.mute = False
    homed.firmware.raise_alarm(1)
    assert homed.run(0) == ["ALARM:1"]


WORDS = st.sampled_from(
    ["G0", "G1", "X-50", "Y-5", "Z-90", "X900", "F6000", "G4P0.1", "M8", "M9", "M3S9", "$H", "$X", "$$", "$I", "\n",
     "\n", "\n", "!", "~", "?", "\x18", "$J=X-9F900", "G91", "G90", "G92X5", "$130=900", "G10L2P1X3", "M0", "M30",
     " ", "$C", "$SLP", "G28"]
)  # fmt: skip
TRAFFIC = st.lists(
    st.tuples(st.one_of(WORDS.map(str.encode), st.binary(max_size=12)), st.floats(0, 0.7)), max_size=60
)


@given(TRAFFIC, st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_nothing_crashes_it_and_it_stays_within_its_frame(
    traffic: list[tuple[bytes, float]], hard_limits: bool, homed: bool
) -> None:
    terminal = Terminal(GrblFirmware({21: int(hard_limits)}))
    if homed:
        terminal.home()
    speed = 1.5 * 400 * math.sqrt(2)
    for data, wait in traffic:
        before, then = terminal.firmware.position, terminal.now
        terminal.type(data, wait)
        after = terminal.firmware.position
        assert all(-f - 3.001 <= v <= 3.001 for v, f in zip(after, (620, 490, 95), strict=True))
        assert math.dist(before, after) <= speed * (terminal.now - then) + 1e-6, "nothing jumps"
    terminal.firmware.receive(b"\x18")
    terminal.run(5)
    terminal.firmware.receive(b"\x18")
    terminal.run(5)
    assert terminal.status().startswith(("<Idle|", "<Alarm|")), "two resets always lead out"


@given(st.lists(st.tuples(st.floats(-620, 0), st.floats(-490, 0), st.floats(-95, 0)), max_size=12))
@settings(max_examples=50, deadline=None)
def test_homed_moves_inside_the_travel_end_where_they_were_sent(points: list[tuple[float, float, float]]) -> None:
    terminal = Terminal()
    terminal.home()
    for x, y, z in points:
        assert terminal.type(f"G53G0X{x:.3f}Y{y:.3f}Z{z:.3f}\n") == ["ok"]
        terminal.seconds_until_ok()
        assert terminal.firmware.position == pytest.approx((x, y, z), abs=0.01)


@given(st.lists(st.floats(0.0005, 0.2), min_size=1, max_size=50))
@settings(max_examples=50, deadline=None)
def test_how_time_is_cut_does_not_matter(steps: list[float]) -> None:
    script = b"$H\nM8\nG53G0X-100Y-50\nG53G0Z-40\nG4P0.1\nM9\n"
    cut, whole = GrblFirmware(), GrblFirmware()
    now = 0.0
    cut.receive(script)
    whole.receive(script)
    for step in steps:
        now += step
        cut.advance_to(now)
    whole.advance_to(now)
    assert cut.position == pytest.approx(whole.position, abs=1e-6)
    assert cut.take_output() == whole.take_output()
    assert cut.outputs == whole.outputs
