"""`--imperfection LEVEL[,NAME=VALUE…]`, which several commands have."""

from __future__ import annotations

import argparse
import math

from hardware.simulated.names import IMPERFECTION_NUMBERS, IMPERFECTIONS

HELP = (
    "how far the table falls short: ideal; static (board and gripper a little off); dynamic (also failing grips, "
    f"lost discs, inexact placing); numbers may follow, as in dynamic,drops=0 ({', '.join(IMPERFECTION_NUMBERS)})"
)


def imperfection_text(text: str) -> str:
    """Check what was given; `hardware.simulated.imperfection.imperfection_of` understands it."""
    level, *numbers = text.split(",")
    if level not in IMPERFECTIONS:
        raise argparse.ArgumentTypeError(f"invalid choice: {level!r} (choose from {', '.join(IMPERFECTIONS)})")
    for number in numbers:
        name, _, value = number.partition("=")
        if name not in IMPERFECTION_NUMBERS:
            raise argparse.ArgumentTypeError(f"invalid number: {name!r} (known: {', '.join(IMPERFECTION_NUMBERS)})")
        least, most = IMPERFECTION_NUMBERS[name]
        if not least <= _float(value) <= most:
            raise argparse.ArgumentTypeError(f"{name} must be a number from {least:g} to {most:g}, not {value!r}")
    return text


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
