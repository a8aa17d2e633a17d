"""The sequences that a watcher is measured by: what happens in them, and whether it is told truly."""

from __future__ import annotations

import json
import math
from itertools import combinations, product

import numpy as np
import pytest

from controller.draughts import Colour, Move, Position, parse_move, read_fen
from tests import watch_sequences
from tests.sequences.cameras import PLACES, camera_at, model_of
from tests.sequences.making import ALL_CAMERAS, ALL_LIGHTS, ALL_STYLES, ERRANDS, Order, acted, known, orders, write
from tests.sequences.positions import allowed_boards, is_wrong
from tests.sequences.stage import DISC_MM, GEOMETRY, Shot, Stage
from vision.finder import find_board
from vision.image_files import read_image

SEEDS = range(2)


def board(position: Position) -> tuple[int, int, int]:
    return position.black, position.white, position.kings


@pytest.fixture(scope="module", params=ERRANDS, ids=str)
def stages(request) -> list[tuple[Order, Stage]]:
    made = [Order(request.param, "walnut", "window", PLACES[seed % len(PLACES)], seed) for seed in SEEDS]
    return [(order, acted(order)) for order in made]


def test_the_verdicts_expected_are_those_of_the_rules(stages) -> None:
    for order, stage in stages:
        position = stage.start
        assert not position.problems(), order
        for one in stage.expected:
            if one.verdict == "move":
                move = parse_move(position, str(one.details["move"]))
                assert str(move) == one.details["move"]
                position = position.after(move)
        assert position == stage.position, order


def test_what_lies_there_in_the_end_is_what_was_said_last(stages) -> None:
    for order, stage in stages:
        lying, allowed = board(stage.lying), allowed_boards(stage.position)
        last = [one.verdict for one in stage.expected][-1:]
        if last == ["illegal"]:
            assert lying not in allowed, order
        elif last == ["unfinished"]:
            whole = {board(stage.position.after(move)) for move in stage.position.legal_moves()}
            assert lying in allowed - whole - {board(stage.position)}, order
        elif last == ["move"]:
            assert lying[:2] == board(stage.position)[:2], order


def test_verdicts_can_be_given_only_while_no_hand_and_no_arm_is_there(stages) -> None:
    for _, stage in stages:
        for one in stage.expected:
            shown = [stage.shots[frame] for frame in one.frames]
            assert len(shown) >= 2
            assert {shot.phase for shot in shown[1:]} == {"still"}
            for shot in shown[1:]:
                assert shot.scene.hand is None
                assert shot.scene.tip_mm is None
        assert [shot.phase for shot in stage.shots[:2]] == ["still", "still"]


def test_no_discs_lie_in_one_another_and_none_is_lost(stages) -> None:
    for order, stage in stages:
        numbers = {disc.id for disc in _all_discs(stage.shots[0])}
        for shot in stage.shots:
            discs = _all_discs(shot)
            assert {disc.id for disc in discs} == numbers, order
            for one, other in combinations(discs, 2):
                apart = math.hypot(one.x - other.x, one.y - other.y)
                assert apart >= DISC_MM or abs(one.z - other.z) >= GEOMETRY.disc_height_mm - 0.01, order


def _all_discs(shot: Shot):
    scene = shot.scene
    return (*scene.discs, *scene.carried, *(scene.hand.held if scene.hand is not None else ()))


def test_the_same_order_always_makes_the_same_sequence() -> None:
    order = Order("triple_jump", "pine", "lamp", "left", 5)
    assert acted(order).shots == acted(order).shots
    assert acted(order).start != acted(Order("triple_jump", "pine", "lamp", "left", 6)).start


