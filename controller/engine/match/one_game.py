"""One game of a match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.draughts import Colour, Game, IllegalMoveError, Position, Remarks, write_pdn
from controller.engine.hub.errors import HubError
from controller.engine.interface import Limits, Reply
from controller.engine.match.order import MatchOrder
from controller.engine.match.players import Seat
from hardware.clock import Clock

TOLERANCE_S = 0.02
"""A move is late when it takes longer than its time by more than this."""

Adjudicator = Callable[[Position], int | None]
"""How a position ends with best play of both sides, where that is known: 1 when the side to move wins, 0, or −1."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a player has moved: sums over its moves, and how far it went over its time.

    `depths` sums the depths reached in the `searched` moves, those where there was a choice. `late` counts the moves
    that took longer than their time by more than TOLERANCE_S, `most_over_s` is the most that one took too long, and
    `longest_s` the longest move.
    """

    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    searched: int = 0
    depths: int = 0
    late: int = 0
    most_over_s: float = 0.0
    longest_s: float = 0.0

    def __add__(self, other: Pace) -> Pace:
        return Pace(
            self.moves + other.moves,
            self.seconds + other.seconds,
            self.nodes + other.nodes,
            self.searched + other.searched,
            self.depths + other.depths,
            self.late + other.late,
            max(self.most_over_s, other.most_over_s),
            max(self.longest_s, other.longest_s),
        )


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A game that has been played.

    `index` numbers the games of the match from 0, `opening` names how it began; `first_is_black` says which colour
    the first player had. `points` are the first player's: 1, ½ or 0. `reason` is the end in words. `failed` names
    the player that ended the game by a failure of its own (a program that ended, an illegal move), and so has lost.
    `pace` is that of the first and of the second player.
    """

    index: int
    opening: str
    first_is_black: bool
    result: str
    points: float
    reason: str
    failed: str | None
    plies: int
    pdn: str
    pace: tuple[Pace, Pace]


@dataclass(frozen=True, slots=True)
class _Ending:
    winner: Colour | None
    reason: str
    failed: Colour | None = None


def play_one_game(
    order: MatchOrder, index: int, seats: tuple[Seat, Seat], clock: Clock, adjudicate: Adjudicator | None = None
) -> MatchGame:
    """Play a game of the match to its end. Raises HubError when a player's program cannot even be started."""
    first = order.first_colour(index)
    colours = (first, first.other)
    players = dict(zip(colours, (order.first, order.second), strict=True))
    limits = {colour: player.limits(order.move_limits) for colour, player in players.items()}
    engines = {
        colour: seat.engine(seed) for colour, seat, seed in zip(colours, seats, order.seeds(index), strict=True)
    }
    pace = dict.fromkeys(colours, Pace())
    game = order.opening(index).game()
    ending: _Ending | None = None
    while ending is None and (ending := _ending(game, adjudicate)) is None:
        colour = game.position.turn
        began = clock.now()
        try:
            reply = engines[colour].choose(game, limits[colour])
            pace[colour] += _pace(game.position, reply, clock.now() - began, limits[colour])
            game.play(reply.move)
        except (HubError, IllegalMoveError) as error:
            ending = _Ending(colour.other, f"{colour.other.title} wins: {str(error).rstrip('.')}.", colour)
            seats[colours.index(colour)].close()  # What it would say next is not to be trusted.
    result = "1/2-1/2" if ending.winner is None else "1-0" if ending.winner is Colour.WHITE else "0-1"
    return MatchGame(
        index=index,
        opening=str(order.opening(index)),
        first_is_black=first is Colour.BLACK,
        result=result,
        points=0.5 if ending.winner is None else float(ending.winner is first),
        reason=ending.reason,
        failed=players[ending.failed].name if ending.failed is not None else None,
        plies=game.plies,
        pdn=write_pdn(
            game,
            {
                "Event": "Crownhead match",
                "Date": clock.date().strftime("%Y.%m.%d"),
                "Round": str(index + 1),
                **{colour.title: players[colour].name for colour in Colour},
                "Result": result,
                "Opening": str(order.opening(index)),
            },
            Remarks({game.plies: ending.reason}),
        ),
        pace=(pace[first], pace[first.other]),
    )


def _ending(game: Game, adjudicate: Adjudicator | None) -> _Ending | None:
    """How the game has ended, or will end."""
    if (outcome := game.outcome()) is not None:
        return _Ending(outcome.winner, outcome.sentence)
    known = adjudicate(game.position) if adjudicate is not None else None
    if known is None:
        return None
    if known == 0:
        return _Ending(None, "The game is a draw by the endgame tables.")
    winner = game.position.turn if known > 0 else game.position.turn.other
    return _Ending(winner, f"{winner.title} wins by the endgame tables.")


def _pace(position: Position, reply: Reply, seconds: float, limits: Limits) -> Pace:
    """The pace of one move."""
    over = 0.0 if limits.seconds is None else max(seconds - limits.seconds, 0.0)
    choice = len(position.legal_moves()) > 1
    return Pace(
        moves=1,
        seconds=seconds,
        nodes=reply.nodes,
        searched=int(choice),
        depths=reply.depth if choice else 0,
        late=int(over > TOLERANCE_S),
        most_over_s=over,
        longest_s=seconds,
    )
