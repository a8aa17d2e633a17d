"""The permit while nobody knows yet how the machine moves."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.draft import STEPS, Step
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from controller.calibrating.calibrator import Calibrator
from controller.calibrating.plan import CalibrationOrder
from controller.calibrating.run import do_steps
from controller.calibrating.simulated import SimulatedBench
from controller.calibrating.still import still_frame
from controller.calibrating.watch import PATIENCE_S, Sureness, map_of, possible_maps
from hardware.clock import VirtualClock
from hardware.errors import CameraError
from hardware.frame import Frame
from hardware.simulated.camera import CameraState
from hardware.simulated.errand import Errand, Hover
from tests.controller.test_calibrating import accept_all

BEFORE_ARM = STEPS[: STEPS.index(Step.ARM)]


def test_a_hand_under_a_machine_that_nobody_knows_stops_it() -> None:
    clock = VirtualClock()
    simulated = SimulatedBench(clock, 4)
    said: list[str] = []
    simulated.helper.on_said = said.append
    hover = Errand((Hover((160.0, 160.0), 5.0),))
    lower_by, waved = simulated.helper.lower_by, []

    def wave_and_lower() -> float | None:
        if not waved:
            waved.append(True)
            simulated.table.hand.do(hover)
        return lower_by()

    simulated.helper.lower_by = wave_and_lower  # type: ignore[method-assign]
    calibrator = Calibrator(simulated.bench, CalibrationOrder(square_mm=40.0), simulated.helper, simulated.toucher)
    assert do_steps(calibrator, BEFORE_ARM, accept_all, said.append)
    calibrator.on_progress = _end
    with pytest.raises(EndedError):
        calibrator.run(Step.ARM)
    assert simulated.table.moved_under_hand_s < 0.05
    assert any("I hold still: a hand" in line for line in said)
    assert any("I go on" in line for line in said)
    # The machine stands: where it can be is its place, and nothing else is hidden.
    assert len(simulated.bench.gantry.whereabouts(clock.now())) == 1


class EndedError(Exception):
    """The test has seen enough."""


def _end(step: Step, done: int, of: int) -> None:
    raise EndedError


def test_what_stays_in_the_way_is_waited_for_and_then_told() -> None:
    clock = VirtualClock()
    simulated = SimulatedBench(clock, 4)
    bench = simulated.bench
    calibration = calibration_of(simulated.truth.geometry, clock.date())
    assert bench.watch.refusal() == "the camera has not been calibrated yet"
    maps = possible_maps(map_of(calibration), bench.gantry.limits.travel_mm)
    bench.watch.look_with(calibration, bench.gantry, simulated.camera.frame(), maps, Sureness.GUESSED)
    assert bench.watch.refusal() is None
    simulated.table.hand.do(Errand((Hover((160.0, 160.0), PATIENCE_S + 60.0),)))
    clock.sleep(4.0)
    began = clock.now()
    with pytest.raises(CalibrationError, match="I have waited for 2 minutes"):
        while clock.now() < began + PATIENCE_S + 30.0:
            assert bench.watch.refusal() is not None
            clock.sleep(1.0)


class Restless:
    """A camera before which something goes to and fro."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock, self._number = clock, 0

    def frame(self) -> Frame:
        self._number += 1
        pixels = np.full((240, 320, 3), 60, np.uint8)
        pixels[80:130, 40 + 60 * (self._number % 2) :][:, :50] = 200
        return Frame(pixels, self._clock.now(), self._number)

    def close(self) -> None:
        """Nothing."""


def test_a_picture_that_does_not_come_to_rest_is_said() -> None:
    clock = VirtualClock()
    with pytest.raises(CalibrationError, match="does not come to rest"):
        still_frame(Restless(clock), clock)


def test_a_camera_that_misses_some_frames_is_waited_for() -> None:
    clock = VirtualClock()
    table = SimulatedBench(clock, 4).table
    table.camera.state = CameraState.DEAD
    with pytest.raises(CameraError):
        still_frame(table.camera, clock)

    def come_back(now_s: float) -> None:
        if now_s > back_s:
            table.camera.state = CameraState.WORKING

    back_s = clock.now() + 2.0
    clock.attach(come_back)
    assert still_frame(table.camera, clock).time_s >= back_s
