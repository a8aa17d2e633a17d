"""A plain alpha-beta searcher in Python: iterative deepening, a transposition table, captures played out.

The tree is searched on the integers of `draughts.bitboard`; moves appear only at the root and in the reply.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.draughts import Colour, Game, GameOverError, Move, Position
from controller.draughts.bitboard import BOARD, State, jumpers, successors
from controller.draughts.game import QUIET_PLIES
from controller.engine.evaluation import evaluate, position_noise
from controller.engine.interface import SURE_WIN, WIN, Limits, Reply
from hardware.clock import Clock

MAX_DEPTH = 64
TABLE_SIZE = 150_000
"""Entries of the transposition table, some 50 MB; it is emptied when full."""

_POLL_EVERY = 128
_LAST_ITERATION_SHARE = 0.6
"""No deeper iteration is begun after this share of the time: it would hardly get anywhere."""

_EXACT, _AT_LEAST, _AT_MOST = range(3)
_Key = tuple[int, int, int, bool]


class _OutOfLimitsError(Exception):
    """Thrown out of the tree when a limit is reached."""


class AlphaBeta:
    """An engine that needs nothing but Python.

    The same game, limits of depth or nodes, noise and seed give the same reply, whatever was searched before.
    `noise` is the standard deviation, in hundredths of a man, of an error that is added to every evaluation; which
    positions are misjudged, and how, follows from `seed` (without noise the seed changes nothing).
    """

    def __init__(self, clock: Clock, noise: float = 0.0, seed: int = 0) -> None:
        self._clock = clock
        self._noise = noise
        self._seed = seed

    def choose(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """The best move found; see `Engine.choose`."""
        if not game.position.legal_moves():
            raise GameOverError(f"{game.position.turn.title} has no move to choose from.")
        return _Search(game, limits, stop, self._clock, self._noise, self._seed).reply(progress)


class _Search:
    """One search of one position."""

    def __init__(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] | None,
        clock: Clock,
        noise: float,
        seed: int,
    ) -> None:
        self.position = game.position
        self.limits = limits
        self.stop = stop
        self.clock = clock
        self.noise = noise
        self.seed = seed
        self.started = clock.now()
        self.nodes = 0
        self.node_limit = limits.nodes if limits.nodes is not None else 1 << 62
        self.quiet_plies = game.quiet_plies
        self.quiet_limit = QUIET_PLIES if game.rules.forty_moves else 1 << 30
        # A position that has come up before counts as a draw at once, here and in the tree: whoever is winning turns
        # to something new instead of going round in circles, also when the rules would not end the game.
        self.seen: set[_Key] = {_key(position) for position in game.quiet_positions()}
        self.table: dict[_Key, tuple[int, int, int, State | None]] = {}
        self.history: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.killers: list[tuple[int, int]] = [(0, 0)] * (MAX_DEPTH + 64)

    def reply(self, progress: Callable[[Reply], None] | None) -> Reply:
        """Deepen until a limit is reached."""
        black = self.position.turn is Colour.BLACK
        roots = [(move, self.position.after(move).state) for move in self.position.legal_moves()]
        best_move, best_score, reached = roots[0][0], 0, 0
        deepest = min(self.limits.depth or MAX_DEPTH, MAX_DEPTH)
        try:
            for depth in range(1, deepest + 1):
                scored: list[tuple[int, tuple[Move, State]]] = []
                alpha = -WIN
                for root in roots:
                    score = self._root_score(root, black, depth, alpha)
                    scored.append((score, root))
                    if score > alpha:
                        alpha = score
                        best_move, best_score = root[0], score
                reached = depth
                if progress is not None:
                    progress(self._reply(best_move, best_score, reached))
                # The best move first, the others in the order of before: of those only bounds are known.
                best = max(scored, key=lambda entry: entry[0])[1]
                roots = [best, *(root for root in roots if root is not best)]
                if len(roots) == 1 or (abs(best_score) >= SURE_WIN and WIN - abs(best_score) <= depth):
                    break
                if self._seconds() > _LAST_ITERATION_SHARE * (self.limits.seconds or float("inf")):
                    break
        except _OutOfLimitsError:
            pass
        return self._reply(best_move, best_score, reached)

    def _reply(self, move: Move, score: int, depth: int) -> Reply:
        pv = (move, *self._expected(self.position.after(move), max(depth - 1, 0)))
        return Reply(move, score, depth, self.nodes, self._seconds(), pv)

    def _root_score(self, root: tuple[Move, State], black: bool, depth: int, alpha: int) -> int:
        """The score of a move at the root, exact when it is above `alpha`."""
        move, (own, other, kings) = root
        piece = self.position.piece_at(move.start)
        quiet = self.quiet_plies + 1 if piece is not None and piece.king and not move.is_capture else 0
        if alpha > -WIN:
            score = -self._score(own, other, kings, not black, depth - 1, -alpha - 1, -alpha, 1, quiet)
            if score <= alpha:
                return score
        return -self._score(own, other, kings, not black, depth - 1, -WIN, -alpha, 1, quiet)

    def _score(
        self,
        own: int,
        other: int,
        kings: int,
        black: bool,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        quiet: int,
    ) -> int:
        """The score of a position as the side to move sees it, exact between `alpha` and `beta`."""
        self.nodes += 1
        if self.nodes >= self.node_limit:
            raise _OutOfLimitsError
        if not self.nodes % _POLL_EVERY:
            self._poll()

        if depth <= 0 and not jumpers(own, other, kings, black):
            if not _can_step(own, other, kings, black):
                return ply - WIN
            if quiet >= self.quiet_limit:
                return 0
            return self._evaluate(own, other, kings, black)

        key = (own, other, kings, black)
        if quiet and key in self.seen:
            return 0
        states = successors(own, other, kings, black)
        if not states:
            return ply - WIN
        if quiet >= self.quiet_limit:
            return 0

        entry = self.table.get(key)
        remembered: State | None = None
        if entry is not None:
            stored_depth, bound, stored, remembered = entry
            if stored_depth >= depth and quiet + depth < self.quiet_limit:
                if stored >= SURE_WIN:
                    stored -= ply
                elif stored <= -SURE_WIN:
                    stored += ply
                if (
                    bound == _EXACT
                    or (bound == _AT_LEAST and stored >= beta)
                    or (bound == _AT_MOST and stored <= alpha)
                ):
                    return stored

        capture = states[0][0] != other
        if len(states) > 1:
            self._order(states, own, black, capture, remembered, ply)
        deeper = depth if capture and len(states) == 1 else depth - 1

        best, best_state, floor = -WIN, states[0], alpha
        self.seen.add(key)
        try:
            for index, (own_next, other_next, kings_next) in enumerate(states):
                still = (
                    not capture and kings != kings_next and kings.bit_count() == kings_next.bit_count()
                )  # A king has moved.
                quiet_next = quiet + 1 if still else 0
                if index:
                    score = -self._score(
                        own_next, other_next, kings_next, not black, deeper, -alpha - 1, -alpha, ply + 1, quiet_next
                    )
                if not index or alpha < score < beta:
                    score = -self._score(
                        own_next, other_next, kings_next, not black, deeper, -beta, -alpha, ply + 1, quiet_next
                    )
                if score > best:
                    best, best_state = score, states[index]
                    if score > alpha:
                        alpha = score
                        if score >= beta:
                            if not capture:
                                self._remember_step(own ^ other_next, black, depth, ply)
                            break
        finally:
            self.seen.discard(key)
        self._store(
            key, depth, _AT_LEAST if best >= beta else _EXACT if best > floor else _AT_MOST, best, ply, best_state
        )
        return best

    def _evaluate(self, own: int, other: int, kings: int, black: bool) -> int:
        score = evaluate(own, other, kings, black)
        if self.noise:
            score += round(self.noise * position_noise(own, other, kings, black, self.seed))
        return score

    def _order(
        self, states: list[State], own: int, black: bool, capture: bool, remembered: State | None, ply: int
    ) -> None:
        """Sort `states` so that likely the best comes first."""
        if capture:
            states.sort(key=lambda state: state[0].bit_count())
        else:
            history = self.history[black]
            first, second = self.killers[ply]
            states.sort(
                key=lambda state: (
                    step := own ^ state[1],
                    (1 << 40) if step == first else (1 << 39) if step == second else history.get(step, 0),
                )[1],
                reverse=True,
            )
        if remembered is not None and remembered in states:
            states.remove(remembered)
            states.insert(0, remembered)

    def _remember_step(self, step: int, black: bool, depth: int, ply: int) -> None:
        """Note a step that refuted a position: it may refute its sisters as well."""
        history = self.history[black]
        history[step] = history.get(step, 0) + depth * depth
        if self.killers[ply][0] != step:
            self.killers[ply] = (step, self.killers[ply][0])

    def _store(self, key: _Key, depth: int, bound: int, score: int, ply: int, best: State) -> None:
        if len(self.table) >= TABLE_SIZE:
            self.table.clear()
        # Wins and losses are stored as counted from this position, not from the root.
        if score >= SURE_WIN:
            score += ply
        elif score <= -SURE_WIN:
            score -= ply
        self.table[key] = (depth, bound, score, best)

    def _poll(self) -> None:
        if self.stop is not None and self.stop():
            raise _OutOfLimitsError
        if self.limits.seconds is not None and self._seconds() >= self.limits.seconds:
            raise _OutOfLimitsError

    def _seconds(self) -> float:
        return self.clock.now() - self.started

    def _expected(self, position: Position, length: int) -> list[Move]:
        """The continuation that the table remembers."""
        line: list[Move] = []
        while len(line) < length:
            entry = self.table.get(_key(position))
            best = entry[3] if entry is not None else None
            move = next((move for move in position.legal_moves() if position.after(move).state == best), None)
            if move is None:
                break
            line.append(move)
            position = position.after(move)
        return line


def _key(position: Position) -> _Key:
    return (*position.state, position.turn is Colour.BLACK)


def _can_step(own: int, other: int, kings: int, black: bool) -> bool:
    empty = BOARD & ~(own | other)
    up, down = (own, own & kings) if black else (own & kings, own)
    return bool((up & ((empty >> 4) | (empty >> 5))) or (down & ((empty << 4) | (empty << 5))))
