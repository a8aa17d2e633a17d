"""The computer around the program: the Pi's power and heat, groups, devices and who else uses them."""

from __future__ import annotations

import grp
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from controller.check.finding import Finding, fail, ok, warn
from controller.hardware_settings import MachineSettings
from hardware.port_holders import who_holds
from hardware.serial_port import serial_devices

Ask = Callable[..., str | None]
"""Runs a program and returns what it prints; None if it is not there or fails."""

UNDERVOLTAGE_NOW, THROTTLED_NOW, UNDERVOLTAGE_SINCE_START = 1 << 0, 1 << 2, 1 << 16
"""Bits of `vcgencmd get_throttled` (Raspberry Pi documentation, "vcgencmd")."""
HOT_C = 80.0
DEVICES = ("/dev/video0", "/dev/gpiochip0", "/dev/vcio")
"""What only members of a group may use on a Pi: camera, pins, and what tells of its health."""
_ASK_S = 5.0


def ask_program(*words: str) -> str | None:
    """What a program prints; None if it is not there, fails or does not end."""
    if shutil.which(words[0]) is None:
        return None
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def check_power(ask: Ask = ask_program) -> Finding:
    """The Pi's own flags for a weak power supply and for heat."""
    said = ask("vcgencmd", "get_throttled")
    if said is None:
        return ok("power", "no Raspberry Pi that tells of its power supply")
    try:
        flags = int(said.strip().partition("=")[2], 16)
    except ValueError:
        return warn("power", f"vcgencmd says {said.strip()!r}", "sudo apt-get install --reinstall raspi-utils")
    if flags & UNDERVOLTAGE_NOW:
        return fail(
            "power", "the Pi has too little voltage now; USB devices drop out so", "use the Pi's own power supply"
        )
    if flags & UNDERVOLTAGE_SINCE_START:
        return warn("power", "the Pi had too little voltage since it was started", "use the Pi's own power supply")
    heat = _temperature(ask)
    if flags & THROTTLED_NOW or (heat is not None and heat >= HOT_C):
        return warn("power", "the Pi is so hot that it works slower", "give it a fan or more air")
    return ok("power", "enough" + (f", and {heat:.0f} °C" if heat is not None else ""))


def _temperature(ask: Ask) -> float | None:
    said = ask("vcgencmd", "measure_temp") or ""
    try:
        return float(said.partition("=")[2].partition("'")[0])
    except ValueError:
        return None


def check_groups(port: str, devices: Iterable[str] = DEVICES) -> Iterable[Finding]:
    """Whether this user may use the devices that there are."""
    may = True
    for device in (port, *devices):
        path = Path(device)
        if "://" in device or not path.exists() or os.access(path, os.R_OK | os.W_OK):
            continue
        may = False
        group = _group(path)
        yield fail(
            "groups",
            f"you are not allowed to use {device}",
            f"sudo usermod -aG {group} $USER, then log out and in again",
        )
    if may:
        mine = sorted({_name(number) for number in {*os.getgroups(), os.getgid()}})
        yield ok("groups", f"every device may be used (member of {', '.join(mine)})")


def _group(path: Path) -> str:
    return _name(path.stat().st_gid)


def _name(group: int) -> str:
    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)


def check_port(machine: MachineSettings) -> Finding:
    """Whether the serial port is there, and free."""
    port = machine.port
    if "://" in port:
        return ok("port", f"{port} is a connection, not a device")
    if not Path(port).exists():
        if there := serial_devices():
            found = f"there is no serial port {port}; connected are {', '.join(there)}"
            return fail("port", found, f'machine.port = "{there[0]}"')
        found = f"there is no serial port {port}, and none is connected"
        return fail("port", found, "plug the controller board in and switch it on")
    holders = who_holds(port)
    if holders:
        stop = "sudo systemctl disable --now ModemManager" if "ModemManager" in holders[0] else f"fuser -k {port}"
        return fail("port", f"{port} is in use by {' and '.join(holders)}", stop)
    lasting = "/by-id/" in port or "crownhead" in port or not port.startswith(("/dev/ttyUSB", "/dev/ttyACM"))
    if not lasting:
        name = next((name for name in serial_devices() if Path(name).resolve() == Path(port).resolve()), None)
        mend = f'machine.port = "{name}"' if name else "install the udev rules of systemd/"
        return warn("port", f"{port} is free, but has another name when it is plugged in again", mend)
    return ok("port", f"{port} is there and free")
