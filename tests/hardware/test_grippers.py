"""Grippers of every kind: what is on when, how long things take, and what the gantry makes of sensors and heat."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_machine import Machine

from hardware.clock import VirtualClock
from hardware.errors import DiscNotHeldError, DiscStuckError, GripperHotError, SerialError, StoppedError
from hardware.gantry import Gantry
from hardware.gripper import Gripper, Work
from hardware.grippers.heat import HeatBudget, HeatLimit
from hardware.grippers.jaws import JawsGripper, JawsMotion
from hardware.grippers.magnet import MagnetGripper, MagnetTimes
from hardware.grippers.switch import FirmwareSwitch
from hardware.grippers.vacuum import VacuumGripper, VacuumTimes


@dataclass
class Log:
    """What was switched, and when."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    events: list[tuple[str, object, float]] = field(default_factory=list)

    def note(self, name: str, value: object) -> None:
        self.events.append((name, value, round(self.clock.now(), 4)))


@dataclass
class Part:
    """A switch that writes down what it does."""

    name: str
    log: Log
    on: bool = False
    closed: bool = False

    def set(self, on: bool) -> None:
        self.on = on
        self.log.note(self.name, on)

    def close(self) -> None:
        self.closed = True


@dataclass
class Feeler:
    """A contact that feels a disc from `since` on, until `until`."""

    clock: VirtualClock
    since: float = float("inf")
    until: float = float("inf")
    closed: bool = False

    @property
    def feels(self) -> bool:
        return self.since <= self.clock.now() < self.until

    def close(self) -> None:
        self.closed = True


@dataclass
class Horn:
    """A servo that writes down where it turns to."""

    log: Log
    closed: bool = False

    def turn_to(self, pulse_us: float) -> None:
        self.log.note("servo", round(pulse_us))

    def relax(self) -> None:
        self.log.note("servo", None)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def log() -> Log:
    return Log()


def do(work: Work, clock: VirtualClock) -> float:
    """Do all of it; how long it took."""
    began = clock.now()
    for seconds in work:
        clock.sleep(seconds)
    return clock.now() - began


# Vacuum.


def test_a_pump_alone_sucks_and_leaks(log: Log) -> None:
    gripper = VacuumGripper(Part("pump", log), VacuumTimes(grip_s=0.2, release_s=0.5))
    assert not gripper.on and gripper.feels_disc() is None and not gripper.overdue and gripper.ready_in_s() == 0
    assert do(gripper.grip(), log.clock) == pytest.approx(0.2)
    assert gripper.on
    assert do(gripper.release(), log.clock) == pytest.approx(0.5)
    assert log.events == [("pump", True, 0.0), ("pump", False, 0.2)]


def test_a_valve_lets_air_in_for_a_moment_once_the_pump_is_off(log: Log) -> None:
    gripper = VacuumGripper(Part("pump", log), VacuumTimes(vent_s=0.1), Part("valve", log))
    do(gripper.grip(), log.clock)
    log.events.clear()
    now = log.clock.now()
    assert do(gripper.release(), log.clock) == pytest.approx(0.1)
    assert log.events == [("pump", False, now), ("valve", True, now), ("valve", False, pytest.approx(now + 0.1))]


def test_a_release_that_is_broken_off_leaves_no_valve_open(log: Log) -> None:
    valve = Part("valve", log)
    gripper = VacuumGripper(Part("pump", log, on=True), valve=valve)
    with closing(gripper.release()) as work:
        next(work)
        assert valve.on
    assert not valve.on and not gripper.on


def test_a_vacuum_that_is_felt_is_waited_for_no_longer(log: Log) -> None:
    contact = Feeler(log.clock, since=0.07)
    gripper = VacuumGripper(Part("pump", log), VacuumTimes(grip_s=0.5, sense_s=1.0), contact=contact)
    assert do(gripper.grip(), log.clock) == pytest.approx(0.07, abs=0.011)
    assert gripper.feels_disc()


def test_a_vacuum_that_does_not_come_is_waited_for_as_long_as_was_said(log: Log) -> None:
    gripper = VacuumGripper(Part("pump", log), VacuumTimes(sense_s=0.4), contact=Feeler(log.clock))
    assert do(gripper.grip(), log.clock) == pytest.approx(0.4)
    assert gripper.feels_disc() is False


def test_closing_lets_all_of_it_go(log: Log) -> None:
    pump, valve, contact, horn = Part("pump", log), Part("valve", log), Feeler(log.clock), Horn(log)
    VacuumGripper(pump, valve=valve, contact=contact).close()
    JawsGripper(horn, contact=contact).close()
    assert pump.closed and valve.closed and contact.closed and horn.closed


# Magnet.


def test_a_magnet_reverses_its_field_for_a_moment_and_never_drives_both_ways(log: Log) -> None:
    coil, reverse = Part("coil", log), Part("reverse", log)
    gripper = MagnetGripper(coil, log.clock, MagnetTimes(reverse_s=0.02, release_s=0.1), reverse)
    do(gripper.grip(), log.clock)
    for seconds in gripper.release():
        assert not (coil.on and reverse.on)
        log.clock.sleep(seconds)
    assert [(name, on) for name, on, _ in log.events] == [
        ("coil", True),
        ("coil", False),
        ("reverse", True),
        ("reverse", False),
    ]
    assert log.events[3][2] - log.events[2][2] == pytest.approx(0.02)


