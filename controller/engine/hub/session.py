"""Crownhead as an engine of the Hub protocol: what it answers to each line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from importlib.metadata import PackageNotFoundError, version

from controller.draughts import DraughtsError, DrawRules, Game, GameOverError, Position
from controller.engine.hub.errors import HubLineError
from controller.engine.hub.input import Lines
from controller.engine.hub.level import read_level
from controller.engine.hub.lines import command_of, read_line, write_line
from controller.engine.hub.notation import read_move, read_position, write_move, write_score
from controller.engine.hub.parameters import Parameters, declarations, with_parameter
from controller.engine.interface import Engine, Limits, Reply
from hardware.clock import Clock

NAME, AUTHOR, COUNTRY = "Crownhead", "the Crownhead founders", "International"
_NO_LIMITS = Limits()
_SHORTEST_S = 1e-6


class GoMode(Enum):
    """What a search is for; the value is its word behind `go`."""

    THINK = "think"
    PONDER = "ponder"
    ANALYZE = "analyze"


@dataclass
class _Search:
    """The search that is going on: what it is limited by, and what has happened to it so far."""

    limits: Limits
    after_hit: Limits | None = None
    """Of a search on the opponent's time: what limits it once the expected move was played."""
    deadline: float | None = None
    was_hit: bool = False
    over: bool = False
    told: Reply | None = None
    """What was last said of it."""

    @property
    def depth(self) -> int:
        """The depth that was searched whole."""
        return self.told.depth if self.told is not None else 0

    @property
    def nodes(self) -> int:
        """The positions looked at until then."""
        return self.told.nodes if self.told is not None else 0

    def has_told(self, reply: Reply) -> bool:
        """Whether there is nothing new in a reply but the time that has gone by since."""
        return self.told is not None and replace(reply, seconds=self.told.seconds) == self.told

    @property
    def open_ended(self) -> bool:
        """Whether it goes on until it is told to stop."""
        return (self.after_hit or _NO_LIMITS) == _NO_LIMITS if self.was_hit else self.limits == _NO_LIMITS

    def hit(self, now: float) -> None:
        """The expected move was played; from now on it is a search like others."""
        if self.after_hit is None or self.was_hit:
            return
        self.was_hit = True
        if self.after_hit.seconds is not None:
            self.deadline = now + self.after_hit.seconds

    def is_due(self, now: float) -> bool:
        """Whether the limits that count since the hit are reached."""
        if not self.was_hit or self.after_hit is None:
            return False
        return (
            (self.deadline is not None and now >= self.deadline)
            or (self.after_hit.depth is not None and self.depth >= self.after_hit.depth)
            or (self.after_hit.nodes is not None and self.nodes >= self.after_hit.nodes)
        )


