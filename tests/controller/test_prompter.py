"""Prompts: what is spoken and beeped when, and that a voice which is slow, silent or gone holds nobody up."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from controller.draughts import Colour, Game, parse_move, read_fen
from controller.events import Event, EventKind, TurnState
from controller.prompter import JUMP_BEEPS, MUST_JUMP, YOUR_TURN, Prompter, Speaks
from controller.voice import find_voice
from hardware.panel import NoPanel
from hardware.simulated.panel import SimulatedPanel

JUMP = "B:W18,30:B14,1"


class Heard:
    """A voice that keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def speak(self, text: str) -> None:
        self.said.append(text)

    def close(self) -> None: ...


def waits(state: TurnState = TurnState.WAITING) -> Event:
    return Event(0.0, EventKind.STATE, state, state.value)


@pytest.mark.parametrize(("fen", "said", "beeps"), [(None, YOUR_TURN, 0), (JUMP, MUST_JUMP, JUMP_BEEPS)])
def test_the_player_is_told_once_that_it_is_its_turn(fen: str | None, said: str, beeps: int) -> None:
    voice, panel = Heard(), SimulatedPanel()
    prompter = Prompter(Game(read_fen(fen) if fen else None), Colour.BLACK, panel, voice, Speaks.PROMPTS)
    for state in (TurnState.WAITING, TurnState.HAND, TurnState.JUDGING, TurnState.WAITING):
        prompter.hear(waits(state))
    assert voice.said == [said]
    assert panel.beeps == beeps


def test_each_turn_is_told_and_the_robots_is_not() -> None:
    voice, game = Heard(), Game()
    prompter = Prompter(game, Colour.BLACK, NoPanel(), voice, Speaks.PROMPTS)
    prompter.hear(waits())
    for move in ("11-15", "24-20"):
        game.play(parse_move(game.position, move))
        prompter.hear(waits())
    assert voice.said == [YOUR_TURN, YOUR_TURN]
    game.take_back(2)
    prompter.hear(waits())
    assert voice.said == [YOUR_TURN] * 3, "after moves were taken back it is its turn anew"


@pytest.mark.parametrize(
    ("speaks", "said"),
    [
        (Speaks.NOTHING, []),
        (Speaks.PROMPTS, ["please crown"]),
        (Speaks.EVERYTHING, ["please crown", "I see again", "I play 11-15"]),
    ],
)
def test_what_is_spoken_is_a_setting(speaks: Speaks, said: list[str]) -> None:
    voice = Heard()
    prompter = Prompter(Game(), Colour.WHITE, NoPanel(), voice, speaks)
    for kind, text in (
        (EventKind.ASKED, "please crown"),
        (EventKind.SAID, "I see again"),
        (EventKind.TRANSFER, "I carry it"),
        (EventKind.MOVE, "I play 11-15"),
    ):
        prompter.hear(Event(0.0, kind, TurnState.ASKING, text))
    assert voice.said == said


def program(folder: Path, script: str) -> dict[str, str]:
    """An environment in which espeak-ng is this script."""
    path = folder / "espeak-ng"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_the_voice_speaks_what_it_is_told_and_text_is_never_an_option(tmp_path: Path) -> None:
    out = tmp_path / "said"
    done = tmp_path / "fifo"
    environment = program(tmp_path, f'echo "$@" >> {out}; cat >> {out}; echo >> {out}; echo done > {done}')
    import os

    os.mkfifo(done)
    voice = find_voice(environment)
    assert voice is not None
    voice.speak("--help; $(rm)")
    done.read_text()
    voice.close()
    assert out.read_text() == "--stdin\n--help; $(rm)\n"


def test_a_voice_that_hangs_holds_nobody_up_and_is_broken_off(tmp_path: Path) -> None:
    voice = find_voice(program(tmp_path, "exec sleep 60"))
    assert voice is not None
    for number in range(20):
        voice.speak(f"sentence {number}")
    voice.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "voice"]


def test_a_voice_that_cannot_be_started_is_none(tmp_path: Path) -> None:
    assert find_voice({"PATH": str(tmp_path)}) is None
    environment = program(tmp_path, "exit 1")
    voice = find_voice(environment)
    assert voice is not None
    voice.speak("nobody hears it")
    voice.close()
