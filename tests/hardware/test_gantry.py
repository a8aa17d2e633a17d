from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_machine import Machine

from hardware.errors import CameraError, HardwareError, OutOfReachError, PositionLostError, SerialError, StoppedError
from hardware.gantry import GantryState
from hardware.simulated.firmware_state import State

HAND = "a hand is over the board"
MOTION = (b"G", b"$", b"~")


def motion_bytes(machine: Machine) -> list[tuple[float, bytes]]:
    """All that was written that makes something move."""
    return [(t, data) for t, data in machine.line.written if data.startswith(MOTION)]


def test_homing_then_moving(machine: Machine) -> None:
    assert machine.gantry.connect().startswith("Grbl")
    assert machine.gantry.state is GantryState.UNHOMED
    assert not machine.gantry.homed
    machine.gantry.home()
    assert machine.gantry.homed and machine.gantry.state is GantryState.READY
    machine.gantry.move_to(x=-100, y=-50)
    machine.gantry.move_to(z=-30)
    assert machine.gantry.position == pytest.approx((-100, -50, -30))
    assert machine.firmware.position == pytest.approx((-100, -50, -30))
    assert not machine.firmware.busy, "it returns when the machine has stopped"
    assert machine.waits == []


def test_a_move_costs_little_more_than_its_ideal_time(homed: Machine) -> None:
    start = homed.clock.now()
    homed.gantry.move_to(x=-382)
    homed.gantry.move_to(z=-32)
    ideal = (380 / 400 + 0.2) + (30 / 100 + 0.05)
    assert ideal <= homed.clock.now() - start <= ideal * 1.04


def test_unhomed_nothing_moves(machine: Machine) -> None:
    machine.gantry.connect()
    with pytest.raises(PositionLostError):
        machine.gantry.move_to(x=-10)
    with pytest.raises(PositionLostError):
        _ = machine.gantry.position


@pytest.mark.parametrize(
    "target", [{"x": 0.1}, {"y": -490.1}, {"z": -95.1}, {"x": float("nan")}, {"z": float("inf")}]
)
def test_out_of_reach_is_said_beforehand(homed: Machine, target: dict[str, float]) -> None:
    with pytest.raises(OutOfReachError):
        homed.gantry.move_to(**target)
    assert homed.line.written == []
    assert homed.gantry.homed


def test_gripping(homed: Machine) -> None:
    start = homed.clock.now()
    homed.gantry.grip()
    assert homed.firmware.gripper_on and homed.gantry.holding_disc
    assert homed.clock.now() - start == pytest.approx(0.15, abs=0.02)
    homed.gantry.move_to(x=-50)
    assert homed.gantry.holding_disc
    homed.gantry.release()
    assert not homed.firmware.gripper_on and not homed.gantry.holding_disc


# The permit.


def test_no_motion_byte_is_written_while_refused(homed: Machine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now, now + 3), (now + 3.2, now + 4)]
    homed.gantry.move_to(x=-50)
    first, _ = motion_bytes(homed)[0]
    assert first >= now + 4 + 0.5, "and the permit must have been back for a while"
    assert homed.waits == [HAND, None]
    assert homed.gantry.position[0] == pytest.approx(-50)


@pytest.mark.parametrize("action", ["grip", "release", "home"])
def test_everything_waits_for_the_permit(homed: Machine, action: str) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now, now + 1)]
    getattr(homed.gantry, action)()
    assert min(t for t, data in homed.line.written if data != b"?") >= now + 1.5


def test_losing_the_permit_holds_and_getting_it_back_resumes(homed: Machine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now + 0.4, now + 3)]
    homed.gantry.move_to(x=-500)
    (held,) = [t for t, data in homed.line.written if data == b"!"]
    (resumed,) = [t for t, data in homed.line.written if data == b"~"]
    assert now + 0.4 <= held <= now + 0.4 + 0.2 + 0.01
    assert resumed >= now + 3.5
    assert homed.waits == [HAND, None]
    assert homed.gantry.position[0] == pytest.approx(-500, abs=0.02)
    assert homed.gantry.state is GantryState.READY


def test_the_machine_stands_still_while_held(homed: Machine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now + 0.4, now + 5)]
    seen: list[tuple[float, float, float]] = []
    for t in (now + 1.0, now + 3.0, now + 5.0):
        homed.at(t, lambda: seen.append(homed.firmware.position))
    homed.gantry.move_to(x=-500)
    assert len(seen) == 3 and seen[0] == seen[1] == seen[2]


