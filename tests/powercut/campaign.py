"""The campaign: a service, a table that outlives it, a guest, and somebody who pulls plugs."""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter

import cv2

from calibration.known_geometry import calibration_of
from controller.draughts import Position, write_fen
from controller.events import Event
from controller.journal import Journal
from controller.service.notify import Notifier
from controller.service.service import Service, Thinking
from controller.service.status import Record
from controller.service_settings import ServiceSettings
from controller.settings import GameSettings, GuardSettings, PlayerSettings, Settings, TableSettings
from controller.simulated_layout import starting_stacks
from controller.table import open_calibrated_simulated_table
from hardware.clock import RealClock, VirtualClock
from hardware.panel import Light
from hardware.simulated.control import TableControl
from hardware.simulated.requests import Fault, MakeFault
from hardware.simulated.table import SimulatedTable, TableSetup
from tests.powercut.guest import Guest
from tests.powercut.wire import RemoteTable, TableEnd

KINDS = ("killed", "killed and reset", "without power")
SETTINGS = Settings(
    game=GameSettings(human="black", level=2),
    table=TableSettings(kind="simulated"),
    guard=GuardSettings(interval_s=0.6, settle_s=0.8),
    player=PlayerSettings(idle_frame_s=0.7, hand_frame_s=0.6, patience_s=4.0),
    service=ServiceSettings(next_game_s=2.0, absent_s=1200.0),
)
AGAIN_S = 600.0
"""In this time (s of the table) after a restart a move has to be played, or the game is lost."""
LOOKS_S = 0.5
IN_RECOVERY = 0.2
"""How often the next cut comes before the last one has been got over."""


@dataclass
class Cut:
    """One cut and what came of it."""

    number: int
    kind: str
    doing: str
    asked: list[str] = field(default_factory=list)
    recovered: bool | None = None
    why: str = ""


