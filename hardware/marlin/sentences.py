"""What goes wrong with Marlin, as a sentence with what to do."""

from __future__ import annotations

from hardware.serial_port import stolen_by


def silent_sentence(port: str) -> str:
    """Nothing answers at `port` any more."""
    return (
        f"The controller board at {port} does not answer{stolen_by(port)}: check its power and cable, then home the "
        "machine."
    )


def spoilt_sentence(what: str) -> str:
    """The line is noisy, as `what` (a clause) shows."""
    return f"{what}: noise has spoilt the line; check cable and grounding, then home the machine."


def halted_sentence(why: str) -> str:
    """Marlin has halted itself; `why` is what it said."""
    said = f" ({why})" if why else ""
    return f"Marlin has halted{said}: switch the controller board off and on, then home the machine."


def restarted_sentence() -> str:
    """The board has started anew."""
    return "The controller board has restarted by itself: check its power supply and cable, then home the machine."
