"""A calibration that is being made: what has been found so far, in the one calibration file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from enum import Enum
from pathlib import Path

import msgspec

from calibration import reference_build
from calibration.errors import CalibrationError
from calibration.values import (
    FORMAT_VERSION,
    TRAY_PLACES,
    ArmMap,
    ArmPart,
    Calibration,
    HardwareRecord,
    MilestoneRecord,
)
from vision.camera_model import CameraModel
from vision.disc_size import DiscSize


class Step(Enum):
    """The milestones of calibrating, in their order; each builds on those before it."""

    CONNECT = "connect"
    CAMERA = "camera"
    BOARD = "board"
    DISCS = "discs"
    ARM = "arm"
    HEIGHTS = "heights"
    ACCURACY = "accuracy"


STEPS = tuple(Step)
REFERENCE_DISC = DiscSize(30.0, 8.0)


@dataclass(frozen=True)
class SavedLens:
    """The lens as a printed sheet has shown it."""

    matrix: tuple[tuple[float, ...], ...]
    distortion: tuple[float, ...]
    rms_px: float
    views: int


@dataclass(frozen=True)
class Draft:
    """The fields of `Calibration`, and those that only calibrating needs; what has not been found yet is None.

    lens: how the lens draws, if a sheet has shown it. heights_at_zero, heights_along: machine z of the playing
    surface as a plane over machine x and y. doubts: the steps that were seen to hold no longer, each with the reason.
    """

    version: int
    made_at: str
    made_by: str
    square_mm: float | None = None
    disc: DiscSize | None = None
    camera: CameraModel | None = None
    camera_rms_px: float | None = None
    arm: ArmMap | None = None
    tray_mm: tuple[tuple[float, float], ...] | None = None
    tray_height_mm: float | None = None
    park_mm: tuple[float, float, float] | None = None
    arm_parts: tuple[ArmPart, ...] | None = None
    backlash_mm: tuple[float, float] = (0.0, 0.0)
    scale_from: str = "the size that was stated"
    lens_from: str = "the board"
    hardware: HardwareRecord = field(default_factory=HardwareRecord)
    milestones: tuple[MilestoneRecord, ...] = ()
    lens: SavedLens | None = None
    heights_at_zero: float | None = None
    heights_along: tuple[float, float] = (0.0, 0.0)
    doubts: dict[str, str] = field(default_factory=dict)

    def record_of(self, step: Step) -> MilestoneRecord | None:
        """What a step has found; None if it has not been done."""
        return next((record for record in self.milestones if record.step == step.value), None)

    def with_record(self, record: MilestoneRecord) -> Draft:
        """The draft in which a step has been done, or done again; those that build on it count no more if they are
        older."""
        kept = {one.step: one for one in self.milestones} | {record.step: record}
        ordered = tuple(kept[step.value] for step in STEPS if step.value in kept)
        doubts = {step: reason for step, reason in self.doubts.items() if step != record.step}
        return replace(self, milestones=ordered, made_at=record.made_at, doubts=doubts)

    def doubted(self, step: Step, reason: str | None) -> Draft:
        """The draft in which a step that was done is known to hold no longer, or (None) to hold still."""
        doubts = {other: why for other, why in self.doubts.items() if other != step.value}
        if reason is not None:
            doubts[step.value] = reason
        return replace(self, doubts=doubts)

    def stale(self) -> dict[Step, str]:
        """The steps that have to be done again because they, or some that they build on, do not hold any more, each
        with the reason.

        Connecting is done every time, and changes nothing as long as it is the same machine.
        """
        found: dict[Step, str] = {}
        newest: tuple[str, Step] | None = None
        doubted: Step | None = None
        for step in STEPS:
            record = self.record_of(step)
            if record is None or step is Step.CONNECT:
                continue
            if step.value in self.doubts:
                found[step], doubted = self.doubts[step.value], doubted or step
            elif doubted is not None:
                found[step] = f"'{doubted.value}' has to be done again"
            if newest is not None and record.made_at < newest[0]:
                found.setdefault(step, f"'{newest[1].value}' has been done again since")
            elif newest is None or record.made_at > newest[0]:
                newest = (record.made_at, step)
        return found

    def outdated(self) -> tuple[Step, str] | None:
        """The first step that is older than one that it builds on, and the reason; None if there is none."""
        return next(iter(replace(self, doubts={}).stale().items()), None)

    def provisional(self) -> Calibration:
        """A calibration in which guesses stand for what has not been found.

        Raises CalibrationError before there is a camera.
        """
        if self.camera is None:
            raise CalibrationError("the camera has not been calibrated: begin with 'crownhead calibrate camera'")
        square = self.square_mm or reference_build.SQUARE_MM
        return Calibration(
            version=FORMAT_VERSION,
            made_at=self.made_at,
            made_by=self.made_by,
            square_mm=square,
            disc=self.disc or REFERENCE_DISC,
            camera=self.camera,
            camera_rms_px=self.camera_rms_px or 0.0,
            arm=self.arm or reference_build.arm_map(square),
            tray_mm=self.tray_mm or reference_build.tray_places(square),
            tray_height_mm=self.tray_height_mm or 0.0,
            park_mm=self.park_mm or reference_build.park_place(square),
            arm_parts=self.arm_parts or reference_build.ARM_PARTS,
            backlash_mm=self.backlash_mm,
            scale_from=self.scale_from,
            lens_from=self.lens_from,
            hardware=self.hardware,
            milestones=self.milestones,
        )

    def missing(self) -> Step | None:
        """The first step that has to be done before there is a calibration; None if there is one.

        The accuracy has to be known, too, if the calibration was made step by step.
        """
        if (step := self._missing_value()) is not None:
            return step
        if self.milestones and self.record_of(Step.ACCURACY) is None:
            return Step.ACCURACY
        return None

    def missing_before(self, step: Step) -> Step | None:
        """The first step that has to be done before this one can be; None if it can."""
        missing = self._missing_value()
        return missing if missing is not None and STEPS.index(missing) < STEPS.index(step) else None

    def _missing_value(self) -> Step | None:
        needed = {
            Step.CAMERA: self.camera,
            Step.BOARD: self.tray_mm,
            Step.DISCS: self.disc,
            Step.ARM: self.arm,
            Step.HEIGHTS: self.tray_height_mm,
        }
        return next((step for step, value in needed.items() if value is None), None)


def draft_of(calibration: Calibration) -> Draft:
    """The draft in which everything is as in a calibration."""
    return Draft(**{one.name: getattr(calibration, one.name) for one in fields(calibration)})


def calibration_from(draft: Draft, where: str) -> Calibration:
    """The calibration that a finished draft is; `where` names it in sentences.

    Raises CalibrationError if a step is missing or older than what it builds on, or the trays are not of 32 places.
    """
    if (step := draft.missing()) is not None:
        raise CalibrationError(
            f"the calibration {where} is not finished: go on with 'crownhead calibrate {step.value}'"
        )
    if (outdated := draft.outdated()) is not None:
        old, reason = outdated
        raise CalibrationError(
            f"the calibration {where} is stale, as {reason}: go on with 'crownhead calibrate {old.value}'"
        )
    calibration = draft.provisional()
    if len(calibration.tray_mm) != TRAY_PLACES:
        raise CalibrationError(
            f"the calibration {where} lists {len(calibration.tray_mm)} tray places, not {TRAY_PLACES}"
        )
    return calibration


def read_draft(raw: bytes, where: str) -> Draft:
    """What a calibration file holds. Raises CalibrationError for what is none, or of a newer version."""
    try:
        version = json.loads(raw).get("version")
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise CalibrationError(
                f"the calibration {where} has format {version} and this program knows formats up to "
                f"{FORMAT_VERSION}: update the program or calibrate again"
            )
        return msgspec.json.decode(raw, type=Draft, strict=False)
    except (ValueError, AttributeError, msgspec.MsgspecError) as error:
        raise CalibrationError(f"the calibration {where} is broken ({error}): calibrate again") from error


def written(draft: Draft) -> str:
    """The text of the calibration file: JSON that a person can read."""
    values = {name: value for name, value in asdict(draft).items() if value is not None}
    return json.dumps(values, indent=1) + "\n"


def read_draft_file(path: Path) -> Draft:
    """The same from a file. Raises CalibrationError, also when it cannot be read."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CalibrationError(
            f"cannot read the calibration {path}: {error.strerror}; make one with 'crownhead calibrate', or name the "
            "table's calibration file in the settings"
        ) from error
    return read_draft(raw, str(path))
