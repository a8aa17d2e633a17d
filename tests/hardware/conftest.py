"""A simulated machine on virtual time, from the gantry down to the board."""

from __future__ import annotations

import pytest
from simulated_machine import Machine


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def homed(machine: Machine) -> Machine:
    return machine.homed()
