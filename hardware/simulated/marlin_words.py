"""The words of the simulated Marlin 2.0: greeting, settings, capabilities, positions.

Source: Marlin's documentation and sources (`M114.cpp`, `M115.cpp`, `M211.cpp`, `configuration_store.cpp`).
"""

from __future__ import annotations

from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.planner import Point

GREETING = ("start", "echo:Marlin 2.0.5", "", "echo: Last Updated: 2020-03-31 | Author: (none, default config)")
BUSY = "echo:busy: processing"
HALTED = "Error:Printer halted. kill() called!"


def firmware_lines(emergency_parser: bool) -> list[str]:
    """What M115 answers, without the `ok`."""
    return [
        "FIRMWARE_NAME:Marlin 2.0.5 (GitHub) SOURCE_CODE_URL:https://github.com/MarlinFirmware/Marlin "
        "PROTOCOL_VERSION:1.0 MACHINE_TYPE:Gantry EXTRUDER_COUNT:1 UUID:cede2a2f-41a2-4748-9b12-c55c62f367ff",
        "Cap:SERIAL_XON_XOFF:0",
        "Cap:EEPROM:0",
        "Cap:AUTOREPORT_TEMP:1",
        f"Cap:EMERGENCY_PARSER:{int(emergency_parser)}",
        "Cap:THERMAL_PROTECTION:1",
    ]


def settings_lines(settings: FirmwareSettings) -> list[str]:
    """What M503 answers, without the `ok`."""
    acceleration = settings.axes(120)
    return [
        "echo:  G21    ; Units in mm (mm)",
        "",
        "echo:Steps per unit:",
        f"echo: M92 {axes(settings.axes(100))} E500.00",
        "echo:Maximum feedrates (units/s):",
        f"echo:  M203 {axes(settings.max_rate)} E25.00",
        "echo:Maximum Acceleration (units/s2):",
        f"echo:  M201 {axes(acceleration)} E10000.00",
        "echo:Acceleration (units/s2): P<print_accel> R<retract_accel> T<travel_accel>",
        f"echo:  M204 P{max(acceleration):.2f} R3000.00 T{max(acceleration):.2f}",
        "echo:Advanced: B<min_segment_time_us> S<min_feedrate> T<min_travel_feedrate> J<junc_dev>",
        "echo:  M205 B20000.00 S0.00 T0.00 J0.01",
        "echo:Home offset:",
        "echo:  M206 X0.00 Y0.00 Z0.00",
    ]


def axes(point: Point) -> str:
    """`X1.00 Y2.00 Z3.00`."""
    return " ".join(f"{name}{value:.2f}" for name, value in zip("XYZ", point, strict=True))


def endstops_line(on: bool, travel: Point) -> str:
    """What M211 answers."""
    high = " ".join(f"{name}:{value:.2f}" for name, value in zip("XYZ", travel, strict=True))
    return f"echo:Soft endstops: {'On' if on else 'Off'}  Min:  X:0.00 Y:0.00 Z:0.00   Max:  {high}"


def position_line(target: Point, counted: Point, steps_per_mm: Point) -> str:
    """What M114 answers: where the machine is going, and its steps counted."""
    words = [f"{name}:{value + 0.0:.2f}" for name, value in zip("XYZ", target, strict=True)]
    counts = [
        f"{name}:{round(value * steps)}" for name, value, steps in zip("XYZ", counted, steps_per_mm, strict=True)
    ]
    return f"{' '.join(words)} E:0.00 Count {' '.join(counts)}"
