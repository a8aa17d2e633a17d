"""Files that are written beside the ones that they replace."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from controller.cli.replaced_file import replaced_file
from controller.errors import ControllerError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that is there, the only one in its folder."""
    file = tmp_path / "file"
    file.write_text("before")
    file.chmod(0o640)
    return file


def test_the_file_is_as_it_was_until_the_new_one_is_whole(file: Path) -> None:
    with replaced_file(file) as write:
        write("aft")
        write("er – ü")
        assert file.read_text() == "before"
        assert (file.parent / ".file.draft").read_text(encoding="utf-8") == "after – ü"
    assert file.read_text(encoding="utf-8") == "after – ü"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(file.parent.iterdir()) == [file]


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with replaced_file(tmp_path / "new") as write:
        write("x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("reason", [KeyboardInterrupt, ZeroDivisionError, BrokenPipeError])
def test_an_exception_leaves_it_as_it_was(file: Path, reason: type[BaseException]) -> None:
    with pytest.raises(reason), replaced_file(file) as write:
        write("half")
        raise reason
    assert file.read_text() == "before"
    with pytest.raises(reason), replaced_file(file.parent / "new") as write:
        raise reason
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_is_a_sentence_that_names_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(*((os, "fsync") if call == "fsync" else (Path, "replace")), full)
    with (
        pytest.raises(ControllerError, match=r"cannot write .*/file: No space left on device"),
        replaced_file(file) as write,
    ):
        write("after")
    assert file.read_text() == "before"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_device_is_a_sentence() -> None:
    with (
        pytest.raises(ControllerError, match="cannot write /dev/full: No space left on device"),
        replaced_file(Path("/dev/full")) as write,
    ):
        write("x")


def test_a_link_stays_one(file: Path) -> None:
    link = file.parent / "link"
    link.symlink_to(file)
    with replaced_file(link) as write:
        write("x")
    assert link.is_symlink()
    assert file.read_text() == "x"


def test_a_pipe_is_written_at_once(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with replaced_file(pipe) as write:
        write("x")
    reader.join()
    assert read == ["x"]
    assert pipe.is_fifo()


@pytest.mark.parametrize(("name", "reason"), [("none/file", "No such file"), (".", "Is a directory")])
def test_what_cannot_be_written_is_said_before(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(ControllerError, match=f"cannot write .*: {reason}"), replaced_file(tmp_path / name):
        pytest.fail("it must not begin")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_only_be_read_is_said_before(file: Path) -> None:
    file.chmod(0o400)
    with pytest.raises(ControllerError, match="Permission denied"), replaced_file(file):
        pytest.fail("it must not begin")
