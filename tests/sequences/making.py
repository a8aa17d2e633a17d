"""Makes whole sequences: which errand, style, light and camera, and the files of each."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from controller.draughts import write_fen
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.geometry import SimulatedCamera
from tests.sequences import around, moves, wrong
from tests.sequences.cameras import PLACES, camera_at, model_of
from tests.sequences.direction import Director, Errand
from tests.sequences.drawing import Artist, Drawn
from tests.sequences.lights import LIGHTS
from tests.sequences.stage import DISC_MM, HIGH_MM, SQUARE_MM, Shot, Stage

ERRANDS: dict[str, Errand] = {errand.__name__: errand for errand in (*moves.ERRANDS, *wrong.ERRANDS, *around.ERRANDS)}
JPEG_QUALITY = 93


@dataclass(frozen=True)
class Order:
    """What sequence is to be made; the same order always makes the same one."""

    errand: str
    style: str
    light: str
    camera: str
    seed: int

    @property
    def name(self) -> str:
        """A name for its folder."""
        return f"{self.errand}-{self.style}-{self.light}-{self.camera}-{self.seed:03d}"


def orders(
    seeds: Sequence[int], errands: Sequence[str], styles: Sequence[str], lights: Sequence[str], cameras: Sequence[str]
) -> Iterator[Order]:
    """Every errand once a seed; style, light and camera go on from errand to errand and from seed to seed."""
    for seed in seeds:
        for number, errand in enumerate(errands):
            # Numbers of styles, lights and cameras have common divisors: every round is out of step with the last.
            style = styles[(5 * number + seed) % len(styles)]
            light = lights[(3 * number + number // len(lights) + seed) % len(lights)]
            camera = cameras[(2 * number + seed + seed // len(cameras)) % len(cameras)]
            yield Order(errand, style, light, camera, seed)


def acted(order: Order, size: tuple[int, int] | None = None) -> Stage:
    """The sequence, not drawn yet."""
    chance = random.Random(order.name)
    director = Director(order.light, camera_at(order.camera, chance, size), chance)
    ERRANDS[order.errand](director)
    assert director.stage is not None
    return director.stage


def drawn(order: Order, stage: Stage) -> Iterator[tuple[Shot, Drawn]]:
    """Its frames in order."""
    artist = Artist(stage, STYLES[order.style], random.Random(order.name).randrange(1 << 30))
    for shot in stage.shots:
        yield shot, artist.draw(shot)


def write(order: Order, folder: Path, size: tuple[int, int] | None = None) -> Path:
    """Make a sequence and write it into a folder of its own below `folder`, which is returned."""
    stage = acted(order, size)
    own = folder / order.name
    own.mkdir(parents=True, exist_ok=True)
    frames: list[dict[str, Any]] = []
    for number, (shot, frame) in enumerate(drawn(order, stage)):
        file = f"f{number:02d}.jpg"
        _, data = cv2.imencode(".jpg", frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        (own / file).write_bytes(data.tobytes())
        frames.append(
            {
                "file": file,
                "phase": shot.phase,
                "occluded_squares": list(frame.hidden),
                "corners": frame.corners.round(3).tolist(),
                "occluder_in_picture": round(frame.covered, 3),
                "actor": shot.actor,
            }
        )
    (own / "sequence.json").write_text(json.dumps(described(order, stage, frames), indent=1), encoding="utf-8")
    return own


def described(order: Order, stage: Stage, frames: list[dict[str, Any]]) -> dict[str, Any]:
    """What sequence.json holds."""
    title = (ERRANDS[order.errand].__doc__ or "").strip()
    return {
        "start_fen": write_fen(stage.start),
        "final_fen": write_fen(stage.lying),
        "expected": [{"verdict": one.verdict, **one.details, "frames": one.frames} for one in stage.expected],
        "corners": frames[0]["corners"],
        "square_mm": SQUARE_MM,
        "disc_mm": [DISC_MM, HIGH_MM],
        "camera": _camera(stage.shots[0].camera, order.camera),
        "tags": [order.errand, order.light, order.camera],
        "styles": {"board": order.style, "discs": order.style, "light": order.light, "errand": order.errand},
        "about": title,
        "frames": frames,
    }


def _camera(camera: SimulatedCamera, place: str) -> dict[str, Any]:
    """Pose and lens, in the frame whose origin is the playing area's near left corner as the near player sees it."""
    model = model_of(camera)
    return {
        "K": model.matrix,
        "dist_k1k2p1p2k3": model.distortion,
        "R_board_to_camera": model.rotation,
        "t_mm": model.translation_mm,
        "position_mm": camera.position_mm,
        "style": place,
    }


def known(names: Sequence[str], of: Sequence[str], what: str) -> list[str]:
    """The names, all if there are none. Raises ValueError, a sentence, for one that is not among `of`."""
    for name in names:
        if name not in of:
            raise ValueError(f"there is no {what} {name!r}: there are {', '.join(of)}")
    return list(names or of)


ALL_STYLES, ALL_LIGHTS, ALL_CAMERAS = tuple(STYLES), tuple(LIGHTS), PLACES
