"""What hides the table: hands, sleeves, an arm that is not where it should be, a cat."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.silhouette import Mask
from vision.structure import Slopes, Structure, compare_structure, slopes_of
from vision.view import REACH_MM, View

SCALE = 4
"""Obstructions are sought in pictures this many times smaller."""
BRIGHTER = 1.13
"""What has become brighter than by this ratio, with a sharp edge, is something that has come."""
DARKER = 0.42
"""The ratio below which something has come, whatever its edge; cast shadows lie between it and 1."""
SHADED = 0.87
"""What has become darker than by this ratio is a shadow, or a thing as dark as one: a shadow's edge is soft."""
SHARP_EDGE = 0.11
"""Mean slope (natural logarithm of brightness, a small pixel) along its outline beyond which it is a thing."""
BLURRED_EDGE = 0.05
"""The same in pictures that are blurred for their noise."""
SHORTEST_OUTLINE = 10
"""Small pixels of outline from which sharpness can be judged."""
HUE_CHANGE = 0.05
HUE_NOISE = 9.0
"""Change of the colour's shares (sum over the channels) beyond which something has come: so much, but in the dark so
many grey levels over the sum of the channels."""
HUE_NOISES = 7.0
HUE_OVER_PX = 3
"""The same in multiples of what a quarter of the picture stays below, and over how many small pixels each way."""
ANY, ANY_LEVELS, ANY_NOISES, ANY_HUE = 0.12, 18.0, 15.0, 0.6
"""What hangs on to a thing is part of it if its brightness has changed by this much (natural logarithm), and so many
grey levels (sum over the channels) or multiples of what a quarter of the picture stays below, or its hue by so much
of what counts by itself."""
STEP_NOISES = 13.0
"""Whatever has become darker or brighter has done so by this many of the same multiples: some four standard
deviations of the noise, which in the dark is much of what there is."""
NOISE_APART_PX = 3
"""Noise is measured between points so many small pixels apart: it hangs together over fewer."""
NOISY, DARK_BLUR_PX = 0.25, 3
"""Where that is more than this part of the brightness, pictures are blurred over so many small pixels each way."""
TOO_NOISY = 0.5
"""And where it is more than this, a hand might not be seen."""
GONE = 1.15
"""Edges between squares are covered for good where they are gone over so much of what is too wide for a disc."""
BURNT_OUT = 250.0
"""Grey level from which a channel shows nothing any more."""
LONE_DISC, ROUND = 0.75, 0.6
"""A disc by itself has at most this radius, in parts of what is too wide for one, and fills so much of its circle."""
DIM = 24.0
"""Brightness (mean of the channels, 0–255) below which a colour's shares are mostly noise."""
DISCS_TOGETHER = 1.35
"""Discs that have moved and touch each other hold no circle so many times wider than what is too wide for a disc."""
SHADOW_MM = 6.0
"""How far the dark part of a disc's shadow reaches."""
FINGER = 0.2
"""Where no disc may be, what is this much as wide counts."""


@dataclass(frozen=True, eq=False)
class Obstruction:
    """What hides the table. `mask` is (height, width) of the picture divided by SCALE, True where it is hidden."""

    mask: Mask

    @property
    def present(self) -> bool:
        """Whether anything does."""
        return bool(self.mask.any())


@dataclass(frozen=True, eq=False)
class ClearTable:
    """A picture of the still table that nothing hid, made ready for comparing many with it; all at the small scale.

    before: (height, width, 3), slopes: its. inside: where is looked. discs: where discs come, go and move. edges: 1
    on edges that are always there; None if they are not known. narrowest_px: of the large picture.
    """

    before: NDArray[np.float32]
    slopes: Slopes
    inside: Mask
    discs: Mask
    edges: NDArray[np.float32] | None
    narrowest_px: float


