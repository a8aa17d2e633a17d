"""Endgame tables for a command that plays: built at first need, with their progress shown on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.engine.endgame.building import Progress

LINE_EVERY_PERCENT = 10


def have_tables(environment: Mapping[str, str]) -> None:
    """Have the endgame tables of few pieces at hand; what is wrong with them is said on stderr, and nothing raises.

    Ctrl-C while they are being built leaves as KeyboardInterrupt.
    """
    from controller.engine.endgame import tables_ready

    with build_shown() as told:
        readiness = tables_ready(environment, told)
    for note in readiness.notes:
        print(f"crownhead: {note}", file=sys.stderr)


@contextmanager
def build_shown() -> Iterator[Callable[[Progress], None]]:
    """What is to be told of a build's progress, to show it: a bar on a terminal, elsewhere a line now and then."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None, visible=False)

        def told(progress: Progress) -> None:
            description = f"building the endgame tables, now {progress.material.pieces} pieces"
            bar.update(task, description=description, completed=progress.done, total=progress.total, visible=True)

        yield told


class _Lines:
    """Prints how far a build has come, whenever it has come some way further."""

    def __init__(self) -> None:
        self._next_percent = 0

    def __call__(self, progress: Progress) -> None:
        percent = 100 * progress.done // progress.total
        if percent < self._next_percent:
            return
        self._next_percent = percent - percent % LINE_EVERY_PERCENT + LINE_EVERY_PERCENT
        pieces = progress.material.pieces
        print(f"building the endgame tables: {percent} % ({pieces} pieces)", file=sys.stderr, flush=True)
