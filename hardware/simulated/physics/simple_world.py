"""The simple physics: discs stay level and lie, stick or slide by a few rules; the gripper's tip is sprung."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from hardware.simulated.discs import Disc, Stack
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.interface import DiscSizes, GripperKind, Mishap, MishapKind, StackOfDiscs
from hardware.simulated.physics.reach import REACHES
from hardware.simulated.physics.settling import (
    Settled,
    discs_above,
    is_topmost,
    push,
    settle,
    settle_stack,
    surface_below,
)
from hardware.simulated.scene import Point

SPRING_MM = 2.5
"""How far the sprung tip gives way."""
NOZZLE_RADIUS_MM = 6.0
DROP_MM = 4.0
"""A disc let go higher than this above what it lands on counts as dropped."""
SCRAPE_MM = 0.3
"""A sideways movement this deep into something's top still slips over it."""
STEP_MM = 1.5
STEP_DOWN_MM = 0.6


class SimpleWorld:
    """Every disc is lying, carried by the gripper, or in the human's hand; none is ever lost or made."""

    def __init__(
        self,
        geometry: TableGeometry,
        stacks: Iterable[StackOfDiscs],
        now: Callable[[], float],
        gripper: GripperKind = GripperKind.SUCTION,
    ) -> None:
        self.sizes = DiscSizes(geometry.disc_diameter_mm, geometry.disc_height_mm)
        self._reach, self._lifts_stack = REACHES[gripper], gripper is GripperKind.JAWS
        self._held: tuple[Disc, ...] = ()
        self.in_hand: tuple[Disc, ...] = ()
        self.mishaps: list[Mishap] = []
        self._now = now
        self._tip: Point | None = None
        self._gripping = False
        self._noted: set[tuple[MishapKind, int | None]] = set()
        self._discs: tuple[Disc, ...] = ()
        self._lying: dict[int, Disc] = {}
        lying: dict[int, Disc] = {}
        for colour, x, y, count in stacks:
            for level in range(count):
                lying[len(lying)] = Disc(len(lying), colour, x, y, level * self.sizes.height_mm)
        self._set(lying)

    @property
    def discs(self) -> tuple[Disc, ...]:
        """The discs at rest, by id; the same object as long as nothing changes."""
        return self._discs

    @property
    def carried(self) -> tuple[Disc, ...]:
        """The discs that hang in the gripper, from below."""
        return self._held

    @property
    def tip_mm(self) -> Point | None:
        """Where the sprung tip really is (board mm): it does not sink into what it presses on."""
        if self._tip is None:
            return None
        x, y, z = self._tip
        if self._held:
            return x, y, self._held[-1].z + self.sizes.height_mm
        within = self._reach.within_mm
        tops = [d.z + self.sizes.height_mm for d in self._discs if math.hypot(d.x - x, d.y - y) < within]
        top = max(tops, default=0.0)
        return x, y, top if top - SPRING_MM <= z <= top else z

    @property
    def knocked(self) -> int:
        """How often a disc was knocked out of its place."""
        return sum(mishap.kind is MishapKind.KNOCKED for mishap in self.mishaps)

    @property
    def dropped(self) -> int:
        """How often a disc was dropped."""
        return sum(mishap.kind is MishapKind.DROPPED for mishap in self.mishaps)

    def stacks(self) -> tuple[Stack, ...]:
        """What lies where, each stack by its lowest disc."""
        found = []
        seen: set[int] = set()
        for disc in sorted(self._discs, key=lambda d: d.z):
            if disc.id not in seen:
                members = [disc, *(d for d in discs_above(self._lying, disc, self.sizes) if d.id not in seen)]
                seen.update(d.id for d in members)
                found.append(Stack(disc.x, disc.y, tuple(d.colour for d in members), tuple(d.id for d in members)))
        return tuple(found)

    def nearest_stack(self, x: float, y: float, within_mm: float) -> Stack | None:
        """The stack whose lowest disc's centre is nearest to (x, y), if one is within reach."""
        stacks = [s for s in self.stacks() if math.hypot(s.x - x, s.y - y) <= within_mm]
        return min(stacks, key=lambda s: math.hypot(s.x - x, s.y - y), default=None)

    # The hand

    def take(self, disc_ids: Iterable[int]) -> tuple[Disc, ...]:
        """Take discs (from below) into the hand, where they stay until `put`."""
        taken = tuple(self._lying[disc_id] for disc_id in disc_ids)
        gone = {disc.id for disc in taken}
        self.in_hand += taken
        lying = {key: disc for key, disc in self._lying.items() if key not in gone}
        for disc in sorted(lying.values(), key=lambda d: d.z):  # What was left hanging comes down.
            others = {key: other for key, other in lying.items() if key != disc.id and other.z < disc.z}
            if disc.z > surface_below(others, disc.x, disc.y, self.sizes) + 0.01:
                del lying[disc.id]
                lying = settle(lying, disc, self.sizes, gentle=True).lying
        self._set(lying)
        return taken

    def put(self, x: float, y: float) -> tuple[Disc, ...]:
        """Put down all that the hand holds, its lowest disc at (x, y); how it came to lie."""
        if not self.in_hand:
            return ()
        base = self.in_hand[0]
        stack = tuple(replace(d, x=d.x + x - base.x, y=d.y + y - base.y) for d in self.in_hand)
        self.in_hand = ()
        settled = settle_stack(self._lying, stack, self.sizes, gentle=True)
        self._settle(settled, "was put on another disc's edge and slid off")
        return tuple(self._lying[disc.id] for disc in stack)

    def shove(self, disc_id: int, x: float, y: float) -> None:
        """A finger pushes a disc that lies, and what rests on it, straight to (x, y)."""
        self._set(push(self._lying, disc_id, x, y, self.sizes).lying)

    def jolt(self, shifts_mm: Iterable[tuple[int, float, float]]) -> None:
        """The table is bumped: each named disc, with what rests on it, slips by (x, y) mm."""
        for disc_id, shift_x, shift_y in shifts_mm:
            disc = self._lying[disc_id]
            self.shove(disc_id, disc.x + shift_x, disc.y + shift_y)

    # The gripper

    def advance(self, seconds: float, tip_mm: Point, gripping: bool) -> None:
        """The gripper's tip went straight to `tip_mm` (board mm), and there it grips or not."""
        if tip_mm == self._tip and gripping == self._gripping:
            return
        start = self._tip or tip_mm
        steps = 1
        if min(start[2], tip_mm[2]) - self._hangs_below() <= self._highest + 1:
            sideways = math.hypot(tip_mm[0] - start[0], tip_mm[1] - start[1])
            steps = max(1, math.ceil(sideways / STEP_MM), math.ceil(abs(tip_mm[2] - start[2]) / STEP_DOWN_MM))
        for step in range(1, steps + 1):
            part = step / steps
            x, y, z = (a + part * (b - a) for a, b in zip(start, tip_mm, strict=True))
            self._step((x, y, z))
            if self._gripping and gripping and not self._held:
                self._grip()
        self._gripping = gripping
        if gripping and not self._held:
            self._grip()
        elif not gripping and self._held:
            self._release()

    def _hangs_below(self) -> float:
        return self.sizes.height_mm * len(self._held)

    def _set(self, lying: dict[int, Disc]) -> None:
        self._lying = lying
        self._discs = tuple(lying[key] for key in sorted(lying))
        self._highest = max((disc.z + self.sizes.height_mm for disc in self._discs), default=0.0)

    def _settle(self, settled: Settled, text: str) -> None:
        self._set(settled.lying)
        for disc_id in settled.disturbed:
            self._note(MishapKind.KNOCKED, disc_id, text)

    def _note(self, kind: MishapKind, disc_id: int | None, text: str) -> None:
        name = "the tip" if disc_id is None else f"disc {disc_id}"
        self.mishaps.append(Mishap(self._now(), kind, disc_id, f"{name} {text}"))

    def _step(self, tip: Point) -> None:
        """One short straight step, then whatever it pushed."""
        before = self._tip or tip
        step_x, step_y = tip[0] - before[0], tip[1] - before[1]
        self._tip = tip
        low, radius = tip[2], NOZZLE_RADIUS_MM
        x, y = tip[:2]
        if self._held:
            low, radius = tip[2] - self._hangs_below(), self.sizes.diameter_mm / 2
            x, y = self._held[0].x + step_x, self._held[0].y + step_y
            rests_at = surface_below(self._lying, x, y, self.sizes)
            spring_z = rests_at if rests_at - SPRING_MM <= low <= rests_at else low
            self._held = tuple(
                replace(disc, x=disc.x + step_x, y=disc.y + step_y, z=spring_z + level * self.sizes.height_mm)
                for level, disc in enumerate(self._held)
            )
        if low > self._highest:
            self._noted.clear()
        else:
            self._touch((x, y), low, radius, (step_x, step_y))

    def _touch(self, at: tuple[float, float], low: float, radius: float, step: tuple[float, float]) -> None:
        """Find what the lowest moving part meets at `at`, push it aside or note that it was pressed upon."""
        if low < -SPRING_MM:
            self._note_once(MishapKind.CRASHED, None, "was driven into the surface")
        sideways = math.hypot(*step) > 0.01
        reach = radius + self.sizes.diameter_mm / 2
        give = SCRAPE_MM if sideways else SPRING_MM
        for disc_id in [disc.id for disc in self._discs]:
            disc = self._lying[disc_id]  # Where the ones before have pushed it.
            away = math.hypot(disc.x - at[0], disc.y - at[1])
            if away >= reach or disc.z + self.sizes.height_mm - low <= give:
                continue
            if not sideways and away < self.sizes.diameter_mm / 2:
                self._note_once(MishapKind.CRASHED, disc_id, "was pressed upon")
                continue
            along = (disc.x - at[0], disc.y - at[1]) if away > 0.1 else step
            length = math.hypot(*along) or 1.0
            x, y = (at[axis] + along[axis] / length * (reach + 0.1) for axis in range(2))
            settled = push(self._lying, disc_id, x, y, self.sizes)
            self._set(settled.lying)
            for pushed_id in settled.disturbed:
                self._note_once(MishapKind.KNOCKED, pushed_id, "was knocked out of its place")

    def _note_once(self, kind: MishapKind, disc_id: int | None, text: str) -> None:
        """Note a mishap unless it only goes on: the tip has not risen above everything since."""
        if (kind, disc_id) not in self._noted:
            self._noted.add((kind, disc_id))
            self._note(kind, disc_id, text)

    def _grip(self) -> None:
        """Take the topmost disc under the tip, or the stack that it tops, if the gripper reaches it."""
        if self._tip is None:
            return
        x, y, z = self._tip
        for disc in sorted(self._discs, key=lambda d: (-d.z, math.hypot(d.x - x, d.y - y))):
            top = disc.z + self.sizes.height_mm
            near = math.hypot(disc.x - x, disc.y - y) <= self._reach.within_mm
            if near and -SPRING_MM <= z - top <= self._reach.above_mm and is_topmost(self._lying, disc, self.sizes):
                self._held = self._centred_stack(disc.id, x, y) if self._lifts_stack else (disc,)
                taken = {held.id for held in self._held}
                self._set({key: value for key, value in self._lying.items() if key not in taken})
                return

    def _centred_stack(self, top_id: int, x: float, y: float) -> tuple[Disc, ...]:
        """The stack with this disc on top, as jaws have centred it."""
        ids = next(stack.ids for stack in self.stacks() if top_id in stack.ids)
        return tuple(replace(self._lying[disc_id], x=x, y=y) for disc_id in ids)

    def _release(self) -> None:
        held, self._held = self._held, ()
        base = held[0]
        gap = base.z - surface_below(self._lying, base.x, base.y, self.sizes)
        if gap > DROP_MM:
            for disc in held:
                self._note(MishapKind.DROPPED, disc.id, f"was dropped from {gap:.0f} mm")
        self._settle(
            settle_stack(self._lying, held, self.sizes, gentle=False), "was put on another disc's edge and slid off"
        )
