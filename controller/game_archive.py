"""The journal's games as whole games: to be shown, counted, written as PDN and taken from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controller.draughts import (
    Colour,
    DraughtsError,
    DrawRules,
    Game,
    PdnGame,
    parse_move,
    read_fen,
    write_fen,
    write_pdn,
    write_record,
)
from controller.errors import JournalError
from controller.journal import GameRecord, Journal


@dataclass(frozen=True)
class Statistics:
    """How the games of a journal have ended, for the human; those given up count as unfinished."""

    games: int
    won: int
    lost: int
    drawn: int
    unfinished: int
    moves: int


def game_of(journal: Journal, record: GameRecord) -> Game:
    """The game with all its moves. JournalError if what is written there is no game."""
    try:
        game = Game(read_fen(record.start_fen), DrawRules(repetition=False, forty_moves=False))
        for move in journal.moves(record.id):
            game.play(parse_move(game.position, move.move))
    except DraughtsError as error:
        raise JournalError(f"game {record.id} cannot be read: {error}") from error
    return game


def pdn_of(journal: Journal, record: GameRecord) -> str:
    """The game as PDN: as it was written down at its end, or as far as it has come."""
    if record.pdn:
        return record.pdn
    human = Colour[record.human.upper()]
    players = {human.title: "Human", human.other.title: f"Crownhead, level {record.level}"}
    return write_pdn(game_of(journal, record), {"Date": record.began_at[:10].replace("-", "."), **players})


def statistics(journal: Journal, records: Sequence[GameRecord]) -> Statistics:
    """Count the games' ends."""
    won = {Colour.WHITE: "1-0", Colour.BLACK: "0-1"}
    mine = [record.result == won[Colour[record.human.upper()]] for record in records]
    theirs = [record.result == won[Colour[record.human.upper()].other] for record in records]
    drawn = sum(record.result == "1/2-1/2" for record in records)
    return Statistics(
        games=len(records),
        won=sum(mine),
        lost=sum(theirs),
        drawn=drawn,
        unfinished=len(records) - sum(mine) - sum(theirs) - drawn,
        moves=sum(len(journal.moves(record.id)) for record in records),
    )


def take_in(journal: Journal, games: Sequence[PdnGame]) -> tuple[int, ...]:
    """Write games that were played elsewhere into the journal; returns their numbers.

    One that is there already, with the same PDN, is left out.
    """
    there = {record.pdn for record in journal.games() if record.pdn}
    numbers = []
    for read in games:
        text = write_record(read)
        if text in there:
            continue
        there.add(text)
        game = read.game
        number = journal.add_game(write_fen(game.start), read.result, "imported", text)
        plies = zip(game.positions, game.moves, game.positions[1:], strict=False)
        for ply, (before, move, after) in enumerate(plies, 1):
            journal.record_move(number, ply, before.turn.name.lower(), str(move), write_fen(after))
        numbers.append(number)
    return tuple(numbers)
