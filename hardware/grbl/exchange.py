"""Waiting for Grbl's answers: a line and its `ok`, a question and its report. Nothing is ever sent again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque

from hardware.clock import Clock
from hardware.errors import FirmwareError, SerialError
from hardware.grbl.codes import silent_sentence, spoilt_sentence
from hardware.grbl.link import GrblLink
from hardware.grbl.messages import Error, Info, Message, Ok, Setting, Status
from hardware.grbl.timings import GrblTimings

ASK_STATUS = b"?"


class GrblExchange(ABC):
    """The part of the driver that asks and waits; what else arrives meanwhile is left to `_take`."""

    def __init__(self, clock: Clock, timings: GrblTimings) -> None:
        self._clock = clock
        self._timings = timings
        self._link: GrblLink | None = None
        self._inbox: deque[Message] = deque()
        self._status: Status | None = None

    @abstractmethod
    def _take(self, message: Message) -> None:
        """Account for a message that nobody waits for; raises if it says that something is wrong."""

    @abstractmethod
    def _refused(self, code: int, line: str) -> FirmwareError:
        """Grbl has refused the line that we wait for: account for it; the error to raise."""

    @abstractmethod
    def _give_up(self) -> None:
        """We no longer know which line an answer belongs to, nor what was carried out: stop what may be moving."""

    @property
    @abstractmethod
    def _held(self) -> bool:
        """Whether a hold is under way, so that lines have to wait."""

    def _the_link(self) -> GrblLink:
        if self._link is None:
            raise SerialError("The controller board is not connected: connect first.")
        return self._link

    def _send_realtime(self, byte: bytes) -> None:
        self._the_link().send_realtime(byte)

    def _next_message(self) -> Message | None:
        if not self._inbox:
            self._inbox.extend(self._the_link().receive())
        return self._inbox.popleft() if self._inbox else None

    def _take_messages(self) -> None:
        while message := self._next_message():
            self._take(message)

    def _exchange(self, line: str) -> list[Message]:
        """Send a line, wait for its `ok`, and return what came before it."""
        link = self._the_link()
        self._take_messages()
        link.send(line)
        answers: list[Message] = []
        give_up = self._clock.now() + self._timings.answer_s
        while True:
            while message := self._next_message():
                if isinstance(message, Ok):
                    link.answered()
                    return answers
                if isinstance(message, Error):
                    raise self._refused(message.code, line)
                if isinstance(message, Setting | Info):
                    answers.append(message)
                    give_up = self._clock.now() + self._timings.answer_s
                else:
                    self._take(message)
            if self._clock.now() >= give_up:
                self._explain_silence(line)
            self._clock.sleep(self._timings.step_s)

    def _explain_silence(self, line: str) -> None:
        """No answer in time: ask for a status report, and raise what that tells. Nothing is sent again."""
        alive = self._ask_and_wait()
        held = self._held
        self._give_up()
        if not alive:
            raise SerialError(silent_sentence(self._the_link().name))
        if held:
            raise FirmwareError(
                f"'{line}' has to wait, as the controller board is held: release its hold or door switch, then home "
                "the machine."
            )
        raise FirmwareError(spoilt_sentence(f"Grbl has not answered '{line}', though it is alive"))

    def _ask_and_wait(self) -> bool:
        """Ask for a report and wait for it; whether one came. One that has arrived before answers nothing."""
        self._take_messages()
        before = self._status
        self._send_realtime(ASK_STATUS)
        give_up = self._clock.now() + self._timings.answer_s / 2
        while self._status is before and self._clock.now() < give_up:
            self._take_messages()
            self._clock.sleep(self._timings.step_s)
        return self._status is not before

    def refresh(self) -> None:
        """Ask what the machine does and where it is, and wait for the answer; nothing may be moving."""
        self._read_status()

    def _read_status(self) -> None:
        if not self._ask_and_wait():
            self._explain_silence("?")
