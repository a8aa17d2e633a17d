"""Building the endgame tables that are missing, and keeping them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.engine import _core
from controller.engine.endgame.errors import BrokenTableError, EndgameTableError
from controller.engine.endgame.material import FEWEST_PIECES, Material, pairs
from controller.engine.endgame.table_file import (
    DRAFT_SUFFIX,
    HEADER_BYTES,
    TablePair,
    Tally,
    read_tables,
    table_path,
    table_sizes,
    write_tables,
)

_LOCK = "building.lock"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build has come: steps done out of `total`, none of which counts tables that were there before.

    A step is a fixed share of the work on a position; `material` is the table being built.
    """

    done: int
    total: int
    material: Material


Told = Callable[[Progress], object]
"""Is told of progress a few times a second at least; an exception that leaves it ends the build."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open_tables` has found: tables attached, tables without a file, and what is wrong with broken ones."""

    missing: tuple[Material, ...]
    broken: tuple[BrokenTableError, ...]


def open_tables(folder: Path, counts: Sequence[int], *, verify: bool = False) -> Opened:
    """Attach the tables of so many pieces that are in `folder`. A broken one counts as missing."""
    missing, broken = [], []
    for material in (material for count in counts for material in pairs(count)):
        try:
            read_tables(folder, material, verify=verify).attach()
        except FileNotFoundError:
            missing.append(material)
        except BrokenTableError as error:
            missing.append(material)
            broken.append(error)
    return Opened(tuple(missing), tuple(broken))


def build_tables(folder: Path, pieces: int, progress: Told) -> tuple[BrokenTableError, ...]:
    """Build the tables up to so many pieces that are not in `folder`, each kept as soon as it is done; attach all.

    The checksums of those that are there are verified; broken ones, which are returned, are built anew. What leaves
    `progress`, and Ctrl-C, stops cleanly: the next build goes on after the last table kept. Raises EndgameTableError
    when the folder can't be written, has too little room, or another process is building there.
    """
    counts = range(FEWEST_PIECES, pieces + 1)
    try:
        with building_in(folder):
            found = open_tables(folder, counts, verify=True)
            _check_room(folder, found.missing)
            for pair in built(found.missing, progress):
                write_tables(folder, pair)
                read_tables(folder, pair.material).attach()
    except OSError as error:
        no_folder = isinstance(error, FileExistsError | NotADirectoryError)
        reason = f"{_not_a_folder(folder)} is not a folder" if no_folder else error.strerror
        raise EndgameTableError(
            f"cannot keep endgame tables in {folder} ({reason}): name a folder that can be written with --dir"
        ) from error
    except MemoryError as error:
        raise EndgameTableError(
            "there is not enough memory to build these endgame tables: close other programs and try again"
        ) from error
    return found.broken


def _not_a_folder(path: Path) -> Path:
    """The first part of a path that is there and no folder."""
    return next((part for part in (*reversed(path.parents), path) if part.exists() and not part.is_dir()), path)


@contextmanager
def building_in(folder: Path) -> Iterator[None]:
    """Be the only one that builds in `folder`, which is made, and clear away what a killed build has left there.

    Raises EndgameTableError while another process does, OSError when the folder can't be used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise EndgameTableError(
                f"another process is building endgame tables in {folder}: wait for it, or name another folder"
            ) from error
        for draft in folder.glob(f"*{DRAFT_SUFFIX}"):
            draft.unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def built(missing: Sequence[Material], progress: Told) -> Iterator[TablePair]:
    """Build and attach tables one after the other, in the order of `pairs`; all others they need must be attached."""
    steps = {material: 4 * _core.endgame_bytes(*material.counts, False) for material in missing}
    total, before = sum(steps.values()), 0
    for material in missing:
        progress(Progress(before, total, material))
        sizes = table_sizes(material)
        tables = [bytearray(size) for size in sizes]

        def tell(done: int, before: int = before, material: Material = material) -> None:
            progress(Progress(before + done, total, material))

        own, other = _core.endgame_build(*material.counts, material.two_bits, tables[0], tables[-1], tell)
        yield TablePair(material, (Tally(*own), Tally(*other)), (memoryview(tables[0]), memoryview(tables[-1])))
        before += steps[material]
        progress(Progress(before, total, material))


def _check_room(folder: Path, missing: Sequence[Material]) -> None:
    """Refuse to begin what the disk has no room for."""
    needed = 0
    for material in missing:
        path = table_path(folder, material)
        needed += HEADER_BYTES + sum(table_sizes(material)) - (path.stat().st_size if path.exists() else 0)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise EndgameTableError(
            f"these endgame tables need {needed / 1e6:.0f} MB more, and {folder} has room for {free / 1e6:.0f} MB:"
            " make room, or name another folder with --dir"
        )
