"""Which endgame tables a folder holds, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from controller.engine.endgame.errors import BrokenTableError
from controller.engine.endgame.material import FEWEST_PIECES, MOST_PIECES, MOST_PIECES_WITH_DISTANCES, pairs
from controller.engine.endgame.table_file import HEADER_BYTES, Tally, read_tables, table_sizes


@dataclass(frozen=True, slots=True)
class CountSurvey:
    """The tables of so many pieces: files there are to be, whole ones found, their bytes and what they hold.

    `wins`, `draws` and `losses` count positions for the side to move, with Black to move and with White to move;
    `longest` is in plies, None where the tables know no distances. All of the files that were found.
    """

    pieces: int
    files: int
    found: int
    bytes: int
    bytes_if_complete: int
    wins: int
    draws: int
    losses: int
    longest: int | None

    @property
    def complete(self) -> bool:
        """Whether all are there."""
        return self.found == self.files


@dataclass(frozen=True, slots=True)
class Survey:
    """What a folder holds, by number of pieces, and what is wrong with broken files."""

    counts: tuple[CountSurvey, ...]
    broken: tuple[BrokenTableError, ...]

    @property
    def pieces(self) -> int:
        """The largest number of pieces up to which all tables are there; 0 if there are none."""
        complete = 0
        for count in self.counts:
            if not count.complete:
                break
            complete = count.pieces
        return complete


def survey_tables(folder: Path, *, verify: bool = False) -> Survey:
    """Look through `folder`; `verify` reads all of it and checks the checksums. Attaches nothing."""
    counts, broken = [], []
    for pieces in range(FEWEST_PIECES, MOST_PIECES + 1):
        tallies: list[Tally] = []
        found = size = complete_size = 0
        for material in pairs(pieces):
            bytes_of_file = HEADER_BYTES + sum(table_sizes(material))
            complete_size += bytes_of_file
            try:
                pair = read_tables(folder, material, verify=verify)
            except FileNotFoundError:
                continue
            except BrokenTableError as error:
                broken.append(error)
                continue
            found += 1
            size += bytes_of_file
            tallies += pair.tallies[: len(table_sizes(material))]
        counts.append(
            CountSurvey(
                pieces=pieces,
                files=len(pairs(pieces)),
                found=found,
                bytes=size,
                bytes_if_complete=complete_size,
                # A table holds one colour's positions to move; those of the other are the same turned round.
                wins=2 * sum(tally.wins for tally in tallies),
                draws=2 * sum(tally.draws for tally in tallies),
                losses=2 * sum(tally.losses for tally in tallies),
                longest=max((tally.longest for tally in tallies), default=0)
                if pieces <= MOST_PIECES_WITH_DISTANCES
                else None,
            )
        )
    return Survey(tuple(counts), tuple(broken))
