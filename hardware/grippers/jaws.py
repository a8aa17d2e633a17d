"""Jaws: closed by a servo on a pin, or by an output of the firmware that closes them as long as it is on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from hardware.gripper import Work
from hardware.grippers.sensing import felt_by, until_felt
from hardware.grippers.switch import Contact

STEP_S = 0.02
"""A servo takes a new position once a period of its signal, which is 20 ms."""


class Servo(Protocol):
    """A hobby servo; its position is the width of its pulses (µs), commonly from 500 to 2500."""

    def turn_to(self, pulse_us: float) -> None:
        """Go to a position. Raises HardwareError if it cannot be driven."""
        ...

    def relax(self) -> None:
        """Give no more pulses: the servo neither holds its place nor jitters about it."""
        ...

    def close(self) -> None:
        """Let go of the pin."""
        ...


@dataclass(frozen=True)
class JawsMotion:
    """Positions (µs) of the servo with the jaws open, and closed on a disc; how long (s) the way between takes."""

    open_us: float = 1200.0
    closed_us: float = 1800.0
    grip_s: float = 0.3
    release_s: float = 0.3
    sense_s: float = 0.3


class JawsGripper:
    """A `Gripper` with two fingers on a servo.

    They close slowly, over `grip_s`, so that a disc is centred between them and not struck. Closed, the servo keeps
    pressing; open, it gets no pulses.
    """

    def __init__(self, servo: Servo, motion: JawsMotion = JawsMotion(), contact: Contact | None = None) -> None:
        self._servo = servo
        self._motion = motion
        self._contact = contact
        self._closed = False

    @property
    def on(self) -> bool:
        """Whether the jaws are closed, or closing."""
        return self._closed

    def grip(self) -> Work:
        """Close, step by step."""
        motion = self._motion
        steps = max(1, math.ceil(motion.grip_s / STEP_S))
        start = motion.closed_us if self._closed else motion.open_us
        self._closed = True
        for step in range(1, steps + 1):
            self._servo.turn_to(start + (motion.closed_us - start) * step / steps)
            yield motion.grip_s / steps
        if self._contact is not None:
            yield from until_felt(self._contact, True, motion.sense_s)

    def release(self) -> Work:
        """Open, and let the servo rest there."""
        self.let_go()
        yield self._motion.release_s
        self._servo.relax()

    def feels_disc(self) -> bool | None:
        """Whether the sensor feels a disc between the fingers."""
        return felt_by(self._contact)

    def ready_in_s(self) -> float:
        """A servo needs no rest."""
        return 0.0

    @property
    def overdue(self) -> bool:
        """Jaws may hold for as long as they like."""
        return False

    def let_go(self) -> None:
        """Open."""
        self._servo.turn_to(self._motion.open_us)
        self._closed = False

    def close(self) -> None:
        """Let go of servo and sensor."""
        self._servo.close()
        if self._contact is not None:
            self._contact.close()
