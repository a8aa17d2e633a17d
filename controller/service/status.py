"""How the service is, as `crownhead status`, systemd and MQTT tell it."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

import cv2

from hardware.clock import Clock
from hardware.frame import Frame

MOST_FAULTS = 20
"""So many of the last faults are remembered."""
RATE_OVER_S = 10.0
"""The camera's rate is an average over so long."""


class ServiceState(Enum):
    """What the service does."""

    STARTING = "starting"
    WAITING = "waiting for people"
    READY = "the board is set up"
    PLAYING = "playing"
    SETTING_UP = "setting up the next game"
    TROUBLE = "in trouble"
    STOPPING = "stopping"


@dataclass(frozen=True)
class GameStatus:
    """The game that is being played."""

    number: int
    human: str
    level: int | str
    moves: int
    turn: str
    doing: str
    fen: str
    last_move: str


@dataclass(frozen=True)
class FaultStatus:
    """Something that went wrong, and when (ISO 8601, UTC)."""

    at: str
    what: str


@dataclass(frozen=True)
class SerialStatus:
    """The machine's port and what the gantry says that it does."""

    port: str
    state: str


class CameraMeter:
    """How often and when frames come, and the last one; for any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: deque[float] = deque(maxlen=512)
        self._last: Frame | None = None

    def hear(self, frame: Frame) -> None:
        """A frame has come."""
        with self._lock:
            self._times.append(self._clock.now())
            self._last = frame

    def rate_hz(self) -> float:
        """How many frames a second were looked at lately."""
        now = self._clock.now()
        with self._lock:
            return round(sum(now - time <= RATE_OVER_S for time in self._times) / RATE_OVER_S, 2)

    def age_s(self) -> float | None:
        """How old the last one is; None if there was none."""
        with self._lock:
            return None if self._last is None else round(self._clock.now() - self._last.time_s, 2)

    def jpeg(self) -> bytes | None:
        """The last one as a JPEG; None if there was none."""
        with self._lock:
            frame = self._last
        if frame is None:
            return None
        done, data = cv2.imencode(".jpg", frame.pixels)
        return data.tobytes() if done else None


class Record:
    """What is known of the service from moment to moment; written by its loop, read by any thread."""

    def __init__(self, clock: Clock, port: str) -> None:
        self._clock = clock
        self._began = clock.now()
        self._lock = threading.Lock()
        self._faults: deque[FaultStatus] = deque(maxlen=MOST_FAULTS)
        self.camera = CameraMeter(clock)
        self.state = ServiceState.STARTING
        self.sentence = ""
        """What people are told now; what it waits for, or what is wrong."""
        self.game: GameStatus | None = None
        self.last_result: str | None = None
        self.port = port
        self.machine = "not connected"
        self.arm: dict[str, Any] | None = None
        self.level: int | str = ""
        self.human = ""

    def fault(self, what: str) -> None:
        """Something has gone wrong."""
        with self._lock:
            self._faults.append(FaultStatus(self._clock.date().isoformat(timespec="seconds"), what))

    def values(self) -> dict[str, Any]:
        """All of it, for JSON, but for what the computer says of itself."""
        with self._lock:
            faults = [asdict(fault) for fault in self._faults]
        game = self.game
        return {
            "state": self.state.name.lower().replace("_", " "),
            "sentence": self.sentence,
            "game": None if game is None else asdict(game),
            "next_game": {"level": self.level, "human": self.human},
            "last_result": self.last_result,
            "uptime_s": round(self._clock.now() - self._began, 1),
            "camera": {"rate_hz": self.camera.rate_hz(), "age_s": self.camera.age_s()},
            "serial": asdict(SerialStatus(self.port, self.machine)),
            "faults": faults,
        }

    def line(self) -> str:
        """One line for `systemctl status`."""
        words = self.state.value
        if self.game is not None and self.state is ServiceState.PLAYING:
            words = f"playing game {self.game.number}, {self.game.moves} moves: {self.game.doing}"
        return f"{words}: {self.sentence}" if self.sentence else words
