"""The tools that measure vision: what they count, and what they refuse."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pytest

from hardware.simulated.geometry import CAMERAS
from tests import reading_campaign, vision_benchmark
from tests.reading_campaign import START, Read, centres, faults, lay, line, random_contents, reliability, unprepared
from tests.sequences.stage import DISC_MM
from tests.vision_benchmark import Timed, largest_mb, report
from vision.reading import Content


def read_of(true: list[int], seen: list[int], confidence: float = 0.999, failed: str = "") -> Read:
    count = len(true)
    off = np.full((count, 2), np.nan)
    off[0] = 3.0, 4.0
    return Read(
        "walnut",
        "lamp",
        np.array(true),
        np.array(seen),
        np.full(count, confidence),
        np.zeros(count, dtype=bool),
        off,
        failed,
    )


def test_faults_are_told_apart() -> None:
    true = np.array([0, 1, 1, 2, 3, 4, 4, 0])
    seen = np.array([1, 0, 3, 1, 4, 2, 4, 0])
    occupied, colour, king = faults(true, seen)
    assert np.flatnonzero(occupied).tolist() == [0, 1]
    assert np.flatnonzero(colour).tolist() == [2, 5]
    assert np.flatnonzero(king).tolist() == [3, 4]


def test_a_line_counts_what_is_wrong_though_sure() -> None:
    words = line("it", [read_of([1, 0, 3], [1, 1, 4]), read_of([2, 0, 3], [2, 0, 3], confidence=0.9)]).split()
    places, occupied, colour, king, unread, sure, wrong, rms, right, failed = words[1:]
    assert (places, occupied, colour, king) == ("6", "1", "0", "1")
    assert (unread, sure, wrong, right, failed) == ("0", "3", "2", "1/2", "0")
    assert rms == "5.00"


def test_probabilities_that_keep_their_promise_have_no_calibration_error() -> None:
    honest = [read_of([1] * 10, [1] * 9 + [3], confidence=0.9)]
    boastful = [read_of([1] * 10, [1] * 5 + [3] * 5, confidence=1.0)]
    assert "calibration error 0.00000" in reliability(honest)
    assert "calibration error 0.50000" in reliability(boastful)


def test_laid_discs_lie_where_it_says_and_not_in_one_another() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        contents = random_contents(random)
        laid = lay(contents, random, 8.0)
        kings = np.isin(contents, (Content.DARK_KING, Content.LIGHT_KING)).sum()
        assert len(laid.discs) == np.count_nonzero(contents) + kings
        low = [disc for disc in laid.discs if disc.z == 0]
        for one, other in combinations(low, 2):
            assert np.hypot(one.x - other.x, one.y - other.y) > DISC_MM
        spots = np.array([(disc.x, disc.y) for disc in low])
        assert np.allclose(spots, (centres() + laid.bases_mm)[contents > 0])


def test_squares_of_a_board_found_anywhere_are_compared_with_the_right_ones() -> None:
    """In a good light next to nothing is wrong: squares in another order would be wrong by the dozen."""
    (read,) = unprepared("walnut", "window", CAMERAS["mast"], 1, 1)
    occupied, colour, _ = faults(read.true, read.seen)
    assert not read.failed
    assert np.count_nonzero(read.true) >= 8
    assert int((occupied | colour).sum()) == 0
    assert np.sqrt(np.nanmean((read.off_mm**2).sum(axis=1))) < 4.0


def test_the_start_is_a_start() -> None:
    assert (START[:12] == Content.DARK_MAN).all()
    assert (START[20:] == Content.LIGHT_MAN).all()
    assert centres()[0].tolist() == [60.0, 300.0]
    assert centres()[28].tolist() == [20.0, 20.0]


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        (reading_campaign, ["--boards", "0"], "the number of boards must be"),
        (reading_campaign, ["--lights", "candle"], "there is no light 'candle'"),
        (vision_benchmark, ["--repeats", "0"], "the number of repeats must be"),
    ],
)
def test_nonsense_is_refused(tool, arguments, reason, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        tool.main(arguments)
    assert reason in capsys.readouterr().err


def test_a_missed_aim_is_marked() -> None:
    words = report([Timed("blur", 2.0), Timed("reading", 30.0, 25.0), Timed("tracking", 3.0, 10.0)], 60.0, 151.0)
    marked = [text.split()[0] for text in words.splitlines() if "MISSED" in text]
    assert marked == ["reading", "memory,"]
    assert "15.0" in words


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")
def test_memory_is_that_of_the_program_started_and_not_of_this_one() -> None:
    here = bytearray(200_000_000)
    here[::4096] = bytes([1]) * len(here[::4096])
    small, large = (
        largest_mb("pass", []),
        largest_mb("some = bytearray(100_000_000); some[::4096] = b'1' * 24415", []),
    )
    assert small < 40
    assert 90 < large - small < 110
    assert here[0] == 1
