"""Clocks that tell others how time goes by."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from hardware.clock import ListenedClock, PacedClock

TODAY = datetime(2026, 5, 4, tzinfo=UTC)


class HandClock:
    """A real clock that somebody moves."""

    def __init__(self) -> None:
        self.time = 100.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def date(self) -> datetime:
        return TODAY


def test_listeners_hear_of_a_long_sleep_again_and_again() -> None:
    real = HandClock()
    clock = ListenedClock(real, every_s=0.1)
    heard: list[float] = []
    clock.attach(heard.append)
    clock.sleep(1.0)
    assert real.time == pytest.approx(101.0)
    assert heard == pytest.approx([100.0 + 0.1 * n for n in range(11)], abs=0.02)


def test_many_short_sleeps_do_not_make_it_more() -> None:
    real = HandClock()
    clock = ListenedClock(real, every_s=0.1)
    heard: list[float] = []
    clock.attach(heard.append)
    for _ in range(1000):
        clock.sleep(0.001)
    assert len(heard) == pytest.approx(10, abs=2)


def test_a_listener_that_sleeps_or_takes_long_is_not_called_within_itself() -> None:
    real = HandClock()
    clock = ListenedClock(real, every_s=0.1)
    calls: list[float] = []

    def slow(now: float) -> None:
        calls.append(now)
        clock.sleep(0.5)

    clock.attach(slow)
    clock.sleep(1.0)
    assert len(calls) == 2
    assert real.time < 102.0


def test_another_thread_only_sleeps() -> None:
    clock = ListenedClock(HandClock(), every_s=0.1)
    heard: list[float] = []
    clock.attach(heard.append)
    thread = threading.Thread(target=clock.sleep, args=(1.0,))
    thread.start()
    thread.join()
    assert heard == []


def test_what_a_listener_raises_comes_out_of_the_sleep_and_the_clock_goes_on() -> None:
    real = HandClock()
    clock = ListenedClock(real, every_s=0.1)
    left = [True]

    def leave(now: float) -> None:
        if left:
            left.pop()
            raise KeyError

    clock.attach(leave)
    with pytest.raises(KeyError):
        clock.sleep(1.0)
    clock.sleep(1.0)
    assert real.time == pytest.approx(101.0)


def test_a_paced_clock_begins_at_the_real_date() -> None:
    clock = PacedClock(4.0, HandClock())
    clock.sleep(60.0)
    assert clock.date() == TODAY + timedelta(seconds=60)
    assert clock.now() == 60.0
