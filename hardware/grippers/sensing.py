"""Waiting, step by step, until a gripper's sensor says what it should."""

from __future__ import annotations

import math

from hardware.gripper import Work
from hardware.grippers.switch import Contact

LOOK_EVERY_S = 0.01


def until_felt(contact: Contact, wanted: bool, at_most_s: float) -> Work:
    """Wait until the contact feels a disc (or, with `wanted` False, none), but no longer than `at_most_s`."""
    for _ in range(math.ceil(at_most_s / LOOK_EVERY_S)):
        if contact.feels is wanted:
            return
        yield LOOK_EVERY_S


def felt_by(contact: Contact | None) -> bool | None:
    """What the contact feels; None if there is none."""
    return None if contact is None else contact.feels
