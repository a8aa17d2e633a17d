"""The gantry: every motion of the machine goes through here, and none of it happens without the permit."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from typing import NoReturn, TypeVar

from hardware.clock import Clock
from hardware.errors import (
    DiscNotHeldError,
    DiscStuckError,
    FirmwareError,
    GripperHotError,
    HardwareError,
    OutOfReachError,
    PositionLostError,
    StoppedError,
)
from hardware.gantry_limits import GantryLimits, GantryState, WaitObserver
from hardware.gripper import Gripper, Work
from hardware.grippers.switch import FirmwareSwitch
from hardware.grippers.vacuum import VacuumGripper, VacuumTimes
from hardware.machine_speeds import MachineSpeeds, paced
from hardware.motion import MachineLimits, MachinePoint, Motion, MotionState, check_reach
from hardware.permit import Permit
from hardware.whereabouts import Whereabouts

T = TypeVar("T")

_COOLS_FOR_S = 0.2
"""Between looks at a gripper that cools down."""
_BRAKING_S = 0.5
"""More than any machine of this size needs from full speed to rest."""


class Gantry:
    """Moves the gripper in machine coordinates and blocks, on the clock, until the machine has stopped.

    Whatever goes wrong with the firmware or its line while something moves makes the position unknown: the error
    is raised, and only `home` (after a lost line: `connect`, `home`) leads on. `gripper` None is a pump on the
    firmware's own output, with the times of the limits.
    """

    def __init__(
        self,
        motion: Motion,
        permit: Permit,
        clock: Clock,
        limits: GantryLimits | None = None,
        on_wait: WaitObserver | None = None,
        gripper: Gripper | None = None,
    ) -> None:
        limits = limits or GantryLimits()
        self._motion = motion
        self._gripper = gripper or VacuumGripper(FirmwareSwitch(motion), VacuumTimes(limits.grip_s, limits.release_s))
        self._permit = permit
        self._clock = clock
        self._limits = limits
        self.on_wait = on_wait
        self.pace: Callable[[], float] = lambda: 1.0
        """Asked before every move: the share of its speed at which it is to be made, 0–1."""
        self._state = GantryState.CLOSED
        self._stop_reason: str | None = None
        self._homed = False
        self._whereabouts = Whereabouts(limits.fastest_mm_s, limits.latency_s, limits.camera_lag_s)
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
            return self._whereabouts.lost_at
        self._remember_position()
        return self._whereabouts.at(at_s, self._target)

    @property
    def limits(self) -> GantryLimits:
        """What the gantry keeps to."""
        return self._limits

    @property
    def machine(self) -> MachineLimits:
        """What the machine's own settings say, as `connect` has read them."""
        return self._motion.limits

    @property
    def speeds(self) -> MachineSpeeds:
        """How fast the machine moves, by these settings."""
        return MachineSpeeds(self.machine.max_speed_mm_s, self.machine.acceleration_mm_s2)

    def look(self) -> tuple[MotionState, MachinePoint]:
        """Ask a machine that nothing moves what it does, and where it counts itself to be (mm), homed or not."""
        self._guarded(self._motion.refresh)
        return self._poll(), self._motion.position()

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
        if not self._whereabouts.lost_at:  # As far as the firmware knows it stands there still, whoever left it.
            self._whereabouts.lost(self._motion.position(), None, self._motion.home_corner)
        self._whereabouts.expect(max(self._limits.fastest_mm_s, math.hypot(*self._motion.limits.max_speed_mm_s)))
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
                self._homed, self._state = True, GantryState.READY
                self._whereabouts.found()
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
        speed_mm_s = paced(speed_mm_s, self.pace(), here, target, self.machine.max_speed_mm_s)
        self._guarded(lambda: self._motion.start_move(x, y, z, speed_mm_s=speed_mm_s))
        self._until_moved()

    def grip(self) -> None:
        """Take what is under the tip, and give the gripper time to hold it; a warm one rests first.

        Raises DiscNotHeldError if the gripper has a sensor and that feels nothing; the gripper is off again then.
        """
        self._raise_if_stopped()
        self._let_gripper_cool()
        self._work(self._gripper.grip())
        self.check_holding()

    def release(self) -> None:
        """Let go of what is held, and give it time to come free."""
        self._work(self._gripper.release())

    def check_holding(self) -> None:
        """Raise DiscNotHeldError, and let go, if the gripper has a sensor and that feels no disc."""
        if self._gripper.feels_disc() is False:
            self.release()
            raise DiscNotHeldError(
                "The gripper's sensor feels no disc: look whether one lies under the tip, and how tight it holds."
            )

    def check_empty(self) -> None:
        """Raise DiscStuckError if the gripper has a sensor and that still feels a disc, once the tip has risen."""
        if not self._gripper.on and self._gripper.feels_disc():
            raise DiscStuckError("A disc sticks to the gripper: please take it off and put it where it belongs.")

    def attend(self) -> None:
        """To be called now and then while nothing else is asked of the gantry and something may be held.

        Raises GripperHotError when the gripper cannot hold any longer and has let go.
        """
        if self._gripper.overdue:
            self._let_go()

    # Stopping.

    def stop(self, reason: str = "the stop button was pressed") -> None:
        """Stop as a person wishes: motion is held, and none begins or goes on until `allow`.

        May be called from anywhere, also from another thread or a signal's handler: when it returns, the byte that
        holds the machine (while homing: resets it) is on the line. Whoever waits in a motion raises StoppedError at
        the next look. What the gripper holds stays held, unless homing had to be stopped.
        """
        if self._stop_reason is None:
            self._stop_reason = reason
        if self._motion.stop_at_once() and self._homed:
            self._interrupted = True

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
        if state in (MotionState.IDLE, MotionState.HOLDING):  # What is let go of in mid-move is thrown.
            self.attend()
        return state

    def _remember_position(self) -> None:
        self._whereabouts.note(self._motion.position_time(), self._motion.position())

    def _forget_position(self) -> None:
        """The machine must be homed; where it can be until then is kept in mind: it may finish what it was doing."""
        if not self._homed:
            return
        here = self._motion.position()
        self._homed = False
        self._whereabouts.lost(here, self._target, self._motion.home_corner)

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
                self._let_pass(self._limits.poll_interval_s)
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
            while (state := self._poll()) is not MotionState.IDLE:
                if state is MotionState.HOLDING:
                    self.stop("it was held at the controller board")
                self._raise_if_stopped()
                self._hold_while_refused()
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
            while self._poll() is not MotionState.IDLE:
                self._raise_if_stopped()
                if (reason := self._permit.refusal()) is not None:
                    self._tell(reason)
                    return False
                self._clock.sleep(self._limits.poll_interval_s)
        except HardwareError:
            if self._stop_reason is not None:  # The reset may have been sent by `stop`, and have been noticed first.
                self._reset()
                self._raise_if_stopped()
            raise
        except BaseException:
            self._reset()
            raise
        return True

    def _work(self, work: Work) -> None:
        """Have the gripper do something where the machine stands; a person's stop cuts the waiting short."""
        self._raise_if_stopped()
        self._finish_interrupted()
        self._wait_for_permit()
        self._require_rest()
        with closing(work):
            while (seconds := self._guarded(lambda: next(work, None))) is not None:
                self._let_pass(seconds)

    def _let_gripper_cool(self) -> None:
        """Return when the gripper can hold a disc for a whole transfer."""
        if self._gripper.ready_in_s() <= 0:
            return
        self._tell("the gripper has become warm and has to cool down")
        try:
            while (seconds := self._gripper.ready_in_s()) > 0:
                self._let_pass(min(max(seconds, self._limits.poll_interval_s), _COOLS_FOR_S))
                self._raise_if_stopped()
            self._tell(None)
        finally:
            self._waiting_for = None

    def _let_go(self) -> NoReturn:
        """Let go of what is held: the gripper is at its limit."""
        try:
            self._gripper.let_go()
        except FirmwareError:  # Held or locked it takes no line: only a reset switches its outputs.
            self._reset()
        raise GripperHotError(
            "The gripper had to hold for too long and has let go, so as not to get too hot: the disc lies under it."
        )

    def _require_rest(self) -> None:
        """A pin could be switched in the middle of anything; the gripper is only where the machine stands."""
        if (state := self._poll()) is MotionState.ALARM:
            raise PositionLostError("The controller board is locked by an alarm: home the machine.")
        if state is not MotionState.IDLE:
            raise FirmwareError("The gripper was not switched: the machine has not come to rest; wait until it has.")
