"""Puts the service together on this computer: its lock, journal, table, socket and systemd."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from controller.errors import JournalError, JournalFormatError
from controller.play_at_terminal import settings_of_folder
from controller.service.keeping import open_service_journal
from controller.service.memory import give_memory_back
from controller.service.mqtt import telling_by_mqtt
from controller.service.notify import Notifier
from controller.service.place import claimed_state, pointed_to, socket_to_serve
from controller.service.service import Service, Thinking
from controller.service.status import Record
from controller.service.talk import Talker
from controller.settings import Settings, state_directory
from controller.settings_file import load_settings
from controller.table import open_real_table
from hardware.clock import Clock, ListenedClock

LISTENED_EVERY_S = 0.1


@dataclass(frozen=True)
class ServiceOrder:
    """Which settings count, and where what is remembered is kept.

    table: the folder of a simulated table that runs as a program. state: None for the usual folder.
    """

    config: Path | None = None
    table: Path | None = None
    state: Path | None = None


class BeatingClock:
    """The clock by which an engine ends its thinking: asked for the time, it lets `beat` know that all is well."""

    def __init__(self, clock: Clock, beat: Callable[[], None]) -> None:
        self._clock, self._beat = clock, beat

    def now(self) -> float:
        """The clock's seconds."""
        self._beat()
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        """Sleep on the clock."""
        self._clock.sleep(seconds)

    def date(self) -> datetime:
        """The clock's date."""
        return self._clock.date()


def settings_of(order: ServiceOrder, environment: Mapping[str, str]) -> Settings:
    """The settings that count, their journal in the state folder if one is named."""
    settings = load_settings(order.config, environment) if order.table is None else settings_of_folder(order.table)
    if order.state is None:
        return settings
    return replace(settings, files=replace(settings.files, journal=order.state / "journal.sqlite3"))


def serve(order: ServiceOrder, environment: Mapping[str, str], log: Callable[[str], None]) -> None:
    """Serve until KeyboardInterrupt.

    Raises SettingsError, ServiceError (another one runs), JournalFormatError, TableProgramError before anything is
    served.
    """
    give_memory_back()
    if order.state is not None:
        order = replace(order, state=order.state.absolute())
    settings = settings_of(order, environment)
    inner = environment if order.state is None else {**environment, "STATE_DIRECTORY": str(order.state)}
    state = state_directory(inner)
    journal_path = settings.files.journal_path(inner)
    clock = ListenedClock(every_s=LISTENED_EVERY_S)
    notifier = Notifier(environment, clock)
    record = Record(clock, settings.machine.port)
    with ExitStack() as opened:
        opened.enter_context(claimed_state(state))
        try:
            open_service_journal(journal_path, clock, log).close()
        except JournalFormatError:
            raise
        except JournalError as error:  # A disk may get well again; until then people are told.
            log(str(error))
        service = Service(
            settings,
            clock,
            lambda: open_real_table(settings, clock, inner),
            lambda: open_service_journal(journal_path, clock, log),
            record,
            notifier,
            log,
            Thinking(BeatingClock(clock, notifier.beat)),
        )
        clock.attach(service.come_round)
        path = socket_to_serve(environment if order.state is None else {}, state)
        opened.callback(Talker(path, record, service.give).close)
        opened.enter_context(pointed_to(path, environment))
        opened.enter_context(telling_by_mqtt(settings.mqtt, record, service.give, log))
        opened.callback(notifier.stopping)
        log(f"I serve, process {os.getpid()}; ask me with 'crownhead status' (socket {path})")
        service.run()


def log_line(line: str) -> None:
    """One line of stdout an event: systemd's journal dates it."""
    print(line.replace("\n", " "), file=sys.stdout, flush=True)
