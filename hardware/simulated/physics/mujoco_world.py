"""The table in MuJoCo's rigid bodies: stacks lean and slide, a low arm nudges discs, what is dropped falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hardware.simulated.discs import Disc, DiscColour, Stack
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.floor import floor_of
from hardware.simulated.physics.interface import DiscSizes, GripperKind, Mishap, MishapKind, StackOfDiscs
from hardware.simulated.physics.mishap_watch import KnockWatch
from hardware.simulated.physics.mujoco_grippers import make_gripper
from hardware.simulated.physics.mujoco_model import TIMESTEP_S
from hardware.simulated.physics.resting import all_above, feel_for_place, group_stacks, support_below
from hardware.simulated.physics.rigid_bodies import RigidBodies
from hardware.simulated.scene import Point

CHUNK = 8
"""Timesteps between two looks at gripper and mishaps."""
FASTEST_TIP_MM_S = 1000.0
"""A tip that is moved farther than this allows gets the time that it needs, as nothing jumps through discs."""
CLEAR_MM = 3.0
"""This far above or beside everything the gripper touches nothing."""
SETTLING_S = 0.5
SPRING_MM = 2.5
"""How far the sprung tip gives way; beyond that it is driven in by force."""
DROP_MM = 4.0
"""A disc let go higher than this above what it lands on counts as dropped."""
UNCHANGED_MM, UNCHANGED_LEAN = 0.02, 0.0035
"""What changes less than this has not changed (a lean of 0.2°)."""
LEVEL_MM = 0.05
"""Heights of level discs are told in steps of this: contacts give by less."""
PUT_DOWN_FROM_MM = 0.1
FINGERS_MM = 75.0
"""Discs this near to where fingers work may be moved by them."""
PUSHED_MM_S2 = 2000.0
"""How fast fingers speed up what they push, or a table that is bumped."""
SHORTEST_PUSH_S = 0.08
TUMBLE_RAD_S = 3.0
"""What is lost on the way comes off the gripper unevenly: the largest rotation it gets."""


class MujocoWorld:
    """Every disc is lying, carried by the gripper, or in the human's hand; none is ever lost or made.

    Implements `hardware.simulated.physics.interface.World`. While everything rests and the tip is clear of it, no
    time is computed. Raises HardwareError if MuJoCo is not installed.
    """

    def __init__(
        self,
        geometry: TableGeometry,
        stacks: Iterable[StackOfDiscs],
        now: Callable[[], float],
        gripper: GripperKind = GripperKind.SUCTION,
        seed: int = 0,
    ) -> None:
        self.sizes = DiscSizes(geometry.disc_diameter_mm, geometry.disc_height_mm)
        self.in_hand: tuple[Disc, ...] = ()
        self.mishaps: list[Mishap] = []
        self._now = now
        self._chance = np.random.default_rng((seed, 53))
        self._floor = floor_of(geometry)
        stacks = tuple(stacks)
        self._colours = tuple(colour for colour, _, _, count in stacks for _ in range(count))
        self._bodies = RigidBodies(self._floor, self.sizes, len(self._colours), gripper)
        self._gripper = make_gripper(gripper, self._bodies, self.sizes, seed)
        self._watch = KnockWatch(len(self._colours))
        self._tip: Point | None = None
        self._gripping = False
        self._owed_s = 0.0
        self._unseen_steps = 0
        self._flies = False
        """Whether the tip was last moved through the air, by no timestep."""
        self._crashed = False
        self._calm = False
        """Whether nothing moves by itself: only the tip, with what hangs in it, or people can change anything."""
        self._obstacles_known = False
        self._obstacles = (np.empty(0), np.empty(0), np.empty(0))
        self._highest_mm = self._hangs_mm = self._reach_mm = 0.0
        self._discs: tuple[Disc, ...] = ()
        self._stale = True
        self._lay_out(stacks)

    @property
    def discs(self) -> tuple[Disc, ...]:
        """The discs that are neither carried nor in the hand, by id; the same object as long as nothing changes."""
        if self._stale:
            self._stale = False
            self._refresh()
        return self._discs

    @property
    def carried(self) -> tuple[Disc, ...]:
        """The discs that hang in the gripper, from below."""
        return self._as_discs(self._gripper.held)

    @property
    def tip_mm(self) -> Point | None:
        """Where the sprung tip really is (board mm): it does not sink into what it presses on."""
        return None if self._tip is None else self._bodies.tip_mm

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
        return group_stacks(self.discs, self.sizes)

    def nearest_stack(self, x: float, y: float, within_mm: float) -> Stack | None:
        """The stack whose lowest disc's centre is nearest to (x, y), if one is within reach."""
        stacks = [s for s in self.stacks() if math.hypot(s.x - x, s.y - y) <= within_mm]
        return min(stacks, key=lambda s: math.hypot(s.x - x, s.y - y), default=None)

    # Time and the gripper

    def advance(self, seconds: float, tip_mm: Point, gripping: bool) -> None:
        """`seconds` go by in which the gripper's tip goes straight to `tip_mm` (board mm), and there it grips or not.

        Called at every step of the table, also when the gripper stands still.
        """
        start, self._tip = self._tip or self._bodies.driven_to_mm, tip_mm
        if seconds == 0 and tip_mm == start and gripping == self._gripping:
            return
        if self._calm and gripping == self._gripping and (tip_mm == start or self._is_free(start, tip_mm)):
            if tip_mm != start or self._flies:
                self._bodies.carry(self._gripper.held, tip_mm, seconds)
            self._flies = tip_mm != start
            self._owed_s = 0.0
            return
        self._calm = self._flies = False
        self._run(self._steps_due(seconds, math.dist(self._bodies.driven_to_mm, tip_mm)), tip_mm)
        if gripping != self._gripping:
            self._gripping, self._calm, self._obstacles_known = gripping, False, False
            if not gripping:
                self._let_go()

    def _steps_due(self, seconds: float, way_mm: float) -> int:
        """Whole timesteps for what has gone by; more if the tip could not go its way in that time."""
        self._owed_s += seconds
        steps = int(self._owed_s / TIMESTEP_S + 1e-6)
        if way_mm > FASTEST_TIP_MM_S * (steps + 1) * TIMESTEP_S:
            self._owed_s = 0.0
            return math.ceil(way_mm / (FASTEST_TIP_MM_S * TIMESTEP_S))
        self._owed_s = max(self._owed_s - steps * TIMESTEP_S, 0.0)
        return steps

    def _run(self, steps: int, tip_mm: Point) -> None:
        """Let timesteps go by in which the tip goes to `tip_mm`, or fewer if everything comes to rest sooner."""
        while steps > 0:
            chunk = min(steps, CHUNK - self._unseen_steps)
            x, y, z = self._bodies.driven_to_mm
            part = chunk / steps
            to = (x + part * (tip_mm[0] - x), y + part * (tip_mm[1] - y), z + part * (tip_mm[2] - z))
            self._bodies.step(chunk, to)
            self._stale = True
            steps -= chunk
            self._unseen_steps += chunk
            if self._unseen_steps == CHUNK:
                self._unseen_steps = 0
                self._look(CHUNK * TIMESTEP_S)
                if self._calm and steps and (math.dist(to, tip_mm) < 1e-6 or self._is_free(to, tip_mm)):
                    self._bodies.carry(self._gripper.held, tip_mm, steps * TIMESTEP_S)
                    return

    def _look(self, seconds: float) -> None:
        """See what the last `seconds` have done, and let the gripper act on it."""
        self._bodies.tame()
        slipped = self._gripper.update(self._gripping, seconds)
        if slipped:
            self._drop(slipped, "was lost by the gripper")
        self._look_for_mishaps()
        gripper = self._gripper
        settled = not self._bodies.topple() and self._bodies.is_calm(gripper.held)
        self._calm = settled and (gripper.steady or not gripper.busy)
        self._obstacles_known &= self._calm

    def _note_obstacles(self) -> None:
        """What stands where while it is calm."""
        self._obstacles_known = True
        lying = [*self._lying()]
        centres = self._bodies.centres_mm
        self._obstacles = (centres[lying, 0], centres[lying, 1], self._bodies.tops_mm[lying])
        self._highest_mm = max(self._floor.highest_mm, self._obstacles[2].max(initial=self._floor.base_mm))
        x, y, z = self._bodies.driven_to_mm
        self._hangs_mm, self._reach_mm = self._gripper.below_mm, self.sizes.diameter_mm
        for disc in self.carried[:1]:
            self._hangs_mm = max(self._hangs_mm, z - disc.z)
            self._reach_mm = self.sizes.diameter_mm + math.hypot(disc.x - x, disc.y - y)

    def _is_free(self, start: Point, end: Point) -> bool:
        """Whether the tip, and what hangs in it, goes from one point to the other through nothing but air."""
        if not self._obstacles_known:
            self._note_obstacles()
        low = min(start[2], end[2]) - self._hangs_mm - CLEAR_MM
        if low > self._highest_mm:
            return True
        if low <= self._floor.highest_mm:
            return False
        xs, ys, tops = self._obstacles
        away = np.hypot(xs - end[0], ys - end[1])[tops >= low]
        return bool(away.min(initial=math.inf) > self._reach_mm + CLEAR_MM + math.dist(start, end))

    def _let_go(self) -> None:
        """The gripper is switched off: what hangs in it is let go where it is."""
        held = self._gripper.held
        if not held:
            return
        self._gripper.update(False, 0.0)
        self._stale = True
        base = self._as_discs(held[:1])[0]
        lying = self._as_discs(self._lying())
        gap = base.z - support_below((d for d in lying if d.id not in held), self._floor, base.x, base.y, self.sizes)
        if gap > DROP_MM:
            self._drop(held, f"was dropped from {gap:.0f} mm")
            return
        centres = self._bodies.centres_mm
        for disc in held:
            self._watch.begin_at(disc, centres[disc] - (0.0, 0.0, max(gap, 0.0)))

    def _drop(self, discs: tuple[int, ...], text: str) -> None:
        for disc in discs:
            self._note(MishapKind.DROPPED, disc, text)
            self._bodies.spin(disc, self._chance.uniform(-TUMBLE_RAD_S, TUMBLE_RAD_S, 3))
        self._watch.excuse(self._mask(discs))

    def _look_for_mishaps(self) -> None:
        bodies = self._bodies
        watched = bodies.in_play & ~self._mask(self._gripper.handled)
        for disc in self._watch.look(bodies.centres_mm, bodies.sleeping, watched):
            self._note(MishapKind.KNOCKED, disc, "was knocked out of its place")
        give = bodies.give_mm
        if give > SPRING_MM and not self._crashed:
            self._crashed = True
            below = self._disc_below()
            self._note(
                MishapKind.CRASHED, below, "was driven into the surface" if below is None else "was pressed upon"
            )
        elif give < SPRING_MM / 2:
            self._crashed = False

    def _disc_below(self) -> int | None:
        """The disc that the tip, or what hangs in it, presses on; None for the surface."""
        x, y, low = self._bodies.tip_mm
        reach = self.sizes.diameter_mm / 2
        for disc in self.carried[:1]:
            x, y, low, reach = disc.x, disc.y, disc.z, self.sizes.diameter_mm
        tops = [
            (d.z, d.id)
            for d in self._as_discs(self._lying())
            if math.hypot(d.x - x, d.y - y) < reach
            and abs(d.z + self.sizes.height_mm - low) < self.sizes.height_mm / 2
        ]
        return max(tops)[1] if tops else None

    # The hand

    def take(self, disc_ids: Iterable[int]) -> tuple[Disc, ...]:
        """Take discs (from below) into the hand, where they stay until `put`."""
        lying = {disc.id: disc for disc in self.discs}
        taken = tuple(replace(lying[disc_id], lean=(0.0, 0.0)) for disc_id in disc_ids)
        for disc in taken:
            self._touched_at(disc.x, disc.y)
        for disc in taken:
            self._bodies.take_out(disc.id)
        self.in_hand += taken
        return taken

    def put(self, x: float, y: float) -> tuple[Disc, ...]:
        """Put down all that the hand holds, its lowest disc at (x, y), and return how it was put.

        Fingers put it beside a disc that it would overlap a little. It settles in the time that then goes by.
        """
        if not self.in_hand:
            return ()
        stack, self.in_hand = self.in_hand, ()
        lying = self.discs
        base_x, base_y = feel_for_place(lying, x, y, self.sizes)
        low = -math.inf
        put = []
        for disc in stack:
            at_x, at_y = base_x + disc.x - stack[0].x, base_y + disc.y - stack[0].y
            low = max(low, support_below(lying, self._floor, at_x, at_y, self.sizes) + PUT_DOWN_FROM_MM)
            put.append(replace(disc, x=at_x, y=at_y, z=low))
            self._bodies.lay(disc.id, at_x, at_y, low, self._chance.uniform(0, math.tau))
            low += self.sizes.height_mm + PUT_DOWN_FROM_MM
        self._touched_at(base_x, base_y)
        return tuple(put)

    def shove(self, disc_id: int, x: float, y: float) -> None:
        """A finger pushes a disc that lies, and what rests on it, straight to (x, y)."""
        disc = next(disc for disc in self.discs if disc.id == disc_id)
        self._touched_at(disc.x, disc.y)
        self._touched_at(x, y)
        self._slide({disc_id: (x - disc.x, y - disc.y)})

    def jolt(self, shifts_mm: Iterable[tuple[int, float, float]]) -> None:
        """The table is bumped: each named disc, with what rests on it, slips by (x, y) mm."""
        self._watch.excuse(self._bodies.in_play)
        self._slide({disc_id: (x, y) for disc_id, x, y in shifts_mm})

    def _slide(self, shifts_mm: Mapping[int, tuple[float, float]]) -> None:
        """Push discs sideways, each with all that rests on it, in a time of its own while the tip stands still."""
        lying = self.discs
        shift = np.zeros((len(self._colours), 2))
        moved: set[int] = set()
        for disc in lying:
            if disc.id in shifts_mm:
                ids = [disc.id, *(d.id for d in all_above(lying, disc, self.sizes))]
                shift[ids] += shifts_mm[disc.id]
                moved.update(ids)
        if not moved:
            return
        ids = sorted(moved)
        start = self._bodies.centres_mm[ids, :2]
        longest = float(np.hypot(*shift[ids].T).max())
        # The largest acceleration of a minimum-jerk motion is 5.77 × its length over the square of its time.
        seconds = max(math.sqrt(5.77 * longest / PUSHED_MM_S2), SHORTEST_PUSH_S)
        steps = math.ceil(seconds / TIMESTEP_S)
        tip = self._bodies.driven_to_mm
        for step in range(1, steps + 1):
            part = step / steps
            goal = start + shift[ids] * (part**3 * (10 - 15 * part + 6 * part**2))
            self._bodies.push(ids, (goal - self._bodies.centres_mm[ids, :2]) / TIMESTEP_S)
            self._bodies.step(1, tip)
            self._bodies.tame()
        self._bodies.push(ids, np.zeros((len(ids), 2)))
        self._look(0.0)
        self._calm, self._stale, self._obstacles_known = False, True, False

    def _touched_at(self, x: float, y: float) -> None:
        """People's fingers are here: what moves near them now is their doing."""
        centres = self._bodies.centres_mm
        self._watch.excuse(np.hypot(centres[:, 0] - x, centres[:, 1] - y) < FINGERS_MM)
        self._calm, self._stale, self._obstacles_known = False, True, False

    # Discs

    def _lay_out(self, stacks: tuple[StackOfDiscs, ...]) -> None:
        """Lay the stacks and let them settle."""
        disc = 0
        for _, x, y, count in stacks:
            z = self._floor.height(x, y, self.sizes.diameter_mm / 2)
            for level in range(count):
                self._bodies.lay(disc, x, y, z + level * self.sizes.height_mm, self._chance.uniform(0, math.tau))
                disc += 1
        self._watch.excuse(self._bodies.in_play)
        self._run(round(SETTLING_S / TIMESTEP_S), self._bodies.driven_to_mm)

    def _lying(self) -> tuple[int, ...]:
        held = self._gripper.held
        return tuple(int(disc) for disc in np.flatnonzero(self._bodies.in_play) if disc not in held)

    def _refresh(self) -> None:
        """Take over what has changed by more than is worth telling."""
        lying = self._as_discs(self._lying())
        before = {disc.id: disc for disc in self._discs}
        after = tuple(
            before[disc.id] if disc.id in before and _is_unchanged(before[disc.id], disc) else disc for disc in lying
        )
        if len(after) != len(before) or any(disc is not before.get(disc.id) for disc in after):
            self._discs = after

    def _as_discs(self, ids: Iterable[int]) -> tuple[Disc, ...]:
        centres, axes = self._bodies.centres_mm, self._bodies.axes
        return tuple(
            _as_disc(disc, self._colours[disc], centres[disc].tolist(), axes[disc].tolist(), self.sizes)
            for disc in ids
        )

    def _mask(self, discs: tuple[int, ...]) -> NDArray[np.bool_]:
        mask = np.zeros(len(self._colours), dtype=bool)
        mask[list(discs)] = True
        return mask

    def _note(self, kind: MishapKind, disc_id: int | None, text: str) -> None:
        name = "the tip" if disc_id is None else f"disc {disc_id}"
        self.mishaps.append(Mishap(self._now(), kind, disc_id, f"{name} {text}"))


def _as_disc(disc_id: int, colour: DiscColour, centre: list[float], axis: list[float], sizes: DiscSizes) -> Disc:
    x, y, z = centre
    low = z - axis[2] * sizes.height_mm / 2
    if math.hypot(axis[0], axis[1]) < UNCHANGED_LEAN:
        return Disc(disc_id, colour, x, y, round(low / LEVEL_MM) * LEVEL_MM + 0.0)
    return Disc(disc_id, colour, x, y, low, (axis[0], axis[1]))


def _is_unchanged(one: Disc, other: Disc) -> bool:
    return (
        max(abs(one.x - other.x), abs(one.y - other.y)) < UNCHANGED_MM
        and abs(one.z - other.z) < UNCHANGED_MM + LEVEL_MM
        and math.dist(one.lean, other.lean) < UNCHANGED_LEAN
    )
