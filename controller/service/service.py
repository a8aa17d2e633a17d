"""The service's loop: people come, a game is played, the next is set up; what goes wrong is said and waited out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from controller.draughts import Colour, DrawRules, Game, Outcome, Position, write_fen, write_pdn
from controller.draughts.errors import DraughtsError
from controller.errors import ControllerError
from controller.events import Event, EventKind, TurnState
from controller.journal import GameRecord, Journal
from controller.resuming import unfinished_game
from controller.service.notify import Notifier
from controller.service.requests import EndGame, NewGame, Order
from controller.service.setting_up import set_up_by_journal, turn_round, was_setting_up
from controller.service.status import GameStatus, Record, ServiceState
from controller.service.waiting import Start, WaitingRoom, Wish
from controller.session import Session, assemble, prepare_session
from controller.settings import Settings
from controller.table import Table
from controller.thinking import level_of, thinker
from hardware.clock import Clock
from hardware.errors import HardwareError
from vision.errors import VisionError

RETRY_S = 5.0
"""Time between tries to get a table back that something is wrong with."""
TROUBLE = (HardwareError, VisionError, ControllerError)
AT_REST = frozenset({TurnState.WAITING, TurnState.HAND, TurnState.ASKING})
"""In these the arm does nothing, and a game can be broken off."""
HARDEST = 10
SET_UP_FOR = "set up for"
"""The journal's note of whose colour the board is being set up for."""
LAY_IT = "set up the discs, the colour you want to play before you; then make the first move or press the button"
MOVE_FIRST = "make the first move"
I_MOVE_FIRST = "press the button and I make the first move"
UNKNOWN_BOARD = "I do not know what lies on the board: please set up the discs"


class GameBrokenOffError(Exception):
    """The game is not gone on with; the text says why."""


@dataclass(frozen=True)
class Choice:
    """Who plays what in the next game, and how strongly."""

    human: Colour
    level: int | str


@dataclass(frozen=True)
class Thinking:
    """How the robot's thinking gets its time: see `controller.thinking.thinker`."""

    clock: Clock
    least_s: float = 0.0
    seed: int | None = None


