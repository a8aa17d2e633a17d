"""Watches sequences inside this process, and says which verdicts came that should not have, or did not come.

A sequence is right when the moves, illegal moves and unfinished ones that were said are those expected, in order,
each in no frame before the first in which it can be given; one said again counts once. `unchanged`, `hand` and
`moved_camera` may be said or not. `unclear` is a refusal. A move that was not expected is a false move.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.draughts import Position, read_fen
from controller.errors import ControllerError
from controller.watching import Watcher
from hardware.frame import Pixels
from vision.errors import VisionError
from vision.image_files import read_image

COUNTING = ("move", "illegal", "unfinished")
Event = tuple[str, tuple[int, ...]]
"""A verdict and, of a move, its squares."""
Open = Callable[[Pixels, Position], Watcher]
"""Begins to watch with the first frame, which shows the position."""


@dataclass(frozen=True)
class Said:
    """One verdict of a watcher's, its move with all squares, and the frame's number."""

    verdict: str
    move: str
    frame: int
    sentence: str

    @property
    def event(self) -> Event:
        """What is compared."""
        return self.verdict, squares_in(self.move) if self.verdict == "move" else ()


@dataclass(frozen=True)
class Score:
    """How one sequence was followed. `styles` and `place` are what it was made with; `complaint` what was wrong."""

    name: str
    styles: dict[str, str]
    place: str
    right: bool
    false_move: bool
    refused: bool
    complaint: str


def squares_in(move: str) -> tuple[int, ...]:
    """The numbers in a move."""
    return tuple(int(number) for number in re.findall(r"\d+", move))


def said_of(frames: Iterable[Pixels], position: Position, begin: Open = Watcher) -> Iterator[Said]:
    """All verdicts on frames, the first of which shows `position`. Raises what beginning to watch raises."""
    watcher: Watcher | None = None
    for number, pixels in enumerate(frames):
        if watcher is None:
            watcher = begin(pixels, position)
            watched = watcher.first
        else:
            watched = watcher.watch(pixels)
        for step in watched.steps:
            verdict = step.verdict
            yield Said(verdict.kind.value, str(verdict.move or ""), number, verdict.sentence)


def compare(name: str, sequence: dict[str, Any], said: Sequence[Said], failure: str = "") -> Score:
    """The score of a sequence (what sequence.json holds) of which a watcher said this, or failed to begin."""
    events: list[tuple[Event, int]] = []
    for one in said:
        if one.verdict in COUNTING and (not events or events[-1][0] != one.event):
            events.append((one.event, one.frame))
    wanted = [
        ((one["verdict"], squares_in(one.get("move", ""))), one["frames"][0])
        for one in sequence["expected"]
        if one["verdict"] in COUNTING
    ]
    allowed = [event for event, _ in wanted]
    false = [event for event, _ in events if event[0] == "move" and event not in allowed]
    early = [
        event for (event, frame), (due, first) in zip(events, wanted, strict=False) if event == due and frame < first
    ]
    right = [event for event, _ in events] == allowed and not early and not failure
    complaint = ""
    if not right:
        words = [f"{name}: wanted {_listed(wanted)}; said {_listed(events)}"]
        words += ["FALSE MOVE"] * bool(false) + ["early"] * bool(early)
        words += [failure] * bool(failure)
        words += [f"[{one.frame}] {one.sentence}" for one in said if one.verdict in ("unclear", "illegal")][:3]
        complaint = " | ".join(words)
    refused = not right and not false and (bool(failure) or any(one.verdict == "unclear" for one in said))
    styles = {key: str(value) for key, value in sequence.get("styles", {}).items()}
    place = str(sequence.get("camera", {}).get("style", ""))
    return Score(name, styles, place, right, bool(false), refused, complaint)


def score_folder(folder: Path, begin: Open = Watcher) -> Iterator[Score]:
    """Watch every sequence of a folder. Raises NotAnImageError for a frame that cannot be read."""
    for file in sorted(folder.glob("*/sequence.json")):
        sequence = json.loads(file.read_text(encoding="utf-8"))
        frames = (read_image(file.parent / frame["file"]) for frame in sequence["frames"])
        said: list[Said] = []
        failure = ""
        try:
            for one in said_of(frames, read_fen(sequence["start_fen"]), begin):
                said.append(one)
        except (VisionError, ControllerError) as error:
            failure = str(error)
        yield compare(file.parent.name, sequence, said, failure)


def table_of(scores: Sequence[Score]) -> str:
    """Right, false moves, refusals and the rest, by errand, style, light and camera, and in total."""
    lines = [f"{'':28}{'right':>9}{'false':>7}{'refused':>9}{'other':>7}"]
    groups: tuple[Callable[[Score], str], ...] = (
        lambda score: score.styles.get("errand", ""),
        lambda score: score.styles.get("board", ""),
        lambda score: score.styles.get("light", ""),
        lambda score: score.place,
    )
    for of in groups:
        for name in sorted({of(score) for score in scores}):
            lines.append(_line(name or "(not said)", [score for score in scores if of(score) == name]))
        lines.append("")
    lines.append(_line("total", scores))
    return "\n".join(lines)


def _line(name: str, scores: Sequence[Score]) -> str:
    right, false, refused = (
        sum(getattr(score, part) for score in scores) for part in ("right", "false_move", "refused")
    )
    rest = len(scores) - right - false - refused
    return f"{name:28}{f'{right}/{len(scores)}':>9}{false:7}{refused:9}{rest:7}"


def _listed(events: Sequence[tuple[Event, int]]) -> str:
    words = [f"{kind} {'-'.join(map(str, squares))}".strip() + f" @{frame}" for (kind, squares), frame in events]
    return ", ".join(words) or "nothing"
