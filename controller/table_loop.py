"""The turn as an explicit state machine: wait for the human, look, judge, think, move the discs, look again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from controller.announcer import Announcer
from controller.disc_mover import DiscMover
from controller.draughts import Colour, Game, Move, Outcome, Position, write_fen
from controller.events import TurnState
from controller.eye import Eye, Waiting
from controller.granting import Granting
from controller.handling.kings import Kings
from controller.handling.layout import Layout
from controller.journal import Journal
from controller.turning import no_crown_seen, please_turn
from controller.verdict import Verdict, VerdictKind
from controller.wishes import Wish
from hardware.clock import Clock
from vision.reading import Content

PERHAPS_LIGHT = (VerdictKind.ILLEGAL, VerdictKind.UNCLEAR)
"""Verdicts that another light may have brought about."""
Think = Callable[[Game], Move]
"""Chooses the robot's move; takes its time on the table's clock."""


@dataclass(frozen=True)
class Manners:
    """How the loop behaves towards the player (times in s).

    idle_s: between frames while the human thinks. patience_s: how long a wrong or unfinished move may lie still
    before the player is told. crown_patience_s: how long the human may take to crown a man before the robot does it,
    or, unless it `crowns_for_human`, asks for it. It cannot do it where kings are shown by turning discs over.
    """

    idle_s: float = 0.5
    patience_s: float = 5.0
    crown_patience_s: float = 2.5
    crowns_for_human: bool = True
    kings: Kings = Kings.STACKED


class TableLoop:
    """Plays one game at one table; `run` returns its outcome."""

    def __init__(
        self,
        clock: Clock,
        eye: Eye,
        mover: DiscMover,
        announcer: Announcer,
        journal: Journal,
        game: Game,
        game_number: int,
        human: Colour,
        think: Think,
        manners: Manners,
        granting: Granting,
        sets_up_first: bool = False,
    ) -> None:
        """`sets_up_first`: the discs may not lie as the game has them yet, and the arm is to see to that."""
        self._granting = granting
        self._clock = clock
        self._eye = eye
        self._mover = mover
        self._announcer = announcer
        self._journal = journal
        self.game = game
        self._game_number = game_number
        self._human = human
        self._think = think
        self._manners = manners
        self._sets_up_first = sets_up_first

    def run(self) -> Outcome:
        """Play from the game's position, which lies on the board and has been learnt, to the game's end.

        Raises the errors of hardware and vision when the table cannot go on.
        """
        layout = self._eye.layout(self._eye.settled_look(self.game.position))
        if self._sets_up_first and self._human_has_moved():
            self._human_turn(at_once=True)
        elif self._sets_up_first:
            layout = self._set_up(layout)
        while (outcome := self.game.outcome()) is None:
            if self.game.position.turn is self._human:
                layout = self._human_turn()
            else:
                self._robot_thinks()
                layout = self._set_up(layout)
        self._set_up(layout)
        self._announcer.enter(TurnState.OVER)
        self._announcer.say(outcome.sentence)
        return outcome

    def _set_up(self, layout: Layout) -> Layout:
        """Make the board agree with the game's position, whoever left it otherwise."""
        return self._mover.bring_about(self.game.position, layout, self._game_number, self._human, self.game.plies)

    def _robot_thinks(self) -> None:
        self._announcer.enter(TurnState.THINKING)
        self._play(self._think(self.game))

    def _human_has_moved(self) -> bool:
        """Whether the board shows a legal move of the human's, made while nobody looked."""
        if self.game.outcome() is not None or self.game.position.turn is not self._human:
            return False
        verdict, _ = self._eye.judge(self.game.position)
        return verdict.kind is VerdictKind.MOVE

    def _human_turn(self, at_once: bool = False) -> Layout:
        """Wait until the human has made a legal move and play it in the game; returns what then lies on the table.

        So it does, with no move played, when moves were taken back or the game was given up or agreed to be drawn.
        `at_once`: the move is there already.
        """
        still_since: float | None = None
        waiting: Waiting | None = None
        pressed = at_once
        told: Verdict | None = None
        insists = False  # Whether the player says that a man is crowned which does not look so.
        self._granting.wishes.forget()  # Whatever was pressed before belongs to the turn before.
        self._announcer.enter(TurnState.WAITING)
        while True:
            self._clock.sleep(self._eye.hand_s if self._announcer.state is TurnState.HAND else self._manners.idle_s)
            wish = self._granting.wishes.take()
            pressed |= wish is Wish.DONE
            if wish not in (None, Wish.DONE):
                layout = self._granting.grant(wish, self.game, self._game_number, self._human)
                if layout is not None:
                    return layout
                self._announcer.enter(TurnState.WAITING)
            glance = self._eye.glance()
            if glance.hand:
                still_since = None
                self._announcer.enter(TurnState.HAND)
                waiting = waiting or Waiting(self._clock.now())
                if sentence := waiting.complaint(self._clock.now(), glance):
                    self._announcer.ask(sentence)
                    pressed = False
                elif pressed and waiting.told:
                    self._eye.accept(glance)
                    pressed = False
                continue
            waiting = None
            if self._announcer.state is TurnState.WAITING and not (glance.changed or pressed):
                continue
            self._announcer.enter(TurnState.JUDGING)
            verdict, look = self._eye.judge(self.game.position)
            if look is None:
                still_since = None
                self._announcer.enter(TurnState.HAND)
                continue
            if verdict.crown_missing and not (self._arm_can_crown and self._manners.crowns_for_human):
                insists = insists or (pressed and told is not None and told.crown_missing)
                verdict = self._crown_first(verdict, insists)
            if pressed and told is not None and told.agrees_with(verdict) and self._takes_word(verdict, insists):
                verdict = _crowned(verdict)
            now = self._clock.now()
            still_since = now if still_since is None else still_since
            waited = pressed or now - still_since >= self._patience_with(verdict)
            if verdict.kind is VerdictKind.MOVE and verdict.move is not None and waited:
                self._announcer.settled()
                self._record(verdict)
                self._play(verdict.move)
                return self._eye.layout(look, verdict)
            if verdict.kind is VerdictKind.UNCHANGED:
                told = None
                self._announcer.settled()
                self._eye.believe(look, self.game.position)
                if pressed and self._granting.wishes.more_may_come:
                    waited = False
                elif pressed:
                    self._announcer.say("nothing has moved yet: it is still your turn")
            elif waited and verdict.kind in PERHAPS_LIGHT and self._eye.relearn(*self._perhaps_on_the_board()):
                self._announcer.say("the light has changed: I have looked at the board anew")
            elif waited and not (told is not None and told.agrees_with(verdict)):
                told = verdict
                self._record(verdict)
                self._announcer.ask(verdict.sentence)
            pressed = pressed and not waited
            self._announcer.enter(TurnState.WAITING)

    @property
    def _arm_can_crown(self) -> bool:
        return self._manners.kings is Kings.STACKED

    def _crown_first(self, verdict: Verdict, insists: bool) -> Verdict:
        """The verdict on a move that does not count before the human has crowned its man."""
        square = verdict.squares[-1]
        if self._arm_can_crown:
            sentence = f"please crown your man on {square}"
        else:
            after = self.game.position.after(verdict.move) if verdict.move else self.game.position
            sentence = (no_crown_seen if insists else please_turn)((square,), after)
        return replace(verdict, kind=VerdictKind.UNFINISHED, sentence=sentence)

    def _takes_word(self, verdict: Verdict, insists: bool) -> bool:
        """Whether the player is believed who says, after having been asked, that a man has its crown."""
        in_doubt = verdict.kind is VerdictKind.UNCLEAR and verdict.move is not None
        return in_doubt or (verdict.crown_missing and insists and not self._arm_can_crown)

    def _perhaps_on_the_board(self) -> list[Position]:
        """What the human may have left on the board by the rules."""
        now = self.game.position
        return [now, *(now.after(move) for move in now.legal_moves())]

    def _patience_with(self, verdict: Verdict) -> float:
        """How long (s) the board may lie still like this before something is done about it."""
        if verdict.kind is VerdictKind.MOVE:
            return self._manners.crown_patience_s if verdict.crown_missing else 0.0
        return 0.0 if verdict.kind is VerdictKind.UNCHANGED else self._manners.patience_s

    def _record(self, verdict: Verdict) -> None:
        details = {"squares": list(verdict.squares), "confidence": round(verdict.confidence, 6)}
        self._journal.record_verdict(self._game_number, verdict.kind.value, verdict.sentence, details)

    def _play(self, move: Move) -> None:
        mover = self.game.position.turn
        after = self.game.position.after(move)
        self._journal.record_move(
            self._game_number, self.game.plies + 1, mover.name.lower(), str(move), write_fen(after)
        )
        self.game.play(move)
        self._announcer.played(f"{'you' if mover is self._human else 'I'} play {move}", move, mover)


def _crowned(verdict: Verdict) -> Verdict:
    """The verdict on a certain move whose man has its crown, as the player says."""
    assert verdict.move is not None
    assert verdict.contents is not None
    contents = list(verdict.contents)
    end = verdict.move.end - 1
    contents[end] = (
        Content.DARK_KING if contents[end] in (Content.DARK_MAN, Content.DARK_KING) else Content.LIGHT_KING
    )
    return replace(verdict, kind=VerdictKind.MOVE, crown_missing=False, contents=tuple(contents))
