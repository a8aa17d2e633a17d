"""The journal: what has happened, on disk before it happens (SQLite).

Every writing method has committed, and the disk has it, when it returns: in WAL mode with `synchronous=FULL` SQLite
syncs the log at each commit (https://sqlite.org/pragma.html#pragma_synchronous). So an intent that was journalled
before a motion is found again after a power cut in the middle of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from controller.errors import JournalError
from hardware.clock import Clock

APPLICATION_ID = 0x43524F57
"""Stored in the file's header ("CROW"), so that another program's database is never taken for a journal."""

MIGRATIONS = (
    """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        began_at TEXT NOT NULL,
        start_fen TEXT NOT NULL,
        human TEXT NOT NULL,
        level INTEGER NOT NULL,
        seed INTEGER,
        ended_at TEXT,
        result TEXT,
        reason TEXT,
        pdn TEXT
    ) STRICT;
    CREATE TABLE verdicts (
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES games (id),
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        details TEXT NOT NULL
    ) STRICT;
    CREATE INDEX verdicts_of_game ON verdicts (game);
    CREATE TABLE moves (
        game INTEGER NOT NULL REFERENCES games (id),
        ply INTEGER NOT NULL,
        at TEXT NOT NULL,
        colour TEXT NOT NULL,
        move TEXT NOT NULL,
        fen_after TEXT NOT NULL,
        PRIMARY KEY (game, ply)
    ) STRICT;
    CREATE TABLE transfers (
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES games (id),
        ply INTEGER NOT NULL,
        at TEXT NOT NULL,
        description TEXT NOT NULL,
        from_place TEXT NOT NULL,
        to_place TEXT NOT NULL,
        discs INTEGER NOT NULL,
        finished_at TEXT,
        outcome TEXT,
        detail TEXT
    ) STRICT;
    CREATE INDEX transfers_of_game ON transfers (game);
    """,
    """
    ALTER TABLE games RENAME COLUMN level TO level_number;
    ALTER TABLE games ADD COLUMN level TEXT NOT NULL DEFAULT '';
    UPDATE games SET level = level_number;
    ALTER TABLE games DROP COLUMN level_number
    """,  # Since there is a level "best".
    """
    CREATE TABLE take_backs (
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES games (id),
        at TEXT NOT NULL,
        plies INTEGER NOT NULL,
        moves TEXT NOT NULL
    ) STRICT
    """,  # Since moves can be taken back.
)
"""The steps from an empty file to the present format; a file's `user_version` counts those it has had.

Only ever append to them. A semicolon ends a statement and stands nowhere else.
"""

FORMAT_VERSION = len(MIGRATIONS)

BUSY_S = 5.0
"""How long to wait for another process that writes, before giving up."""


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

    def __init__(self, path: Path, clock: Clock) -> None:
        """Open the journal, or begin one; `clock` dates what is written."""
        self._path = path
        self._clock = clock
        self._connection = _open(path)

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
            with _explained(self._path):
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
        with _explained(self._path):
            # The connection is in autocommit mode: a statement is a transaction of its own.
            cursor = self._connection.execute(statement, values)
        if cursor.rowcount != 1:
            raise ValueError(f"the journal has no entry number {values[-1]}")
        return cursor.lastrowid or 0

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """What is written in it is on disk at its end, or nothing of it."""
        with _explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        with _explained(self._path):
            self._connection.execute("COMMIT")

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        with _explained(self._path):
            cursor = self._connection.execute(query, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]


def _game_of(row: Mapping[str, Any]) -> GameRecord:
    level = row["level"]
    return GameRecord(**{**row, "level": int(level) if level.isdecimal() else level})


def _open(path: Path) -> sqlite3.Connection:
    """Open or begin a journal file, and bring an older format up to date."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"cannot make the folder of the journal {path}: {error.strerror}") from error
    with _explained(path):
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        with _explained(path):
            _check_file(path, connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            _migrate(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_file(path: Path, connection: sqlite3.Connection) -> None:
    """Raise JournalError for a file that is not ours to write to; nothing has been written to it before."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID and (tables or application):
        raise JournalError(f"{path} is the database of another program: name another file for the journal")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT_VERSION:
        raise JournalError(
            f"the journal {path} has format {version} and this program knows formats up to {FORMAT_VERSION}: "
            "update the program or name another file for the journal"
        )


def _migrate(path: Path, connection: sqlite3.Connection) -> None:
    """Apply the steps that the file has not had, all or none, with other processes kept out meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check_file(path, connection)  # Again, now that no other process can change it.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < FORMAT_VERSION:
            for step in MIGRATIONS[version:]:
                for statement in step.split(";"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into the sentence of a JournalError."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # The program asked for what cannot be: its own fault, nothing that a person could mend.
    except sqlite3.DatabaseError as error:
        raise JournalError(_sentence(path, error)) from error


def _sentence(path: Path, error: sqlite3.DatabaseError) -> str:
    # The low byte is the primary result code (https://sqlite.org/rescode.html).
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return f"{path} is not a journal, or is damaged: move it away, or name another file for the journal"
        case sqlite3.SQLITE_FULL:
            return f"the disk is full, the journal {path} cannot be written: make room and start again"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"the journal {path} may not be written: change its permissions or name another file"
        case sqlite3.SQLITE_CANTOPEN:
            return f"the journal {path} cannot be opened: name a file in a folder that may be written to"
        case sqlite3.SQLITE_IOERR:
            return (
                f"the disk failed while the journal {path} was in use ({error}): check it, and replace it if need be"
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"another program is writing to the journal {path}: stop it and start again"
        case _:
            return f"the journal {path} cannot be used: {error}"
