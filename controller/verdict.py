"""What the referee makes of a reading against the position."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from controller.draughts import Move


class VerdictKind(Enum):
    """DESIGN.md's verdicts."""

    UNCHANGED = "unchanged"
    """Nothing but perhaps a disc nudged within its square."""
    MOVE = "move"
    """A legal move, its crown perhaps missing."""
    UNFINISHED = "unfinished"
    """A jump broken off, or a captured disc left standing."""
    ILLEGAL = "illegal"
    UNCLEAR = "unclear"
    HAND = "hand"
    MOVED_CAMERA = "moved_camera"


@dataclass(frozen=True)
class Verdict:
    """A verdict with its one sentence for the player.

    move: for MOVE the move made, for UNFINISHED the one begun, for UNCLEAR a move that is certain while its crown is
    not. crown_missing: for MOVE, whether the man on the far row is still without its crown.
    squares: the squares the sentence is about. confidence: probability that the verdict is right. contents: (32,) the
    vision.reading.Content of each square, as far as the verdict knows better than the reading alone, else None.
    """

    kind: VerdictKind
    sentence: str
    move: Move | None = None
    crown_missing: bool = False
    squares: tuple[int, ...] = ()
    confidence: float = 1.0
    contents: tuple[int, ...] | None = field(default=None, repr=False)

    def agrees_with(self, other: Verdict) -> bool:
        """Whether the two say the same, however sure they are."""
        return (self.kind, self.sentence, self.move, self.crown_missing) == (
            other.kind,
            other.sentence,
            other.move,
            other.crown_missing,
        )
