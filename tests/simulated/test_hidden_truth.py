"""Tables that nobody has calibrated: drawn from the seed, usable, and wrong only in what was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.simulated.geometry import TableGeometry
from hardware.simulated.hidden_truth import MachineFault, hidden_truth

SEEDS = range(1, 13)


def axes_of(geometry: TableGeometry) -> np.ndarray:
    return geometry.machine_axes[:2, :2]


def test_a_seed_is_a_table() -> None:
    assert hidden_truth(4) == hidden_truth(4)
    assert hidden_truth(4) != hidden_truth(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_hidden_stays_within_what_was_promised(seed: int) -> None:
    truth = hidden_truth(seed)
    axes = axes_of(truth.geometry)
    scales = np.linalg.norm(axes, axis=0)
    assert np.abs(scales - 1).max() <= 0.02
    turn = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
    lean = np.degrees(np.arctan2(-axes[0, 1], axes[1, 1])) - turn
    assert abs(turn) <= 8.0 + 0.4 + 0.5
    assert abs(lean) <= 1.0
    assert all(0 < slack <= 0.6 for slack in truth.imperfection.backlash_mm)
    assert truth.imperfection.placement_noise_mm * np.sqrt(2) == pytest.approx(0.3)
    places = np.array([(20.0, 20.0, 0.0), (300.0, 300.0, 0.0), *((x, y, 0.0) for x, y in truth.geometry.tray_mm)])
    machine = truth.geometry.board_to_machine @ np.column_stack([places, np.ones(len(places))]).T
    assert (machine < 0).all()
    assert (machine > -np.array(truth.geometry.travel_mm)[:, None]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_faults_change_the_machine_and_nothing_else(seed: int) -> None:
    right = hidden_truth(seed)
    mirrored, swapped, scaled = (
        hidden_truth(seed, fault) for fault in (MachineFault.MIRROR, MachineFault.SWAP, MachineFault.SCALE)
    )
    for wrong in (mirrored, swapped, scaled):
        assert wrong.geometry.camera == right.geometry.camera
        assert wrong.geometry.tray_mm == right.geometry.tray_mm
    axes = axes_of(right.geometry)
    assert np.linalg.det(axes_of(mirrored.geometry)) < 0
    assert np.allclose(axes_of(swapped.geometry), axes[:, ::-1])
    axis = scaled.faulty_axis
    assert np.linalg.norm(axes_of(scaled.geometry)[:, axis]) == pytest.approx(scaled.wrong_scale)
    assert abs(scaled.wrong_scale - 1) > 0.03


def test_a_mirrored_axis_covers_the_same_travel() -> None:
    right, wrong = hidden_truth(3), hidden_truth(3, MachineFault.MIRROR)
    axis, travel = wrong.faulty_axis, right.geometry.travel_mm

    def end(geometry: TableGeometry, part: float) -> np.ndarray:
        machine = np.zeros(3)
        machine[axis] = -part * travel[axis]
        return geometry.machine_axes @ machine + geometry.machine_origin_mm

    assert np.allclose(end(right.geometry, 0.0)[:2], end(wrong.geometry, 1.0)[:2], atol=0.5)
    assert np.allclose(end(right.geometry, 1.0)[:2], end(wrong.geometry, 0.0)[:2], atol=0.5)
