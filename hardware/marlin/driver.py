"""Marlin as a `Motion`: numbered lines, moves in short segments, a barrier and a look at the end of each.

`ok` only means that a segment is queued, so a move ends with a barrier (`M400`), which is answered when all motion
is over, and a question where the machine stands (`M114`, which in motion would tell the target). A hold is to send
nothing more: Marlin stops at the end of what is queued, and the rest of the way is planned anew from there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from hardware.clock import Clock
from hardware.errors import FirmwareError, HardwareError, PositionLostError
from hardware.marlin.exchange import MarlinExchange
from hardware.marlin.feed import Feed
from hardware.marlin.greeting import greet, introduction
from hardware.marlin.link import MarlinLink, UnexpectedHandler, log_unexpected
from hardware.marlin.messages import (
    Busy,
    Complaint,
    Firmware,
    Halted,
    Message,
    Ok,
    Position,
    Resend,
    Started,
    Text,
    Unknown,
    UnknownCommand,
)
from hardware.marlin.outputs import output_line
from hardware.marlin.phase import MOTION, Phase
from hardware.marlin.sentences import halted_sentence, restarted_sentence, spoilt_sentence
from hardware.marlin.settings import MarlinSettings
from hardware.marlin.timings import MarlinTimings
from hardware.motion import MachineLimits, MachinePoint, MotionState, check_reach
from hardware.serial_port import BytePort
from hardware.trapezoid import straight
from hardware.way import AT_TARGET_MM

BARRIER, ASK_POSITION = "M400", "M114"
QUICK_STOP, KILL = "M410", "M112"
GRIPPER = "fan"
"""The output that works the gripper unless another is named."""


class MarlinMotion(MarlinExchange):
    """The motion driver. `open_port` is called by `connect`, so that a port that was gone can be opened again.

    `gripper` is the output that works the gripper (`hardware.marlin.outputs`), `gripper_level` how much of it is on.
    """

    def __init__(
        self,
        open_port: Callable[[], BytePort],
        clock: Clock,
        gripper: str = GRIPPER,
        gripper_level: float | None = None,
        timings: MarlinTimings | None = None,
        on_unexpected: UnexpectedHandler = log_unexpected,
    ) -> None:
        super().__init__(clock, timings or MarlinTimings())
        output_line(gripper, True, gripper_level)  # ValueError now rather than in mid-game.
        self._open_port = open_port
        self._gripper = gripper
        self._gripper_level = gripper_level
        self._on_unexpected = on_unexpected
        self._outputs: dict[str, bool] = {}
        self._settings: MarlinSettings | None = None
        self._phase = Phase.CLOSED
        self._feed: Feed | None = None
        self._hold_wanted = False
        self._resume_wanted = False
        self._position_known = False
        self._at: MachinePoint | None = None
        self._at_s = 0.0
        self._home: MachinePoint | None = None
        self._speed_mm_s: float | None = None

    # Values.

    @property
    def settings(self) -> MarlinSettings:
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
        """Where homing has led to; before that the lower end of each axis, as Marlin's defaults have it."""
        x, y, z = self.settings.travel_mm
        return self._home or (-x, -y, -z)

    @property
    def position_known(self) -> bool:
        """Whether the machine has been homed and nothing has happened since that could have moved it unseen."""
        return self._position_known

    def position(self) -> MachinePoint:
        """Where the machine last said that it is; while it moves, the point that it has at least come to (mm)."""
        if self._at is None:
            raise PositionLostError("The machine has not said where it is yet: connect and home it.")
        return self._at

    def position_time(self) -> float:
        """The time of `position()`, in the clock's seconds."""
        return self._at_s

    @property
    def gripper_on(self) -> bool:
        """Whether the gripper's output is on; on, too, when nobody knows: Marlin cannot be asked."""
        return self.output_on(self._gripper)

    def output_on(self, name: str) -> bool:
        """Whether an output is on; on, too, when nobody knows."""
        output_line(name, True)
        return self._outputs.get(name, True)

    # Connecting.

    def connect(self) -> str:
        """Open the port, find Marlin, bring it to rest, and read its settings; returns its version."""
        self.close()
        link = MarlinLink(self._open_port(), self._clock, self._on_unexpected)
        self._link = link
        self._forget()
        try:
            said = greet(link, self._clock, self._timings.connect_s, self._timings.homing_s)
            if said.restarted:
                self._outputs_off()
            self._phase = Phase.READY
            link.restart_numbers()
            self._await_ok("M110 N0")
            introduced = introduction(self._exchange)
            self._settings = introduced.settings
            for line in ("G21", "G90", "M84 S0"):  # mm; absolute; motors stay on.
                self._exchange(line)
            self._exchange(ASK_POSITION)
        except BaseException:
            self.close()
            raise
        return introduced.version

    def close(self) -> None:
        """Let go of the line; the segments that are queued are carried out."""
        if self._link is not None:
            self._link.close()
        self._link = None
        self._phase = Phase.CLOSED
        self._position_known = False

    # Motion.

    def start_homing(self) -> None:
        """Send G28; a halted board has to be switched off and on first."""
        self._require_rest("G28", held_too=True)
        self._position_known, self._feed = False, None
        self._phase = Phase.HOMING
        self._begin_waiting(self._timings.homing_s)
        self._the_link().send("G28")

    def start_move(
        self,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        *,
        speed_mm_s: float | None = None,
    ) -> None:
        """Begin to send a straight move in machine coordinates (mm), segment by segment: `poll` goes on with it."""
        here = self.position()
        target = (here[0] if x is None else x, here[1] if y is None else y, here[2] if z is None else z)
        if x is None and y is None and z is None:
            raise ValueError("a move needs at least one axis")
        check_reach(target, self.settings.travel_mm)
        if not self._position_known:
            raise PositionLostError("The machine does not know where it is: home it before it moves.")
        self._require_rest("G1")
        self._speed_mm_s = speed_mm_s
        self._begin_feed(here, target)

    def _begin_feed(self, here: MachinePoint, target: MachinePoint) -> None:
        deltas = [b - a for a, b in zip(here, target, strict=True)]
        limits = self.settings
        profile = straight(deltas, limits.max_speed_mm_s, limits.acceleration_mm_s2, self._speed_mm_s)
        self._feed = Feed(here, target, profile, self._clock.now())
        self._hold_wanted = self._resume_wanted = False
        self._phase = Phase.FEEDING
        self._go_on()

    def set_gripper(self, on: bool) -> None:
        """Switch the gripper's output; the machine must be at rest."""
        self.set_output(self._gripper, on, self._gripper_level)

    def set_output(self, name: str, on: bool, level: float | None = None) -> None:
        """Switch an output (`hardware.marlin.outputs` has their names); the machine must be at rest."""
        line = output_line(name, on, level)
        if self._phase is not Phase.HELD:  # There, too, Marlin stands and has nothing queued.
            self._require_rest(line)
        self._exchange(line)
        self._outputs[name] = on

    def poll(self) -> MotionState:
        """Read on, send the next segment if it is due, and say what the machine is doing; never waits."""
        self._the_link()
        self._take_messages()
        now = self._clock.now()
        if self._phase in MOTION or self._phase is Phase.HOMING:
            self._notice_silence(now)
        self._go_on()
        if self._phase in MOTION and self._feed is not None and now - self._at_s >= self._timings.report_s:
            self._at, self._at_s = self._feed.surely_reached(now), now
        return self._state()

    def stop_at_once(self) -> bool:
        """Send no more of a move; while homing, halt the board if it hears that. From any thread."""
        link, phase = self._link, self._phase
        if link is None or not (phase in MOTION or phase is Phase.HOMING):
            return False
        self._hold_wanted = phase in MOTION
        if phase is Phase.HOMING and self._settings is not None and self._settings.emergency_parser:
            with contextlib.suppress(HardwareError):
                link.send_unnumbered(KILL)
        return True

    def hold(self) -> None:
        """Send no more, so that the machine stops at the end of what is queued. Homing cannot be held."""
        if self._phase is Phase.HOMING:
            raise FirmwareError("Homing cannot be held: use the button that cuts the motors' power to stop it.")
        if self._phase in MOTION:
            self._hold_wanted, self._resume_wanted = True, False

    def resume(self) -> None:
        """Go on with the rest of the way, as soon as the machine stands."""
        self._resume_wanted = self._hold_wanted or self._phase is Phase.HELD
        self._go_on()

    def reset(self) -> None:
        """Stop as soon as Marlin lets us: M410 in motion, M112 while homing, which halts the board.

        Outputs stay as they are, except those of a halted board. FirmwareError if homing cannot be stopped.
        """
        link = self._the_link()
        if self._phase is Phase.HALTED:
            raise PositionLostError(halted_sentence(""))
        if self._phase is Phase.HOMING:
            self._stop_homing()
        moving = self._phase in MOTION
        self._feed = None
        self._hold_wanted = self._resume_wanted = False
        if not moving:
            self._phase = Phase.READY
            return
        self._position_known = False
        link.answered()
        link.send_unnumbered(QUICK_STOP)
        self._phase = Phase.READY
        for message in link.until_quiet(self._timings.alive_s / 4, self._timings.step_s):
            if isinstance(message, Halted | Started):
                self._take(message)
        link.restart_numbers()
        self._await_ok("M110 N0")
        self._exchange(ASK_POSITION)

    def _stop_homing(self) -> None:
        self._position_known = False
        if not self.settings.emergency_parser:
            raise FirmwareError(
                "Marlin cannot be stopped while it homes: use the button that cuts the motors' power, and build "
                "Marlin with EMERGENCY_PARSER."
            )
        self._the_link().send_unnumbered(KILL)
        self._halt()
        raise PositionLostError(halted_sentence("homing was stopped"))

    # One thing after the other.

    def _go_on(self) -> None:
        """Send what comes next, if the line is free for it."""
        link = self._the_link()
        if link.waiting_for:
            return
        now = self._clock.now()
        if self._phase is Phase.FEEDING and self._feed is not None:
            if self._hold_wanted:
                self._phase = Phase.BRAKING
            elif (segment := self._feed.due(now)) is not None:
                self._begin_waiting(self._timings.answer_s)
                link.send(self._segment_line(segment.target))
                return
        if self._phase is Phase.BRAKING or (
            self._phase is Phase.FEEDING and self._feed is not None and self._feed.all_sent
        ):
            self._phase = Phase.SETTLING
            self._begin_waiting(self._timings.answer_s)
            link.send(BARRIER)
        elif self._phase is Phase.HELD and self._resume_wanted and self._feed is not None:
            self._begin_feed(self.position(), self._feed.target)

    def _segment_line(self, target: MachinePoint) -> str:
        assert self._feed is not None
        settings = self.settings
        words = [
            f"{name}{value + top:.3f}"
            for name, value, top, a, b in zip(
                "XYZ", target, settings.highest_mm, self._feed.start, self._feed.target, strict=True
            )
            if a != b
        ]
        return " ".join(["G1", *words, f"F{self._feed.profile.speed * 60:.0f}"])

    def _answered(self) -> None:
        """The line that was sent last has its `ok`."""
        link = self._the_link()
        line = link.waiting_for
        link.answered()
        if self._phase is Phase.SETTLING or self._phase is Phase.HOMING:
            if self._phase is Phase.HOMING:
                self._feed = None
            self._phase = Phase.CONFIRMING
            self._begin_waiting(self._timings.answer_s)
            link.send(ASK_POSITION)
        elif self._phase is Phase.CONFIRMING and line == ASK_POSITION:
            self._confirm()

    def _confirm(self) -> None:
        """Motion is over: the machine must stand where it was sent, or short of there if it was held."""
        feed, at = self._feed, self._at
        if at is None or self._at_s < self._since_s:
            self._give_up()
            raise FirmwareError(spoilt_sentence("Marlin has not said where the machine stands"))
        if feed is None:
            self._position_known, self._phase = True, Phase.READY
            x, y, z = (
                -travel if value < -travel / 2 else 0.0
                for value, travel in zip(at, self.settings.travel_mm, strict=True)
            )
            self._home = (x, y, z)
            return
        wanted = feed.sent_to
        off = max(abs(a - b) for a, b in zip(at, wanted, strict=True))
        if off > AT_TARGET_MM:
            self._give_up()
            raise FirmwareError(spoilt_sentence(f"The machine stands {off:.1f} mm from where it was sent"))
        if self._hold_wanted:
            self._phase, self._hold_wanted = Phase.HELD, False
        else:
            self._phase, self._feed = Phase.READY, None

    # What arrives.

    def _take(self, message: Message) -> None:
        link = self._the_link()
        if isinstance(message, Position):
            self._note_position(message)
        elif isinstance(message, Ok) and link.waiting_for:
            self._answered()
        elif isinstance(message, Busy):
            self._heard()
        elif isinstance(message, Halted):
            self._halt()
            raise PositionLostError(halted_sentence(message.text))
        elif isinstance(message, Started) or (isinstance(message, Resend) and message.number == 1):
            self._outputs_off()
            self._lose(Phase.READY)
            raise PositionLostError(restarted_sentence())
        elif isinstance(message, Resend) and link.waiting_for:
            self._give_up()
            raise FirmwareError(
                spoilt_sentence(f"Marlin has lost count of the lines and wants number {message.number}")
            )
        elif isinstance(message, UnknownCommand) and self._phase in MOTION | {Phase.HOMING}:
            self._give_up()
            raise FirmwareError(spoilt_sentence(f"Marlin did not understand a line ({message.text})"))
        elif not isinstance(message, Unknown | Text | Complaint | Firmware):
            link.report_unexpected(message)

    def _note_position(self, message: Position) -> None:
        self._heard()
        top = self._settings.highest_mm if self._settings is not None else (0.0, 0.0, 0.0)
        x, y, z = (value - high for value, high in zip(message.point, top, strict=True))
        self._at, self._at_s = (x, y, z), self._clock.now()

    def _notice_silence(self, now: float) -> None:
        if self._the_link().waiting_for and now > self._patience_ends:
            self._explain_silence(self._the_link().waiting_for)

    def _require_rest(self, line: str, held_too: bool = False) -> None:
        """Only from rest is anything new sent."""
        if self._phase is Phase.HALTED:
            raise PositionLostError(halted_sentence(""))
        if held_too and self._phase is Phase.HELD:
            self._phase = Phase.READY
        if self._phase is not Phase.READY:
            raise FirmwareError(f"'{line}' was not sent, as the machine has not come to rest: wait until it has.")

    def _give_up(self) -> None:
        """We no longer know what was carried out: send nothing more, so that the machine stops."""
        self._lose(Phase.READY)

    def _lose(self, phase: Phase) -> None:
        self._the_link().answered()
        self._phase, self._position_known, self._feed = phase, False, None
        self._hold_wanted = self._resume_wanted = False

    def _halt(self) -> None:
        self._outputs_off()
        self._lose(Phase.HALTED)

    def _outputs_off(self) -> None:
        self._outputs = dict.fromkeys([self._gripper, *self._outputs], False)

    def _state(self) -> MotionState:
        if self._phase is Phase.HALTED:
            return MotionState.ALARM
        if self._phase is Phase.HOMING:
            return MotionState.HOMING
        if self._phase is Phase.HELD or (self._phase in MOTION and self._hold_wanted):
            return MotionState.HOLDING
        return MotionState.MOVING if self._phase in MOTION else MotionState.IDLE

    def _forget(self) -> None:
        """Nothing from an earlier connection counts, but what was switched on then."""
        self._inbox.clear()
        self._settings = self._feed = self._at = None
        self._hold_wanted = self._resume_wanted = False
