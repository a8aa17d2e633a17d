"""How suction, magnet and jaws take hold of rigid discs and let go of them."""

from __future__ import annotations

import math
from enum import Enum
from typing import Protocol

import numpy as np

from hardware.simulated.physics.interface import DiscSizes, GripperKind
from hardware.simulated.physics.mujoco_model import CLOSED_MM, CLOSING_N, FOLDED_MM, MM, OPEN_MM, finger_travel_mm
from hardware.simulated.physics.reach import REACHES
from hardware.simulated.physics.rigid_bodies import RigidBodies

HOLD = 0
LOWER = (1, 2)
FORCE = (3, 4)
"""Where in `RigidBodies.control` the actuators are."""


class RigidGripper(Protocol):
    """A gripper that is told at every step whether it is on."""

    held: tuple[int, ...]
    """The discs that hang in it, from below."""

    @property
    def busy(self) -> bool:
        """Whether it moves, pulls or holds something."""
        ...

    @property
    def steady(self) -> bool:
        """Whether it goes on holding what it holds, and nothing else."""
        ...

    @property
    def handled(self) -> tuple[int, ...]:
        """The discs that hang in it or that it is taking hold of: where they go is its business."""
        ...

    @property
    def below_mm(self) -> float:
        """How far it reaches below the tip by itself, mm."""
        ...

    def update(self, gripping: bool, seconds: float) -> tuple[int, ...]:
        """Act for the next steps, `seconds` after the last call; returns the discs that slipped out of it."""
        ...


def make_gripper(kind: GripperKind, bodies: RigidBodies, sizes: DiscSizes, seed: int) -> RigidGripper:
    """The gripper of this kind on the gantry of `bodies`."""
    if kind is GripperKind.JAWS:
        return Jaws(bodies, sizes)
    return Cup(bodies, kind, seed)


RESIDUES = {GripperKind.SUCTION: 0.0, GripperKind.MAGNET: 0.3}
"""The largest part of the pull that is left when it is switched off."""
FADING_S = 0.04
"""The time constant with which that fades."""
GONE = 0.005
"""A pull of so small a part of the full one is none."""
PRESSES_MM = 1.0
"""How far the tip may be below the plane of a top (of a disc that leans) and still hold it."""
LOST_MM = 2.5
"""A disc whose top is this far from the tip hangs there no more."""


class Cup:
    """A suction cup, or a magnet: pulls at the top disc under it."""

    def __init__(self, bodies: RigidBodies, kind: GripperKind, seed: int) -> None:
        self.held: tuple[int, ...] = ()
        self._bodies, self._reach, self._residue = bodies, REACHES[kind], RESIDUES[kind]
        self._chance = np.random.default_rng((seed, 47))

    @property
    def busy(self) -> bool:
        """Whether something hangs in it, or cannot get off yet."""
        return bool(self._bodies.control[HOLD] > 0)

    @property
    def steady(self) -> bool:
        """Whether something hangs in it."""
        return bool(self.held)

    @property
    def handled(self) -> tuple[int, ...]:
        """The disc that hangs in it."""
        return self.held

    @property
    def below_mm(self) -> float:
        """Nothing of it is lower than the tip."""
        return 0.0

    def update(self, gripping: bool, seconds: float) -> tuple[int, ...]:
        """Hold what is in reach, if it is on; returns what slipped off."""
        if not gripping:
            self._fade(seconds)
            return ()
        above, beside = self._bodies.above_tops()
        within = self._reach.within_mm
        lost: tuple[int, ...] = ()
        if self.held and (abs(above[self.held[0]]) > LOST_MM or beside[self.held[0]] > within + LOST_MM):
            lost, self.held = self.held, ()
        if not self.held:
            near = (above >= -PRESSES_MM) & (above <= self._reach.above_mm) & (beside <= within)
            candidates = np.flatnonzero(near)
            if candidates.size:
                heights = self._bodies.centres_mm[candidates, 2]
                self.held = (int(candidates[np.argmax(heights)]),)
        self._bodies.control[HOLD] = 1.0 if self.held else 0.0
        return lost

    def _fade(self, seconds: float) -> None:
        if self.held:
            self.held = ()
            self._bodies.control[HOLD] = self._residue * self._chance.uniform(0.5, 1.0)
        left = float(self._bodies.control[HOLD]) * np.exp(-seconds / FADING_S)
        self._bodies.control[HOLD] = left if left > GONE else 0.0


class _Phase(Enum):
    """What jaws are doing."""

    FOLDED = "folded"
    LOWERING = "lowering"
    CLOSING = "closing"
    CLOSED = "closed"
    OPENING = "opening"
    FOLDING = "folding"


PHASE_S = {_Phase.LOWERING: 0.04, _Phase.CLOSING: 0.06, _Phase.OPENING: 0.04, _Phase.FOLDING: 0.08}
"""How long each takes."""
AROUND_MM = 3.0
"""What is closed in has its middle this close to the tip's axis."""
SLIPPED_MM = 4.0


