"""A game in the terminal: a live board, and what is happening in words."""

from __future__ import annotations

from collections import deque

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from controller.draughts import Colour, Game, Piece, Position, square_at
from controller.events import Event, EventKind, TurnState

WORDS_KEPT = 12
DARK_SQUARE, LIGHT_SQUARE = "on #5f3a1e", "on #d9b98a"
DISCS = {
    (Colour.BLACK, False): ("●", "bold #1a0d06"),
    (Colour.BLACK, True): ("◉", "bold #1a0d06"),
    (Colour.WHITE, False): ("●", "bold #fff3d6"),
    (Colour.WHITE, True): ("◉", "bold #fff3d6"),
}
STYLES = {
    EventKind.SAID: "green",
    EventKind.ASKED: "bold red",
    EventKind.MOVE: "bold",
    EventKind.TRANSFER: "dim",
}


class LiveBoard:
    """Listens to a game's events and draws it; a context manager that owns the terminal while it is open."""

    def __init__(self, console: Console, game: Game, human: Colour) -> None:
        self._game = game
        self._human = human
        self._state = TurnState.STARTING
        self._time_s = 0.0
        self._words: deque[tuple[str, str]] = deque(maxlen=WORDS_KEPT)
        self._live = Live(console=console, auto_refresh=False)

    def __enter__(self) -> LiveBoard:
        self._live.__enter__()
        self._draw()
        return self

    def __exit__(self, *details: object) -> None:
        self._live.__exit__(None, None, None)

    def hear(self, event: Event) -> None:
        """Take an event in and draw anew."""
        self._state = event.state
        self._time_s = event.time_s
        if event.kind in STYLES:
            self._words.append((event.text, STYLES[event.kind]))
        self._draw()

    def _draw(self) -> None:
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        words = Text()
        for text, style in self._words:
            words.append(f"{text}\n", style=style)
        status = Text(f"{_clock(self._time_s)}  {self._state.value}", style="bold cyan")
        table = Table.grid(padding=(0, 2))
        table.add_row(board_text(self._game, self._human), Group(status, Text(), words))
        return Panel(table, title="Crownhead", subtitle=" ".join(self._game.notations()[-6:]) or None)


def board_text(game: Game, human: Colour) -> Text:
    """The position as the human sees it, 8 rows of coloured squares."""
    pieces = game.position.pieces()
    order = range(8) if human is Colour.WHITE else range(7, -1, -1)
    text = Text()
    for row in order:
        for column in order:
            text.append(*_cell(square_at(row, column), pieces))
        text.append("\n")
    return text


def numbered_board(position: Position, human: Colour, tints: bool) -> Text:
    """The position as the human sees it, every square with its number; without tints Black's men are b, kings B."""
    pieces = position.pieces()
    order = range(8) if human is Colour.WHITE else range(7, -1, -1)
    text = Text()
    for row in order:
        for column in order:
            text.append(*_numbered_cell(square_at(row, column), pieces, tints))
        text.append("\n")
    return text


def _numbered_cell(square: int | None, pieces: dict[int, Piece], tints: bool) -> tuple[str, str]:
    piece = pieces.get(square) if square is not None else None
    if not tints:
        letter = "" if piece is None else piece.colour.value if piece.king else piece.colour.value.lower()
        return f"{letter or ' '}{square or '':<3}", ""
    if square is None:
        return "    ", LIGHT_SQUARE
    symbol, style = DISCS[piece.colour, piece.king] if piece else (" ", "#c09060")
    return f"{symbol}{square:<3}", f"{style} {DARK_SQUARE}"


def _cell(square: int | None, pieces: dict[int, Piece]) -> tuple[str, str]:
    if square is None:
        return "   ", LIGHT_SQUARE
    piece = pieces.get(square)
    if piece is None:
        return f"{square:>3}", f"#8a6240 {DARK_SQUARE}"
    symbol, style = DISCS[piece.colour, piece.king]
    return f" {symbol} ", f"{style} {DARK_SQUARE}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


class LineTeller:
    """Listens to a game's events and prints the moves and words, a line each, for a terminal that is none."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def hear(self, event: Event) -> None:
        """Print what people would want to read in a log."""
        if event.kind in (EventKind.MOVE, EventKind.SAID, EventKind.ASKED):
            self._console.print(f"{_clock(event.time_s)}  {event.text}", markup=False, highlight=False)
