"""A calibration in the making: one file, finished or not; which step comes next, and which are stale."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from calibration.accuracy import Accuracy, SquareError, all_squares, table_of
from calibration.calibration import load_calibration, save_draft
from calibration.draft import STEPS, Draft, Step, calibration_from, draft_of, read_draft_file
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from calibration.values import MilestoneRecord
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
EMPTY = Draft(1, "2026-01-01T12:00:00+00:00", "a test")


def record(step: Step, minute: int) -> MilestoneRecord:
    return MilestoneRecord(step.value, f"2026-01-01T12:{minute:02}:00+00:00", ("found",), {"rms_mm": 0.4})


def test_a_calibration_and_its_draft_are_each_others_inverse() -> None:
    assert calibration_from(draft_of(CALIBRATION), "here") == CALIBRATION


def test_an_unfinished_file_is_kept_and_says_what_comes_next(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    draft = replace(EMPTY, camera=CALIBRATION.camera, square_mm=40.0, tray_mm=CALIBRATION.tray_mm)
    save_draft(draft, path)
    assert read_draft_file(path) == draft
    with pytest.raises(CalibrationError, match="not finished: go on with 'crownhead calibrate discs'"):
        load_calibration(path)


def test_without_its_proof_a_calibration_is_not_finished(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    draft = draft_of(CALIBRATION)
    for minute, step in enumerate(STEPS[:-1]):
        draft = draft.with_record(record(step, minute))
    save_draft(draft, path)
    with pytest.raises(CalibrationError, match="calibrate accuracy"):
        load_calibration(path)
    save_draft(draft.with_record(record(Step.ACCURACY, 30)), path)
    assert load_calibration(path).arm == CALIBRATION.arm
    assert read_draft_file(path.with_name("calibration.json.previous")) == draft


def test_steps_wait_for_those_they_build_on() -> None:
    assert EMPTY.missing_before(Step.CONNECT) is None
    assert EMPTY.missing_before(Step.CAMERA) is None
    assert EMPTY.missing_before(Step.ARM) is Step.CAMERA
    camera_known = replace(EMPTY, camera=CALIBRATION.camera)
    assert camera_known.missing_before(Step.BOARD) is None
    assert camera_known.missing_before(Step.ACCURACY) is Step.BOARD
    assert draft_of(CALIBRATION).missing_before(Step.ACCURACY) is None


def test_what_builds_on_a_step_that_was_done_again_is_stale() -> None:
    draft = EMPTY
    for minute, step in enumerate(STEPS):
        draft = draft.with_record(record(step, minute))
    assert draft.stale() == {}
    again = draft.with_record(record(Step.CAMERA, 40))
    assert set(again.stale()) == {Step.BOARD, Step.DISCS, Step.ARM, Step.HEIGHTS, Step.ACCURACY}
    assert "'camera' has been done again" in again.stale()[Step.ARM]
    assert draft.with_record(record(Step.CONNECT, 39)).stale() == {}
    last = draft.with_record(record(Step.HEIGHTS, 41))
    assert set(last.stale()) == {Step.ACCURACY}


def finished(draft: Draft) -> Draft:
    for minute, step in enumerate(STEPS):
        draft = draft.with_record(record(step, minute))
    return draft


def test_a_step_that_holds_no_longer_makes_what_builds_on_it_stale() -> None:
    draft = finished(draft_of(CALIBRATION)).doubted(Step.ARM, "another machine")
    assert draft.stale() == {
        Step.ARM: "another machine",
        Step.HEIGHTS: "'arm' has to be done again",
        Step.ACCURACY: "'arm' has to be done again",
    }
    assert draft.doubted(Step.ARM, None).stale() == {}
    again = draft.with_record(record(Step.ARM, 50))
    assert set(again.stale()) == {Step.HEIGHTS, Step.ACCURACY}


def test_what_is_older_than_what_it_builds_on_is_not_played_with() -> None:
    draft = finished(draft_of(CALIBRATION))
    assert calibration_from(draft, "here").arm == CALIBRATION.arm
    again = draft.with_record(record(Step.ARM, 50))
    with pytest.raises(CalibrationError, match=r"'arm' has been done again since: go on .* calibrate heights"):
        calibration_from(again, "here")


def test_an_unfinished_calibration_leaves_the_finished_one_before_the_last(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    save_draft(finished(draft_of(CALIBRATION)), path)
    for minute in (31, 32):
        save_draft(EMPTY.with_record(record(Step.CONNECT, minute)), path)
    assert load_calibration(path.with_name("calibration.json.previous")).arm == CALIBRATION.arm
    assert sorted(file.name for file in tmp_path.iterdir()) == ["calibration.json", "calibration.json.previous"]


def test_records_stay_in_the_steps_order() -> None:
    draft = (
        EMPTY.with_record(record(Step.ARM, 1)).with_record(record(Step.CONNECT, 2)).with_record(record(Step.ARM, 3))
    )
    assert [one.step for one in draft.milestones] == ["connect", "arm"]
    assert draft.made_at == "2026-01-01T12:03:00+00:00"


def test_before_there_is_a_camera_nothing_can_be_believed() -> None:
    with pytest.raises(CalibrationError, match="begin with 'crownhead calibrate camera'"):
        EMPTY.provisional()


def test_the_proof_counts_lengths() -> None:
    accuracy = Accuracy((SquareError(1, 0.3, 0.4), SquareError(2, 0.0, 1.0)))
    assert accuracy.rms_mm == pytest.approx((0.5 * (0.25 + 1.0)) ** 0.5)
    assert accuracy.worst.square == 2
    assert accuracy.good_enough
    assert not Accuracy((SquareError(7, 1.2, 0.9),)).good_enough
    assert table_of(accuracy).splitlines()[-1] == "RMS 0.79 mm, worst 1.00 mm on square 2"
    assert "+0.3+0.4" in table_of(accuracy).splitlines()[0]


def test_the_proof_goes_over_all_squares_by_short_ways() -> None:
    squares = all_squares()
    assert sorted(squares) == list(range(1, 33))
    centres = [CALIBRATION.square_mm_centre(square, True) for square in squares]
    ways = [max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in pairwise(centres)]
    assert max(ways) <= 80
