"""Suction: a pump, perhaps with a valve that lets air in, perhaps with a switch that feels the vacuum."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.gripper import Work
from hardware.grippers.sensing import felt_by, until_felt
from hardware.grippers.switch import Contact, Switch


@dataclass(frozen=True)
class VacuumTimes:
    """How long (s) things take.

    grip_s: from switching the pump on until the disc is held, without a sensor. release_s: from switching it off
    until the disc is free. vent_s: how long the valve lets air in. sense_s: how long the sensor is waited for.
    """

    grip_s: float = 0.15
    release_s: float = 0.15
    vent_s: float = 0.15
    sense_s: float = 0.6


class VacuumGripper:
    """A `Gripper` that sucks.

    The valve, where there is one, lets air into the hose while it is on: without it a disc hangs on until the vacuum
    has leaked away. It is on only for `vent_s`, so that its coil stays cool and a pin that dies leaves it closed.
    With a `contact` (a vacuum switch) a disc is taken to be held as soon as that feels it.
    """

    def __init__(
        self,
        pump: Switch,
        times: VacuumTimes = VacuumTimes(),
        valve: Switch | None = None,
        contact: Contact | None = None,
    ) -> None:
        self._pump = pump
        self._times = times
        self._valve = valve
        self._contact = contact

    @property
    def on(self) -> bool:
        """Whether the pump is on."""
        return self._pump.on

    def grip(self) -> Work:
        """Suck, and wait until the sensor feels a vacuum, or for `grip_s` without one."""
        self._pump.set(True)
        if self._contact is None:
            yield self._times.grip_s
        else:
            yield from until_felt(self._contact, True, self._times.sense_s)

    def release(self) -> Work:
        """Stop sucking, let air in, and wait until the disc is free."""
        self._pump.set(False)
        if self._valve is None:
            yield self._times.release_s
        else:
            try:
                self._valve.set(True)
                yield self._times.vent_s
            finally:
                self._valve.set(False)
        if self._contact is not None:
            yield from until_felt(self._contact, False, self._times.sense_s)

    def feels_disc(self) -> bool | None:
        """Whether the vacuum switch feels a vacuum."""
        return felt_by(self._contact)

    def ready_in_s(self) -> float:
        """A pump needs no rest."""
        return 0.0

    @property
    def overdue(self) -> bool:
        """A pump may hold for as long as it likes."""
        return False

    def let_go(self) -> None:
        """Switch the pump off."""
        self._pump.set(False)

    def close(self) -> None:
        """Let go of pump, valve and sensor."""
        for part in (self._pump, self._valve, self._contact):
            if part is not None:
                part.close()
