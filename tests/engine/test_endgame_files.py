"""Building endgame tables, keeping them in files, and what is done about files that are broken or cannot be kept."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import zlib
from math import comb
from pathlib import Path

import pytest

from controller.draughts import Colour, read_fen
from controller.engine import _core
from controller.engine.endgame import (
    BrokenTableError,
    EndgameTableError,
    EndgameValue,
    Ending,
    attach_tables,
    building,
    lookup,
    tables_directory,
    tables_ready,
)
from controller.engine.endgame.building import Progress, build_tables
from controller.engine.endgame.material import Material, pairs
from controller.engine.endgame.survey import survey_tables
from controller.engine.endgame.table_file import HEADER_BYTES, read_tables, table_path
from tests.engine.endgame_positions import random_ending

FIRST_POSITION = read_fen("W:WK15,20:BK28,12")
FIRST_VALUE = EndgameValue(Ending.WIN, 81)
KINGS = Material(0, 2, 0, 2)


class StoppedError(Exception):
    pass


pytestmark = pytest.mark.usefixtures("no_endgame_tables")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path)}


@pytest.fixture
def kept(environment: dict[str, str], endgame_folder: Path) -> Path:
    """The folder of the environment, with all tables of up to four pieces."""
    folder = tables_directory(environment)
    shutil.copytree(endgame_folder, folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.endgame"))}


def ignore(progress: Progress) -> None:
    """Nobody looks."""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip_a_code(path: Path) -> None:
    flip(path, HEADER_BYTES + 1000)


def flip_the_header(path: Path) -> None:
    flip(path, 50)


def flip_the_magic(path: Path) -> None:
    flip(path, 0)


def put_another_there(path: Path) -> None:
    shutil.copy(table_path(path.parent, Material(1, 1, 1, 1)), path)


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    path.write_bytes(content)


def change_version(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8] += 1
    content[HEADER_BYTES - 4 : HEADER_BYTES] = zlib.crc32(content[: HEADER_BYTES - 4]).to_bytes(4, "little")
    path.write_bytes(content)


DAMAGES = (cut, empty, flip_a_code, flip_the_header, flip_the_magic, put_another_there, change_version)


def test_every_choice_of_pieces_has_its_table_once() -> None:
    for pieces, number in zip(range(2, 7), (4, 12, 25, 44, 70), strict=True):
        materials = [one for material in pairs(pieces) for one in {material, material.swapped}]
        assert len(materials) == len(set(materials)) == number
        assert all(material.pieces == pieces for material in materials)


def test_tables_are_where_caches_belong() -> None:
    assert tables_directory({"CACHE_DIRECTORY": "/var/cache/one:/two"}) == Path("/var/cache/one/tables")
    assert tables_directory({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/crownhead/tables")
    assert tables_directory({"XDG_CACHE_HOME": "c", "HOME": "/h"}) == Path("/h/.cache/crownhead/tables")
    assert tables_directory({}) == Path("/var/cache/crownhead/tables")


def set_number(squares: list[int], within: list[int]) -> int:
    places = sorted(within.index(square) for square in squares)
    return sum(comb(place, nth) for nth, place in enumerate(places, 1))


def test_files_are_as_the_documentation_says(endgame_tables: None, endgame_folder: Path) -> None:
    chance = random.Random(21)
    squares = list(range(1, 33))
    for _ in range(300):
        position = random_ending(chance, chance.choice((2, 3, 4)))
        black = position.turn is Colour.BLACK
        pieces = {square if black else 33 - square: piece for square, piece in position.pieces().items()}
        own_men, own_kings, other_men, other_kings = (
            [at for at, piece in pieces.items() if (piece.colour is position.turn) == own and piece.king == king]
            for own in (True, False)
            for king in (False, True)
        )
        material = Material(len(own_men), len(own_kings), len(other_men), len(other_kings))
        free = [square for square in squares if square not in own_men + other_men]
        left = [square for square in free if square not in own_kings]
        entry = set_number(own_men, squares[:28])
        entry = entry * comb(28, len(other_men)) + set_number([33 - square for square in other_men], squares[:28])
        entry = entry * comb(len(free), len(own_kings)) + set_number(own_kings, free)
        entry = entry * comb(len(left), len(other_kings)) + set_number(other_kings, left)

        first = max(material, material.swapped)
        content = (endgame_folder / f"{first}.endgame").read_bytes()
        assert content[:8] == b"CROWNEND"
        assert content[8:16] == bytes((1, 0, 8, 0, *first.counts))
        assert zlib.crc32(content[128:]) == int.from_bytes(content[16:20], "little")
        assert len(content) - 128 == int.from_bytes(content[20:28], "little")
        table_bytes = (len(content) - 128) // (1 if first == first.swapped else 2)
        code = content[128 + entry + (0 if material == first else table_bytes)]
        value = lookup(position)
        assert value is not None
        plies = 0 if value.plies is None else value.plies + 1
        assert code == plies
        assert plies % 2 == (value.ending is Ending.LOSS)


def test_missing_tables_are_built_kept_and_found_again(environment: dict[str, str], endgame_folder: Path) -> None:
    told: list[Progress] = []
    assert tables_ready(environment, told.append).pieces == 4
    assert lookup(FIRST_POSITION) == FIRST_VALUE
    assert contents(tables_directory(environment)) == contents(endgame_folder)
    assert [progress.done for progress in told] == sorted(progress.done for progress in told)
    assert told[0].done == 0
    assert told[-1].done == told[-1].total == 4 * _table_entries(4)
    told.clear()
    _core.endgame_detach()
    ready = tables_ready(environment, told.append)
    assert (ready.pieces, ready.notes, told) == (4, (), [])
    assert lookup(FIRST_POSITION) == FIRST_VALUE


def _table_entries(most_pieces: int) -> int:
    """As many as the first tables of all pairs have."""
    return sum(_core.endgame_bytes(*one.counts, False) for n in range(2, most_pieces + 1) for one in pairs(n))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_small_table_is_built_anew_and_said_in_one_sentence(
    environment: dict[str, str], kept: Path, endgame_folder: Path, damage: object
) -> None:
    assert callable(damage)
    damage(table_path(kept, KINGS))
    with pytest.raises(BrokenTableError):
        read_tables(kept, KINGS)
    ready = tables_ready(environment)
    (note,) = ready.notes
    assert note.startswith(f"the endgame table {table_path(kept, KINGS)} is broken (")
    assert note.endswith("it is built anew")
    assert ready.pieces == 4
    assert lookup(FIRST_POSITION) == FIRST_VALUE
    assert contents(kept) == contents(endgame_folder)


def test_many_broken_tables_are_one_sentence(environment: dict[str, str], kept: Path, endgame_folder: Path) -> None:
    for path in kept.glob("*.endgame"):
        cut(path)
    ready = tables_ready(environment)
    (note,) = ready.notes
    assert note.endswith("and so are 22 more; they are built anew")
    assert contents(kept) == contents(endgame_folder)


def test_a_table_that_is_a_folder_is_no_traceback(environment: dict[str, str], kept: Path) -> None:
    path = table_path(kept, KINGS)
    path.unlink()
    path.mkdir()
    ready = tables_ready(environment)
    assert ready.pieces == 4
    assert len(ready.notes) == 2  # It is broken, and cannot be replaced.
    assert lookup(FIRST_POSITION) == FIRST_VALUE


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_table_is_never_attached(kept: Path, damage: object) -> None:
    assert callable(damage)
    damage(table_path(kept, KINGS))
    ready = attach_tables(kept)
    assert ready.pieces == 3
    (note,) = ready.notes
    assert "`crownhead tables build --pieces 4` builds what is missing" in note
    assert lookup(FIRST_POSITION) is None
    assert lookup(read_fen("W:WK1:BK32,K28")) == EndgameValue(Ending.LOSS, 32)


def test_a_missing_table_leaves_out_its_number_of_pieces(kept: Path) -> None:
    table_path(kept, KINGS).unlink()
    assert attach_tables(kept).pieces == 3
    assert lookup(FIRST_POSITION) is None


def test_broken_larger_tables_are_left_out(environment: dict[str, str], kept: Path) -> None:
    broken = table_path(kept, pairs(5)[0])
    broken.write_bytes(b"CROWNEND")
    ready = tables_ready(environment)
    (note,) = ready.notes
    assert str(broken) in note
    assert "`crownhead tables build --pieces 5`" in note
    assert ready.pieces == 4
    assert broken.read_bytes() == b"CROWNEND"


@pytest.mark.parametrize("hindrance", ["a file in the way", "no room"])
def test_where_nothing_can_be_written_tables_are_in_memory(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hindrance: str
) -> None:
    if hindrance == "no room":

        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
    else:
        (tmp_path / "crownhead").write_text("")
    ready = tables_ready(environment)
    (note,) = ready.notes
    assert f"cannot be kept in {tables_directory(environment)}" in note
    assert ready.pieces == 4
    assert lookup(FIRST_POSITION) == FIRST_VALUE
    if hindrance == "no room":
        assert [path.name for path in tables_directory(environment).iterdir()] == ["building.lock"]


def test_while_another_process_builds_tables_are_in_memory(environment: dict[str, str]) -> None:
    folder = tables_directory(environment)
    with building.building_in(folder):
        ready = tables_ready(environment)
        assert (ready.pieces, ready.notes) == (4, ())
        with pytest.raises(EndgameTableError, match="another process is building"):
            build_tables(folder, 4, ignore)
    assert contents(folder) == {}


def test_a_build_that_is_stopped_goes_on_where_it_was(tmp_path: Path, endgame_folder: Path) -> None:
    built: list[Material] = []

    def stop_in_the_middle(progress: Progress) -> None:
        if progress.material not in built:
            built.append(progress.material)
        if len(built) == 15 and progress.done > 0.4 * progress.total:
            raise StoppedError

    with pytest.raises(StoppedError):
        build_tables(tmp_path, 4, stop_in_the_middle)
    kept = contents(tmp_path)
    assert list(kept) == sorted(f"{material}.endgame" for material in built[:-1])
    assert list(tmp_path.glob("*.draft")) == []
    assert _core.endgame_pieces() == 3
    again: list[Progress] = []
    assert build_tables(tmp_path, 4, again.append) == ()
    assert again[0].material == built[-1]
    assert {progress.material for progress in again}.isdisjoint(built[:-1])
    assert contents(tmp_path) == contents(endgame_folder)


def test_a_build_stops_within_a_table(endgame_tables: None) -> None:
    tables = bytearray(_core.endgame_bytes(0, 2, 0, 3, False)), bytearray(_core.endgame_bytes(0, 3, 0, 2, False))
    told: list[int] = []

    def stop(done: int) -> None:
        told.append(done)
        if len(told) == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        _core.endgame_build(0, 2, 0, 3, False, *tables, stop)
    assert len(told) == 3
    assert told[-1] < 4 * len(tables[0])
    assert _core.endgame_pieces() == 4
    tables[0].append(0)  # Nobody holds the bytes any longer.


def test_ctrl_c_in_a_build_is_heard(environment: dict[str, str]) -> None:

    def interrupt(progress: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tables_ready(environment, interrupt)
    assert tables_ready(environment).pieces == 4


def test_others_run_while_a_table_is_built(endgame_tables: None) -> None:
    """The interpreter's lock is let go: this thread counts on while another one is inside the build."""
    tables = bytearray(_core.endgame_bytes(0, 2, 0, 3, False)), bytearray(_core.endgame_bytes(0, 3, 0, 2, False))
    inside, leave = threading.Event(), threading.Event()

    def tell(done: int) -> None:
        inside.set()
        assert leave.wait(60)

    thread = threading.Thread(target=_core.endgame_build, args=(0, 2, 0, 3, False, *tables, tell))
    thread.start()
    assert inside.wait(60)
    assert lookup(FIRST_POSITION) == FIRST_VALUE
    leave.set()
    thread.join()
    assert _core.endgame_pieces() == 4


