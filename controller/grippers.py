"""The gripper of the settings: which kind, and what works it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from controller.settings import Settings
from hardware.clock import Clock
from hardware.gpio_switch import GpioContact, GpioServo, GpioSwitch
from hardware.gripper import Gripper
from hardware.grippers.heat import HeatLimit
from hardware.grippers.jaws import JawsGripper, JawsMotion
from hardware.grippers.magnet import MagnetGripper, MagnetTimes
from hardware.grippers.switch import Contact, FirmwareOutput, FirmwareSwitch, Switch
from hardware.grippers.vacuum import VacuumGripper, VacuumTimes
from hardware.motion import Motion


def gripper_pins(settings: Settings) -> list[int]:
    """The pins (BCM numbers) that drive the gripper; none where an output of the firmware does all of it."""
    gripper = settings.gripper
    pins = [gripper_pin(settings), gripper.release_pin if gripper.release_output == "pin" else None]
    return [pin for pin in pins if pin is not None]


def gripper_pin(settings: Settings) -> int | None:
    """The pin of pump, coil or servo; None where an output of the firmware works it."""
    return settings.machine.gripper_pin if settings.machine.gripper_output == "pin" else None


def make_gripper(settings: Settings, motion: Motion, clock: Clock, pin_factory: Any = None) -> Gripper:
    """The gripper of the settings; `pin_factory` is gpiozero's, None for this computer's own pins.

    Raises HardwareError for pins that do not exist, are in use, or that this computer does not have.
    """
    machine, gripper = settings.machine, settings.gripper
    pin = gripper_pin(settings)
    with ExitStack() as made:

        def switch(number: int, active_high: bool) -> Switch:
            device = GpioSwitch(number, active_high, pin_factory)
            made.callback(device.close)
            return device

        contact: Contact | None = None
        if gripper.sensor_pin is not None:
            contact = GpioContact(gripper.sensor_pin, gripper.sensor_closed_when_held, pin_factory)
            made.callback(contact.close)
        finished: Gripper
        if gripper.kind == "jaws" and pin is not None:
            finished = JawsGripper(
                GpioServo(pin, pin_factory),
                JawsMotion(gripper.open_us, gripper.closed_us, machine.grip_s, machine.release_s, gripper.sense_s),
                contact,
            )
        else:
            working = FirmwareSwitch(motion) if pin is None else switch(pin, machine.gripper_pin_active_high)
            helping: Switch | None = None
            if gripper.release_output != "pin":
                helping = FirmwareOutput(motion, gripper.release_output)
            elif gripper.release_pin is not None:
                helping = switch(gripper.release_pin, gripper.release_pin_active_high)
            if gripper.kind == "magnet":
                times = MagnetTimes(
                    machine.grip_s,
                    machine.release_s,
                    gripper.release_pulse_s,
                    gripper.sense_s,
                    HeatLimit(gripper.longest_on_s, gripper.duty),
                )
                finished = MagnetGripper(working, clock, times, helping, contact)
            else:
                finished = VacuumGripper(
                    working,
                    VacuumTimes(machine.grip_s, machine.release_s, gripper.release_pulse_s, gripper.sense_s),
                    helping,
                    contact,
                )
        made.pop_all()
    return finished
