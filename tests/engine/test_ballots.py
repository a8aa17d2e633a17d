"""The three-move ballots."""

from __future__ import annotations

import pytest

from controller.draughts import Colour, DrawRules
from controller.engine.openings import BallotError, all_ballots, ballot, ballots
from controller.errors import ControllerError


def test_156_of_174_are_in_play() -> None:
    assert len(ballots()) == 156
    assert len(all_ballots()) == 174
    assert [one.number for one in all_ballots()] == list(range(1, 175))
    assert [one.number for one in all_ballots() if one.barred] == [
        3, 13, 26, 35, 44, 45, 48, 52, 77, 88, 94, 109, 114, 137, 145, 156, 168, 171,
    ]  # fmt: skip


def test_every_ballot_can_be_played_and_is_another_opening() -> None:
    openings = {one.game().position for one in all_ballots()}
    assert len(openings) >= 140  # Some ballots are one position reached in two orders.
    for one in all_ballots():
        game = one.game()
        assert game.notations() == one.moves
        assert game.position.turn is Colour.WHITE
        assert game.outcome() is None
    assert len({one.moves for one in all_ballots()}) == 174


def test_a_ballot_by_its_number() -> None:
    assert ballot(130).moves == ("11-15", "24-20", "8-11")
    assert ballot(4).moves == ("9-13", "22-17", "13x22")
    assert str(ballot(174)) == "ballot 174 (12-16 24-20 10-15)"


def test_the_games_rules_are_those_given() -> None:
    rules = DrawRules(repetition=False)
    assert ballot(1).game(rules).rules == rules


@pytest.mark.parametrize("number", [-1, 0, 175])
def test_a_number_that_is_none(number: int) -> None:
    with pytest.raises(BallotError, match="numbered from 1 to 174"):
        ballot(number)


def test_a_barred_ballot_is_refused_in_a_sentence() -> None:
    with pytest.raises(ControllerError, match=r"^ballot 3 \(9-13 21-17 10-14\) is barred from play: choose another$"):
        ballot(3)
