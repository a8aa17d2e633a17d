"""The scenes on which the networks are trained: they show what their truth says."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="drawing scenes needs the extra: pip install -e '.[train]'")

from vision.disc_input import LEANS_PX
from vision.training import ray_tracer as rt
from vision.training.disc_samples import make_disc_samples
from vision.training.reflections import shining
from vision.training.samples import make_sample
from vision.training.scene import compose, render
from vision.training.store import decode, encode


def test_a_seed_is_always_the_same_scene() -> None:
    one, truth = render(7, 160, 2)
    again, same = render(7, 160, 2)
    assert np.array_equal(one, again)
    assert np.array_equal(truth.contents, same.contents)


@pytest.mark.parametrize("seed", range(12))
def test_discs_lie_where_the_truth_has_them(seed: int) -> None:
    scene = compose(seed, 160)
    lowest = scene.discs[scene.discs[:, rt.BASE] == 0]
    for row, column in zip(*np.nonzero(scene.truth.contents), strict=True):
        place = np.array([column + 0.5, row + 0.5]) + scene.truth.offsets[row, column]
        assert np.linalg.norm(lowest[:, [rt.X, rt.Y]] - place, axis=1).min() < 1e-9


def test_light_survives_being_stored() -> None:
    light = np.random.default_rng(2).uniform(0, 1.8, (8, 8, 3)).astype(np.float32)
    assert np.abs(np.sqrt(decode(encode(light))) - np.sqrt(light)).max() < 0.004


def test_samples_turned_and_mirrored_keep_discs_on_their_squares() -> None:
    random = np.random.default_rng(3)
    picture, truth = render(3, 320, 2)
    for _ in range(6):
        sample = make_sample(encode(picture), truth, random)
        assert sample.block.shape == (7, 320, 320)
        assert sorted(sample.contents.ravel()) == sorted(truth.contents.ravel())
        there = sample.contents > 0
        lengths = np.hypot(*sample.offsets)[there]
        true = np.linalg.norm(truth.offsets, axis=2)[truth.contents > 0]
        assert np.allclose(sorted(lengths), sorted(true), atol=1e-5)


def test_crops_are_told_where_their_discs_are() -> None:
    random = np.random.default_rng(4)
    picture, truth = render(3, 320, 2)
    samples = make_disc_samples(encode(picture), truth, random)
    assert samples is not None
    assert samples.blocks.shape[1:] == (3, 96, 60)
    assert np.isfinite(samples.blocks).all()
    assert np.hypot(samples.placed[:, 0], samples.placed[:, 1]).max() < 1.0
    assert np.allclose(samples.cases.sum(axis=1), 1)
    said = (samples.cases.reshape(-1, 2, 32).sum(axis=1) * np.arcsinh(LEANS_PX / 4)).sum(axis=1)
    assert 4 * np.sinh(said) == pytest.approx(np.minimum(samples.leans_px, LEANS_PX[-1]), abs=1e-3, rel=1e-3)


def test_some_crops_show_no_disc() -> None:
    random = np.random.default_rng(5)
    picture, truth = render(3, 320, 2)
    samples = make_disc_samples(encode(picture), truth, random)
    assert samples is not None
    discs = (truth.contents > 0) & ~truth.hidden
    assert samples.there.sum() >= discs.sum()
    assert not samples.there.all()
    assert not samples.marked[~samples.there].any()


def test_lacquer_and_lamps_only_add_light() -> None:
    picture, truth = render(3, 320, 2)
    changed = 0
    for seed in range(30):
        shown = shining(picture, truth, np.random.default_rng(seed))
        assert (shown >= picture - 1e-6).all()
        changed += bool((shown > picture + 0.01).any())
    assert 3 <= changed <= 20