class Jaws:
    """Two fingers: they come down around a stack, close and centre it; let go, they open and fold up again."""

    def __init__(self, bodies: RigidBodies, sizes: DiscSizes) -> None:
        self.held: tuple[int, ...] = ()
        self._bodies, self._half_mm = bodies, sizes.height_mm / 2
        self._lowest = -finger_travel_mm(sizes) * MM
        self._phase, self._since = _Phase.FOLDED, 0.0
        self._hang_mm: dict[int, float] = {}
        self._force(CLOSING_N)

    @property
    def busy(self) -> bool:
        """Whether the fingers move or hold something."""
        return bool(self.held) or self._phase not in (_Phase.FOLDED, _Phase.CLOSED)

    @property
    def steady(self) -> bool:
        """Whether the fingers are closed around something."""
        return bool(self.held) and self._phase is _Phase.CLOSED

    @property
    def handled(self) -> tuple[int, ...]:
        """The discs that hang in it, or that the fingers are closing around."""
        if self._phase not in (_Phase.LOWERING, _Phase.CLOSING):
            return self.held
        x, y, _ = self._bodies.driven_to_mm
        centres = self._bodies.centres_mm
        near = np.hypot(centres[:, 0] - x, centres[:, 1] - y) < OPEN_MM + AROUND_MM
        return tuple(int(disc) for disc in np.flatnonzero(near))

    @property
    def below_mm(self) -> float:
        """How far the fingers' ends are below the tip."""
        lower0, _, lower1, _ = self._bodies.finger_joints / MM
        return max(float(-min(lower0, lower1)) - FOLDED_MM, 0.0)

    def update(self, gripping: bool, seconds: float) -> tuple[int, ...]:
        """Go on with closing or opening; returns what slipped out."""
        self._since += seconds
        if gripping and self._phase in (_Phase.FOLDED, _Phase.OPENING, _Phase.FOLDING):
            self._enter(_Phase.LOWERING)
            self._bodies.control[[*LOWER]] = self._lowest
        elif not gripping and self._phase in (_Phase.LOWERING, _Phase.CLOSING, _Phase.CLOSED):
            self.held = ()
            self._enter(_Phase.OPENING)
            self._force(CLOSING_N)
        elif self._since >= PHASE_S.get(self._phase, math.inf):
            self._go_on()
        return self._slipped() if self.held else ()

    def _go_on(self) -> None:
        """Begin the next phase, the one before being over."""
        if self._phase is _Phase.LOWERING:
            self._enter(_Phase.CLOSING)
            # They stay as high as they are: on the table, or on whatever stopped them.
            self._bodies.control[[*LOWER]] = self._bodies.finger_joints[[0, 2]]
            self._force(-CLOSING_N)
        elif self._phase is _Phase.CLOSING:
            self._enter(_Phase.CLOSED)
            self.held = self._closed_in()
            tip_z = self._bodies.driven_to_mm[2]
            heights = self._bodies.centres_mm[:, 2]
            self._hang_mm = {disc: tip_z - float(heights[disc]) for disc in self.held}
        elif self._phase is _Phase.OPENING:
            self._enter(_Phase.FOLDING)
            self._bodies.control[[*LOWER]] = 0.0
        elif self._phase is _Phase.FOLDING:
            self._enter(_Phase.FOLDED)

    def _enter(self, phase: _Phase) -> None:
        self._phase, self._since = phase, 0.0

    def _force(self, newtons: float) -> None:
        self._bodies.control[[*FORCE]] = newtons

    def _closed_in(self) -> tuple[int, ...]:
        """The discs between the fingers, from below."""
        lower0, open0, lower1, _ = self._bodies.finger_joints / MM
        if open0 < CLOSED_MM + 0.5:
            return ()
        x, y, z = self._bodies.driven_to_mm
        centres = self._bodies.centres_mm
        ends = z + FOLDED_MM + max(lower0, lower1)
        inside = (np.hypot(centres[:, 0] - x, centres[:, 1] - y) < AROUND_MM) & (centres[:, 2] > ends)
        inside &= centres[:, 2] < self._bodies.tip_mm[2]
        found = np.flatnonzero(inside)
        return tuple(int(disc) for disc in found[np.argsort(centres[found, 2])])

    def _slipped(self) -> tuple[int, ...]:
        x, y, z = self._bodies.driven_to_mm
        centres = self._bodies.centres_mm
        lost = tuple(
            disc
            for disc in self.held
            if z - centres[disc, 2] - self._hang_mm[disc] > SLIPPED_MM
            or np.hypot(centres[disc, 0] - x, centres[disc, 1] - y) > AROUND_MM + SLIPPED_MM
        )
        self.held = tuple(disc for disc in self.held if disc not in lost)
        return lost
