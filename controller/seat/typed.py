"""The words that a human types at the simulated table: a line in, what it asks for out."""

from __future__ import annotations

import difflib
import math
import re
import textwrap
from dataclasses import dataclass, replace

from controller.draughts import SQUARES, Colour
from controller.errors import ControllerError
from hardware.simulated.names import LIGHTS
from hardware.simulated.requests import Fault

PUSH_MM = (8.0, 4.0)
"""How far `push` pushes unless it is told: (x, y)."""
FARTHEST_PUSH_MM = 60.0
LONGEST_WAIT_S = 3600.0
HELP_WIDTH = 79


class TypedError(ControllerError):
    """A line that means nothing here; `str()` is one sentence that says what to type instead."""


@dataclass(frozen=True)
class TypedMove:
    """Take a piece along these squares, whether the rules allow it or not.

    as_jump: written with an x. forget: leave the captured discs standing, and the man without its crown.
    at_once: whoever's turn it is.
    """

    path: tuple[int, ...]
    as_jump: bool = False
    forget: bool = False
    at_once: bool = False

    def __str__(self) -> str:
        return ("x" if self.as_jump else "-").join(map(str, self.path))


@dataclass(frozen=True)
class ForgetNext:
    """Make the next move as if it had been typed with `forget`."""


@dataclass(frozen=True)
class CrownPiece:
    """Put a second disc on the piece on a square, or turn it over where that makes a king."""

    square: int


@dataclass(frozen=True)
class TakeDisc:
    """Take the top disc on a square off the board."""

    square: int


@dataclass(frozen=True)
class PutDisc:
    """Put a disc from beside the board on a square; of the human's own colour unless another is named."""

    square: int
    colour: Colour | None = None


@dataclass(frozen=True)
class PushPiece:
    """Push the piece on a square by (x, y) mm: to the right, and away."""

    square: int
    by_mm: tuple[float, float] = PUSH_MM


@dataclass(frozen=True)
class PutBack:
    """Make the board show the game's position again."""


@dataclass(frozen=True)
class PressTurn:
    """Press the turn button."""


@dataclass(frozen=True)
class HandIn:
    """Hold the hand over a square, or the middle of the board, until it is told to go."""

    square: int | None = None


@dataclass(frozen=True)
class HandOut:
    """Take the hand away."""


@dataclass(frozen=True)
class PressStop:
    """Press the stop button."""


@dataclass(frozen=True)
class ChangeLight:
    """Change the light that falls on the table."""

    name: str


@dataclass(frozen=True)
class Happen:
    """Let something go wrong, or well again."""

    fault: Fault


@dataclass(frozen=True)
class Wait:
    """Let time go by before the next line."""

    seconds: float


@dataclass(frozen=True)
class ShowBoard:
    """Print the game's position."""


@dataclass(frozen=True)
class ShowTruth:
    """Say where the discs are not as the game has them."""


@dataclass(frozen=True)
class Help:
    """Say what can be typed."""


@dataclass(frozen=True)
class Resign:
    """Give the game up."""


@dataclass(frozen=True)
class OfferDraw:
    """Offer a draw."""


@dataclass(frozen=True)
class AskHint:
    """Ask the robot which move could be made."""


@dataclass(frozen=True)
class AskTakeBack:
    """Ask the robot to undo the human's last move and its own answer."""


@dataclass(frozen=True)
class Quit:
    """Leave the table when it is the human's turn."""


Deed = TypedMove | CrownPiece | TakeDisc | PutDisc | PushPiece | PutBack | PressTurn
"""What the hand does when it is the human's turn to touch something."""
Typed = (
    Deed | ForgetNext | HandIn | HandOut | PressStop | ChangeLight | Happen | Wait
    | ShowBoard | ShowTruth | Help | AskHint | AskTakeBack | OfferDraw | Resign | Quit
)  # fmt: skip

WORDS: tuple[tuple[str, str], ...] = (
    ("11-15, 11x18x25", "move, legal or not; captured discs go, men get crowned"),
    ("forget [11x18]", "they do not (alone: with the next move)"),
    ("now 11-15", "at once, even while the arm moves"),
    ("crown 29, take 14", "put a second disc on a piece, or turn it over; take a disc away"),
    ("put 14 [dark|light]", "put a disc from beside the board on a square"),
    ("push 14 [X Y]", f"push a piece, mm to the right and away ({PUSH_MM[0]:g} {PUSH_MM[1]:g})"),
    ("put back", "make the board show the game's position again"),
    ("press, stop", "press the turn button; press the stop button"),
    ("hand in [14], hand out", "hold your hand over the board; take it away"),
    ("lamp on, lamp off", "switch the lamp"),
    ("light NAME", ", ".join(LIGHTS)),
    ("bump", "knock against the table"),
    ("nudge camera", "push the camera (straighten camera)"),
    ("camera off", "(camera freezes, camera on)"),
    ("unplug, plug in", "the serial cable"),
    ("reset, alarm", "the controller board"),
    ("grip fails, drop", "the next grip takes nothing; the arm loses its disc"),
    ("power off, power on", "the whole table's power"),
    ("wait S", "let seconds go by before what comes next"),
    ("board, truth", "the game's position; which squares differ from it"),
    ("hint, take back", "at your turn: the arm points at a move; it undoes your last one"),
    ("draw, resign", "offer a draw, at your turn; give up"),
    ("quit, help", "leave the table; these lines"),
)
"""What can be typed, for people: the words, and what they do."""

