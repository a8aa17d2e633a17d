"""A human's hand that does errands: smoothly, inexactly, and without knowing any rule."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hardware.simulated.discs import Disc
from hardware.simulated.errand import Carry, Done, Errand, Hover, PointXY, PressButton, Push, Step, Turn
from hardware.simulated.faces import Faces
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.interface import World
from hardware.simulated.scene import HandPose, Point

SPEED_MM_S = 350.0
REACH_FOR_MM = 25.0
"""A disc is taken if its centre is this close to where it was said to be."""
AIM_MM, AIM_ON_DISC_MM = 6.0, 3.0
"""The largest error of putting down: on the surface, and onto another disc, which guides the fingers."""
STACK_AIM_MM = 16.0
"""A place this close to a disc's centre means that disc."""
IN_LINE_MM = 12.0
"""Discs whose centres are this close stand on one another."""
OVERHANG_MM = 5.0
"""A disc on another stack may stick out so far over one beside it without keeping that from being taken."""
OVER_MM = 45.0
"""Height of the fingertips while they travel."""
GRIP_DEPTH_MM = 5.0
"""How far below the upper disc's top the fingertips grip."""
PINCH_S = 0.15
TURN_S = 0.6
"""How long the fingers take to turn a disc over."""
ELBOW_MM = (190.0, -430.0)
REST_MM: Point = (200.0, -330.0, 60.0)
FINGERS_AHEAD_MM = 25.0


@dataclass(frozen=True)
class _Motion:
    """A straight, smooth motion of the fingertips that starts at `begin_s`, and what happens at its end."""

    start: Point
    end: Point
    begin_s: float
    seconds: float
    then: Callable[[float], None] | None

    def at(self, time_s: float) -> Point:
        part = min(max((time_s - self.begin_s) / self.seconds, 0.0), 1.0) if self.seconds > 0 else 1.0
        smooth = part**3 * (10 - 15 * part + 6 * part**2)  # The minimum-jerk profile of human reaching.
        x, y, z = (a + smooth * (b - a) for a, b in zip(self.start, self.end, strict=True))
        return x, y, z


@dataclass(frozen=True)
class _Leg:
    """A motion still to come: where to, for how long (None: at the hand's usual speed), and what happens there."""

    to: Point
    seconds: float | None = None
    then: Callable[[float], None] | None = None


