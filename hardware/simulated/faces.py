"""Which face of each disc is up, in sets whose kings are shown by turning discs over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hardware.simulated.discs import Disc, Face


class Faces:
    """Knows by their numbers the discs that lie crown up; all others show their plain face."""

    def __init__(self, crown_up: Iterable[int] = ()) -> None:
        self._crown_up = set(crown_up)
        self._given: tuple[Disc, ...] | None = None
        self._shown: tuple[Disc, ...] = ()

    def turn(self, disc_id: int) -> None:
        """Turn a disc over."""
        self._crown_up ^= {disc_id}
        self._given = None

    def of(self, disc_id: int) -> Face:
        """The face of a disc that is up."""
        return Face.CROWN if disc_id in self._crown_up else Face.PLAIN

    def on(self, discs: tuple[Disc, ...]) -> tuple[Disc, ...]:
        """The discs with their faces."""
        if not self._crown_up:
            return discs
        return tuple(replace(disc, face=Face.CROWN) if disc.id in self._crown_up else disc for disc in discs)

    def on_lying(self, discs: tuple[Disc, ...]) -> tuple[Disc, ...]:
        """The same for those at rest: the same object as long as neither they nor their faces change."""
        if self._given is not discs:
            self._given, self._shown = discs, self.on(discs)
        return self._shown
