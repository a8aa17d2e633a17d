"""Waiting for the end of motion costs next to nothing, whichever kin of Grbl it is."""

from __future__ import annotations

import pytest

from hardware.grbl.barrier import barrier_for
from hardware.machine_speeds import REFERENCE_SPEEDS
from tests.hardware.simulated_machine import Machine


@pytest.mark.parametrize(
    ("version", "barrier"),
    [
        ("Grbl 1.1h.20190825", "G4 P0"),
        ("Grbl 1.1f.20230408", "G4 P0"),
        ("Grbl 3.7 FluidNC v3.7.8", "G4 P0.001"),
        ("", "G4 P0"),
    ],
)
def test_fluidnc_alone_needs_a_dwell_of_some_length(version: str, barrier: str) -> None:
    assert barrier_for(version) == barrier


def test_a_move_ends_within_a_fiftieth_of_a_second_of_the_machine() -> None:
    machine = Machine().homed()
    start = machine.gantry.position
    began = machine.clock.now()
    machine.gantry.move_to(x=-202.0)
    took = machine.clock.now() - began
    assert 0 <= took - REFERENCE_SPEEDS.seconds(start, (-202.0, start[1], start[2])) < 0.02
    assert machine.firmware.position[0] == pytest.approx(-202.0)


def test_a_dwell_of_any_length_takes_a_twentieth_of_a_second_at_least() -> None:
    machine = Machine().homed()
    machine.firmware.receive(b"G4 P0.01\n")
    machine.firmware.take_output()
    machine.clock.sleep(0.045)
    assert machine.firmware.take_output() == b""
    machine.clock.sleep(0.01)
    assert machine.firmware.take_output() == b"ok\r\n"
