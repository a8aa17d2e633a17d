"""What `crownhead match` shows and reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from controller.engine.match import MatchGame, MatchOrder, MatchResult, Pace
from controller.engine.match.one_game import TOLERANCE_S

Show = Callable[[Sequence[MatchGame]], None]
"""Is given all games that have ended, the latest last."""


@contextmanager
def match_display(console: Console, order: MatchOrder) -> Iterator[Show]:
    """Shows how the match goes: a progress bar on a terminal, else a line for each game."""
    if not console.is_terminal:
        yield lambda games: console.print(_game_line(order, games), markup=False)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=order.games)
        yield lambda games: progress.update(task, completed=len(games), description=standing(order, games))


def limits_words(order: MatchOrder) -> str | None:
    """What limits a move where nothing was asked for; None where that was, or levels limit themselves."""
    limits = order.move_limits
    if order.limits is not None or limits is None:
        return None
    return f"No limits were given, so that every move of both has {limits.seconds:g} s."


def standing(order: MatchOrder, games: Sequence[MatchGame]) -> str:
    """The score so far: `+12 =80 -8, Elo +14 ± 20`."""
    result = MatchResult.of(order, games)
    return f"+{result.wins} ={result.draws} -{result.losses}, Elo {elo_words(result)}"


def elo_words(result: MatchResult) -> str:
    """The difference in Elo points and its error; `more than` or `less than` where only that is known."""
    found = result.estimate
    if not math.isinf(found.elo):
        return f"{found.elo:+.0f} ± {'?' if math.isinf(found.error) else f'{found.error:.0f}'}"
    bound = found.elo_low if found.elo > 0 else found.elo_high
    if math.isinf(bound):
        return "?"
    return f"{'more' if found.elo > 0 else 'less'} than {bound:+.0f}"


def words_of(result: MatchResult) -> list[str]:
    """The result for people."""
    order, games = result.order, result.games
    if not games:
        return []
    lines = [f"Stopped after {len(games)} of {order.games} games."] if len(games) < order.games else []
    found = result.estimate
    first, second = order.first.name, order.second.name
    lines += [
        f"{first} against {second}, {_counted(len(games), 'game')}: {result.wins} won,"
        f" {result.draws} drawn, {result.losses} lost; score {found.score:.1%}",
        f"Elo difference {elo_words(result)} (95 %); likelihood that {first} is stronger: {found.superiority:.1%}",
        *(_pace_line(name, pace) for name, pace in zip((first, second), result.pace, strict=True)),
    ]
    if failures := result.failures:
        lines.append(
            f"Games that ended by a failure: {len(failures)}, the first of them game {failures[0].index + 1}:"
        )
        lines.append(f"  {failures[0].reason}")
    return lines


def report_of(result: MatchResult) -> dict[str, Any]:
    """The result for programs; what is not finite is null."""
    order = result.order
    found = result.estimate if result.games else None
    return {
        "first": order.first.name,
        "second": order.second.name,
        "planned": order.games,
        "games": len(result.games),
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        **{
            name: _finite(getattr(found, name)) if found is not None else None
            for name in ("score", "elo", "error", "elo_low", "elo_high", "superiority")
        },
        "failures": len(result.failures),
        "pace": {name: _pace_report(pace) for name, pace in zip(("first", "second"), result.pace, strict=True)},
        "played": [
            {
                "game": game.index + 1,
                "opening": game.opening,
                "black": "first" if game.first_is_black else "second",
                "result": game.result,
                "points": game.points,
                "plies": game.plies,
                "reason": game.reason,
                "failed": game.failed,
            }
            for game in result.games
        ],
    }


def _game_line(order: MatchOrder, games: Sequence[MatchGame]) -> str:
    game = games[-1]
    black, white = (order.first, order.second) if game.first_is_black else (order.second, order.first)
    return (
        f"game {game.index + 1} of {order.games}, {game.opening}, {black.name} (Black) against {white.name}:"
        f" {game.result} in {game.plies} plies. {game.reason} {standing(order, games)}"
    )


def _pace_line(name: str, pace: Pace) -> str:
    """How a player has moved, in words."""
    report = _pace_report(pace)
    late = (
        f"{pace.late} over their time by more than {1000 * TOLERANCE_S:.0f} ms (the worst by"
        f" {1000 * pace.most_over_s:.0f} ms)"
        if pace.late
        else f"none over its time by more than {1000 * TOLERANCE_S:.0f} ms"
    )
    return (
        f"{name}: {_counted(pace.moves, 'move')} of {1000 * report['seconds_a_move']:.1f} ms,"
        f" depth {report['depth']:.1f}, {report['nodes_a_second']:,.0f} nodes/s; {late}"
    )


def _pace_report(pace: Pace) -> dict[str, Any]:
    return {
        "moves": pace.moves,
        "seconds": round(pace.seconds, 3),
        "seconds_a_move": pace.seconds / max(pace.moves, 1),
        "longest_s": pace.longest_s,
        "late": pace.late,
        "most_over_s": pace.most_over_s,
        "depth": pace.depths / max(pace.searched, 1),
        "nodes": pace.nodes,
        "nodes_a_second": pace.nodes / pace.seconds if pace.seconds > 0 else 0.0,
    }


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
