"""The gantry: every motion of the machine goes through here, and none of it happens without the permit."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from hardware.clock import Clock
from hardware.errors import FirmwareError, HardwareError, OutOfReachError, PositionLostError, StoppedError
from hardware.gripper import FirmwareGripper, Gripper
from hardware.motion import MachinePoint, Motion, MotionState, check_reach
from hardware.permit import Permit

T = TypeVar("T")

WaitObserver = Callable[[str | None], None]
"""Told why the gantry waits, and None when it goes on."""


@dataclass(frozen=True)
class GantryLimits:
    """What the gantry keeps to. Lengths mm in machine coordinates, which run from -travel to 0; times s."""

    travel_mm: MachinePoint = (620.0, 490.0, 95.0)
    grip_s: float = 0.15
    """From switching the gripper on until it holds."""
    release_s: float = 0.15
    """From switching the gripper off until the disc is free."""
    guard_interval_s: float = 0.2
    """Between questions to the permit while the machine moves or waits."""
    settle_s: float = 0.5
    """How long the permit must have been back before motion goes on."""
    fastest_mm_s: float = 600.0
    """Faster than any motion along a straight line: √2 × 400 mm/s and a little more."""
    latency_s: float = 0.05
    """How long a report of the position may have been under way."""
    camera_lag_s: float = 0.15
    """How much older than its time a frame may be."""
    poll_interval_s: float = 0.005
    """Between looks at the firmware while it moves."""


TRAIL = 32
"""Reports of the position that are kept in mind: a few seconds' worth."""
HOME: MachinePoint = (0.0, 0.0, 0.0)
"""The corner of the travel that homing goes to, by way of the top."""
_BRAKING_S = 0.5
"""More than any machine of this size needs from full speed to rest."""


class GantryState(Enum):
    """What the gantry is doing."""

    CLOSED = "closed"
    UNHOMED = "unhomed"
    READY = "ready"
    MOVING = "moving"
    HOMING = "homing"
    WAITING = "waiting"
    """The permit is refused; a motion will begin or go on when it is back."""
    STOPPED = "stopped"
    """A person has stopped it; `allow` lets it move again."""


