"""The whole check-up, in the order in which one thing needs another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from controller.check.computer import check_groups, check_port, check_power
from controller.check.finding import Finding, State, ok, warn
from controller.check.program import (
    check_disk,
    check_engine,
    check_libraries,
    check_packages,
    check_python,
    check_settings,
)
from controller.settings_file import LoadedSettings
from hardware.clock import Clock

NOT_LOOKED_AT = "was not looked at, as the {} is not right"


def check_up(
    path: Path | None, environment: Mapping[str, str], clock: Clock, port: str | None = None
) -> Iterator[Finding]:
    """Look at everything; each finding as soon as it is there. Nothing moves.

    `path` names the settings file, `port` replaces the serial port of the settings.
    """
    yield check_python()
    yield check_packages()
    libraries = list(check_libraries())
    yield from libraries
    yield check_engine()
    yield check_power()
    yield check_disk(environment)
    found, loaded = check_settings(path, environment)
    yield found
    if loaded is None:
        for what in ("devices", "firmware", "camera", "calibration"):
            yield warn(what, NOT_LOOKED_AT.format("settings file"), "crownhead config check")
        return
    if port is not None:
        machine = replace(loaded.settings.machine, port=port)
        loaded = replace(loaded, settings=replace(loaded.settings, machine=machine))
    settings = loaded.settings
    if settings.table.kind == "simulated":
        yield ok("table", "simulated inside the program: it has everything")
        return
    yield from check_groups(settings.machine.port)
    port_found = check_port(settings.machine)
    yield port_found
    if any(finding.mend for finding in libraries):
        yield warn("table", NOT_LOOKED_AT.format("Python environment"), "mend the libraries first")
        return
    yield from _check_table(loaded, environment, clock, port_is_right=port_found.state is not State.FAIL)


def _check_table(
    loaded: LoadedSettings, environment: Mapping[str, str], clock: Clock, port_is_right: bool
) -> Iterator[Finding]:
    """What hangs on the computer. Imported only now: the libraries may not be what they should be."""
    from controller.check.machine import check_firmware, check_reach, check_stopping  # noqa: PLC0415
    from controller.check.pins import check_pins  # noqa: PLC0415
    from controller.check.sight import check_board, check_calibration, check_camera  # noqa: PLC0415
    from controller.table import clearances_of  # noqa: PLC0415

    settings, limits = loaded.settings, None
    if port_is_right:
        findings, limits = check_firmware(settings, clock)
        yield from findings
    else:
        yield warn("firmware", NOT_LOOKED_AT.format("port"), "mend the port first")
    if limits is not None:
        yield check_stopping(limits, settings.guard)
    yield from check_pins(settings)
    found, frame = check_camera(settings, clock)
    yield found
    calibrations, calibration = check_calibration(loaded, environment)
    yield from calibrations
    if calibration is None:
        return
    yield check_reach(calibration, settings, limits, clearances_of(settings.handling))
    if frame is not None and (frame.pixels.shape[1], frame.pixels.shape[0]) == calibration.camera.size:
        yield check_board(frame, calibration)
