"""A game at a terminal: the robot's words and the board as they come, above what somebody types."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from rich.console import Console
from rich.text import Text

from controller.draughts import Colour, Game
from controller.events import Event, EventKind, TurnState
from controller.terminal import STYLES, numbered_board

INTRODUCTION = (
    "You play {human} and sit at the near side; Crownhead plays {robot} at level {level}.",
    "Type a move, legal or not (11-15 or 11x18x25), and your hand makes it; 'put back' mends the",
    "board, 'unplug', 'bump', 'hand in' and more make trouble, 'help' tells all, 'quit' ends.",
)
YOURS_STYLE = "cyan"


class Conversation:
    """Listens to a game's events and prints them; the board whenever it is the human's turn to move anew."""

    def __init__(
        self, console: Console, aside: Callable[[], AbstractContextManager[None]], game: Game, human: Colour
    ) -> None:
        """What is printed is printed inside `aside()`, which makes room for it."""
        self._console = console
        self._aside = aside
        self._game = game
        self._human = human
        self._shown: int | None = None
        """The number of moves after which the board was shown last."""

    def introduce(self, level: int | str) -> None:
        """Say who plays what, and what can be typed."""
        human, robot = self._human.title, self._human.other.title
        self._print(*(Text(line.format(human=human, robot=robot, level=level)) for line in INTRODUCTION))

    def hear(self, event: Event) -> None:
        """Print what there is to say about an event."""
        if event.kind is EventKind.STATE:
            if event.state is TurnState.WAITING and self._shown != self._game.plies:
                self.show_board()
        elif event.kind is not EventKind.TRANSFER:
            self._print(Text(event.text, style=STYLES[event.kind]))

    def tell(self, text: str) -> None:
        """Print what became of something that was typed."""
        self._print(Text(text, style=YOURS_STYLE))

    def show_board(self) -> None:
        """Print the game's position, and whose turn it is."""
        self._shown = self._game.plies
        turn = self._game.position.turn
        whose = "your turn" if turn is self._human else "my turn"
        board = numbered_board(self._game.position, self._human, tints=self._console.color_system is not None)
        self._print(board, Text(f"{turn.title} to move: {whose}.", style="bold"))

    def _print(self, *texts: Text) -> None:
        with self._aside():
            for text in texts:
                self._console.print(text, highlight=False)
