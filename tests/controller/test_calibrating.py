"""Calibrating the simulated table with a hidden truth, from the first step to the proof, and what is refused."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.calibration import load_calibration
from calibration.draft import STEPS, Step, read_draft_file
from calibration.errors import CalibrationError
from calibration.values import MilestoneRecord
from controller.calibrating.at_terminal import Corners, TerminalHelper, Verdict
from controller.calibrating.calibrator import Calibrator
from controller.calibrating.helper import Wish
from controller.calibrating.mishaps import Mishap
from controller.calibrating.plan import CalibrationOrder, Found
from controller.calibrating.run import calibrate_simulated, do_steps, steps_for
from controller.calibrating.simulated import SimulatedBench
from controller.errors import ControllerError
from hardware.clock import VirtualClock
from hardware.simulated.hidden_truth import hidden_truth
from tests.calibration_campaign import broken

TO_THE_ARM = STEPS[: STEPS.index(Step.ARM) + 1]


def order(seed: int, sheet: bool = False) -> CalibrationOrder:
    return CalibrationOrder(square_mm=40.0, sheet=sheet, seed=seed)


def accept_all(step: Step, found: Found) -> Verdict:
    return Verdict.ACCEPT


def test_a_hidden_table_is_calibrated_and_the_proof_is_true(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    seed = 1
    run = calibrate_simulated(VirtualClock(), seed, order(seed, sheet=True), save_to=path, pictures=tmp_path)
    report = run.report
    assert broken(report, Mishap.NONE) is None, report.refused
    assert report.true_rms_mm is not None
    assert report.rms_mm == pytest.approx(report.true_rms_mm, abs=0.25)
    assert report.true_map_rms_mm is not None
    assert report.true_map_rms_mm < 0.8
    truth = hidden_truth(seed)
    calibration = load_calibration(path)
    assert calibration.scale_from.endswith("the printed sheet agrees")
    assert [record.step for record in calibration.milestones] == [step.value for step in STEPS]
    assert calibration.hardware.firmware.startswith("Grbl")
    assert calibration.hardware.steps_per_mm == (75.0, 75.0, 250.0)
    assert calibration.backlash_mm == pytest.approx(truth.imperfection.backlash_mm, abs=0.3)
    assert calibration.disc.diameter_mm == pytest.approx(30.0, abs=0.8)
    assert calibration.disc.height_mm == pytest.approx(8.0, abs=0.5)
    assert calibration.tray_height_mm == pytest.approx(0.0, abs=0.5)
    # The tip meets the surface all over the board.
    corners = [(20.0, 20.0), (300.0, 20.0), (300.0, 300.0), (20.0, 300.0)]
    machine = np.array([calibration.to_machine(x, y, 0.0) for x, y in corners])
    tips = machine @ truth.geometry.machine_axes.T + truth.geometry.machine_origin_mm
    assert np.abs(tips[:, 2]).max() < 0.6
    assert read_draft_file(path).stale() == {}
    assert sorted(file.name for file in tmp_path.glob("*.png"))[-1] == "7-accuracy.png"
    assert run.simulated.table.world.mishaps == []
    assert run.simulated.table.moved_under_hand_s < 0.1


@pytest.mark.parametrize(("mishap", "seed"), [(Mishap.MIRROR, 19), (Mishap.SCALE, 4)])
def test_what_is_wrong_is_named_after_a_few_seconds(mishap: Mishap, seed: int) -> None:
    report = calibrate_simulated(VirtualClock(), seed, order(seed), mishap, TO_THE_ARM).report
    assert broken(report, mishap) is None, report.refused
    assert report.simulated_s is not None
    assert report.simulated_s < 120


def test_a_sheet_printed_at_the_wrong_scale_is_refused_at_the_camera() -> None:
    run = calibrate_simulated(VirtualClock(), 6, order(6, sheet=True), Mishap.SHEET)
    assert broken(run.report, Mishap.SHEET) is None, run.report.refused
    assert run.draft.record_of(Step.CAMERA) is None


def test_what_was_not_accepted_ends_it_and_what_is_to_be_done_again_is() -> None:
    judged: list[Step] = []

    def judge(step: Step, found: Found) -> Verdict:
        judged.append(step)
        if step is Step.BOARD:
            return Verdict.AGAIN if judged.count(step) == 1 else Verdict.LEAVE
        return Verdict.ACCEPT

    run = calibrate_simulated(VirtualClock(), 1, order(1), judge=judge)
    assert judged == [Step.CONNECT, Step.CAMERA, Step.BOARD, Step.BOARD]
    assert run.report.refused == "it was left before all steps were accepted"
    assert [record.step for record in run.draft.milestones] == ["connect", "camera"]


def bench_after(steps: tuple[Step, ...], seed: int = 1) -> tuple[SimulatedBench, Calibrator]:
    simulated = SimulatedBench(VirtualClock(), seed)
    calibrator = Calibrator(simulated.bench, order(seed), simulated.helper, simulated.toucher)
    assert do_steps(calibrator, steps, accept_all, lambda line: None)
    return simulated, calibrator


def test_a_camera_that_was_pushed_and_another_machine_are_noticed_by_the_next_step() -> None:
    simulated, calibrator = bench_after(STEPS[:4])
    calibrator.accept(Step.CONNECT, calibrator.run(Step.CONNECT))
    assert calibrator.draft.stale() == {}
    simulated.table.nudge_camera((9.0, 5.0, 0.0), (0.0, 0.0, 0.0))
    found = calibrator.run(Step.CONNECT)
    calibrator.accept(Step.CONNECT, found)
    assert "has been moved" in calibrator.draft.stale()[Step.BOARD]
    assert any("'board' has to be done again" in word for word in found.words)
    with pytest.raises(CalibrationError, match="'board' has to be done again first"):
        calibrator.run(Step.ARM)
    calibrator.accept(Step.BOARD, calibrator.run(Step.BOARD))
    assert set(calibrator.draft.stale()) == {Step.DISCS}
    # The file comes from a machine with other steps per mm.
    made_with = replace(calibrator.draft.hardware, steps_per_mm=(80.0, 75.0, 250.0))
    record = MilestoneRecord("arm", "2000-01-01T00:00:00+00:00", ("found",))
    calibrator.draft = replace(
        calibrator.draft.with_record(record), arm=calibrator.draft.provisional().arm, hardware=made_with
    )
    calibrator.accept(Step.CONNECT, calibrator.run(Step.CONNECT))
    assert "x had 80 steps per mm and has 75 now" in calibrator.draft.stale()[Step.ARM]


def test_corners_that_are_pointed_out_are_taken() -> None:
    _, calibrator = bench_after(STEPS[:2])
    side = 320.0
    camera = calibrator.draft.provisional().camera
    ring = camera.project([(0, side, 0), (side, side, 0), (side, 0, 0), (0, 0, 0)])
    corners = Corners(tuple((float(x) + 1.5, float(y) - 1.0) for x, y in ring))
    answers: list[Verdict | Corners] = [corners, Verdict.ACCEPT]
    assert do_steps(calibrator, (Step.BOARD,), lambda step, found: answers.pop(0), lambda line: None)
    assert not answers
    assert calibrator.draft.camera_rms_px is not None
    assert calibrator.draft.camera_rms_px < 0.3


def test_one_step_of_a_real_table_connects_first() -> None:
    assert steps_for(Step.ACCURACY, simulated=False) == (Step.CONNECT, Step.ACCURACY)
    assert steps_for(Step.CONNECT, simulated=False) == (Step.CONNECT,)
    assert steps_for(Step.BOARD, simulated=True) == (Step.CONNECT, Step.CAMERA, Step.BOARD)
    assert steps_for(None, simulated=False) == STEPS


# A person at a terminal.


def terminal(answers: str) -> tuple[TerminalHelper, io.StringIO]:
    output = io.StringIO()
    return TerminalHelper(output, io.StringIO(answers)), output


def test_a_person_lowers_the_tip_in_mm_until_it_touches() -> None:
    person, output = terminal("\n2,5\n-1\nabc\n99\nt\n")
    assert [person.lower_by() for _ in range(4)] == [1.0, 2.5, -1.0, None]
    assert "a number of mm" in output.getvalue()
    assert "no more than 40 mm" in output.getvalue()


def test_a_person_accepts_does_it_again_or_leaves() -> None:
    person, output = terminal("\na\nwhat\nq\n")
    verdicts = [person.judge(("found this",)) for _ in range(3)]
    assert verdicts == [Verdict.ACCEPT, Verdict.AGAIN, Verdict.LEAVE]
    assert "found this" in output.getvalue()


def test_a_person_points_corners_out() -> None:
    person, output = terminal("c\n1,2\nthree\n3,4\n5,6\n7,8.5\n")
    found = person.judge(("found this",), takes_corners=True)
    assert found == Corners(((1.0, 2.0), (3.0, 4.0), (5.0, 6.0), (7.0, 8.5)))
    assert "two numbers with a comma" in output.getvalue()


def test_a_person_says_how_large_the_squares_are() -> None:
    person, output = terminal("x\n0\n57,15\n")
    assert person.square_mm() == pytest.approx(57.15)
    assert output.getvalue().count("a number of mm from 5 to 150") == 2


def test_a_person_says_whether_the_tip_is_over_the_board() -> None:
    person, _ = terminal("n\nhm\ny\n")
    assert not person.over_board()
    assert person.over_board()


def test_nobody_at_the_terminal_is_said() -> None:
    person, _ = terminal("")
    with pytest.raises(ControllerError, match="needs a person"):
        person.please(Wish.CLEAR_BOARD, "Take everything off the board.")
