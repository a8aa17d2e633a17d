"""Is the program itself all there: Python, its packages and where they come from, what it keeps on disk."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from controller.check.finding import Finding, fail, ok, warn
from controller.errors import SettingsError
from controller.settings import state_directory
from controller.settings_file import LoadedSettings, load_with_source

OLDEST_PYTHON = (3, 11)
OURS = ("controller", "vision", "hardware", "calibration")
LIBRARIES = {
    "numpy": "numpy",
    "cv2": "opencv-python",
    "serial": "pyserial",
    "gpiozero": "gpiozero",
    "msgspec": "msgspec",
    "rich": "rich",
}
"""What is imported, and the distribution that has to provide it."""
LITTLE_MB, TOO_LITTLE_MB = 500, 50
_MB = 1_000_000


def check_python(running: tuple[int, int] = sys.version_info[:2], prefix: str = sys.prefix) -> Finding:
    """Which Python runs, and where it lives."""
    name = ".".join(map(str, running))
    if running < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        return fail(
            "Python", f"Python {name} is too old", f"make a virtual environment with Python {oldest} or newer"
        )
    return ok("Python", f"Python {name} in {prefix}")


def check_packages(places: Mapping[str, Path] | None = None) -> Finding:
    """Whether all our packages come from one place: another program's `vision` before ours would be used instead."""
    places = _places() if places is None else places
    missing = [name for name in OURS if name not in places]
    if missing:
        return fail("packages", f"{missing[0]} is not installed", "pip install --force-reinstall crownhead")
    homes = {name: places[name].parent for name in OURS}
    for name, home in homes.items():
        if home != homes["controller"]:
            return fail(
                "packages",
                f"{name} comes from {home} and controller from {homes['controller']}",
                f"unset PYTHONPATH, start from another folder, or remove the {name} in {home}",
            )
    return ok("packages", f"all from {homes['controller']}")


def _places() -> dict[str, Path]:
    found = {}
    for name in OURS:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            found[name] = Path(next(iter(spec.submodule_search_locations)))
    return found


def check_libraries() -> Iterator[Finding]:
    """Whether what we import can be imported, and is what it should be."""
    versions = []
    for module, distribution in LIBRARIES.items():
        try:
            importlib.import_module(module)
        except (ImportError, OSError) as error:
            lacks = f"{module} cannot be imported ({error})"
            if "libGL" in str(error):
                yield fail("libraries", lacks, "sudo apt-get install libgl1 libglib2.0-0")
            else:
                yield fail("libraries", lacks, f"pip install --force-reinstall {distribution}")
            continue
        versions.append(f"{distribution} {_version(distribution) or 'of the system'}")
    if _version("serial"):
        yield fail(
            "libraries", "the package 'serial' hides pyserial", "pip uninstall -y serial && pip install -I pyserial"
        )
    elif _version("opencv-python") and _version("opencv-python-headless"):
        yield fail(
            "libraries",
            "two kinds of OpenCV are installed over each other",
            "pip uninstall -y opencv-python opencv-python-headless && pip install opencv-python",
        )
    elif len(versions) == len(LIBRARIES):
        yield ok("libraries", ", ".join(versions))


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def check_engine() -> Finding:
    """Whether the compiled engine is there."""
    if find_spec("controller.engine._core") is None:
        return warn(
            "engine",
            "the compiled engine is missing; the one in Python plays weaker",
            "sudo apt-get install gcc libc6-dev python3-dev && pip install --force-reinstall --no-deps crownhead",
        )
    return ok("engine", "compiled")


def check_settings(path: Path | None, environment: Mapping[str, str]) -> tuple[Finding, LoadedSettings | None]:
    """The settings in force; None if there is something wrong with their file."""
    try:
        loaded = load_with_source(path, environment)
    except SettingsError as error:
        return fail("settings", str(error), "mend the file; 'crownhead config init' shows every key"), None
    if loaded.source is None:
        return warn("settings", "there is no settings file: all defaults", "crownhead config init"), loaded
    return ok("settings", str(loaded.source)), loaded


def check_disk(environment: Mapping[str, str], free_bytes: int | None = None) -> Finding:
    """Whether there is room for the journal, and it may be written."""
    folder = state_directory(environment)
    standing = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        probe = standing / ".crownhead-check"
        probe.touch()
        probe.unlink()
    except OSError as error:
        return fail(
            "disk", f"nothing can be written in {standing} ({error.strerror})", f"sudo chown -R $USER {standing}"
        )
    free = (shutil.disk_usage(standing).free if free_bytes is None else free_bytes) // _MB
    if free < TOO_LITTLE_MB:
        return fail("disk", f"{free} MB are free where the journal is ({folder})", "make room: sudo apt-get clean")
    if free < LITTLE_MB:
        return warn("disk", f"only {free} MB are free where the journal is ({folder})", "sudo apt-get clean")
    return ok("disk", f"{free} MB are free for the journal in {folder}")
