"""The files that endgame tables are kept in; docs/endgame-tables.md describes the format.

A file holds a table and that of the same pieces swapped (once where both are the same). It is written whole under
another name and then given its own, so that a file is there entirely or not at all.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.engine import _core
from controller.engine.endgame.errors import BrokenTableError
from controller.engine.endgame.material import Material

MAGIC = b"CROWNEND"
VERSION = 1
DRAFT_SUFFIX = ".draft"
_HEADER = struct.Struct("<8sHBx4BIQ3QH6x3QH6x32x")
_CHECKSUM = struct.Struct("<I")
HEADER_BYTES = _HEADER.size + _CHECKSUM.size
_MOST_PIECES_READ = 4
"""Tables of up to so many pieces are read into memory, where nothing can happen to them; larger ones are mapped."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What a table holds: positions the side to move wins, draws and loses, and the plies of the longest way.

    `longest` is 0 where the table does not know distances.
    """

    wins: int
    draws: int
    losses: int
    longest: int


@dataclass(frozen=True, slots=True)
class TablePair:
    """A table and that of the same pieces swapped; twice the same where the pieces are."""

    material: Material
    tallies: tuple[Tally, Tally]
    codes: tuple[memoryview, memoryview]

    def attach(self) -> None:
        """Have positions of these pieces looked up here from now on. Not while a search runs that could do so."""
        for material, codes in zip((self.material, self.material.swapped), self.codes, strict=True):
            _core.endgame_attach(*material.counts, material.two_bits, codes)


def table_path(folder: Path, material: Material) -> Path:
    """The file of a table and its swapped one; `material` is one of `pairs`."""
    return folder / f"{material}.endgame"


def table_sizes(material: Material) -> tuple[int, ...]:
    """The bytes of the tables in a file: of one where the pieces are the same for both sides, else of two."""
    both = (material,) if material == material.swapped else (material, material.swapped)
    return tuple(_core.endgame_bytes(*one.counts, one.two_bits) for one in both)


def write_tables(folder: Path, pair: TablePair) -> None:
    """Keep the tables in their file in `folder`, on the disk for good when this returns. OSError if it can't be."""
    path = table_path(folder, pair.material)
    tables = pair.codes[: len(table_sizes(pair.material))]
    with tempfile.NamedTemporaryFile("wb", dir=folder, suffix=DRAFT_SUFFIX, delete=False) as stream:
        draft = Path(stream.name)
        try:
            stream.write(_header_of(pair, tables))
            for table in tables:
                stream.write(table)
            stream.flush()
            os.fsync(stream.fileno())
            os.fchmod(stream.fileno(), 0o644)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_tables(folder: Path, material: Material, *, verify: bool = False) -> TablePair:
    """The tables of a file.

    Size and header are always checked, the checksum of the tables if they are small or when told to `verify`. Raises
    FileNotFoundError if there is no such file, BrokenTableError if it is not what it should be or can't be read.
    """
    path = table_path(folder, material)
    sizes = table_sizes(material)
    try:
        with path.open("rb") as stream:
            expected = HEADER_BYTES + sum(sizes)
            size = os.fstat(stream.fileno()).st_size
            if size != expected:
                raise BrokenTableError(path, f"it has {size} bytes, not {expected}")
            small = material.pieces <= _MOST_PIECES_READ
            content = memoryview(stream.read() if small else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(error.errno, error.strerror, str(path)) from error
    except OSError as error:
        raise BrokenTableError(path, f"it cannot be read: {error.strerror}") from error
    checksum, tallies = _read_header(path, material, content[:HEADER_BYTES])
    tables = [content[HEADER_BYTES : HEADER_BYTES + sizes[0]], content[HEADER_BYTES + sizes[0] :]]
    if (small or verify) and _checksum_of(tables) != checksum:
        raise BrokenTableError(path, "its checksum is wrong")
    return TablePair(material, tallies, (tables[0], tables[len(sizes) - 1]))


def _header_of(pair: TablePair, tables: Sequence[memoryview]) -> bytes:
    material = pair.material
    tallies = [number for tally in pair.tallies for number in (tally.wins, tally.draws, tally.losses, tally.longest)]
    size = sum(table.nbytes for table in tables)
    header = _HEADER.pack(MAGIC, VERSION, _bits(material), *material.counts, _checksum_of(tables), size, *tallies)
    return header + _CHECKSUM.pack(zlib.crc32(header))


def _read_header(path: Path, material: Material, header: memoryview) -> tuple[int, tuple[Tally, Tally]]:
    """The checksum of the tables and what they hold, from a header that is right."""
    if header[: len(MAGIC)] != MAGIC:
        raise BrokenTableError(path, "it is another kind of file")
    if (zlib.crc32(header[: _HEADER.size]),) != _CHECKSUM.unpack(header[_HEADER.size :]):
        raise BrokenTableError(path, "the checksum of its header is wrong")
    _, version, bits, *counts, checksum, size, w1, d1, l1, longest1, w2, d2, l2, longest2 = _HEADER.unpack(
        header[: _HEADER.size]
    )
    expected = (VERSION, _bits(material), list(material.counts), sum(table_sizes(material)))
    if (version, bits, counts, size) != expected:
        raise BrokenTableError(path, "it is of another version or of other pieces")
    return checksum, (Tally(w1, d1, l1, longest1), Tally(w2, d2, l2, longest2))


def _bits(material: Material) -> int:
    """The bits of a position."""
    return 2 if material.two_bits else 8


def _checksum_of(tables: Sequence[memoryview]) -> int:
    checksum = 0
    for table in tables:
        checksum = zlib.crc32(table, checksum)
    return checksum
