"""Brings a position about on the board: plans, carries, looks, and mends what went wrong."""

from __future__ import annotations

from controller.announcer import Announcer
from controller.draughts import Colour, Position
from controller.events import TurnState
from controller.eye import Eye
from controller.hand_guard import HandGuard
from controller.handling.arm import Arm
from controller.handling.layout import Layout, wanted_on
from controller.handling.places import ALL_PLACES, Area
from controller.handling.plan import (
    Centres,
    Gripper,
    NoSpareDiscError,
    Transfer,
    TrayFullError,
    carried_out,
    disc_word,
    plan_transfers,
)
from controller.journal import Journal, Outcome
from hardware.clock import Clock
from hardware.panel import Panel


class DiscMover:
    """Carries discs until the camera sees the position that is wanted; asks the player when it cannot."""

    def __init__(
        self,
        arm: Arm,
        guard: HandGuard,
        eye: Eye,
        announcer: Announcer,
        journal: Journal,
        clock: Clock,
        panel: Panel,
        gripper: Gripper,
        max_tries: int,
    ) -> None:
        self.arm = arm
        self._guard = guard
        self._eye = eye
        self._announcer = announcer
        self._journal = journal
        self._clock = clock
        self._panel = panel
        self._gripper = gripper
        self._max_tries = max_tries
        self._centres: Centres = {
            place: (float(x), float(y)) for place, (x, y) in zip(ALL_PLACES, eye.view.places_mm, strict=True)
        }

    def bring_about(self, position: Position, layout: Layout, game: int, human: Colour, ply: int) -> Layout:
        """Move discs until the camera sees `position`, starting from `layout`; returns what then lies on the table.

        `game` is the game's number in the journal, where every intent is written before its disc moves; `ply` counts
        its moves so far. Raises what hardware and vision raise.
        """
        tries = 0
        while True:
            if tries == self._max_tries:
                self._announcer.ask(f"please help me: {_differences(layout, position)}")
                layout = self._layout_after_help(position)
                tries = 0
            self._announcer.enter(TurnState.PLANNING)
            try:
                transfers = plan_transfers(layout, position, self._centres, human, self._gripper)
            except (NoSpareDiscError, TrayFullError) as error:
                self._announcer.ask(str(error))
                layout = self._layout_after_help(position)
                continue
            if not transfers:
                return layout
            tries += 1
            intents = self._carry_all(transfers, layout, game, ply)
            self._announcer.enter(TurnState.CHECKING)
            look = self._eye.settled_look(position)
            self._announcer.settled()
            layout = self._eye.layout(look)
            wrong = _differences(layout, position)
            for intent in intents:
                self._journal.finish(intent, Outcome.FAILED if wrong else Outcome.DONE, wrong)
            if not wrong:
                self._eye.believe(look, position)
                return layout
            self._announcer.say(f"that went wrong and I try again: {wrong}")

    def _carry_all(self, transfers: tuple[Transfer, ...], layout: Layout, game: int, ply: int) -> list[int]:
        """Carry out a plan and park; returns the intents, which stay open until the camera has seen the outcome."""
        intents = []
        self._announcer.enter(TurnState.MOVING)
        for transfer in transfers:
            after = carried_out(layout, transfer, self._centres)
            target = after.stacks[transfer.target].centre
            self._guard.expect_work_at((layout.stacks[transfer.source].centre, target))
            intent = self._journal.intend(
                game, ply, str(transfer), str(transfer.source), str(transfer.target), transfer.discs
            )
            intents.append(intent)
            self._announcer.carrying(transfer)
            try:
                self.arm.carry(layout, transfer.source, transfer.target, transfer.discs, target)
            except Exception as error:
                self._journal.finish(intent, Outcome.STOPPED, str(error))
                raise
            layout = after
        self.arm.park()
        self._guard.expect_work_at(())
        return intents

    def _layout_after_help(self, position: Position) -> Layout:
        """Wait until a hand has been over the table and has gone, something has changed, or the button is pressed."""
        self._announcer.enter(TurnState.ASKING)
        asked = self._eye.settled_look(position)
        hand_seen = False
        while not self._panel.turn_pressed():
            self._clock.sleep(self._eye.hand_s)
            glance = self._eye.glance()
            if glance.hand:
                hand_seen = True
            elif hand_seen or not self._eye.is_still(asked.frame, glance.frame):
                break
        self._announcer.settled()
        look = self._eye.settled_look(position)
        layout = self._eye.layout(look)
        if not _differences(layout, position):
            self._eye.believe(look, position)
        return layout


def _differences(layout: Layout, position: Position) -> str:
    """What should lie on the squares that are wrong ("9 should be empty, 14 should hold a light man"), or nothing."""
    wanted = wanted_on(position)
    seen = {place: (stack.colour, stack.count) for place, stack in layout.stacks.items() if place.area is Area.BOARD}
    wrong = [place for place in {*wanted, *seen} if wanted.get(place) != seen.get(place)]
    return ", ".join(
        f"{place} should {_holding(wanted.get(place))}" for place in sorted(wrong, key=lambda place: place.number)
    )


def _holding(wanted: tuple[Colour, int] | None) -> str:
    if wanted is None:
        return "be empty"
    colour, discs = wanted
    return f"hold a {disc_word(colour)} {'king' if discs == 2 else 'man'}"
