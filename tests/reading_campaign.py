"""How well squares are read on the simulated table, in every style and light: `python -m tests.reading_campaign`.

For every style and light the learnt reader learns the starting position, reads random positions one after the other
(discs off their squares' middles, crowns off their men) and is told what lay there, as in a game. With `--unprepared`
the same pictures are read by somebody who knows nothing but the picture. The truth is exact. Printed are, a line a
style, a line a light and in total: places read; those of which empty or not, the colour, or man or king is wrong;
those that were not read (unsure, hidden); how many of the places called at least 99 % sure are wrong; how far disc
centres are off (mm, root of the mean square); boards with every place right. Last comes how far the probabilities can
be believed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Pixels
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.geometry import CAMERAS, SimulatedCamera
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Scene
from tests.sequences.cameras import model_of
from tests.sequences.lights import LIGHTS
from tests.sequences.making import known
from tests.sequences.stage import DISC_MM, GEOMETRY, HIGH_MM, SQUARE_MM
from vision.disc_size import DiscSize
from vision.errors import BoardNotFoundError, VisionError
from vision.finder import find_board
from vision.reader import learn, read, update
from vision.reading import Content, Reading
from vision.unprepared import read_board
from vision.view import View

INTERRUPTED = 130
SQUARES = 32
OFF_MM, LEAN_MM, START_OFF_MM = 8.0, 3.0, 4.0
SURE = 0.99
BINS = (0.0, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 1.0)
BETWEEN_S = 8.0
KINGS = (Content.DARK_KING, Content.LIGHT_KING)
START = np.zeros(SQUARES, dtype=np.int64)
START[:12], START[20:] = Content.DARK_MAN, Content.LIGHT_MAN
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Read:
    """One board as it was read: N places, what they hold and what was seen, and how sure; off (N, 2) is the error of
    the centres, mm, NaN where there is none. `failed` is why nothing was read at all."""

    style: str
    light: str
    true: Ints
    seen: Ints
    confidence: Floats
    unread: NDArray[np.bool_]
    off_mm: Floats
    failed: str = ""


@dataclass(frozen=True, eq=False)
class Laid:
    """Discs on the table, what each square holds, and where on it (mm off the middle) a piece's base stands."""

    contents: Ints
    bases_mm: Floats
    discs: tuple[Disc, ...]


def centres() -> Floats:
    """(32, 2) the middles of the squares with the human playing White, board mm."""
    rows, places = np.divmod(np.arange(SQUARES), 4)
    columns = 2 * places + 1 - rows % 2
    return np.column_stack([(columns + 0.5) * SQUARE_MM, (7.5 - rows) * SQUARE_MM])


def lay(contents: Ints, random: np.random.Generator, off_mm: float) -> Laid:
    """Discs on the squares, up to `off_mm` off the middle where there is room."""
    bases = np.full((SQUARES, 2), np.nan)
    discs: list[Disc] = []
    numbers = iter(random.permutation(200))
    for square in np.flatnonzero(contents):
        base = _within(random, off_mm)
        x, y = centres()[square] + base
        if any(np.hypot(x - disc.x, y - disc.y) < DISC_MM + 0.3 for disc in discs):
            base = np.zeros(2)
            x, y = centres()[square]
        bases[square] = base
        colour = DiscColour.DARK if contents[square] <= Content.DARK_KING else DiscColour.LIGHT
        discs.append(Disc(int(next(numbers)), colour, float(x), float(y), 0.0))
        if contents[square] in KINGS:
            x, y = np.array([x, y]) + _within(random, LEAN_MM)
            discs.append(Disc(int(next(numbers)), colour, float(x), float(y), HIGH_MM))
    return Laid(contents, bases, tuple(discs))


def random_contents(random: np.random.Generator) -> Ints:
    """One to twelve pieces a colour, two in five of them kings."""
    contents = np.zeros(SQUARES, dtype=np.int64)
    squares = list(random.permutation(SQUARES))
    for man in (Content.DARK_MAN, Content.LIGHT_MAN):
        for _ in range(random.integers(1, 13)):
            contents[squares.pop()] = man + int(random.random() < 0.4)
    return contents


def pictures(
    style: str, light: str, camera: SimulatedCamera, seed: int, boards: int
) -> Iterator[tuple[Laid, Pixels]]:
    """The starting position and then random ones, with a picture of each."""
    random = np.random.default_rng((seed, *style.encode(), *light.encode()))
    geometry = replace(GEOMETRY, camera=camera)
    picture = Picture(geometry, STYLES[style], LIGHTS[light], int(random.integers(1 << 30)))
    for number in range(boards + 1):
        first = number == 0
        laid = lay(START if first else random_contents(random), random, START_OFF_MM if first else OFF_MM)
        yield laid, picture.draw(Scene(laid.discs), number * BETWEEN_S)