def test_a_disc_that_sticks_is_shaken_off_by_more_pulses_but_not_for_ever(log: Log) -> None:
    contact = Feeler(log.clock, since=0.0)
    gripper = MagnetGripper(Part("coil", log), log.clock, MagnetTimes(), Part("reverse", log), contact)
    do(gripper.grip(), log.clock)
    do(gripper.release(), log.clock)
    assert [on for name, on, _ in log.events if name == "reverse"] == [True, False] * 3
    log.events.clear()
    contact.until = log.clock.now() + 0.2
    do(gripper.release(), log.clock)
    assert [on for name, on, _ in log.events if name == "reverse"] == [True, False] * 2


def test_a_reversal_that_is_broken_off_is_over(log: Log) -> None:
    reverse = Part("reverse", log)
    gripper = MagnetGripper(Part("coil", log), log.clock, reverse=reverse)
    with closing(gripper.release()) as work:
        next(work)
        assert reverse.on
    assert not reverse.on


def test_a_magnet_that_was_on_for_long_is_overdue_and_needs_rest(log: Log) -> None:
    gripper = MagnetGripper(Part("coil", log), log.clock, MagnetTimes(heat=HeatLimit(60.0, 0.25)))
    do(gripper.grip(), log.clock)
    log.clock.sleep(59.0)
    assert not gripper.overdue
    log.clock.sleep(1.0)
    assert gripper.overdue
    gripper.let_go()
    assert not gripper.overdue
    rest = gripper.ready_in_s()
    assert rest == pytest.approx(10 * 0.75 / 0.25, abs=1.0)
    log.clock.sleep(rest)
    assert gripper.ready_in_s() == pytest.approx(0.0, abs=1e-6)


def test_a_magnet_that_was_found_on_counts_from_then(log: Log) -> None:
    coil = Part("coil", log, on=True)
    gripper = MagnetGripper(coil, log.clock, MagnetTimes(heat=HeatLimit(20.0, 0.5)))
    assert gripper.on
    log.clock.sleep(20.0)
    assert gripper.overdue
    coil.on = False  # A reset of the firmware.
    assert not gripper.overdue


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0.1, 100.0)), min_size=1, max_size=40),
    st.floats(5.0, 300.0),
    st.floats(0.05, 0.95),
)
def test_a_coil_kept_to_its_budget_never_exceeds_its_duty(
    spells: list[tuple[bool, float]], longest_s: float, duty: float
) -> None:
    clock = VirtualClock()
    budget = HeatBudget(HeatLimit(longest_s, duty), clock)
    on_s = 0.0
    for on, seconds in spells:
        spell = min(seconds, budget.left_s()) if on else seconds
        budget.note(on)
        clock.sleep(spell)
        on_s += spell if on else 0.0
        assert budget.left_s() >= -1e-6
        # In the long run the duty, beyond what a cold coil may take up once.
        assert on_s <= duty * clock.now() + longest_s * (1 - duty) + 1e-6
    budget.note(False)
    clock.sleep(budget.ready_in_s(longest_s))
    assert budget.left_s() == pytest.approx(longest_s)


def test_a_full_duty_limits_nothing(log: Log) -> None:
    gripper = MagnetGripper(Part("coil", log), log.clock, MagnetTimes(heat=HeatLimit(10.0, 1.0)))
    do(gripper.grip(), log.clock)
    log.clock.sleep(1e6)
    assert not gripper.overdue and gripper.ready_in_s() == 0


# Jaws.


def test_jaws_close_slowly_keep_pressing_and_rest_when_open(log: Log) -> None:
    gripper = JawsGripper(Horn(log), JawsMotion(1000, 2000, grip_s=0.2, release_s=0.3))
    assert not gripper.on
    assert do(gripper.grip(), log.clock) == pytest.approx(0.2)
    positions = [value for _, value, _ in log.events]
    assert positions == list(range(1100, 2001, 100)) and gripper.on
    log.events.clear()
    assert do(gripper.release(), log.clock) == pytest.approx(0.3)
    assert [value for _, value, _ in log.events] == [1000, None] and not gripper.on


def test_jaws_that_are_closed_already_stay_closed(log: Log) -> None:
    gripper = JawsGripper(Horn(log), JawsMotion(1000, 2000, grip_s=0.1))
    do(gripper.grip(), log.clock)
    log.events.clear()
    do(gripper.grip(), log.clock)
    assert {value for _, value, _ in log.events} == {2000}


# Behind the gantry.


@dataclass
class Felt:
    """A contact that feels what it is told to."""

    feels: bool = False

    def close(self) -> None: ...


def gantry_with(machine: Machine, gripper: Gripper) -> Gantry:
    gantry = Gantry(machine.motion, machine.permit, machine.clock, on_wait=machine.waits.append, gripper=gripper)
    gantry.connect()
    gantry.home()
    return gantry


