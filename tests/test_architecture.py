"""The arrows between the packages, the size of the modules, and what the wheel holds."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[1]
PACKAGES = ("calibration", "controller", "hardware", "vision")
LONGEST = 450
"""Lines that a module may have; what is longer has more than one subject."""


def modules_below(folder: Path) -> list[str]:
    files = (file for package in PACKAGES for file in (folder / package).rglob("*.py"))
    return sorted(str(file.relative_to(folder)) for file in files)


def test_no_arrow_points_back(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    status = lint_imports(config_filename="pyproject.toml", no_cache=True, no_logo=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


@pytest.mark.parametrize("module", modules_below(ROOT))
def test_a_module_is_not_too_long(module):
    lines = (ROOT / module).read_text(encoding="utf-8").count("\n")
    assert lines <= LONGEST


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of the sources, so that nothing left of an older build gets into the wheel."""
    copy = tmp_path_factory.mktemp("wheel") / "sources"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "out")
    shutil.copytree(ROOT, copy, ignore=left_out)
    return copy


@pytest.fixture(scope="module")
def wheel(sources):
    """The wheel, built by the build backend itself, which needs no network."""
    build = "import setuptools.build_meta as backend; backend.build_wheel('..')"
    done = subprocess.run([sys.executable, "-c", build], cwd=sources, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (file,) = sources.parent.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        yield archive


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel, sources):
    version = tomllib.loads((sources / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    names = wheel.namelist()
    assert (sources / "tests").is_dir()
    assert {name.split("/")[0] for name in names} == {*PACKAGES, f"crownhead-{version}.dist-info"}
    assert sorted(name for name in names if name.endswith(".py")) == modules_below(sources)
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)


def test_the_wheel_brings_the_command(wheel):
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert wheel.read(entry_points).decode() == "[console_scripts]\ncrownhead = controller.cli.main:run\n"


def test_the_wheel_holds_what_the_program_reads_beside_its_modules(wheel):
    sizes = {info.filename: info.file_size for info in wheel.infolist()}
    networks = ("vision/squares.onnx", "vision/discs.onnx")
    for name in ("controller/engine/network.bin", "controller/engine/openings/book.bin", *networks):
        assert sizes.get(name, 0) > 1000, name
    # They are to be light enough for a Pi and for the repository.
    assert sum(sizes[name] for name in networks) < 2_000_000
