"""The human's seat: what is typed is carried out at its time, and what cannot be is said."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec
import pytest
from laid_table import CALIBRATION, Table, laid

from controller.draughts import Colour, Game, Outcome, Position, Reason, parse_move, read_fen
from controller.draw_offer import DrawAnswer
from controller.events import Event, EventKind, TurnState
from controller.seat.seat import LeftTableError, Seat
from controller.seat.sight import disagreements
from hardware.clock import VirtualClock
from hardware.errors import TableProgramError
from hardware.simulated.errand import Errand
from hardware.simulated.requests import (
    DiscTruth,
    DoErrand,
    Fault,
    HandAway,
    MakeFault,
    Press,
    Request,
    SetLight,
    Truth,
    TruthReply,
)

PATIENCE_S = 5.0


class Lines:
    """Lines that a test types."""

    def __init__(self, live: bool = True) -> None:
        self.live = live
        self.ended = False
        self.typed: deque[str] = deque()

    def take(self) -> list[str]:
        lines = list(self.typed)
        self.typed.clear()
        return lines


class HandAlone:
    """A control of a table that has discs and a hand; whatever else is asked of it is written down."""

    def __init__(self, table: Table, clock: VirtualClock) -> None:
        self.table = table
        self.asked: list[Request] = []
        self.gone = False
        clock.attach(table.hand.advance_to)

    def handle(self, request: Request) -> dict[str, Any]:
        if self.gone:
            raise TableProgramError("the table is gone")
        if isinstance(request, Truth):
            return dict(msgspec.to_builtins(self.truth()))
        self.asked.append(request)
        if isinstance(request, DoErrand):
            return {"errand": self.table.hand.do(Errand(request.steps))}
        if isinstance(request, HandAway):
            self.table.hand.leave()
        return {}

    def truth(self) -> TruthReply:
        hand, world = self.table.hand, self.table.world
        discs = tuple(DiscTruth(d.id, d.colour.value, d.x, d.y, d.z, "lying") for d in world.discs)
        return TruthReply(
            0.0,
            discs,
            (),
            0,
            0,
            None,
            (0.0, 0.0, 0.0),
            False,
            False,
            "off",
            "window",
            hand.busy,
            hand.errands_done,
            0.0,
        )


class Evening:
    """A seat at such a table; the test plays the robot."""

    def __init__(self, position: Position | None = None, human: Colour = Colour.BLACK, live: bool = True) -> None:
        self.game = Game(position)
        self.clock = VirtualClock()
        self.table = laid(self.game.position, human)
        self.control = HandAlone(self.table, self.clock)
        self.lines = Lines(live)
        self.told: list[str] = []
        self.boards = 0
        self.human = human
        self.draw_answer = DrawAnswer(False, "no draw")
        self.seat = Seat(
            self.control,
            CALIBRATION,
            human,
            self.game,
            self.lines,
            self.told.append,
            self.show_board,
            PATIENCE_S,
            lambda: self.draw_answer,
        )
        self.clock.attach(self.seat.advance_to)
        self.robot(TurnState.WAITING)

    def show_board(self) -> None:
        self.boards += 1

    def robot(self, state: TurnState, kind: EventKind = EventKind.STATE, text: str = "") -> None:
        self.seat.hear(Event(self.clock.now(), kind, state, text))

    def robot_plays(self, *texts: str) -> None:
        """The robot takes the human's move and answers it, which then stands on the board."""
        for text in texts:
            colour, move = self.game.position.turn, parse_move(self.game.position, text)
            self.game.play(move)
            event = Event(self.clock.now(), EventKind.MOVE, TurnState.JUDGING, text, move, colour)
            self.seat.hear(event)
        self.robot(TurnState.WAITING)

    def type(self, *lines: str, wait_s: float = 30.0) -> list[str]:
        """Type lines, let time go by, and return what was told since."""
        self.told.clear()
        self.lines.typed.extend(lines)
        for _ in range(round(wait_s / 0.1)):
            self.clock.sleep(0.1)
        return self.told

    def shows(self, fen: str) -> bool:
        return disagreements(self.table.sight, read_fen(fen)) == ()

    @property
    def errands(self) -> int:
        return sum(isinstance(request, DoErrand) for request in self.control.asked)


def test_a_legal_move_is_made() -> None:
    evening = Evening()
    assert evening.type("11-15") == ["your hand moves 11 to 15"]
    assert evening.shows("W:W21-32:B1-10,12,15")