def test_the_permit_is_asked_all_along_a_move(homed: Machine) -> None:
    start = homed.clock.now()
    homed.gantry.move_to(x=-600)
    asked = [start, *homed.permit.asked, homed.clock.now()]
    assert max(b - a for a, b in pairwise(asked)) <= 0.2 + 0.011


def test_losing_the_permit_while_homing_resets_and_homes_again(machine: Machine) -> None:
    machine.gantry.connect()
    machine.line.written.clear()
    now = machine.clock.now()
    machine.permit.refused = [(now + 0.5, now + 2)]
    machine.gantry.home()
    lines = machine.line.lines()
    assert lines == [b"$H\n", b"\x18", b"$H\n"]
    reset, again = (next(t for t, d in machine.line.written if d == b"\x18"), motion_bytes(machine)[-1][0])
    assert now + 0.5 <= reset <= now + 0.72
    assert again >= now + 2.5
    assert machine.gantry.position == pytest.approx((-2, -2, -2))
    assert machine.waits == [HAND, None]


def test_a_permit_that_fails_holds_the_machine(homed: Machine) -> None:
    def fail() -> None:
        raise CameraError("The camera is gone.")

    homed.permit.on_ask = fail
    homed.permit.on_ask_after = homed.clock.now() + 0.4
    with pytest.raises(CameraError):
        homed.gantry.move_to(x=-600)
    assert homed.firmware.state is State.HOLD and not homed.firmware.moving
    homed.permit.on_ask_after = float("inf")
    homed.gantry.move_to(x=-10)
    assert homed.firmware.position[0] == pytest.approx(-10, abs=0.02)


SPANS = st.lists(st.tuples(st.floats(0, 12), st.floats(0.01, 2)), max_size=6)


@given(SPANS, st.lists(st.floats(-619, -1), min_size=1, max_size=4))
@settings(max_examples=60)
def test_whatever_the_permit_does_nothing_starts_or_goes_on_without_it(
    spans: list[tuple[float, float]], targets: list[float]
) -> None:
    machine = Machine().homed()
    now = machine.clock.now()
    machine.permit.refused = [(now + start, now + start + length) for start, length in spans]
    for x in targets:
        machine.gantry.move_to(x=x)
        assert machine.firmware.position[0] == pytest.approx(x, abs=0.02)
    for t, data in motion_bytes(machine):
        if data != b"G4 P0\n":
            assert not any(a <= t < b for a, b in machine.permit.refused), data


# A person's stop.


def test_stop_holds_and_nothing_moves_until_allowed(homed: Machine) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.5, homed.gantry.stop)
    with pytest.raises(StoppedError, match="the stop button was pressed"):
        homed.gantry.move_to(x=-500)
    assert homed.gantry.state is GantryState.STOPPED
    at = homed.firmware.position
    assert -500 < at[0] < -50 and not homed.firmware.moving
    assert homed.firmware.gripper_on, "what is held stays held"
    for action in (homed.gantry.home, homed.gantry.grip, homed.gantry.release, lambda: homed.gantry.move_to(x=-5)):
        with pytest.raises(StoppedError):
            action()
    homed.clock.sleep(30)
    homed.gantry.allow()
    homed.clock.sleep(30)
    assert homed.firmware.position == at, "being allowed moves nothing by itself"
    homed.gantry.move_to(x=-100)
    assert homed.firmware.position[0] == pytest.approx(-100, abs=0.02)
    assert homed.gantry.holding_disc and homed.firmware.gripper_on


def test_after_a_stop_homing_gives_up_the_interrupted_move(homed: Machine) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.5, homed.gantry.stop)
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-500)
    homed.gantry.allow()
    homed.gantry.home()
    assert homed.firmware.position == pytest.approx((-2, -2, -2))
    assert not homed.gantry.holding_disc and not homed.firmware.gripper_on


def test_stop_while_waiting_for_the_permit(homed: Machine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now, now + 100)]
    homed.at(now + 1, homed.gantry.stop)
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-500)
    assert homed.clock.now() < now + 1.5
    assert homed.waits == [HAND]
    assert motion_bytes(homed) == []


def test_stop_while_held_for_the_permit(homed: Machine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now + 0.3, now + 100)]
    homed.at(now + 2, lambda: homed.gantry.stop("a person asked"))
    with pytest.raises(StoppedError, match="a person asked"):
        homed.gantry.move_to(x=-500)
    assert homed.firmware.state is State.HOLD
    homed.permit.refused = []
    homed.gantry.allow()
    homed.gantry.move_to(x=-10)
    assert homed.firmware.position[0] == pytest.approx(-10, abs=0.02)


