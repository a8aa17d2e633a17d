"""Runs the milestones of calibrating, one by one or all, and keeps what they find in a draft of the calibration."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from calibration.accuracy import GOOD_ENOUGH_MM, Accuracy, picture_of, table_of
from calibration.arm_fit import MachineNames, Tried
from calibration.calibration import Calibration, HardwareRecord, MilestoneRecord
from calibration.camera_pose import board_moved_mm
from calibration.draft import STEPS, Draft, Step
from calibration.errors import CalibrationError, CalibrationRefusedError
from calibration.reference_build import arm_map
from calibration.same_machine import machine_changes
from calibration.values import PointXY
from controller.calibrating.accuracy_step import prove
from controller.calibrating.arm_step import (
    carry_over_the_board,
    check_reach_of_places,
    final_map,
    find_grip_middle,
    first_ways,
    measure_heights,
    touch_at,
)
from controller.calibrating.carrier import Carrier, Heights, with_axes
from controller.calibrating.helper import Helper, Wish
from controller.calibrating.plan import CalibrationOrder, Found, Pixels
from controller.calibrating.sight_steps import board_step, camera_step, discs_step, found_board, parked
from controller.calibrating.still import still_frame
from controller.calibrating.touching import Toucher
from controller.calibrating.watch import Sureness, map_of, possible_maps
from controller.table import Workbench
from hardware.errors import CameraError, FirmwareError
from hardware.frame import Frame
from hardware.machine_check import contradictions
from vision.errors import BoardNotFoundError

ARM_HEIGHT_POINTS: tuple[PointXY, ...] = ((0.5, 0.5), (7.5, 0.5), (4.5, 7.5))
"""Where the arm's own step touches the surface, in squares: enough to carry discs about."""
MORE_HEIGHT_POINTS: tuple[PointXY, ...] = ((7.5, 7.5), (0.5, 6.5))
FREE_TRAY_PLACES = (16, 32)
"""Tray places that are to be free, so that the tip can touch the tray there."""
MOVED_MM = 2.5
"""A board that lies farther than this from where it was has been moved, or the camera has."""
HOMING_ALARMS = ("8", "9")
LOOKS_EVERY_S = 0.3
THICKEST_MM, THINNEST_MM = 25.0, 2.0


