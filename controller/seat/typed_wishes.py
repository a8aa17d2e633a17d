"""What a player at a real table may type beside the board: the wishes that the turn button knows, too."""

from __future__ import annotations

from collections.abc import Callable

from controller.seat.seat import TypedLines
from controller.wishes import Wish, Wishes

WORDS = {
    "hint": Wish.HINT,
    "take back": Wish.TAKE_BACK,
    "undo": Wish.TAKE_BACK,
    "draw": Wish.DRAW,
    "resign": Wish.RESIGN,
}
KNOWN = "type hint, take back, draw or resign; moves are made on the board"
AT_YOUR_TURN = "that is answered when it is your turn"


class TypedWishes:
    """Passes on what is typed; attach `advance_to` to the clock. `my_turn` says whether it is the player's turn."""

    def __init__(
        self, lines: TypedLines, wishes: Wishes, tell: Callable[[str], None], my_turn: Callable[[], bool]
    ) -> None:
        self._lines = lines
        self._wishes = wishes
        self._tell = tell
        self._my_turn = my_turn

    def advance_to(self, _: float) -> None:
        """Take what has been typed."""
        for line in self._lines.take():
            text = " ".join(line.lower().split())
            if (wish := WORDS.get(text)) is not None:
                self._wishes.ask(wish)
                if not self._my_turn():
                    self._tell(AT_YOUR_TURN)
            elif text:
                self._tell(KNOWN)
