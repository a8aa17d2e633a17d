"""The running table's serial port: a pseudo-terminal that is always found by the same name."""

from __future__ import annotations

from pathlib import Path

from hardware.clock import Clock
from hardware.simulated.board import BoardFirmware
from hardware.simulated.pseudo_terminal import PseudoTerminal


class SerialEnd:
    """A pseudo-terminal and the symbolic link to it, which is there while the cable is plugged in."""

    def __init__(self, firmware: BoardFirmware, clock: Clock, link: Path, opening_resets: bool) -> None:
        self._link = link
        self._terminal = PseudoTerminal(firmware, clock, opening_resets)

    def serve_once(self) -> None:
        """Carry bytes; see `PseudoTerminal.serve_once`."""
        self._terminal.serve_once()

    def plug_in(self) -> None:
        """Have the terminal there, and the link. OSError if it cannot be made."""
        self._terminal.plug_in()
        # Whoever opens the link finds the old terminal or the new one, never nothing.
        draft = self._link.with_name(f".{self._link.name}.draft")
        draft.unlink(missing_ok=True)
        draft.symlink_to(self._terminal.name)
        draft.replace(self._link)

    def unplug(self) -> None:
        """Take link and terminal away."""
        self._link.unlink(missing_ok=True)
        self._terminal.unplug()
