"""The eye: frames of the table in, readings and verdicts that can be believed out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from controller.draughts import Position
from controller.hand_guard import LONG_S, SOMETHING_HIDES_IT, HandGuard
from controller.handling.kings import Kings
from controller.handling.layout import Layout, contents_of, layout_of_reading
from controller.handling.places import SQUARES
from controller.referee import judge, listed, priors_of
from controller.steady_camera import SteadyCamera
from controller.unclear import explained
from controller.verdict import Verdict, VerdictKind
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame
from vision.appearance import Appearance
from vision.crown_face import flat_contents
from vision.doubt import doubts
from vision.errors import CannotLearnError
from vision.learning import UNKNOWN
from vision.reader import Contents, first_sight, learn, read, update
from vision.reading import Content, Reading
from vision.relighting import light_differs
from vision.stillness import is_still
from vision.view import View

BETWEEN_FRAMES_S = 0.15
"""Time between the two frames that have to agree."""
CAMERA_RETRY_S = 0.5
CAMERA_GRACE_S = 1.5
"""A camera that misses frames for no longer is not worth a word: a busy machine."""
FEW_SURPRISES = 2
"""So many squares may hold what they should not after a game was broken off: a disc that was dropped or knocked."""
AGREEMENT_TRIES = 8
"""Frames of which two have to agree for a verdict that is believed."""
SETTLING_TRIES = 60
"""The same for a look that is waited for: about ten seconds."""


@dataclass(frozen=True, eq=False)
class Glance:
    """One frame and what is seen of it at once."""

    frame: Frame
    hand: bool
    """Whether something hides the table."""
    changed: bool
    """Whether the table looks different from when it was last known to be right."""
    moved: str | None
    """A sentence if it is the camera, or the board, that has been moved and cannot be followed."""


@dataclass(frozen=True, eq=False)
class Look:
    """One frame of the clear table with its reading."""

    frame: Frame
    reading: Reading


class Waiting:
    """What is to be said, and when, while something keeps the table from being seen."""

    def __init__(self, since_s: float) -> None:
        self._since_s = since_s
        self._said: set[str] = set()

    def complaint(self, now_s: float, glance: Glance) -> str | None:
        """The sentence that is due now, if one is that has not been said."""
        sentence = glance.moved or SOMETHING_HIDES_IT
        due = glance.moved is not None or now_s - self._since_s >= LONG_S
        if not due or sentence in self._said:
            return None
        self._said.add(sentence)
        return sentence

    @property
    def told(self) -> bool:
        """Whether the player has been told that something hides the table."""
        return SOMETHING_HIDES_IT in self._said


def _kind_of(sight: int, likely: Sequence[int]) -> int:
    """The Content of a square that the network sees to be empty or to hold a disc of a colour, or UNKNOWN."""
    if sight in (UNKNOWN, Content.EMPTY):
        return sight
    kings = {Content.DARK_MAN: Content.DARK_KING, Content.LIGHT_MAN: Content.LIGHT_KING}
    both = (sight, int(kings[Content(sight)]))
    kinds = {content for content in likely if content in both}
    return kinds.pop() if len(kinds) == 1 else (UNKNOWN if kinds else sight)


class Eye:
    """Looks at the table; knows how its discs and squares look once it has learnt them from a known position."""

    def __init__(
        self,
        camera: SteadyCamera,
        clock: Clock,
        view: View,
        guard: HandGuard,
        hand_s: float,
        patience_s: float = 0.0,
        kings: Kings = Kings.STACKED,
    ) -> None:
        """`hand_s` is the time between frames while a hand is over the table.

        A camera that gives no frames is waited for `patience_s`.
        """
        self.hand_s = hand_s
        self.on_trouble: Callable[[str], None] = lambda sentence: None
        """Told, once each, what keeps the table from being seen."""
        self.on_camera_back: Callable[[], None] = lambda: None
        """Told when the camera gives frames again."""
        self._patience_s = patience_s
        self._kings = kings
        self._camera = camera
        self._clock = clock
        self._guard = guard
        self._appearance: Appearance | None = None
        self._reference: Frame | None = None
        self.view = view
        self.last: Look | None = None
        """The last frame that was read: for pictures."""

    def learn_from(self, *positions: Position) -> Look:
        """Learn how the table looks from a still frame of the first of these positions that it shows.

        What the tray holds need not be known. Raises CannotLearnError, about the first, when it shows none of them.
        """
        frame = self.still_frame()
        first_error: CannotLearnError | None = None
        for position in positions:
            try:
                return self._learn(frame, position)
            except CannotLearnError as error:
                first_error = first_error or error
        raise first_error or CannotLearnError("there is no position to learn from")

    def relearn(self, *positions: Position) -> bool:
        """Learn anew in a light that has changed, if the table shows one of these positions; False if it does not."""
        reference = self._reference
        frame = self.still_frame()
        if reference is None or not light_differs(frame.pixels, reference.pixels, self._guard.unmoving):
            return False
        if self._guard.look(frame).present:
            return False
        for position in positions:
            try:
                self._learn(frame, position)
            except CannotLearnError:
                continue
            return True
        return False

    def learn_in_part(
        self, squares: Contents, likely: Sequence[Contents] = (), most_surprises: int = FEW_SURPRISES
    ) -> Look:
        """Learn from a still frame of a board of which `squares` (32,) says what it holds, or UNKNOWN.

        Of discs on unknown squares the network tells the colour; whether they are kings, what is `likely` (32,) does.
        For a game that was broken off: a disc may lie where nobody expects it, so a few surprises are taken as they
        are. CannotLearnError when the board shows something else altogether.
        """
        frame = self.still_frame()
        sight = first_sight(frame.pixels, self.view)[:SQUARES]
        known = squares.copy()
        for i in np.flatnonzero(squares == UNKNOWN):
            known[i] = _kind_of(int(sight[i]), [int(contents[i]) for contents in likely])
        return self._learn(frame, known, most_surprises)

    def _learn(self, frame: Frame, known: Position | NDArray[np.int64], most_surprises: int = 0) -> Look:
        contents = np.full(len(self.view.places_mm), UNKNOWN, dtype=np.int64)
        contents[:SQUARES] = contents_of(known) if isinstance(known, Position) else known
        appearance = learn(frame.pixels, self.view, contents, self._kings.told_by)
        look = Look(frame, read(frame.pixels, self.view, appearance))
        seen, said = look.reading.contents[:SQUARES], contents[:SQUARES]
        if self._kings is Kings.TURNED:  # A disc that is still to be turned over is asked for when it matters.
            seen, said = flat_contents(seen), flat_contents(said)
        wrong = [int(i) + 1 for i in np.flatnonzero((seen != said) & (contents[:SQUARES] != UNKNOWN))]
        if len(wrong) > most_surprises:
            raise CannotLearnError(
                f"the board does not show the position it should: please look at {listed(tuple(wrong))}"
            )
        self._appearance = appearance
        self._refer_to(look)
        return look

    def believe(self, look: Look, position: Position) -> None:
        """Take a look as showing `position`: the new reference, from which drifting light is followed."""
        contents = look.reading.contents.copy()
        if self._kings is Kings.TURNED:  # Of no face in the tray anybody has said what it is.
            contents[SQUARES:] = UNKNOWN
        contents[:SQUARES] = contents_of(position)
        # What is believed on all squares together may still surprise on single places: then nothing is learnt of it.
        with suppress(CannotLearnError):
            self._appearance = update(self._known(), look.frame.pixels, self.view, contents)
        self._refer_to(look)

    def glance(self) -> Glance:
        """Take a frame and see at once whether something hides the table or has changed."""
        frame = self._frame()
        changed = self._reference is None or not self.is_still(self._reference, frame)
        # To the hand guard a shifted picture is full of hands.
        moved = self._camera.trouble
        hidden = changed and moved is None and self._guard.look(frame).present
        return Glance(frame, hand=hidden, changed=changed or moved is not None, moved=moved)

    def judge(self, position: Position) -> tuple[Verdict, Look | None]:
        """The verdict on which two frames agree, with the later one; None with a hand over the table.

        Of a table that does not come to rest, the last verdict.
        """
        previous: tuple[Verdict, Look] | None = None
        for _ in range(AGREEMENT_TRIES):
            glance = self.glance()
            if glance.hand:
                return Verdict(VerdictKind.HAND, "I wait until your hand is off the board"), None
            look = self._read(glance.frame, position)
            verdict = judge(position, look.reading)
            if glance.moved is not None:
                verdict = Verdict(VerdictKind.MOVED_CAMERA, glance.moved)
            if (
                previous is not None
                and verdict.agrees_with(previous[0])
                and self.is_still(previous[1].frame, look.frame)
            ):
                break
            previous = verdict, look
            self._clock.sleep(BETWEEN_FRAMES_S)
        if verdict.kind is VerdictKind.UNCLEAR:
            bare = look.reading.contents == Content.EMPTY
            verdict = explained(verdict, doubts(look.frame.pixels, self.view, bare=bare))
        return verdict, look

    def settled_look(self, position: Position, to_be_turned: Collection[int] = ()) -> Look:
        """A look at the clear table on whose contents two frames agree; waits for hands to go away.

        `position` is what is expected, but for the squares `to_be_turned`, whose discs may show their other face yet.
        Raises CannotLearnError when the picture does not come to rest.
        """
        previous: Look | None = None
        tries = 0
        waiting = Waiting(self._clock.now())
        while tries < SETTLING_TRIES:
            glance = self.glance()
            if glance.hand or glance.moved:
                previous, tries = None, 0
                if sentence := waiting.complaint(self._clock.now(), glance):
                    self.on_trouble(sentence)
                elif glance.hand and waiting.told and self._guard.confirmed():
                    self.accept(glance)
                self._clock.sleep(self.hand_s)
                continue
            look = self._read(glance.frame, position, to_be_turned)
            if previous is not None and self._agree(previous, look):
                return look
            previous, tries = look, tries + 1
            self._clock.sleep(BETWEEN_FRAMES_S)
        raise CannotLearnError("two pictures of the board never agree: please check the light and the camera's mount")

    def accept(self, glance: Glance) -> None:
        """Believe a person who says that nothing hides the table as it looks now."""
        self._guard.accept(glance.frame)

    def is_still(self, before: Frame, after: Frame) -> bool:
        """Whether nothing moved on and around the table between two frames, not even a hand's shadow before it."""
        return is_still(before.pixels, after.pixels, self._guard.region)

    def layout(self, look: Look, verdict: Verdict | None = None) -> Layout:
        """The likeliest layout; of what lies on the squares a verdict knows more than the look alone."""
        known = verdict.contents if verdict else None
        return layout_of_reading(look.reading, self.view.places_mm, known, self._kings)

    def _frame(self) -> Frame:
        """A fresh frame. While the camera gives none, the player is told and it is waited for; then CameraError."""
        waiting_since: float | None = None
        told = False
        while True:
            try:
                frame = self._camera.frame()
                self._guard.check_age(frame)
            except CameraError as error:
                now = self._clock.now()
                waiting_since = now if waiting_since is None else waiting_since
                if not told and now - waiting_since >= min(CAMERA_GRACE_S, self._patience_s):
                    told = True
                    self.on_trouble(f"{error} I wait up to {self._patience_s:.0f} s for it.")
                if now - waiting_since >= self._patience_s:
                    raise
                self._clock.sleep(CAMERA_RETRY_S)
            else:
                if told:
                    self.on_camera_back()
                return frame

    def _known(self) -> Appearance:
        if self._appearance is None:
            raise CannotLearnError("how the board looks has not been learnt yet")
        return self._appearance

    def _refer_to(self, look: Look) -> None:
        self._reference = look.frame
        self._guard.set_reference(look.frame)
        self._camera.remember(look.frame)
        self.last = look

    def _read(self, frame: Frame, position: Position, to_be_turned: Collection[int] = ()) -> Look:
        """Read a frame, expecting what the side to move could have done in `position`."""
        priors = np.full((len(self.view.places_mm), len(Content)), 1.0 / len(Content))
        priors[:SQUARES] = priors_of(position, to_be_turned)
        self.last = Look(frame, read(frame.pixels, self.view, self._known(), priors=priors))
        return self.last

    def _agree(self, before: Look, after: Look) -> bool:
        same = np.array_equal(before.reading.contents, after.reading.contents)
        return same and self.is_still(before.frame, after.frame)

    def still_frame(self, seconds: float = 0.0) -> Frame:
        """A frame of a picture that has been at rest for so long (or between two frames); CannotLearnError if it does
        not come to rest."""
        previous = self._frame()
        since = previous.time_s
        for _ in range(SETTLING_TRIES):
            self._clock.sleep(BETWEEN_FRAMES_S)
            frame = self._frame()
            if not self.is_still(previous, frame):
                since = frame.time_s
            elif frame.time_s - since >= seconds:
                return frame
            previous = frame
        raise CannotLearnError("the picture does not come to rest: please keep clear of the board and the camera")
