"""Grbl 1.1 as a `Motion`: one line at a time, a barrier for the end of every move, and a clear end to every trouble.

`ok` only means that a move is queued, so each is followed by a barrier (`G4 P0.01`) that Grbl answers when all
motion is over; then a status report must confirm that it stands, and where. Nothing is ever sent twice unless a
report has shown that it did not arrive, and then only the realtime bytes for hold and resume.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable

from hardware.clock import Clock
from hardware.errors import FirmwareError, PositionLostError, SerialError
from hardware.grbl.codes import alarm_sentence, error_sentence, silent_sentence, spoilt_sentence
from hardware.grbl.feed_hold import FeedHold, Hold
from hardware.grbl.greeting import greet, introduction
from hardware.grbl.gripper_output import GripperOutput
from hardware.grbl.link import GrblLink, UnexpectedHandler, log_unexpected
from hardware.grbl.messages import Alarm, Banner, Error, Feedback, Info, Message, Ok, Setting, Status, Unknown
from hardware.grbl.phase import Phase
from hardware.grbl.reported_position import ReportedPosition
from hardware.grbl.settings import GrblSettings
from hardware.grbl.timings import GrblTimings
from hardware.motion import MachinePoint, MotionState, check_reach
from hardware.serial_port import BytePort

BARRIER = "G4 P0.01"
RESET, ASK_STATUS = b"\x18", b"?"
_AT_TARGET_MM = 0.1

_log = logging.getLogger(__name__)


class GrblMotion:
    """The motion driver. `open_port` is called by `connect`, so that a port that was gone can be opened again."""

    def __init__(
        self,
        open_port: Callable[[], BytePort],
        clock: Clock,
        gripper: GripperOutput | None = None,
        timings: GrblTimings | None = None,
        on_unexpected: UnexpectedHandler = log_unexpected,
    ) -> None:
        self._open_port = open_port
        self._clock = clock
        self._gripper = gripper or GripperOutput()
        self._gripper_on = False
        self._timings = timings or GrblTimings()
        self._on_unexpected = on_unexpected
        self._link: GrblLink | None = None
        self._inbox: deque[Message] = deque()
        self._settings: GrblSettings | None = None
        self._phase = Phase.CLOSED
        self._hold = FeedHold(self._send_realtime, clock, self._timings.holding_s)
        self._position_known = False
        self._out_of_step = False
        self._status: Status | None = None
        self._reported = ReportedPosition()
        self._target: MachinePoint | None = None
        self._next_ask = 0.0
        self._unanswered_since = math.inf
        self._idle_since = math.inf
        self._deadline = math.inf

    # Values.

    @property
    def settings(self) -> GrblSettings:
        """The firmware's settings as read by `connect`."""
        if self._settings is None:
            raise FirmwareError("The controller board is not connected: connect before asking for its settings.")
        return self._settings

    @property
    def position_known(self) -> bool:
        """Whether the machine has been homed and nothing has happened since that could have moved it unseen."""
        return self._position_known

    @property
    def status(self) -> Status | None:
        """The last status report."""
        return self._status

    def position(self) -> MachinePoint:
        """Where the machine last said that it is, mm."""
        if self._reported.point is None:
            raise PositionLostError("The machine has not said where it is yet: connect and home it.")
        return self._reported.point

    def position_time(self) -> float:
        """When the machine last said where it is, in the clock's seconds."""
        return self._reported.time_s

    @property
    def gripper_on(self) -> bool:
        """Whether the gripper's output is on: switched, or found on by `connect`, with no reset or alarm since."""
        return self._gripper_on

    # Connecting.

    def connect(self) -> str:
        """Open the port, find Grbl at its other end, bring it to rest, and read its settings; returns its version."""
        self.close()
        link = GrblLink(self._open_port(), self._clock, self._on_unexpected)
        self._link = link
        self._forget()
        try:
            state = greet(link, self._clock, self._timings.connect_s)
            self._phase = Phase.READY
            if state not in ("Idle", "Alarm"):
                self._bring_to_rest(state)
            said = introduction(self._exchange)
            self._settings = said.settings
            self._gripper_on = self._gripper.is_on(said.modes)
            self._read_status()
        except BaseException:
            self.close()
            raise
        return said.version

    def _bring_to_rest(self, state: str) -> None:
        """Something left by an earlier program is running or waiting: brake, then empty the queue."""
        if state in ("Run", "Jog"):
            self._ask_for_hold()
            give_up = self._clock.now() + self._timings.silence_s
            while self._hold.state is not Hold.AT_REST and self._clock.now() < give_up:
                self.poll()
                self._clock.sleep(self._timings.step_s)
        self.reset()

    def close(self) -> None:
        """Let go of the line; motion that is under way goes on to its end."""
        if self._link is not None:
            self._link.close()
        self._link = None
        self._phase = Phase.CLOSED
        self._position_known = False

    # Motion.

    def start_homing(self) -> None:
        """Send `$H`, after a reset if an alarm or a hold is in the way."""
        if not self.settings.homing:
            raise FirmwareError(error_sentence(5, "$H"))
        if self._phase is Phase.ALARM or not self._hold.none:
            self.reset()
        self._require_rest("$H")
        self._position_known = False
        self._the_link().send("$H")
        self._phase = Phase.HOMING
        self._target = None
        self._deadline = self._clock.now() + self._timings.homing_s

    def start_move(
        self,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        *,
        speed_mm_s: float | None = None,
    ) -> None:
        """Queue a straight move in machine coordinates (mm) and the barrier behind it."""
        here = self.position()
        target = (here[0] if x is None else x, here[1] if y is None else y, here[2] if z is None else z)
        if x is None and y is None and z is None:
            raise ValueError("a move needs at least one axis")
        check_reach(target, self.settings.travel_mm)
        if not self._position_known:
            raise PositionLostError("The machine does not know where it is: home it before it moves.")
        words = [f"{axis}{v:.3f}" for axis, v in zip("XYZ", (x, y, z), strict=True) if v is not None]
        how = "G0" if speed_mm_s is None else f"G1 F{speed_mm_s * 60:.1f}"
        line = f"G21 G90 G53 {how} {' '.join(words)}"
        self._require_rest(line)
        self._exchange(line)
        self._the_link().send(BARRIER)
        self._phase = Phase.MOVING
        self._target = target
        now = self._clock.now()
        self._next_ask, self._unanswered_since, self._idle_since = now + self._timings.status_s, math.inf, math.inf

    def set_gripper(self, on: bool) -> None:
        """Switch the gripper's output; the machine must be at rest."""
        line = self._gripper.line(on)
        self._require_rest(line)
        self._exchange(line)
        self._gripper_on = on

    def poll(self) -> MotionState:
        """Read on, ask for a report when one is due, and say what the machine is doing; never waits."""
        self._the_link()
        self._take_messages()
        now = self._clock.now()
        if self._phase is Phase.HOMING:
            if now > self._deadline:
                self._lose(Phase.ALARM)
                self._send_realtime(RESET)
                raise FirmwareError(
                    f"Homing has taken more than {self._timings.homing_s:.0f} s: switch the machine off, and check "
                    "that nothing blocks it and that its switches work."
                )
        elif self._phase in (Phase.MOVING, Phase.CONFIRMING) or not self._hold.none:
            self._watch(now)
        return self._state()

    def hold(self) -> None:
        """Ask for a feed hold. Homing knows none (FirmwareError): `reset` stops it."""
        if self._phase is Phase.HOMING:
            raise FirmwareError("Homing cannot be held: reset the controller board to stop it.")
        if self._phase in (Phase.MOVING, Phase.CONFIRMING):
            self._ask_for_hold()

    def resume(self) -> None:
        """Go on, as soon as the machine stands."""
        self._hold.resume()
        self._next_ask = self._clock.now() + self._timings.holding_s

    def _ask_for_hold(self) -> None:
        self._hold.ask()
        self._next_ask = self._clock.now()

    def _send_realtime(self, byte: bytes) -> None:
        self._the_link().send_realtime(byte)

    def reset(self) -> None:
        """Soft reset, and wait for the banner. At rest, also in a hold, Grbl keeps its position."""
        link = self._the_link()
        moving = self._phase in (Phase.MOVING, Phase.HOMING) and self._hold.state is not Hold.AT_REST
        if moving or self._phase is Phase.ALARM:
            self._position_known = False
        link.answered()
        self._gripper_on = False
        for _ in range(3):  # During an alarm's first half second Grbl does not see a reset.
            link.send_realtime(RESET)
            if self._await_banner():
                self._inbox.clear()
                self._phase = Phase.READY
                self._hold.over()
                self._read_status()
                return
        self._position_known = False
        raise SerialError(
            f"The controller board at {link.name} does not answer a reset: switch it off and on, then "
            "home the machine."
        )

    def _await_banner(self) -> bool:
        """Wait for the banner of a reset that we asked for; what comes before it belongs to what was aborted."""
        give_up = self._clock.now() + self._timings.answer_s / 2
        while self._clock.now() < give_up:
            for message in self._the_link().receive():
                if isinstance(message, Banner):
                    return True
                if isinstance(message, Alarm):
                    self._position_known = False
            self._clock.sleep(self._timings.step_s)
        return False

    # Waiting for answers.

    def _exchange(self, line: str) -> list[Message]:
        """Send a line, wait for its `ok`, and return what came before it."""
        link = self._the_link()
        self._take_messages()
        link.send(line)
        answers: list[Message] = []
        give_up = self._clock.now() + self._timings.answer_s
        while True:
            while message := self._next_message():
                if isinstance(message, Ok):
                    link.answered()
                    return answers
                if isinstance(message, Error):
                    link.answered()
                    raise self._refusal(message.code, line)
                if isinstance(message, Setting | Info):
                    answers.append(message)
                    give_up = self._clock.now() + self._timings.answer_s
                else:
                    self._take(message)
            if self._clock.now() >= give_up:
                self._explain_silence(line)
            self._clock.sleep(self._timings.step_s)

    def _explain_silence(self, line: str) -> None:
        """No answer in time: ask for a status report, and raise what that tells. Nothing is sent again."""
        alive = self._ask_and_wait()
        held = not self._hold.none
        self._give_up()
        if not alive:
            raise SerialError(silent_sentence(self._the_link().name))
        if held:
            raise FirmwareError(
                f"'{line}' has to wait, as the controller board is held: release its hold or door switch, then home "
                "the machine."
            )
        raise FirmwareError(spoilt_sentence(f"Grbl has not answered '{line}', though it is alive"))

    def _ask_and_wait(self) -> bool:
        """Ask for a report and wait for it; whether one came."""
        before = self._status
        self._send_realtime(ASK_STATUS)
        give_up = self._clock.now() + self._timings.answer_s / 2
        while self._status is before and self._clock.now() < give_up:
            self._take_messages()
            self._clock.sleep(self._timings.step_s)
        return self._status is not before

    def _read_status(self) -> None:
        if not self._ask_and_wait():
            self._explain_silence("?")

    def _give_up(self) -> None:
        """We no longer know which line an answer belongs to, nor what was carried out: stop what may be moving."""
        self._the_link().answered()
        self._phase, self._out_of_step, self._position_known = Phase.READY, True, False
        if self._hold.none and (self._status is None or self._status.state not in ("Idle", "Alarm")):
            self._ask_for_hold()

    def _require_rest(self, line: str) -> None:
        """Only from rest, and in step with Grbl's answers, is anything new sent."""
        if self._phase is Phase.ALARM:
            raise PositionLostError("The controller board is locked by an alarm: home the machine.")
        if self._phase is not Phase.READY or not self._hold.none:
            raise FirmwareError(f"'{line}' was not sent, as the machine has not come to rest: wait until it has.")
        if self._out_of_step:
            for message in self._the_link().until_quiet(4 * self._timings.status_s, self._timings.step_s):
                self._the_link().report_unexpected(message)
            self._out_of_step = False

    # What arrives.

    def _next_message(self) -> Message | None:
        if not self._inbox:
            self._inbox.extend(self._the_link().receive())
        return self._inbox.popleft() if self._inbox else None

    def _take_messages(self) -> None:
        while message := self._next_message():
            self._take(message)

    def _take(self, message: Message) -> None:
        """Account for a message; raises if it says that something is wrong."""
        link = self._the_link()
        if isinstance(message, Status):
            self._take_status(message)
        elif isinstance(message, Ok) and self._phase in (Phase.MOVING, Phase.HOMING):
            link.answered()
            self._phase = Phase.CONFIRMING
            self._position_known = True
            self._next_ask = self._clock.now()
        elif isinstance(message, Error) and self._phase in (Phase.MOVING, Phase.HOMING):
            line = link.waiting_for
            link.answered()
            self._phase = Phase.READY
            raise self._refusal(message.code, line)
        elif isinstance(message, Alarm):
            self._lose(Phase.ALARM)
            raise PositionLostError(alarm_sentence(message.code))
        elif isinstance(message, Banner):
            self._lose(Phase.READY)
            raise PositionLostError(
                "The controller board has restarted by itself: check its power supply and cable, then home the "
                "machine."
            )
        elif isinstance(message, Feedback):
            _log.info("Grbl says: %r", message.text)
        elif not isinstance(message, Unknown):
            link.report_unexpected(message)

    def _refusal(self, code: int, line: str) -> FirmwareError:
        if code == 9:
            self._position_known = self._gripper_on = False
            return PositionLostError(error_sentence(code, line))
        return FirmwareError(error_sentence(code, line))

    def _lose(self, phase: Phase) -> None:
        """Whatever was under way is gone, and with it the knowledge of where the machine is; outputs are off."""
        self._the_link().answered()
        self._phase, self._position_known, self._gripper_on = phase, False, False
        self._hold.over()

    def _take_status(self, status: Status) -> None:
        now = self._clock.now()
        self._status = status
        self._unanswered_since = math.inf
        self._reported.note(status, self._settings is not None and self._settings.reports_inches, now)
        if status.state == "Alarm" and self._phase not in (Phase.ALARM, Phase.HOMING):
            was_known = self._position_known
            self._lose(Phase.READY)
            if was_known:
                raise PositionLostError("The controller board has locked itself: home the machine.")
        self._idle_since = min(self._idle_since, now) if status.state == "Idle" else math.inf
        self._hold.note(status)
        if self._phase is Phase.CONFIRMING and status.state == "Idle" and self._hold.none:
            self._confirm()

    def _confirm(self) -> None:
        """Motion is over: the machine must stand where it was sent, or the line was spoilt on its way."""
        if self._reported.point is None:
            return
        self._phase = Phase.READY
        off = math.dist(self._reported.point, self._target) if self._target is not None else 0.0
        if off > _AT_TARGET_MM:
            self._position_known = False
            raise FirmwareError(spoilt_sentence(f"The machine stands {off:.1f} mm from where it was sent"))

    def _watch(self, now: float) -> None:
        """Ask for a report when one is due, and notice silence and lost answers."""
        if now >= self._next_ask:
            self._send_realtime(ASK_STATUS)
            self._unanswered_since = min(self._unanswered_since, now)
            self._next_ask = now + (self._timings.holding_s if self._hold.changing else self._timings.status_s)
        if now - self._unanswered_since > self._timings.silence_s:
            self._give_up()
            raise SerialError(silent_sentence(self._the_link().name))
        lost = self._phase is Phase.MOVING and self._hold.none
        if lost and now - self._idle_since > self._timings.answer_s:
            self._give_up()
            raise FirmwareError(spoilt_sentence(f"Grbl stands still but its answer to '{BARRIER}' was lost"))

    def _state(self) -> MotionState:
        if self._phase is Phase.ALARM:
            return MotionState.ALARM
        if self._phase is Phase.HOMING:
            return MotionState.HOMING
        if self._hold.holding:
            return MotionState.HOLDING
        if self._phase is Phase.READY and self._hold.none:
            return MotionState.IDLE
        return MotionState.MOVING

    def _the_link(self) -> GrblLink:
        if self._link is None:
            raise SerialError("The controller board is not connected: connect first.")
        return self._link

    def _forget(self) -> None:
        """Nothing from an earlier connection counts."""
        self._inbox.clear()
        self._hold.over()
        self._out_of_step = False
        self._reported = ReportedPosition()
        self._settings = self._status = self._target = None
