"""Draws one sheet of every style under a few lights, arm and hand at work, to be looked at.

python -m tests.simulated.style_sheet docs/styles.jpg
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.illumination import ILLUMINATIONS
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.geometry import CAMERAS, TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene

LIGHTS = ("window", "lamp", "glare", "evening")
CELL = (400, 225)
LARGEST_BYTES = 400_000
SEEN = np.s_[40:670, 80:1200]
"""What is shown of each picture."""
DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT
DARK_AT = ((20, 260), (100, 260), (180, 260), (60, 300), (140, 300), (220, 300), (220, 220), (140, 220))
LIGHT_AT = ((60, 60), (140, 60), (220, 60), (300, 60), (20, 20), (180, 20), (260, 20), (20, 100), (260, 100))
TRAYS = ((LIGHT, -50, 20), (LIGHT, -90, 140), (DARK, 370, 180), (DARK, 410, 60), (DARK, 370, 20))


def scene() -> Scene:
    """A game under way: kings, captured discs, the arm carrying one and a hand taking one."""
    random = np.random.default_rng(3)
    discs: list[Disc] = []

    def put(colour: DiscColour, x: float, y: float, levels: int = 1) -> None:
        off_x, off_y = random.uniform(-3, 3, 2)
        discs.extend(Disc(len(discs), colour, x + off_x, y + off_y, 8.0 * level) for level in range(levels))

    for x, y in DARK_AT:
        put(DARK, x, y)
    for x, y in LIGHT_AT:
        put(LIGHT, x, y)
    put(DARK, 180, 100, 2)
    put(LIGHT, 60, 220, 2)
    for colour, x, y in TRAYS:
        put(colour, x, y)
    carried = (Disc(90, DARK, 300, 300, 30.0),)
    hand = HandPose((101.0, 141.0, 9.0), -4.0, (Disc(91, LIGHT, 101, 141, 3.0),), reach=1)
    return Scene(tuple(discs), (300.0, 300.0, 38.0), carried, hand)


def sheet(styles: list[str], lights: list[str], camera: str, cell: tuple[int, int] = CELL) -> NDArray[np.uint8]:
    """A row for each style, a column for each light."""
    geometry = TableGeometry(camera=CAMERAS[camera])
    rows = []
    for number, style in enumerate(styles):
        cells = []
        for light in lights:
            drawn = Picture(geometry, STYLES[style], ILLUMINATIONS[light], seed=number + 1).draw(scene())
            small = cv2.resize(drawn[SEEN], cell, interpolation=cv2.INTER_AREA)
            cells.append(_labelled(np.asarray(small, dtype=np.uint8), f"{style}, {light}"))
        rows.append(np.hstack(cells))
    return np.asarray(np.vstack(rows), dtype=np.uint8)


def _labelled(picture: NDArray[np.uint8], text: str) -> NDArray[np.uint8]:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.42, 1)
    picture[: height + 9, : width + 10] = picture[: height + 9, : width + 10] // 3
    place = (5, height + 4)
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.42, (245, 245, 245), 1, cv2.LINE_AA)
    return picture


def main(arguments: list[str]) -> int:
    """Write the sheet; a JPEG is kept small enough for a page."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulated.style_sheet",
        description="Draws every style under a few lights, to be looked at.",
    )
    parser.add_argument("file", type=Path, help="where to write the picture (.jpg or .png)")
    parser.add_argument("--styles", nargs="+", default=list(STYLES), choices=list(STYLES), metavar="STYLE")
    parser.add_argument("--lights", nargs="+", default=list(LIGHTS), choices=list(ILLUMINATIONS), metavar="LIGHT")
    parser.add_argument("--camera", default="mast", choices=list(CAMERAS))
    chosen = parser.parse_args(arguments)
    suffix = chosen.file.suffix.lower()
    if suffix not in (".jpg", ".png"):
        parser.error("the file's name must end in .jpg or .png")
    if not chosen.file.parent.is_dir():
        parser.error(f"there is no folder {chosen.file.parent}")
    picture = sheet(chosen.styles, chosen.lights, chosen.camera)
    for quality in range(90, 20, -5):
        _, data = cv2.imencode(suffix, picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if suffix == ".png" or len(data) <= LARGEST_BYTES:
            break
    chosen.file.write_bytes(data.tobytes())
    print(f"{chosen.file}: {picture.shape[1]} × {picture.shape[0]}, {len(data) // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
