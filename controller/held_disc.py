"""A disc that the gripper still holds when the program starts: the one before was cut off in mid-transfer.

Where a game is gone on with, the arm has parked with it and the camera has looked: the disc is put down where its
transfer was to put it, or, if that is not known or the place is taken, on a free place of the tray, from where it is
fetched like any other. Where nothing is known a person takes it.
"""

from __future__ import annotations

from controller.announcer import Announcer
from controller.broken_off import last_open_intent, place_named
from controller.draughts import Colour
from controller.events import TurnState
from controller.handling.layout import Centre, Layout
from controller.handling.places import Area, Place
from controller.handling.plan import Centres, TrayFullError, free_tray_places
from controller.journal import Journal, Outcome
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
    number: int,
    layout: Layout,
    human: Colour,
) -> None:
    """Put down what the gripper holds, from where the arm parks.

    `number` is the game's in the journal, `layout` what lies on the table, and `centres` are
    those of all places, board mm. Waits for a person only where the tray is full. Raises what the gantry raises.
    """
    transfer = last_open_intent(journal, number)
    wanted = None if transfer is None else place_named(transfer.to_place)
    target = wanted if wanted is not None and wanted not in layout.stacks else _free_place(layout, human, centres)
    if target is None:
        let_a_person_take_it(table, announcer)
        return
    announcer.say(PUT_DOWN.format(target))
    centre: Centre = centres[target]
    floor = table.calibration.tray_height_mm if target.area is Area.TRAY else 0.0
    table.guard.expect_work_at([centre])
    table.arm.put_down(centre, floor, 1 if transfer is None else transfer.discs)
    table.arm.park()
    table.guard.expect_work_at(())
    if transfer is not None and target == wanted:
        journal.finish(transfer.id, Outcome.DONE, "put down after a restart")


def _free_place(layout: Layout, human: Colour, centres: Centres) -> Place | None:
    """Any free place of the tray; whose disc it is will be seen there."""
    try:
        return free_tray_places(layout, human, human, centres)[0]
    except TrayFullError:
        return None


def let_a_person_take_it(table: Table, announcer: Announcer) -> None:
    """Wait for a hand under the gripper, and for the turn button that says so; then let go."""
    announcer.enter(TurnState.ASKING)
    announcer.ask(TAKE_IT)
    table.panel.turn_pressed()
    while not table.panel.turn_pressed():
        table.clock.sleep(LOOK_AT_BUTTON_S)
        table.gantry.attend()
    table.gantry.release()
    announcer.settled()