def test_stop_while_homing_resets(machine: Machine) -> None:
    machine.gantry.connect()
    machine.at(machine.clock.now() + 0.5, machine.gantry.stop)
    with pytest.raises(StoppedError):
        machine.gantry.home()
    assert not machine.firmware.moving and not machine.gantry.homed
    machine.gantry.allow()
    machine.gantry.home()
    assert machine.gantry.homed


def test_a_hold_at_the_controller_board_is_a_persons_stop(homed: Machine) -> None:
    homed.at(homed.clock.now() + 0.5, lambda: homed.firmware.receive(b"!"))
    with pytest.raises(StoppedError, match="held at the controller board"):
        homed.gantry.move_to(x=-600)
    homed.gantry.allow()
    homed.gantry.move_to(x=-20)
    assert homed.firmware.position[0] == pytest.approx(-20, abs=0.02)


def test_being_interrupted_holds_the_machine(homed: Machine) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    homed.at(homed.clock.now() + 0.5, interrupt)
    with pytest.raises(KeyboardInterrupt):
        homed.gantry.move_to(x=-600)
    assert homed.firmware.state is State.HOLD and not homed.firmware.moving


# Faults.


@pytest.mark.parametrize("code", [1, 3])
def test_an_alarm_in_a_move_loses_the_position_until_homed(homed: Machine, code: int) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.5, lambda: homed.firmware.raise_alarm(code))
    with pytest.raises(PositionLostError):
        homed.gantry.move_to(x=-600)
    assert not homed.gantry.homed and not homed.gantry.holding_disc
    assert homed.gantry.state is GantryState.UNHOMED
    with pytest.raises(PositionLostError):
        homed.gantry.move_to(x=-10)
    homed.gantry.home()
    homed.gantry.move_to(x=-10)
    assert homed.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


def test_an_alarm_while_held_is_noticed(homed: Machine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now + 0.3, now + 20)]
    homed.at(now + 2, lambda: homed.firmware.raise_alarm(1))
    with pytest.raises(PositionLostError, match="alarm 1"):
        homed.gantry.move_to(x=-600)
    assert homed.clock.now() < now + 3


def test_a_pulled_cable_then_connecting_and_homing_again(homed: Machine) -> None:
    homed.at(homed.clock.now() + 0.5, homed.line.unplug)
    with pytest.raises(SerialError):
        homed.gantry.move_to(x=-600)
    with pytest.raises(PositionLostError):
        homed.gantry.move_to(x=-10)
    homed.line.plug_in()
    homed.gantry.connect()
    homed.gantry.home()
    homed.gantry.move_to(x=-10)
    assert homed.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


def test_a_machine_that_is_not_back_yet_is_tried_again(homed: Machine) -> None:
    homed.at(homed.clock.now() + 0.5, homed.line.unplug)
    with pytest.raises(SerialError):
        homed.gantry.move_to(x=-600)
    for _ in range(3):
        homed.clock.sleep(1)
        with pytest.raises(SerialError):
            homed.gantry.connect()
        assert homed.gantry.state is GantryState.UNHOMED and not homed.gantry.homed
    homed.line.plug_in()
    homed.gantry.connect()
    homed.gantry.home()
    homed.gantry.move_to(x=-10)
    assert homed.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


def test_a_pulled_cable_does_not_let_the_disc_go(homed: Machine) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.5, homed.line.unplug)
    with pytest.raises(SerialError):
        homed.gantry.move_to(x=-300)
    assert homed.gantry.holding_disc
    homed.clock.sleep(3)
    homed.line.plug_in()
    homed.gantry.connect()
    assert homed.gantry.holding_disc and homed.firmware.gripper_on
    homed.gantry.home()
    assert homed.gantry.holding_disc and homed.firmware.gripper_on
    homed.gantry.release()
    assert not homed.gantry.holding_disc and not homed.firmware.gripper_on


def test_plugged_in_while_the_move_goes_on_it_is_braked(homed: Machine) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.3, homed.line.unplug)
    with pytest.raises(SerialError):
        homed.gantry.move_to(x=-600)
    homed.line.plug_in()
    homed.gantry.connect()
    assert -600 < homed.firmware.position[0] < -100 and not homed.firmware.busy
    assert homed.gantry.holding_disc is homed.firmware.gripper_on is False, "stopping it took a reset"


