"""A game that was broken off, as the journal has it: to be gone on with."""

from __future__ import annotations

from controller.draughts import DrawRules, Game, parse_move, read_fen
from controller.errors import JournalError
from controller.journal import GameRecord, Journal


def unfinished_game(journal: Journal, rules: DrawRules) -> tuple[Game, GameRecord]:
    """The newest game with all its moves, and its record. JournalError if there is none that has not ended."""
    record = journal.last_unfinished_game()
    if record is None:
        raise JournalError("there is no game to go on with: the last one has ended, or none was begun")
    game = Game(read_fen(record.start_fen), rules)
    for move in journal.moves(record.id):
        game.play(parse_move(game.position, move.move))
    return game, record
