"""The line that Grbl answers only when all motion before it is over: a dwell, as short as each kin of Grbl has it.

Grbl 1.1 and grblHAL wait for the end of motion also before a dwell of nothing; one of any length Grbl counts in steps
of 50 ms (`DWELL_TIME_STEP`, `delay_sec` and `mc_dwell` in its sources). FluidNC takes a dwell of nothing for nothing
to do and answers at once, but counts in steps of 1 ms (`mc_dwell` in its sources).
"""

from __future__ import annotations

BARRIER = "G4 P0"
_FLUIDNC_BARRIER = "G4 P0.001"


def barrier_for(version: str) -> str:
    """The barrier of a firmware that says this of itself."""
    return _FLUIDNC_BARRIER if "fluidnc" in version.lower() else BARRIER
