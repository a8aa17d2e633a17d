"""Grbl 1.1 as a `Motion`: one line at a time, a barrier for the end of every move, and a clear end to every trouble.

`ok` only means that a move is queued, so each is followed by a barrier (`G4 P0`) that Grbl answers when all
motion is over; then a status report must confirm that it stands, and where. Nothing is ever sent twice unless a
report has shown that it did not arrive, and then only the realtime bytes for hold and resume.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable

from hardware.clock import Clock
from hardware.errors import FirmwareError, HardwareError, PositionLostError, SerialError
from hardware.grbl.barrier import BARRIER, barrier_for
from hardware.grbl.codes import HOMING_DUE, alarm_sentence, error_sentence, silent_sentence, spoilt_sentence
from hardware.grbl.exchange import ASK_STATUS, GrblExchange
from hardware.grbl.feed_hold import HOLD, FeedHold, Hold
from hardware.grbl.frame import FirmwareFrame, frame_after_homing, home_corner
from hardware.grbl.greeting import ASK_MODES, greet, introduction
from hardware.grbl.gripper_output import GripperOutput
from hardware.grbl.link import GrblLink, UnexpectedHandler, log_unexpected
from hardware.grbl.messages import Alarm, Banner, Error, Feedback, Message, Ok, Status, Unknown
from hardware.grbl.outputs import Outputs, line_for
from hardware.grbl.phase import MOTION, Phase
from hardware.grbl.reported_position import ReportedPosition
from hardware.grbl.settings import GrblSettings
from hardware.grbl.timings import GrblTimings
from hardware.grbl.watch import StatusWatch
from hardware.motion import MachineLimits, MachinePoint, MotionState, check_reach
from hardware.serial_port import BytePort
from hardware.way import AT_TARGET_MM, OFF_WAY_MM, Way

RESET = b"\x18"

_log = logging.getLogger(__name__)


class GrblMotion(GrblExchange):
    """The motion driver. `open_port` is called by `connect`, so that a port that was gone can be opened again."""

    def __init__(
        self,
        open_port: Callable[[], BytePort],
        clock: Clock,
        gripper: GripperOutput | None = None,
        timings: GrblTimings | None = None,
        on_unexpected: UnexpectedHandler = log_unexpected,
    ) -> None:
        super().__init__(clock, timings or GrblTimings())
        self._open_port = open_port
        self._gripper = gripper or GripperOutput()
        self._outputs = Outputs()
        self._on_unexpected = on_unexpected
        self._settings: GrblSettings | None = None
        self._phase = Phase.CLOSED
        self._hold = FeedHold(self._send_realtime, clock, self._timings.holding_s)
        self._stop_byte_sent = False
        self._position_known = False
        self._out_of_step = False
        self._reported = ReportedPosition()
        self._frame = FirmwareFrame()
        self._barrier = BARRIER
        self._way: Way | None = None
        self._watch = StatusWatch(self._timings)
        self._homing_ends = 0.0

    # Values.

    @property
    def settings(self) -> GrblSettings:
        """The firmware's settings as read by `connect`."""
        if self._settings is None:
            raise FirmwareError("The controller board is not connected: connect before asking for its settings.")
        return self._settings

    @property
    def limits(self) -> MachineLimits:
        """What the settings say, in mm and s."""
        return self.settings.limits()

    @property
    def home_corner(self) -> MachinePoint:
        """Where the switches are, by `$23`."""
        return home_corner(self.settings)

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
        return self._frame.to_machine(self._reported.point)

    def position_time(self) -> float:
        """When the machine last said where it is, in the clock's seconds."""
        return self._reported.time_s

    @property
    def gripper_on(self) -> bool:
        """Whether the gripper's output is on: switched, or found on by `connect`, with no reset or alarm since."""
        return self._outputs.on(self._gripper.output)

    def output_on(self, name: str) -> bool:
        """Whether "coolant" or "spindle" is on, as `gripper_on`."""
        return self._outputs.on(name)

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
            self._settings, self._barrier = said.settings, barrier_for(said.version)
            self._outputs.note_modes(said.modes)
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
        # Before it is sent: a stop from another thread must not take the machine for one at rest.
        self._phase, self._way = Phase.HOMING, None
        self._homing_ends = self._clock.now() + self._timings.homing_s
        self._the_link().send("$H")

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
        words = [
            f"{'XYZ'[axis]}{self._frame.to_firmware(axis, v):.3f}"
            for axis, v in enumerate((x, y, z))
            if v is not None
        ]
        how = "G0" if speed_mm_s is None else f"G1 F{speed_mm_s * 60:.1f}"
        line = f"G21 G90 G53 {how} {' '.join(words)}"
        self._require_rest(line)
        self._way = Way(here, target)
        self._phase = Phase.STARTING
        self._watch.begin(self._clock.now())
        self._exchange(line)
        self._phase = Phase.MOVING
        self._the_link().send(self._barrier)
        self._watch.begin(self._clock.now())

    def set_gripper(self, on: bool) -> None:
        """Switch the gripper's output; the machine must be at rest."""
        self.set_output(self._gripper.output, on, self._gripper.spindle_speed)

    def set_output(self, name: str, on: bool, level: float | None = None) -> None:
        """Switch "coolant", or "spindle" to the speed `level`; the machine must be at rest."""
        line = line_for(name, on, level)
        self._require_rest(line)
        self._exchange(line)
        self._outputs.check(line, name, on, self._exchange(ASK_MODES))

    def poll(self) -> MotionState:
        """Read on, ask for a report when one is due, and say what the machine is doing; never waits."""
        self._the_link()
        self._note_stop()
        self._take_messages()
        now = self._clock.now()
        if self._phase is Phase.HOMING:
            if now > self._homing_ends:
                self._lose(Phase.ALARM)
                self._send_realtime(RESET)
                raise FirmwareError(
                    f"Homing has taken more than {self._timings.homing_s:.0f} s: switch the machine off, and check "
                    "that nothing blocks it and that its switches work."
                )
        elif self._phase in MOTION or not self._hold.none:
            self._look_after(now)
        return self._state()

    def stop_at_once(self) -> bool:
        """Send a hold, or while homing a reset, from any thread; `poll` takes account of it."""
        link, phase = self._link, self._phase
        if link is None or not (phase in MOTION or phase is Phase.HOMING):
            return False
        self._stop_byte_sent = phase is not Phase.HOMING
        # A line that is gone carries nothing any more; whoever polls finds that out.
        with contextlib.suppress(HardwareError):
            link.send_realtime(RESET if phase is Phase.HOMING else HOLD)
        return True

    def _note_stop(self) -> None:
        if self._stop_byte_sent:
            self._stop_byte_sent = False
            self._hold.sent_elsewhere()
            self._watch.ask_at(self._clock.now())

    def hold(self) -> None:
        """Ask for a feed hold. Homing knows none (FirmwareError): `reset` stops it."""
        if self._phase is Phase.HOMING:
            raise FirmwareError("Homing cannot be held: reset the controller board to stop it.")
        if self._phase in MOTION:
            self._ask_for_hold()

    def resume(self) -> None:
        """Go on, as soon as the machine stands."""
        self._note_stop()
        self._hold.resume()
        self._watch.ask_at(self._clock.now() + self._timings.holding_s)

    def _ask_for_hold(self) -> None:
        self._hold.ask()
        self._watch.ask_at(self._clock.now())

    def reset(self) -> None:
        """Soft reset, and wait for the banner. At rest, also in a hold, Grbl keeps its position."""
        link = self._the_link()
        moving = self._phase in (Phase.STARTING, Phase.MOVING, Phase.HOMING) and self._hold.state is not Hold.AT_REST
        if moving or self._phase is Phase.ALARM:
            self._position_known = False
        link.answered()
        self._outputs.all_off()
        self._stop_byte_sent = False
        link.receive()  # A banner that has come already, as after homing that failed, answers no reset of ours.
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

    # When something has gone wrong.

    def _give_up(self) -> None:
        """We no longer know which line an answer belongs to, nor what was carried out: stop what may be moving."""
        self._the_link().answered()
        self._phase, self._out_of_step, self._position_known = Phase.READY, True, False
        stands = self._status is not None and self._status.state in ("Idle", "Alarm")
        if self._hold.none and not (stands and self._reported.time_s > self._watch.began_s):
            self._ask_for_hold()

    @property
    def _held(self) -> bool:
        return not self._hold.none

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

    def _take(self, message: Message) -> None:
        """Account for a message; raises if it says that something is wrong."""
        link = self._the_link()
        if isinstance(message, Status):
            self._take_status(message)
        elif isinstance(message, Ok) and self._phase in (Phase.MOVING, Phase.HOMING):
            link.answered()
            self._phase = Phase.CONFIRMING
            self._position_known = True
            self._watch.ask_at(self._clock.now())
        elif isinstance(message, Error) and self._phase in (Phase.MOVING, Phase.HOMING):
            moving = self._phase is Phase.MOVING
            refusal = self._refused(message.code, link.waiting_for)
            if moving:  # Only the barrier was refused: the move goes on.
                self._give_up()
            raise refusal
        elif isinstance(message, Alarm) and message.code == HOMING_DUE and not self._position_known:
            _log.info("Grbl wants to be homed")
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

    def _refused(self, code: int, line: str) -> FirmwareError:
        self._the_link().answered()
        self._at_rest_again()
        if code == 9:
            self._position_known = False
            self._outputs.all_off()
            return PositionLostError(error_sentence(code, line))
        return FirmwareError(error_sentence(code, line))

    def _lose(self, phase: Phase) -> None:
        """Whatever was under way is gone, and with it the knowledge of where the machine is; outputs are off."""
        self._the_link().answered()
        self._phase, self._position_known, self._stop_byte_sent = phase, False, False
        self._outputs.all_off()
        self._hold.over()

    def _at_rest_again(self) -> None:
        """What was to be done is not done: Grbl has refused it."""
        if self._phase in MOTION or self._phase is Phase.HOMING:
            self._phase = Phase.READY

    def _take_status(self, status: Status) -> None:
        now = self._clock.now()
        self._status = status
        self._reported.note(status, self._settings is not None and self._settings.reports_inches, now)
        self._watch.answered(status.state == "Idle", now)
        if status.state == "Alarm" and self._phase not in (Phase.ALARM, Phase.HOMING):
            was_known = self._position_known
            self._lose(Phase.READY)
            if was_known:
                raise PositionLostError("The controller board has locked itself: home the machine.")
        self._hold.note(status)
        if self._phase is Phase.CONFIRMING and status.state == "Idle" and self._hold.none:
            self._confirm()
        elif self._phase is Phase.MOVING:
            self._check_way(OFF_WAY_MM)

    def _confirm(self) -> None:
        """Motion is over: the machine must stand where it was sent, or the line was spoilt on its way."""
        if self._reported.point is None:
            return
        self._phase = Phase.READY
        if self._way is None:
            self._frame = frame_after_homing(self._reported.point, self.settings)
            return
        self._way = Way(self._way.target, self._way.target)
        self._check_way(AT_TARGET_MM)

    def _check_way(self, tolerance_mm: float) -> None:
        """A machine that is elsewhere than on its way was sent a spoilt line: stop it."""
        if self._way is None or self._reported.point is None:
            return
        off = self._way.beside_mm(self.position())
        if off > tolerance_mm:
            self._give_up()
            raise FirmwareError(spoilt_sentence(f"The machine stands {off:.1f} mm from where it was sent"))

    def _look_after(self, now: float) -> None:
        """Ask for a report when one is due, and notice silence and lost answers."""
        if self._watch.due(now):
            self._send_realtime(ASK_STATUS)
            self._watch.asked(now, self._hold.changing)
        if self._watch.silent(now):
            self._give_up()
            raise SerialError(silent_sentence(self._the_link().name))
        if self._phase is Phase.MOVING and self._hold.none and self._watch.idle_for_long(now):
            self._give_up()
            raise FirmwareError(spoilt_sentence(f"Grbl stands still but its answer to '{self._barrier}' was lost"))

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

    def _forget(self) -> None:
        """Nothing from an earlier connection counts."""
        self._inbox.clear()
        self._hold.over()
        self._out_of_step = False
        self._reported = ReportedPosition()
        self._frame = FirmwareFrame()
        self._settings = self._status = self._way = None