def learnt(style: str, light: str, camera: SimulatedCamera, seed: int, boards: int) -> Iterator[Read]:
    """What the learnt reader makes of the random positions."""
    view = View(model_of(camera), centres(), SQUARE_MM, DiscSize(DISC_MM, HIGH_MM))
    shown = pictures(style, light, camera, seed, boards)
    laid, pixels = next(shown)
    try:
        appearance = learn(pixels, view, laid.contents)
    except VisionError as error:
        yield from (_failed(style, light, laid.contents, str(error)) for laid, _ in shown)
        return
    for laid, pixels in shown:
        reading = read(pixels, view, appearance)
        yield Read(
            style,
            light,
            laid.contents,
            reading.contents,
            reading.confidence,
            reading.hidden,
            _off(reading, laid.contents, laid.bases_mm),
        )
        try:
            appearance = update(appearance, pixels, view, laid.contents)
        except VisionError:
            continue  # As in a game: of a reading that surprises nothing is learnt.


def unprepared(style: str, light: str, camera: SimulatedCamera, seed: int, boards: int) -> Iterator[Read]:
    """What is made of the same random positions by somebody who knows nothing but the picture: all 64 squares."""
    everywhere = _all_squares()
    played = np.linalg.norm(everywhere[:, None] - centres()[None], axis=2).argmin(axis=0)
    shown = pictures(style, light, camera, seed, boards)
    next(shown)
    for laid, pixels in shown:
        true = np.zeros(64, dtype=np.int64)
        true[played] = laid.contents
        bases = np.full((64, 2), np.nan)
        bases[played] = laid.bases_mm
        try:
            found = find_board(pixels)
        except BoardNotFoundError as error:
            yield _failed(style, light, true, str(error))
            continue
        board = read_board(pixels, found)
        middles = found.grid[:-1, :-1] + found.grid[1:, 1:] + found.grid[1:, :-1] + found.grid[:-1, 1:]
        spots = model_of(camera).project(np.column_stack([everywhere, np.zeros(64)]))
        cells = np.linalg.norm(spots[:, None] - middles.reshape(1, 64, 2) / 4, axis=2)
        order = cells.argmin(axis=1)
        if len(set(order.tolist())) < 64 or cells.min(axis=1).max() > 0.3 * _square_px(found.grid):
            yield _failed(style, light, true, "the board was found where it is not")
            continue
        reading = board.reading
        turned = _turned(board.view, order)
        offsets = reading.offsets_mm[order] @ turned.T
        turned_back = Reading(
            reading.probabilities[order], offsets, offsets, reading.hidden[order] | board.unsure[order]
        )
        yield Read(
            style,
            light,
            true,
            turned_back.contents,
            turned_back.confidence,
            turned_back.hidden,
            _off(turned_back, true, bases),
        )


def _all_squares() -> Floats:
    """(64, 2) the middles of all squares, row by row from the far left, board mm."""
    columns, rows = np.meshgrid(np.arange(8), np.arange(8))
    return np.column_stack([(columns.ravel() + 0.5) * SQUARE_MM, (7.5 - rows.ravel()) * SQUARE_MM])


def _turned(view: View, order: Ints) -> Floats:
    """The 2 × 2 turn from the board as it was found to the board as it is, by where the squares lie in both."""
    found, true = view.places_mm[order], _all_squares()
    one, two = found - found.mean(axis=0), true - true.mean(axis=0)
    return np.rint(np.linalg.lstsq(one, two, rcond=None)[0]).T


def _square_px(grid: Floats) -> float:
    return float(np.linalg.norm(np.diff(grid, axis=0), axis=2).mean())


def _off(reading: Reading, true: Ints, bases_mm: Floats) -> Floats:
    off = reading.offsets_mm - bases_mm
    off[(true == Content.EMPTY) | (reading.contents == Content.EMPTY) | reading.hidden] = np.nan
    return np.asarray(off)


def _failed(style: str, light: str, true: Ints, why: str) -> Read:
    count = len(true)
    nothing = np.zeros(count, dtype=np.int64)
    return Read(
        style, light, true, nothing, np.full(count, 0.2), np.ones(count, bool), np.full((count, 2), np.nan), why
    )


def _within(random: np.random.Generator, radius_mm: float) -> Floats:
    angle, radius = random.uniform(0, 2 * np.pi), radius_mm * np.sqrt(random.random())
    return radius * np.array([np.cos(angle), np.sin(angle)])


# What is printed

