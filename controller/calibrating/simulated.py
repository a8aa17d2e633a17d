"""The simulated table that nobody has calibrated, and the simulated person who helps with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from calibration.calibration import Calibration
from calibration.sheet import MODULE_MM, pattern
from controller.calibrating.helper import Wish
from controller.calibrating.touching import GuidedToucher, Toucher
from controller.errors import ControllerError
from controller.settings import GuardSettings, Settings
from controller.simulated_layout import stacks_in_trays
from controller.table import Workbench, open_simulated_workbench
from hardware.clock import VirtualClock
from hardware.frame import Camera, Frame
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.errand import Carry, Errand
from hardware.simulated.hidden_truth import HiddenTruth, MachineFault, hidden_truth
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.sheet import PaperSheet, SheetPose
from hardware.simulated.table import SimulatedTable, TableSetup

ANSWER_S = 1.0
"""How long a person takes to look and to answer."""
SEES_MM = 0.2
"""How small a gap under the tip a person sees."""
PATIENCE_S = 90.0
LONGEST_S = 1200.0
"""A calibration that takes longer waits for something that nobody does."""
LOOKS_S = 1.0
"""Between looks of the hand guard: each has to be drawn."""
SHEET_POSES = (
    SheetPose((100.0, 120.0, 90.0), (30.0, 0.0), 10.0),
    SheetPose((220.0, 200.0, 90.0), (-25.0, 10.0), 80.0),
    SheetPose((60.0, 160.0, 90.0), (5.0, 30.0), 20.0),
    SheetPose((260.0, 160.0, 90.0), (5.0, -30.0), 100.0),
    SheetPose((160.0, 60.0, 80.0), (20.0, 20.0), 45.0),
    SheetPose((160.0, 260.0, 80.0), (-20.0, -20.0), -30.0),
)
"""How a person holds the sheet, one time after the other."""
FLAT = SheetPose((163.0, 157.0, 0.2), (0.0, 0.0), 3.0)
MIDDLE_MM = ((140.0, 140.0), (220.0, 220.0))
"""Two dark squares' middles, apart from each other."""
EDGE_MM = 5.0
LEFT_MM = (60.0, 60.0)
"""Where somebody leaves a disc who was asked not to."""


@dataclass(frozen=True)
class SimulatedFaults:
    """What goes wrong besides the machine itself.

    printed: the scale at which the sheet was printed. leaves_a_disc: whether the person leaves another disc on the
    board.
    """

    machine: MachineFault = MachineFault.NONE
    printed: float = 1.0
    leaves_a_disc: bool = False


@dataclass(frozen=True)
class TrueErrors:
    """How far the arm is really off, mm."""

    rms_mm: float
    worst_mm: float


class SheetCamera:
    """The table's camera, before which somebody may hold the printed sheet."""

    def __init__(self, camera: Camera, sheet: PaperSheet) -> None:
        self.pose: SheetPose | None = None
        self._camera, self._sheet = camera, sheet

    def frame(self) -> Frame:
        """A fresh frame, with the sheet in it if it is held up."""
        frame = self._camera.frame()
        if self.pose is None:
            return frame
        return Frame(self._sheet.over(frame.pixels, self.pose), frame.time_s, frame.number)

    def close(self) -> None:
        """Let go of the device."""
        self._camera.close()


class SimulatedBench:
    """An uncalibrated table on virtual time: `bench` to calibrate it with, `truth` which only measuring may look
    at.
    """

    def __init__(
        self,
        clock: VirtualClock,
        seed: int,
        faults: SimulatedFaults = SimulatedFaults(),
        setup: TableSetup | None = None,
    ) -> None:
        self.truth: HiddenTruth = hidden_truth(seed, faults.machine)
        geometry = self.truth.geometry
        setup = setup or TableSetup(seed=seed)
        setup = replace(setup, geometry=geometry, imperfection=self.truth.imperfection)
        self.table = SimulatedTable(clock, setup, stacks_in_trays(geometry.tray_mm))
        sheet = PaperSheet(pattern(), MODULE_MM * faults.printed, geometry.camera, seed)
        self.camera = SheetCamera(self.table.camera, sheet)
        settings = Settings(guard=GuardSettings(interval_s=LOOKS_S, settle_s=0.5))
        self.bench: Workbench = open_simulated_workbench(settings, clock, self.table, self.camera)
        self.helper = SimulatedHelper(self.table, self.camera, clock, seed, faults.leaves_a_disc)
        self.toucher: Toucher = GuidedToucher(self.bench.gantry, self.helper, self.bench.watch.rested)
        self._ends_s = clock.now() + LONGEST_S
        clock.attach(self._raise_when_too_late)
        self._landed: dict[int, list[tuple[float, float]]] = {}

    def done(self) -> None:
        """Calibrating is over, however it went: time does not matter any more."""
        self._ends_s = math.inf

    def _raise_when_too_late(self, now_s: float) -> None:
        """End what would go on for ever; once, as things have to be put away afterwards."""
        if now_s > self._ends_s:
            self.done()
            raise ControllerError(f"after {LONGEST_S:.0f} s the calibration is not done: it waits in vain")

    def note_landed(self, calibration: Calibration, square: int, attempt: int) -> None:
        """Keep in mind how far from a square's middle the disc that was meant for it really lies."""
        x, y = calibration.square_mm_centre(square, human_is_white=True)
        near = min(self.table.discs, key=lambda disc: math.hypot(disc.x - x, disc.y - y))
        self._landed.setdefault(square, []).append((near.x - x, near.y - y))

    @property
    def true_errors(self) -> TrueErrors | None:
        """Of the discs of the proof, as `Accuracy` counts them; None if there was none."""
        if not self._landed:
            return None
        missed = np.array([np.hypot(*np.mean(found, axis=0)) for found in self._landed.values()])
        return TrueErrors(float(np.sqrt((missed**2).mean())), float(missed.max()))

    def true_map_errors(self, calibration: Calibration) -> TrueErrors:
        """How far from the middles of the squares the tip itself would go, chance apart."""
        geometry = self.truth.geometry
        squares = [calibration.square_mm_centre(square, human_is_white=True) for square in range(1, 33)]
        machine = np.array([calibration.to_machine(x, y, 0.0) for x, y in squares])
        tips = machine @ geometry.machine_axes.T + geometry.machine_origin_mm
        missed = np.hypot(*(tips[:, :2] - np.array(squares)).T)
        return TrueErrors(float(np.sqrt((missed**2).mean())), float(missed.max()))


