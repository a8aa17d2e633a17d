"""Brings a position about on the board: plans, carries, looks, and mends what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from controller.announcer import Announcer
from controller.draughts import Colour, Position
from controller.events import TurnState
from controller.eye import Eye, Look
from controller.hand_guard import HandGuard
from controller.handling.arm import Arm
from controller.handling.kings import Kings
from controller.handling.layout import Centre, Layout, to_be_turned, wanted_on
from controller.handling.order import Ways, in_best_order
from controller.handling.places import ALL_PLACES, Area, Place
from controller.handling.plan import (
    Centres,
    Gripper,
    NoSpareDiscError,
    Transfer,
    TrayFullError,
    carried_out,
    disc_word,
    holding,
    plan_transfers,
)
from controller.journal import Journal, Outcome
from controller.recovery import Recovery
from controller.turning import no_crown_seen, please_turn, turned_by_hand
from hardware.clock import Clock
from hardware.errors import HardwareError
from hardware.panel import Panel

_Intent = tuple[int, Transfer]
"""An open intent's number in the journal, and its transfer."""


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
        recovery: Recovery,
        max_tries: int,
        kings: Kings = Kings.STACKED,
    ) -> None:
        self.arm = arm
        self._guard = guard
        self._eye = eye
        self._announcer = announcer
        self._journal = journal
        self._clock = clock
        self._panel = panel
        self._gripper = gripper
        self._recovery = recovery
        self._max_tries = max_tries
        self._kings = kings
        self.discs_before: Mapping[Colour, int] | None = None
        """How many discs there were before the program was cut off, to be looked for at the next `bring_about`."""
        self.centres: Centres = {
            place: (float(x), float(y)) for place, (x, y) in zip(ALL_PLACES, eye.view.places_mm, strict=True)
        }

    def bring_about(self, position: Position, layout: Layout, game: int, human: Colour, ply: int) -> Layout:
        """Move discs until the camera sees `position`, starting from `layout`; returns what then lies on the table.

        `game` is the game's number in the journal, where every intent is written before its disc moves; `ply` counts
        its moves so far. Raises what hardware and vision raise when the table does not come back to work.
        """
        tries = 0
        mending = False
        before_restart, self.discs_before = self.discs_before, None
        if before_restart and self._wrong(layout, position) and (gone := _missing(before_restart, layout.discs())):
            self._announcer.ask(self._please_find(gone, layout, position))
            layout = self._layout_after_help(position)
        discs = layout.discs()
        self._journal.count_discs(game, discs)
        while True:
            if tries == self._max_tries:
                self._announcer.ask(f"please help me: {self._differences(layout, position)}")
                layout = self._layout_after_help(position)
                tries, discs = 0, layout.discs()
            self._announcer.enter(TurnState.PLANNING)
            try:
                transfers = plan_transfers(layout, position, self.centres, human, self._gripper, self._kings)
            except (NoSpareDiscError, TrayFullError) as error:
                self._announcer.ask(str(error))
                layout = self._layout_after_help(position)
                discs = layout.discs()
                continue
            if not transfers:
                if not to_be_turned(layout, position, self._kings):
                    return layout
                layout = self._have_turned(position, layout)
                tries, discs = 0, layout.discs()
                continue
            tries += 1
            waits_at = self.arm.waits_at
            ways = Ways(waits_at, waits_at, self.centres, self.arm.speeds)
            transfers = in_best_order(transfers, layout, human, ways)
            # Where something has gone wrong, discs may lie as no plan foresees: one step, then a look.
            intents, expected = self._carry_all(transfers[:1] if mending else transfers, layout, game, ply)
            self._announcer.enter(TurnState.CHECKING)
            to_turn = to_be_turned(expected, position, self._kings)
            look = self._eye.settled_look(position, to_turn)
            self._announcer.settled()
            before, layout = layout, self._eye.layout(look)
            wrong = self._differences(layout, position)
            if wrong and not to_turn and self._eye.relearn(position):
                look = self._eye.settled_look(position)
                layout, wrong = self._eye.layout(look), ""
            for intent, transfer in intents:
                done = all(_same_at(place, layout, expected) for place in (transfer.source, transfer.target))
                self._journal.finish(intent, Outcome.DONE if done else Outcome.FAILED, "" if done else wrong)
            if not wrong and not to_be_turned(layout, position, self._kings):
                self._eye.believe(look, position)
                return layout
            if not wrong:
                tries = 0
                continue
            if lost := _missing(discs, layout.discs()):
                self._announcer.ask(self._please_find(lost, layout, position))
                layout = self._layout_after_help(position)
                tries, discs = 0, layout.discs()
            elif mending and self._progress(before, layout, position):
                tries = 0
            else:
                self._announcer.say(f"that went wrong and I try again: {wrong}")
            mending = True

    def _carry_all(
        self, transfers: tuple[Transfer, ...], layout: Layout, game: int, ply: int
    ) -> tuple[list[_Intent], Layout]:
        """Carry out a plan and park; returns the intents, which stay open until the camera has seen the outcome, and
        the layout that should result.

        After a fault that could be got over the rest of the plan is left: what lies where has to be looked at first.
        """
        intents: list[_Intent] = []
        self._announcer.enter(TurnState.MOVING)
        for transfer in transfers:
            after = carried_out(layout, transfer, self.centres)
            target = after.stacks[transfer.target].centre
            self._guard.expect_work_at((layout.stacks[transfer.source].centre, target))
            intent = self._journal.intend(
                game, ply, str(transfer), str(transfer.source), str(transfer.target), transfer.discs
            )
            self._announcer.carrying(transfer)
            try:
                self.arm.carry(layout, transfer.source, transfer.target, transfer.discs, target)
            except Exception as error:
                self._journal.finish(intent, Outcome.STOPPED, str(error))
                if not isinstance(error, HardwareError):
                    raise
                floor = self.arm.height_at(layout, transfer.target)
                self._recovery.after(error, str(transfer), partial(self._come_to_rest, target, floor, transfer.discs))
                break
            intents.append((intent, transfer))
            layout = after
        else:
            self._park(layout)
        self._guard.expect_work_at(())
        return intents, layout

    def _park(self, layout: Layout) -> None:
        try:
            self.arm.park(layout)
        except HardwareError as error:
            self._recovery.after(error, "nothing", self.arm.park)

    def _come_to_rest(self, target: Centre, floor_mm: float, discs: int) -> None:
        """Put down where it was meant to go what the gripper may still hold, and park."""
        if self.arm.holding:
            self.arm.put_down(target, floor_mm, discs)
        self.arm.park()

    def _have_turned(self, position: Position, layout: Layout) -> Layout:
        """Let the player turn over what shows the wrong face, until the camera sees that it shows the right one, or
        that something else has become wrong.

        Returns what then lies on the table. Whoever is asked again and says with the button that it does is believed:
        so vision learns what it could not see.
        """
        asked = ""
        while squares := to_be_turned(layout, position, self._kings):
            sentence = no_crown_seen(squares, position) if asked else please_turn(squares, position)
            self._announcer.ask(sentence)
            look, pressed = self._look_after_help(position, squares)
            layout = self._eye.layout(look)
            if self._differences(layout, position):
                break
            if pressed and asked == sentence:
                layout = turned_by_hand(layout, squares)
            asked = no_crown_seen(squares, position)
            if not to_be_turned(layout, position, self._kings):
                self._eye.believe(look, position)
        return layout

    def _layout_after_help(self, position: Position) -> Layout:
        """What lies on the table when the player has helped, or says so."""
        look, _ = self._look_after_help(position)
        layout = self._eye.layout(look)
        if not self._differences(layout, position) and not to_be_turned(layout, position, self._kings):
            self._eye.believe(look, position)
        return layout

    def _look_after_help(self, position: Position, to_turn: tuple[int, ...] = ()) -> tuple[Look, bool]:
        """Wait until a hand has been over the table and has gone, something has changed, or the button is pressed.

        Returns a look at what then lies there, and whether it was the button.
        """
        self._announcer.enter(TurnState.ASKING)
        asked = self._eye.settled_look(position, to_turn)
        hand_seen = pressed = False
        while not (pressed := self._panel.turn_pressed()):
            self._clock.sleep(self._eye.hand_s)
            glance = self._eye.glance()
            if glance.hand:
                hand_seen = True
            elif hand_seen or not self._eye.is_still(asked.frame, glance.frame):
                break
        self._announcer.settled()
        return self._eye.settled_look(position, to_turn), pressed

    def _progress(self, before: Layout, now: Layout, position: Position) -> bool:
        """Whether fewer squares are wrong than before."""
        return len(self._wrong(now, position)) < len(self._wrong(before, position))

    def _please_find(self, lost: Mapping[Colour, int], layout: Layout, position: Position) -> str:
        """One sentence about discs that have slipped out of the gripper and lie where no place is."""
        wanted, wrong = wanted_on(position, self._kings), self._wrong(layout, position)
        words = []
        for colour, count in lost.items():
            homes = [str(place) for place in wrong if place in wanted and wanted[place][0] is colour]
            where = f"on {' and '.join(homes[:count])}" if homes else "into the tray"
            words.append(
                f"{'a' if count == 1 else count} {disc_word(colour)} disc{'' if count == 1 else 's'} {where}"
            )
        return f"I have lost hold of a disc: please put {' and '.join(words)}"

    def _wrong(self, layout: Layout, position: Position) -> list[Place]:
        """The squares that do not hold the discs which the position wants, by number, whatever face is up."""
        wanted = wanted_on(position, self._kings)
        seen = {
            place: (stack.colour, stack.count) for place, stack in layout.stacks.items() if place.area is Area.BOARD
        }
        wrong = [place for place in {*wanted, *seen} if wanted.get(place) != seen.get(place)]
        return sorted(wrong, key=lambda place: place.number)

    def _differences(self, layout: Layout, position: Position) -> str:
        """What should lie on the squares that are wrong ("9 should be empty, 14 should hold a light man"), or
        nothing."""
        pieces = position.pieces()
        return ", ".join(
            f"{place} should {holding(pieces.get(place.number))}" for place in self._wrong(layout, position)
        )


def _missing(before: Mapping[Colour, int], now: Mapping[Colour, int]) -> dict[Colour, int]:
    """How many discs of each colour are not to be seen on any place any more."""
    return {colour: before[colour] - now[colour] for colour in Colour if now[colour] < before[colour]}


def _same_at(place: Place, layout: Layout, expected: Layout) -> bool:
    """Whether a place holds what it should."""
    seen, wanted = layout.stacks.get(place), expected.stacks.get(place)
    if seen is None or wanted is None:
        return seen is wanted
    return (seen.colour, seen.count) == (wanted.colour, wanted.count)
