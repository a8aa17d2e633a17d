"""The one clock that everything waits by: real, or virtual."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Time as every part sees it; no part sleeps or reads the system's time by another way."""

    def now(self) -> float:
        """Seconds since an arbitrary start; never runs backwards."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return when `seconds` have passed on this clock."""
        ...

    def date(self) -> datetime:
        """The calendar date and time (UTC) that goes with `now()`."""
        ...


class RealClock:
    """The system's monotonic clock."""

    def now(self) -> float:
        """Seconds of the system's monotonic clock."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Sleep for `seconds` of real time."""
        if seconds > 0:
            time.sleep(seconds)

    def date(self) -> datetime:
        """The system's calendar time (UTC)."""
        return datetime.now(UTC)


class ListenedClock:
    """The real clock for a program that has other things to do while it waits: listeners are told as time goes by.

    They are called in the order of attachment, every `every_s` or so while somebody sleeps, in the thread that made
    the clock and never one within another: a sleep in another thread, or in a listener, is a plain one.
    """

    def __init__(self, real: Clock | None = None, every_s: float = 0.03) -> None:
        self._real = real or RealClock()
        self._every_s = every_s
        self._listeners: list[Callable[[float], None]] = []
        self._thread = threading.get_ident()
        self._telling = False
        self._told_at = -math.inf

    def now(self) -> float:
        """The real clock's seconds."""
        return self._real.now()

    def date(self) -> datetime:
        """The real clock's date."""
        return self._real.date()

    def attach(self, listener: Callable[[float], None]) -> None:
        """Call `listener(now)` again and again while somebody sleeps."""
        self._listeners.append(listener)

    def sleep(self, seconds: float) -> None:
        """Sleep for `seconds` of real time; longer only if a listener takes longer."""
        if self._telling or threading.get_ident() != self._thread:
            self._real.sleep(seconds)
            return
        end = self.now() + seconds
        self._tell()
        while (left := end - self.now()) > 0:
            self._real.sleep(min(left, self._every_s))
            self._tell()

    def _tell(self) -> None:
        if self.now() - self._told_at < 0.9 * self._every_s:
            return
        self._told_at = self.now()
        self._telling = True
        try:
            for listener in self._listeners:
                listener(self.now())
        finally:
            self._telling = False


class VirtualClock:
    """A clock that moves only when somebody sleeps on it.

    What lives on virtual time (the simulated table, a simulated human) is attached as a listener and is told the
    new time, in the order of attachment, whenever it has advanced.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self._start = start
        self._now = 0.0
        self._listeners: list[Callable[[float], None]] = []

    def now(self) -> float:
        """Virtual seconds since this clock was made."""
        return self._now

    def date(self) -> datetime:
        """The start date plus the virtual seconds gone by."""
        return self._start + timedelta(seconds=self._now)

    def attach(self, listener: Callable[[float], None]) -> None:
        """Call `listener(now)` after every advance."""
        self._listeners.append(listener)

    def sleep(self, seconds: float) -> None:
        """Advance by `seconds` at once and tell the listeners."""
        if seconds <= 0:
            return
        self._now += seconds
        for listener in self._listeners:
            listener(self._now)


class PacedClock(VirtualClock):
    """A virtual clock that a person can follow: it runs no faster than `speed` × real time."""

    def __init__(self, speed: float, real: Clock | None = None) -> None:
        self._real = real or RealClock()
        super().__init__(self._real.date())
        self._speed = speed
        self._real_start = self._real.now()

    def sleep(self, seconds: float) -> None:
        """Advance, then wait for real time to catch up."""
        super().sleep(seconds)
        ahead = self.now() / self._speed - (self._real.now() - self._real_start)
        if ahead > 0:
            self._real.sleep(ahead)
        else:  # Drawing was slower than the pace: do not race through what follows to make up for it.
            self._real_start -= ahead
