"""Opens the service's journal; a damaged one is moved aside, so that playing goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from controller.errors import JournalDamagedError, JournalError
from controller.journal import Journal
from hardware.clock import Clock

SET_ASIDE = "the journal {} is damaged: I have moved it to {} and begin a new one"


def open_service_journal(path: Path, clock: Clock, log: Callable[[str], None]) -> Journal:
    """The journal at `path`, checked; one that is damaged is renamed, which is said, and a new one begun.

    Raises JournalError for one that must not be touched (another program's, a newer format's) and for a disk that
    refuses.
    """
    with contextlib.suppress(JournalDamagedError):
        journal = Journal(path, clock)
        try:
            journal.check()
        except BaseException:
            journal.close()
            raise
        return journal
    aside = path.with_name(f"{path.name}.damaged-{clock.date():%Y%m%d-%H%M%S}")
    try:
        for end in ("-wal", "-shm", ""):  # The journal last: without it the others would be taken for the new one's.
            part = path.with_name(path.name + end)
            if part.exists():
                part.replace(aside.with_name(aside.name + end))
    except OSError as error:
        raise JournalError(
            f"the journal {path} is damaged and cannot be moved aside ({error.strerror}): move it yourself"
        ) from error
    log(SET_ASIDE.format(path, aside))
    return Journal(path, clock)
