"""The hand guard: gives the gantry its permit while nothing but the gantry itself is over the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import cv2
import numpy as np

from calibration.calibration import Calibration
from controller.arm_shadow import ArmShadow
from controller.handling.layout import Centre
from controller.lost_arm import LostArm
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Camera, Frame, GlimpsedCamera, Pixels
from vision.obstruction import (
    SCALE,
    ClearTable,
    Obstruction,
    clear_table,
    disc_area,
    obstruction_over,
    small_mask,
    small_picture,
    structure_of,
    structure_over,
    too_dark,
)
from vision.relighting import disc_zones, light_differs, lit_alike, only_light_changed, relit
from vision.silhouette import Box, Mask, silhouette
from vision.stillness import is_still
from vision.structure import square_edges

Tip = tuple[float, float, float]
TipsAt = Callable[[float], Sequence[Tip]]
"""Points (board mm) near which the gripper's tip was at a time (s); none while the machine does not know."""

NARROWEST_MM = 38.0
"""What is narrower than this at its thickest may be a disc that has come or gone; a hand or a sleeve is wider."""
LIGHT_SETTLES_S = 3.0
"""What hides the table may be taken for a change of the light only when it has not stirred for so long."""
SHADOW_SETTLES_S = 0.5
"""How long what hides the table must not have stirred before lamps are looked for that may throw it as a shadow."""
HAND = "a hand is over the table"
TOO_DARK = "it is too dark to see a hand: please switch a light on"
COMING_OUT = 3.0
"""How wide a shadow may be, in multiples of NARROWEST_MM, that is taken for the gantry's as soon as it comes out."""
SHOWN_THROUGH = 0.3
"""Or in how large a part of it the board's edges must be seen."""
LONG_S = 30.0
"""How long something may hide the table before it is taken for a thing that somebody has left there."""
SOMETHING_HIDES_IT = (
    "something is over the board or beside it: please take it away, or press the turn button if nothing is there"
)
WORKSPACE_MARGIN_MM = 75.0
"""How far around the playing area and the tray a hand is looked for."""
ARM_MARGIN_PX = 8
DISC_MARGIN = 1.3
"""How much wider than a disc the place is where one is expected to come or go."""