@pytest.mark.parametrize("unplugged", [True, False])
def test_a_power_cut_lets_the_disc_go_and_is_noticed(homed: Machine, unplugged: bool) -> None:
    def cut() -> None:
        homed.firmware.power_off()
        if unplugged:
            homed.line.unplug()

    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.5, cut)
    with pytest.raises(SerialError):
        homed.gantry.move_to(x=-600)
    with pytest.raises(HardwareError):
        homed.gantry.connect()
    homed.line.plug_in()
    homed.firmware.power_on()
    homed.gantry.connect()
    assert not homed.gantry.holding_disc and not homed.gantry.homed
    homed.gantry.home()
    homed.gantry.move_to(x=-10)
    assert homed.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


def test_connecting_again_does_not_lift_a_stop(homed: Machine) -> None:
    homed.at(homed.clock.now() + 0.5, homed.gantry.stop)
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-500)
    homed.line.unplug()
    homed.line.plug_in()
    homed.gantry.connect()
    assert homed.gantry.state is GantryState.STOPPED
    with pytest.raises(StoppedError):
        homed.gantry.home()
    homed.gantry.allow()
    homed.gantry.home()
    assert homed.gantry.state is GantryState.READY


FAULTS = st.sampled_from(["swallow", "garble", "noise", "alarm1", "alarm3", "restart", "stray reset", "mute"])


@given(FAULTS, st.floats(0, 1.2), st.binary(min_size=1, max_size=6))
@settings(max_examples=80)
def test_every_fault_ends_in_one_sentence_and_homing_leads_on(fault: str, when: float, noise: bytes) -> None:
    machine = Machine().homed()
    firmware = machine.firmware

    def strike() -> None:
        if fault == "swallow":
            firmware.faults.swallow_replies = 1
        elif fault == "garble":
            firmware.faults.garble_replies = 1
        elif fault == "noise":
            firmware.noise(noise)
        elif fault.startswith("alarm"):
            firmware.raise_alarm(int(fault[-1]))
        elif fault == "restart":
            firmware.power_cycle()
        elif fault == "stray reset":
            firmware.receive(b"\x18")
        else:
            firmware.faults.mute = True

    machine.at(machine.clock.now() + when, strike)
    try:
        machine.gantry.move_to(x=-300)
        machine.gantry.move_to(z=-40)
        assert machine.firmware.position == pytest.approx((-300, -2, -40), abs=0.02), "no error, so it is there"
    except HardwareError as error:
        assert str(error).endswith(".") and "\n" not in str(error)
        assert not machine.gantry.homed
    firmware.faults.swallow_replies = firmware.faults.garble_replies = 0
    firmware.faults.mute = False
    machine.clock.sleep(5)
    machine.gantry.connect()
    machine.gantry.home()
    machine.gantry.move_to(x=-10)
    assert machine.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


@pytest.mark.parametrize("lag_s", [0.0, 0.07, 0.14])
def test_where_the_tip_was_in_a_frame_is_known_although_frames_and_reports_lag(homed: Machine, lag_s: float) -> None:
    truth: list[tuple[float, tuple[float, float, float]]] = []
    farthest: list[float] = []

    def look(now: float) -> None:
        truth.append((now, homed.firmware.position))
        at_exposure = next(point for time_s, point in reversed(truth) if time_s <= now - lag_s)
        way = homed.gantry.whereabouts(now)
        corners = list(way) if len(way) > 1 else [way[0], way[0]]
        farthest.append(min(distance_to(at_exposure, start, end) for start, end in pairwise(corners)))

    homed.clock.attach(look)
    truth.append((-1.0, homed.firmware.position))
    for target in ((-300.0, -40.0, -2.0), (-300.0, -40.0, -60.0), (-20.0, -300.0, -60.0)):
        homed.gantry.move_to(*target)
    assert max(farthest) < 1.0
    homed.clock.sleep(2.0)
    assert homed.gantry.whereabouts(homed.clock.now()) == (homed.gantry.position,)


def distance_to(point: tuple[float, float, float], start: tuple[float, ...], end: tuple[float, ...]) -> float:
    """Distance (mm) of a point from the straight way between two others."""
    way = [b - a for a, b in zip(start, end, strict=True)]
    length2 = sum(part * part for part in way)
    along = sum((p - a) * part for p, a, part in zip(point, start, way, strict=True)) / length2 if length2 else 0.0
    share = min(1.0, max(0.0, along))
    return sum((p - a - share * part) ** 2 for p, a, part in zip(point, start, way, strict=True)) ** 0.5