class Gantry:
    """Moves the gripper in machine coordinates and blocks, on the clock, until the machine has stopped.

    Whatever goes wrong with the firmware or its line while something moves makes the position unknown: the error
    is raised, and only `home` (after a lost line: `connect`, `home`) leads on. `gripper` None is the one on the
    firmware's own output.
    """

    def __init__(
        self,
        motion: Motion,
        permit: Permit,
        clock: Clock,
        limits: GantryLimits = GantryLimits(),
        on_wait: WaitObserver | None = None,
        gripper: Gripper | None = None,
    ) -> None:
        self._motion = motion
        self._gripper = gripper or FirmwareGripper(motion)
        self._permit = permit
        self._clock = clock
        self._limits = limits
        self.on_wait = on_wait
        self._state = GantryState.CLOSED
        self._stop_reason: str | None = None
        self._homed = False
        self._trail: deque[tuple[float, MachinePoint]] = deque(maxlen=TRAIL)
        self._lost_at: tuple[MachinePoint, ...] = ()
        self._target: MachinePoint | None = None
        self._interrupted = False
        self._waiting_for: str | None = None

    @property
    def state(self) -> GantryState:
        """What the gantry is doing."""
        return GantryState.STOPPED if self._stop_reason is not None else self._state

    @property
    def homed(self) -> bool:
        """Whether the machine knows where it is."""
        return self._homed

    @property
    def holding_disc(self) -> bool:
        """Whether the gripper is switched on and so holds what it has taken; only the camera knows what that is."""
        return self._gripper.on

    @property
    def position(self) -> MachinePoint:
        """Where the machine last said that it is, mm; PositionLostError if it does not know."""
        if not self._homed:
            raise PositionLostError("The machine does not know where it is: home it first.")
        return self._motion.position()

    def whereabouts(self, at_s: float) -> tuple[MachinePoint, ...]:
        """The corners of the way (machine mm) somewhere on which the tip was at the clock's time `at_s`.

        The machine tells where it is a few times a second only: since then it has come no farther towards its target
        than its fastest motion allows. What happened at that time may have happened `camera_lag_s` before: a frame is
        stamped when it is complete. A machine that has lost its position is where it lost it, or on the way that
        homing takes from there: up, and to the corner where the switches are. Empty if nothing is known.
        """
        if not self._homed:
            return self._lost_at
        trail = self._trail_since(at_s - self._limits.camera_lag_s)
        here = trail[-1]
        if self._target is None:
            return trail
        way = math.dist(here, self._target)
        farthest = (at_s - self._motion.position_time() + self._limits.latency_s) * self._limits.fastest_mm_s
        share = min(1.0, max(0.0, farthest) / way) if way else 0.0
        x, y, z = (a + share * (b - a) for a, b in zip(here, self._target, strict=True))
        return *trail, (x, y, z)

    @property
    def limits(self) -> GantryLimits:
        """What the gantry keeps to."""
        return self._limits

    def connect(self) -> str:
        """Find the firmware and return its version line; the machine has to be homed afterwards.

        Also the way back after a lost line or a power cut, as often as it takes: it lets go of what is left of the
        line, opens it anew and stops what still moves. What was held stays held unless the firmware has been reset
        meanwhile or still moved (`holding_disc` tells), and a person's stop stays in force. Raises SerialError or
        FirmwareError, which may take some seconds, as long as nothing answers.
        """
        self._lose_position()
        version = self._motion.connect()
        self._state = GantryState.UNHOMED
        if not self._lost_at:  # As far as the firmware knows it stands there still, whoever has left it there.
            self._lost_at = _way_home(self._motion.position())
        return version

    def close(self) -> None:
        """Let go of the machine; a gripper on the firmware's output stays as it is, one on a pin lets go."""
        self._motion.close()
        self._gripper.close()
        self._lose_position()
        self._state = GantryState.CLOSED

    # Motion.

    def home(self) -> None:
        """Find the home switches; begun anew after the permit was lost meanwhile.

        What a person's stop had interrupted is given up. That, like breaking off, needs a reset, which switches a
        gripper on the firmware's output off.
        """
        self._wait_for_permit()
        if self._interrupted:
            self._reset()
        while True:
            self._forget_position()
            self._state = GantryState.HOMING
            self._guarded(self._motion.start_homing)
            if self._until_homed():
                self._homed = True
                self._trail.clear()
                self._state = GantryState.READY
                return
            self._reset()
            self._wait_for_permit(refused=True)

    def move_to(
        self,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        *,
        speed_mm_s: float | None = None,
    ) -> None:
        """Move in a straight line to machine coordinates (mm) and return when the machine has stopped there.

        Axes left out keep their place. A move that a person's stop had interrupted is finished first. Raises
        OutOfReachError with nothing sent, PositionLostError if the machine must be homed, StoppedError.
        """
        self._raise_if_stopped()
        here = self.position
        target = (here[0] if x is None else x, here[1] if y is None else y, here[2] if z is None else z)
        check_reach(target, self._limits.travel_mm)
        self._finish_interrupted()
        if x is None and y is None and z is None:
            return
        self._wait_for_permit()
        self._state = GantryState.MOVING
        self._target = target
        self._guarded(lambda: self._motion.start_move(x, y, z, speed_mm_s=speed_mm_s))
        self._until_moved()

    def grip(self) -> None:
        """Switch the gripper on and give it time to hold."""
        self._switch_gripper(True, self._limits.grip_s)

    def release(self) -> None:
        """Switch the gripper off and give the disc time to come free."""
        self._switch_gripper(False, self._limits.release_s)

    # Stopping.

    def stop(self, reason: str = "the stop button was pressed") -> None:
        """Stop as a person wishes: motion is held, and none begins or goes on until `allow`.

        May be called from anywhere, also from another thread or by an observer: whoever waits in a motion holds the
        machine at the next look and raises StoppedError there. What the gripper holds stays held.
        """
        if self._stop_reason is None:
            self._stop_reason = reason

    def allow(self) -> None:
        """Let the machine move again; by itself nothing moves."""
        self._stop_reason = None

    # Within.

    def _raise_if_stopped(self) -> None:
        if self._stop_reason is not None:
            raise StoppedError(f"The machine was stopped ({self._stop_reason}): allow it to move again first.")

    def _guarded(self, call: Callable[[], T]) -> T:
        """Do something with the firmware; if that fails, the position is no longer relied on."""
        try:
            return call()
        except OutOfReachError:
            raise
        except PositionLostError:
            self._lose_position()
            raise
        except HardwareError:
            self._forget_position()
            self._state = GantryState.UNHOMED
            raise

    def _lose_position(self) -> None:
        self._forget_position()
        self._target = None
        self._interrupted = False
        if self._state is not GantryState.CLOSED:
            self._state = GantryState.UNHOMED

    def _poll(self) -> MotionState:
        """What the machine is doing; where it says that it is is kept in mind."""
        state = self._guarded(self._motion.poll)
        self._remember_position()
        return state

    def _remember_position(self) -> None:
        report = self._motion.position_time(), self._motion.position()
        if not self._trail or self._trail[-1] != report:
            self._trail.append(report)

    def _trail_since(self, since_s: float) -> tuple[MachinePoint, ...]:
        """The reported positions from the last one before `since_s` on, at least the newest."""
        self._remember_position()
        first = max((i for i, (time_s, _) in enumerate(self._trail) if time_s <= since_s), default=0)
        points = [point for _, point in list(self._trail)[first:]]
        return tuple(point for i, point in enumerate(points) if i == 0 or point != points[i - 1])

    def _forget_position(self) -> None:
        """The machine must be homed; where it can be until then is kept in mind: it may finish what it was doing."""
        if not self._homed:
            return
        here = self._motion.position()
        self._homed = False
        self._trail.clear()
        self._lost_at = (here, *_way_home(self._target or here))

    def _reset(self) -> None:
        self._lose_position()
        self._guarded(self._motion.reset)

    def _tell(self, reason: str | None) -> None:
        if reason != self._waiting_for:
            self._waiting_for = reason
            if self.on_wait is not None:
                self.on_wait(reason)

    def _wait_for_permit(self, refused: bool = False) -> None:
        """Return when motion is allowed: at once, or, once it was refused, when it has been back for long enough."""
        before = self._state
        allowed_since = math.inf if refused else -math.inf
        try:
            while True:
                self._raise_if_stopped()
                reason = self._permit.refusal()
                now = self._clock.now()
                if reason is None:
                    allowed_since = min(allowed_since, now)
                    if now - allowed_since >= self._limits.settle_s:
                        break
                else:
                    allowed_since = math.inf
                    self._state = GantryState.WAITING
                    self._tell(reason)
                self._let_pass(self._limits.guard_interval_s)
            self._raise_if_stopped()
            self._tell(None)
        finally:
            self._waiting_for = None
            if self._state is GantryState.WAITING:
                self._state = before

    def _let_pass(self, seconds: float) -> None:
        """Let time pass while the firmware is heard; a person's stop ends it early."""
        until = self._clock.now() + seconds
        while self._stop_reason is None:
            self._poll()
            left = until - self._clock.now()
            if left <= 1e-9:
                return
            self._clock.sleep(min(left, self._limits.poll_interval_s))

    def _until_moved(self) -> None:
        """Wait for the end of a move, holding it while the permit is refused. Whatever else ends it holds it too."""
        try:
            next_look = self._clock.now() + self._limits.guard_interval_s
            while (state := self._poll()) is not MotionState.IDLE:
                if state is MotionState.HOLDING:
                    self.stop("it was held at the controller board")
                self._raise_if_stopped()
                if self._clock.now() >= next_look:
                    self._hold_while_refused()
                    next_look = self._clock.now() + self._limits.guard_interval_s
                self._clock.sleep(self._limits.poll_interval_s)
        except BaseException:
            if self._homed:
                self._hold_for_later()
            raise
        self._state = GantryState.READY
        self._target = None

    def _hold_while_refused(self) -> None:
        reason = self._permit.refusal()
        if reason is None:
            return
        self._guarded(self._motion.hold)
        self._state = GantryState.WAITING
        self._tell(reason)
        self._wait_for_permit(refused=True)
        self._state = GantryState.MOVING
        self._guarded(self._motion.resume)

    def _hold_for_later(self) -> None:
        """Hold, let the machine come to rest, and leave the rest of the move to be finished when it is allowed."""
        self._guarded(self._motion.hold)
        self._interrupted = True
        self._state = GantryState.READY
        until = self._clock.now() + _BRAKING_S
        while self._clock.now() < until:
            self._poll()
            self._clock.sleep(self._limits.poll_interval_s)

    def _finish_interrupted(self) -> None:
        if not self._interrupted:
            return
        self._wait_for_permit()
        self._interrupted = False
        self._state = GantryState.MOVING
        self._guarded(self._motion.resume)
        while self._poll() is MotionState.HOLDING:
            self._clock.sleep(self._limits.poll_interval_s)
        self._until_moved()

    def _until_homed(self) -> bool:
        """Wait for the end of homing; False if the permit has gone. Homing cannot be held, only reset."""
        try:
            next_look = self._clock.now() + self._limits.guard_interval_s
            while self._poll() is not MotionState.IDLE:
                self._raise_if_stopped()
                if self._clock.now() >= next_look:
                    reason = self._permit.refusal()
                    if reason is not None:
                        self._tell(reason)
                        return False
                    next_look = self._clock.now() + self._limits.guard_interval_s
                self._clock.sleep(self._limits.poll_interval_s)
        except HardwareError as error:
            if isinstance(error, StoppedError):
                self._reset()
            raise
        except BaseException:
            self._reset()
            raise
        return True

    def _switch_gripper(self, on: bool, seconds: float) -> None:
        self._raise_if_stopped()
        self._finish_interrupted()
        self._wait_for_permit()
        self._require_rest()
        self._guarded(lambda: self._gripper.set(on))
        self._let_pass(seconds)

    def _require_rest(self) -> None:
        """A pin could be switched in the middle of anything; the gripper is only where the machine stands."""
        state = self._poll()
        if state is MotionState.ALARM:
            raise PositionLostError("The controller board is locked by an alarm: home the machine.")
        if state is not MotionState.IDLE:
            raise FirmwareError(
                "The gripper was not switched, as the machine has not come to rest: wait until it has."
            )


def _way_home(start: MachinePoint) -> tuple[MachinePoint, ...]:
    """The corners of the way that homing takes: up, then to the switches."""
    return start, (start[0], start[1], HOME[2]), HOME