class HandGuard:
    """Compares fresh frames with a reference frame of the still table; everything large and new is a hand.

    Where the gantry and what it carries must appear, and where discs are being taken away or put down, is foreseen
    and does not count. While the gantry moves it asks for the permit all the time: of a camera that can be glimpsed
    at, every picture is looked at as it comes, small; of another one a frame every `interval_s`.
    """

    def __init__(
        self, camera: Camera, clock: Clock, calibration: Calibration, interval_s: float, max_age_s: float
    ) -> None:
        """A look counts for `interval_s` at most; a frame older than `max_age_s` is not relied on."""
        self._interval_s = interval_s
        self._camera = camera
        self._clock = clock
        self._calibration = calibration
        self._max_age_s = max_age_s
        self._glimpses = camera if isinstance(camera, GlimpsedCamera) else None
        self._reference: Pixels | None = None
        self._clear: tuple[Pixels, ClearTable] | None = None
        """The reference that was made ready last, and what was made of it."""
        self._reference_tips: Sequence[Tip] = ()
        self._unseen: Mask | None = None
        """Where the gantry hid the table from the reference and has not left it since: nothing is known there."""
        self._tips: TipsAt = lambda _: ()
        self._work: tuple[Centre, ...] = ()
        self.region = silhouette(calibration.camera, [_workspace(calibration)])
        """(height, width): the part of the picture in which a hand would be in the arm's way."""
        view = calibration.view(human_is_white=True)
        self._disc_area = disc_area(view)
        self._square_edges = square_edges(view)
        self.unmoving = np.asarray(self.region & ~disc_zones(view))
        """(height, width): the part of it where no disc comes or goes."""
        self._narrowest_px = NARROWEST_MM * _px_per_mm(calibration)
        self._arm_shadow = ArmShadow(calibration.camera, 4 * calibration.square_mm)
        self._lost_arm = LostArm(calibration)
        self.arm_is_lost: Callable[[], bool] = lambda: False
        """Asked whether the machine is still to find out where it is."""
        self._hidden_since: tuple[float, Frame] | None = None
        self.confirmed: Callable[[], bool] = lambda: False
        """Asked, when something has hidden the table for long, whether a person says that nothing does."""
        self._looked_at = -math.inf
        self._refusal: str | None = None
        self.hand_at_s = -math.inf
        """When a hand was in the arm's way last, as it asked for its permit (s)."""

    def set_reference(self, frame: Frame) -> None:
        """Take `frame`, in which nothing but perhaps the gantry hides the table, as what it should look like."""
        self._reference = frame.pixels
        self._reference_tips = self._tips(frame.time_s)
        foreseen = self._foreseen(frame.time_s)
        hidden = None if foreseen is None else np.asarray(foreseen & self.region)
        self._unseen = hidden if hidden is not None and hidden.any() else None

    def follow(self, tips: TipsAt) -> None:
        """Ask `tips` where the gripper's tip can have been when a frame was taken."""
        self._tips = tips

    def expect_work_at(self, centres: Iterable[Centre]) -> None:
        """Expect discs to come and go at these points (board mm) until told otherwise."""
        self._work = tuple(centres)

    def look(self, frame: Frame) -> Obstruction:
        """What hides the table in `frame`, the gantry apart.

        Raises RuntimeError if there is no reference yet.
        """
        if self._reference is None:
            raise RuntimeError("the hand guard has no reference frame")
        foreseen = self._foreseen(frame.time_s)
        uncovered = self._uncovered(foreseen)
        if self._unseen is not None:
            foreseen = self._unseen if foreseen is None else np.asarray(foreseen | self._unseen)
        found = self._find(frame.pixels, self._clear_table(self._reference), foreseen)
        self._watch(frame, found)
        if not found.present:
            self._learn(frame, uncovered)
            return found
        nothing = Obstruction(np.zeros_like(found.mask))
        if self._is_lost_arm(frame, found) or self._is_shadow(frame, found, self._reference):
            self._hidden_since = None
            return nothing
        if self.hidden_for_s(frame.time_s) < LIGHT_SETTLES_S:
            return found
        free = np.asarray(self.unmoving if foreseen is None else self.unmoving & ~foreseen)
        if only_light_changed(frame.pixels, self._reference, free, found.mask):
            self.accept(frame)
            return nothing
        lit = self._lit_now(frame, self._reference, free, foreseen)
        if lit is not None:
            self._reference = lit
            self._reference_tips = ()  # The gantry's shadow in the new light is not in it.
            self._hidden_since = None
            return nothing
        return found

    def _uncovered(self, foreseen: Mask | None) -> Mask | None:
        """What is seen now for the first time since the reference, as the gantry has left it; None if nothing is."""
        if self._unseen is None:
            return None
        uncovered = np.asarray(self._unseen if foreseen is None else self._unseen & ~foreseen)
        return uncovered if uncovered.any() else None

    def _learn(self, frame: Frame, uncovered: Mask | None) -> None:
        """Put into the reference what `frame`, in which nothing else hides the table, shows of it for the first time.

        A hand that lay there all the while, under the gantry and nowhere beside it, would be taken for the table;
        none reaches there without being seen on its way.
        """
        if uncovered is None or self._reference is None or self._unseen is None:
            return
        self._reference = np.where(uncovered[..., None], frame.pixels, self._reference)
        left = np.asarray(self._unseen & ~uncovered)
        self._unseen = left if left.any() else None

    def _find(self, pixels: Pixels, table: ClearTable, foreseen: Mask | None) -> Obstruction:
        return obstruction_over(table, small_picture(pixels), None if foreseen is None else small_mask(foreseen))

    def _clear_table(self, reference: Pixels) -> ClearTable:
        """What is to be seen of a reference, made ready; that is done only once for each."""
        if self._clear is None or self._clear[0] is not reference:
            table = clear_table(reference, self._narrowest_px, self.region, self._disc_area, self._square_edges)
            self._clear = reference, table
        return self._clear[1]

    def _lit_now(self, frame: Frame, reference: Pixels, free: Mask, foreseen: Mask | None) -> Pixels | None:
        """How the table looks in a light that has changed; None if more has changed than that.

        Compared with how the reference would look in the new light there may be nothing but the gantry's shadow.
        Under it, however deep, the board's edges are where they were; under a hand they are not.
        """
        if not light_differs(frame.pixels, reference, free):
            return None
        lit = lit_alike(reference, frame.pixels, free)
        left = self._find(frame.pixels, self._clear_table(lit), foreseen)
        covered = np.zeros_like(self.region) if foreseen is None else foreseen
        seen = structure_of(frame.pixels, lit, self._narrowest_px, self._square_edges, self.region & ~covered)
        unverified = np.asarray(left.mask & ~seen.shown)
        bodies = self._bodies(frame.time_s)
        self._arm_shadow.forget()
        if unverified.any() and not self._arm_shadow.explains(bodies, unverified, frame.pixels, lit, first_too=True):
            return None
        shade = cv2.resize(left.mask.astype(np.uint8), covered.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
        return np.where((covered | shade)[..., None], lit, frame.pixels)

    def accept(self, frame: Frame) -> None:
        """Take what `frame` shows, apart from the gantry and its work, for how the table looks with nobody there."""
        foreseen = self._foreseen(frame.time_s)
        if self._reference is None or foreseen is None:
            self._reference = frame.pixels
        else:
            self._reference = relit(self._reference, frame.pixels, foreseen)
        self._unseen = None if self._unseen is None or foreseen is None else np.asarray(self._unseen & foreseen)
        self._reference_tips = self._tips(frame.time_s)
        self._hidden_since = None
        self._arm_shadow.forget()

    def hidden_for_s(self, now_s: float) -> float:
        """For how long the same thing has hidden the table without stirring."""
        return 0.0 if self._hidden_since is None else now_s - self._hidden_since[0]

    def _is_lost_arm(self, frame: Frame, found: Obstruction) -> bool:
        """Whether it is the gantry, on its way home from where nobody knows that it stood."""
        if not self.arm_is_lost():
            self._lost_arm.forget()
            return False
        foreseen = self._foreseen(frame.time_s)
        watched = np.asarray(self.region if foreseen is None else self.region & ~foreseen)
        return self._lost_arm.explains(found.mask, watched, self.hidden_for_s(frame.time_s) >= LIGHT_SETTLES_S)

    def _is_shadow(self, frame: Frame, found: Obstruction, reference: Pixels, coming: bool = False) -> bool:
        """Whether what is found in a frame, small or not, is the gantry's own shadow, deep and sharp in hard light.

        Of a lamp that has thrown none before, only where it has not stirred for a while, or is just `coming` out from
        under the gantry. Where that stood for the reference its shadow is nothing new.
        """
        tips = self._tips(frame.time_s)
        if tips == self._reference_tips:
            return False
        bodies = self._bodies(frame.time_s)
        settled = self.hidden_for_s(frame.time_s) >= SHADOW_SETTLES_S
        return self._arm_shadow.explains(bodies, found.mask, frame.pixels, reference, settled or coming)

    def _comes_out(self, seen: Frame, found: Obstruction, table: ClearTable, foreseen: Mask | None) -> bool:
        """Whether what a glimpse has found may be a shadow that has just come out from under the gantry.

        It is small yet, or over the board, whose edges it leaves where they were: a hand or a sleeve covers them.
        """
        if int(found.mask.sum()) <= (COMING_OUT * self._narrowest_px / SCALE) ** 2:
            return True
        structure = structure_over(table, seen.pixels, foreseen)
        if (found.mask & structure.lost).any():
            return False
        return int((found.mask & structure.shown).sum()) >= SHOWN_THROUGH * int(found.mask.sum())

    def _bodies(self, at_s: float) -> list[tuple[Box, ...]]:
        """Each part of the gantry, at all places where it can have been at a time."""
        return list(zip(*(self._calibration.arm_boxes(tip) for tip in self._tips(at_s)), strict=True))

    def _watch(self, frame: Frame, found: Obstruction) -> None:
        before = self._hidden_since
        if not found.present:
            self._hidden_since = None
        elif before is None or not is_still(before[1].pixels, frame.pixels, self.region):
            self._hidden_since = frame.time_s, frame

    def check_age(self, frame: Frame) -> None:
        """Raise CameraError for a frame so old that the camera must have stopped."""
        age = self._clock.now() - frame.time_s
        if age > self._max_age_s:
            raise CameraError("The camera's picture stands still: check its cable and power.")

    def refusal(self) -> str | None:
        """None while the table is clear, else why there is no permit. Looks anew at whatever is new.

        A glimpse can only take the permit away, until the next look at a whole frame.
        """
        if self._refusal is None:
            self._glance()
        now = self._clock.now()
        if now - self._looked_at >= self._interval_s:
            self._looked_at = now
            self._refusal = self._look_now()
        if self._refusal == HAND:
            self.hand_at_s = now
        return self._refusal

    def _glance(self) -> None:
        """Look at the newest picture of a camera that can be glimpsed at, if there is one.

        What the gantry has hidden so far is learnt from whole frames only.
        """
        if self._glimpses is None or self._reference is None or self._unseen is not None:
            return
        try:
            seen = self._glimpses.glimpse()
        except CameraError as error:
            self._looked_at, self._refusal = self._clock.now(), str(error)
            return
        if seen is None or self._clock.now() - seen.time_s > self._interval_s:
            return
        table, foreseen = self._clear_table(self._reference), self._foreseen(seen.time_s, 1 / SCALE)
        found = obstruction_over(table, seen.pixels, foreseen)
        if too_dark(table, seen.pixels):
            self._refusal = TOO_DARK
        elif not found.present or self._is_shadow(
            seen, found, self._reference, self._comes_out(seen, found, table, foreseen)
        ):
            self._hidden_since = None
        else:
            self._refusal = HAND
        self._looked_at = self._clock.now()

    def _look_now(self) -> str | None:
        if self._reference is None:
            return "the table has not been seen clear yet"
        try:
            frame = self._camera.frame()
            self.check_age(frame)
        except CameraError as error:
            return str(error)
        if too_dark(self._clear_table(self._reference), small_picture(frame.pixels)):
            return TOO_DARK
        if not self.look(frame).present:
            return None
        if self.hidden_for_s(frame.time_s) < LONG_S:
            return HAND
        if self.confirmed():
            self.accept(frame)
            return None
        return SOMETHING_HIDES_IT

    def _foreseen(self, at_s: float, scale: float = 1.0) -> Mask | None:
        """Where the arm, its load, and discs that come and go may be seen in a frame taken at `at_s`.

        For a picture `scale` times the camera's size.
        """
        tips = self._tips(at_s)
        camera = self._calibration.camera
        if not tips and not self._work:
            return None
        boxes = [box for tip in tips for box in self._calibration.arm_boxes(tip)]
        mask = silhouette(camera, boxes, margin_px=math.ceil(ARM_MARGIN_PX * scale), scale=scale)
        discs = np.zeros(mask.shape, dtype=np.uint8)
        radius = DISC_MARGIN * self._calibration.disc.diameter_mm / 2
        height = self._calibration.disc.height_mm
        circles = [(x, y, 0.0, 2 * height) for x, y in self._work]
        circles += [(x, y, z - 2 * height, z) for x, y, z in tips]
        for x, y, low, high in circles:
            angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
            ring = np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)])
            points = np.vstack([np.column_stack([ring, np.full(16, z)]) for z in (low, high)])
            hull = cv2.convexHull((scale * camera.project(points)).astype(np.float32).reshape(-1, 1, 2))
            cv2.fillConvexPoly(discs, np.rint(hull).astype(np.int32), 1)
        return np.asarray(mask | (discs > 0))


def _workspace(calibration: Calibration) -> Box:
    """Playing area and tray with a margin around them, board mm."""
    side = 8 * calibration.square_mm
    points = np.array([(0.0, 0.0), (side, side), *calibration.tray_mm])
    x0, y0 = (float(value) for value in points.min(axis=0) - WORKSPACE_MARGIN_MM)
    x1, y1 = (float(value) for value in points.max(axis=0) + WORKSPACE_MARGIN_MM)
    return Box((x0, y0, 0.0), (x1, y1, 0.0))


def _px_per_mm(calibration: Calibration) -> float:
    """Scale of the picture at the board's centre."""
    centre = 4 * calibration.square_mm
    left, right = calibration.camera.project([(centre - 50, centre, 0), (centre + 50, centre, 0)])
    return float(np.linalg.norm(right - left) / 100)
