"""Everything that can be set, with its meaning, range and default: one frozen dataclass a section of the file.

The defaults are the reference build. A field's annotation carries its range and the sentence that `crownhead config
init` writes above it; `controller.settings_file` reads and writes the file. Names end in their unit: _mm, _s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from controller.hardware_settings import CameraSettings, GripperSettings, MachineSettings, PanelSettings
from controller.service_settings import MqttSettings, ServiceSettings


@dataclass(frozen=True)
class GameSettings:
    """The game: who plays what, how strongly, by which rules of drawing."""

    human: Annotated[
        Literal["black", "white"],
        Meta(description="The colour that the human plays; Black (the darker discs) moves first."),
    ] = "black"
    level: Annotated[
        Annotated[int, Meta(ge=1, le=10)] | Literal["best"],
        Meta(
            description=(
                'How strongly the robot plays: 1 is a beginner, 10 is strong; "best" is all that it can do in the '
                "time that [engine] gives it."
            )
        ),
    ] = 5
    draw_by_repetition: Annotated[
        bool,
        Meta(description="Whether a position that stands for the third time, with the same side to move, is a draw."),
    ] = True
    draw_by_forty_moves: Annotated[
        bool,
        Meta(description="Whether 40 moves by each side without a capture and without a man moving are a draw."),
    ] = True


@dataclass(frozen=True)
class EngineSettings:
    """How the robot thinks at level "best"; the numbered levels think for as long as they need, which is little."""

    thinking_s: Annotated[float, Meta(ge=0.1, le=600, description="How long it thinks about each move.")] = 3.0
    threads: Annotated[
        int,
        Meta(
            ge=1,
            le=16,
            description=(
                "On how many processors it thinks at once. Leave one for the camera and the guard, which work on."
            ),
        ),
    ] = 1


@dataclass(frozen=True)
class TableSettings:
    """The table: camera, gantry, gripper and buttons together."""

    kind: Annotated[
        Literal["real", "simulated"],
        Meta(description="Whether the table is real or simulated inside the program."),
    ] = "real"
    seed: Annotated[
        int,
        Meta(ge=0, le=2**31 - 1, description="What the simulated table's chance starts from; a real one ignores it."),
    ] = 1
    control: Annotated[
        Path | None,
        Meta(
            examples=["control"],
            description=(
                "The control socket of a simulated table that runs as a program of its own, whose buttons, light and "
                "gripper then stand in for the Raspberry Pi's pins."
            ),
        ),
    ] = None


@dataclass(frozen=True)
class DiscsSettings:
    """The set of discs that is played with."""

    kings: Annotated[
        Literal["stacked", "turned"],
        Meta(
            description=(
                'How a king is shown: "stacked" with a second disc on top, which the arm puts there, or "turned" '
                "with the disc's other face, which shows a crown; the arm cannot turn discs and asks the human to."
            )
        ),
    ] = "stacked"


@dataclass(frozen=True)
class HandlingSettings:
    """How discs are lifted, carried and put down."""

    lifts_stack: Annotated[
        bool,
        Meta(description="Whether the gripper lifts a whole stack (jaws) or its top disc only (vacuum, magnet)."),
    ] = False
    clearance_mm: Annotated[
        float,
        Meta(ge=1, le=100, description="How far above whatever stands on its way the arm, with its load, passes."),
    ] = 6.0
    clearance_beside_mm: Annotated[
        float, Meta(ge=0, le=50, description="How far beside what stands near its way the arm passes at least.")
    ] = 5.0
    press_mm: Annotated[
        float,
        Meta(
            ge=0, le=5, description="How far below a disc's top the tip goes to pick it, so that a sprung tip seals."
        ),
    ] = 0.8
    put_down_gap_mm: Annotated[
        float, Meta(ge=0, le=5, description="How far above its rest a disc is let go, so as not to press on it.")
    ] = 0.4
    max_tries: Annotated[
        int, Meta(ge=1, le=10, description="How often a transfer is tried before the player is asked to help.")
    ] = 3


@dataclass(frozen=True)
class GuardSettings:
    """The hand guard, which allows the arm to move only while it sees nobody's hand in its way."""

    interval_s: Annotated[
        float,
        Meta(
            ge=0.02,
            le=1,
            description=(
                "How often the guard looks at a whole frame while the arm waits or the camera gives no pictures by "
                "itself; of a camera that does, it looks at every picture."
            ),
        ),
    ] = 0.2
    settle_s: Annotated[
        float,
        Meta(ge=0.1, le=30, description="How long the board must be clear, after a hand was seen, before motion."),
    ] = 1.0
    frame_age_s: Annotated[
        float, Meta(ge=0.05, le=5, description="How old a frame may be for the guard to rely on it.")
    ] = 0.5
    near_people_s: Annotated[
        float,
        Meta(
            ge=0, le=600, description="How long the arm goes slower after a hand has got in its way; 0: it does not."
        ),
    ] = 20.0
    near_people_speed: Annotated[
        float, Meta(ge=0.1, le=1, description="The share of its speed at which it goes then.")
    ] = 0.5