def test_every_style_meets_every_light_and_every_errand_many() -> None:
    made = list(orders(range(40), list(ERRANDS), ALL_STYLES, ALL_LIGHTS, ALL_CAMERAS))
    assert {(order.style, order.light) for order in made} == set(product(ALL_STYLES, ALL_LIGHTS))
    assert {(order.errand, order.light) for order in made} == set(product(ERRANDS, ALL_LIGHTS))
    assert {(order.errand, order.camera) for order in made} == set(product(ERRANDS, ALL_CAMERAS))
    assert len({order.name for order in made}) == len(made)


@pytest.mark.parametrize("place", PLACES)
def test_cameras_see_the_whole_board(place) -> None:
    import random

    for seed in range(20):
        camera = camera_at(place, random.Random(seed))
        side = 8 * GEOMETRY.square_mm
        corners = model_of(camera).project([(0, 0, 0), (side, 0, 0), (side, side, 0), (0, side, 0)])
        assert (corners > 0).all()
        assert (corners < camera.size).all()
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / 8
        assert sides.min() > 18


def test_a_forward_step_where_a_jump_is_due_is_wrong_and_the_jump_is_not() -> None:
    position = read_fen("W:W22,27:B18,4")
    piece = position.piece_at(27)
    assert is_wrong(position, {27: None, 23: piece})
    assert not is_wrong(position, {22: None, 18: None, 15: position.piece_at(22)})
    assert not is_wrong(position, {22: None, 15: position.piece_at(22)})  # Left standing: unfinished.
    assert board(position.after(Move((22, 15), (18,)))) in allowed_boards(position)


def test_a_sequence_is_written_as_it_is_read(tmp_path) -> None:
    order = Order("single_jump", "walnut", "window", "mast", 4)
    folder = write(order, tmp_path, (960, 540))
    told = json.loads((folder / "sequence.json").read_text(encoding="utf-8"))
    assert {
        "start_fen",
        "final_fen",
        "expected",
        "corners",
        "square_mm",
        "disc_mm",
        "camera",
        "tags",
        "styles",
    } < set(told)
    assert len(told["frames"]) == len(list(folder.glob("*.jpg")))
    first = read_image(folder / told["frames"][0]["file"])
    assert first.shape == (540, 960, 3)
    found = find_board(first).corners
    gaps = np.linalg.norm(np.array(told["corners"])[:, None] - found[None], axis=2).min(axis=1)
    assert gaps.max() < 4.0
    start, end = read_fen(told["start_fen"]), read_fen(told["final_fen"])
    move = parse_move(start, told["expected"][0]["move"])
    assert start.after(move) == end
    by_phase = {frame["phase"]: frame for frame in told["frames"]}
    assert by_phase["still"]["occluded_squares"] == []
    assert by_phase["grasp"]["occluded_squares"]
    grasped = next(frame for frame in told["frames"] if frame["phase"] == "grasp")
    assert move.start in grasped["occluded_squares"]


def test_corners_are_told_in_the_order_of_the_squares() -> None:
    """The fourth corner is beside square 29, the second beside square 4."""
    for colour in Colour:
        stage = Stage(Position.start(), colour, camera_at("mast", _chance()), _window(), _chance())
        corners = stage.corners_mm
        for corner, square in ((3, 29), (1, 4)):
            away = [math.dist(corners[number][:2], stage.centre(square)) for number in range(4)]
            assert away.index(min(away)) == corner


def _chance():
    import random

    return random.Random(1)


def _window():
    from tests.sequences.lights import LIGHTS

    return LIGHTS["window"]


def test_unknown_names_are_refused_with_those_that_there_are(tmp_path, capsys) -> None:
    with pytest.raises(ValueError, match="there is no style 'plaid': there are walnut"):
        known(["plaid"], ALL_STYLES, "style")
    for arguments in (["--styles", "plaid"], ["--seeds", "0"], ["--score"]):
        with pytest.raises(SystemExit, match="2"):
            watch_sequences.main([str(tmp_path), *arguments])
    said = capsys.readouterr().err
    assert "there is no style 'plaid'" in said
    assert "the number of seeds must be" in said
    assert "there are no sequences in" in said
