"""The compiled engine: the search of the extension `_core` behind the engine's interface."""

from __future__ import annotations

import os
from collections.abc import Callable

from controller.draughts import Colour, Game, GameOverError, Move, Position
from controller.draughts.bitboard import State
from controller.draughts.game import QUIET_PLIES
from controller.engine import _core
from controller.engine.interface import Limits, Reply
from hardware.clock import Clock

TABLE_MEGABYTES = 32
_SMALL_TABLE_MEGABYTES = 1
_SMALL_SEARCH_NODES = 30_000
_NO_QUIET_LIMIT = 1 << 20


class CompiledSearch:
    """An engine that searches some millions of positions a second.

    With limits of depth or nodes alone and one thread, the same game, noise and seed give the same reply, whatever
    was searched before; with a limit of time it goes on with what it found for earlier moves. `noise` is the standard
    deviation, in hundredths of a man, of its misjudgement of a middle game, which follows from `seed`; `endings`
    whether it looks up the endgame tables that are attached.
    """

    def __init__(
        self, clock: Clock, noise: float = 0.0, seed: int = 0, threads: int = 1, endings: bool = True
    ) -> None:
        self._clock = clock
        self._noise = noise
        self._seed = seed
        self._threads = min(threads, os.cpu_count() or 1)  # More would only make each other late.
        self._endings = endings
        self._table: object | None = None
        self._megabytes = 0

    def prepare(self, limits: Limits) -> None:
        """Make now what the first search within such limits would else make in its own time."""
        self._table_for(limits)

    def choose(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """The best move found; see `Engine.choose`."""
        position = game.position
        legal = position.legal_moves()
        if not legal:
            raise GameOverError(f"{position.turn.title} has no move to choose from.")
        started = self._clock.now()
        seconds = limits.seconds

        def elapsed() -> float:
            return self._clock.now() - started

        def enough() -> bool:
            return (seconds is not None and elapsed() >= seconds) or (stop is not None and stop())

        def deepened(score: int, depth: int, nodes: int, line: list[State]) -> bool:
            if progress is not None:
                moves = _moves(position, line)
                progress(Reply(moves[0], score, depth, nodes, elapsed(), moves))
            return len(legal) == 1 and seconds is not None  # There is nothing to think about.

        score, depth, nodes, line = _core.search(
            table=self._table_for(limits),
            own=position.state[0],
            other=position.state[1],
            kings=position.state[2],
            black=position.turn is Colour.BLACK,
            depth=limits.depth or 0,
            nodes=limits.nodes or 0,
            threads=self._threads,
            quiet_plies=game.quiet_plies,
            quiet_limit=QUIET_PLIES if game.rules.forty_moves else _NO_QUIET_LIMIT,
            past=[past.state for past in game.quiet_positions()[:-1]],
            noise=self._noise,
            seed=self._seed & 0xFFFF_FFFF_FFFF_FFFF,
            endings=self._endings,
            enough=enough,
            deepened=deepened,
        )
        moves = _moves(position, line)
        return Reply(moves[0], score, depth, nodes, elapsed(), moves)

    def _table_for(self, limits: Limits) -> object:
        """The table of earlier searches, if what they found may count; else an empty one."""
        small = limits.nodes is not None and limits.nodes <= _SMALL_SEARCH_NODES
        megabytes = _SMALL_TABLE_MEGABYTES if small else TABLE_MEGABYTES
        if self._table is None or self._megabytes != megabytes:
            self._table, self._megabytes = _core.table_new(megabytes), megabytes
        elif limits.seconds is None:
            _core.table_clear(self._table)
        return self._table


def _moves(position: Position, line: list[State]) -> tuple[Move, ...]:
    """The moves that lead along the states of a line."""
    moves = []
    for state in line:
        move = next(move for move in position.legal_moves() if position.after(move).state == state)
        moves.append(move)
        position = position.after(move)
    return tuple(moves)
