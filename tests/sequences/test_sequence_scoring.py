"""How sequences are scored, and a few of them watched: all errands of the kinds that must always go right."""

from __future__ import annotations

import pytest

from tests.sequences.making import Order, acted, described, drawn
from tests.sequences.scoring import Said, compare, said_of, table_of

SEQUENCE = {
    "expected": [
        {"verdict": "moved_camera", "frames": [2, 3]},
        {"verdict": "move", "move": "10-14", "frames": [5, 6]},
        {"verdict": "illegal", "frames": [9, 10]},
    ],
    "styles": {"board": "walnut", "light": "lamp", "errand": "too_early"},
    "camera": {"style": "mast"},
}
RIGHT = [
    Said("unchanged", "", 0, ""),
    Said("moved_camera", "", 2, ""),
    Said("hand", "", 4, ""),
    Said("move", "10-14", 5, ""),
    Said("illegal", "", 9, ""),
    Said("illegal", "", 10, ""),
]


def test_the_verdicts_expected_are_right_however_often_they_are_said() -> None:
    score = compare("it", SEQUENCE, RIGHT)
    assert (score.right, score.false_move, score.refused, score.complaint) == (True, False, False, "")


@pytest.mark.parametrize(
    ("said", "false", "refused", "word"),
    [
        ([*RIGHT[:3], Said("move", "10-15", 5, ""), *RIGHT[4:]], True, False, "FALSE MOVE"),
        ([*RIGHT, Said("move", "24-20", 11, "")], True, False, "FALSE MOVE"),
        ([*RIGHT[:3], Said("move", "10-14", 4, ""), *RIGHT[4:]], False, False, "early"),
        (RIGHT[:4], False, False, "wanted"),
        ([*RIGHT[:4], Said("unclear", "", 9, "I cannot see 9")], False, True, "I cannot see 9"),
        ([RIGHT[4], RIGHT[3]], False, False, "wanted"),
    ],
    ids=["another move", "one too many", "too early", "one missing", "unclear", "another order"],
)
def test_what_is_not_right(said, false, refused, word) -> None:
    score = compare("it", SEQUENCE, said)
    assert not score.right
    assert (score.false_move, score.refused) == (false, refused)
    assert word in score.complaint


def test_a_watcher_that_cannot_begin_has_refused() -> None:
    score = compare("it", SEQUENCE, [], "there is no board")
    assert (score.right, score.refused) == (False, True)
    assert "there is no board" in score.complaint


def test_the_table_counts_by_errand_style_light_and_camera() -> None:
    scores = [compare("one", SEQUENCE, RIGHT), compare("two", SEQUENCE, RIGHT[:3])]
    lines = {line.split()[0]: line.split()[1:] for line in table_of(scores).splitlines()[1:] if line}
    for name in ("too_early", "walnut", "lamp", "mast", "total"):
        assert lines[name] == ["1/2", "0", "0", "1"]


WATCHED = (
    Order("double_jump", "walnut", "window", "mast", 1),
    Order("crowning", "green-buff", "overcast", "right", 2),
    Order("captured_left_standing", "marble", "lamp", "mast", 3),
    Order("two_squares", "mahogany", "window", "far", 4),
    Order("camera_nudged", "club-blue", "overcast", "overhead", 5),
    Order("hand_stays_after_moving", "roll-up", "window", "left", 6),
    Order("jump_gone_on_with", "marble", "overcast", "far", 4),  # In one frame the dark hand is hardly to be seen.
)


@pytest.mark.parametrize("order", WATCHED, ids=lambda order: order.errand)
def test_sequences_are_followed_without_a_fault(order) -> None:
    stage = acted(order, (960, 540))
    frames = (frame.pixels for _, frame in drawn(order, stage))
    said = list(said_of(frames, stage.start))
    told = described(order, stage, [{"corners": []}])
    score = compare(order.name, told, said)
    assert score.right, score.complaint
