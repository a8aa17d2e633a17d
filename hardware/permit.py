"""The permit: without it the gantry does not move."""

from __future__ import annotations

from typing import Protocol


class Permit(Protocol):
    """Asked by the gantry before every motion and, at a fixed rate, during it."""

    def refusal(self) -> str | None:
        """None while motion is allowed, else the reason it is not ("a hand is over the board").

        Looks for itself if what it knows is too old to rely on.
        """
        ...


class AttendedPermit:
    """The one override: a person stands beside the machine and answers for it (`--attended`)."""

    def refusal(self) -> str | None:
        """Motion is always allowed."""
        return None
