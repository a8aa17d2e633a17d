"""When the next status report is asked for, and what their absence or their sameness tells."""

from __future__ import annotations

import math

from hardware.grbl.timings import GrblTimings


class StatusWatch:
    """Keeps the times of questions and reports while something moves or is held; all times are the clock's, s."""

    def __init__(self, timings: GrblTimings) -> None:
        self._timings = timings
        self.began_s = 0.0
        """When the last motion was sent: a report from before says nothing about it."""
        self._next_ask = 0.0
        self._unanswered_since = math.inf
        self._idle_since = math.inf

    def begin(self, now: float) -> None:
        """A motion is being sent."""
        self.began_s = now
        self._next_ask, self._unanswered_since, self._idle_since = now + self._timings.status_s, math.inf, math.inf

    def ask_at(self, when: float) -> None:
        """The next question is due then."""
        self._next_ask = when

    def due(self, now: float) -> bool:
        """Whether a question is due."""
        return now >= self._next_ask

    def asked(self, now: float, changing: bool) -> None:
        """A question has been sent; while a hold is `changing` the next one follows sooner."""
        self._unanswered_since = min(self._unanswered_since, now)
        self._next_ask = now + (self._timings.holding_s if changing else self._timings.status_s)

    def answered(self, idle: bool, now: float) -> None:
        """A report has come; `idle` is whether it says that the machine stands."""
        self._unanswered_since = math.inf
        self._idle_since = min(self._idle_since, now) if idle else math.inf

    def silent(self, now: float) -> bool:
        """Whether a question has waited for its answer for too long."""
        return now - self._unanswered_since > self._timings.silence_s

    def idle_for_long(self, now: float) -> bool:
        """Whether the reports have said for so long that the machine stands that a lost answer will not come."""
        return now - self._idle_since > self._timings.answer_s
