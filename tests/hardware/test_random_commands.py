"""A short run of `python -m tests.random_commands`: whatever goes wrong, every command ends in a clear state."""

from __future__ import annotations

import pytest

from tests.random_commands import run


@pytest.mark.parametrize(("firmware", "seed"), [("grbl", 11), ("grbl", 12), ("marlin", 13)])
def test_every_command_ends_done_failed_or_stopped_and_there_is_a_way_back(firmware: str, seed: int) -> None:
    tally = run(firmware, 150, seed)
    assert tally.broken == []
    assert set(tally.outcomes) <= {"done", "failed", "stopped"}
    assert tally.outcomes["done"] > 60 and tally.outcomes["failed"] > 5
