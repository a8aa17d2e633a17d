"""What a bad move gives away, in words: a small vocabulary, drawn from what happens on the board in the lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from controller.draughts import Move, Position, notation
from controller.engine.interface import SURE_WIN, WIN

LONGEST_FOLLOWING = 5
"""Moves that are named of what follows."""

FORESEEN = 12
"""Plies of a line that are believed first; what lies beyond counts only where they do not show what was lost."""

_A_LOSS = 40
"""Hundredths of a man that a move must have cost for pieces to be called lost: else they are soon won back."""

_LEVEL, _AHEAD = 25, 70
"""Hundredths of a man: within the first it is level, from the second on a side is clearly ahead."""

_NUMBERS = ("no", "a", "two", "three", "four", "five")


@dataclass(frozen=True, slots=True)
class Choice:
    """A move and what is expected to follow it; the score as the side that moves sees it."""

    line: tuple[Move, ...]
    score: int


@dataclass(frozen=True, slots=True)
class _Tally:
    """What has happened since the line began: pieces the mover and the opponent lost, men they crowned."""

    men: int = 0
    kings: int = 0
    enemy_men: int = 0
    enemy_kings: int = 0
    crowned: int = 0
    enemy_crowned: int = 0

    @property
    def down(self) -> int:
        """Pieces that the mover has lost more than the opponent."""
        return self.men + self.kings - self.enemy_men - self.enemy_kings

    @property
    def kings_down(self) -> int:
        return self.kings - self.enemy_kings


def explained(position: Position, played: Choice, best: Choice) -> str:
    """What `played` gives away beside `best`, such as `loses a man: 11x18 follows; 24-19 kept it level`."""
    better = notation(position, best.line[0])
    return f"{_given_away(position, played, best)}; {better} {_worth(best.score, played.score)}"


def _given_away(position: Position, played: Choice, best: Choice) -> str:
    for plies in (FORESEEN, max(len(played.line), len(best.line))):
        story = _Story(position, played.line, plies)
        settled, wanted = story.settled, _Story(position, best.line, plies).settled
        if settled.down > wanted.down:
            break
    costly = best.score - played.score >= _A_LOSS
    if played.score <= -SURE_WIN:
        won = " a won game" if best.score >= SURE_WIN else ""
        return f"loses{won} in {_moves(played.score)}{story.told(story.lost_for_good_at())}"
    if best.score >= SURE_WIN:
        what = "gives away the win" if played.score < _AHEAD else "misses the win"
        return f"{what}{story.told(story.lost_for_good_at()) if settled.down > wanted.down else ''}"
    if costly and settled.down > max(wanted.down, 0):
        return f"loses {_pieces_more(settled, wanted)}{story.told(story.lost_for_good_at())}"
    if costly and settled.down > wanted.down:
        jumped = len(best.line[0].captured)
        if jumped > max(1, len(played.line[0].captured)):
            return f"misses a jump of {_number(jumped)}"
        return f"misses the win of {_pieces(settled.down - wanted.down, settled.kings_down - wanted.kings_down)}"
    if settled.down == wanted.down and settled.kings_down > wanted.kings_down:
        return f"gives a king for a man{story.told(story.settled_after)}"
    if settled.enemy_crowned > wanted.enemy_crowned:
        return f"lets a man through to the king row{story.told(story.crowned_at(wanted.enemy_crowned + 1))}"
    if settled.crowned < wanted.crowned:
        return "misses a king"
    return f"gives ground{story.told(2)}"


class _Story:
    """What happens in a line of moves up to where nothing more can be jumped, as its first mover sees it."""

    def __init__(self, position: Position, line: Sequence[Move], plies: int) -> None:
        """`plies` is how much of the line counts."""
        self._notations: list[str] = []
        self._tallies = [_Tally()]
        quiet = 0
        for count, move in enumerate(line, start=1):
            self._notations.append(notation(position, move))
            self._tallies.append(_after(self._tallies[-1], position, move, own=count % 2 == 1))
            position = position.after(move)
            if not position.can_capture() and (count <= plies or not quiet):
                quiet = count
        self.settled_after = quiet or len(line)
        """Moves after which, for the last time in what counts, nothing can be jumped; else all of them."""

    @property
    def settled(self) -> _Tally:
        """What has happened in the end."""
        return self._tallies[self.settled_after]

    def lost_for_good_at(self) -> int:
        """The number of moves after which the pieces that are lost in the end are lost; 2 if none are."""
        down = [tally.down for tally in self._tallies[: self.settled_after + 1]]
        if down[-1] <= 0:
            return 2
        count = len(down) - 1
        while count > 1 and down[count - 1] >= down[-1]:
            count -= 1
        while down[count] > down[-1]:  # Something is jumped back.
            count += 1
        return count

    def crowned_at(self, crowned: int) -> int:
        """The number of moves after which the opponent has crowned so many men."""
        return next(count for count, tally in enumerate(self._tallies) if tally.enemy_crowned >= crowned)

    def told(self, count: int) -> str:
        """`: 11x18 follows`: the moves after the first, up to the `count`th; nothing if there are none.

        Of many moves only the first are named.
        """
        following = self._notations[1:count]
        if not following:
            return ""
        shown = " ".join(following[:LONGEST_FOLLOWING])
        if len(following) > LONGEST_FOLLOWING:
            return f" in the end: {shown} … follow"
        return f": {shown} follow{'s' if len(following) == 1 else ''}"


def _after(tally: _Tally, position: Position, move: Move, own: bool) -> _Tally:
    """What has happened when another move has been made in `position`, the mover's own or the opponent's."""
    jumped = [piece for square in move.captured if (piece := position.piece_at(square)) is not None]
    kings = sum(piece.king for piece in jumped)
    men = len(jumped) - kings
    if own:
        return replace(
            tally,
            enemy_men=tally.enemy_men + men,
            enemy_kings=tally.enemy_kings + kings,
            crowned=tally.crowned + move.crowns,
        )
    return replace(
        tally, men=tally.men + men, kings=tally.kings + kings, enemy_crowned=tally.enemy_crowned + move.crowns
    )


def _worth(score: int, instead_of: int) -> str:
    """What the better move would have come to."""
    if score >= SURE_WIN:
        return f"won in {_moves(score)}"
    if score <= -SURE_WIN:
        return "held out longer"
    if score >= _AHEAD:
        return "kept the lead"
    if score > _LEVEL:
        return "was a little ahead"
    if score >= -_LEVEL:
        return "kept it level"
    return "held on" if instead_of <= -SURE_WIN else "lost less"


def _moves(score: int) -> str:
    """The moves that the winner of a forced win needs."""
    moves = (WIN - abs(score) + 1) // 2
    return f"{moves} move{'' if moves == 1 else 's'}"


def _pieces(count: int, kings: int) -> str:
    """`a man`, `two men`, `a king`; where men and kings are mixed, `two pieces`."""
    kinds = ("man", "men") if kings <= 0 else ("king", "kings") if kings >= count else ("piece", "pieces")
    return f"{_number(count)} {kinds[count != 1]}"


def _pieces_more(settled: _Tally, wanted: _Tally) -> str:
    """The pieces lost, beyond those that are lost with the better move too."""
    if wanted.down <= 0:
        return _pieces(settled.down, settled.kings_down)
    more = _pieces(settled.down - wanted.down, settled.kings_down - max(wanted.kings_down, 0))
    return f"another {more.removeprefix('a ')}" if more.startswith("a ") else f"{more} more"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