def test_a_legal_jump_takes_what_it_captures_away_and_crowns() -> None:
    evening = Evening(read_fen("B:W26:B22"))
    assert evening.type("22x31") == ["your hand moves 22 to 31 and takes the disc on 26 away, and crowns it"]
    assert evening.shows("W:W:BK31")


def test_white_has_its_own_numbers() -> None:
    evening = Evening(read_fen("W:W11:B7"), Colour.WHITE)
    evening.type("11x2")
    assert evening.shows("B:WK2:B")


def test_a_jump_typed_with_a_hyphen_or_without_its_middle_is_the_same_jump() -> None:
    for text in ("14-30", "14x30", "14x23x30"):
        evening = Evening(read_fen("B:W18,26:B14"))
        evening.type(text)
        assert evening.shows("W:W:BK30"), text


@pytest.mark.parametrize("lines", [("forget 22x31",), ("forget", "22x31")])
def test_what_is_forgotten_stays(lines: tuple[str, ...]) -> None:
    evening = Evening(read_fen("B:W26:B22"))
    assert evening.type(*lines)[-1] == "your hand moves 22 to 31 and leaves the disc on 26 standing"
    assert disagreements(evening.table.sight, read_fen("W:W26:BK31")) == ("31 should hold a dark king",)


def test_forget_alone_is_for_one_move() -> None:
    evening = Evening(read_fen("B:W26:B22,3"))
    evening.type("forget", "22x31")
    evening.robot(TurnState.WAITING, EventKind.ASKED)
    evening.type("put back")
    evening.robot(TurnState.WAITING, EventKind.ASKED)
    evening.type("22x31")
    assert evening.shows("W:W:BK31,3")


def test_an_illegal_move_is_made_too() -> None:
    evening = Evening()
    assert evening.type("21-18") == ["your hand puts the disc on 21 onto 18"]
    evening.robot(TurnState.WAITING, EventKind.ASKED)
    assert evening.type("10x17x26") == ["your hand puts the disc on 10 onto 26 and takes the disc on 22 away"]
    assert [len(evening.table.sight.on_square(square)) for square in (18, 21, 22, 26, 10)] == [1, 0, 0, 2, 0]


def test_without_a_spare_disc_the_man_stays_one() -> None:
    evening = Evening(read_fen("B:W21:B27"))
    told = evening.type("put 1", "put 2", "27-32", wait_s=60)
    assert told[-1] == "your hand moves 27 to 32; there is no dark disc beside the board to crown it with"
    assert [len(evening.table.sight.on_square(square)) for square in (1, 2, 32)] == [1, 1, 1]