def clear_table(
    reference: NDArray[np.uint8],
    narrowest_px: float,
    region: Mask | None = None,
    disc_area: Mask | None = None,
    edges: Mask | None = None,
) -> ClearTable:
    """Make a reference ready; everything as for `find_obstruction`."""
    before = small_picture(reference).astype(np.float32)
    inside = np.ones(before.shape[:2], dtype=np.bool_) if region is None else small_mask(region)
    discs = _disc_area(inside, narrowest_px) if disc_area is None else small_mask(disc_area) & inside
    shown = None if edges is None else small_picture(edges.astype(np.uint8)).astype(np.float32)
    return ClearTable(before, slopes_of(before), inside, discs, shown, narrowest_px)


def find_obstruction(
    pixels: NDArray[np.uint8],
    reference: NDArray[np.uint8],
    narrowest_px: float,
    region: Mask | None = None,
    ignore: Mask | None = None,
    disc_area: Mask | None = None,
    edges: Mask | None = None,
) -> Obstruction:
    """Compare a picture with one of the same still table that nothing hid.

    Only `region` (height, width of the picture) is looked at, without `ignore`, where the gantry is expected. Within
    `disc_area` discs come, go and move, so that only what is clearly wider than `narrowest_px` counts; in the rest of
    the region, which whatever reaches in has to cross, a finger does. If it is not given, the region without a rim of
    a third of `narrowest_px` is. `edges` (structure.square_edges) are those between squares: where they are gone,
    something lies over them, of whatever colour. Shadows, which darken softly without changing the hue, and a change
    of exposure or white balance do not count.
    """
    table = clear_table(reference, narrowest_px, region, disc_area, edges)
    return obstruction_over(table, small_picture(pixels), None if ignore is None else small_mask(ignore))


def obstruction_over(table: ClearTable, small: NDArray[np.uint8], ignore: Mask | None = None) -> Obstruction:
    """The same for a small picture (`small_picture`), without what a small mask says to ignore."""
    now, narrowest_px = small.astype(np.float32), table.narrowest_px
    inside = table.inside if ignore is None else table.inside & ~ignore
    if _noise_share(now, table.before, inside) > NOISY:
        change, sharp = _changes(_blurred(now), _blurred(table.before), inside, 1 / DARK_BLUR_PX), BLURRED_EDGE
    else:
        change, sharp = _changes(now, table.before, inside), SHARP_EDGE
    telling = _eroded(inside)
    changed = (change.much & inside) | _sharply_bounded(change.brighter & inside, change.slope, telling, sharp)
    strict = inside & ~table.discs
    things = changed | _sharply_bounded(change.darker & strict, change.slope, _eroded(strict), sharp)
    narrow = _wide(things & strict, max(2, round(FINGER * narrowest_px / SCALE)))
    wide = _wide(changed, max(3, round(DISCS_TOGETHER * narrowest_px / SCALE)))
    if table.edges is not None:
        lost = _structure(now, table, table.edges, inside).lost & inside
        things |= lost
        wide |= _wide(lost, max(3, round(GONE * narrowest_px / SCALE)))
    seeds = wide | narrow
    if not seeds.any():
        return Obstruction(np.zeros(seeds.shape, dtype=np.bool_))
    hidden = _grown(seeds, things | (change.any & inside), narrowest_px)
    return Obstruction(_without_lone_discs(hidden, wide, inside, narrowest_px / SCALE))


