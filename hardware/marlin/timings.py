"""How long the Marlin driver waits for what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MarlinTimings:
    """How long to wait, s. A Marlin that works on a line says so every 2 s."""

    step_s: float = 0.002
    """Between looks at the line while an answer is awaited."""
    report_s: float = 0.1
    """Between estimates of the position while moving."""
    answer_s: float = 5.0
    """For the answer to a line, since Marlin has last said anything."""
    alive_s: float = 2.0
    """For the answer to a question that only finds out whether anybody is there."""
    homing_s: float = 120.0
    connect_s: float = 12.0
