"""What is said, and believed, of discs that a person is to turn over because their other face shows the crown."""

from __future__ import annotations

from dataclasses import replace

from controller.draughts import Position
from controller.handling.layout import Layout
from controller.handling.places import square
from controller.handling.plan import disc_word
from controller.referee import listed


def please_turn(squares: tuple[int, ...], position: Position) -> str:
    """Ask for discs on these squares, of which each is one of `position`'s pieces, to be turned over."""
    return f"please turn {_discs(squares, position)} over: {_what_they_are(squares, position)}"


def no_crown_seen(squares: tuple[int, ...], position: Position) -> str:
    """Ask again for what has not been seen to be done."""
    it = "it" if len(squares) == 1 else "they"
    be = "is" if len(squares) == 1 else "are"
    return (
        f"I do not see yet that {_discs(squares, position)} {be} turned: {_what_they_are(squares, position)}; please "
        f"turn {'it' if len(squares) == 1 else 'them'} over, or press the button if {it} {be} turned already"
    )


def turned_by_hand(layout: Layout, squares: tuple[int, ...]) -> Layout:
    """The layout when the discs on these squares show their other face, as a person says they do."""
    turned = {square(number): layout.stacks[square(number)] for number in squares}
    return Layout(
        {**layout.stacks, **{place: replace(stack, crowned=not stack.crowned) for place, stack in turned.items()}}
    )


def _discs(squares: tuple[int, ...], position: Position) -> str:
    pieces = position.pieces()
    if len(squares) == 1:
        return f"the {disc_word(pieces[squares[0]].colour)} disc on {squares[0]}"
    return f"the discs on {listed(squares)}"


def _what_they_are(squares: tuple[int, ...], position: Position) -> str:
    pieces = position.pieces()
    kings = tuple(number for number in squares if pieces[number].king)
    men = tuple(number for number in squares if not pieces[number].king)
    if not men:
        return "it is a king" if len(kings) == 1 else "they are kings"
    if not kings:
        return "it is a man" if len(men) == 1 else "they are men"
    return f"{_named(kings, 'king')} and {_named(men, 'man')}"


def _named(squares: tuple[int, ...], kind: str) -> str:
    if len(squares) == 1:
        return f"{squares[0]} is a {kind}"
    return f"{listed(squares)} are {'kings' if kind == 'king' else 'men'}"
