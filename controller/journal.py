"""The journal: what has happened, on disk before it happens (SQLite).

Every writing method has committed, and the disk has it, when it returns: in WAL mode with `synchronous=FULL` SQLite
syncs the log at each commit (https://sqlite.org/pragma.html#pragma_synchronous). So an intent that was journalled
before a motion is found again after a power cut in the middle of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from controller.draughts import Colour
from controller.errors import JournalDamagedError, JournalError
from controller.journal_file import DAMAGED, explained, open_journal_file, open_to_read
from hardware.clock import Clock


class Outcome(Enum):
    """How a transfer ended."""

    DONE = "done"
    FAILED = "failed"
    """It was carried through, but the camera shows that the discs did not follow."""
    STOPPED = "stopped"
    """It was broken off: by a person, a fault or the end of the program."""


@dataclass(frozen=True)
class GameRecord:
    """A game; times are ISO 8601 in UTC, and what belongs to its end is None while it lasts."""

    id: int
    began_at: str
    start_fen: str
    human: str
    level: int | Literal["best"]
    seed: int | None
    ended_at: str | None
    result: str | None
    reason: str | None
    pdn: str | None
    dark_discs: int | None = None
    light_discs: int | None = None


@dataclass(frozen=True)
class VerdictRecord:
    """What the referee said of a reading; `details` is what was written, as JSON keeps it."""

    id: int
    at: str
    kind: str
    text: str
    details: dict[str, Any]


@dataclass(frozen=True)
class MoveRecord:
    """A move of the game, counted from ply 1, and the position after it."""

    ply: int
    at: str
    colour: str
    move: str
    fen_after: str


@dataclass(frozen=True)
class TakeBackRecord:
    """Moves that were taken back, in the order in which they had been played; `plies` moves were left."""

    at: str
    plies: int
    moves: tuple[str, ...]


@dataclass(frozen=True)
class IntentRecord:
    """A transfer that was about to begin; `outcome` is None until it is finished."""

    id: int
    ply: int
    at: str
    description: str
    from_place: str
    to_place: str
    discs: int
    finished_at: str | None
    outcome: Outcome | None
    detail: str | None


class Journal:
    """The journal file, opened for writing; a context manager that closes it.

    Raises JournalError when opening, and from every method when the disk refuses.
    """

    def __init__(self, path: Path, clock: Clock, read_only: bool = False) -> None:
        """Open the journal, or begin one; `clock` dates what is written. `read_only`: it must be there."""
        self._path = path
        self._clock = clock
        self._counted: tuple[int, int, int] | None = None
        self._connection = open_to_read(path) if read_only else open_journal_file(path)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin_game(self, start_fen: str, human: str, level: int | str, seed: int | None = None) -> int:
        """Write down that a game begins, its level a number or `best`; returns its number."""
        return self._write(
            "INSERT INTO games (began_at, start_fen, human, level, seed) VALUES (?, ?, ?, ?, ?)",
            (self._date(), start_fen, human, str(level), seed),
        )

    def end_game(self, game: int, result: str, reason: str, pdn: str) -> None:
        """Write down how a game ended: its PDN result, why in words, and the whole game as PDN."""
        self._write(
            "UPDATE games SET ended_at = ?, result = ?, reason = ?, pdn = ? WHERE id = ?",
            (self._date(), result, reason, pdn, game),
        )

    def record_verdict(self, game: int, kind: str, text: str, details: Mapping[str, Any] | None = None) -> int:
        """Write down a verdict and the sentence that goes with it; `details` may hold whatever JSON can."""
        return self._write(
            "INSERT INTO verdicts (game, at, kind, text, details) VALUES (?, ?, ?, ?, ?)",
            (game, self._date(), kind, text, json.dumps(dict(details or {}), default=str)),
        )

    def record_move(self, game: int, ply: int, colour: str, move: str, fen_after: str) -> None:
        """Write down move number `ply` (from 1, both sides counted) and the position after it.

        Writing the same ply again replaces it, which is what a program does that was cut off and decides anew.
        """
        self._write(
            "INSERT OR REPLACE INTO moves (game, ply, at, colour, move, fen_after) VALUES (?, ?, ?, ?, ?, ?)",
            (game, ply, self._date(), colour, move, fen_after),
        )

    def take_back(self, game: int, plies: int, moves: Sequence[str]) -> None:
        """Write down that these moves, the game's last, are taken back, and `plies` are left: both or neither."""
        with self._transaction():
            self._write(
                "INSERT INTO take_backs (game, at, plies, moves) VALUES (?, ?, ?, ?)",
                (game, self._date(), plies, " ".join(moves)),
            )
            with explained(self._path):
                self._connection.execute("DELETE FROM moves WHERE game = ? AND ply > ?", (game, plies))

    def take_backs(self, game: int) -> tuple[TakeBackRecord, ...]:
        """What was taken back in the game, in order."""
        rows = self._read("SELECT at, plies, moves FROM take_backs WHERE game = ? ORDER BY id", (game,))
        return tuple(TakeBackRecord(row["at"], row["plies"], tuple(row["moves"].split())) for row in rows)

    def intend(self, game: int, ply: int, description: str, from_place: str, to_place: str, discs: int) -> int:
        """Write down that `discs` discs are about to be moved for move `ply`; returns the intent's number.

        To be called before the motion: when it returns, the intent survives a power cut.
        """
        return self._write(
            "INSERT INTO transfers (game, ply, at, description, from_place, to_place, discs)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (game, ply, self._date(), description, from_place, to_place, discs),
        )

    def finish(self, intent: int, outcome: Outcome, detail: str = "") -> None:
        """Write down how an intended transfer ended."""
        self._write(
            "UPDATE transfers SET finished_at = ?, outcome = ?, detail = ? WHERE id = ?",
            (self._date(), outcome.value, detail, intent),
        )

    def count_discs(self, game: int, discs: Mapping[Colour, int]) -> None:
        """Write down how many discs of each colour there are on the whole table now, if that is news."""
        counted = (discs.get(Colour.BLACK, 0), discs.get(Colour.WHITE, 0))
        if self._counted != (game, *counted):
            self._write("UPDATE games SET dark_discs = ?, light_discs = ? WHERE id = ?", (*counted, game))
            self._counted = (game, *counted)

    def counted_discs(self, game: int) -> dict[Colour, int] | None:
        """How many discs of each colour were counted last; None if they never were."""
        record = self.game(game)
        if record.dark_discs is None or record.light_discs is None:
            return None
        return {Colour.BLACK: record.dark_discs, Colour.WHITE: record.light_discs}

    def note(self, name: str, value: str) -> None:
        """Write down something under a name, in place of what was noted there before."""
        if self.noted(name) != value:
            self._write("INSERT OR REPLACE INTO remembered (name, value) VALUES (?, ?)", (name, value))

    def noted(self, name: str) -> str | None:
        """What was noted under a name; None if nothing was."""
        rows = self._read("SELECT value FROM remembered WHERE name = ?", (name,))
        return str(rows[0]["value"]) if rows else None

    def add_game(self, start_fen: str, result: str, reason: str, pdn: str, level: int | str = "best") -> int:
        """Write down a game that was played elsewhere and has ended; returns its number."""
        date = self._date()
        return self._write(
            "INSERT INTO games (began_at, start_fen, human, level, ended_at, result, reason, pdn)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (date, start_fen, "black", str(level), date, result, reason, pdn),
        )

    def game(self, number: int) -> GameRecord:
        """One game. JournalError if there is none of that number."""
        rows = self._read("SELECT * FROM games WHERE id = ?", (number,))
        if not rows:
            raise JournalError(
                f"there is no game {number} in {self._path}: 'crownhead games list' shows those there are"
            )
        return _game_of(rows[0])

    def prune(self, keep_games: int) -> int:
        """Forget the verdicts and transfers of all but the newest `keep_games`; games, moves and results stay.

        Returns how many entries have gone. What they took is given back to the disk.
        """
        with explained(self._path):
            gone = 0
            for table in ("verdicts", "transfers"):
                gone += self._connection.execute(
                    f"DELETE FROM {table} WHERE game <= (SELECT max(id) FROM games) - ?", (keep_games,)
                ).rowcount
            if gone:
                self._connection.execute("VACUUM")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def check(self) -> None:
        """Raise JournalDamagedError if the file contradicts itself."""
        with explained(self._path):
            (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise JournalDamagedError(DAMAGED.format(self._path))

    def back_up(self, target: Path) -> None:
        """Copy the whole journal to a new file, also while it is written to. JournalError if that cannot be."""
        if target.exists():
            raise JournalError(f"{target} is there already: name another file for the back-up")
        with explained(target), closing(sqlite3.connect(target)) as copy:
            self._connection.backup(copy)

    def games(self) -> tuple[GameRecord, ...]:
        """All games, oldest first."""
        return tuple(map(_game_of, self._read("SELECT * FROM games ORDER BY id")))

    def last_unfinished_game(self) -> GameRecord | None:
        """The newest game, if it has not ended. (An older one that was left open does not come back to life.)"""
        rows = self._read("SELECT * FROM games ORDER BY id DESC LIMIT 1")
        newest = _game_of(rows[0]) if rows else None
        return newest if newest and newest.ended_at is None else None

    def moves(self, game: int) -> tuple[MoveRecord, ...]:
        """The game's moves in order."""
        rows = self._read("SELECT ply, at, colour, move, fen_after FROM moves WHERE game = ? ORDER BY ply", (game,))
        return tuple(MoveRecord(**row) for row in rows)

    def verdicts(self, game: int) -> tuple[VerdictRecord, ...]:
        """The game's verdicts in order."""
        rows = self._read("SELECT id, at, kind, text, details FROM verdicts WHERE game = ? ORDER BY id", (game,))
        return tuple(VerdictRecord(**{**row, "details": json.loads(row["details"])}) for row in rows)

    def intents(self, game: int) -> tuple[IntentRecord, ...]:
        """The game's transfers in order, finished or not."""
        rows = self._read(
            "SELECT id, ply, at, description, from_place, to_place, discs, finished_at, outcome, detail"
            " FROM transfers WHERE game = ? ORDER BY id",
            (game,),
        )
        return tuple(
            IntentRecord(**{**row, "outcome": Outcome(row["outcome"]) if row["outcome"] else None}) for row in rows
        )

    def open_intents(self, game: int) -> tuple[IntentRecord, ...]:
        """The game's transfers that were begun and of whose end nothing is known."""
        return tuple(intent for intent in self.intents(game) if intent.outcome is None)

    def _date(self) -> str:
        return self._clock.date().isoformat(timespec="milliseconds")

    def _write(self, statement: str, values: tuple[Any, ...]) -> int:
        """Run one statement that must change one row; returns the row's number."""
        with explained(self._path):
            # The connection is in autocommit mode: a statement is a transaction of its own.
            cursor = self._connection.execute(statement, values)
        if cursor.rowcount != 1:
            raise ValueError(f"the journal has no entry number {values[-1]}")
        return cursor.lastrowid or 0

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """What is written in it is on disk at its end, or nothing of it."""
        with explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        with explained(self._path):
            self._connection.execute("COMMIT")

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        with explained(self._path):
            cursor = self._connection.execute(query, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]


def _game_of(row: Mapping[str, Any]) -> GameRecord:
    level = row["level"]
    return GameRecord(**{**row, "level": int(level) if level.isdecimal() else level})