class Service:
    """Runs until it is interrupted. It attaches itself to `clock`, on which all its waiting is done.

    `open_table` and `open_journal` are called as often as it takes. `log` gets a line for each event.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        open_table: Callable[[], Table],
        open_journal: Callable[[], Journal],
        record: Record,
        notifier: Notifier,
        log: Callable[[str], None],
        thinking: Thinking,
    ) -> None:
        self._settings, self._clock = settings, clock
        self._open_table, self._open_journal = open_table, open_journal
        self.record, self._notifier, self._log = record, notifier, log
        self._thinking = thinking
        self._chance = Random(thinking.seed)
        self._choose(Choice(Colour[settings.game.human.upper()], settings.game.level))
        self._lock = threading.Lock()
        self._order: Order | None = None
        self._begins = False
        """Whether a game is to begin as soon as the board is set up, without anybody's first move."""
        self._table: Table | None = None
        self._session: Session | None = None
        self._game: Game | None = None
        self._playing: Settings = settings
        self._doing = TurnState.STARTING
        self._active_at = clock.now()
        self._unseen_since: float | None = None
        self._last_line = ""

    def give(self, order: Order) -> str:
        """Take an order, from any thread; it is carried out as soon as the arm rests. Returns what is going to be."""
        with self._lock:
            self._order = order
        if isinstance(order, EndGame):
            return "the game is given up as soon as the arm rests"
        level = self._choice.level if order.level is None else order.level
        human = self._choice.human.name.lower() if order.human is None else order.human
        return f"a new game begins at level {level}, you play {human}: I set up the board if need be"

    def run(self) -> None:
        """Serve for ever; KeyboardInterrupt (EndedError) ends it, a game stays open in the journal then."""
        self._notifier.ready()
        while True:
            try:
                with closing(self._open_journal()) as journal, closing(self._open_table()) as table:
                    self._table = table
                    table.camera.on_frame = self.record.camera.hear
                    self._attend(table, journal)
            except TROUBLE as error:
                self._in_trouble(error)
            except GameBrokenOffError as end:
                self._say(str(end))
            finally:
                self._session = self._table = None
            self._clock.sleep(RETRY_S)

    def come_round(self, _: float) -> None:
        """To be attached to the clock: tells systemd that the loop lives, and breaks off what people have left."""
        self._notifier.beat()
        self._tell_of_machine()
        if self._doing not in AT_REST or self._game is None:
            return
        with self._lock:
            order = self._order
        if isinstance(order, EndGame):
            self._take_order()
            raise GameBrokenOffError("the game was given up")
        if isinstance(order, NewGame):
            raise GameBrokenOffError("a new game was asked for")
        if self._clock.now() - self._active_at > self._settings.service.absent_s:
            raise GameBrokenOffError("the players have gone")

    # What the service does.

    def _attend(self, table: Table, journal: Journal) -> None:
        """Go on with what was broken off, then wait for people and play, again and again."""
        table.guard.check_age(table.camera.frame())
        if (unfinished := journal.last_unfinished_game()) is not None:
            self._go_on(table, journal, unfinished)
        elif self._settings.service.sets_up and was_setting_up(journal):
            if human := journal.noted(SET_UP_FOR):
                self._choose(replace(self._choice, human=Colour[human]))
            self._set_up(table, journal)
        while True:
            start = self._wait_for_people(table, journal)
            settings = self._settings_for(replace(self._choice, human=start.human))
            game = Game(rules=self._rules)
            if start.move is not None:
                game.play(start.move)
            self._play(table, journal, game, settings)

    def _go_on(self, table: Table, journal: Journal, record: GameRecord) -> None:
        self._say(f"game {record.id} was broken off: I go on with it")
        try:
            game, _ = unfinished_game(journal, self._rules)
        except DraughtsError as error:
            journal.end_game(record.id, "*", f"it cannot be gone on with: {error}", "")
            return
        given_up = self._take_order()
        if given_up is not None:
            self._apply(given_up)
            self._end(journal, record.id, game, None, "it was given up")
            return
        choice = Choice(Colour[record.human.upper()], record.level)
        try:
            self._play(table, journal, game, self._settings_for(choice), record.id)
        except VisionError:
            now = self._clock.now()
            self._unseen_since = now if self._unseen_since is None else self._unseen_since
            if self._session is None and now - self._unseen_since > self._settings.service.absent_s:
                self._end(journal, record.id, game, None, "the board was cleared meanwhile")
                self._unseen_since = None
            raise

    def _play(
        self, table: Table, journal: Journal, game: Game, settings: Settings, resumed: int | None = None
    ) -> None:
        """Play one game to its end, however that comes, and set up the next."""
        self._game, self._playing = game, settings
        self._active_at, self._doing = self._clock.now(), TurnState.STARTING
        self._enter(ServiceState.PLAYING, "")
        number, session = resumed, None
        outcome: Outcome | None = None
        seed = self._chance.randrange(2**31) if self._thinking.seed is None else self._thinking.seed
        think = thinker(
            level_of(settings),
            self._clock,
            seed,
            self._thinking.least_s,
            self._thinking.clock,
            settings.engine.threads,
        )
        try:
            self._session = session = prepare_session(
                table, settings, journal, game, think, [self._hear], seed, resumed
            )
            number, self._unseen_since = session.game_number, None
            self._tell_of_game()
            outcome = session.loop.run()
            reason = outcome.sentence
        except GameBrokenOffError as end:
            reason = str(end)
        finally:
            self._game = None
            self.record.game = None
        self._doing = TurnState.OVER
        if number is not None:
            self._end(journal, number, game, outcome, reason)
            self._after_game(table, journal, session)

    def _end(self, journal: Journal, number: int, game: Game, outcome: Outcome | None, reason: str) -> None:
        result = "*" if outcome is None else outcome.result
        settings = self._playing
        human = Colour[settings.game.human.upper()]
        players = {human.title: "Human", human.other.title: f"Crownhead, level {settings.game.level}"}
        date: datetime = self._clock.date()
        pdn = write_pdn(game, {"Date": date.strftime("%Y.%m.%d"), **players})
        journal.end_game(number, result, reason, pdn)
        journal.prune(self._settings.service.keep_games)
        self.record.last_result = result
        self._say(f"game {number} is over ({result}): {reason}")

    def _after_game(self, table: Table, journal: Journal, session: Session | None) -> None:
        if not self._settings.service.sets_up:
            return
        self._enter(ServiceState.SETTING_UP, "the next game is set up soon; the button says that it may be now")
        until = self._clock.now() + self._settings.service.next_game_s
        table.panel.turn_pressed()
        while self._clock.now() < until and self._order is None and not table.panel.turn_pressed():
            self._clock.sleep(0.2)
        order = self._take_order()
        if order is not None:
            self._apply(order)
        if session is None or self._playing.game.human != self._choice.human.name.lower():
            self._set_up(table, journal)
            return
        with self._setting_up(journal):  # Whoever has played knows how the discs look, also on a board without any.
            game, eye = session.loop.game, session.eye
            layout = eye.layout(eye.settled_look(game.position))
            session.mover.bring_about(
                Position.start(), layout, session.game_number, self._choice.human, game.plies + 1
            )

    def _wait_for_people(self, table: Table, journal: Journal) -> Start:
        room = WaitingRoom(table, self._settings, self._clock, self._laid)
        self._laid(None)
        while True:
            order = self._take_order()
            if order is not None:
                self._apply(order)
            if self._begins:
                self._begins = False
                if room.laid_for is self._choice.human:
                    return Start(self._choice.human)
                if room.laid_for is None or not self._settings.service.sets_up:
                    self._set_up(table, journal)
                else:
                    self._turn_round(table, journal)
                room = WaitingRoom(table, self._settings, self._clock, self._laid)
                if self._laid_as_chosen(room):
                    return Start(self._choice.human)
                self._laid(room.laid_for)
            found = room.wait(self._choice.human, lambda: self._order is not None)
            match found:
                case Start():
                    self._choose(replace(self._choice, human=found.human))
                    return found
                case Wish.BEGIN:
                    if room.laid_for is not None:
                        self._choose(replace(self._choice, human=room.laid_for))
                    self._begins = True
                case Wish.OTHER_COLOUR:
                    self._choose(replace(self._choice, human=(room.laid_for or self._choice.human).other))
                    self._begins = True
                case Wish.HARDER | Wish.EASIER:
                    self._change_level(1 if found is Wish.HARDER else -1)
                    room.flash(HARDEST + 1 if self._choice.level == "best" else int(self._choice.level))

    def _laid_as_chosen(self, room: WaitingRoom) -> bool:
        """Whether the board that has just been set up is seen to be."""
        until = self._clock.now() + 4 * RETRY_S
        room.wait(
            self._choice.human,
            lambda: room.laid_for is not None or self._order is not None or self._clock.now() > until,
        )
        return room.laid_for is self._choice.human

    # Setting up.

    def _set_up(self, table: Table, journal: Journal) -> None:
        """Have the arm set up the board for the human of the next game, if what lies there is known."""
        games = journal.games()
        if not games:
            self._say(UNKNOWN_BOARD)
            return
        with self._setting_up(journal):
            players = assemble(table, self._settings_for(self._choice), journal, [self._hear])
            try:
                set_up_by_journal(table, players, journal, games[-1])
            except VisionError:
                self._say(UNKNOWN_BOARD)

    def _turn_round(self, table: Table, journal: Journal) -> None:
        games = journal.games()
        if not games:  # What is carried belongs to a game in the journal, be it one of no moves.
            number = journal.begin_game(write_fen(Game().start), self._choice.human.name.lower(), self._choice.level)
            journal.end_game(number, "*", "the board was turned round", "")
            games = journal.games()
        with self._setting_up(journal):
            players = assemble(table, self._settings_for(self._choice), journal, [self._hear])
            turn_round(table, players, journal, games[-1])

    @contextmanager
    def _setting_up(self, journal: Journal) -> Iterator[None]:
        """While in it the arm sets up the board; people whose help is needed and who do not come end it."""
        journal.note(SET_UP_FOR, self._choice.human.name)
        self._enter(ServiceState.SETTING_UP, "please keep clear of the board")
        self._active_at, self._game = self._clock.now(), Game()
        try:
            yield
        except GameBrokenOffError as end:
            self._say(f"I do not go on setting up the board: {end}")
        finally:
            self._game = None
            self._doing = TurnState.OVER

    # What is chosen and asked for.

    @property
    def _rules(self) -> DrawRules:
        return DrawRules(self._settings.game.draw_by_repetition, self._settings.game.draw_by_forty_moves)

    def _settings_for(self, choice: Choice) -> Settings:
        game = replace(self._settings.game, human=choice.human.name.lower(), level=choice.level)  # type: ignore[arg-type]
        return replace(self._settings, game=game)

    def _choose(self, choice: Choice) -> None:
        self._choice = choice
        self.record.level, self.record.human = choice.level, choice.human.name.lower()

    def _change_level(self, by: int) -> None:
        ladder = [*range(1, HARDEST + 1), "best"]
        at = ladder.index(self._choice.level) if self._choice.level in ladder else 0
        self._choose(replace(self._choice, level=ladder[(at + by) % len(ladder)]))
        self._say(f"the next game is at level {self._choice.level}")

    def _take_order(self) -> Order | None:
        with self._lock:
            order, self._order = self._order, None
        return order

    def _apply(self, order: Order) -> None:
        if isinstance(order, NewGame):
            human = self._choice.human if order.human is None else Colour[order.human.upper()]
            self._choose(Choice(human, self._choice.level if order.level is None else order.level))
            self._begins = True

    # What is told.

    def _laid(self, human: Colour | None) -> None:
        if human is None:
            self._enter(ServiceState.WAITING, LAY_IT)
        else:
            self._enter(ServiceState.READY, MOVE_FIRST if human is Colour.BLACK else I_MOVE_FIRST)

    def _hear(self, event: Event) -> None:
        self._doing = event.state
        if event.kind is not EventKind.STATE:
            self._say(event.text)
        if event.kind is EventKind.MOVE or event.state in (TurnState.HAND, TurnState.JUDGING, TurnState.MOVING):
            self._active_at = self._clock.now()
        if event.kind is EventKind.ASKED:
            self.record.sentence = event.text
        elif event.kind is EventKind.STATE and event.state is not TurnState.ASKING:
            self.record.sentence = ""
        self._tell_of_game()

    def _tell_of_game(self) -> None:
        if self._session is not None and self._game is not None:
            game, playing = self._game, self._playing.game
            self.record.game = GameStatus(
                self._session.game_number,
                playing.human,
                playing.level,
                game.plies,
                game.position.turn.name.lower(),
                self._doing.value,
                write_fen(game.position),
                str(game.moves[-1]) if game.moves else "",
            )
        self._notifier.status(self.record.line())

    def _tell_of_machine(self) -> None:
        """What the arm does, from what the gantry knows anyway: nothing is asked of the machine."""
        if self._table is None:
            self.record.machine, self.record.arm = "not connected", None
            return
        gantry = self._table.gantry
        self.record.machine = gantry.state.value
        position = gantry.position if gantry.homed else None
        self.record.arm = {
            "state": gantry.state.value,
            "position_mm": None if position is None else list(position),
            "homed": gantry.homed,
            "gripper_on": gantry.holding_disc,
            "port": self.record.port,
        }

    def _in_trouble(self, error: Exception) -> None:
        sentence = str(error)
        if self.record.state is not ServiceState.TROUBLE or self.record.sentence != sentence:
            self.record.fault(sentence)
        self._enter(ServiceState.TROUBLE, sentence)

    def _enter(self, state: ServiceState, sentence: str) -> None:
        self.record.state, self.record.sentence = state, sentence
        self._say(self.record.line())
        self._notifier.status(self.record.line())

    def _say(self, line: str) -> None:
        """One line an event; what is the same as the last is said once."""
        if line != self._last_line:
            self._last_line = line
            self._log(line)