@dataclass(frozen=True)
class PlayerSettings:
    """How the program behaves towards the human."""

    patience_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="How long an unfinished or wrong move may lie still on the board before the player is told.",
        ),
    ] = 5.0
    idle_frame_s: Annotated[
        float, Meta(ge=0.05, le=10, description="How often the board is looked at while the human thinks.")
    ] = 0.5
    hand_frame_s: Annotated[
        float, Meta(ge=0.05, le=10, description="How often it is looked at while a hand is over the board.")
    ] = 0.3
    fault_patience_s: Annotated[
        float,
        Meta(
            ge=0,
            le=86_400,
            description="How long a camera or machine that is gone is waited for before the program ends.",
        ),
    ] = 60.0
    crowns_for_human: Annotated[
        bool, Meta(description="Whether the robot crowns the human's men when the human leaves it to it.")
    ] = True
    speaks: Annotated[
        Literal["nothing", "prompts", "everything"],
        Meta(
            description=(
                'What is spoken aloud where espeak-ng is installed: "prompts" are whose turn it is, and what the '
                "player is asked for."
            )
        ),
    ] = "prompts"


@dataclass(frozen=True)
class FileSettings:
    """Where the program keeps its files; a relative path counts from the folder of the settings file."""

    calibration: Annotated[
        Path | None,
        Meta(
            examples=["calibration.json"],
            description="The calibration of camera and arm; not set: calibration.json in the state directory.",
        ),
    ] = None
    journal: Annotated[
        Path | None,
        Meta(
            examples=["journal.sqlite3"],
            description="The journal of games; not set: journal.sqlite3 in the state directory.",
        ),
    ] = None

    def calibration_path(self, environment: Mapping[str, str]) -> Path:
        """The calibration file that is meant, by the settings or by default."""
        return self.calibration or state_directory(environment) / "calibration.json"

    def journal_path(self, environment: Mapping[str, str]) -> Path:
        """The journal that is meant, by the settings or by default."""
        return self.journal or state_directory(environment) / "journal.sqlite3"


@dataclass(frozen=True)
class Settings:
    """All settings, by section."""

    game: GameSettings = field(default_factory=GameSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    table: TableSettings = field(default_factory=TableSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    machine: MachineSettings = field(default_factory=MachineSettings)
    gripper: GripperSettings = field(default_factory=GripperSettings)
    panel: PanelSettings = field(default_factory=PanelSettings)
    discs: DiscsSettings = field(default_factory=DiscsSettings)
    handling: HandlingSettings = field(default_factory=HandlingSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    player: PlayerSettings = field(default_factory=PlayerSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    mqtt: MqttSettings = field(default_factory=MqttSettings)
    files: FileSettings = field(default_factory=FileSettings)


def state_directory(environment: Mapping[str, str]) -> Path:
    """The folder for what the program remembers; it need not exist yet.

    systemd's $STATE_DIRECTORY (systemd.exec(5), the first if there are several), else `crownhead` in
    $XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification), else /var/lib/crownhead.
    """
    return _program_directory(environment, "STATE_DIRECTORY", "XDG_STATE_HOME", ".local/state", "/var/lib")


def cache_directory(environment: Mapping[str, str]) -> Path:
    """The folder for what the program can make again; it need not exist yet.

    systemd's $CACHE_DIRECTORY, else `crownhead` in $XDG_CACHE_HOME or ~/.cache, else /var/cache/crownhead.
    """
    return _program_directory(environment, "CACHE_DIRECTORY", "XDG_CACHE_HOME", ".cache", "/var/cache")


def _program_directory(
    environment: Mapping[str, str], systemd_variable: str, xdg_variable: str, below_home: str, of_system: str
) -> Path:
    if given := environment.get(systemd_variable, "").split(":")[0]:
        return Path(given)
    return (user_directory(environment, xdg_variable, below_home) or Path(of_system)) / "crownhead"


def user_directory(environment: Mapping[str, str], variable: str, below_home: str) -> Path | None:
    """One of the user's XDG base directories; None for a user without a home.

    A relative path in the variable is ignored, as the XDG Base Directory Specification wants it.
    """
    given = Path(environment.get(variable, ""))
    if given.is_absolute():
        return given
    home = environment.get("HOME", "")
    return Path(home) / below_home if home else None