HEADING = (
    f"{'':16}{'places':>8}{'occupied':>9}{'colour':>8}{'king':>6}{'unread':>8}{'sure':>8}{'wrong':>7}"
    f"{'mm RMS':>8}{'boards right':>15}{'failed':>8}"
)


def line(name: str, reads: Sequence[Read]) -> str:
    """The figures of some boards."""
    true, seen, confidence, unread, off = (
        np.concatenate([getattr(read, part) for read in reads])
        for part in ("true", "seen", "confidence", "unread", "off_mm")
    )
    told = ~unread
    occupied, colour, king = (int((told & part).sum()) for part in faults(true, seen))
    sure = told & (confidence >= SURE)
    rms = float(np.sqrt(np.nanmean((off**2).sum(axis=1)))) if np.isfinite(off).any() else float("nan")
    right = sum(not one.failed and bool(((one.true == one.seen) & ~one.unread).all()) for one in reads)
    failed = sum(bool(one.failed) for one in reads)
    return (
        f"{name:16}{len(true):8}{occupied:9}{colour:8}{king:6}{int(unread.sum()):8}{int(sure.sum()):8}"
        f"{int((sure & (true != seen)).sum()):7}{rms:8.2f}{f'{right}/{len(reads)}':>15}{failed:8}"
    )


def faults(true: Ints, seen: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Where empty or not is wrong, where only the colour, and where only man or king."""
    occupied = (true == Content.EMPTY) != (seen == Content.EMPTY)
    colour = ~occupied & ((true >= Content.LIGHT_MAN) != (seen >= Content.LIGHT_MAN))
    king = ~occupied & ~colour & (true != seen)
    return np.asarray(occupied), np.asarray(colour), np.asarray(king)


def reliability(reads: Sequence[Read]) -> str:
    """How often readings of some sureness are right; and the mean gap between the two, weighed by their number."""
    told = np.concatenate([~read.unread for read in reads])
    confidence = np.concatenate([read.confidence for read in reads])[told]
    right = np.concatenate([read.true == read.seen for read in reads])[told]
    lines, gap = [f"{'called sure':>16}{'places':>8}{'mean':>9}{'right':>9}"], 0.0
    for low, high in pairwise(BINS):
        inside = (confidence >= low) & ((confidence < high) | (high == BINS[-1]))
        if not inside.any():
            continue
        mean, share = float(confidence[inside].mean()), float(right[inside].mean())
        gap += abs(mean - share) * float(inside.mean())
        lines.append(f"{f'{low:g} – {high:g}':>16}{int(inside.sum()):8}{mean:9.4f}{share:9.4f}")
    lines.append(f"expected calibration error {gap:.5f}")
    return "\n".join(lines)


def report(reads: Sequence[Read]) -> str:
    """All that is printed in the end."""
    groups: tuple[Callable[[Read], str], ...] = (_style, _light)
    lines = [HEADING]
    for of in groups:
        for name in dict.fromkeys(map(of, reads)):
            lines.append(line(name, [read for read in reads if of(read) == name]))
        lines.append("")
    lines += [line("total", reads), "", reliability(reads)]
    for why in sorted({one.failed for one in reads if one.failed}):
        lines.append(f"{sum(one.failed == why for one in reads)} × {why}")
    return "\n".join(lines)


def _style(read: Read) -> str:
    return read.style


def _light(read: Read) -> str:
    return read.light


def main(arguments: list[str]) -> int:
    """Read and print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.reading_campaign", description="Measures how well squares are read."
    )
    parser.add_argument("--boards", type=int, default=2, metavar="N", help="random positions a style and light")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--styles", nargs="+", default=[], metavar="STYLE", help="only these looks of the table")
    parser.add_argument("--lights", nargs="+", default=[], metavar="LIGHT", help="only these lights")
    parser.add_argument("--camera", default="mast", choices=list(CAMERAS), help="where the camera stands")
    parser.add_argument("--unprepared", action="store_true", help="read with nothing known but the picture")
    chosen = parser.parse_args(arguments)
    if chosen.boards < 1:
        parser.error("the number of boards must be a whole number from 1")
    try:
        styles = known(chosen.styles, tuple(STYLES), "style")
        lights = known(chosen.lights, tuple(LIGHTS), "light")
    except ValueError as error:
        parser.error(str(error))
    cv2.setNumThreads(1)
    reader = unprepared if chosen.unprepared else learnt
    reads: list[Read] = []
    for style in styles:
        for light in lights:
            reads += reader(style, light, CAMERAS[chosen.camera], chosen.seed, chosen.boards)
        print(line(style, reads[-len(lights) * chosen.boards :]), file=sys.stderr, flush=True)
    print(report(reads))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
