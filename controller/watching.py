"""Watching a game: pictures of a board in order, of which the first shows a known position, become verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from controller.draughts import Colour, Position
from controller.errors import ControllerError
from controller.orientation import SQUARES, Orientation, best_fit, fit
from controller.referee import judge, listed, priors_of
from controller.surroundings import Surroundings
from controller.unclear import explained
from controller.verdict import Verdict, VerdictKind
from controller.watched_board import (
    Pixels,
    Pose,
    followed,
    laid_over,
    looked_at,
    posed,
    remembered_anew,
)
from vision.appearance import Appearance
from vision.camera_model import CameraModel
from vision.disc_size import DiscSize
from vision.doubt import doubts
from vision.errors import CannotLearnError
from vision.finder import FoundBoard, find_board
from vision.obstruction import Obstruction, hidden_places
from vision.reader import learn, read, update
from vision.reading import Content, Reading
from vision.relighting import only_light_changed
from vision.stillness import is_still
from vision.unprepared import read_board

SQUARE_MM = 40.0
"""The squares of a board of which nothing is known are taken to be so large; only proportions matter."""
LEAST = 1e-4
"""Neither of two readings is taken for surer than this when they are weighed against each other."""
MOST_WRONG = 3
"""So many squares of the first picture may be read otherwise than they are said to be, before it has been learnt."""
TURN_DOUBT = 12.0
"""Log odds beyond which a board is believed to lie otherwise than with as little turn as it can."""
LEFT_LYING = 3
"""After so many pictures in which the same thing lies around the board without stirring, it is scenery."""
HAND = Verdict(VerdictKind.HAND, "a hand, or something else, is over the board")
_AS_IT_SHOULD = Verdict(VerdictKind.UNCHANGED, "nothing has moved")
BELIEVED = (VerdictKind.UNCHANGED, VerdictKind.MOVE)


@dataclass(frozen=True)
class Step:
    """A verdict, and the position after it."""

    verdict: Verdict
    position: Position


class WrongStartError(ControllerError):
    """The first picture does not show the position that it is said to."""


@dataclass(frozen=True, eq=False)
class Watched:
    """What one picture has brought.

    steps: the verdicts in order: none while pictures have to agree first, more than one when the camera was moved or
    two moves were made since the picture before. picture: the one that was looked at, put straight, with the pose in
    which it shows the board. reading: of the squares 1–32, in the colours seen; all hidden if it was not read.
    """

    steps: tuple[Step, ...]
    picture: Pixels
    pose: Pose
    reading: Reading


class Watcher:
    """Follows a game on a board that it has found in its first picture, of which the position is known.

    `watch` takes the pictures that follow, in order. A verdict other than a hand is believed when `agree` pictures
    one after the other have brought it.
    """

    def __init__(
        self,
        pixels: Pixels,
        position: Position,
        agree: int = 1,
        board: FoundBoard | None = None,
        disc: DiscSize | None = None,
        square_mm: float = SQUARE_MM,
    ) -> None:
        """Find the board in the first picture and learn how it looks.

        board, disc, square_mm: where the board is and how large the discs are, if that is known.

        Raises BoardNotFoundError, or WrongStartError if the picture shows another position.
        """
        found = find_board(pixels) if board is None else board
        first = read_board(pixels, found, disc, square_mm)
        best = best_fit(first.reading, position)
        if len(best.differing) > MOST_WRONG:
            raise _wrong_start(best.differing)
        picture, small = looked_at(pixels, found)
        size = (pixels.shape[1], pixels.shape[0])
        scale = square_mm / first.view.square_mm
        known = disc or DiscSize(first.view.disc.diameter_mm * scale, first.view.disc.height_mm * scale)
        self.position = position
        self._agree = agree
        self._pose = posed(size, picture, small, best.orientation, known, square_mm)
        self._camera: CameraModel = self._pose.view.camera
        self._clean = self._quiet = picture
        self._around = Surroundings.of(self._pose)
        self._appearance: Appearance | None = None
        self._learn(picture)
        self._before: Pixels | None = None
        self._lain = 0
        self._waiting: tuple[tuple[Step, ...], int] | None = None
        seen = self._reading(picture, position)
        wrong = fit(_on_board(seen, best.orientation), position, best.orientation).differing
        if wrong and best.differing:
            raise _wrong_start(best.differing)
        self.first = Watched((Step(_AS_IT_SHOULD, position),), picture, self._pose, seen)

    def watch(self, pixels: Pixels) -> Watched:
        """What the next picture shows."""
        whence = followed(self._pose, self._camera, pixels)
        if whence is None:
            return self._not_seen(self._clean, ())
        self._camera = whence.camera
        moved = (Step(_moved(whence.moved_squares), self.position),) if whence.moved_squares else ()
        if whence.renewed:
            self._renew(whence.pose, whence.picture)
        picture = whence.picture
        at_rest = self._still(picture)
        obstruction = self._obstruction(picture, at_rest)
        self._lain = self._lain + 1 if obstruction.present and at_rest else 0
        self._before = picture
        if obstruction.present:
            scenery = self._lain >= LEFT_LYING and not hidden_places(obstruction, self._pose.view).any()
            if not scenery:
                return self._not_seen(picture, moved)
        steps, reading = self._judged(picture)
        if not self._agreed(steps):
            return Watched(moved, picture, self._pose, reading)
        if all(step.verdict.kind in BELIEVED for step in steps):
            self._believe(picture, steps[-1].position, at_rest)
        return Watched((*moved, *steps), picture, self._pose, reading)

    # Pictures

    def _not_seen(self, picture: Pixels, moved: tuple[Step, ...]) -> Watched:
        self._waiting = None
        return Watched((*moved, Step(HAND, self.position)), picture, self._pose, _NOTHING_READ)

    def _still(self, picture: Pixels) -> bool:
        before = self._before
        return before is not None and before.shape == picture.shape and is_still(before, picture)

    def _renew(self, pose: Pose, picture: Pixels) -> None:
        """Go on with the camera in another place: which way the board lies is seen by what stands on it."""
        reading = read_board(picture, pose.board, pose.view.disc, pose.view.square_mm).reading
        turned = tuple(pose.orientation.turned_by(turns) for turns in range(4))
        best = best_fit(reading, self.position, turned)
        if best.likelihood > fit(reading, self.position, turned[0]).likelihood + TURN_DOUBT:
            disc, square_mm = pose.view.disc, pose.view.square_mm
            pose = posed(pose.size, picture, pose.board, best.orientation, disc, square_mm)
        self._clean, self._quiet = (laid_over(clean, self._pose, pose) for clean in (self._clean, self._quiet))
        self._pose, self._camera = pose, pose.view.camera
        self._around = Surroundings.of(pose, margin_squares=0.0)
        self._appearance = None

    def _obstruction(self, picture: Pixels, at_rest: bool) -> Obstruction:
        """What hides the board, by both clean pictures: the latest follows the light, but may show a hand unseen."""
        found = self._against(self._clean, picture, at_rest)
        if found.present and self._quiet is not self._clean:
            other = self._against(self._quiet, picture, at_rest)
            return found if other.present else other
        return found

    def _against(self, clean: Pixels, picture: Pixels, at_rest: bool) -> Obstruction:
        found = self._around.hand(picture, clean, at_rest)
        light = found.present and at_rest
        if light and only_light_changed(picture, clean, self._around.unmoving, found.mask):
            return Obstruction(np.zeros_like(found.mask))
        return found

    # Readings

    def _reading(self, picture: Pixels, position: Position) -> Reading:
        """What the 32 squares hold, in the colours seen."""
        view, orientation = self._pose.view, self._pose.orientation
        if self._appearance is not None:
            priors = orientation.seen_as(priors_of(position))
            return read(picture, view, self._appearance, priors=priors)
        return self._fresh_reading(picture)

    def _fresh_reading(self, picture: Pixels) -> Reading:
        """The same without what was learnt."""
        view = self._pose.view
        whole = read_board(picture, self._pose.board, view.disc, view.square_mm).reading
        cells = self._pose.orientation.cells
        return Reading(whole.probabilities[cells], whole.offsets_mm[cells], whole.tops_mm[cells], whole.hidden[cells])

    def _judged(self, picture: Pixels) -> tuple[tuple[Step, ...], Reading]:
        reading = self._reading(picture, self.position)
        steps = self._weighed(reading)
        if self._appearance is None or steps[0].verdict.kind is VerdictKind.UNCHANGED:
            return steps, reading
        # What is not as it was is looked at once more by itself, without what was learnt.
        both = _together(reading, self._fresh_reading(picture))
        steps = self._weighed(both)
        if steps[0].verdict.kind is VerdictKind.UNCLEAR:
            bare = reading.contents == Content.EMPTY
            reason = explained(steps[0].verdict, doubts(picture, self._pose.view, bare=bare))
            steps = (replace(steps[0], verdict=reason),)
        return steps, both

    def _weighed(self, reading: Reading) -> tuple[Step, ...]:
        game = replace(reading, probabilities=self._pose.orientation.seen_as(reading.probabilities))
        return steps_from(self.position, game)

    def _agreed(self, steps: tuple[Step, ...]) -> bool:
        count = 1
        if self._waiting is not None and _alike(steps, self._waiting[0]):
            count = self._waiting[1] + 1
        self._waiting = steps, count
        return count >= self._agree or steps[0].verdict.kind is VerdictKind.UNCHANGED

    # What is known

    def _believe(self, picture: Pixels, position: Position, at_rest: bool) -> None:
        """Take a picture as showing `position`: from it drifting light is followed.

        at_rest: whether nothing stirred since the picture before, as a hand would have.
        """
        if position != self.position:
            self._waiting = None
        self.position = position
        self._clean = picture
        if at_rest:
            self._quiet = picture
        if self._appearance is None:
            self._around = Surroundings.of(self._pose)
            self._learn(picture)
        else:
            contents = self._pose.orientation.contents(position)
            with suppress(CannotLearnError):
                self._appearance = update(self._appearance, picture, self._pose.view, contents)
        self._pose = remembered_anew(self._pose, picture)

    def _learn(self, picture: Pixels) -> None:
        contents = self._pose.orientation.contents(self.position)
        with suppress(CannotLearnError):
            self._appearance = learn(picture, self._pose.view, contents)


def steps_from(position: Position, reading: Reading) -> tuple[Step, ...]:
    """What a reading of the squares 1–32, in the game's colours, tells to have happened since `position`.

    Two moves, one of each side, are understood when nothing that the side to move can have done explains the reading
    and only one pair of moves does. Kings are carried in the game's state: what a square holds is told by the rules
    where they allow only men, or only kings, of a colour there.
    """
    verdict = judge(position, with_known_kings(position, reading))
    if verdict.kind is VerdictKind.MOVE and verdict.move is not None:
        return (Step(verdict, position.after(verdict.move)),)
    if verdict.kind in (VerdictKind.UNCHANGED, VerdictKind.UNFINISHED):
        return (Step(verdict, position),)
    pairs = []
    for move in position.legal_moves():
        between = position.after(move)
        second = judge(between, with_known_kings(between, reading))
        if second.kind is VerdictKind.MOVE and second.move is not None:
            squares, confidence = (move.start, move.end), second.confidence
            first = Verdict(VerdictKind.MOVE, f"you played {move}", move, squares=squares, confidence=confidence)
            pairs.append((Step(first, between), Step(second, between.after(second.move))))
    return pairs[0] if len(pairs) == 1 else (Step(verdict, position),)


def with_known_kings(position: Position, reading: Reading) -> Reading:
    """A reading of the squares 1–32 in which men and kings are told apart by the rules where these tell it."""
    allowed = priors_of(position) > LIKELY
    probabilities = reading.probabilities.copy()
    for colour, (man, king) in _KINDS.items():
        both = probabilities[:, man] + probabilities[:, king]
        only_king = allowed[:, king] & (~allowed[:, man] | _far_row(colour))
        only_man = allowed[:, man] & ~allowed[:, king]
        either = allowed[:, man] & allowed[:, king] & ~_far_row(colour)
        probabilities[:, king] = np.where(only_king | either, both, np.where(only_man, 0.0, probabilities[:, king]))
        probabilities[:, man] = np.where(only_man | either, both, np.where(only_king, 0.0, probabilities[:, man]))
    return replace(reading, probabilities=probabilities)


BY_ITSELF = 0.5
"""What a picture tells by itself is half as sure as it is said to be (log odds, `python -m tests.reading_campaign
--unprepared`)."""
LIKELY = 0.1
"""Prior of a content, by the rules, from which they allow it."""
_KINDS = {
    Colour.BLACK: (Content.DARK_MAN, Content.DARK_KING),
    Colour.WHITE: (Content.LIGHT_MAN, Content.LIGHT_KING),
}


def _far_row(colour: Colour) -> NDArray[np.bool_]:
    squares = np.arange(1, 33)
    return np.asarray(squares >= 29 if colour is Colour.BLACK else squares <= 4)


_NOTHING_READ = Reading(
    np.full((SQUARES, len(Content)), 1 / len(Content)),
    np.full((SQUARES, 2), np.nan),
    np.full((SQUARES, 2), np.nan),
    np.ones(SQUARES, dtype=np.bool_),
)


def _on_board(reading: Reading, orientation: Orientation) -> Reading:
    """A reading of the squares 1–32 as one of all 64, row by row from the top left; the others are not read."""
    probabilities = np.tile(np.eye(len(Content))[Content.EMPTY], (64, 1))
    nowhere = np.full((64, 2), np.nan)
    hidden = np.ones(64, dtype=np.bool_)
    probabilities[orientation.cells], hidden[orientation.cells] = reading.probabilities, reading.hidden
    return Reading(probabilities, nowhere, nowhere, hidden)


def _together(one: Reading, other: Reading) -> Reading:
    """A reading by what was learnt and one of the same squares by the picture alone, made independently, as one."""
    first, second = (np.clip(reading.probabilities, LEAST, 1.0) for reading in (one, other))
    second **= BY_ITSELF
    first[one.hidden], second[other.hidden] = 1.0, 1.0
    product = first * second
    probabilities = product / product.sum(axis=1, keepdims=True)
    hidden = one.hidden & other.hidden
    offsets = np.where(np.isfinite(one.offsets_mm), one.offsets_mm, other.offsets_mm)
    tops = np.where(np.isfinite(one.tops_mm), one.tops_mm, other.tops_mm)
    return Reading(probabilities, offsets, tops, hidden)


def _alike(some: Sequence[Step], others: Sequence[Step]) -> bool:
    if len(some) != len(others):
        return False
    return all(one.verdict.agrees_with(other.verdict) for one, other in zip(some, others, strict=True))


def _moved(squares: float) -> Verdict:
    sentence = f"the camera or the board has been moved, by about {squares:.2g} squares"
    return Verdict(VerdictKind.MOVED_CAMERA, sentence)


def _wrong_start(squares: tuple[int, ...]) -> WrongStartError:
    named = tuple(square for square in squares if square)
    where = f"look at {listed(named)}" if named else "no disc may stand on the squares that are not played on"
    return WrongStartError(
        f"the first picture does not show the position given: {where}, or say with --fen what the board shows"
    )
