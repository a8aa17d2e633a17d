"""Which programs have a serial port open (Linux, by /proc; those of other users only root can see)."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")


def who_holds(name: str, proc: Path = _PROC) -> list[str]:
    """The other programs that have the device `name` open, each as "ModemManager (process 412)"."""
    try:
        wanted = os.stat(name).st_rdev  # noqa: PTH116 - a device's number is asked for, whatever names it has
    except OSError:
        return []
    if not wanted:
        return []
    holders = []
    for process in _processes(proc):
        if int(process.name) != os.getpid() and _has_open(process, wanted):
            holders.append(f"{_program(process)} (process {process.name})")
    return holders


def _processes(proc: Path) -> list[Path]:
    try:
        return sorted((path for path in proc.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    except OSError:
        return []


def _has_open(process: Path, device: int) -> bool:
    try:
        for entry in (process / "fd").iterdir():
            try:
                if entry.stat().st_rdev == device:
                    return True
            except OSError:  # Closed meanwhile.
                continue
    except OSError:  # Ended meanwhile, or another user's.
        pass
    return False


def _program(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip() or "a program"
    except OSError:
        return "a program"