def _without_lone_discs(hidden: Mask, wide: Mask, inside: Mask, narrowest: float) -> Mask:
    """What hides the table, without what is as small and round as a disc and lies by itself: one laid beside the
    board. What reaches in from outside is none, however little of it is seen."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(hidden.astype(np.uint8), connectivity=8)
    rim = cv2.dilate((~inside).astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=1) > 0
    kept = np.ones(count, dtype=np.bool_)
    for part in range(1, count):
        left, top, width, height, area = stats[part]
        if max(width, height) > 2 * LONE_DISC * narrowest:
            continue
        cut = (slice(top, top + height), slice(left, left + width))
        those = labels[cut] == part
        if (those & (rim[cut] | wide[cut])).any():
            continue
        outline = np.argwhere(those).astype(np.float32)
        _, radius = cv2.minEnclosingCircle(outline)
        radius += 0.5
        round_enough = area >= ROUND * np.pi * radius**2
        kept[part] = not (round_enough and 0.25 * narrowest < radius <= LONE_DISC * narrowest)
    return np.asarray(hidden & kept[labels])


def structure_of(
    pixels: NDArray[np.uint8], reference: NDArray[np.uint8], narrowest_px: float, edges: Mask, inside: Mask
) -> Structure:
    """Where the edges between squares are gone, and where they are still to be seen; masks as an Obstruction's.

    Everything as for `find_obstruction`; only `inside` (height, width of the picture) counts.
    """
    table = clear_table(reference, narrowest_px, inside, inside, edges)
    return structure_over(table, small_picture(pixels))


def structure_over(table: ClearTable, small: NDArray[np.uint8], ignore: Mask | None = None) -> Structure:
    """The same for a small picture, without what a small mask says to ignore. The table's edges must be known."""
    assert table.edges is not None
    inside = table.inside if ignore is None else table.inside & ~ignore
    return _structure(small.astype(np.float32), table, table.edges, inside)


def _structure(now: NDArray[np.float32], table: ClearTable, edges: NDArray[np.float32], inside: Mask) -> Structure:
    compared = np.where(inside, edges, np.float32(0))
    return compare_structure(slopes_of(now), table.slopes, compared, round(table.narrowest_px / SCALE))


def _grown(seeds: Mask, things: Mask, narrowest_px: float) -> Mask:
    """What hangs together with the seeds, and what that surrounds."""
    count, labels = cv2.connectedComponents((things | seeds).astype(np.uint8), connectivity=8)
    hidden = np.zeros(count, dtype=np.bool_)
    hidden[np.unique(labels[seeds])] = True
    hidden[0] = False
    whole = np.asarray(hidden[labels], dtype=np.uint8)
    gap = max(3, round(narrowest_px / SCALE / 2)) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (gap, gap))
    return np.asarray(cv2.morphologyEx(whole, cv2.MORPH_CLOSE, kernel) > 0)


def disc_area(view: View) -> Mask:
    """(height, width) of the picture: where discs, stacks of up to three and their shadows may be seen, and all that
    lies between them."""
    width, height = view.camera.size
    area = np.zeros((height, width), np.uint8)
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    reach = view.disc.diameter_mm / 2 + REACH_MM + SHADOW_MM
    around = (view.places_mm[:, None, :] + reach * np.column_stack([np.cos(turn), np.sin(turn)])).reshape(-1, 2)
    points = [
        view.camera.project(np.column_stack([around, np.full(len(around), z)]))
        for z in (0.0, 3 * view.disc.height_mm)
    ]
    outline = cv2.convexHull(np.concatenate(points).astype(np.float32).reshape(-1, 1, 2))
    cv2.fillConvexPoly(area, np.rint(outline).astype(np.int32), 1)
    return np.asarray(area > 0)


def hidden_places(obstruction: Obstruction, view: View) -> NDArray[np.bool_]:
    """(N,) which places, or discs on them, are hidden for a fifth or more."""
    mask = obstruction.mask.astype(np.float32)
    hidden = np.zeros(len(view.places_mm), dtype=np.bool_)
    if not obstruction.present:
        return hidden
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    radii = view.disc.diameter_mm / 2 * np.sqrt(np.array([0.1, 0.4, 0.7, 1.0]))
    disc = np.concatenate([radius * np.column_stack([np.cos(turn), np.sin(turn)]) for radius in radii])
    for height in (0.0, view.disc.height_mm):
        points = (view.places_mm[:, None, :] + disc).reshape(-1, 2)
        pixels = view.camera.project(np.column_stack([points, np.full(len(points), height)])) / SCALE
        rows = np.clip(np.floor(pixels[:, 1]).astype(int), 0, mask.shape[0] - 1)
        columns = np.clip(np.floor(pixels[:, 0]).astype(int), 0, mask.shape[1] - 1)
        hidden |= mask[rows, columns].reshape(len(view.places_mm), -1).mean(axis=1) >= 0.2
    return hidden


