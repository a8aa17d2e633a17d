"""One line at a time over a byte port: whole lines in, parsed messages out, at most one line unanswered."""

from __future__ import annotations

import logging
from collections.abc import Callable

from hardware.clock import Clock
from hardware.errors import FirmwareError
from hardware.grbl.messages import Message, Unknown, parse
from hardware.serial_port import BytePort

UnexpectedHandler = Callable[[str], None]
"""Told every line that was not understood or not expected."""

_LONGEST_LINE = 512
_log = logging.getLogger(__name__)


def log_unexpected(text: str) -> None:
    """Write an unexpected line to the log, as text only: a serial line may say anything."""
    _log.warning("unexpected from Grbl: %r", text)


class GrblLink:
    """Cuts what arrives into lines and keeps account of the one line that waits for its answer."""

    def __init__(self, port: BytePort, clock: Clock, on_unexpected: UnexpectedHandler = log_unexpected) -> None:
        self._port = port
        self._clock = clock
        self._on_unexpected = on_unexpected
        self._partial = bytearray()
        self._waiting_for = ""

    @property
    def name(self) -> str:
        """The port's name."""
        return self._port.name

    @property
    def unfinished(self) -> bytes:
        """What has arrived of a line that has not ended yet."""
        return bytes(self._partial)

    @property
    def waiting_for(self) -> str:
        """The line that has not been answered yet, or an empty string."""
        return self._waiting_for

    def send(self, line: str) -> None:
        """Send a line (without its end); FirmwareError if one is still unanswered, for then nothing may follow it."""
        if self._waiting_for:
            raise FirmwareError(
                f"'{line}' was not sent, as Grbl has not answered '{self._waiting_for}': wait until it has stopped."
            )
        self._waiting_for = line
        self._port.write(line.encode("ascii") + b"\n")

    def send_realtime(self, byte: bytes) -> None:
        """Send a realtime byte; Grbl answers it, if at all, out of turn."""
        self._port.write(byte)

    def answered(self) -> None:
        """The unanswered line has its answer, or will never have one."""
        self._waiting_for = ""

    def receive(self) -> list[Message]:
        """The messages that have arrived; lines that nobody understands are reported and included as Unknown."""
        self._partial += self._port.read()
        *lines, rest = self._partial.split(b"\n")
        self._partial = rest
        if len(rest) > _LONGEST_LINE:
            lines.append(rest)
            self._partial = bytearray()
        messages = []
        for raw in lines:
            text = raw.decode("ascii", "backslashreplace").strip("\r\0 ")
            if not text:
                continue
            message = parse(text)
            if isinstance(message, Unknown):
                self._on_unexpected(message.text)
            messages.append(message)
        return messages

    def until_quiet(self, quiet_s: float, step_s: float) -> list[Message]:
        """Wait until nothing has arrived for `quiet_s`, looking every `step_s`, and return all that had."""
        heard: list[Message] = []
        quiet_since = self._clock.now()
        while self._clock.now() - quiet_since < quiet_s:
            if messages := self.receive():
                heard += messages
                quiet_since = self._clock.now()
            self._clock.sleep(step_s)
        return heard

    def report_unexpected(self, message: Message) -> None:
        """Report a message that was understood but had no business here."""
        self._on_unexpected(str(message))

    def close(self) -> None:
        """Let go of the port."""
        self._port.close()