@pytest.fixture
def felt() -> Felt:
    return Felt()


@pytest.fixture
def sensing(machine: Machine, felt: Felt) -> Iterator[Gantry]:
    yield gantry_with(machine, VacuumGripper(FirmwareSwitch(machine.motion), contact=felt))


def test_what_is_felt_is_held(machine: Machine, sensing: Gantry, felt: Felt) -> None:
    felt.feels = True
    sensing.grip()
    sensing.check_holding()
    assert sensing.holding_disc and machine.firmware.gripper_on


def test_a_grip_that_has_taken_nothing_is_said_and_undone(machine: Machine, sensing: Gantry) -> None:
    with pytest.raises(DiscNotHeldError, match="feels no disc") as caught:
        sensing.grip()
    assert not machine.firmware.gripper_on and not sensing.holding_disc
    assert str(caught.value).count(".") == 1 and str(caught.value).endswith(".")
    assert sensing.homed, "the machine is well"
    sensing.move_to(x=-50)


def test_a_disc_that_is_lost_on_the_way_is_noticed(machine: Machine, sensing: Gantry, felt: Felt) -> None:
    felt.feels = True
    sensing.grip()
    sensing.move_to(x=-100)
    felt.feels = False
    with pytest.raises(DiscNotHeldError):
        sensing.check_holding()
    assert not machine.firmware.gripper_on


def test_a_disc_that_sticks_is_noticed_once_the_gripper_is_off(sensing: Gantry, felt: Felt) -> None:
    felt.feels = True
    sensing.grip()
    sensing.check_empty()  # Held, and meant to be.
    sensing.release()
    with pytest.raises(DiscStuckError, match="please take it off"):
        sensing.check_empty()
    felt.feels = False
    sensing.check_empty()


def test_without_a_sensor_nothing_is_claimed(homed: Machine) -> None:
    homed.gantry.grip()
    homed.gantry.check_holding()
    homed.gantry.release()
    homed.gantry.check_empty()


def hot_magnet(machine: Machine) -> Gantry:
    """A gantry whose magnet on the firmware's output can hold for ten seconds."""
    times = MagnetTimes(heat=HeatLimit(10.0, 0.5))
    return gantry_with(machine, MagnetGripper(FirmwareSwitch(machine.motion), machine.clock, times))


def test_a_magnet_at_its_limit_lets_go_where_the_arm_stands_held_and_says_so(machine: Machine) -> None:
    gantry = hot_magnet(machine)
    gantry.grip()
    now = machine.clock.now()
    machine.permit.refused = [(now + 0.3, now + 100)]
    with pytest.raises(GripperHotError, match="let go"):
        gantry.move_to(x=-600)
    assert 9.5 < machine.clock.now() - now < 11
    assert not machine.firmware.gripper_on and not gantry.holding_disc
    assert not machine.firmware.moving
    machine.permit.refused = []
    if not gantry.homed:
        gantry.home()
    gantry.move_to(x=-100)
    assert machine.firmware.position[0] == pytest.approx(-100, abs=0.02)


def test_while_stopped_by_a_person_it_holds_to_its_limit_and_no_longer(machine: Machine) -> None:
    gantry = hot_magnet(machine)
    gantry.grip()
    machine.at(machine.clock.now() + 0.3, gantry.stop)
    with pytest.raises(StoppedError):
        gantry.move_to(x=-600)
    while machine.clock.now() < 9:
        gantry.attend()
        machine.clock.sleep(0.1)
    assert machine.firmware.gripper_on
    with pytest.raises(GripperHotError):
        for _ in range(100):
            machine.clock.sleep(0.1)
            gantry.attend()
    assert not machine.firmware.gripper_on
    gantry.attend()


def test_a_warm_magnet_rests_before_it_takes_the_next_disc(machine: Machine) -> None:
    gantry = hot_magnet(machine)
    gantry.grip()
    machine.clock.sleep(8.0)
    gantry.release()
    now = machine.clock.now()
    gantry.grip()
    assert machine.clock.now() - now > 7.0
    assert "the gripper has become warm and has to cool down" in machine.waits
    assert machine.waits[-1] is None


def test_a_stop_ends_the_rest(machine: Machine) -> None:
    gantry = hot_magnet(machine)
    gantry.grip()
    machine.clock.sleep(8.0)
    gantry.release()
    machine.at(machine.clock.now() + 1.0, gantry.stop)
    with pytest.raises(StoppedError):
        gantry.grip()
    assert not machine.firmware.gripper_on


def test_a_line_that_dies_while_the_field_is_reversed_leaves_nothing_on(machine: Machine) -> None:
    log = Log()
    coil, reverse = Part("coil", log), Part("reverse", log)
    gantry = gantry_with(machine, MagnetGripper(coil, machine.clock, MagnetTimes(reverse_s=0.5), reverse))
    gantry.grip()
    machine.at(machine.clock.now() + 0.1, machine.line.unplug)
    with pytest.raises(SerialError):
        gantry.release()
    assert not coil.on and not reverse.on
