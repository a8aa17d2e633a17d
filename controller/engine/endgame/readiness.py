"""Having endgame tables at hand when a game begins. Where the compiled engine is missing, there are none."""

# ruff: noqa: PLC0415  What needs the compiled engine is imported where it is known to be there.
from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controller.engine.choosing import missing_core
from controller.engine.endgame.errors import BrokenTableError, EndgameTableError
from controller.engine.endgame.material import FEWEST_PIECES, MOST_PIECES, Material
from controller.settings import cache_directory

if TYPE_CHECKING:
    from controller.engine.endgame.building import Progress

PIECES_AT_HAND = 4
"""Tables of up to so many pieces take seconds to build, and are built when they are missing."""

_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Readiness:
    """Positions of up to `pieces` pieces can be looked up (0: none); `notes` are sentences for people, if any."""

    pieces: int
    notes: tuple[str, ...] = ()


def tables_directory(environment: Mapping[str, str]) -> Path:
    """The folder in which tables are kept when none is named."""
    return cache_directory(environment) / "tables"


def attach_tables(folder: Path) -> Readiness:
    """Have positions looked up in the tables that are in `folder`, up to the largest complete number of pieces.

    Broken ones are left out with a note. Not while an engine thinks.
    """
    if missing_core() is not None:
        return Readiness(0)
    return _attach_from(folder, FEWEST_PIECES)


def tables_ready(
    environment: Mapping[str, str], progress: Callable[[Progress], object] = lambda progress: None
) -> Readiness:
    """Have tables of up to four pieces at hand, built now if they are missing or broken, and larger ones if there.

    They are kept in `tables_directory`, or in memory where that can't be written. Nothing that goes wrong raises, as
    games can be played without; `notes` say it. What `progress` raises, and Ctrl-C, ends the building and leaves. Not
    while an engine thinks. Further calls return at once.
    """
    if missing_core() is not None:
        return Readiness(0)
    from controller.engine import _core
    from controller.engine.endgame.building import open_tables

    with _one_at_a_time:
        if _core.endgame_pieces() >= PIECES_AT_HAND:
            return Readiness(_core.endgame_pieces())
        folder = tables_directory(environment)
        found = open_tables(folder, range(FEWEST_PIECES, PIECES_AT_HAND + 1))
        notes = _broken_note(found.broken, "built anew")
        if found.missing:
            notes += _build_missing(folder, found.missing, progress)
        if _core.endgame_pieces() < PIECES_AT_HAND:
            return Readiness(_core.endgame_pieces(), notes)
        larger = _attach_from(folder, PIECES_AT_HAND + 1)
        return Readiness(larger.pieces, notes + larger.notes)


def _build_missing(
    folder: Path, missing: Sequence[Material], progress: Callable[[Progress], object]
) -> tuple[str, ...]:
    """Build tables, and keep them in `folder` if that is possible, else in memory; notes of what went wrong."""
    from controller.engine.endgame.building import building_in, built
    from controller.engine.endgame.table_file import read_tables, write_tables

    unkept: Exception | None = None
    with ExitStack() as held:
        try:
            held.enter_context(building_in(folder))
        except (OSError, EndgameTableError) as error:
            unkept = error
        try:
            for pair in built(missing, progress):
                if unkept is not None:
                    continue
                try:
                    write_tables(folder, pair)
                    read_tables(folder, pair.material).attach()
                except (OSError, BrokenTableError) as error:
                    unkept = error
        except MemoryError:
            return ("there is not enough memory to build the endgame tables, so endings are played without",)
    if isinstance(unkept, OSError):
        return (
            f"the endgame tables cannot be kept in {folder} ({unkept.strerror}), so they are built again at every"
            " start: make that folder one that can be written",
        )
    return ()


def _attach_from(folder: Path, fewest: int) -> Readiness:
    """Attach the tables of `fewest` pieces and more, as long as those of a number of pieces are all there."""
    from controller.engine import _core
    from controller.engine.endgame.building import open_tables

    for count in range(fewest, MOST_PIECES + 1):
        found = open_tables(folder, [count])
        if found.missing:
            mend = f"left out: `crownhead tables build --pieces {max(count, PIECES_AT_HAND)}` builds what is missing"
            return Readiness(_core.endgame_pieces(), _broken_note(found.broken, mend))
    return Readiness(_core.endgame_pieces())


def _broken_note(broken: Sequence[BrokenTableError], consequence: str) -> tuple[str, ...]:
    """What is to be said of broken tables: one sentence, or none."""
    if not broken:
        return ()
    others = f" and so are {len(broken) - 1} more" if broken[1:] else ""
    return (f"{broken[0]}{others}; {'they are' if others else 'it is'} {consequence}",)