@dataclass
class Campaign:
    """Runs `kills` cuts; `figures` says what came of them."""

    kills: int
    seed: int
    folder: Path
    cuts: list[Cut] = field(default_factory=list)
    restarts: int = 0

    def run(self, progress: bool = False) -> dict[str, object]:
        began = perf_counter()
        cv2.setNumThreads(1)  # No thread may have been started before the service's process is forked.
        self._chance = random.Random(f"cuts {self.seed}")
        self._clock = VirtualClock()
        setup = TableSetup(seed=self.seed)
        self._calibration = calibration_of(setup.geometry, self._clock.date())
        self._table = SimulatedTable(self._clock, setup, starting_stacks(Position.start(), self._calibration))
        self._discs = len(self._table.discs)
        self._control = TableControl(self._table, self._clock)
        self._journal = self.folder / "journal.sqlite3"
        self._guest = Guest(self._table, self._clock, self._calibration, self._journal, self.seed)
        self._clock.attach(self._guest.advance_to)
        width, height = setup.geometry.camera.size
        self._shape = (height, width, 3)
        self._pixels = mmap.mmap(-1, height * width * 3)
        self._end = TableEnd(self._table, self._clock, self._pixels)
        self._doing = ""
        while len(self.cuts) < self.kills:
            cut = self._life()
            self.cuts.append(cut)
            if progress:
                print(f"{len(self.cuts):4} {cut.kind:17} {cut.doing}", file=sys.stderr, flush=True)
        self._life(last=True)
        return self.figures() | {"wall_s": round(perf_counter() - began, 1)}

    def figures(self) -> dict[str, object]:
        lost = [cut for cut in self.cuts if cut.recovered is False]
        return {
            "kills": len(self.cuts),
            "seed": self.seed,
            "kinds": dict(Counter(cut.kind for cut in self.cuts)),
            "recovered": sum(cut.recovered is True for cut in self.cuts),
            "asked": sum(bool(cut.asked) for cut in self.cuts),
            "most_asked": max((len(cut.asked) for cut in self.cuts), default=0),
            "lost": len(lost),
            "lost_cuts": [f"{cut.number} {cut.kind}, {cut.doing}: {cut.why}" for cut in lost],
            "asked_for": [f"{cut.number} {cut.kind}: {text}" for cut in self.cuts for text in cut.asked],
            "doing": dict(Counter(cut.doing for cut in self.cuts)),
            "simulated_s": round(self._clock.now(), 1),
        }

    def _life(self, last: bool = False) -> Cut:
        """One life of the service, from its start to the cut; with `last` until all before is got over."""
        chance, waiting = self._chance, [cut for cut in self.cuts if cut.recovered is None]
        in_recovery = bool(waiting) and not last and chance.random() < IN_RECOVERY
        due = self._clock.now() + chance.uniform(0, 12) if in_recovery else None
        requests_left = chance.randrange(40)
        processed_first = chance.random() < 0.5
        connection, theirs = Pipe()
        before = self._moves()
        child = os.fork()
        if child == 0:
            connection.close()
            self._serve(theirs)
        theirs.close()
        self.restarts += 1
        asked_before, began = len(self._guest.asked), self._clock.now()
        look_at = began
        try:
            while True:
                request = connection.recv()
                if due is not None and self._clock.now() >= due:
                    requests_left -= 1
                    if requests_left < 0:
                        if processed_first:
                            self._answer(request)
                        break
                connection.send(self._answer(request))
                now = self._clock.now()
                looks = now >= look_at
                look_at = now + LOOKS_S if looks else look_at
                if waiting and looks and self._moves() > before and self._agrees():
                    for cut in waiting:
                        cut.recovered = True
                    waiting[-1].asked = self._guest.asked[asked_before:]
                    waiting = []
                if waiting and self._clock.now() - began > AGAIN_S:
                    for cut in waiting:
                        cut.recovered, cut.why = False, self._what_is_wrong(asked_before)
                    waiting = []
                    self._start_anew()
                if not waiting and last:
                    break
                if not waiting and due is None:
                    due = self._clock.now() + chance.uniform(0, 25)
        except (EOFError, ConnectionResetError):
            for cut in waiting:
                cut.recovered, cut.why = False, "the service ended by itself"
        finally:
            connection.close()
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if waiting:
            waiting[-1].asked = self._guest.asked[asked_before:]
        return self._cut()

    def _cut(self) -> Cut:
        """What happens with the table when its service has gone, until that is started again."""
        chance = self._chance
        kind = KINDS[len(self.cuts) % len(KINDS)]
        self._table.panel.show(Light.OFF)
        if kind == KINDS[1]:
            self._control.handle(MakeFault(Fault.RESET_FIRMWARE))
        elif kind == KINDS[2]:
            self._control.handle(MakeFault(Fault.POWER_OFF))
        self._clock.sleep(chance.uniform(0.1, 15))
        if chance.random() < 0.15:
            self._guest.move()
            self._clock.sleep(8)
        if kind == KINDS[2]:
            self._control.handle(MakeFault(Fault.POWER_ON))
            self._clock.sleep(3)
        return Cut(len(self.cuts) + 1, kind, self._doing)

    def _answer(self, request: tuple) -> object:
        if request[0] == "event":
            kind, text, state = request[1:]
            self._guest.hear(kind, text)
            self._doing = state
            return None
        return self._end.answer(request)

    def _moves(self) -> int:
        """How many moves were played in all games."""
        if not self._journal.exists():
            return 0
        with Journal(self._journal, self._clock, read_only=True) as journal:
            return sum(len(journal.moves(game.id)) for game in journal.games())

    def _agrees(self) -> bool:
        found = self._guest.game()
        if found is None or self._table.hand.busy or self._table.panel.light is not Light.YOUR_TURN:
            return False
        return self._guest.agrees(found[0])

    def _what_is_wrong(self, asked_before: int) -> str:
        found = self._guest.game()
        fen = "no game" if found is None else write_fen(found[0].position)
        return f"{self._doing}; {fen}; asked {self._guest.asked[asked_before:]}; {self._table.panel.light.value}"

    def _start_anew(self) -> None:
        """After a lost game somebody puts everything right, so that the next cut is judged for itself."""
        self._guest.help()

    def _serve(self, connection: Connection) -> None:
        """The service's process; never returns."""
        try:
            with (self.folder / "service.log").open("a", encoding="utf-8") as log:
                _run_service(RemoteTable(connection, self._pixels, self._shape, self._clock.date()), self, log)
        except BaseException as error:
            with (self.folder / "service.log").open("a", encoding="utf-8") as log:
                import traceback

                traceback.print_exception(error, file=log)
        finally:
            os._exit(1)


def _run_service(remote: RemoteTable, campaign: Campaign, log) -> None:
    calibration = campaign._calibration

    def say(line: str) -> None:
        print(f"{remote.now():9.1f}  {line}", file=log, flush=True)

    say(f"--- start {campaign.restarts}")
    service = Service(
        SETTINGS,
        remote,
        lambda: open_calibrated_simulated_table(SETTINGS, remote, remote, calibration),
        lambda: Journal(campaign._journal, remote),
        Record(remote, "simulated"),
        Notifier({}, remote),
        say,
        Thinking(RealClock(), 1.0, campaign.seed),
    )
    open_table = service._open_table

    def open_and_tell():
        table = open_table()
        tip_mm, on = remote.ask("tip")
        say(f"    (the gripper really is at {tip_mm}, {'on' if on else 'off'})")
        return table

    service._open_table = open_and_tell
    hear = service._hear

    def hear_and_tell(event: Event) -> None:
        hear(event)
        remote.ask("event", event.kind.value, event.text, event.state.value)

    service._hear = hear_and_tell
    remote.attach(service.come_round)
    service.run()


def written(figures: dict[str, object]) -> str:
    return json.dumps(figures, indent=1, ensure_ascii=False)
