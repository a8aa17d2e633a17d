"""`crownhead watch` on drawn boards: moves are followed, a camera that wanders too, and nothing is made up."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.cli.command_line import main
from vision.camera_model import CameraModel

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from board_pictures import Style, camera, picture

START = [".d.d.d.d", "d.d.d.d.", ".d.d.d.d", "........", "........", "l.l.l.l.", ".l.l.l.l", "l.l.l.l."]
AFTER_11_15 = [".d.d.d.d", "d.d.d.d.", ".d.d...d", "....d...", "........", "l.l.l.l.", ".l.l.l.l", "l.l.l.l."]
AFTER_22_18 = [".d.d.d.d", "d.d.d.d.", ".d.d...d", "....d...", "...l....", "l...l.l.", ".l.l.l.l", "l.l.l.l."]
ILLEGAL = [".d.d.d.d", "d.d.d.d.", ".d.d...d", "........", ".....d..", "l.l.l.l.", ".l.l.l.l", "l.l.l.l."]
STYLE = Style(dark_disc=(40, 40, 150))
VIEW = camera(tilt_deg=20)


def frames(folder: Path, shown: Sequence[tuple[list[str], CameraModel]]) -> list[str]:
    """Pictures of boards, drawn into a folder; their names."""
    names = []
    for number, (rows, view) in enumerate(shown):
        names.append(str(folder / f"f{number}.png"))
        cv2.imwrite(names[-1], picture(view, rows, STYLE, seed=7))
    return names


def watch(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    status = main(["watch", "--json", *arguments])
    captured = capsys.readouterr()
    return status, [json.loads(line) for line in captured.out.splitlines()], captured.err


def test_moves_are_said_with_their_frame_and_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames(tmp_path, [(START, VIEW), (START, VIEW), (AFTER_11_15, VIEW), (AFTER_11_15, VIEW)])
    status, said, _ = watch(capsys, str(tmp_path))
    assert status == 0
    assert [(one["frame"], one["verdict"], one.get("move")) for one in said] == [
        (0, "unchanged", None),
        (2, "move", "11-15"),
        (3, "unchanged", None),
    ]
    assert said[1]["fen"].startswith("W:W21,22")
    assert said[1]["confidence"] > 0.98


def test_two_moves_between_two_pictures_are_both_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = frames(tmp_path, [(START, VIEW), (AFTER_22_18, VIEW)])
    _, said, _ = watch(capsys, *names)
    assert [one.get("move") for one in said if one["verdict"] == "move"] == ["11-15", "22-18"]


def test_what_the_rules_forbid_is_illegal_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = frames(tmp_path, [(START, VIEW), (ILLEGAL, VIEW)])
    _, said, _ = watch(capsys, *names)
    assert said[-1]["verdict"] == "illegal"
    assert said[-1]["reason"].startswith("11 to 19 is not allowed")
    assert said[-1]["squares"] == [11, 19]


def test_a_camera_that_wanders_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turned = camera(turn_deg=4, tilt_deg=21)
    elsewhere = camera(turn_deg=-20, tilt_deg=32, distance_mm=680)
    names = frames(tmp_path, [(START, VIEW), (START, turned), (AFTER_11_15, turned), (AFTER_22_18, elsewhere)])
    _, said, _ = watch(capsys, *names)
    assert [one.get("move") for one in said if one["verdict"] == "move"] == ["11-15", "22-18"]
    assert [one["frame"] for one in said if one["verdict"] == "moved_camera"] == [1, 3]


def test_two_pictures_have_to_agree_when_that_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = frames(tmp_path, [(START, VIEW), (AFTER_11_15, VIEW), (AFTER_11_15, VIEW)])
    _, said, _ = watch(capsys, "--agree", "2", *names)
    assert [(one["frame"], one["verdict"]) for one in said] == [(0, "unchanged"), (2, "move")]


def test_a_first_picture_of_another_position_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = frames(tmp_path, [(AFTER_11_15, VIEW)])
    status, said, error = watch(capsys, *names)
    assert status == 1
    assert said == []
    assert "does not show the position given: look at 11 and 15" in error


def test_a_broken_picture_is_told_and_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = frames(tmp_path, [(START, VIEW), (START, VIEW), (AFTER_11_15, VIEW)])
    Path(names[1]).write_bytes(b"no picture")
    status, said, error = watch(capsys, *names)
    assert status == 1
    assert error.count("\n") == 1
    assert [(one["frame"], one["verdict"]) for one in said] == [(0, "unchanged"), (2, "move")]


def test_words_for_people_and_pictures_of_what_was_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = frames(tmp_path, [(START, VIEW), (AFTER_11_15, VIEW)])
    assert main(["watch", "--overlay", str(tmp_path / "seen"), *names]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("1: move 11-15 (W:W21")
    pictures = sorted((tmp_path / "seen").iterdir())
    assert [one.name for one in pictures] == ["frame-00000-seen.png", "frame-00001-seen.png"]
    shape = cv2.imread(str(pictures[0])).shape
    assert shape[2] == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{}/nothing.jpg"], "there is no file"),
        (["{}"], "holds no pictures"),
        (["{}/game.mp4"], "there is no"),
        (["--fen", "nonsense", "{}/nothing.jpg"], "FEN"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    status = main(["watch", *(argument.format(tmp_path) for argument in arguments)])
    error = capsys.readouterr().err
    assert status == 1
    assert words in error
    assert error.startswith("crownhead: ")
    assert error.count("\n") == 1


def test_a_picture_without_a_board_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blank = str(tmp_path / "blank.png")
    cv2.imwrite(blank, np.full((480, 640, 3), 90, np.uint8))
    assert main(["watch", blank]) == 1
    assert "blank.png: the picture is of one even colour" in capsys.readouterr().err


def test_how_many_have_to_agree_is_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--agree", "0", "x.png"]) == 2
    assert "--agree" in capsys.readouterr().err