def small_picture(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(height // SCALE, width // SCALE, …) of a picture."""
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (width // SCALE, height // SCALE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8)


def small_mask(mask: Mask) -> Mask:
    """The same of a mask."""
    height, width = mask.shape
    small = cv2.resize(mask.astype(np.uint8), (width // SCALE, height // SCALE), interpolation=cv2.INTER_NEAREST)
    return np.asarray(small > 0)


def _disc_area(inside: Mask, narrowest_px: float) -> Mask:
    rim = max(1, round(narrowest_px / SCALE / 3))
    return np.asarray(cv2.erode(inside.astype(np.uint8), np.ones((2 * rim + 1, 2 * rim + 1), np.uint8)) > 0)


@dataclass(frozen=True, eq=False)
class _Change:
    """Where something else is seen than before, each (height, width): of another hue or much darker; brighter;
    darker; in any way. slope: how steeply brightness has changed from pixel to pixel."""

    much: Mask
    brighter: Mask
    darker: Mask
    any: Mask
    slope: NDArray[np.float32]


def too_dark(table: ClearTable, small: NDArray[np.uint8]) -> bool:
    """Whether so little of a small picture stands out from its noise that a hand might not be seen."""
    return _noise_share(small.astype(np.float32), table.before, table.inside) > TOO_NOISY


def _noise_share(now: NDArray[np.float32], before: NDArray[np.float32], inside: Mask) -> float:
    """How large a change has to be to stand out from the noise, as a part of how bright the picture is."""
    ones = np.full((1, 3), 1.0, np.float32)
    ours = inside[::4, ::4]
    if not ours.any():
        return 0.0
    seen, was = (cv2.transform(picture, ones).reshape(inside.shape) for picture in (now, before))
    bright = float(np.median(seen[::4, ::4][ours]))
    gain = np.float32((bright + 6) / (float(np.median(was[::4, ::4][ours])) + 6))
    return STEP_NOISES * _usual_noise(seen - gain * was, inside) / max(bright, 1.0)


def _usual_noise(difference: NDArray[np.float32], inside: Mask) -> float:
    """What a quarter of the noise in a difference of two pictures stays below.

    Between points near each other: whatever has come there, a shadow or a change of the light, differs little.
    """
    rows, ours = difference[::4], inside[::4]
    both = ours[:, NOISE_APART_PX:] & ours[:, :-NOISE_APART_PX]
    apart = np.abs(rows[:, NOISE_APART_PX:] - rows[:, :-NOISE_APART_PX])[both]
    return float(np.quantile(apart, 0.25)) / math.sqrt(2) if len(apart) else 0.0


def _blurred(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.blur(picture, (DARK_BLUR_PX, DARK_BLUR_PX)), dtype=np.float32)


def _changes(now: NDArray[np.float32], before: NDArray[np.float32], inside: Mask, levels: float = 1.0) -> _Change:
    """levels: how much a grey level that is told apart for certain is, in those of a picture that is not blurred."""
    ones = np.full((1, 3), 1.0, np.float32)
    sample = inside[::4, ::4] if inside[::4, ::4].any() else np.ones_like(inside[::4, ::4])
    gain = np.median((now[::4, ::4][sample] + 2) / (before[::4, ::4][sample] + 2), axis=0)
    shape = now.shape[:2]
    # Where a channel shows nothing in either picture, another exposure looks like another hue.
    blue, green, red = cv2.split(cv2.min(now, before))
    burnt = cv2.max(cv2.max(blue, green), red) >= BURNT_OUT
    before = before * gain.astype(np.float32)
    sum_now = cv2.transform(now, ones).reshape(shape) + np.float32(6)
    sum_before = cv2.transform(before, ones).reshape(shape) + np.float32(6)
    smooth = (HUE_OVER_PX, HUE_OVER_PX)
    hue_now, hue_before = (
        np.asarray(cv2.blur(picture, smooth) / cv2.blur(total, smooth)[..., None], dtype=np.float32)
        for picture, total in ((now, sum_now), (before, sum_before))
    )
    shares = cv2.transform(cv2.absdiff(hue_now, hue_before), ones).reshape(shape)
    dimmer = np.minimum(sum_now, sum_before)
    usual = float(np.quantile((shares * dimmer)[::4, ::4][sample], 0.25))
    noise = np.maximum(np.float32(HUE_CHANGE), np.float32(max(HUE_NOISE * levels, HUE_NOISES * usual)) / dimmer)
    coloured = (shares > noise) & (dimmer > DIM) & ~burnt
    ratio = np.asarray(sum_now / sum_before, dtype=np.float32)
    # between two dark tones a ratio says little: a few levels of grey more are no hand
    step = cv2.absdiff(sum_now, sum_before)
    beyond_noise = step > STEP_NOISES * _usual_noise(sum_now - sum_before, inside)
    brighter = (ratio > BRIGHTER) & (sum_now - sum_before > 24.0 * levels) & beyond_noise
    darker = (ratio < SHADED) & beyond_noise
    much = coloured | (ratio < DARKER) & beyond_noise
    logarithm = np.log(ratio)
    across, down = (cv2.Sobel(logarithm, cv2.CV_32F, *order) for order in ((1, 0), (0, 1)))
    slope = np.asarray(cv2.magnitude(across, down) / 8, dtype=np.float32)
    least = max(ANY_LEVELS * levels, ANY_NOISES * float(np.quantile(step[::4, ::4][sample], 0.25)))
    other = (np.abs(logarithm) > ANY) & (step > least) | (shares > ANY_HUE * noise) & ~burnt
    return _Change(np.asarray(much), np.asarray(brighter), np.asarray(darker), np.asarray(other), slope)


def _eroded(mask: Mask) -> Mask:
    return np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def _sharply_bounded(area: Mask, slope: NDArray[np.float32], telling: Mask, sharp: float) -> Mask:
    """The parts of an area, darker or brighter, whose outline, where it is `telling`, is as sharp as no shadow's.

    A shadow that has gone since the reference was taken leaves a brighter area, as softly bounded as itself.
    """
    grown = area.astype(np.uint8)
    count, labels = cv2.connectedComponents(grown, connectivity=8)
    if count <= 1:
        return np.zeros_like(area)
    cross = np.ones((3, 3), np.uint8)
    outline = (cv2.dilate(grown, cross) > 0) & (cv2.erode(grown, cross) == 0) & telling
    # the outline lies half outside: give its pixels their neighbour's label
    near = cv2.dilate(labels.astype(np.float32), cross).astype(int)
    steepest = cv2.dilate(slope, cross)
    total = np.bincount(near[outline], weights=steepest[outline], minlength=count)
    length = np.bincount(near[outline], minlength=count)
    things = (total / np.maximum(length, 1) > sharp) & (length >= SHORTEST_OUTLINE)
    things[0] = False
    return np.asarray(things[labels])


def _wide(mask: Mask, width: int) -> Mask:
    """What of the mask is at least so wide everywhere; beyond the picture's edge it is thought to go on."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    padded = cv2.copyMakeBorder(mask.astype(np.uint8), width, width, width, width, cv2.BORDER_REPLICATE)
    cores = cv2.erode(padded, kernel)
    if not cores.any():  # As nearly always; growing again what is not there would take as long.
        return np.zeros_like(mask)
    return np.asarray(cv2.dilate(cores, kernel)[width:-width, width:-width] > 0)
