"""Virtual time that keeps pace with real time, so that what lives on it can be touched from outside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from hardware.clock import Clock, RealClock, VirtualClock

TICK_S = 0.002
"""Real time between advances: what the firmware's real one needs to answer is no less."""
BEHIND_S = 0.25
"""If the process was kept from running for longer (real time), the table's time stands still meanwhile."""


class ClockDriver:
    """Advances `clock` to real time × `speed` again and again in a thread of its own, then calls `each_tick`.

    All of it happens with `lock` held, and whoever else touches what lives on the clock holds it, too. `on_failure`
    is told what has ended the thread, if anything but `stop` does.
    """

    def __init__(
        self,
        clock: VirtualClock,
        speed: float,
        lock: AbstractContextManager[object],
        each_tick: Callable[[], None],
        on_failure: Callable[[Exception], None],
        real: Clock | None = None,
    ) -> None:
        self._clock, self._speed, self._lock, self._each_tick = clock, speed, lock, each_tick
        self._on_failure = on_failure
        self._real = real or RealClock()
        self._real_before = self._real.now()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="table clock", daemon=True)

    def start(self) -> None:
        """Let time run from now on."""
        self._real_before = self._real.now()
        self._thread.start()

    def stop(self) -> None:
        """Time stands still when this returns."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def tick(self) -> None:
        """Catch up with real time once."""
        with self._lock:
            now = self._real.now()
            passed, self._real_before = now - self._real_before, now
            self._clock.sleep(min(passed, BEHIND_S) * self._speed)
            self._each_tick()

    def _run(self) -> None:
        try:
            while not self._stopping.wait(TICK_S):
                self.tick()
        except Exception as error:
            self._on_failure(error)
