"""A disc that the gripper still holds when the program starts: the one before was cut off in mid-transfer.

The journal knows which transfer that was, and, with the moves before it, how high the stack is on which the disc was
to be put down. So it is put down there; where the journal does not know, a person takes it.
"""

from __future__ import annotations

from collections import Counter

from controller.announcer import Announcer
from controller.draughts import Game
from controller.events import TurnState
from controller.handling.kings import Kings
from controller.handling.layout import Centre, wanted_on
from controller.handling.places import ALL_PLACES, Area, Place
from controller.handling.plan import Centres
from controller.journal import IntentRecord, Journal, Outcome
from controller.table import Table

PUT_DOWN = "I still hold a disc from before: I put it down on {}"
TAKE_IT = (
    "I hold a disc and do not know where it belongs: put a hand under the gripper and press the turn button, and I "
    "let go"
)
LOOK_AT_BUTTON_S = 0.1


def put_held_disc_down(
    table: Table,
    announcer: Announcer,
    centres: Centres,
    journal: Journal,
    number: int | None,
    game: Game,
    kings: Kings,
) -> None:
    """Put down what the gripper holds, from where the arm parks.

    `number` is the game's in the journal if it is gone on with, and `centres` are those of all places, board mm.
    Waits for a person where the journal does not know where the disc belongs. Raises what the gantry raises.
    """
    transfer = None if number is None else _unfinished_transfer(journal, number)
    target = None if transfer is None else _place_named(transfer.to_place)
    below = None if number is None or transfer is None else _discs_below(journal, number, game, transfer, kings)
    if transfer is None or target is None or below is None:
        _let_a_person_take_it(table, announcer)
        return
    announcer.say(PUT_DOWN.format(target))
    centre: Centre = centres[target]
    calibration = table.calibration
    floor = calibration.tray_height_mm if target.area is Area.TRAY else 0.0
    table.guard.expect_work_at([centre])
    table.arm.put_down(centre, floor + below * calibration.disc.height_mm, transfer.discs)
    table.arm.park()
    table.guard.expect_work_at(())
    journal.finish(transfer.id, Outcome.DONE, "put down after a restart")


def _let_a_person_take_it(table: Table, announcer: Announcer) -> None:
    announcer.enter(TurnState.ASKING)
    announcer.ask(TAKE_IT)
    table.panel.turn_pressed()
    while not table.panel.turn_pressed():
        table.clock.sleep(LOOK_AT_BUTTON_S)
        table.gantry.attend()
    table.gantry.release()
    announcer.settled()


def _unfinished_transfer(journal: Journal, number: int) -> IntentRecord | None:
    """The transfer that was under way when the program was cut off; None if none was."""
    intents = journal.intents(number)
    return intents[-1] if intents and intents[-1].outcome is None else None


def _place_named(name: str) -> Place | None:
    """The place that the journal calls so."""
    return next((place for place in ALL_PLACES if str(place) == name), None)


def _discs_below(journal: Journal, number: int, game: Game, transfer: IntentRecord, kings: Kings) -> int | None:
    """How many discs lie where `transfer` was to put what it carries; None if the journal cannot tell.

    Counted from the position before the transfer's move through the transfers of that move. One of them that went
    wrong may have left anything anywhere. Of the tray a transfer only ever goes to a free place.
    """
    if not 1 <= transfer.ply < len(game.positions):
        return None
    before = wanted_on(game.positions[transfer.ply - 1], kings)
    counts = Counter({str(place): count for place, (_, count) in before.items()})
    for intent in journal.intents(number):
        if intent.ply != transfer.ply or intent.id >= transfer.id:
            continue
        if intent.outcome not in (None, Outcome.DONE):
            return None
        counts[intent.from_place] -= intent.discs
        counts[intent.to_place] += intent.discs
    on_board = transfer.to_place.isdecimal()
    return max(0, counts[transfer.to_place]) if on_board else 0
