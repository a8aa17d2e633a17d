"""What can go wrong between two programs that speak the Hub protocol."""

from __future__ import annotations

from controller.errors import ControllerError


class HubError(ControllerError):
    """An engine that cannot be started, does not answer, ends, or answers what it must not."""


class HubLineError(ControllerError, ValueError):
    """A line that cannot be understood; `str()` is the sentence that goes back to who has sent it."""
