"""Plays one game on a table that is open, whichever it is, to its end or until the human leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from controller.draughts import Colour, Game, Outcome, write_pdn
from controller.draw_offer import DrawAnswer, no_draw
from controller.events import Listener
from controller.journal import Journal
from controller.seat.seat import LeftTableError
from controller.session import Session, prepare_session
from controller.settings import Settings
from controller.table import Table
from controller.table_loop import Think
from controller.wishes import Wishes


@dataclass(frozen=True)
class Played:
    """How a game ended; None if the human left before its end, so that the journal keeps it open."""

    outcome: Outcome | None
    pdn: str


def play_game(
    table: Table,
    settings: Settings,
    journal: Journal,
    game: Game,
    think: Think,
    listeners: Sequence[Listener],
    seed: int,
    on_ready: Callable[[Session], None] = lambda _: None,
    resumed: int | None = None,
    answer_draw: Callable[[Game], DrawAnswer] = no_draw,
    wishes: Wishes | None = None,
) -> Played:
    """Play `game`, whose position lies on the table, and write into the journal how it ended.

    `resumed` is its number in the journal if it was broken off before; `answer_draw` and `wishes` are as for
    `prepare_session`.

    `on_ready` is told when the board has been seen and the first move can come. Raises the errors of hardware and
    vision when the table cannot go on.
    """
    session: Session | None = None
    outcome: Outcome | None
    try:
        session = prepare_session(
            table, settings, journal, game, think, listeners, seed, resumed, answer_draw, wishes
        )
        on_ready(session)
        outcome = session.loop.run()
    except LeftTableError:
        outcome = game.outcome()
    human = Colour[settings.game.human.upper()]
    players = {human.title: "Human", human.other.title: f"Crownhead, level {settings.game.level}"}
    pdn = write_pdn(game, {"Date": table.clock.date().strftime("%Y.%m.%d"), **players})
    if outcome is not None and session is not None:
        journal.end_game(session.game_number, outcome.result, outcome.sentence, pdn)
    return Played(outcome, pdn)
