"""Feed hold and resume: bytes that Grbl answers only by what its status reports then say."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from hardware.clock import Clock
from hardware.errors import FirmwareError
from hardware.grbl.messages import Status

HOLD, RESUME = b"!", b"~"
_RESUMES = 5


class Hold(Enum):
    """How far a feed hold has got."""

    NONE = "none"
    ASKED = "asked"
    AT_REST = "at rest"
    RESUMING = "resuming"


class FeedHold:
    """Follows a hold by the status reports, and sends a byte again only when a report shows that it did not arrive.

    A hold that somebody asked for at the controller board is followed as ours is.
    """

    def __init__(self, send: Callable[[bytes], None], clock: Clock, report_delay_s: float) -> None:
        self.state = Hold.NONE
        self._send = send
        self._clock = clock
        self._report_delay_s = report_delay_s
        self._sent_at = 0.0
        self._resumes = 0
        self._resume_wanted = False

    @property
    def none(self) -> bool:
        """Whether there is no hold, nor the end of one still to be seen."""
        return self.state is Hold.NONE

    @property
    def holding(self) -> bool:
        """Whether the machine brakes or stands for a hold."""
        return self.state in (Hold.ASKED, Hold.AT_REST)

    @property
    def changing(self) -> bool:
        """Whether the next report is waited for: the machine brakes, or should start again."""
        return self.state in (Hold.ASKED, Hold.RESUMING)

    def ask(self) -> None:
        """Send a hold, and forget a resume that was to follow an earlier one."""
        self._resume_wanted = False
        if not self.holding:
            self._send_hold()

    def sent_elsewhere(self) -> None:
        """A hold byte has been sent already, by another thread."""
        self._resume_wanted = False
        if not self.holding:
            self.state, self._sent_at = Hold.ASKED, self._clock.now()

    def resume(self) -> None:
        """Send a resume as soon as the machine stands: Grbl forgets one that comes while it brakes."""
        if self.state is Hold.AT_REST:
            self.state, self._resumes = Hold.RESUMING, 0
            self._send_resume()
        elif self.state is Hold.ASKED:
            self._resume_wanted = True

    def over(self) -> None:
        """A reset or an alarm has ended it."""
        self.state, self._resume_wanted = Hold.NONE, False

    def note(self, status: Status) -> None:
        """Take account of a report; FirmwareError if Grbl cannot be brought out of its hold."""
        held = status.state in ("Hold", "Door")
        at_rest = held and status.substate in (None, 0)
        # A report may have been on its way when the byte was sent; only a later one shows that the byte was lost.
        telling = self._clock.now() - self._sent_at >= self._report_delay_s
        if self.state is Hold.NONE:
            if held:
                self.state = Hold.AT_REST if at_rest else Hold.ASKED
        elif self.state is Hold.ASKED:
            if at_rest or status.state == "Idle":
                self.state = Hold.AT_REST
            elif status.state in ("Run", "Jog") and telling:
                self._send_hold()
        elif self.state is Hold.RESUMING:
            if not held:
                self.state = Hold.NONE
            elif at_rest and telling:
                self._send_resume()
        if self.state is Hold.AT_REST and self._resume_wanted:
            self._resume_wanted = False
            self.resume()

    def _send_hold(self) -> None:
        self._send(HOLD)
        self.state = Hold.ASKED
        self._sent_at = self._clock.now()

    def _send_resume(self) -> None:
        if self._resumes >= _RESUMES:
            raise FirmwareError(
                "Grbl stays in its hold: look whether a feed-hold or door switch at the controller board is closed."
            )
        self._send(RESUME)
        self._resumes += 1
        self._sent_at = self._clock.now()