class HubSession:
    """One conversation with the program that uses this engine, from the first line to the last.

    `lines` are its lines, `write` sends one back. While the engine thinks the lines are looked at again and again, in
    the engine's own question whether to stop: nothing here runs beside anything else.
    """

    def __init__(
        self,
        lines: Lines,
        write: Callable[[str], None],
        clock: Clock,
        make: Callable[[Parameters, Clock], Engine] = Parameters.engine,
        parameters: Parameters | None = None,
    ) -> None:
        self._lines = lines
        self._write = write
        self._clock = clock
        self._make = make
        self._parameters = parameters or Parameters()
        self._engine: Engine | None = None
        self._game: Game | None = Game()
        self._moves_played: list[str] = []
        self._level: Limits | None = None
        self._level_is_new = False
        self._early: deque[str] = deque()
        self._put_off: deque[str] = deque()
        self._left = False
        self._commands: dict[str, Callable[[Mapping[str, str]], None]] = {
            "hub": self._hub,
            "set-param": self._set_parameter,
            "init": self._init,
            "new-game": self._new_game,
            "pos": self._pos,
            "level": self._set_level,
            "go": self._go,
            "ping": lambda _: self._write("pong"),
            "quit": self._quit,
            # Meant for a search that has ended in the meantime.
            "stop": lambda _: None,
            "ponder-hit": lambda _: None,
        }

    def run(self) -> None:
        """Answer every line until `quit`, or the end of the input."""
        while not self._left:
            line = self._next_line()
            if line is None:
                return
            self._serve(line)

    def _serve(self, text: str) -> None:
        """Answer one line while no search goes on; what is wrong with it is said, and nothing is done."""
        try:
            line = read_line(text)
            command = self._commands.get(line.command)
            if command is None:
                raise _no_command(line.command)
            command(line.arguments)
        except (HubLineError, DraughtsError) as error:
            if command_of(text) == "pos":  # Better no position than one that the other program does not mean.
                self._game = None
            self._complain(error)

    def _complain(self, error: Exception) -> None:
        self._write(write_line("error", {"message": str(error)}))

    def _hub(self, _: Mapping[str, str]) -> None:
        self._write(write_line("id", {"name": NAME, "version": _version(), "author": AUTHOR, "country": COUNTRY}))
        for declaration in declarations(self._parameters):
            self._write(declaration)
        self._write("wait")

    def _set_parameter(self, arguments: Mapping[str, str]) -> None:
        if not arguments.get("name"):
            raise HubLineError("set-param needs name=… value=…")
        self._parameters = with_parameter(self._parameters, arguments["name"], arguments.get("value", ""))
        self._engine = None

    def _init(self, _: Mapping[str, str]) -> None:
        self._engine = self._make(self._parameters, self._clock)
        self._write("ready")

    def _new_game(self, _: Mapping[str, str]) -> None:
        if self._engine is not None:  # Made anew at once, so that it takes nothing of the first move's time.
            self._engine = self._make(self._parameters, self._clock)

    def _pos(self, arguments: Mapping[str, str]) -> None:
        before = self._game
        text = arguments.get("pos")
        if text is None and not ({"start", "moves"} & arguments.keys()):
            raise HubLineError("pos needs pos=… (the side to move and 32 squares), or start")
        start = Position.start() if text is None else read_position(text)
        moves = arguments.get("moves", "").split()
        count = len(self._moves_played)
        if before is None or before.start != start or moves[:count] != self._moves_played:
            before, count = Game(start), 0
        self._game = _played_on(before, moves, count)
        self._moves_played = moves

    def _set_level(self, arguments: Mapping[str, str]) -> None:
        self._level = read_level(arguments)
        self._level_is_new = True

    def _quit(self, _: Mapping[str, str]) -> None:
        self._left = True

    def _go(self, arguments: Mapping[str, str]) -> None:
        modes = [mode for mode in GoMode if mode.value in arguments]
        if "analyse" in arguments:  # As it is spelt here.
            modes.append(GoMode.ANALYZE)
        if len(modes) != 1 and arguments:
            raise HubLineError("go takes one of think, ponder and analyze")
        if self._game is None:
            raise HubLineError("there is no position to search: the last pos was wrong")
        position = self._game.position
        if not position.legal_moves():
            raise GameOverError(f"{position.turn.title} has no move: the game is over")
        if self._engine is None:
            self._engine = self._make(self._parameters, self._clock)
        search = self._search(modes[0] if modes else GoMode.THINK)
        reply = self._engine.choose(
            self._game,
            search.limits,
            stop=lambda: self._attend(search),
            progress=lambda so_far: self._tell(search, so_far),
        )
        # Nobody waits for the answer before it is asked for: that of a search with nothing left to do is held back.
        while search.open_ended and not search.over:
            self._take_while_searching(search)
        if not search.has_told(reply):
            self._tell(search, reply)
        answer = {"move": write_move(reply.move)}
        if len(reply.pv) > 1:
            answer["ponder"] = write_move(reply.pv[1])
        self._write(write_line("done", answer))
        self._early = self._put_off + self._early
        self._put_off = deque()

    def _search(self, mode: GoMode) -> _Search:
        """The search that `go` begins. A level counts for every later move, but for an analysis only once."""
        fresh, self._level_is_new = self._level_is_new, False
        if mode is GoMode.ANALYZE:
            return _Search(self._level if self._level is not None and fresh else _NO_LIMITS)
        limits = self._parameters.limits(self._level)
        return _Search(_NO_LIMITS, after_hit=limits) if mode is GoMode.PONDER else _Search(limits)

    def _attend(self, search: _Search) -> bool:
        """Serve what has come in while the engine thinks; whether it is to stop."""
        while not search.over and (self._early or self._lines.ready()):
            self._take_while_searching(search)
        return search.over or search.is_due(self._clock.now())

    def _take_while_searching(self, search: _Search) -> None:
        """Serve the next line, waited for if need be.

        What cannot be served while the engine thinks comes after that; a search without an end is ended for it.
        """
        text = self._next_line()
        if text is None:
            self._left = search.over = True
            return
        try:
            command = read_line(text).command
        except HubLineError as error:
            command = command_of(text)
            if command != "pos":
                self._complain(error)
                return
        if command == "ping":
            self._write("pong")
        elif command == "stop":
            search.over = True
        elif command == "quit":
            self._left = search.over = True
        elif command == "ponder-hit":
            search.hit(self._clock.now())
        elif command not in self._commands:
            self._complain(_no_command(command))
        else:
            self._put_off.append(text)
            search.over = search.open_ended

    def _next_line(self) -> str | None:
        return self._early.popleft() if self._early else self._lines.take()

    def _tell(self, search: _Search, so_far: Reply) -> None:
        """Say how far the search has come."""
        search.told = so_far
        speed = so_far.nodes / max(so_far.seconds, _SHORTEST_S)
        self._write(
            write_line(
                "info",
                {
                    "depth": str(so_far.depth),
                    "score": write_score(so_far.score),
                    "nodes": str(so_far.nodes),
                    "time": f"{so_far.seconds:.3f}",
                    "nps": f"{speed / 1e6:.3f}",
                    "pv": " ".join(map(write_move, so_far.pv)),
                },
            )
        )


def _played_on(game: Game, texts: Sequence[str], count: int) -> Game:
    """The game after all moves of `texts`, the first `count` of which have been played in `game` already.

    Where the other program plays on after a draw by the rules, so does this one.
    """
    for number, text in enumerate(texts[count:], start=count + 1):
        try:
            move = read_move(game.position, text)
        except DraughtsError as error:
            raise HubLineError(f"cannot play move {number}, {text[:40]}: {error}") from error
        try:
            game.play(move)
        except GameOverError:
            return _played_on(Game(game.start, DrawRules(repetition=False, forty_moves=False)), texts, 0)
    return game


def _no_command(command: str) -> HubLineError:
    return HubLineError(f"there is no command {command[:40]!r}")


def _version() -> str:
    try:
        return version("crownhead")
    except PackageNotFoundError:
        return "unknown"
