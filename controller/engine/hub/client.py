"""An engine in another program, spoken to by the Hub protocol."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from math import isfinite

from controller.draughts import DraughtsError, Game, GameOverError, Move, Position
from controller.engine.hub.errors import HubError, HubLineError
from controller.engine.hub.lines import HubLine, read_line, write_line
from controller.engine.hub.notation import read_move, read_score, write_move, write_position
from controller.engine.hub.transport import ProcessTransport, Transport
from controller.engine.interface import Limits, Reply
from hardware.clock import Clock

GREETING_S = 20.0
"""How long an engine may take to say what it is."""
GETTING_READY_S = 300.0
"""How long it may take to load what it needs."""
GRACE_S = 5.0
"""How long after its time an engine is waited for before it is told to stop, and then before it is given up."""
PATIENCE_S = 600.0
"""How long it may think where only depth or nodes limit it."""
AFTER_ERROR_S = 2.0
"""How long an engine that has reported an error may still go on to answer."""
QUIET_S = 1.0
"""How long an engine is waited for without a word about it."""
_POLL_S = 0.02


class HubClient:
    """An engine behind a transport; a context manager that ends it.

    `parameters` are set before the engine gets ready. `told` is given a sentence when that takes a while. Raises
    HubError when the engine does not speak the protocol, lacks a parameter, or reports an error of one.
    """

    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        name: str = "the engine",
        parameters: Mapping[str, str] | None = None,
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.name = name
        self._transport = transport
        self._clock = clock
        self._known: set[str] = set()
        self._complaint = ""
        try:
            self._get_ready(parameters or {}, told)
        except BaseException:
            transport.close()
            raise

    def __enter__(self) -> HubClient:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Ask the engine to leave, and see that it does."""
        self._transport.write("quit")
        self._transport.close()

    def new_game(self) -> None:
        """Tell the engine that the next position has nothing to do with the last."""
        self._transport.write("new-game")

    def choose(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """The engine's move; see `Engine.choose`.

        Raises HubError when the engine has ended, does not answer in time, or answers with an illegal move.
        """
        if not game.position.legal_moves():
            raise GameOverError(f"{game.position.turn.title} has no move to choose from.")
        began = self._clock.now()
        self._complaint = ""
        self._transport.write(_position_line(game))
        self._transport.write(_level_line(limits))
        self._transport.write("go think")
        patience = GRACE_S + (limits.seconds if limits.seconds is not None else PATIENCE_S)
        so_far: Reply | None = None
        stopped = False
        while True:
            waiting = patience - (self._clock.now() - began)
            line = self._next_line(waiting if stop is None or stopped else min(waiting, _POLL_S))
            if line is not None and line.command == "done":
                return self._reply(game.position, line, so_far, self._clock.now() - began)
            if line is not None and line.command == "info":
                so_far = _info(game.position, line, so_far)
                if so_far is not None and progress is not None:
                    progress(so_far)
            gone_by = self._clock.now() - began
            if line is not None and line.command == "error":
                patience = min(patience, gone_by + AFTER_ERROR_S)
            if not stopped and ((stop is not None and stop()) or gone_by >= patience):
                stopped = True
                self._transport.write("stop")
                patience = gone_by + GRACE_S
            elif gone_by >= patience:
                raise self._silence(f"has not answered within {gone_by:.1f} s")

    def _get_ready(self, parameters: Mapping[str, str], told: Callable[[str], None]) -> None:
        self._transport.write("hub")
        self._wait_for("wait", GREETING_S, told)
        self._complaint = ""
        for name, value in parameters.items():
            if name not in self._known:
                known = ", ".join(sorted(self._known)) or "none"
                raise HubError(f"{self.name} has no parameter {name!r}; it has: {known}")
            self._transport.write(write_line("set-param", {"name": name, "value": value}))
        self._transport.write("init")
        self._wait_for("ready", GETTING_READY_S, told)
        if parameters and self._complaint:  # Ready, but not as it was to be.
            raise self._silence("")

    def _wait_for(self, answer: str, within_s: float, told: Callable[[str], None]) -> None:
        """Read on to a certain answer, noting what the engine says of itself."""
        began = self._clock.now()
        deadline = began + within_s
        quiet_until: float | None = began + QUIET_S
        while (left := deadline - self._clock.now()) > 0:
            line = self._next_line(left if quiet_until is None else min(left, QUIET_S))
            if (
                quiet_until is not None
                and self._clock.now() >= quiet_until
                and (line is None or line.command != answer)
            ):
                told(f"waiting for {self.name} to say {answer!r}, for up to {within_s:.0f} s")
                quiet_until = None
            if line is None:
                continue
            if line.command == answer:
                return
            if line.command == "param" and (name := line.arguments.get("name")):
                self._known.add(name)
            if line.command == "error":
                deadline = min(deadline, self._clock.now() + AFTER_ERROR_S)
        seconds = self._clock.now() - began
        raise self._silence(f"has not said {answer!r} within {seconds:.1f} s: does it speak the Hub protocol?")

    def _silence(self, words: str) -> HubError:
        """The error for an answer that did not come: the engine's own words where there are any."""
        return HubError(f"{self.name} {f'reports an error: {self._complaint}' if self._complaint else words}")

    def _next_line(self, within_s: float) -> HubLine | None:
        """The next line that can be read, if one comes; what is no line of the protocol is passed over."""
        try:
            text = self._transport.read(within_s)
        except HubError as error:
            raise HubError(f"{self.name} is gone: {error}") from error
        try:
            line = read_line(text) if text is not None else None
        except HubLineError:
            return None
        if line is not None and line.command == "error":
            self._complaint = line.arguments.get("message") or "it does not say which"
        return line

    def _reply(self, position: Position, line: HubLine, so_far: Reply | None, seconds: float) -> Reply:
        text = line.arguments.get("move", "")
        if not text:
            raise HubError(f"{self.name} has answered without a move")
        try:
            move = read_move(position, text)
        except DraughtsError as error:
            raise HubError(f"{self.name} has played an illegal move: {error}") from error
        if so_far is None:
            return Reply(move, 0, 0, 0, seconds, (move,))
        pv = so_far.pv if so_far.move == move else (move,)
        return Reply(move, so_far.score, so_far.depth, so_far.nodes, seconds, pv)


def start_hub_engine(
    command: str,
    clock: Clock,
    name: str | None = None,
    parameters: Mapping[str, str] | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> HubClient:
    """Start the engine of a command line, such as `/opt/scan hub`, and get it ready; see HubClient.

    Raises HubError.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise HubError(f"cannot read the command line {command!r}: {error}") from error
    if not words:
        raise HubError("there is no command to start an engine with")
    return HubClient(ProcessTransport(words), clock, name or words[0], parameters, told)


def _position_line(game: Game) -> str:
    """The position from which on positions could come up again, and the moves since: the engine sees repetitions."""
    positions = game.quiet_positions()
    arguments = {"pos": write_position(positions[0])}
    if since := game.moves[len(game.moves) - len(positions) + 1 :]:
        arguments["moves"] = " ".join(map(write_move, since))
    return write_line("pos", arguments)


def _level_line(limits: Limits) -> str:
    arguments: dict[str, str] = {}
    if limits.seconds is not None:
        arguments["move-time"] = f"{limits.seconds:g}"
    if limits.depth is not None:
        arguments["depth"] = str(limits.depth)
    if limits.nodes is not None:
        arguments["nodes"] = str(limits.nodes)
    return write_line("level", arguments) if arguments else "level infinite"


def _info(position: Position, line: HubLine, before: Reply | None) -> Reply | None:
    """What an `info` line says of the search; what it leaves out is as before. None as long as no move is known."""
    values = line.arguments
    pv: list[Move] = []
    after = position
    for text in values.get("pv", "").split():
        try:
            pv.append(read_move(after, text))
        except DraughtsError:
            break
        after = after.after(pv[-1])
    if not pv and before is None:
        return None
    line_of_play = tuple(pv) if pv or before is None else before.pv
    return Reply(
        line_of_play[0],
        read_score(values["score"]) if "score" in values or before is None else before.score,
        int(_number(values.get("depth"), before.depth if before else 0)),
        int(_number(values.get("nodes"), before.nodes if before else 0)),
        _number(values.get("time"), before.seconds if before else 0.0),
        line_of_play,
    )


def _number(text: str | None, otherwise: float) -> float:
    try:
        number = float(text) if text else otherwise
    except ValueError:
        return otherwise
    return number if isfinite(number) and number >= 0 else otherwise
