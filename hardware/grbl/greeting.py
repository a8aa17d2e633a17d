"""Finding out whether Grbl is at the other end of a port, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hardware.clock import Clock
from hardware.errors import FirmwareError
from hardware.grbl.link import GrblLink
from hardware.grbl.messages import Banner, Info, Message, Setting, Status, Unknown
from hardware.grbl.settings import GrblSettings, settings_from
from hardware.serial_port import stolen_by

ASK_MODES = "$G"
_ASK_EVERY_S = 0.5
_WAIT_FOR_LOCKED_S = 3.0
_SETTLE_S = 0.1
_STEP_S = 0.005


def greet(link: GrblLink, clock: Clock, patience_s: float) -> str:
    """Ask for a status report until one comes, and return the state it names.

    An Arduino restarts when its port is opened and listens after some two seconds, so asking is repeated. A Grbl that
    a limit alarm has silenced answers nothing but a reset, which is tried once if nothing at all has come. Raises
    FirmwareError if what answers is no Grbl 1.1, or nothing does.
    """
    began = clock.now()
    next_ask = began
    heard = ""
    state = ""
    reset_sent = False
    # An empty line ends whatever half a line an earlier program left in Grbl's buffer.
    link.send_realtime(b"\n")
    while not state:
        now = clock.now()
        if now - began > patience_s:
            raise FirmwareError(_no_grbl(link.name, heard or link.unfinished.decode("ascii", "backslashreplace")))
        if now >= next_ask:
            link.send_realtime(b"?")
            next_ask = now + _ASK_EVERY_S
        if not heard and not reset_sent and now - began > _WAIT_FOR_LOCKED_S:
            link.send_realtime(b"\x18")
            reset_sent = True
        for message in link.receive():
            if isinstance(message, Status):
                state = message.state
            elif isinstance(message, Unknown):
                heard = heard or message.text
            elif isinstance(message, Banner):
                next_ask = now
        clock.sleep(_STEP_S)
    # Answers to what an earlier program sent may still be on their way.
    later = [message.state for message in link.until_quiet(_SETTLE_S, _STEP_S) if isinstance(message, Status)]
    return [state, *later][-1]


@dataclass(frozen=True)
class Introduction:
    """What Grbl says of itself: its version in words, its `$` settings, and the modes in force as `$G` lists them."""

    version: str
    settings: GrblSettings
    modes: str


def introduction(exchange: Callable[[str], list[Message]]) -> Introduction:
    """Ask for it; `exchange` sends a line and returns what comes before its `ok`."""
    build = {message.kind: message.text for message in exchange("$I") if isinstance(message, Info)}
    values = {message.number: message.value for message in exchange("$$") if isinstance(message, Setting)}
    modes = {message.kind: message.text for message in exchange(ASK_MODES) if isinstance(message, Info)}
    version = build.get("VER", "").rstrip(":") or "of unknown version"
    return Introduction(f"Grbl {version}", settings_from(values), modes.get("GC", ""))


def looks_like_noise(heard: str) -> bool:
    """Whether a line (bytes that are no ASCII as \\xNN) is no text, as when the other side talks at another speed."""
    strange = heard.count("\\x") + sum(not character.isprintable() for character in heard)
    return strange * 8 > len(heard)


def _no_grbl(name: str, heard: str) -> str:
    if heard and looks_like_noise(heard):
        return (
            f"{name} answers, but not as Grbl 1.1 does, for what it says is no text: set machine.baud to the speed "
            "of the controller board (Grbl's is 115200, Marlin's often 250000)."
        )
    if heard:
        said = heard if len(heard) <= 40 else heard[:40] + "…"
        return (
            f"{name} answers, but not as Grbl 1.1 does (it said {said!r}): give the port of the controller board, "
            "or install Grbl 1.1 on it."
        )
    return (
        f"{name} does not answer{stolen_by(name)}: check that it is the controller board's port, that the board has "
        "power, and that it runs Grbl 1.1 at 115200 baud."
    )
