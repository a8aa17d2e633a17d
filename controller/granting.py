"""Grants what the player wishes at its turn: a hint, a move taken back, a draw, to resign."""

from __future__ import annotations

from collections.abc import Callable

from controller.announcer import Announcer
from controller.disc_mover import DiscMover
from controller.draughts import Colour, Game, Move
from controller.draw_offer import DrawAnswer
from controller.eye import Eye
from controller.handling.layout import Layout
from controller.journal import Journal
from controller.pointer import Pointer
from controller.wishes import Wish, Wishes
from hardware.clock import Clock

CONFIRM_S = 15.0
"""How long a player who wishes to resign may take to say so once more."""
LOOK_EVERY_S = 0.1
SURE = f"press the turn button once more within {CONFIRM_S:.0f} seconds if you resign"
PLAY_ON = "we play on: it is your turn"
NOTHING_TO_TAKE_BACK = "there is no move of yours to take back"
PAIR = 2
"""A move taken back is the player's last one, and the robot's answer."""


class Granting:
    """Grants wishes in one game; `answer_draw` is the robot's answer to an offer as the game stands."""

    def __init__(
        self,
        wishes: Wishes,
        pointer: Pointer,
        mover: DiscMover,
        eye: Eye,
        announcer: Announcer,
        journal: Journal,
        clock: Clock,
        think: Callable[[Game], Move],
        answer_draw: Callable[[Game], DrawAnswer],
    ) -> None:
        self.wishes = wishes
        self._pointer = pointer
        self._mover = mover
        self._eye = eye
        self._announcer = announcer
        self._journal = journal
        self._clock = clock
        self._think = think
        self._answer_draw = answer_draw

    def grant(self, wish: Wish, game: Game, number: int, human: Colour) -> Layout | None:
        """Do what the player, whose turn it is, wishes; `number` is the game's in the journal.

        Returns what then lies on the table if the turn that was is over: the game has ended, or another one begins.
        """
        match wish:
            case Wish.HINT:
                self._hint(game)
            case Wish.TAKE_BACK:
                return self._take_back(game, number, human)
            case Wish.DRAW:
                answer = self._answer_draw(game)
                self._announcer.say(answer.sentence)
                if answer.agreed:
                    game.agree_draw()
                    return self._seen(game)
            case Wish.RESIGN if self._is_sure():
                game.resign(human)
                return self._seen(game)
            case Wish.RESIGN:
                self._announcer.say(PLAY_ON)
            case Wish.DONE:
                pass
        return None

    def _hint(self, game: Game) -> None:
        move = self._think(game)
        self._announcer.say(f"you could play {move}")
        self._pointer.point_at(move.path)

    def _take_back(self, game: Game, number: int, human: Colour) -> Layout | None:
        """Undo the last pair of moves in the game, then on the board. In the journal it is undone first."""
        if game.plies < PAIR:
            self._announcer.say(NOTHING_TO_TAKE_BACK)
            return None
        layout = self._seen(game)
        moves = game.moves[-PAIR:]
        self._journal.take_back(number, game.plies - PAIR, [str(move) for move in moves])
        game.take_back(PAIR)
        self._announcer.say(f"I take back {moves[0]} and {moves[1]}")
        return self._mover.bring_about(game.position, layout, number, human, game.plies)

    def _is_sure(self) -> bool:
        self._announcer.ask(SURE)
        self.wishes.forget()
        until = self._clock.now() + CONFIRM_S
        sure = False
        while not sure and self._clock.now() < until:
            self._clock.sleep(LOOK_EVERY_S)
            sure = self.wishes.take() in (Wish.DONE, Wish.RESIGN)
        self._announcer.settled()
        return sure

    def _seen(self, game: Game) -> Layout:
        return self._eye.layout(self._eye.settled_look(game.position))
