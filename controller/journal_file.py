"""The journal's file: its format and how that has grown, opening it, and what is said of a disk that refuses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.errors import JournalDamagedError, JournalError, JournalFormatError

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
    ALTER TABLE games ADD COLUMN dark_discs INTEGER;
    ALTER TABLE games ADD COLUMN light_discs INTEGER;
    CREATE TABLE remembered (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT
    """,  # What was last counted on the whole table, so that after a restart it is known what is missing.
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
DAMAGED = "{} is not a journal, or is damaged: move it away, or name another file for the journal"


def open_journal_file(path: Path) -> sqlite3.Connection:
    """Open or begin a journal file, and bring an older format up to date. Raises JournalError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"cannot make the folder of the journal {path}: {error.strerror}") from error
    with explained(path):
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        with explained(path):
            _check_file(path, connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            _migrate(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a journal that is there only to read it, also while another program writes. Raises JournalError."""
    if not path.exists():
        raise JournalError(f"there is no journal {path}: no game has been played yet, or it is kept elsewhere")
    with explained(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S)
    try:
        with explained(path):
            _check_file(path, connection)
            (version,) = connection.execute("PRAGMA user_version").fetchone()
    except BaseException:
        connection.close()
        raise
    if version < FORMAT_VERSION:
        connection.close()
        with_newest_format = open_journal_file(path)  # Nothing newer could have written it: bring it up to date.
        with_newest_format.execute("PRAGMA query_only = ON")
        return with_newest_format
    return connection


def _check_file(path: Path, connection: sqlite3.Connection) -> None:
    """Raise JournalFormatError for a file that is not ours to write to; nothing has been written to it before."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID and (tables or application):
        raise JournalFormatError(f"{path} is the database of another program: name another file for the journal")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT_VERSION:
        raise JournalFormatError(
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
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into the sentence of a JournalError; of a damaged file a JournalDamagedError."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # The program asked for what cannot be: its own fault, nothing that a person could mend.
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        damaged = code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
        raise (JournalDamagedError if damaged else JournalError)(_sentence(path, error)) from error


def _sentence(path: Path, error: sqlite3.DatabaseError) -> str:
    # The low byte is the primary result code (https://sqlite.org/rescode.html).
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return DAMAGED.format(path)
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
