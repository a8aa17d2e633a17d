"""The simulated human: moves at its turn, helps once each time it is asked, and takes the robot's word."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from laid_table import CALIBRATION, Table, laid

from controller.demo.simulated_human import TRAY_IS_FULL, Habits, SimulatedHuman
from controller.draughts import Colour, Game, Move, Position, parse_move, read_fen
from controller.events import Event, EventKind, TurnState
from controller.seat.sight import disagreements
from hardware.clock import VirtualClock
from hardware.panel import Light
from hardware.simulated.discs import Disc
from hardware.simulated.faces import Faces

HABITS = Habits(crowns=1.0, presses=0.0)


@dataclass
class Panel:
    light: Light = Light.YOUR_TURN
    pressed: list[float] = field(default_factory=list)


class Parlour:
    """A human at a table whose robot is played by the test."""

    @property
    def discs(self) -> tuple[Disc, ...]:
        return self.faces.on_lying(self.world.discs)

    def __init__(
        self, position: Position | None = None, moves: tuple[str, ...] = (), habits: Habits = HABITS
    ) -> None:
        self.game = Game(position)
        self.clock = VirtualClock()
        self.laid: Table = laid(self.game.position)
        self.hand, self.world = self.laid.hand, self.laid.world
        self.faces = Faces()
        self.panel = Panel()
        self.hand._press = lambda: self.panel.pressed.append(self.clock.now())
        self.choices = list(moves)
        self.human = SimulatedHuman(self, CALIBRATION, self.game.copy(), Colour.BLACK, self.choose, 5, habits)  # type: ignore[arg-type]
        self.clock.attach(self.hand.advance_to)
        self.clock.attach(self.human.advance_to)

    def choose(self, game: Game) -> Move:
        return parse_move(game.position, self.choices[0])

    def hears(self, kind: EventKind, text: str, move: Move | None = None, colour: Colour | None = None) -> None:
        self.human.hear(Event(self.clock.now(), kind, TurnState.JUDGING, text, move, colour))

    def time_goes_by(self, seconds: float = 30.0) -> None:
        for _ in range(round(seconds / 0.1)):
            self.clock.sleep(0.1)
            if self.hand.busy and self.panel.light is Light.YOUR_TURN:
                self.panel.light = Light.MOVING

    def asks(self, text: str) -> None:
        self.panel.light = Light.ATTENTION
        self.hears(EventKind.ASKED, text)

    def shows(self, fen: str) -> bool:
        return disagreements(self.laid.sight, read_fen(fen)) == ()


def test_it_moves_takes_what_it_captures_and_crowns() -> None:
    parlour = Parlour(read_fen("B:W26,5:B22"), ("22x31",))
    parlour.time_goes_by()
    assert parlour.shows("W:W5:BK31")
    assert [str(move) for move in parlour.human.made] == ["22x31"]
    assert parlour.panel.pressed == []


def test_some_humans_press_the_button() -> None:
    parlour = Parlour(moves=("11-15",), habits=Habits(presses=1.0))
    parlour.time_goes_by()
    assert len(parlour.panel.pressed) == 1


def test_it_does_not_move_while_it_is_not_its_turn() -> None:
    parlour = Parlour(moves=("11-15",))
    for light in (Light.THINKING, Light.MOVING, Light.ATTENTION, Light.OFF):
        parlour.panel.light = light
        parlour.time_goes_by()
    assert parlour.human.made == []


def test_asked_it_puts_the_board_right_by_its_own_account_and_presses_the_button_once() -> None:
    parlour = Parlour(moves=("11-15",))
    parlour.time_goes_by()
    at = parlour.laid.at
    for square, to in ((15, 18), (2, 20)):
        disc = parlour.laid.sight.on_square(square)[0]
        parlour.world.shove(disc.id, *at(to))
    x, y = at(3)
    parlour.world.shove(parlour.laid.sight.on_square(3)[0].id, x + 8.0, y)
    parlour.asks("please help me")
    parlour.time_goes_by(60.0)
    assert parlour.shows("W:W21-32:B1-10,12,15")
    assert abs(parlour.laid.sight.on_square(3)[0].x - x) < 7.0
    assert len(parlour.panel.pressed) == 1
    parlour.time_goes_by(120.0)
    assert len(parlour.panel.pressed) == 1
    parlour.asks("please help me again")
    parlour.time_goes_by(60.0)
    assert len(parlour.panel.pressed) == 2


def test_it_thinks_before_it_helps_and_does_nothing_when_that_has_settled() -> None:
    parlour = Parlour()
    parlour.asks("please straighten the discs")
    parlour.time_goes_by(HABITS.helps_after_s[0] - 0.2)
    assert not parlour.hand.busy
    parlour.panel.light = Light.THINKING
    parlour.time_goes_by(30.0)
    assert parlour.panel.pressed == []
    parlour.panel.light = Light.ATTENTION
    parlour.time_goes_by(30.0)
    assert parlour.panel.pressed == []


def test_it_takes_discs_out_of_a_full_tray() -> None:
    parlour = Parlour()
    before = {disc.id for disc in parlour.world.discs if disc.y < -30}
    parlour.asks(TRAY_IS_FULL)
    parlour.time_goes_by(60.0)
    assert len({disc.id for disc in parlour.world.discs if disc.y < -30} - before) == 3
    assert len(parlour.panel.pressed) == 1


def test_it_plays_the_robots_moves_in_its_own_account() -> None:
    parlour = Parlour(moves=("11-15",))
    parlour.time_goes_by()
    reply = parse_move(parlour.game.position.after(parlour.human.made[0]), "22-18")
    parlour.hears(EventKind.MOVE, "you play", parlour.human.made[0], Colour.BLACK)
    parlour.hears(EventKind.MOVE, "I play", reply, Colour.WHITE)
    parlour.asks("please help me")
    parlour.time_goes_by(60.0)
    assert parlour.shows("B:W18,21,23-32:B1-10,12,15")


@pytest.mark.parametrize("made", [True, False])
def test_where_the_robot_has_taken_its_move_for_another_it_gives_in(made: bool) -> None:
    parlour = Parlour(moves=("11-15",))
    if made:
        parlour.time_goes_by()
    taken_for = parse_move(Position.start(), "11-16")
    parlour.hears(EventKind.MOVE, "you play 11-16", taken_for, Colour.BLACK)
    parlour.asks("please help me")
    parlour.time_goes_by(60.0)
    assert parlour.shows("W:W21-32:B1-10,12,16")


def test_a_board_on_which_its_move_cannot_be_made_is_put_right_first() -> None:
    parlour = Parlour(moves=("11-15",))
    parlour.world.shove(parlour.laid.sight.on_square(11)[0].id, 160.0, -60.0)
    parlour.time_goes_by(20.0)
    assert parlour.human.made == []
    assert parlour.shows("B:W21-32:B1-12")
    parlour.panel.light = Light.YOUR_TURN
    parlour.time_goes_by(20.0)
    assert parlour.shows("W:W21-32:B1-10,12,15")
