"""An electromagnet: it gets warm, and what it held may stick to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hardware.clock import Clock
from hardware.gripper import Work
from hardware.grippers.heat import HeatBudget, HeatLimit
from hardware.grippers.sensing import felt_by, until_felt
from hardware.grippers.switch import Contact, Switch

TRANSFER_S = 10.0
"""For how long the coil must be able to hold before it takes a disc: a transfer, and some waiting on the way."""
PULSES = 3
"""How often the field is reversed while the sensor still feels the disc."""


@dataclass(frozen=True)
class MagnetTimes:
    """How long (s) things take.

    grip_s: from switching the coil on until it holds. release_s: from switching it off until the disc is free.
    reverse_s: how long the field is reversed to take away what is left of it. sense_s: how long the sensor is waited
    for.
    """

    grip_s: float = 0.15
    release_s: float = 0.15
    reverse_s: float = 0.03
    sense_s: float = 0.3
    heat: HeatLimit = field(default_factory=HeatLimit)


class MagnetGripper:
    """A `Gripper` with a coil.

    Iron stays a little magnetic and light discs hang on to it: where there is a `reverse` switch (the other direction
    of an H-bridge) the field is reversed for a moment after the coil is off; the two are never on together. A coil
    that was on longer than its heat limit is `overdue`.
    """

    def __init__(
        self,
        coil: Switch,
        clock: Clock,
        times: MagnetTimes = MagnetTimes(),
        reverse: Switch | None = None,
        contact: Contact | None = None,
    ) -> None:
        self._coil = coil
        self._times = times
        self._reverse = reverse
        self._contact = contact
        self._heat = HeatBudget(times.heat, clock)

    @property
    def on(self) -> bool:
        """Whether the coil is on."""
        on = self._coil.on
        self._heat.note(on)  # A reset of the firmware may have switched it off, or another program on.
        return on

    def grip(self) -> Work:
        """Switch the coil on and wait until it holds."""
        self._coil.set(True)
        self._heat.note(True)
        if self._contact is None:
            yield self._times.grip_s
        else:
            yield from until_felt(self._contact, True, max(self._times.grip_s, self._times.sense_s))

    def release(self) -> Work:
        """Switch the coil off, take the rest of its field away, and wait until the disc is free."""
        self.let_go()
        if self._reverse is None:
            yield self._times.release_s
            return
        for _ in range(PULSES):
            try:
                self._reverse.set(True)
                yield self._times.reverse_s
            finally:
                self._reverse.set(False)
            yield self._times.release_s
            if self._contact is None or not self._contact.feels:
                return

    def feels_disc(self) -> bool | None:
        """Whether the sensor feels a disc at the tip."""
        return felt_by(self._contact)

    def ready_in_s(self) -> float:
        """How long the coil must cool before it can hold a disc for a whole transfer."""
        return 0.0 if self.on else self._heat.ready_in_s(TRANSFER_S)

    @property
    def overdue(self) -> bool:
        """Whether the coil is on and has reached its heat limit."""
        return self.on and self._heat.left_s() <= 0

    def let_go(self) -> None:
        """Switch the coil off."""
        self._coil.set(False)
        self._heat.note(False)

    def close(self) -> None:
        """Let go of coil and sensor."""
        for part in (self._coil, self._reverse, self._contact):
            if part is not None:
                part.close()
