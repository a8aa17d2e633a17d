"""A voice: espeak-ng, if it is installed, speaks sentences one after the other while everything else goes on."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Mapping
from typing import Protocol

PROGRAMS = ("espeak-ng", "espeak")
"""The first of these that is on the PATH speaks; both take their text from the standard input."""
MOST_WAITING = 3
"""Of what waits to be spoken the newest count."""
LONGEST_S = 20.0
"""A sentence that takes longer is broken off: the sound card hangs."""
STOP_S = 0.5

_log = logging.getLogger(__name__)


class Voice(Protocol):
    """Whatever speaks."""

    def speak(self, text: str) -> None:
        """Speak this when what was said before has been spoken; returns at once."""
        ...

    def close(self) -> None:
        """Be silent."""
        ...


class Espeak:
    """A `Voice` by a program of that path; a thread at this edge waits for it. That it fails is only logged."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._waiting: deque[str] = deque(maxlen=MOST_WAITING)
        self._changed = threading.Condition()
        self._closing = False
        self._speaking: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def speak(self, text: str) -> None:
        """Speak this after what waits already."""
        with self._changed:
            self._waiting.append(text)
            self._changed.notify()

    def close(self) -> None:
        """Break off what is being spoken, and end the thread."""
        with self._changed:
            self._closing = True
            if self._speaking is not None:
                self._speaking.kill()
            self._changed.notify()
        self._thread.join(timeout=STOP_S)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    return
                text = self._waiting.popleft()
            try:
                self._speak_now(text)
            except OSError as error:
                _log.warning("%s does not speak: %s", self._program, error)

    def _speak_now(self, text: str) -> None:
        with subprocess.Popen(
            [self._program, "--stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            with self._changed:
                self._speaking = process
                if self._closing:
                    process.kill()
            try:
                process.communicate(text.encode(), timeout=LONGEST_S)
            except subprocess.TimeoutExpired:
                process.kill()
            finally:
                with self._changed:
                    self._speaking = None


def find_voice(environment: Mapping[str, str]) -> Voice | None:
    """The voice that is installed here; None if none is."""
    for name in PROGRAMS:
        if (program := shutil.which(name, path=environment.get("PATH"))) is not None:
            return Espeak(program)
    return None