class Hand:
    """A state machine on time given from outside; errands given while it is busy wait their turn.

    `done` records what it really did; `errands_given` and `errands_done` count errands, those broken off among the
    latter. `press` is called when the turn button is pressed. `faces` knows which face of each disc is up.
    """

    def __init__(
        self,
        world: World,
        geometry: TableGeometry,
        seed: int,
        press: Callable[[], None],
        start_s: float = 0.0,
        faces: Faces | None = None,
    ) -> None:
        self.done: list[Done] = []
        self.errands_given = self.errands_done = 0
        self._world, self._geometry, self._press = world, geometry, press
        self._faces = faces or Faces()
        self._random = np.random.default_rng((seed, 23))
        self._rotation, self._translation = geometry.camera.rotation, geometry.camera.translation_mm
        self._time = start_s
        self._at: Point = REST_MM
        self._steps: deque[Step] = deque()
        self._errands: deque[Errand] = deque()
        self._legs: deque[_Leg] = deque()
        self._motion: _Motion | None = None
        self._out = False
        self._on_errand = False
        self._reaches = 0

    @property
    def busy(self) -> bool:
        """Whether an errand is under way or waits."""
        return bool(self._out or self._errands)

    @property
    def in_view(self) -> bool:
        """Whether the camera sees any of the hand."""
        if not self._out:
            return False
        camera = self._geometry.camera
        x, y, z = self._at
        point = self._rotation @ (x, y + FINGERS_AHEAD_MM, z) + self._translation
        across, down = point[:2] / point[2] * camera.focal_px
        return bool(abs(across) < camera.size[0] / 2 + 100 and down > -camera.size[1] / 2)

    @property
    def pose(self) -> HandPose | None:
        """Where the hand is, and what it holds where; None while it rests."""
        if not self._out:
            return None
        x, y, z = self._at
        turn = math.degrees(math.atan2(ELBOW_MM[0] - x, y - ELBOW_MM[1]))
        held = self._world.in_hand
        low = z - self._world.sizes.height_mm * len(held) + GRIP_DEPTH_MM
        shift = (x - held[0].x, y - held[0].y) if held else (0.0, 0.0)
        discs = tuple(
            replace(disc, x=disc.x + shift[0], y=disc.y + shift[1], z=low + level * self._world.sizes.height_mm)
            for level, disc in enumerate(held)
        )
        return HandPose(self._at, turn, discs, self._reaches)

    def do(self, errand: Errand) -> int:
        """Begin the errand now, or after those that wait already; returns its number, counted from 1.

        A hand that is leaving turns round.
        """
        self.errands_given += 1
        self._errands.append(errand)
        leaving = self._motion is not None and self._motion.end == REST_MM
        if leaving or not self._out:
            self._motion = None
            self._next(self._time)
        return self.errands_given

    def leave(self) -> None:
        """Break off what it does, put down what it holds where that was going, forget what waits, and go to rest."""
        self.errands_done += len(self._errands)
        self._errands.clear()
        self._steps.clear()
        if not self._out or self._world.in_hand:  # The legs that are left put down what it holds.
            return
        x, y, _ = self._at
        self._motion = None
        self._legs = deque([_Leg((x, y, OVER_MM), 0.25)])
        self._next(self._time)

    def advance_to(self, time_s: float) -> None:
        """Go on to the time `time_s` (s)."""
        while self._motion is not None and self._motion.begin_s + self._motion.seconds <= time_s:
            motion = self._motion
            end = motion.begin_s + motion.seconds
            self._at, self._motion, self._time = motion.end, None, end
            if motion.then is not None:
                motion.then(end)
            self._next(end)
        if self._motion is not None:
            self._at = self._motion.at(time_s)
        self._time = max(self._time, time_s)

    def _next(self, time_s: float) -> None:
        """Begin the next leg, step or errand, or rest."""
        while not self._legs:
            if self._steps:
                self._plan(self._steps.popleft())
                continue
            if self._on_errand:
                self._on_errand = False
                self.errands_done += 1
            if self._out and self._at != REST_MM and not self._errands:
                self._legs.append(_Leg(REST_MM))
            elif self._errands:
                self._reaches += not self._out
                self._out = self._on_errand = True
                self._steps.extend(self._errands.popleft().steps)
            else:
                self._out = False
                return
        leg = self._legs.popleft()
        seconds = leg.seconds if leg.seconds is not None else math.dist(self._at, leg.to) / SPEED_MM_S + 0.12
        self._motion = _Motion(self._at, leg.to, time_s, seconds, leg.then)

    def _plan(self, step: Step) -> None:
        """Turn a step into legs."""
        if isinstance(step, Carry):
            self._plan_take(step)
        elif isinstance(step, PressButton):
            x, y, z = self._geometry.button_mm
            self._legs += [
                _Leg((x, y, z + OVER_MM)),
                _Leg((x, y, z), 0.2, self._pressed),
                _Leg((x, y, z + OVER_MM), 0.2),
            ]
        elif isinstance(step, Hover):
            over = (*step.over_mm, OVER_MM)
            self._legs += [_Leg(over), _Leg(over, step.seconds, lambda now: self.done.append(Done(now, step)))]
        elif isinstance(step, Push):
            self._plan_push(step)
        elif isinstance(step, Turn):
            self._plan_take(Carry(step.at_mm, step.at_mm), step)
        else:
            self._legs.append(_Leg(self._at, step.seconds, lambda now: self.done.append(Done(now, step))))

    def _pressed(self, time_s: float) -> None:
        self._press()
        self.done.append(Done(time_s, PressButton()))

    def _plan_push(self, push: Push) -> None:
        """A fingertip on the stack nearest to where it starts takes it along."""
        stack = self._world.nearest_stack(*push.from_mm, REACH_FOR_MM)
        (x, y), (to_x, to_y) = (stack.x, stack.y) if stack is not None else push.from_mm, push.to_mm
        height = self._world.sizes.height_mm * (len(stack.ids) if stack is not None else 1)

        def shoved(time_s: float) -> None:
            if stack is not None and self._world.nearest_stack(stack.x, stack.y, 1.0) == stack:
                self._world.shove(stack.ids[0], to_x, to_y)
            self.done.append(Done(time_s, push, stack.ids if stack is not None else ()))

        self._legs += [
            _Leg((x, y, OVER_MM)),
            _Leg((x, y, height), 0.3),
            _Leg((to_x, to_y, height), 0.4, shoved),
            _Leg((to_x, to_y, OVER_MM), 0.25),
        ]

    def _plan_take(self, carry: Carry, turn: Turn | None = None) -> None:
        """Take what a carry is about; with `turn` it is turned over in the air and put back."""
        meant = self._meant(carry)
        x, y, top = carry.from_mm[0], carry.from_mm[1], self._world.sizes.height_mm
        if meant:
            x, y, top = meant[-1].x, meant[-1].y, meant[-1].z + self._world.sizes.height_mm
        down = (x, y, top - GRIP_DEPTH_MM)
        self._legs += [
            _Leg((x, y, OVER_MM)),
            _Leg(down, 0.3),
            _Leg(down, PINCH_S, lambda now: self._take(carry, turn, now)),
        ]

    def _take(self, carry: Carry, turn: Turn | None, time_s: float) -> None:
        meant = self._meant(carry)
        x, y, _ = self._at
        over = _Leg((x, y, OVER_MM), 0.25)
        if not meant:
            self.done.append(Done(time_s, turn or carry))
            self._legs.append(over)
            return
        self._world.take(disc.id for disc in meant)
        if turn is not None:
            over = _Leg((x, y, OVER_MM), 0.25, lambda now: self._faces.turn(meant[0].id))
        to_x, to_y, height = self._aim((x, y) if turn is not None else carry.to_mm)
        down = (to_x, to_y, height + self._world.sizes.height_mm * len(self._world.in_hand) - GRIP_DEPTH_MM)
        travel = OVER_MM + self._world.sizes.height_mm * (len(self._world.in_hand) - 1)
        self._legs += [
            over,
            _Leg((to_x, to_y, travel), TURN_S if turn is not None else None),
            _Leg(down, 0.3),
            _Leg(down, PINCH_S, lambda now: self._put(turn or carry, now)),
            _Leg((to_x, to_y, travel), 0.25),
        ]

    def _meant(self, carry: Carry) -> tuple[Disc, ...]:
        """The discs that a carry takes, from below.

        That is the disc nearest to where it starts and all that stands on it, or only the topmost of these: nothing
        is drawn out from under another disc, also where one leans, or lies half on its neighbour.
        """
        x, y = carry.from_mm
        near = [disc for disc in self._world.discs if math.hypot(disc.x - x, disc.y - y) <= REACH_FOR_MM]
        if not near:
            return ()
        meant = min(near, key=lambda disc: math.hypot(disc.x - x, disc.y - y))
        if not carry.whole_stack:
            while above := self._resting_on([meant]):
                meant = min(above, key=lambda disc: _apart(disc, meant))
            return (meant,)
        # Of discs stacked nearly in line the lowest is meant, however little nearer another one may be.
        column = [min((disc for disc in near if _apart(disc, meant) < IN_LINE_MM), key=lambda disc: disc.z)]
        while above := self._resting_on(column):
            column.append(min(above, key=lambda disc: disc.z))
        return tuple(column)

    def _resting_on(self, discs: Sequence[Disc]) -> list[Disc]:
        """The discs that lie higher than one of these and over a part of it, these apart."""
        overlap = self._world.sizes.diameter_mm - OVERHANG_MM
        return [
            other
            for other in self._world.discs
            if other not in discs and any(other.z > disc.z and _apart(other, disc) < overlap for disc in discs)
        ]

    def _aim(self, to_mm: PointXY) -> tuple[float, float, float]:
        """Where a disc meant for `to_mm` is going to be put, and the height of what is there."""
        x, y = to_mm
        largest, height = AIM_MM, 0.0
        there = [disc for disc in self._world.discs if math.hypot(disc.x - x, disc.y - y) <= STACK_AIM_MM]
        if there:
            top = max(there, key=lambda disc: disc.z)
            x, y, largest, height = top.x, top.y, AIM_ON_DISC_MM, top.z + self._world.sizes.height_mm
        away, angle = largest * math.sqrt(self._random.random()), self._random.uniform(0, 2 * math.pi)
        return x + away * math.cos(angle), y + away * math.sin(angle), height

    def _put(self, step: Carry | Turn, time_s: float) -> None:
        put = self._world.put(*self._at[:2])
        ids = tuple(disc.id for disc in put)
        self.done.append(Done(time_s, step, ids, (put[0].x, put[0].y) if put else None))


def _apart(one: Disc, other: Disc) -> float:
    """Horizontal distance of two discs' centres, mm."""
    return math.hypot(one.x - other.x, one.y - other.y)
