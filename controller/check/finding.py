"""What a check has found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How it is."""

    OK = "ok"
    WARN = "warn"
    """It can be played, but something is not as it should be, or could not be looked at."""
    FAIL = "fail"
    """It cannot be played so."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `mend` is the command or setting that mends it, and empty where all is well."""

    what: str
    state: State
    found: str
    mend: str = ""

    def __post_init__(self) -> None:
        if (self.state is State.OK) == bool(self.mend):
            raise ValueError(f"a finding needs a way to mend it, and nothing else does: {self}")


def ok(what: str, found: str) -> Finding:
    """All is well with `what`."""
    return Finding(what, State.OK, found)


def warn(what: str, found: str, mend: str) -> Finding:
    """Something is not as it should be."""
    return Finding(what, State.WARN, found, mend)


def fail(what: str, found: str, mend: str) -> Finding:
    """Something keeps the robot from playing."""
    return Finding(what, State.FAIL, found, mend)


def parted(what: str, sentence: str, state: State = State.FAIL) -> Finding:
    """A finding from an error's one sentence, "what is wrong: what to do."."""
    found, _, mend = sentence.rstrip(".").rpartition(": ")
    return Finding(what, state, found or sentence.rstrip("."), mend or "see what the sentence says")
