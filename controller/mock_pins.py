"""A Raspberry Pi's pins that are wired to a running simulated table: gpiozero's mock pins over its control socket.

Buttons, light and gripper are then the very classes that work the real pins.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import deque
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.errors import TableProgramError
from hardware.simulated.control_client import ControlClient, watch_pins
from hardware.simulated.requests import DrivePins

FIRST_LEVELS_S = 2.0
"""How long (real time) the table may take to tell the levels of its buttons."""
DELIVERED_S = 15.0
"""How long (real time) a gripper's change may take to arrive, the changes before it included."""

_log = logging.getLogger(__name__)


class TablePins:
    """The pins, as long as `factory` (gpiozero's pin factory) is used: until `close`.

    `inputs` are the pins (BCM numbers) of the buttons: their levels at the table are known before this returns. A
    change of one of the `prompt` outputs has arrived at the table when the call that made it returns, and raises
    TableProgramError if it cannot; other outputs, those of a light, follow by themselves as soon as they can. Changes
    arrive in the order in which they were made.

    Raises TableProgramError if no table answers at the control socket `path`, or nothing there is wired to one of
    these pins.
    """

    def __init__(self, path: Path, inputs: Collection[int], prompt: Collection[int]) -> None:
        self._outputs = _Outputs(ControlClient(path), frozenset(prompt))
        self.factory = _TableFactory(self._outputs)
        try:
            for pin in prompt:
                self._outputs.change(pin, 0.0)
            self._inputs = _Inputs(path, self.factory)
        except BaseException:
            self._outputs.close()
            raise
        try:
            self._inputs.wait_for(inputs, path.parent)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the pins; what was driven is off at the table."""
        self._inputs.close()
        self.factory.close()
        self._outputs.close()


class _Inputs:
    """Brings the levels of the table's buttons to the mock pins."""

    def __init__(self, path: Path, factory: _TableFactory) -> None:
        self._factory = factory
        self._known: set[int] = set()
        self._changed = threading.Condition()
        self._watch = watch_pins(path, self._set_level)

    def wait_for(self, pins: Collection[int], folder: Path) -> None:
        wanted = frozenset(pins)
        with self._changed:
            if not self._changed.wait_for(lambda: wanted <= self._known, FIRST_LEVELS_S):
                missing = min(wanted - self._known)
                raise TableProgramError(
                    f"No button of the simulated table in {folder} is wired to pin {missing}: use the settings that "
                    "it has written there, config.toml."
                )

    def close(self) -> None:
        self._watch.close()

    def _set_level(self, number: int, high: bool) -> None:
        self._factory.pin(number).drive_from_outside(high)
        with self._changed:
            self._known.add(number)
            self._changed.notify_all()


@dataclass
class _Change:
    """Levels that go to the table together; `delivered` is who waits for them."""

    levels: dict[int, float]
    delivered: Future[None] | None = None


class _Outputs:
    """Sends the changes of output pins to the table in a thread of its own, one after the other."""

    def __init__(self, client: ControlClient, prompt: frozenset[int]) -> None:
        self._client = client
        self._prompt = prompt
        self._changes: deque[_Change] = deque()
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="table outputs", daemon=True)
        self._thread.start()

    def change(self, pin: int, level: float) -> None:
        """A pin is so far on from now on (0 to 1). TableProgramError if it is a prompt one and cannot be changed."""
        if pin in self._prompt:
            delivered: Future[None] = Future()
            self._add(_Change({pin: level}, delivered))
            try:
                delivered.result(DELIVERED_S)
            except TimeoutError as error:
                raise TableProgramError(
                    "The simulated table does not follow its pins: stop it and start it again."
                ) from error
        else:
            self._add(_Change({pin: level}))

    def close(self) -> None:
        """End the thread, once all has been sent, and leave the table."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(DELIVERED_S)
        self._client.close()

    def _add(self, change: _Change) -> None:
        with self._changed:
            last = self._changes[-1] if self._changes else None
            if last is not None and last.delivered is None and change.delivered is None:
                last.levels.update(change.levels)
            else:
                self._changes.append(change)
            self._changed.notify_all()

    def _next(self) -> _Change | None:
        with self._changed:
            self._changed.wait_for(lambda: self._changes or self._closing)
            return self._changes.popleft() if self._changes else None

    def _run(self) -> None:
        while change := self._next():
            try:
                self._client.handle(DrivePins({str(pin): level for pin, level in change.levels.items()}))
            except TableProgramError as error:
                if change.delivered is not None:
                    change.delivered.set_exception(error)
                else:
                    _log.info("a light's pins could not be changed: %s", error)
            else:
                if change.delivered is not None:
                    change.delivered.set_result(None)


class _TableFactory(MockFactory):  # type: ignore[misc]
    """gpiozero's mock factory, for pins that are wired to the table."""

    def __init__(self, outputs: _Outputs) -> None:
        super().__init__(pin_class=_TablePin)
        self.outputs = outputs


class _TablePin(MockPWMPin):  # type: ignore[misc]
    """A mock pin whose input level comes from the table and whose output level goes there."""

    def __init__(self, factory: _TableFactory, info: Any) -> None:
        self._outside: bool | None = None
        # The table's levels come in a thread of their own.
        self._level_lock = threading.RLock()
        super().__init__(factory, info)

    def drive_from_outside(self, high: bool) -> None:
        """What is wired to the pin has this level from now on."""
        with self._level_lock:
            self._outside = high
            self._follow_outside()

    def _follow_outside(self) -> None:
        if self._outside is None or self._function != "input":
            return
        if self._outside:
            self.drive_high()
        else:
            self.drive_low()

    def _set_pull(self, value: str) -> None:
        """What is wired to the pin is stronger than its pull resistor."""
        with self._level_lock:
            super()._set_pull(value)
            self._follow_outside()

    def _set_function(self, value: str) -> None:
        with self._level_lock:
            driven = self._function == "output" and value == "input"
            super()._set_function(value)
        if driven:
            # Nothing drives what is wired to it any more; if it cannot be told, it is gone itself.
            with contextlib.suppress(TableProgramError):
                self.factory.outputs.change(self._number, 0.0)

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        if changed and self._function == "output":
            self.factory.outputs.change(self._number, float(value))
        return changed

    def close(self) -> None:
        """Let go of the pin, also when the table is gone."""
        with contextlib.suppress(TableProgramError):
            self.frequency = None
        super().close()
