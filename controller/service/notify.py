"""Tells systemd how the service is: sd_notify(3)'s protocol, a datagram of lines to the socket $NOTIFY_SOCKET."""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Mapping

from hardware.clock import Clock

BEATS_PER_TIMEOUT = 3.0
"""How often within the watchdog's time the loop says that it lives (sd_watchdog_enabled(3) advises at least two)."""


class Notifier:
    """Says READY, STATUS, WATCHDOG and STOPPING; says nothing where no systemd listens. Never fails."""

    def __init__(self, environment: Mapping[str, str], clock: Clock) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._every_s = _watchdog_s(environment) / BEATS_PER_TIMEOUT
        self._beat_at = -math.inf
        self._status: str | None = None

    def ready(self) -> None:
        """The service runs."""
        self._send("READY=1")

    def status(self, sentence: str) -> None:
        """What `systemctl status` shows."""
        if sentence != self._status:
            self._status = sentence
            self._send("STATUS=" + sentence.replace("\n", " "))

    def beat(self) -> None:
        """To be called by the loop whenever it has come round: so systemd knows that it does."""
        now = self._clock.now()
        if now - self._beat_at >= self._every_s:
            self._beat_at = now
            self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The service is about to end."""
        self._send("STOPPING=1")

    def _send(self, line: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.setblocking(False)
            try:
                sender.sendto(line.encode(errors="replace"), address)
            except OSError:  # Nobody listens, or cannot take more now: what is said next will do.
                return


def _watchdog_s(environment: Mapping[str, str]) -> float:
    """The watchdog's time; infinite if there is none, or it is another process's."""
    if environment.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return math.inf
    text = environment.get("WATCHDOG_USEC", "")
    return int(text) / 1e6 if text.isascii() and text.isdecimal() and int(text) else math.inf
