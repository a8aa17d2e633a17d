"""Random commands to the gantry with random faults of line, firmware and people, and what must be true after each.

`python -m tests.random_commands --commands 10000 --seed 1 [--firmware grbl|marlin] [--report FILE]`: everything is on
virtual time, so it is the same for the same seed. After every command the outcome is done, failed (one sentence) or
stopped by a person, the machine comes to rest, and its position is known, and true, or said to be lost.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hardware.clock import VirtualClock
from hardware.errors import HardwareError, OutOfReachError, PositionLostError, StoppedError
from hardware.gantry import Gantry
from hardware.grbl.driver import GrblMotion
from hardware.marlin.driver import MarlinMotion
from hardware.motion import Motion, MotionState
from hardware.simulated.board import BoardFirmware
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.marlin import MarlinFirmware
from tests.late_line import LateLine

LONGEST_S = 400.0
"""Of virtual time for one command, with all that it waits for."""
AGREES_MM = 0.15
LATE_S = (0.0, 0.001, 0.004, 0.016)
"""How late the firmware's answers arrive."""
COMMANDS = ("move", "move", "move", "move", "slow", "axis", "home", "grip", "release", "far", "connect")
FAULTS = (
    *("swallow", "garble", "noise in", "noise out", "ff", "reset byte", "deaf", "alarm 1", "alarm 2", "alarm 3"),
    *("alarm 9", "restart", "mute", "unplug", "power cut", "hold at the board", "door", "stop", "hand", "stolen"),
)
ONLY_GRBL = frozenset({"hold at the board", "door", "reset byte", "alarm 2", "alarm 3", "alarm 9"})


class FaultyLine(LateLine):
    """A line that can lose and spoil bytes both ways."""

    def __init__(self, firmware: BoardFirmware, clock: VirtualClock) -> None:
        super().__init__(firmware, clock, late_s=0.0)
        self.spoil: Callable[[bytes], bytes] | None = None
        self.stolen = False

    def write(self, data: bytes) -> None:
        if self.spoil is not None:
            spoil, self.spoil = self.spoil, None
            data = spoil(data)
        super().write(data)

    def read(self) -> bytes:
        data = super().read()
        return b"" if self.stolen else data


