"""A book of openings: for positions near the start, the moves that are good there, so that games differ.

The file, integers little-endian: eight bytes of FORMAT, the number of positions (4 bytes) and the CRC-32 of all that
follows (4). Then for each position, in ascending order of keys, its key (8), its score (1, signed), the number of its
moves (1), and each move in 2 bytes: from the highest bit on start − 1 (5 bits), end − 1 (5) and weight (6).
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from random import Random

from controller.draughts import Game, Move, Position, write_fen
from controller.engine.choosing import WeakerEngineWarning
from controller.engine.interface import Engine, Limits, Reply
from controller.errors import ControllerError

FORMAT = b"CHBOOK1\n"
MOST_WEIGHT = 63
MOST_SCORE = 127
FILE = "book.bin"
"""The name of the book in this package."""

_HEADER = struct.Struct("<8sII")
_ENTRY = struct.Struct("<QbB")


class BookError(ControllerError):
    """A file that is no book of openings, or a broken one."""


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move by its start and end, and how often it is to be played beside the others (1 to MOST_WEIGHT)."""

    start: int
    end: int
    weight: int


@dataclass(frozen=True, slots=True)
class BookEntry:
    """What the book knows of a position: its score, as the side to move sees it, and the moves to choose from."""

    score: int
    moves: tuple[BookMove, ...]


@dataclass(frozen=True)
class Book:
    """Positions by `book_key`, in whatever order of moves they came about."""

    entries: Mapping[int, BookEntry]

    def look_up(self, position: Position) -> tuple[int, tuple[tuple[Move, int], ...]] | None:
        """The score of a position and its moves with their weights; None when the book does not go so far."""
        entry = self.entries.get(book_key(position))
        if entry is None:
            return None
        weights = {(move.start, move.end): move.weight for move in entry.moves}
        legal = position.legal_moves()
        ends = [(move.start, move.end) for move in legal]
        # A move that its ends do not tell from another is not in the book.
        known = [(move, weights[end]) for move, end in zip(legal, ends, strict=True) if end in weights]
        return (entry.score, tuple(known)) if known and len(known) == len(weights) else None

    def choose(self, game: Game, random: Random) -> Move | None:
        """One of the moves for the position that has come about, by their weights; None when there are none."""
        found = self.look_up(game.position)
        return None if found is None else _drawn(found[1], random)


class WithBook:
    """An engine that plays from a book as long as it can, and then thinks.

    Which of the book's moves it plays follows from `seed` and the position.
    """

    def __init__(self, engine: Engine, book: Book, seed: int = 0) -> None:
        self._engine = engine
        self._book = book
        self._seed = seed

    def choose(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """The book's move, with depth 0 and no nodes, or the engine's; see `Engine.choose`."""
        position = game.position
        found = self._book.look_up(position)
        if found is None:
            return self._engine.choose(game, limits, stop, progress)
        score, moves = found
        move = _drawn(moves, Random(f"{self._seed} {write_fen(position)}"))
        return Reply(move, score, depth=0, nodes=0, seconds=0.0, pv=(move,))


def book_key(position: Position) -> int:
    """A number for a position, the same on every machine: the first 64 bits of BLAKE2b of its FEN."""
    return int.from_bytes(blake2b(write_fen(position).encode(), digest_size=8).digest(), "little")


@cache
def standard_book() -> Book:
    """The book that comes with the program. A broken one is empty, and a WeakerEngineWarning says so once."""
    try:
        return read_book(files(__package__).joinpath(FILE).read_bytes())
    except (BookError, OSError) as error:
        reason = (error.strerror or "it cannot be read") if isinstance(error, OSError) else error
        warnings.warn(
            f"the book of openings cannot be used ({reason}), so the engine thinks from the first move on; install"
            " Crownhead again to have it back",
            WeakerEngineWarning,
            stacklevel=2,
        )
        return Book({})


def write_book(book: Book) -> bytes:
    """The book as a file."""
    body = bytearray()
    for key, entry in sorted(book.entries.items()):
        body += _ENTRY.pack(key, entry.score, len(entry.moves))
        for move in entry.moves:
            body += ((move.start - 1) << 11 | (move.end - 1) << 6 | move.weight).to_bytes(2, "little")
    return _HEADER.pack(FORMAT, len(book.entries), zlib.crc32(body)) + bytes(body)


def read_book(data: bytes) -> Book:
    """The book of a file. Raises BookError when it is none, or not whole."""
    if len(data) < _HEADER.size or not data.startswith(FORMAT):
        raise BookError("it is no book of openings")
    _, count, checksum = _HEADER.unpack_from(data)
    if zlib.crc32(data[_HEADER.size :]) != checksum:
        raise BookError("its checksum is wrong")
    entries: dict[int, BookEntry] = {}
    place = _HEADER.size
    try:
        for _ in range(count):
            key, score, moves = _ENTRY.unpack_from(data, place)
            place += _ENTRY.size
            packed = struct.unpack_from(f"<{moves}H", data, place)
            place += 2 * moves
            entries[key] = BookEntry(score, tuple(map(_unpacked, packed)))
    except struct.error as error:
        raise BookError("it ends too early") from error
    if place != len(data) or any(not move.weight for entry in entries.values() for move in entry.moves):
        raise BookError("its contents cannot be")
    return Book(entries)


def _drawn(moves: Sequence[tuple[Move, int]], random: Random) -> Move:
    return random.choices([move for move, _ in moves], [weight for _, weight in moves])[0]


def _unpacked(packed: int) -> BookMove:
    return BookMove((packed >> 11) + 1, (packed >> 6 & 31) + 1, packed & MOST_WEIGHT)
