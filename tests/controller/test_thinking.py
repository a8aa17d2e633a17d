"""What the settings' level means, and whose clock an engine thinks by."""

from __future__ import annotations

from controller.draughts import Game, read_fen
from controller.engine import Limits, level_named
from controller.settings import EngineSettings, GameSettings, Settings
from controller.thinking import level_of, thinker
from hardware.clock import VirtualClock


class HurryingClock(VirtualClock):
    """Time that goes on whenever it is looked at."""

    def now(self) -> float:
        self.sleep(0.001)
        return super().now()


def test_a_numbered_level_is_that_of_the_engine() -> None:
    settings = Settings(game=GameSettings(level=3), engine=EngineSettings(thinking_s=60))
    assert level_of(settings) == level_named("3")


def test_the_best_level_thinks_for_the_time_of_the_settings() -> None:
    level = level_of(Settings(game=GameSettings(level="best"), engine=EngineSettings(thinking_s=0.7)))
    assert (level.name, level.limits, level.noise) == ("best", Limits(seconds=0.7), 0.0)


def test_thinking_ends_by_a_clock_that_goes_on_and_takes_its_time_on_the_tables() -> None:
    table, passing = VirtualClock(), HurryingClock()
    settings = Settings(game=GameSettings(level="best"), engine=EngineSettings(thinking_s=0.2))
    think = thinker(level_of(settings), table, 1, 1.5, passing)
    game = Game(read_fen("B:W32,31,30,22,K5:B1,2,3,12,K28"))  # No book knows it.
    before = passing.now()
    assert think(game) in game.position.legal_moves()
    assert 0.2 <= passing.now() - before < 1.0
    assert table.now() == 1.5
    assert game.plies == 0


def test_a_numbered_level_needs_no_clock_that_goes_on() -> None:
    table = VirtualClock()
    think = thinker(level_named("2"), table, 1, 0.5)
    assert think(Game()) in Game().position.legal_moves()
    assert table.now() == 0.5
