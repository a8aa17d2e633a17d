"""The long campaigns, in short."""

from __future__ import annotations

from pathlib import Path

from tests.no_growth import grown
from tests.powercut.campaign import Campaign


def test_three_power_cuts_cost_no_game(tmp_path: Path) -> None:
    figures = Campaign(kills=3, seed=4, folder=tmp_path).run()
    assert figures["recovered"] == 3, figures
    assert figures["lost"] == 0, figures
    assert figures["most_asked"] <= 1, figures


def test_a_few_turns_leave_nothing_behind(tmp_path: Path) -> None:
    figures = grown(8, tmp_path)
    early, late = figures["objects"].values()
    assert late - early < 2000, figures
