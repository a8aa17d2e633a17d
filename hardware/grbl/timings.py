"""How long the driver waits for what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GrblTimings:
    """How long to wait, s. Grbl's authors ask for no more than 5 to 10 status requests a second."""

    step_s: float = 0.002
    """Between looks at the line while an answer is awaited."""
    status_s: float = 0.2
    """Between status requests while moving."""
    holding_s: float = 0.1
    """Between status requests while braking for a hold or starting after one."""
    answer_s: float = 2.0
    """For the answer to a line that Grbl answers at once."""
    silence_s: float = 3.0
    """For the answer to a status request while moving."""
    homing_s: float = 90.0
    connect_s: float = 6.0
