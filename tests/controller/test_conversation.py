"""What a game at a terminal prints."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise

import pytest
from rich.console import Console

from controller.draughts import Colour, Game, parse_move, read_fen
from controller.events import Event, EventKind, TurnState
from controller.seat.conversation import Conversation
from controller.terminal import numbered_board


def event(kind: EventKind, text: str = "", state: TurnState = TurnState.WAITING) -> Event:
    return Event(1.0, kind, state, text)


@pytest.fixture
def screen() -> io.StringIO:
    return io.StringIO()


def talk(screen: io.StringIO, game: Game, human: Colour = Colour.BLACK) -> Conversation:
    return Conversation(Console(file=screen, width=100), nullcontext, game, human)


def test_the_board_is_shown_once_for_each_position_that_the_human_may_move_in(screen: io.StringIO) -> None:
    game = Game()
    conversation = talk(screen, game)
    for state in (TurnState.WAITING, TurnState.HAND, TurnState.JUDGING, TurnState.WAITING):
        conversation.hear(event(EventKind.STATE, state.value, state))
    assert screen.getvalue().count("Black to move: your turn.") == 1
    for text in ("11-15", "22-18"):
        game.play(parse_move(game.position, text))
    conversation.hear(event(EventKind.STATE))
    assert screen.getvalue().count("Black to move: your turn.") == 2
    assert "b15" in screen.getvalue()
    assert "w18" in screen.getvalue()


def test_words_are_printed_as_they_come_and_transfers_are_not(screen: io.StringIO) -> None:
    conversation = talk(screen, Game())
    for kind in (EventKind.SAID, EventKind.ASKED, EventKind.MOVE, EventKind.TRANSFER):
        conversation.hear(event(kind, f"[b]{kind.value}[/b] words"))
    conversation.tell("your hand moves 11 to 15")
    assert screen.getvalue().splitlines() == [
        "[b]said[/b] words",
        "[b]asked[/b] words",
        "[b]move[/b] words",
        "your hand moves 11 to 15",
    ]


def test_everything_is_printed_aside() -> None:
    steps: list[str] = []

    class Screen(io.StringIO):
        def write(self, text: str) -> int:
            steps.append("print")
            return super().write(text)

    @contextmanager
    def aside() -> Iterator[None]:
        steps.append("make room")
        yield
        steps.append("come back")

    conversation = Conversation(Console(file=Screen()), aside, Game(), Colour.WHITE)
    conversation.introduce(3)
    conversation.show_board()
    assert steps[0] == "make room"
    assert steps[-1] == "come back"
    assert "print" not in [after for before, after in pairwise(steps) if before == "come back"]


def test_it_says_whose_turn_it_is(screen: io.StringIO) -> None:
    talk(screen, Game(), Colour.WHITE).show_board()
    assert "Black to move: my turn." in screen.getvalue()
    talk(screen, Game(), Colour.WHITE).introduce(7)
    assert "You play White and sit at the near side; Crownhead plays Black at level 7." in screen.getvalue()
    assert max(map(len, screen.getvalue().splitlines())) < 100


@pytest.mark.parametrize("human", Colour)
def test_every_square_has_its_number_and_the_humans_side_is_near(human: Colour) -> None:
    board = numbered_board(read_fen("B:W21,K30:BK3,9"), human, tints=False).plain.splitlines()
    words = [row.split() for row in board]
    if human is Colour.BLACK:
        words = [row[::-1] for row in words[::-1]]
    assert [word for row in words for word in row] == [
        {3: "B3", 9: "b9", 21: "w21", 30: "W30"}.get(square, str(square)) for square in range(1, 33)
    ]
    assert len({len(row) for row in board}) == 1


def test_with_tints_men_and_kings_are_drawn() -> None:
    board = numbered_board(read_fen("B:W21,K30:BK3,9"), Colour.BLACK, tints=True)
    assert {"●21", "◉30", "◉3", "●9"} <= set(board.plain.replace("\n", " ").split())
    assert len({len(row) for row in board.plain.splitlines()}) == 1
