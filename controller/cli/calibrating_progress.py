"""How far calibrating has come, shown on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

    from calibration.draft import Step

LINE_EVERY = 8


@contextmanager
def carrying_shown() -> Iterator[Callable[[Step, int, int], None]]:
    """What is to be told how many discs have been carried in a step, and how many will be at most."""
    if not sys.stderr.isatty():
        yield _line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("  {task.description}"), BarColumn(), TextColumn("{task.completed} of {task.total} discs"))
    bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    task: TaskID | None = None

    def told(step: Step, done: int, of: int) -> None:
        # The bar is there only while discs are carried: before and after that people are asked for things.
        nonlocal task
        if task is None:
            task = bar.add_task(step.value, total=of)
            bar.start()
        bar.update(task, completed=done)
        if done >= of:
            bar.stop()
            bar.remove_task(task)
            task = None

    try:
        yield told
    finally:
        bar.stop()


def _line(step: Step, done: int, of: int) -> None:
    if done % LINE_EVERY == 0 or done == of:
        print(f"  {step.value}: {done} of {of} discs carried", file=sys.stderr, flush=True)
