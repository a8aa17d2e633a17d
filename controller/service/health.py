"""How the computer and this process are: heat, power, memory."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

THERMAL = Path("/sys/class/thermal/thermal_zone0/temp")
THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
"""The Raspberry Pi's flags, as `vcgencmd get_throttled` prints them, where the kernel has them as a file."""
UNDERVOLTAGE_NOW = 1 << 0


def health() -> dict[str, Any]:
    """`temperature_c` and `undervoltage` (None where the computer does not tell), `memory_mb`, `process`."""
    return {
        "temperature_c": _temperature(),
        "undervoltage": _undervoltage(),
        "memory_mb": _memory_mb(),
        "process": os.getpid(),
    }


def _temperature() -> float | None:
    try:
        return round(int(THERMAL.read_text(encoding="ascii")) / 1000, 1)
    except (OSError, ValueError):
        return None


def _undervoltage() -> bool | None:
    try:
        return bool(int(THROTTLED.read_text(encoding="ascii").strip(), 16) & UNDERVOLTAGE_NOW)
    except (OSError, ValueError):
        return _undervoltage_alarm()


def _undervoltage_alarm() -> bool | None:
    """The same from the hwmon driver `rpi_volt` of newer kernels."""
    alarm = _rpi_volt()
    try:
        return None if alarm is None else alarm.read_text(encoding="ascii").strip() == "1"
    except OSError:
        return None


@lru_cache(maxsize=1)
def _rpi_volt() -> Path | None:
    for name in sorted(Path("/sys/class/hwmon").glob("hwmon*/name")):
        try:
            if name.read_text(encoding="ascii").strip() == "rpi_volt":
                return name.with_name("in0_lcrit_alarm")
        except OSError:
            continue
    return None


def _memory_mb() -> float | None:
    """Memory of this process that is in use (resident), MB."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