class SimulatedHelper:
    """Does with the simulated hand what is asked of a person, inexactly, and looks how far the tip is from things."""

    def __init__(
        self, table: SimulatedTable, camera: SheetCamera, clock: VirtualClock, seed: int, leaves_a_disc: bool
    ) -> None:
        self.on_said: Callable[[str], None] = lambda sentence: None
        self._leaves_a_disc = leaves_a_disc
        self._table, self._camera, self._clock = table, camera, clock
        self._chance = np.random.default_rng((seed, 67))
        self._tilt = 0
        self._homes = {disc.id: (disc.x, disc.y) for disc in table.discs}

    def please(self, wish: Wish, sentence: str) -> None:
        """Do what is asked, and wait until the hand has gone."""
        self.on_said(f"→ {sentence}")
        self._clock.sleep(ANSWER_S)
        match wish:
            case Wish.LAY_SHEET:
                self._camera.pose = FLAT
            case Wish.TILT_SHEET:
                self._camera.pose = SHEET_POSES[self._tilt % len(SHEET_POSES)]
                self._tilt += 1
            case Wish.TAKE_SHEET_AWAY:
                self._camera.pose = None
            case Wish.CLEAR_BOARD:
                self._carry([(disc, self._homes[disc.id]) for disc in self._on_board()])
            case Wish.TWO_DISCS:
                pair = (self._spare(DiscColour.DARK), self._spare(DiscColour.LIGHT))
                self._carry(list(zip(pair, MIDDLE_MM, strict=True)))
            case Wish.DISC_UNDER_TIP:
                tip = self._tip()
                carries = [(self._spare(DiscColour.LIGHT), (tip[0], tip[1]))]
                if self._leaves_a_disc:
                    carries.append((self._spare(DiscColour.DARK), LEFT_MM))
                self._carry(carries)
            case Wish.LIGHT_DISC:
                self._carry([(self._spare(DiscColour.LIGHT), MIDDLE_MM[0])])

    def set_up(self, stacks: list[StackOfDiscs]) -> None:
        """Lay single discs where these are; those that are not needed stay in their trays."""
        free = {colour: [disc for disc in self._table.discs if disc.colour is colour] for colour in DiscColour}
        carries = []
        for colour, x, y, _ in stacks:
            disc = min(free[colour], key=lambda one: math.hypot(one.x - x, one.y - y))
            free[colour].remove(disc)
            carries.append((disc, (x, y)))
        self._carry(carries)

    def over_board(self) -> bool:
        """Whether the tip is over the board's squares, and not at their very edge."""
        self._clock.sleep(ANSWER_S)
        x, y, _ = self._tip()
        side = 8 * self._table.geometry.square_mm
        return EDGE_MM < x < side - EDGE_MM and EDGE_MM < y < side - EDGE_MM

    def lower_by(self) -> float | None:
        """How far the tip may go down, as the person sees it; None when it touches."""
        self._clock.sleep(ANSWER_S)
        gap = self._gap()
        if gap <= SEES_MM:
            return None
        if gap > 8:
            return math.floor(0.75 * gap)
        return max(0.25, round(gap * float(self._chance.uniform(0.8, 1.0)) * 4) / 4)

    def say(self, sentence: str) -> None:
        """Pass on what was told."""
        self.on_said(f"  {sentence}")

    def _carry(self, carries: list[tuple[Disc, tuple[float, float]]]) -> None:
        if carries:
            steps = tuple(Carry((disc.x, disc.y), (float(to[0]), float(to[1]))) for disc, to in carries)
            self._table.hand.do(Errand(steps))
        until = self._clock.now() + PATIENCE_S + 4 * len(carries)
        while self._table.hand.busy and self._clock.now() < until:
            self._clock.sleep(0.1)

    def _on_board(self) -> list[Disc]:
        side = 8 * self._table.geometry.square_mm
        return [disc for disc in self._table.discs if -25 < disc.x < side + 25]

    def _spare(self, colour: DiscColour) -> Disc:
        lying = [disc for disc in self._table.discs if disc.colour is colour and disc not in self._on_board()]
        return lying[0]

    def _tip(self) -> tuple[float, float, float]:
        geometry = self._table.geometry
        x, y, z = geometry.machine_axes @ self._table.firmware.position + geometry.machine_origin_mm
        return float(x), float(y), float(z)

    def _gap(self) -> float:
        """How far the tip is above what is under it."""
        world, (x, y, z) = self._table.world, self._tip()
        near = [disc for disc in world.discs if math.hypot(disc.x - x, disc.y - y) < world.sizes.diameter_mm / 2]
        return z - max((disc.z + world.sizes.height_mm for disc in near), default=0.0)
