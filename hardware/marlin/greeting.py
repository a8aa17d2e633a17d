"""Finding out whether Marlin is at the other end of a port, bringing it to rest, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hardware.clock import Clock
from hardware.errors import FirmwareError
from hardware.grbl.greeting import looks_like_noise
from hardware.marlin.link import MarlinLink
from hardware.marlin.messages import Busy, Capability, Firmware, Message, Started, Text, Unknown
from hardware.marlin.settings import MarlinSettings, settings_from
from hardware.serial_port import stolen_by

_ASK_EVERY_S = 1.0
_SETTLE_S = 0.25
_STEP_S = 0.005


@dataclass(frozen=True)
class Greeting:
    """`restarted`: the board was reset when the port was opened, so that its outputs are off."""

    restarted: bool


def greet(link: MarlinLink, clock: Clock, patience_s: float, busy_patience_s: float) -> Greeting:
    """Ask what firmware it is until it says so, and let it come to rest.

    An Arduino restarts when its port is opened and listens after some seconds, so asking is repeated; a Marlin that
    is busy with what an earlier program told it (homing, say) is waited for. Raises FirmwareError if what answers is
    no Marlin, or nothing does.
    """
    began = clock.now()
    next_ask, give_up = began, began + patience_s
    heard, firmware, restarted = "", "", False
    while not firmware:
        now = clock.now()
        if now > give_up:
            raise FirmwareError(_no_marlin(link.name, heard or link.unfinished.decode("ascii", "backslashreplace")))
        if now >= next_ask:
            # An empty line ends whatever half a line an earlier program left; M410 stops what it left running.
            link.send_unnumbered("\nM410")
            link.send_unnumbered("M115")
            next_ask = now + _ASK_EVERY_S
        for message in link.receive():
            if isinstance(message, Firmware):
                firmware = message.text
            elif isinstance(message, Started):
                restarted = True
            elif isinstance(message, Busy):
                give_up = max(give_up, min(now + patience_s, began + busy_patience_s))
            elif isinstance(message, Text | Unknown):
                heard = heard or message.text
        clock.sleep(_STEP_S)
    if "marlin" not in firmware.lower():
        raise FirmwareError(
            f"{link.name} runs {firmware[:40]!r}, which is not Marlin: install Marlin or Grbl 1.1 on it."
        )
    restarted |= any(isinstance(message, Started) for message in link.until_quiet(_SETTLE_S, _STEP_S))
    return Greeting(restarted)


@dataclass(frozen=True)
class Introduction:
    """What Marlin says of itself: its version in words, and its settings."""

    version: str
    settings: MarlinSettings


def introduction(exchange: Callable[[str], list[Message]]) -> Introduction:
    """Ask for it; `exchange` sends a line and returns what comes before its `ok`."""
    build = exchange("M115")
    names = [message.text for message in build if isinstance(message, Firmware)]
    capabilities = {message.name for message in build if isinstance(message, Capability) and message.present}
    version = names[0].split(" (")[0].split(" SOURCE")[0].strip() if names else "Marlin of unknown version"
    return Introduction(
        version,
        settings_from(_texts(exchange("M503")), _texts(exchange("M211 S1")), "EMERGENCY_PARSER" in capabilities),
    )


def _texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, Text)]


def _no_marlin(name: str, heard: str) -> str:
    if heard and looks_like_noise(heard):
        return (
            f"{name} answers, but not as Marlin does, for what it says is no text: set machine.baud to the speed of "
            "the controller board (often 250000 or 115200)."
        )
    if heard:
        said = heard if len(heard) <= 40 else heard[:40] + "…"
        return f"{name} answers, but not as Marlin does (it said {said!r}): give the port of the controller board."
    return (
        f"{name} does not answer{stolen_by(name)}: check that it is the controller board's port, that the board has "
        "power, and that machine.baud is its speed (Marlin's is often 250000)."
    )
