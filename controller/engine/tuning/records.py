"""What is learnt from: quiet positions with their score and the result of their game, in files that only grow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from controller.draughts.bitboard import State
from controller.errors import ControllerError

RECORD = np.dtype(
    [
        ("own", "<u4"),
        ("other", "<u4"),
        ("kings", "<u4"),
        ("game", "<u4"),
        ("score", "<i2"),
        ("result", "i1"),
        ("ply", "u1"),
    ]
)
"""One position as the side to move sees it, 20 bytes: the boards as 32 bits, square 1 lowest, turned so that the men
of the side to move go towards higher bits; the number of its game; what a search made of it, in hundredths of a man;
the game's result (1 won, 0 drawn, -1 lost, UNKNOWN_RESULT); the moves played before it. Little-endian."""

UNKNOWN_RESULT = 2
"""The result of a position that was looked at beside a game, not played from."""

Records = NDArray[np.void]
Boards = NDArray[np.uint32]
PackedState = tuple[int, int, int]

_BYTE_TURNED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class RecordsError(ControllerError, ValueError):
    """A file that does not hold records, or not those it should, or that cannot be written."""


def packed_state(state: State, black: bool) -> PackedState:
    """A state of `draughts.bitboard` as a record has it."""
    own, other, kings = (_packed(board) for board in state)
    return (own, other, kings) if black else (turned(own), turned(other), turned(kings))


def turned(board: int) -> int:
    """The board of 32 bits turned round: square s becomes 33 − s."""
    return int.from_bytes(board.to_bytes(4, "little").translate(_BYTE_TURNED), "big")


def _packed(board: int) -> int:
    return board & 0xFF | board >> 1 & 0xFF00 | board >> 2 & 0xFF0000 | board >> 3 & 0xFF000000


def read_records(path: Path) -> Records:
    """All whole records of a file. Raises RecordsError when it cannot be read or holds something else."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordsError(f"the positions in {path} cannot be read: {error.strerror}") from error
    records = np.frombuffer(content, RECORD, len(content) // RECORD.itemsize)
    occupied = records["own"] | records["other"]
    wrong = (records["own"] & records["other"]) | (records["kings"] & ~occupied)
    if np.any(wrong) or np.any(np.abs(records["result"].astype(int)) > UNKNOWN_RESULT):
        raise RecordsError(f"{path} is not a file of positions: name one that `play` has written")
    return records


def append_records(path: Path, records: Records) -> None:
    """Add records at the end of a file, which is made if need be; a record broken off there is cut away first.

    Raises RecordsError when it cannot be written.
    """
    try:
        with path.open("ab") as file:
            whole = file.tell() // RECORD.itemsize * RECORD.itemsize
            file.truncate(whole)
            file.write(records.tobytes())
    except OSError as error:
        raise RecordsError(f"cannot write {path}: {error.strerror}") from error


def fit_to_learn(records: Records, fewest_pieces: int) -> Records:
    """The records with at least so many pieces, each position once (as it first came up)."""
    pieces = np.bitwise_count(records["own"] | records["other"])
    enough = records[pieces >= fewest_pieces]
    boards = np.stack([enough["own"], enough["other"], enough["kings"]], axis=1)
    _, first = np.unique(boards, axis=0, return_index=True)
    different: Records = enough[np.sort(first)]
    return different
