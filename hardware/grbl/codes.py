"""What Grbl's error and alarm numbers mean, as a sentence with what to do.

Source: Grbl 1.1 documentation, "Interface" (error and alarm codes); errors 18 and from 39 on, and alarms from 11 on,
are grblHAL's (its `errors.h` and `alarms.h`).
"""

from __future__ import annotations

from hardware.serial_port import stolen_by

HOMING_DUE = 11
"""grblHAL's alarm that only says that homing is due; Grbl says it by a message."""

ERRORS = {
    1: "a word of the line does not begin with a letter: the line was probably spoilt by noise",
    2: "a number in the line cannot be read: the line was probably spoilt by noise",
    3: "it does not know this '$' command: it may be another firmware than Grbl 1.1",
    4: "a value may not be negative",
    5: "homing is switched off: fit home switches and set $22=1",
    6: "the step pulse is too short: set $0 to 3 µs or more",
    7: "its stored settings were unreadable and are the defaults again: set them anew",
    8: "it takes this command only while idle",
    9: "it is locked: home the machine",
    10: "soft limits need homing: set $22=1 first",
    11: "the line is too long: two lines have probably run into one",
    12: "the speed needs more than 30,000 steps a second: lower $110 to $112 or the steps per mm",
    13: "its safety door is open: close it",
    14: "the line is too long to be stored",
    15: "the jog would leave the machine's travel",
    16: "a jog may not contain such words",
    17: "laser mode needs a PWM output: set $32=0",
    20: "it does not support a command in the line",
    21: "two commands in the line exclude each other",
    22: "no feed rate is set",
    23: "a command needs a whole number",
    24: "two commands in the line both want the axis words",
    25: "a word is repeated in the line",
    26: "the command needs axis words",
    27: "the line number is out of range",
    28: "a word that the command needs is missing",
    29: "it has only the coordinate systems G54 to G59",
    30: "G53 goes only with G0 and G1",
    31: "there are axis words that no command uses",
    32: "an arc needs axis words in its plane",
    33: "the target of the motion is not valid",
    34: "an arc's radius is not valid",
    35: "an arc's offsets are missing",
    36: "there are words that no command uses: two lines have probably run into one",
    37: "the tool offset goes only with its own axis",
    38: "the tool number is too large",
    18: "it was reset: home the machine",
    39: "a value is out of range",
    45: "a limit switch is closed: move the machine off it by hand and home it",
    46: "it has to be homed first: home the machine",
    49: "its self-test failed: switch it off and on",
    50: "its emergency stop is pressed: release it, then home the machine",
    51: "a motor driver reports a fault: check motors and drivers, then home the machine",
    79: "something must be put right at the board first: look for its emergency stop, then home the machine",
}
"""Sentence parts that follow "Grbl refused a line, because"."""

ALARMS = {
    1: "a limit switch closed (or noise looked like it): home the machine and look at the board",
    2: "a move would have left the travel set by $130 to $132: home the machine and check the calibration",
    3: "it was reset while moving: home the machine",
    4: "the probe was not in its starting state: home the machine",
    5: "the probe touched nothing: home the machine",
    6: "it was reset while homing: home the machine",
    7: "the safety door was opened while homing: close it and home the machine",
    8: "a home switch stayed closed after pulling off: check the switch, or set a longer pull-off ($27)",
    9: "a home switch was not found: check the switches, their wires and $130 to $132",
    10: (
        "the second switch of a double axis was not found, or (on grblHAL) the emergency stop is pressed: check the "
        "switches, then home the machine"
    ),
    11: "it has to be homed first: home the machine",
    12: "a limit switch is closed: move the machine off it by hand and home it",
    14: "the spindle did not reach its speed: check the gripper's output",
    15: "a double axis could not be squared: check its switches",
    16: "its self-test failed: switch it off and on",
    17: "a motor driver reports a fault: check motors and drivers, then home the machine",
    18: "homing is set up wrongly: check the firmware's homing settings",
}
"""Sentence parts that follow "Grbl raised an alarm:"."""


def error_sentence(code: int, line: str) -> str:
    """One sentence for `error:code` in answer to `line`."""
    meaning = ERRORS.get(code, "of a reason that we do not know: look the number up in the firmware's manual")
    return f"Grbl refused '{line}' with error {code}: {meaning}."


def alarm_sentence(code: int) -> str:
    """One sentence for `ALARM:code`."""
    meaning = ALARMS.get(code, "look the number up in the firmware's manual, then home the machine")
    return f"Grbl raised alarm {code}: {meaning}."


def silent_sentence(port: str) -> str:
    """Nothing answers at `port` any more."""
    return (
        f"The controller board at {port} does not answer{stolen_by(port)}: check its power and cable, then home the "
        "machine."
    )


def spoilt_sentence(what: str) -> str:
    """The line is noisy, as `what` (a clause) shows."""
    return f"{what}: noise has spoilt the line; check cable and grounding, then home the machine."