def test_what_a_killed_build_left_is_cleared_away(tmp_path: Path, kept: Path) -> None:
    (kept / "0m2k-0m2k.endgame.draft").write_bytes(b"half")
    assert build_tables(kept, 4, ignore) == ()
    assert list(kept.glob("*.draft")) == []


def test_a_build_that_is_killed_leaves_only_whole_tables(tmp_path: Path, endgame_folder: Path) -> None:
    script = (
        "import os, sys, pathlib\n"
        "from controller.engine.endgame.building import build_tables\n"
        "def told(progress):\n"
        "    if progress.done > progress.total / 2: os.kill(os.getpid(), 9)\n"
        "build_tables(pathlib.Path(sys.argv[1]), 4, told)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    left = contents(tmp_path)
    assert left
    assert left.items() < contents(endgame_folder).items()
    build_tables(tmp_path, 4, ignore)
    assert contents(tmp_path) == contents(endgame_folder)


def test_a_full_disk_is_refused_before_the_work_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(100, 90, 10))
    with pytest.raises(EndgameTableError, match="need 7 MB more"):
        build_tables(tmp_path / "tables", 4, lambda progress: pytest.fail("it has begun"))


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EndgameTableError, match="name a folder that can be written with --dir"):
        build_tables(tmp_path / "file" / "tables", 4, ignore)


