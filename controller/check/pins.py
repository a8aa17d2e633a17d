"""The Raspberry Pi's pins: do they exist, are they free, and is the stop button's wire whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from controller.check.finding import Finding, State, fail, ok, parted
from controller.grippers import gripper_pin
from controller.settings import Settings
from hardware.errors import HardwareError
from hardware.gpio_pins import make_device

Wired = dict[str, int]
"""Pins (BCM numbers) by the setting that names them."""


def wired_pins(settings: Settings) -> Wired:
    """All pins that the settings use."""
    panel, gripper = settings.panel, settings.gripper
    named = {f"panel.{item.name}": getattr(panel, item.name) for item in fields(panel) if item.name.endswith("_pin")}
    named["machine.gripper_pin"] = gripper_pin(settings)
    named["gripper.sensor_pin"] = gripper.sensor_pin
    named["gripper.release_pin"] = gripper.release_pin
    return {name: pin for name, pin in named.items() if pin is not None}


def check_pins(settings: Settings, pin_factory: Any = None) -> Iterator[Finding]:
    """Read every pin for a moment: nothing is switched, but what a pin was holding it lets go of.

    The pins of a simulated table that runs as a program are that table's affair.
    """
    pins = wired_pins(settings)
    if settings.table.control is not None or not pins:
        yield ok("pins", "the simulated table's own" if pins else "none is used")
        return
    levels: dict[str, bool] = {}
    for name, pin in pins.items():
        try:
            levels[name] = _closed_to_ground(pin, pin_factory)
        except HardwareError as error:
            yield parted(f"pin {pin} ({name})", str(error), State.FAIL)
    stop = "panel.stop_pin"
    if stop in levels and settings.panel.stop_normally_closed and not levels[stop]:
        yield fail(
            "stop button",
            "it is pressed, or its wire is broken",
            f"release it, or look at its wire to GPIO {pins[stop]} and to ground",
        )
    elif stop in levels and not settings.panel.stop_normally_closed and levels[stop]:
        yield fail("stop button", "it is pressed", "release it, or set panel.stop_normally_closed = true")
    if len(levels) == len(pins):
        yield ok("pins", ", ".join(f"{name} is GPIO {pin}" for name, pin in pins.items()))


def _closed_to_ground(pin: int, pin_factory: Any) -> bool:
    """Whether what hangs on a pin connects it to ground; HardwareError if the pin cannot be read."""
    # gpiozero takes 0.2 s to import and looks for a Pi as it does.
    from gpiozero import InputDevice  # noqa: PLC0415

    device = make_device(pin, lambda: InputDevice(pin, pull_up=True, pin_factory=pin_factory))
    try:
        return bool(device.value)
    finally:
        device.close()