class Calibrator:
    """`draft` is what has been found so far. `on_landed` is told of each disc of the proof (for a simulated
    table).
    """

    def __init__(
        self, bench: Workbench, order: CalibrationOrder, helper: Helper, toucher: Toucher, draft: Draft | None = None
    ) -> None:
        self.draft = draft or Draft(version=1, made_at="", made_by=order.by)
        self.accuracy: Accuracy | None = None
        self.on_landed: Callable[[int, int], None] = lambda square, attempt: None
        self.on_progress: Callable[[Step, int, int], None] = lambda step, done, of: None
        """Told how many discs have been carried in a step, and how many will be at most."""
        self._bench, self._order, self._helper, self._toucher = bench, order, helper, toucher
        self._version = ""
        self._held = False
        self._carrier: Carrier | None = None
        self._disc_at: PointXY | None = None
        bench.gantry.on_wait = self._waits
        self._steps: dict[Step, Callable[[], Found]] = {
            Step.CONNECT: self._connect,
            Step.CAMERA: lambda: camera_step(self._order, self.draft, bench.camera, bench.clock, helper),
            Step.BOARD: self._board,
            Step.DISCS: self._discs,
            Step.ARM: self._arm,
            Step.HEIGHTS: self._heights,
            Step.ACCURACY: self._prove,
        }

    def run(self, step: Step) -> Found:
        """Do one step; `accept` takes what it has found.

        Raises CalibrationRefusedError, CalibrationError or VisionError for what does not work, and what the hardware
        raises.
        """
        if (before := self.draft.missing_before(step)) is not None:
            raise CalibrationError(f"'{step.value}' builds on '{before.value}': do that first")
        for stale, reason in self.draft.stale().items():
            if STEPS.index(stale) < STEPS.index(step):
                raise CalibrationError(f"'{stale.value}' has to be done again first: {reason}")
        return self._steps[step]()

    def accept(self, step: Step, found: Found) -> MilestoneRecord:
        """Take what a step has found into the draft."""
        made_at = self._bench.clock.date().isoformat()
        record = MilestoneRecord(step.value, made_at, found.words, found.figures)
        draft = found.draft.with_record(record)
        self.draft = replace(draft, hardware=self._hardware) if step is Step.ARM else draft
        return record

    def point_out(self, corners: tuple[tuple[float, float], ...]) -> None:
        """Take these for the board's four outer corners (px) from now on."""
        self._order = replace(self._order, corners=corners)

    def picture_now(self) -> Pixels | None:
        """What the camera sees now, if anything: for people who wonder why a step was refused."""
        with suppress(CameraError):
            return self._bench.camera.frame().pixels
        return None

    # The steps.

    def _connect(self) -> Found:
        gantry = self._bench.gantry
        self._version = gantry.connect()
        machine = gantry.machine
        frame = self._frame()
        height, width = frame.pixels.shape[:2]
        words = [f"{self._version} answers", f"the camera gives pictures of {width} × {height} px"]
        if not machine.can_home:
            raise CalibrationRefusedError(
                f"the machine cannot home: switch homing on ({machine.names.homing}) and see that its switches work"
            )
        limits = gantry.limits
        words += [one.sentence for one in contradictions(machine, limits.travel_mm, limits.fastest_mm_s)]
        draft = replace(self.draft, hardware=self._hardware) if self.draft.arm is None else self.draft
        doubts = {
            Step.CAMERA: self._camera_changed((width, height)),
            Step.BOARD: self._board_moved(frame),
            Step.ARM: self._machine_changed(),
        }
        for step, reason in doubts.items():
            draft = draft.doubted(step, reason if draft.record_of(step) is not None else None)
        words += [f"'{step.value}' has to be done again: {reason}" for step, reason in draft.stale().items()]
        figures = {f"steps_per_mm_{axis}": value for axis, value in zip("xyz", machine.steps_per_mm, strict=True)}
        return Found(draft, tuple(words), figures, frame.pixels)

    def _board(self) -> Found:
        self._helper.please(Wish.CLEAR_BOARD, "Take everything off the board; discs may lie in the trays.")
        return board_step(self._order, self.draft, self._frame())

    def _discs(self) -> Found:
        self._guess_arm()
        return discs_step(self._order, self.draft, self._clear_frame, self._helper)

    def _arm(self) -> Found:
        helper, names, sure = self._helper, self._names(), self._size_is_sure

        def progress(done: int, of: int) -> None:
            self.on_progress(Step.ARM, done, of)

        helper.please(Wish.CLEAR_BOARD, "Take everything off the board; discs may lie in the trays.")
        self._check_in_place()
        self._guess_arm()
        self._until_clear()
        self._home()
        carrier = self._new_carrier()
        first_ways(carrier, self._toucher, helper, names, sure)
        self._watch_with(carrier, Sureness.ROUGH)
        carrier.wait_nearby()
        touched_disc = carrier.touched_disc
        carrier.touched.clear()
        measure_heights(carrier, self._toucher, ARM_HEIGHT_POINTS)
        height = self._disc_height(carrier, touched_disc)
        seen = carrier.look()
        words: list[str] = []
        tried: list[Tried] = []
        if not self._order.lifts_stack:
            seen, tried = find_grip_middle(carrier, seen, progress)
        seen = carry_over_the_board(carrier, seen, self._order.seed, progress)
        fit = final_map(carrier, tried, names, sure)
        draft = self._with(carrier)
        draft = parked(replace(draft, disc=replace(draft.provisional().disc, height_mm=height)), self._travel)
        carrier.believe(draft.provisional())
        self._watch_with(carrier, Sureness.MEASURED)
        check_reach_of_places(draft.provisional(), self._travel)
        self._disc_at = seen
        axes = np.linalg.inv(np.asarray(draft.provisional().arm.matrix)[:2, :2])
        turn = math.degrees(math.atan2(axes[1, 0], axes[0, 0]))
        lean = math.degrees(math.atan2(-axes[0, 1], axes[1, 1])) - turn
        scales = [float(np.linalg.norm(axes[:, axis])) for axis in range(2)]
        words += [
            f"the machine lies turned by {turn:+.2f}° against the board, its axes {90 + lean:.2f}° to each other",
            f"told to go 1 mm, x goes {scales[0]:.4f} mm and y {scales[1]:.4f} mm",
            f"backlash: {fit.backlash_mm[0]:.2f} mm in x, {fit.backlash_mm[1]:.2f} mm in y; it is allowed for",
            f"discs are {height:.1f} mm high",
            f"{len(carrier.carried)} discs carried; left is {fit.rms_mm:.2f} mm RMS, {fit.worst_mm:.2f} mm at worst",
        ]
        if fit.slipped:
            words.append(f"{len(fit.slipped)} of them slipped and were left out")
        figures = {
            "rms_mm": fit.rms_mm, "worst_mm": fit.worst_mm, "turn_deg": turn, "skew_deg": lean, "scale_x": scales[0],
            "scale_y": scales[1], "backlash_x_mm": fit.backlash_mm[0], "backlash_y_mm": fit.backlash_mm[1],
            "carried": float(len(carrier.carried)), "slipped": float(len(fit.slipped)), "disc_height_mm": height,
        }  # fmt: skip
        return Found(draft, tuple(words), figures, self._frame().pixels)

    def _heights(self) -> Found:
        carrier = self._carrier_of_draft()
        self._helper.please(
            Wish.FREE_TRAY_PLACES, "See that T16 and T32 are free, the far outer corner of the tray on each side."
        )
        self._until_clear()
        points = MORE_HEIGHT_POINTS if carrier.touched else (*ARM_HEIGHT_POINTS, *MORE_HEIGHT_POINTS)
        self._step_aside(carrier, points)
        missed = measure_heights(carrier, self._toucher, points)
        places = []
        for place in FREE_TRAY_PLACES:
            x, y = carrier.calibration.tray_centre(place)
            machine = carrier.machine_xy((x, y))
            places.append(touch_at(carrier, self._toucher, machine) - carrier.surface(*machine))
        tray = float(np.mean(places))
        calibration = carrier.calibration
        carrier.believe(_with_heights(calibration, carrier.heights))
        draft = replace(self._with(carrier), tray_height_mm=tray)
        tilt = carrier.heights.along if carrier.heights else (0.0, 0.0)
        words = (
            f"the playing surface is touched at {len(carrier.touched)} points, {missed:.2f} mm from a plane at worst",
            f"it rises {1000 * tilt[0]:+.1f} mm a metre along the machine's x, {1000 * tilt[1]:+.1f} along y",
            f"the trays are {abs(tray):.1f} mm {'higher' if tray > 0 else 'lower'} than the playing surface",
        )
        figures = {"tray_height_mm": tray, "surface_off_plane_mm": missed, "touched": float(len(carrier.touched))}
        return Found(draft, words, figures)

    def _prove(self) -> Found:
        carrier = self._carrier_of_draft()
        self._watch_with(carrier, Sureness.MEASURED)
        seen = self._disc_at or carrier.look()
        accuracy, seen = prove(
            carrier, seen, self.on_landed, lambda done, of: self.on_progress(Step.ACCURACY, done, of)
        )
        self._disc_at, self.accuracy = seen, accuracy
        carrier.park()
        frame = self._frame()
        figures = {"rms_mm": accuracy.rms_mm, "worst_mm": accuracy.worst.length_mm}
        if not accuracy.good_enough:
            raise CalibrationRefusedError(
                f"a disc came to lie {accuracy.worst.length_mm:.1f} mm from the middle of square "
                f"{accuracy.worst.square} (at most {GOOD_ENOUGH_MM:g} mm is good enough to play): check that nothing "
                "is loose, then do 'arm' again"
            )
        words = tuple(table_of(accuracy).splitlines())
        return Found(self.draft, words, figures, picture_of(accuracy, carrier.calibration, frame.pixels))

    # Within.

    @property
    def _travel(self) -> tuple[float, float, float]:
        return self._bench.gantry.limits.travel_mm

    @property
    def _size_is_sure(self) -> bool:
        return self._order.square_mm is not None or self.draft.lens is not None

    def _names(self) -> MachineNames:
        machine = self._bench.gantry.machine
        names = machine.names
        return MachineNames(
            steps=names.steps[:2],
            steps_per_mm=machine.steps_per_mm[:2],
            direction=names.direction,
            direction_mask=machine.direction_mask,
            homing_direction=names.homing_direction,
            homing_mask=machine.homing_direction_mask,
        )

    @property
    def _hardware(self) -> HardwareRecord:
        """What there is now."""
        machine, (height, width) = self._bench.gantry.machine, self._frame().pixels.shape[:2]
        return HardwareRecord(
            self._version,
            machine.steps_per_mm,
            machine.travel_mm,
            f"{width} × {height}",
            platform.machine(),
            machine.direction_mask,
            machine.homing_direction_mask,
        )

    def _camera_changed(self, size: tuple[int, int]) -> str | None:
        camera = self.draft.camera
        if camera is None or camera.size == size:
            return None
        return "the camera's pictures were of {} × {} px and are of {} × {} px now".format(*camera.size, *size)

    def _board_moved(self, frame: Frame) -> str | None:
        """Whether the camera, or the board, has been moved since; where no board is to be seen nothing is said."""
        camera, square = self.draft.camera, self.draft.square_mm
        if camera is None or square is None or camera.size != frame.pixels.shape[1::-1]:
            return None
        with suppress(BoardNotFoundError, CalibrationError):
            moved = board_moved_mm(found_board(self._order, frame), camera, square)
            if moved > MOVED_MM:
                return f"the camera, or the board, has been moved (the board lies {moved:.0f} mm elsewhere)"
        return None

    def _machine_changed(self) -> str | None:
        changes = machine_changes(self.draft.hardware, self._bench.gantry.machine)
        return f"another machine, or its settings have been changed: {', '.join(changes)}" if changes else None

    def _frame(self) -> Frame:
        return still_frame(self._bench.camera, self._bench.clock, self._bench.watch.region)

    def _clear_frame(self) -> Frame:
        self._until_clear()
        return self._frame()

    def _waits(self, reason: str | None) -> None:
        if reason is not None:
            self._helper.say(f"I hold still: {reason}")
        elif self._held:
            self._helper.say("I go on")
        self._held = reason is not None

    def _guess_arm(self) -> None:
        """Have the guard reckon with every machine that may be there; the arm must not hide the table."""
        calibration = self.draft.provisional()
        nominal = map_of(replace(calibration, arm=arm_map(calibration.square_mm)))
        maps = possible_maps(nominal, self._travel)
        bench = self._bench
        bench.watch.look_with(calibration, bench.gantry, self._frame(), maps, Sureness.GUESSED)

    def _watch_with(self, carrier: Carrier, sureness: Sureness) -> None:
        """Foresee the gantry as the carrier now knows it; the picture that others are held against is without it."""
        carrier.wait_at_home()
        bench = self._bench
        maps = [map_of(carrier.calibration)]
        bench.watch.look_with(carrier.calibration, bench.gantry, self._frame(), maps, sureness)
        carrier.reference_taken()

    def _check_in_place(self) -> None:
        """Raise CalibrationError if the camera, or the board, has been moved since they were calibrated."""
        if (moved := self._board_moved(self._frame())) is not None:
            self.draft = self.draft.doubted(Step.BOARD, moved)
            raise CalibrationError(f"'board' has to be done again first: {moved}")

    def _until_clear(self) -> None:
        """Wait until nobody's hand is over the table; the watch loses its patience some time."""
        while self._bench.watch.refusal() is not None:
            self._bench.clock.sleep(LOOKS_EVERY_S)

    def _home(self) -> None:
        try:
            self._bench.gantry.home()
            self._bench.watch.rested()
        except FirmwareError as error:
            if any(f"ALARM:{alarm}" in str(error) or f"alarm {alarm}" in str(error) for alarm in HOMING_ALARMS):
                names = self._names()
                raise CalibrationRefusedError(
                    f"homing has not found a switch: a motor may run the wrong way; watch which axis moves away from "
                    f"its switch, and turn it round with {names.direction} (now {names.direction_mask})"
                ) from error
            raise

    def _new_carrier(self) -> Carrier:
        bench = self._bench
        believed = self.draft.provisional()
        calibration = replace(believed, arm=arm_map(believed.square_mm), backlash_mm=(0.0, 0.0))
        carrier = Carrier(bench.gantry, bench.camera, bench.watch, bench.clock, calibration)
        carrier.remember_bare(self._frame())
        self._carrier = carrier
        return carrier

    def _carrier_of_draft(self) -> Carrier:
        """The carrier that is there, or one that goes on where an earlier run ended: with one disc on the board."""
        if self._carrier is not None and self._disc_at is not None:
            return self._carrier
        bench, helper = self._bench, self._helper
        helper.please(Wish.CLEAR_BOARD, "Take everything off the board; discs may lie in the trays.")
        calibration = self.draft.provisional()
        self._check_in_place()
        bench.watch.look_with(calibration, bench.gantry, self._frame(), [map_of(calibration)], Sureness.MEASURED)
        self._until_clear()
        self._home()
        carrier = Carrier(bench.gantry, bench.camera, bench.watch, bench.clock, calibration)
        carrier.knows_the_way = True
        if self.draft.heights_at_zero is not None:
            carrier.heights = Heights(self.draft.heights_at_zero, self.draft.heights_along)
        carrier.park()
        carrier.remember_bare(self._frame())
        helper.please(Wish.LIGHT_DISC, "Put one light disc on a dark square in the middle of the board.")
        self._until_clear()
        self._carrier, self._disc_at = carrier, carrier.look()
        return carrier

    def _step_aside(self, carrier: Carrier, points: tuple[PointXY, ...]) -> None:
        """Carry the disc away if it lies where the surface is to be touched."""
        if self._disc_at is None:
            return
        square = carrier.calibration.square_mm
        away = [math.dist(self._disc_at, (x * square, y * square)) for x, y in points]
        if min(away) < 1.5 * square:
            self._disc_at = carrier.carry_slack_taken_up(self._disc_at, (2.5 * square, 3.5 * square))

    def _disc_height(self, carrier: Carrier, touched: tuple[float, float, float]) -> float:
        """A disc's height, from where the tip touched its top and where it touched the surface."""
        x, y, z = touched
        height = round(z - carrier.surface(x, y), 1)
        if not THINNEST_MM <= height <= THICKEST_MM:
            raise CalibrationRefusedError(
                f"the disc seems to be {height:.1f} mm high: put a single disc under the tip, and lower the tip "
                "until it just touches"
            )
        return height

    def _with(self, carrier: Carrier) -> Draft:
        """The draft with what the carrier knows."""
        calibration = carrier.calibration
        heights = carrier.heights
        return replace(
            self.draft,
            arm=calibration.arm,
            backlash_mm=calibration.backlash_mm,
            park_mm=calibration.park_mm,
            disc=calibration.disc,
            heights_at_zero=None if heights is None else heights.at_zero,
            heights_along=(0.0, 0.0) if heights is None else heights.along,
        )


def _with_heights(calibration: Calibration, heights: Heights | None) -> Calibration:
    """The calibration with its map's third row as these heights have it."""
    axes = np.linalg.inv(np.asarray(calibration.arm.matrix)[:2, :2])
    x, y, _ = calibration.to_machine(0.0, 0.0, 0.0)
    return with_axes(calibration, axes, (0.0, 0.0), (x, y), heights)
