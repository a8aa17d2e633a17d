"""Games of a match played side by side, each in a process of its own.

Processes rather than threads, since an engine in plain Python would hold up all others, and the time they measure.
"""

from __future__ import annotations

import multiprocessing
import signal
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from controller.engine.choosing import make_engine
from controller.engine.match.adjudication import adjudicator_for
from controller.engine.match.one_game import MatchGame, play_one_game
from controller.engine.match.order import MatchOrder
from controller.errors import ControllerError
from hardware.clock import RealClock

_LEAVE_S = 5.0


def games_side_by_side(
    order: MatchOrder, concurrency: int, told: Callable[[str], None] = lambda _: None
) -> Generator[MatchGame, None, None]:
    """The games of a match as they end, `concurrency` at a time, on the real clock.

    `told` is given what the processes have to say. Closing the generator ends them.
    Raises the ControllerError of a game that could not be played.
    """
    make_engine(RealClock())  # What there is to say of the engine is said here, once; the processes are silent.
    context = multiprocessing.get_context("spawn")
    workers: dict[Connection, multiprocessing.process.BaseProcess] = {}
    waiting = iter(range(order.games))
    try:
        for index in _first(waiting, concurrency):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(order, theirs), daemon=False)
            workers[ours] = process
            process.start()
            theirs.close()
            ours.send(index)
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                try:
                    game = connection.recv()
                except EOFError:
                    workers[connection].join(_LEAVE_S)
                    status = workers[connection].exitcode
                    raise ControllerError(
                        f"a process that played games has ended unexpectedly (exit status {status})"
                    ) from None
                if isinstance(game, ControllerError):
                    raise game
                if isinstance(game, str):
                    told(game)
                    continue
                yield game
                if (following := next(waiting, None)) is not None:
                    connection.send(following)
                    continue
                connection.close()
                workers.pop(connection).join()
    finally:
        _end(workers)


def _first(numbers: Iterator[int], count: int) -> Iterator[int]:
    for _, number in zip(range(count), numbers, strict=False):
        yield number


def _end(workers: dict[Connection, multiprocessing.process.BaseProcess]) -> None:
    """End the processes that still play."""
    for connection, process in workers.items():
        connection.close()
        if process.pid is not None:
            process.terminate()
    for process in workers.values():
        if process.pid is not None:
            process.join(_LEAVE_S)
            if process.is_alive():
                process.kill()


def _work(order: MatchOrder, connection: Connection) -> None:
    """Play the games whose numbers come in until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the first one sees to the others.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    warnings.simplefilter("ignore")
    clock = RealClock()
    with suppress(EOFError, OSError):
        try:
            adjudicate = adjudicator_for(order)
            with (
                order.first.seat(clock, connection.send) as first,
                order.second.seat(clock, connection.send) as second,
            ):
                while True:
                    index = connection.recv()
                    connection.send(play_one_game(order, index, (first, second), clock, adjudicate))
        except ControllerError as error:
            connection.send(error)


def _leave(*_: object) -> None:
    """End as by an exception, so that programs started here are ended too."""
    raise SystemExit
