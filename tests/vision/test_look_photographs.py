"""Photographs of real boards, which are not part of the project: CROWNHEAD_PHOTOS names their folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from controller.draughts.position import MOST_PIECES
from vision.finder import find_board
from vision.image_files import read_image
from vision.unprepared import read_board

FOLDER = os.environ.get("CROWNHEAD_PHOTOS")

pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="CROWNHEAD_PHOTOS, the folder of photographs with labels.json, is not set"
)


def turned(rows: list[str], times: int) -> list[str]:
    for _ in range(times):
        rows = ["".join(rows[7 - column][row] for column in range(8)) for row in range(8)]
    return rows


def right_squares(label: dict, corners: np.ndarray, rows: list[str]) -> tuple[int, int]:
    """Squares read as labelled, and how many are labelled; a board turned or with colours exchanged is right too."""
    true = np.array(label["corners"])
    turn = int(np.argmin([np.hypot(*(np.roll(corners, -k, axis=0) - true).T).max() for k in range(4)]))
    side = np.hypot(*(true - np.roll(true, 1, axis=0)).T).mean() / 8
    assert np.hypot(*(np.roll(corners, -turn, axis=0) - true).T).max() < 0.35 * side
    truth = "".join(label["squares"])
    best = 0
    for exchange in ("dDlL", "lLdD"):
        read = "".join(turned(rows, (4 - turn) % 4)).translate(str.maketrans("dDlL", exchange))
        best = max(best, sum(a == b for a, b in zip(truth, read, strict=True) if a != "?"))
    return best, sum(letter != "?" for letter in truth)


def test_photographs_are_found_and_mostly_read():
    folder = Path(str(FOLDER))
    labels = json.loads((folder / "labels.json").read_text())[::4]
    right = total = 0
    for label in labels:
        pixels = read_image(folder / label["file"])
        board = find_board(pixels)
        one, of = right_squares(label, board.corners, read_board(pixels, board, most=MOST_PIECES).rows)
        right, total = right + one, total + of
    assert right >= 0.9 * total
