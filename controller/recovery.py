"""Leads the table back to work after a fault of the machine or a person's stop: says it, waits, goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from controller.announcer import Announcer
from controller.events import TurnState
from hardware.clock import Clock
from hardware.errors import (
    DiscStuckError,
    GripperError,
    GripperHotError,
    HardwareError,
    OutOfReachError,
    SerialError,
    StoppedError,
)
from hardware.gantry import Gantry
from hardware.panel import Panel

RETRY_S = 1.0
STOP_PATIENCE_S = 600.0
"""How long after a person's stop, or a call for help, the turn button is waited for."""
STILL_PRESSED = "the stop button is still pressed: release it, then press the turn button to let me go on"
LOOK_AT_BUTTON_S = 0.1
MOST_FAULTS = 5
"""After so many faults in a row the machine is not asked again."""


class Recovery:
    """After a fault the arm does nothing before the machine answers again, or whoever stopped it agrees."""

    def __init__(self, clock: Clock, gantry: Gantry, panel: Panel, announcer: Announcer, patience_s: float) -> None:
        """A machine that does not answer is waited for `patience_s`."""
        self._clock = clock
        self._gantry = gantry
        self._panel = panel
        self._announcer = announcer
        self._patience_s = patience_s

    def after(self, fault: HardwareError, doing: str, come_to_rest: Callable[[], None]) -> None:
        """Return when the machine works again, knows where it is, and `come_to_rest` has been done.

        `doing` is what the arm was about. Raises the fault, or a later one, when the machine does not come back.
        """
        for _ in range(MOST_FAULTS):
            if isinstance(fault, OutOfReachError):
                break
            if isinstance(fault, StoppedError):
                self._wait_for_leave(fault, doing)
            elif isinstance(fault, DiscStuckError):
                self._wait_for_help(fault)
            elif isinstance(fault, GripperError):
                self._announcer.say(str(fault))
            else:
                self._wait_for_machine(fault)
            self._announcer.settled()
            self._announcer.enter(TurnState.MOVING)
            try:
                if not self._gantry.homed:
                    self._gantry.home()
                come_to_rest()
            except HardwareError as another:
                fault = another
            else:
                return
        raise fault

    def _wait_for_leave(self, stop: StoppedError, doing: str) -> None:
        """After a person's stop nothing moves before a person agrees, with the turn button."""
        self._panel.turn_pressed()  # What was pressed before is no answer to what is asked now.
        self._announcer.enter(TurnState.ASKING)
        self._announcer.ask(
            f"I was stopped while I carried {doing} and hold still: press the turn button to let me go on"
        )
        self._wait_for_button(stop)
        self._panel.stop_pressed()  # That it was pressed has been answered; what counts is whether it still is.
        while self._panel.stop_pressed():
            self._announcer.ask(STILL_PRESSED)
            self._wait_for_button(stop)
        self._gantry.allow()

    def _wait_for_help(self, fault: DiscStuckError) -> None:
        """Something only a person can put right: ask, and wait for the turn button."""
        self._panel.turn_pressed()
        self._announcer.enter(TurnState.ASKING)
        self._announcer.ask(f"{fault} Then press the turn button.")
        self._wait_for_button(fault)

    def _wait_for_button(self, fault: HardwareError) -> None:
        """Return when the turn button is pressed; raises the fault if nobody comes."""
        give_up = self._clock.now() + STOP_PATIENCE_S
        while not self._panel.turn_pressed():
            if self._clock.now() >= give_up:
                raise fault
            self._wait(LOOK_AT_BUTTON_S)

    def _wait(self, seconds: float) -> None:
        """Let time pass. A gripper that cannot hold any longer lets go meanwhile, and the player is told."""
        self._clock.sleep(seconds)
        with suppress(SerialError):  # Over a line that is gone nothing can be let go.
            try:
                self._gantry.attend()
            except GripperHotError as let_go:
                self._announcer.say(str(let_go))

    def _wait_for_machine(self, fault: HardwareError) -> None:
        """Try to reach the machine again until it answers."""
        self._announcer.enter(TurnState.ASKING)
        self._announcer.ask(f"{fault} I wait up to {self._patience_s:.0f} s for it.")
        give_up = self._clock.now() + self._patience_s
        while True:
            self._wait(RETRY_S)
            try:
                self._gantry.connect()
            except HardwareError:
                if self._clock.now() >= give_up:
                    raise fault from None
            else:
                self._announcer.say("the machine answers again: I find home and look at the board")
                return
