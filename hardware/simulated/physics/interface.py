"""The discs on the simulated table as every physics has them: what gripper and hand do, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from hardware.simulated.discs import Disc, DiscColour, Stack
from hardware.simulated.scene import Point

StackOfDiscs = tuple[DiscColour, float, float, int]
"""Colour, centre x and y (board mm), and how many discs lie on one another."""


class GripperKind(Enum):
    """How the gripper holds discs."""

    SUCTION = "suction"
    """A sprung cup: it holds the top disc under its middle."""
    MAGNET = "magnet"
    """Pulls the top disc (which has an iron core) from a little farther off."""
    JAWS = "jaws"
    """Two fingers that close around a whole stack and centre it."""


@dataclass(frozen=True)
class DiscSizes:
    """Diameter and height of every disc of a set, mm."""

    diameter_mm: float
    height_mm: float


class MishapKind(Enum):
    """What should not have happened."""

    KNOCKED = "knocked"
    """A disc was pushed out of its place, or slid off another one."""
    DROPPED = "dropped"
    CRASHED = "crashed"
    """The tip was driven into the surface or a disc."""


@dataclass(frozen=True)
class Mishap:
    """Something that went wrong on the table: when (s), what, to which disc (None: the surface), and in words."""

    time_s: float
    kind: MishapKind
    disc_id: int | None
    text: str


class World(Protocol):
    """Every disc is lying, carried by the gripper, or in the human's hand; none is ever lost or made."""

    sizes: DiscSizes
    mishaps: list[Mishap]

    @property
    def discs(self) -> tuple[Disc, ...]:
        """The discs that are neither carried nor in the hand, by id; the same object as long as nothing changes."""
        ...

    @property
    def carried(self) -> tuple[Disc, ...]:
        """The discs that hang in the gripper, from below."""
        ...

    @property
    def in_hand(self) -> tuple[Disc, ...]:
        """The discs that the human holds, from below."""
        ...

    @property
    def tip_mm(self) -> Point | None:
        """Where the sprung tip really is (board mm): it does not sink into what it presses on."""
        ...

    @property
    def knocked(self) -> int:
        """How often a disc was knocked out of its place."""
        ...

    @property
    def dropped(self) -> int:
        """How often a disc was dropped."""
        ...

    def stacks(self) -> tuple[Stack, ...]:
        """What lies where, each stack by its lowest disc."""
        ...

    def nearest_stack(self, x: float, y: float, within_mm: float) -> Stack | None:
        """The stack whose lowest disc's centre is nearest to (x, y), if one is within reach."""
        ...

    def advance(self, seconds: float, tip_mm: Point, gripping: bool) -> None:
        """`seconds` go by in which the gripper's tip goes straight to `tip_mm` (board mm), and there it grips or not.

        Called at every step of the table, also when the gripper stands still.
        """
        ...

    def take(self, disc_ids: Iterable[int]) -> tuple[Disc, ...]:
        """Take discs (from below) into the hand, where they stay until `put`."""
        ...

    def put(self, x: float, y: float) -> tuple[Disc, ...]:
        """Put down all that the hand holds, its lowest disc at (x, y); how it lies when the fingers open."""
        ...

    def shove(self, disc_id: int, x: float, y: float) -> None:
        """A finger pushes a disc that lies, and what rests on it, straight to (x, y)."""
        ...

    def jolt(self, shifts_mm: Iterable[tuple[int, float, float]]) -> None:
        """The table is bumped: each named disc, with what rests on it, slips by (x, y) mm."""
        ...
