"""`crownhead look` on drawn boards and on bad input."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibration import save_calibration
from calibration.known_geometry import calibration_of
from controller.cli import look
from controller.cli.command_parser import CommandParser
from hardware.simulated.geometry import TableGeometry

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import Style, camera, chess_picture, corners_mm, picture

ROWS = [".l.l.l.l", "l.l...l.", ".l...l.d", "l.......", ".....d..", "d.d.....", ".d.d.d.d", "d.d.d.d."]
DARK_ON_DARK = Style(dark_disc=(24, 36, 60), frame_mm=15)


def run_look(*arguments: object) -> int:
    parser = CommandParser(prog="crownhead")
    look.add_parser(parser.add_subparsers(required=True))
    parsed = parser.parse_args(["look", *(str(argument) for argument in arguments)])
    return parsed.run(parsed)


def write(path: Path, pixels: np.ndarray) -> Path:
    assert cv2.imwrite(str(path), pixels)
    return path


def swapped(rows: list[str]) -> list[str]:
    return [row.translate(str.maketrans("dDlL", "lLdD")) for row in rows]


@pytest.mark.parametrize("style", [Style(), DARK_ON_DARK], ids=["plain", "dark discs on dark squares"])
@pytest.mark.parametrize(("turn", "tilt"), [(0, 0), (8, 20), (-20, 35)])
def test_men_are_read_where_they_lie(tmp_path, capsys, style, turn, tilt):
    view = camera(turn, tilt)
    path = write(tmp_path / "board.png", picture(view, ROWS, style, seed=3))
    assert run_look(path, "--json") == 0
    line = json.loads(capsys.readouterr().out)
    assert line["file"] == str(path)
    assert line["found"] is True
    assert line["seconds"] > 0
    assert np.hypot(*(np.array(line["corners"]) - view.project(corners_mm())).T).max() < 5
    assert line["rows"] == ROWS


STACKED = [".l.L.l.l", "l.l...l.", ".l...l.D", "L.......", ".....d..", "d.d.....", ".D.d.d.d", "d.d.L.d."]


def write_stacked(tmp_path):
    return write(tmp_path / "board.png", picture(camera(0, 38), STACKED, Style(light_disc=(60, 90, 200)), seed=5))


@pytest.mark.xfail(
    reason="of five stacks in an unprepared picture one is taken for a man: the networks need more training"
)
def test_stacks_are_kings_where_the_view_is_oblique(tmp_path, capsys):
    path = write_stacked(tmp_path)
    assert run_look(path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == STACKED


def test_stacks_are_discs_of_their_colour_and_no_man_is_a_king(tmp_path, capsys):
    assert run_look(write_stacked(tmp_path), "--json") == 0
    seen, true = "".join(json.loads(capsys.readouterr().out)["rows"]), "".join(STACKED)
    assert all(a in (b, b.lower(), "?" if b.isupper() else b) for a, b in zip(seen, true, strict=True))
    assert sum(letter.isupper() for letter in seen) >= 3


def test_an_empty_board_and_one_with_a_single_disc(tmp_path, capsys):
    one = ["........"] * 4 + [".....d.."] + ["........"] * 3
    for rows in (["........"] * 8, one):
        path = write(tmp_path / "board.png", picture(camera(0, 15), rows))
        assert run_look(path, "--json") == 0
        read = json.loads(capsys.readouterr().out)["rows"]
        assert rows in (read, swapped(read))


def test_words_for_people(tmp_path, capsys):
    path = write(tmp_path / "board.png", picture(camera(0, 20), ROWS))
    assert run_look(path) == 0
    out = capsys.readouterr().out
    assert "12 dark men" in out
    assert "10 light men" in out
    assert "  . l . l . l . l" in out.splitlines()


def test_bad_pictures_are_said_and_the_next_is_read(tmp_path, capsys):
    good = write(tmp_path / "good.png", picture(camera(0, 20), ROWS))
    text = tmp_path / "letter.jpg"
    text.write_text("Dear friends, this is no picture.")
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(cv2.imencode(".jpg", picture(camera(0, 20), ROWS))[1].tobytes()[:-2000])
    black = write(tmp_path / "black.png", np.zeros((480, 640, 3), np.uint8))
    missing = tmp_path / "missing.jpg"
    assert run_look(text, cut, black, missing, good, "--json") == 1
    captured = capsys.readouterr()
    lines = [json.loads(line) for line in captured.out.splitlines()]
    assert [Path(line["file"]).name for line in lines] == [
        "letter.jpg",
        "cut.jpg",
        "black.png",
        "missing.jpg",
        "good.png",
    ]
    assert [line["found"] for line in lines] == [False, False, False, False, True]
    for line in lines[:4]:
        assert Path(line["file"]).name in line["reason"]
        assert "\n" not in line["reason"]
        assert "rows" not in line
    assert len(captured.err.splitlines()) == 4
    assert "Traceback" not in captured.err


def test_overlays_are_written_one_for_each_picture(tmp_path, capsys):
    (tmp_path / "other").mkdir()
    pixels = picture(camera(0, 20), ROWS)
    first, second = write(tmp_path / "board.png", pixels), write(tmp_path / "other" / "board.png", pixels)
    folder = tmp_path / "seen" / "here"
    assert run_look(first, second, "--overlay", folder) == 0
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["board-seen-2.png", "board-seen.png"]
    drawn = cv2.imread(str(folder / "board-seen.png"))
    assert drawn is not None
    assert (drawn != cv2.resize(pixels, drawn.shape[1::-1])).mean() > 0.01
    capsys.readouterr()


def test_overlays_never_replace_a_picture_that_was_read(tmp_path, capsys):
    pixels = picture(camera(0, 20), ROWS)
    names = ["a.png", "a-seen.png"]
    images = [write(tmp_path / name, pixels) for name in names]
    before = [image.read_bytes() for image in images]
    assert run_look(*images, "--overlay", tmp_path) == 0
    assert [image.read_bytes() for image in images] == before
    written = {path.name for path in tmp_path.iterdir()} - set(names)
    assert written == {"a-seen-2.png", "a-seen-seen.png"}
    capsys.readouterr()


def test_a_calibration_replaces_the_search(tmp_path, capsys):
    geometry = TableGeometry()
    calibration = calibration_of(geometry, datetime(2026, 1, 1, tzinfo=UTC))
    save_calibration(calibration, tmp_path / "calibration.json")
    width, height = calibration.camera.size
    dark = write(tmp_path / "dark.png", np.full((height, width, 3), 40, np.uint8))
    assert run_look(dark, "--json", "--calibration", tmp_path / "calibration.json") == 0
    line = json.loads(capsys.readouterr().out)
    side = 8 * calibration.square_mm
    true = calibration.camera.project([[0, 0, 0], [side, 0, 0], [side, side, 0], [0, side, 0]])
    assert {tuple(np.round(point)) for point in line["corners"]} == {tuple(np.round(point)) for point in true}
    small = write(tmp_path / "small.png", np.zeros((100, 100, 3), np.uint8))
    assert run_look(small, "--json", "--calibration", tmp_path / "calibration.json") == 1
    assert "pixels" in json.loads(capsys.readouterr().out)["reason"]


def test_corners_given_by_hand_replace_the_search(tmp_path, capsys):
    view = camera(8, 20)
    path = write(tmp_path / "board.png", picture(view, ROWS, seed=3))
    true = view.project(corners_mm())
    rough = [f"{x + 3:.0f},{y - 2:.0f}" for x, y in true]
    assert run_look(path, "--json", "--corners", *rough) == 0
    line = json.loads(capsys.readouterr().out)
    assert np.hypot(*(np.array(line["corners"]) - true).T).max() < 3
    assert line["rows"] == ROWS


@pytest.mark.parametrize("corner", ["12", "1,2,3", "a,b", "nan,5", "", "5;6"])
def test_a_corner_that_is_no_pair_of_numbers_is_wrong_usage(tmp_path, capsys, corner):
    with pytest.raises(SystemExit) as caught:
        run_look("board.png", "--corners", "1,1", "9,1", "9,9", corner)
    assert caught.value.code == 2
    assert "two numbers x,y in pixels" in capsys.readouterr().err


def test_corners_outside_the_picture_are_said(tmp_path, capsys):
    path = write(tmp_path / "board.png", picture(camera(0, 20), ROWS))
    assert run_look(path, "--json", "--corners", "100,100", "5000,100", "500,500", "100,500") == 1
    line = json.loads(capsys.readouterr().out)
    assert line["found"] is False
    assert "outside the picture" in line["reason"]


def test_corners_of_a_large_photograph_are_those_of_the_whole_picture(tmp_path, capsys):
    view = camera(5, 15)
    small = picture(view, ROWS)
    large = cv2.resize(small, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    path = tmp_path / "large.jpg"
    path.write_bytes(cv2.imencode(".jpg", large)[1].tobytes())
    assert run_look(path, "--json") == 0
    corners = np.array(json.loads(capsys.readouterr().out)["corners"])
    assert np.hypot(*((corners + 0.5) / 4 - 0.5 - view.project(corners_mm())).T).max() < 3


@pytest.mark.parametrize(("turn", "tilt"), [(0, 0), (10, 20)])
def test_a_chess_set_is_refused(tmp_path, capsys, turn, tilt):
    path = write(tmp_path / "chess.png", chess_picture(camera(turn, tilt)))
    assert run_look(path, "--json") == 1
    line = json.loads(capsys.readouterr().out)
    assert line["found"] is False
    assert "chessmen" in line["reason"]