def test_too_little_memory_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*order: object) -> None:
        raise MemoryError

    monkeypatch.setattr(_core, "endgame_build", no_memory)
    with pytest.raises(EndgameTableError, match="not enough memory"):
        build_tables(tmp_path, 4, ignore)
    ready = tables_ready({"XDG_CACHE_HOME": str(tmp_path)})
    assert ready.pieces == 0
    assert "not enough memory" in ready.notes[0]


def test_without_the_compiled_engine_there_are_no_tables(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "controller.engine._core", None)
    monkeypatch.delattr("controller.engine._core")
    assert tables_ready(environment).pieces == 0
    assert attach_tables(tables_directory(environment)).pieces == 0
    assert lookup(FIRST_POSITION) is None


def test_a_survey_finds_what_is_wrong(kept: Path) -> None:
    flip_a_code(table_path(kept, KINGS))
    table_path(kept, Material(1, 0, 0, 1)).unlink()
    survey = survey_tables(kept, verify=True)
    assert [error.path for error in survey.broken] == [table_path(kept, KINGS)]
    assert survey.broken[0].reason == "its checksum is wrong"
    assert [(count.pieces, count.found, count.files) for count in survey.counts] == [
        (2, 2, 3),
        (3, 6, 6),
        (4, 13, 14),
        (5, 0, 22),
        (6, 0, 37),
    ]
    assert survey.pieces == 0


@pytest.mark.parametrize(
    ("counts", "reason"),
    [((0, 1, 0, 0), "each side"), ((0, 0, 2, 1), "each side"), ((3, 1, 2, 1), "at most 6"), ((200, 200, 0, 1), "at")],
)
def test_tables_that_cannot_be_are_refused(counts: tuple[int, int, int, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _core.endgame_bytes(*counts, False)
    with pytest.raises(ValueError, match=reason):
        _core.endgame_attach(*counts, False, b"")


def test_bytes_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="has 992 bytes, not 991"):
        _core.endgame_attach(0, 1, 0, 1, False, bytes(991))
    with pytest.raises(ValueError, match="has 248 bytes, not 992"):
        _core.endgame_build(0, 1, 0, 1, True, bytearray(992), bytearray(992), lambda done: None)


def test_a_table_is_not_built_without_those_it_needs() -> None:
    size = _core.endgame_bytes(0, 2, 0, 1, False)
    with pytest.raises(RuntimeError, match="not attached"):
        _core.endgame_build(0, 2, 0, 1, False, bytearray(size), bytearray(size), lambda done: None)