def test_an_ambiguous_jump_is_asked_about_and_nothing_moves() -> None:
    position = read_fen("B:W6,7,14,15:B2")
    captures = {move.captured for move in position.legal_moves() if move.end == 18}
    assert len(captures) == 2
    evening = Evening(position)
    (told,) = evening.type("2x18")
    assert told.startswith("2x18 can mean ")
    assert evening.errands == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("14-18", "there is no disc on 14"),
        ("crown 14", "there is no disc on 14"),
        ("push 14", "there is no disc on 14"),
        ("40-2", "there is no square 40: the squares are numbered from 1 to 32"),
        ("nonsense", "I do not know 'nonsense': 'help' says what can be typed"),
        ("put back", "the discs lie as the game has them already"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_happens(line: str, sentence: str) -> None:
    evening = Evening()
    before = evening.table.world.discs
    assert evening.type(line) == [sentence]
    assert evening.errands == 0
    assert evening.table.world.discs == before


def test_the_board_is_put_back() -> None:
    evening = Evening()
    evening.type("now 11-20", "now 24-15", "now 3-14", wait_s=60)
    assert not evening.shows("B:W21-32:B1-12")
    assert evening.type("put back", wait_s=60) == ["your hand puts the board back"]
    assert evening.shows("B:W21-32:B1-12")


def test_discs_are_crowned_taken_put_and_pushed() -> None:
    evening = Evening()
    told = evening.type("crown 9", "take 10", "put 14 light", "push 12 5 -5", wait_s=60)
    assert told == [
        "your hand puts a second disc on 9",
        "your hand takes the disc on 10 away",
        "your hand puts a light disc on 14",
        "your hand pushes the piece on 12 by (5, -5) mm",
    ]
    assert disagreements(evening.table.sight, Position.start()) == (
        "9 should hold a dark man",
        "10 should hold a dark man",
        "14 should be empty",
    )


# When it is done


def test_a_move_waits_for_the_humans_turn() -> None:
    evening = Evening()
    for state in set(TurnState) - {TurnState.WAITING, TurnState.HAND, TurnState.JUDGING, TurnState.ASKING}:
        evening = Evening()
        evening.robot(state)
        assert evening.type("11-15") == ["your hand waits until it is your turn"], state
        assert evening.errands == 0
        evening.robot(TurnState.WAITING)
        assert evening.type() == ["your hand moves 11 to 15"]


def test_whoever_is_asked_may_touch_the_discs_whatever_the_robot_does() -> None:
    evening = Evening()
    evening.robot(TurnState.HELD)
    assert evening.type("take 9") == ["your hand waits until it is your turn"]
    evening.robot(TurnState.HELD, EventKind.ASKED)
    assert evening.type() == ["your hand takes the disc on 9 away"]
    evening.robot(TurnState.MOVING)
    assert evening.type("take 10") == ["your hand waits until it is your turn"]


def test_the_button_can_be_pressed_at_any_time_but_after_the_move_that_was_typed_before() -> None:
    evening = Evening()
    evening.robot(TurnState.HELD)
    assert evening.type("take 9", "press")[-1] == "your hand presses the turn button"
    assert evening.errands == 1
    evening = Evening()
    assert evening.type("11-15", "press") == ["your hand moves 11 to 15", "your hand presses the turn button"]


def test_now_means_now() -> None:
    evening = Evening()
    evening.robot(TurnState.MOVING)
    assert evening.type("now 11-15") == ["your hand moves 11 to 15"]
    assert evening.shows("W:W21-32:B1-10,12,15")


def test_a_second_move_waits_until_the_robot_has_answered_the_first() -> None:
    evening = Evening()
    evening.type("11-15", "8-11", wait_s=6.0)
    assert evening.told == ["your hand moves 11 to 15"]
    evening.robot_plays("11-15", "21-17")
    assert evening.type() == ["your hand moves 8 to 11"]


def test_what_the_robot_does_not_answer_keeps_nothing_waiting_for_long() -> None:
    evening = Evening()
    evening.type("11-15", "8-11", wait_s=60.0)
    assert evening.told == ["your hand moves 11 to 15", "your hand puts the disc on 8 onto 11"]


def test_the_hand_does_one_thing_after_the_other() -> None:
    evening = Evening()
    evening.type("take 9", "take 10", "take 11", wait_s=1.5)
    assert evening.told == ["your hand takes the disc on 9 away"]
    assert evening.type() == ["your hand takes the disc on 10 away", "your hand takes the disc on 11 away"]


def test_the_hand_reaches_in_at_once_and_stays_until_it_is_told_to_go() -> None:
    evening = Evening()
    evening.robot(TurnState.MOVING)
    assert evening.type("11-15", "hand in 14", wait_s=60)[-1] == "your hand reaches in over 14"
    pose = evening.table.hand.pose
    assert pose is not None
    assert pose.pinch_mm[:2] == evening.table.at(14)
    assert evening.type("hand out", wait_s=10) == ["your hand leaves"]
    assert not evening.table.hand.busy


def test_a_hand_that_hovers_moves_when_it_is_its_turn() -> None:
    evening = Evening()
    evening.type("hand in", wait_s=5)
    evening.type("11-15")
    assert evening.shows("W:W21-32:B1-10,12,15")
    assert not evening.table.hand.busy


def test_trouble_is_made_at_once() -> None:
    evening = Evening()
    evening.robot(TurnState.MOVING)
    told = evening.type("11-15", "unplug", "lamp on", "stop", "reset", wait_s=1)
    assert evening.control.asked == [
        MakeFault(Fault.UNPLUG),
        SetLight("lamp"),
        Press("stop"),
        MakeFault(Fault.RESET_FIRMWARE),
    ]
    assert told[1:] == [
        "the serial cable is pulled out",
        "the light is now: lamp",
        "you press the stop button",
        "the controller board restarts",
    ]


def test_a_script_is_carried_out_in_its_order() -> None:
    evening = Evening(live=False)
    evening.robot(TurnState.MOVING)
    evening.type("11-15", "wait 3", "unplug", wait_s=10)
    assert evening.control.asked == []
    evening.robot(TurnState.WAITING)
    evening.type(wait_s=2.5)
    assert evening.errands == 1
    assert len(evening.control.asked) == 1
    evening.type(wait_s=1.0)
    assert evening.control.asked[1:] == [MakeFault(Fault.UNPLUG)]


def test_waiting_lasts_as_long_as_it_is_told_to() -> None:
    evening = Evening()
    evening.type("wait 7", "bump", wait_s=6.8)
    assert evening.control.asked == []
    evening.type(wait_s=0.4)
    assert evening.control.asked == [MakeFault(Fault.BUMP)]


def test_the_button_is_pressed_by_the_hand() -> None:
    pressed = []
    evening = Evening()
    evening.table.hand._press = lambda: pressed.append(True)
    assert evening.type("press") == ["your hand presses the turn button"]
    assert pressed == [True]


# What is shown


def test_the_truth_is_told() -> None:
    evening = Evening()
    assert evening.type("truth") == ["the discs lie as the game has them"]
    evening.type("now 11-20")
    assert evening.type("truth") == ["11 should hold a dark man; 20 should be empty"]
    assert evening.seat.disagreements() == ("11 should hold a dark man", "20 should be empty")


def test_board_and_help_are_shown() -> None:
    evening = Evening()
    (words,) = evening.type("board", "help")
    assert evening.boards == 1
    assert "put back" in words
    assert max(map(len, words.splitlines())) < 80


# The end


def test_quitting_waits_for_the_humans_turn() -> None:
    evening = Evening()
    evening.robot(TurnState.MOVING)
    assert evening.type("quit") == ["you leave as soon as it is your turn"]
    evening.robot(TurnState.WAITING)
    with pytest.raises(LeftTableError):
        evening.type()


def test_nobody_waits_for_ever_for_a_robot_that_does_nothing_any_more() -> None:
    evening = Evening()
    evening.robot(TurnState.HELD)
    evening.type("11-15", "quit", wait_s=290)
    with pytest.raises(LeftTableError):
        evening.type()
    assert evening.told == ["nothing happens any more, so you leave"]
    assert evening.errands == 0


def test_quitting_waits_for_what_was_typed_before_and_its_answer() -> None:
    evening = Evening()
    evening.type("11-15", "quit", wait_s=8.0)
    assert evening.shows("W:W21-32:B1-10,12,15")
    evening.robot_plays("11-15", "22-18")
    with pytest.raises(LeftTableError):
        evening.type()


def test_whoever_is_asked_for_help_may_leave() -> None:
    evening = Evening()
    evening.robot(TurnState.ASKING)
    with pytest.raises(LeftTableError):
        evening.type("quit")


def test_the_end_of_the_lines_is_the_end_when_all_is_done_and_takes_the_hand_away() -> None:
    evening = Evening(live=False)
    evening.lines.ended = True
    with pytest.raises(LeftTableError):
        evening.type("hand in 14", "wait 20", "11-15", wait_s=100)
    assert evening.told[0] == "your hand reaches in over 14"
    assert evening.clock.now() > 25
    assert evening.shows("W:W21-32:B1-10,12,15")
    assert not evening.table.hand.busy


def test_giving_up_ends_the_game() -> None:
    evening = Evening()
    with pytest.raises(LeftTableError):
        evening.type("resign")
    outcome = evening.game.outcome()
    assert outcome is not None
    assert outcome.winner is Colour.WHITE


def test_a_draw_that_is_agreed_ends_the_game() -> None:
    evening = Evening()
    assert evening.type("draw") == ["no draw"]
    assert evening.game.outcome() is None
    evening.draw_answer = DrawAnswer(True, "I agree: the game is a draw.")
    with pytest.raises(LeftTableError):
        evening.type("offer draw")
    assert evening.told == ["I agree: the game is a draw."]
    assert evening.game.outcome() == Outcome(None, Reason.AGREEMENT)


def test_a_draw_is_offered_at_ones_turn() -> None:
    evening = Evening()
    evening.draw_answer = DrawAnswer(True, "I agree.")
    evening.robot(TurnState.THINKING)
    assert evening.type("draw") == ["a draw can be offered when it is your turn"]
    evening.game.play(parse_move(evening.game.position, "11-15"))
    evening.robot(TurnState.WAITING)
    assert evening.type("draw") == ["a draw can be offered when it is your turn"]
    assert evening.game.outcome() is None


def test_a_table_that_is_gone_is_said_and_can_be_left() -> None:
    evening = Evening()
    evening.control.gone = True
    assert evening.type("11-15", "truth", "bump") == ["the table is gone"] * 3
    with pytest.raises(LeftTableError):
        evening.type("quit")


def test_the_discs_are_set_up_before_the_game() -> None:
    evening = Evening()
    evening.type("now 11-15", "now 21-17")
    evening.told.clear()
    evening.seat.set_up(evening.clock)
    assert evening.told == ["your hand sets up the discs"]
    assert evening.shows("B:W21-32:B1-12")
    assert not evening.table.hand.busy
    evening.seat.set_up(evening.clock)
    assert evening.told == ["your hand sets up the discs"]
