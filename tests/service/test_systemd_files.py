"""The unit, the udev rules and the installer, by systemd's own tools where there are any."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
ANALYZE = shutil.which("systemd-analyze")
MOST_EXPOSED = 2.0
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")


def done(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environment}
    )


@needs_systemd
def test_the_unit_is_well_formed(tmp_path: Path) -> None:
    unit = tmp_path / "crownhead.service"
    text = (SYSTEMD / "crownhead.service").read_text(encoding="utf-8")
    # The command is only there once it has been installed.
    unit.write_text(re.sub(r"^ExecStart=.*", "ExecStart=/bin/true", text, flags=re.M), encoding="utf-8")
    checked = done("systemd-analyze", "verify", str(unit))
    assert "crownhead.service" not in checked.stderr, checked.stderr


@needs_systemd
def test_the_unit_is_as_closed_as_it_should_be() -> None:
    checked = done(
        "systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={round(MOST_EXPOSED * 10)}",
        str(SYSTEMD / "crownhead.service"),
    )  # fmt: skip
    if "nrecognized option" in checked.stderr:
        pytest.skip("this systemd-analyze cannot look at a unit offline")
    assert checked.returncode == 0, checked.stdout[-300:]
    exposed = re.search(r"exposure level[^:]*: ([\d.]+)", checked.stdout)
    assert exposed is not None
    assert float(exposed[1]) <= MOST_EXPOSED


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_the_scripts_are_bash(script: str) -> None:
    assert done("bash", "-n", str(SYSTEMD / script)).stderr == ""
    assert done(str(SYSTEMD / script), "--wrong").returncode == 2
    assert "sudo systemd/" in done(str(SYSTEMD / script), "--help").stdout


@pytest.mark.parametrize(("codename", "constrained"), [("bookworm", True), ("trixie", False), ("sid", False)])
def test_what_would_be_installed_on(codename: str, constrained: bool, tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    release.write_text(f"VERSION_CODENAME={codename}\n")
    shown = done(str(SYSTEMD / "install.sh"), "--dry-run", CROWNHEAD_OS_RELEASE=str(release))
    assert shown.returncode == 0, shown.stderr
    assert ("constraints-bookworm.txt" in shown.stdout) is constrained
    assert ("has not been tried" in shown.stdout) is (codename == "sid")
    for step in ("--system-site-packages", "99-crownhead.rules", "/etc/systemd/system/crownhead.service"):
        assert step in shown.stdout


def test_bookworm_gets_no_numpy_2() -> None:
    assert "numpy<2\n" in (SYSTEMD / "constraints-bookworm.txt").read_text(encoding="utf-8")