_FAULTS = {fault.value: fault for fault in Fault} | {"reset": Fault.RESET_FIRMWARE}
_PLAIN: dict[str, Typed] = {
    "forget": ForgetNext(),
    "put back": PutBack(),
    "press": PressTurn(),
    "stop": PressStop(),
    "hand in": HandIn(),
    "hand out": HandOut(),
    "board": ShowBoard(),
    "truth": ShowTruth(),
    "help": Help(),
    "?": Help(),
    "hint": AskHint(),
    "take back": AskTakeBack(),
    "undo": AskTakeBack(),
    "draw": OfferDraw(),
    "offer draw": OfferDraw(),
    "resign": Resign(),
    "quit": Quit(),
    "exit": Quit(),
    **{word: Happen(fault) for word, fault in _FAULTS.items()},
}
_WITH_MORE = ("forget", "now", "crown", "take", "put", "push", "hand in", "light", "lamp on", "lamp off", "wait")
_MOVE = re.compile(r"\d+(\s*[-–x×:]\s*\d+|\s+\d+)+")
_COLOURS = {"dark": Colour.BLACK, "black": Colour.BLACK, "light": Colour.WHITE, "white": Colour.WHITE}


def parse_typed(line: str) -> Typed | None:
    """What a line asks for; None for an empty one or a comment (`# …`). Raises TypedError."""
    text = " ".join(line.lower().split("#")[0].split())
    if not text:
        return None
    if text in _PLAIN:
        return _PLAIN[text]
    if _MOVE.fullmatch(text):
        return _move(text)
    word, _, rest = text.partition(" ")
    match word:
        case "forget" | "now":
            return _marked(word, rest)
        case "crown" | "take" | "push" | "put" | "hand":
            return _about_square(word, rest, text)
        case "lamp" | "light":
            return _light(word, rest)
        case "wait":
            return Wait(_number(rest, "wait how many seconds, as in 'wait 5'?", 0.0, LONGEST_WAIT_S))
    raise _unknown(text)


def help_lines() -> str:
    """What can be typed: the words on the left, what they do beside them."""
    left = max(len(words) for words, _ in WORDS) + 2
    return "\n".join(
        textwrap.fill(meaning, HELP_WIDTH, initial_indent=f"{words:<{left}}", subsequent_indent=" " * left)
        for words, meaning in WORDS
    )


def _move(text: str) -> TypedMove:
    path = tuple(_square(number) for number in re.findall(r"\d+", text))
    return TypedMove(path, as_jump=any(mark in text for mark in "x×:"))


def _marked(mark: str, rest: str) -> TypedMove:
    following = rest.partition(" ")[0] in ("forget", "now") or _MOVE.fullmatch(rest)
    inner = parse_typed(rest) if following else None
    if not isinstance(inner, TypedMove):
        raise TypedError(f"after '{mark}' comes a move, as in '{mark} 11x18'")
    return replace(inner, forget=inner.forget or mark == "forget", at_once=inner.at_once or mark == "now")


def _about_square(word: str, rest: str, text: str) -> Typed:
    """The words that are followed by a square."""
    if word == "hand":
        if not rest.startswith("in "):
            raise _unknown(text)
        return HandIn(_square(rest.removeprefix("in ")))
    first, *more = rest.split() or [""]
    if word == "push" and len(more) in (0, 2):
        by = [_number(part, "push by how many millimetres, as in 'push 14 8 4'?", -FARTHEST_PUSH_MM, FARTHEST_PUSH_MM)
              for part in more]  # fmt: skip
        return PushPiece(_square(first), (by[0], by[1]) if by else PUSH_MM)
    if word == "put" and (not more or (len(more) == 1 and more[0] in _COLOURS)):
        return PutDisc(_square(first), _COLOURS[more[0]] if more else None)
    if word in ("crown", "take") and not more:
        return CrownPiece(_square(first)) if word == "crown" else TakeDisc(_square(first))
    examples = {"crown": "crown 29", "take": "take 14", "put": "put 14 dark", "push": "push 14 8 4"}
    raise TypedError(f"I do not understand '{text}': type it like '{examples[word]}'")


def _light(word: str, rest: str) -> ChangeLight:
    if word == "light" and rest in LIGHTS:
        return ChangeLight(rest)
    if word == "lamp" and rest in ("on", "off"):
        return ChangeLight("lamp" if rest == "on" else "lamp-off")
    raise TypedError(f"the light can be {', '.join(LIGHTS)}: type 'light {LIGHTS[-1]}', or 'lamp on' and 'lamp off'")


def _square(text: str) -> int:
    if not text.isdecimal():
        raise TypedError(f"a square is a number from 1 to 32, not '{text}'" if text else "which square (1 to 32)?")
    if len(text) > 4 or int(text) not in SQUARES:
        raise TypedError(f"there is no square {text[:10]}: the squares are numbered from 1 to 32")
    return int(text)


def _number(text: str, question: str, least: float, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        raise TypedError(question) from None
    if not math.isfinite(number) or not least <= number <= most:
        raise TypedError(f"{text} will not do: a number from {least:g} to {most:g}")
    return number


def _unknown(text: str) -> TypedError:
    known = [*_PLAIN, *_WITH_MORE]
    near = difflib.get_close_matches(text, known, n=1) or difflib.get_close_matches(
        text.split(maxsplit=1)[0], known, n=1
    )
    advice = f"did you mean '{near[0]}'?" if near else "'help' says what can be typed"
    return TypedError(f"I do not know '{text[:40]}': {advice}")
