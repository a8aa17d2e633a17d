"""Plays a demo game: builds the simulated table, sits a simulated human at it, and lets the robot play."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import cv2

from calibration.calibration import Calibration
from calibration.known_geometry import calibration_of
from controller.demo.report import DemoReport, Tally, board_agrees, king_figures
from controller.demo.simulated_human import DISC_COLOURS, Habits, SimulatedHuman
from controller.draughts import Colour, Game, Position, write_pdn
from controller.engine.levels import level_limits
from controller.events import Listener
from controller.eye import Eye
from controller.handling.layout import wanted_on
from controller.handling.places import TRAY_SIDE
from controller.journal import Journal
from controller.session import prepare_session
from controller.settings import GameSettings, GuardSettings, PlayerSettings, Settings, TableSettings
from controller.table import open_simulated_table
from controller.thinking import thinker
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.table import TableSetup
from vision.overlay import draw_reading

HUMAN = Colour.BLACK
ROBOT_LEVELS = (5, 7)
HUMAN_LEVELS = (1, 4)
"""The levels (inclusive) that a seed picks from: with a human that is sometimes the stronger both get kings."""
THINKING_S = 1.5
"""How long the robot takes to think: on virtual time an engine is limited by nodes."""
LOOKS_S = 0.9
"""Time between looks at the table: each has to be drawn, and this human does not reach in while the arm moves."""
SPARE_DISCS = 2
"""Discs of each colour that lie in the tray from the start."""


def play_demo(game: Game, clock: VirtualClock, folder: Path, seed: int, listeners: Sequence[Listener]) -> DemoReport:
    """Play `game` to its end on a simulated table; the journal and a picture of the last frame go into `folder`.

    Raises the errors of hardware and vision if the table cannot go on.
    """
    began = perf_counter()
    chance = random.Random(seed)
    robot_level, human_level = chance.randint(*ROBOT_LEVELS), chance.randint(*HUMAN_LEVELS)
    settings = Settings(
        game=GameSettings(human=HUMAN.name.lower(), level=robot_level),  # type: ignore[arg-type]
        table=TableSettings(kind="simulated", seed=seed),
        guard=GuardSettings(interval_s=LOOKS_S, settle_s=1.0),
        player=PlayerSettings(idle_frame_s=LOOKS_S, hand_frame_s=LOOKS_S),
    )
    geometry = TableGeometry()
    calibration = calibration_of(geometry, clock.date())
    simulated, table = open_simulated_table(
        settings, clock, TableSetup(geometry, seed), starting_stacks(game.position, calibration)
    )
    human = SimulatedHuman(
        simulated, calibration, game.copy(), HUMAN, thinker(level_limits(human_level), clock, seed), seed, Habits()
    )
    clock.attach(human.advance_to)
    tally = Tally(HUMAN)
    robot = thinker(level_limits(robot_level), clock, seed + 1, THINKING_S)
    with Journal(folder / "journal.sqlite3", clock) as journal:
        session = prepare_session(table, settings, journal, game, robot, [*listeners, tally.hear, human.hear], seed)
        outcome = session.loop.run()
        tags = {
            "Event": "Crownhead demo",
            "Date": clock.date().strftime("%Y.%m.%d"),
            "Black": f"Simulated human, level {human_level}",
            "White": f"Crownhead, level {robot_level}",
        }
        pdn = write_pdn(game, tags)
        journal.end_game(session.game_number, outcome.result, outcome.sentence, pdn)
    picture = save_picture(session.eye, folder / "last-frame.png")
    table.close()
    kings = king_figures(game.positions, game.moves)
    return DemoReport(
        seed=seed,
        result=outcome.result,
        reason=outcome.sentence,
        pdn=pdn,
        human_moves=len(human.made),
        misread=tally.misread(human.made),
        asked=tally.asked,
        transfers=tally.transfers,
        knocked=simulated.world.knocked,
        dropped=simulated.world.dropped,
        board_agrees=board_agrees(simulated.world.stacks(), game.position, calibration, HUMAN),
        black_crowned=kings.black_crowned,
        white_crowned=kings.white_crowned,
        king_moves=kings.moves,
        kings_captured=kings.captured,
        frames=simulated.camera.frame().number,
        simulated_s=round(clock.now(), 1),
        wall_s=round(perf_counter() - began, 1),
        picture=str(picture),
        journal=str(folder / "journal.sqlite3"),
    )


def starting_stacks(position: Position, calibration: Calibration) -> list[StackOfDiscs]:
    """The discs of `position` on their squares, and the spare discs of each colour in the tray on its side."""
    stacks = [
        (DISC_COLOURS[colour], *calibration.square_mm_centre(place.number, HUMAN is Colour.WHITE), count)
        for place, (colour, count) in wanted_on(position).items()
    ]
    for first, colour in ((1, HUMAN), (TRAY_SIDE + 1, HUMAN.other)):
        for number in range(first, first + SPARE_DISCS):
            stacks.append((DISC_COLOURS[colour], *calibration.tray_centre(number), 1))
    return stacks


def save_picture(eye: Eye, path: Path) -> Path:
    """Write the last frame with what was seen drawn on it."""
    if eye.last is not None:
        cv2.imwrite(str(path), draw_reading(eye.last.frame.pixels, eye.view, eye.last.reading))
    return path