class HandPermit:
    """Refused until a time."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.refused_until = -math.inf

    def refusal(self) -> str | None:
        return "a hand is over the board" if self._clock.now() < self.refused_until else None


class TooLongError(Exception):
    """A command did not end."""


@dataclass
class Rig:
    """A gantry over a simulated board, and the means to spoil its day."""

    kind: str
    chance: random.Random
    clock: VirtualClock = field(default_factory=VirtualClock)

    def __post_init__(self) -> None:
        self.firmware: BoardFirmware = GrblFirmware() if self.kind == "grbl" else MarlinFirmware()
        self.clock.attach(self.firmware.advance_to)
        self.line = FaultyLine(self.firmware, self.clock)
        self.unexpected = 0
        self.powered = True
        self.motion: Motion = (
            GrblMotion(lambda: self.line, self.clock, on_unexpected=self._count)
            if self.kind == "grbl"
            else MarlinMotion(lambda: self.line, self.clock, on_unexpected=self._count)
        )
        self.permit = HandPermit(self.clock)
        self.gantry = Gantry(self.motion, self.permit, self.clock)
        self._due: list[tuple[float, Callable[[], object]]] = []
        self._limit_s = math.inf
        self.clock.attach(self._time_passes)

    def _count(self, text: str) -> None:
        self.unexpected += 1

    def within(self, seconds: float) -> None:
        """From now on no more than this may pass."""
        self._limit_s = self.clock.now() + seconds

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something once, later."""
        self._due.append((self.clock.now() + seconds, action))

    def _time_passes(self, now: float) -> None:
        if now > self._limit_s:
            self._limit_s = math.inf
            raise TooLongError
        for entry in [entry for entry in self._due if entry[0] <= now]:
            self._due.remove(entry)
            entry[1]()

    def strike(self, fault: str) -> None:
        """Make it happen now; what passes by itself ends after a while."""
        faults, line, chance = self.firmware.faults, self.line, self.chance
        lasting = chance.uniform(0.5, 8.0)
        if fault == "swallow":
            faults.swallow_replies = chance.randint(1, 2)
        elif fault == "garble":
            faults.garble_replies = chance.randint(1, 2)
        elif fault == "noise in":
            self.firmware.noise(bytes(chance.randrange(256) for _ in range(chance.randint(1, 8))))
        elif fault == "noise out":
            line.spoil = self._flipped
        elif fault == "ff":
            line.spoil = lambda data: self._put(data, b"\xff")
        elif fault == "reset byte":
            line.spoil = lambda data: self._put(data, b"\x18")
        elif fault == "deaf":
            line.spoil = lambda data: b""
        elif fault.startswith("alarm"):
            self.firmware.raise_alarm(int(fault[-1]))
        elif fault == "restart":
            self.firmware.power_cycle()
        elif fault == "mute":
            faults.mute = True
            self.after(lasting, lambda: setattr(faults, "mute", False))
        elif fault == "unplug":
            line.unplug()
            self.after(lasting, line.plug_in)
        elif fault == "stolen":
            line.stolen = True
            self.after(lasting, lambda: setattr(line, "stolen", False))
        elif fault == "power cut":
            self.firmware.power_off()
            self.firmware.sink(chance.uniform(0.0, 20.0))
            self.powered = False
            self.after(lasting, self._power_on)
        elif fault == "hold at the board":
            self.firmware.receive(b"!")
        elif fault == "door":
            self.firmware.receive(b"\x84")
        elif fault == "stop":
            self.gantry.stop("a person stopped it")
        elif fault == "hand":
            self.permit.refused_until = self.clock.now() + lasting

    def _power_on(self) -> None:
        self.firmware.power_on()
        self.powered = True

    def _flipped(self, data: bytes) -> bytes:
        """One bit of a byte turned over, but not so that its line's end is lost or made."""
        at = self.chance.randrange(len(data))
        byte = data[at] ^ (1 << self.chance.randrange(8))
        return data if byte in b"\n\r" or data[at] in b"\n\r" else data[:at] + bytes([byte]) + data[at + 1 :]

    def _put(self, data: bytes, byte: bytes) -> bytes:
        at = self.chance.randrange(len(data))
        return data[:at] + byte + data[at + 1 :]

    def calm(self) -> None:
        """All that was wrong is over."""
        for _, action in self._due:
            action()
        self._due.clear()
        self.firmware.faults.swallow_replies = self.firmware.faults.garble_replies = 0
        self.firmware.faults.mute = self.line.stolen = False
        self.line.spoil = None
        self.permit.refused_until = -math.inf


