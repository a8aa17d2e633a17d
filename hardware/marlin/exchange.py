"""Waiting for Marlin's answers: a line and its `ok`. Only what Marlin itself asks for is sent again (`link`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque

from hardware.clock import Clock
from hardware.errors import FirmwareError, SerialError
from hardware.marlin.link import MarlinLink
from hardware.marlin.messages import Busy, Capability, Firmware, Message, Ok, Position, Text, UnknownCommand
from hardware.marlin.sentences import silent_sentence, spoilt_sentence
from hardware.marlin.timings import MarlinTimings


class MarlinExchange(ABC):
    """The part of the driver that asks and waits; what else arrives meanwhile is left to `_take`."""

    def __init__(self, clock: Clock, timings: MarlinTimings) -> None:
        self._clock = clock
        self._timings = timings
        self._link: MarlinLink | None = None
        self._inbox: deque[Message] = deque()
        self._since_s = 0.0
        self._patience_ends = 0.0

    @abstractmethod
    def _take(self, message: Message) -> None:
        """Account for a message that nobody waits for; raises if it says that something is wrong."""

    @abstractmethod
    def _give_up(self) -> None:
        """We no longer know what was carried out: send nothing more."""

    def _the_link(self) -> MarlinLink:
        if self._link is None:
            raise SerialError("The controller board is not connected: connect first.")
        return self._link

    def _begin_waiting(self, at_most_s: float) -> None:
        """A line is about to be sent whose answer is awaited for so long."""
        self._since_s = self._clock.now()
        self._patience_ends = self._since_s + at_most_s

    def _heard(self) -> None:
        """Marlin is alive and works on what it was told."""
        self._patience_ends = max(self._patience_ends, self._clock.now() + self._timings.answer_s)

    def _next_message(self) -> Message | None:
        if not self._inbox:
            self._inbox.extend(self._the_link().receive())
        return self._inbox.popleft() if self._inbox else None

    def _take_messages(self) -> None:
        while message := self._next_message():
            self._take(message)

    def _exchange(self, line: str) -> list[Message]:
        """Send a line, wait for its `ok`, and return what came before it."""
        self._take_messages()
        self._the_link().send(line)
        return self._await_ok(line)

    def _await_ok(self, line: str) -> list[Message]:
        link = self._the_link()
        answers: list[Message] = []
        unknown = False
        self._begin_waiting(self._timings.answer_s)
        while True:
            while message := self._next_message():
                if isinstance(message, Ok):
                    link.answered()
                    if unknown:
                        raise FirmwareError(f"Marlin does not know '{line}': build it with what this needs.")
                    return answers
                if isinstance(message, UnknownCommand):
                    unknown = True
                elif isinstance(message, Text | Firmware | Capability):
                    answers.append(message)
                    self._heard()
                elif isinstance(message, Busy):
                    self._heard()
                else:
                    if isinstance(message, Position):
                        answers.append(message)
                    self._take(message)
            if self._clock.now() >= self._patience_ends:
                self._explain_silence(line)
            self._clock.sleep(self._timings.step_s)

    def _explain_silence(self, line: str) -> None:
        """No answer in time: find out whether anybody is there, and raise what that tells. Nothing is sent again."""
        link = self._the_link()
        link.answered()
        link.send_unnumbered("M115")
        alive = False
        give_up = self._clock.now() + self._timings.alive_s
        while not alive and self._clock.now() < give_up:
            alive = any(isinstance(message, Firmware | Capability | Ok | Busy) for message in link.receive())
            self._clock.sleep(self._timings.step_s)
        self._give_up()
        if not alive:
            raise SerialError(silent_sentence(link.name))
        link.until_quiet(self._timings.alive_s / 4, self._timings.step_s)
        raise FirmwareError(spoilt_sentence(f"Marlin has not answered '{line}', though it is alive"))

    def refresh(self) -> None:
        """Ask where the machine is, and wait for the answer; nothing may be moving."""
        self._exchange("M114")
