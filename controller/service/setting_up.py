"""Has the arm set up the starting position, from a game's last position or from where that was broken off.

Whoever changes colours does not turn the board but has the discs laid the other way round: then its squares are
counted from its other side.
"""

from __future__ import annotations

from controller.broken_off import Contents, close_open_intents, contents_while_setting_up
from controller.draughts import Colour, Position, read_fen
from controller.held_disc import let_a_person_take_it, put_held_disc_down
from controller.journal import GameRecord, Journal
from controller.session import Players, check_board_in_place, find_arm, home
from controller.table import Table


def last_position(journal: Journal, record: GameRecord) -> tuple[Position, int]:
    """How the board stood when a game was over, and after how many moves."""
    moves = journal.moves(record.id)
    return read_fen(moves[-1].fen_after if moves else record.start_fen), len(moves)


def was_setting_up(journal: Journal) -> bool:
    """Whether the arm had begun to carry discs after the last game."""
    games = journal.games()
    return bool(games) and any(i.ply > len(journal.moves(games[-1].id)) for i in journal.intents(games[-1].id))


def set_up_by_journal(table: Table, players: Players, journal: Journal, record: GameRecord) -> None:
    """Set up, for `players`' human, a board that looks as the journal says the last game and what followed left it.

    Raises CannotLearnError, with nothing moved but the arm itself, when it looks otherwise, and what `bring_about`
    raises.
    """
    before, plies = last_position(journal, record)
    intents = tuple(intent for intent in journal.intents(record.id) if intent.ply > plies)
    turned = Colour[record.human.upper()] is not players.human
    contents = contents_while_setting_up(before, turned, Position.start(), intents)
    find_arm(table, players, cut_off=bool(intents))
    check_board_in_place(table.camera.frame(), table.calibration)
    _set_up(table, players, journal, record, contents, plies + 1)


def turn_round(table: Table, players: Players, journal: Journal, record: GameRecord) -> None:
    """Lay a board on which the discs of `players`' human are the farther ones the other way round.

    The intents are written down as following the last game, `record`.
    """
    if table.arm.holding:
        let_a_person_take_it(table, players.announcer)
    start = Position.start()
    contents = contents_while_setting_up(start, True, start, ())
    _set_up(table, players, journal, record, contents, len(journal.moves(record.id)) + 1)


def _set_up(
    table: Table, players: Players, journal: Journal, record: GameRecord, contents: Contents, ply: int
) -> None:
    look = players.eye.learn_in_part(contents, [contents])
    if not table.gantry.homed:
        home(table, players.recovery)
    layout = players.eye.layout(look)
    if table.arm.holding:
        centres = players.mover.centres
        put_held_disc_down(table, players.announcer, centres, journal, record.id, layout, players.human)
        layout = players.eye.layout(players.eye.settled_look(Position.start()))
    players.mover.discs_before = journal.counted_discs(record.id)
    close_open_intents(journal, record.id)
    players.mover.bring_about(Position.start(), layout, record.id, players.human, ply)
