"""One numbered line at a time, with its check sum; sent again only if Marlin itself says that it did not arrive.

Source: Marlin's documentation, "Line numbers and checksums"; `queue.cpp`. After `Resend: n` some versions say `ok`
and some do not, so nothing is sent before that `ok` would have come, and it counts for nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from hardware.clock import Clock
from hardware.errors import FirmwareError
from hardware.marlin.messages import Message, Ok, Resend, Unknown, parse
from hardware.serial_port import BytePort

UnexpectedHandler = Callable[[str], None]
"""Told every line that was not understood or not expected."""

MOST_RESENDS = 3
_RESEND_AFTER_S = 0.1
_LONGEST_LINE = 512
_log = logging.getLogger(__name__)


def log_unexpected(text: str) -> None:
    """Write an unexpected line to the log, as text only: a serial line may say anything."""
    _log.warning("unexpected from Marlin: %r", text)


def numbered(number: int, line: str) -> bytes:
    """A line as it is sent: number, text, and the exclusive or of all bytes before the asterisk."""
    text = f"N{number} {line}".encode("ascii")
    check = 0
    for byte in text:
        check ^= byte
    return text + f"*{check}\n".encode("ascii")


class MarlinLink:
    """Cuts what arrives into lines and keeps account of the one line that waits for its `ok`."""

    def __init__(self, port: BytePort, clock: Clock, on_unexpected: UnexpectedHandler = log_unexpected) -> None:
        self._port = port
        self._clock = clock
        self._on_unexpected = on_unexpected
        self._partial = bytearray()
        self._number = 0
        self._waiting_for = ""
        self._resends = 0
        self._resend_at: float | None = None

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

    def restart_numbers(self) -> None:
        """Have Marlin count from 0 again; this line, too, waits for its `ok`."""
        self._number = -1
        self.send("M110 N0")

    def send(self, line: str) -> None:
        """Send a line (without its end); FirmwareError if one is still unanswered, for then nothing may follow it."""
        if self._waiting_for:
            raise FirmwareError(
                f"'{line}' was not sent, as Marlin has not answered '{self._waiting_for}': wait until it has stopped."
            )
        self._number += 1
        self._waiting_for, self._resends, self._resend_at = line, 0, None
        self._port.write(numbered(self._number, line))

    def send_unnumbered(self, line: str) -> None:
        """Send a line out of turn: M410, M112 and what is asked of a firmware that is not known yet."""
        self._port.write(line.encode("ascii") + b"\n")

    def answered(self) -> None:
        """The unanswered line has its answer, or will never have one."""
        self._waiting_for, self._resend_at = "", None

    def receive(self) -> list[Message]:
        """The messages that have arrived. Raises FirmwareError when a line does not get through."""
        self._send_again()
        self._partial += self._port.read()
        *lines, rest = self._partial.split(b"\n")
        self._partial = rest
        if len(rest) > _LONGEST_LINE:
            lines.append(rest)
            self._partial = bytearray()
        messages: list[Message] = []
        for raw in lines:
            text = raw.decode("ascii", "backslashreplace").strip("\r\0 ")
            if not text:
                continue
            message = parse(text)
            if isinstance(message, Resend) and message.number == self._number and self._waiting_for:
                self._note_resend()
            elif isinstance(message, Ok) and self._resend_at is not None:
                continue  # The `ok` that follows `Resend:` in some versions.
            else:
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

    def _note_resend(self) -> None:
        if self._resends >= MOST_RESENDS:
            raise FirmwareError(
                f"'{self._waiting_for}' has not got through to Marlin in {MOST_RESENDS + 1} attempts: noise spoils "
                "the line; check cable and grounding, then home the machine."
            )
        self._resends += 1
        self._resend_at = self._clock.now() + _RESEND_AFTER_S

    def _send_again(self) -> None:
        if self._resend_at is not None and self._clock.now() >= self._resend_at:
            self._resend_at = None
            self._port.write(numbered(self._number, self._waiting_for))