@dataclass
class Tally:
    """What came of the commands."""

    outcomes: Counter[str] = field(default_factory=Counter)
    by_fault: dict[str, Counter[str]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    """What must not be, a line each."""

    def note(self, fault: str, outcome: str) -> None:
        self.outcomes[outcome] += 1
        self.by_fault.setdefault(fault, Counter())[outcome] += 1


def run(kind: str, commands: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Tally:
    """Give so many commands; half of them with a fault."""
    chance = random.Random(f"{kind} {seed}")
    rig, tally = Rig(kind, chance), Tally()
    rig.gantry.connect()
    rig.gantry.home()
    lingering = False
    for number in range(commands):
        progress(number)
        rig.line.late_s = chance.choice(LATE_S)
        fault = chance.choice(FAULTS) if chance.random() < 0.5 else "none"
        if kind != "grbl" and fault in ONLY_GRBL:
            fault = "none"
        command = chance.choice(COMMANDS)
        if fault != "none" and chance.random() < 0.5:
            rig.strike(fault)
        elif fault != "none":
            rig.after(chance.uniform(0.0, 1.5), lambda fault=fault: rig.strike(fault))  # type: ignore[misc]
        outcome, wrong = _ended(rig, command, fault == "none")
        tally.note(fault, outcome.split(":")[0])
        what = f"#{number} {command} with {fault}: {outcome}"
        lingering |= fault != "none"
        if not lingering and outcome != "done":
            tally.broken.append(f"{what}, and nothing was wrong")
        if fault == "none" and command != "far":  # A spoilt byte lingers until a line is sent behind it.
            lingering = False
        tally.broken += [f"{what}: {text}" for text in wrong]
        tally.broken += [f"{what}, then {text}" for text in _back(rig)]
    return tally


def _ended(rig: Rig, command: str, undisturbed: bool) -> tuple[str, list[str]]:
    """Give a command; how it ended, and what is wrong with that."""
    rig.within(LONGEST_S)
    chance, gantry = rig.chance, rig.gantry
    target = (chance.uniform(-620, 0), chance.uniform(-490, 0), chance.uniform(-95, 0))
    before = gantry.position
    try:
        if command in ("move", "slow"):
            gantry.move_to(*target, speed_mm_s=chance.uniform(60, 200) if command == "slow" else None)
        elif command == "axis":
            target = (target[0], before[1], before[2])
            gantry.move_to(x=target[0])
        elif command == "home":
            gantry.home()
        elif command == "grip":
            gantry.grip()
        elif command == "release":
            gantry.release()
        elif command == "connect":
            gantry.connect()
        else:
            try:
                gantry.move_to(x=5.0)
            except OutOfReachError:
                return "done", []
            return "done", ["a point outside the travel was not refused"]
    except StoppedError:
        return "stopped", _settled(rig)
    except HardwareError as error:
        wrong = [] if str(error).endswith(".") and "\n" not in str(error) else [f"no sentence: {error}"]
        return f"failed: {error}", wrong + _settled(rig)
    except TooLongError:
        return "hung", ["it did not end"]
    wrong = []
    # What a report on its way has told, the power's going may have made untrue since.
    if rig.powered and command in ("move", "slow", "axis") and math.dist(rig.firmware.position, target) > AGREES_MM:
        wrong.append(f"done, but the machine stands {math.dist(rig.firmware.position, target):.1f} mm away")
    if command == "grip" and undisturbed and not rig.firmware.gripper_on:
        wrong.append("done, but the gripper is off")
    return "done", wrong


def _settled(rig: Rig) -> list[str]:
    """After a command that did not get done: the machine is at rest, and its position known or said to be lost."""
    rig.within(LONGEST_S)
    rig.clock.sleep(4.0)  # At most the line in work runs on.
    wrong = ["the machine still moves"] if rig.firmware.moving and rig.gantry.homed else []
    try:
        rig.motion.poll()
        rig.clock.sleep(0.5)
        rig.motion.poll()
        position = rig.gantry.position
    except PositionLostError:
        return wrong
    except HardwareError:
        return wrong  # The line is still gone, say; whoever moves next is told.
    if rig.motion.position_known and math.dist(position, rig.firmware.position) > AGREES_MM:
        wrong.append(f"it believes to be {math.dist(position, rig.firmware.position):.1f} mm from where it is")
    return wrong


def _back(rig: Rig) -> list[str]:
    """The way back to work, once what was wrong is over."""
    rig.calm()
    rig.within(LONGEST_S)
    state = MotionState.ALARM
    try:
        for _ in range(30):  # In steps, so that what the firmware says meanwhile arrives meanwhile.
            rig.clock.sleep(0.1)
        rig.gantry.allow()
        if rig.gantry.homed:
            try:
                rig.gantry.move_to()  # What a stop has interrupted is finished.
                state, _ = rig.gantry.look()
            except HardwareError:
                state = MotionState.ALARM
        if not rig.gantry.homed or state is not MotionState.IDLE:
            _connected(rig)
            rig.gantry.home()
        if math.dist(rig.gantry.position, rig.firmware.position) > AGREES_MM:
            return [f"it believes to be elsewhere than at {rig.firmware.position}"]
        if rig.gantry.holding_disc != rig.firmware.gripper_on and rig.kind == "grbl":  # Marlin cannot be asked.
            return ["what it believes of its gripper is wrong"]
    except TooLongError:
        return ["the way back did not end"]
    except HardwareError as error:
        again = Rig(rig.kind, rig.chance)
        again.gantry.connect()
        again.gantry.home()
        rig.__dict__.update(again.__dict__)
        return [f"no way back: {error}"]
    return []


def _connected(rig: Rig) -> None:
    """Connect; a halted Marlin is switched off and on first, as its sentence asks."""
    try:
        rig.gantry.connect()
    except HardwareError:
        if rig.kind != "marlin":
            raise
        rig.firmware.power_cycle()
        rig.clock.sleep(3.0)
        rig.gantry.connect()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--commands", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--firmware", choices=("grbl", "marlin"), default="grbl")
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()

    def progress(done: int) -> None:
        if done and done % 1000 == 0:
            print(f"{done} commands", file=sys.stderr, flush=True)

    tally = run(arguments.firmware, arguments.commands, arguments.seed, progress)
    report = {
        "commands": arguments.commands,
        "outcomes": dict(tally.outcomes),
        "by_fault": {fault: dict(counts) for fault, counts in sorted(tally.by_fault.items())},
        "broken": tally.broken,
    }
    if arguments.report is not None:
        arguments.report.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=2))
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
