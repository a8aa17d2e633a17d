"""The journal: what is in it, that it is on disk in time, and what it says of files that it cannot use."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import journal_file as journal_module
from controller.errors import JournalError
from controller.journal import Journal, Outcome
from controller.journal_file import APPLICATION_ID, FORMAT_VERSION
from hardware.clock import VirtualClock

START = "B:W21-32:B1-12"


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "journal.sqlite3"


@pytest.fixture
def journal(path, clock):
    with Journal(path, clock) as opened:
        yield opened


def seen_by_another(path: Path, query: str) -> list[tuple]:
    """What a second connection finds on disk."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_a_game_from_beginning_to_end(journal, clock):
    game = journal.begin_game(START, "black", 5, seed=7)
    clock.sleep(1.5)
    journal.record_verdict(game, "move", "you moved 11-15", {"move": "11-15", "squares": [11, 15]})
    journal.record_move(game, 1, "black", "11-15", "W:W21-32:B1-10,12,15")
    journal.record_move(game, 2, "white", "23-19", "B:W19,21,22,24-32:B1-10,12,15")
    intent = journal.intend(game, 2, "23 to 19", "23", "19", 1)
    clock.sleep(3)
    journal.finish(intent, Outcome.DONE, "seen on 19")
    journal.end_game(game, "1-0", "Black has no move", "1. 11-15 23-19 1-0")

    (record,) = journal.games()
    assert (record.start_fen, record.human, record.level, record.seed) == (START, "black", 5, 7)
    assert (record.began_at, record.ended_at) == ("2026-01-01T12:00:00.000+00:00", "2026-01-01T12:00:04.500+00:00")
    assert (record.result, record.reason, record.pdn) == ("1-0", "Black has no move", "1. 11-15 23-19 1-0")
    assert [(move.ply, move.colour, move.move) for move in journal.moves(game)] == [
        (1, "black", "11-15"),
        (2, "white", "23-19"),
    ]
    assert journal.moves(game)[1].fen_after == "B:W19,21,22,24-32:B1-10,12,15"
    (verdict,) = journal.verdicts(game)
    assert (verdict.kind, verdict.text, verdict.details) == (
        "move",
        "you moved 11-15",
        {"move": "11-15", "squares": [11, 15]},
    )
    (transfer,) = journal.intents(game)
    assert (transfer.id, transfer.from_place, transfer.to_place, transfer.discs) == (intent, "23", "19", 1)
    assert (transfer.outcome, transfer.detail) == (Outcome.DONE, "seen on 19")
    assert (transfer.at, transfer.finished_at) == ("2026-01-01T12:00:01.500+00:00", "2026-01-01T12:00:04.500+00:00")


def test_everything_is_on_disk_when_its_call_returns(journal, path):
    game = journal.begin_game(START, "white", 1)
    assert seen_by_another(path, "SELECT id, human, ended_at FROM games") == [(game, "white", None)]
    intent = journal.intend(game, 1, "crown 30", "T17", "30", 1)
    assert seen_by_another(path, "SELECT id, from_place, to_place, outcome FROM transfers") == [
        (intent, "T17", "30", None)
    ]
    journal.finish(intent, Outcome.FAILED, "nothing was gripped")
    assert seen_by_another(path, "SELECT outcome, detail FROM transfers") == [("failed", "nothing was gripped")]
    journal.record_verdict(game, "hand", "a hand is over the board")
    assert seen_by_another(path, "SELECT kind, details FROM verdicts") == [("hand", "{}")]
    journal.record_move(game, 1, "black", "9-13", "W:…")
    assert seen_by_another(path, "SELECT ply, move FROM moves") == [(1, "9-13")]


def test_the_disk_is_waited_for(journal, monkeypatch, path):
    # synchronous 2 is FULL, which syncs the log of a database in WAL mode at every commit.
    seen = []
    connect = sqlite3.connect

    def watched(*arguments, **options):
        seen.append(connect(*arguments, **options))
        return seen[-1]

    monkeypatch.setattr(journal_module.sqlite3, "connect", watched)
    with Journal(path, VirtualClock()):
        assert seen[0].execute("PRAGMA synchronous").fetchone() == (2,)
        assert seen[0].execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_open_intents_are_those_without_an_outcome(journal):
    game, other = journal.begin_game(START, "black", 5), journal.begin_game(START, "black", 5)
    first = journal.intend(game, 2, "18 to the tray", "18", "T1", 1)
    second = journal.intend(game, 2, "22 to 15", "22", "15", 1)
    third = journal.intend(game, 2, "crown 15", "T17", "15", 1)
    journal.intend(other, 2, "22 to 15", "22", "15", 1)
    journal.finish(first, Outcome.DONE)
    journal.finish(third, Outcome.STOPPED, "a person pressed stop")
    assert [intent.id for intent in journal.open_intents(game)] == [second]
    assert [intent.outcome for intent in journal.intents(game)] == [Outcome.DONE, None, Outcome.STOPPED]


def test_the_last_unfinished_game(journal):
    assert journal.last_unfinished_game() is None
    journal.begin_game(START, "black", 5)
    newest = journal.begin_game(START, "white", 6)
    unfinished = journal.last_unfinished_game()
    assert unfinished and (unfinished.id, unfinished.human, unfinished.level) == (newest, "white", 6)
    journal.end_game(newest, "1/2-1/2", "agreed", "1/2-1/2")
    assert journal.last_unfinished_game() is None


def test_a_ply_decided_anew_replaces_the_old_one(journal):
    game = journal.begin_game(START, "black", 5)
    journal.record_move(game, 1, "black", "11-15", "a")
    journal.record_move(game, 1, "black", "11-16", "b")
    assert [(move.move, move.fen_after) for move in journal.moves(game)] == [("11-16", "b")]


def test_moves_that_are_taken_back_are_gone_from_the_game_and_kept_beside_it(journal):
    game, other = journal.begin_game(START, "black", 5), journal.begin_game(START, "black", 5)
    for ply, move in enumerate(("11-15", "22-18", "15x22", "25x18"), 1):
        journal.record_move(game, ply, "black" if ply % 2 else "white", move, START)
        journal.record_move(other, ply, "black" if ply % 2 else "white", move, START)
    journal.take_back(game, 2, ["15x22", "25x18"])
    assert [move.move for move in journal.moves(game)] == ["11-15", "22-18"]
    assert len(journal.moves(other)) == 4
    (record,) = journal.take_backs(game)
    assert (record.plies, record.moves) == (2, ("15x22", "25x18"))
    assert journal.take_backs(other) == ()
    journal.record_move(game, 3, "black", "10-14", START)
    assert [move.ply for move in journal.moves(game)] == [1, 2, 3]


def test_a_take_back_that_cannot_be_written_changes_nothing(journal):
    game = journal.begin_game(START, "black", 5)
    journal.record_move(game, 1, "black", "11-15", START)
    with pytest.raises(sqlite3.IntegrityError):
        journal.take_back(game + 7, 0, ["11-15"])
    assert [move.move for move in journal.moves(game)] == ["11-15"]
    journal.record_move(game, 2, "white", "22-18", START)


def test_a_journal_from_before_moves_could_be_taken_back_goes_on(path, clock, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(journal_module, "MIGRATIONS", journal_module.MIGRATIONS[:2])
        patched.setattr(journal_module, "FORMAT_VERSION", 2)
        with Journal(path, clock) as journal:
            game = journal.begin_game(START, "black", 5)
            journal.record_move(game, 1, "black", "11-15", START)
    with Journal(path, clock) as journal:
        journal.take_back(game, 0, ["11-15"])
        assert journal.moves(game) == ()


def test_what_does_not_exist_is_a_fault_of_the_program(journal):
    with pytest.raises(ValueError, match="no entry number 99"):
        journal.finish(99, Outcome.DONE)
    with pytest.raises(ValueError, match="no entry number 98"):
        journal.end_game(98, "*", "", "")
    with pytest.raises(sqlite3.IntegrityError):
        journal.intend(97, 1, "nothing", "1", "2", 1)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.dictionaries(st.text(), st.integers() | st.text()))
def test_any_text_comes_back(tmp_path_factory, text, details):
    with Journal(tmp_path_factory.mktemp("any") / "j", VirtualClock()) as journal:
        game = journal.begin_game(START, "black", 5)
        journal.record_verdict(game, "unclear", text, details)
        (verdict,) = journal.verdicts(game)
        assert (verdict.text, verdict.details) == (text, details)


def test_it_is_all_there_when_opened_again(path, clock):
    with Journal(path, clock) as journal:
        game = journal.begin_game(START, "black", 5)
        intent = journal.intend(game, 1, "9 to 13", "9", "13", 1)
    with Journal(path, clock) as journal:
        assert [record.id for record in journal.games()] == [game]
        assert [record.id for record in journal.open_intents(game)] == [intent]


def test_a_program_that_is_killed_loses_nothing_that_returned(path):
    program = f"""
import os, signal
from pathlib import Path
from controller.journal import Journal, Outcome
from hardware.clock import VirtualClock
journal = Journal(Path({str(path)!r}), VirtualClock())
game = journal.begin_game({START!r}, "black", 5)
done = journal.intend(game, 1, "22 to the tray", "22", "T1", 1)
journal.finish(done, Outcome.DONE)
journal.intend(game, 1, "11 to 15", "11", "15", 1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode == -9
    with Journal(path, VirtualClock()) as journal:
        game = journal.last_unfinished_game()
        assert game is not None
        assert [(intent.description, intent.outcome) for intent in journal.intents(game.id)] == [
            ("22 to the tray", Outcome.DONE),
            ("11 to 15", None),
        ]


def test_a_write_cut_off_in_the_middle_leaves_the_state_before_it(path, clock):
    with Journal(path, clock) as journal:
        game = journal.begin_game(START, "black", 5)
        journal.intend(game, 1, "whole", "9", "13", 1)
        log = Path(f"{path}-wal").read_bytes()
        journal.intend(game, 1, "cut", "13", "17", 1)
        longer = Path(f"{path}-wal").read_bytes()
        image = path.read_bytes()
    # A power cut in the middle of the second write: its part of the log has reached the disk only half.
    for length in (len(log), len(log) + 100, (len(log) + len(longer)) // 2, len(longer) - 1):
        copy = path.with_name(f"cut{length}.sqlite3")
        copy.write_bytes(image)
        Path(f"{copy}-wal").write_bytes(longer[:length])
        with Journal(copy, clock) as journal:
            assert [intent.description for intent in journal.intents(game)] == ["whole"]


def test_the_file_carries_its_format(journal, path):
    assert seen_by_another(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert seen_by_another(path, "PRAGMA user_version") == [(FORMAT_VERSION,)]


def test_an_older_format_is_brought_up_to_date(path, clock, monkeypatch):
    with Journal(path, clock) as journal:
        game = journal.begin_game(START, "black", 5)
    step = "ALTER TABLE verdicts ADD COLUMN picture TEXT; CREATE TABLE notes (text TEXT) STRICT;"
    monkeypatch.setattr(journal_module, "MIGRATIONS", (*journal_module.MIGRATIONS, step))
    monkeypatch.setattr(journal_module, "FORMAT_VERSION", FORMAT_VERSION + 1)
    with Journal(path, clock) as journal:
        assert [record.id for record in journal.games()] == [game]
    assert seen_by_another(path, "PRAGMA user_version") == [(FORMAT_VERSION + 1,)]
    assert seen_by_another(path, "SELECT count(*) FROM notes") == [(0,)]


def test_levels_of_the_first_format_are_kept(path, clock, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(journal_module, "MIGRATIONS", journal_module.MIGRATIONS[:1])
        patched.setattr(journal_module, "FORMAT_VERSION", 1)
        with Journal(path, clock) as journal:
            old = journal.begin_game(START, "black", 5)
            journal.record_move(old, 1, "black", "11-15", START)
    with Journal(path, clock) as journal:
        new = journal.begin_game(START, "white", "best")
        assert [(record.id, record.level) for record in journal.games()] == [(old, 5), (new, "best")]
        assert [move.move for move in journal.moves(old)] == ["11-15"]
        assert journal.last_unfinished_game().level == "best"


def test_a_step_that_fails_changes_nothing(path, clock, monkeypatch):
    with Journal(path, clock):
        pass
    with monkeypatch.context() as patched:
        step = "CREATE TABLE notes (text TEXT) STRICT; CREATE TABLE games (again TEXT) STRICT;"
        patched.setattr(journal_module, "MIGRATIONS", (*journal_module.MIGRATIONS, step))
        patched.setattr(journal_module, "FORMAT_VERSION", FORMAT_VERSION + 1)
        with pytest.raises(JournalError):
            Journal(path, clock)
    assert seen_by_another(path, "SELECT name FROM sqlite_schema WHERE name = 'notes'") == []
    with Journal(path, clock) as journal:
        assert journal.games() == ()


def test_a_newer_format_is_refused_and_left_alone(path, clock):
    with Journal(path, clock) as journal:
        journal.begin_game(START, "black", 5)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(JournalError, match=f"format {FORMAT_VERSION + 1} .* up to {FORMAT_VERSION}: update"):
        Journal(path, clock)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is a letter, not a journal\n" * 100, b"\x89PNG\r\n\x1a\n" + bytes(4000)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(content, path, clock):
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"is not a journal, or is damaged"):
        Journal(path, clock)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_left_alone(path, clock):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="database of another program"):
        Journal(path, clock)
    assert path.read_bytes() == before


def test_a_damaged_page_is_said(path, clock):
    with Journal(path, clock) as journal:
        game = journal.begin_game(START, "black", 5)
        for ply in range(1, 500):
            journal.record_move(game, ply, "black", "11-15", "W:W21-32:B1-10,12,15")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"is not a journal, or is damaged"), Journal(path, clock) as journal:
        journal.moves(game)


def test_an_empty_file_becomes_a_journal(path, clock):
    path.parent.mkdir()
    path.touch()
    with Journal(path, clock) as journal:
        assert journal.games() == ()


def test_a_folder_in_its_place_is_said(path, clock):
    path.mkdir(parents=True)
    with pytest.raises(JournalError, match="cannot be opened: name a file in a folder"):
        Journal(path, clock)


def test_a_file_in_place_of_its_folder_is_said(path, clock):
    path.parent.touch()
    with pytest.raises(JournalError, match="cannot make the folder of the journal"):
        Journal(path, clock)


def with_pragma(monkeypatch, pragma: str) -> None:
    """Make SQLite's connections refuse as a full or a read-only disk makes them refuse."""
    connect = sqlite3.connect

    def limited(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.execute(f"PRAGMA {pragma}")
        return connection

    monkeypatch.setattr(journal_module.sqlite3, "connect", limited)


def test_a_full_disk_is_said_and_what_was_written_stays(path, clock, monkeypatch):
    with_pragma(monkeypatch, "max_page_count = 20")
    with Journal(path, clock) as journal:
        game = journal.begin_game(START, "black", 5)
        with pytest.raises(JournalError, match="the disk is full"):
            for ply in range(1, 10_000):
                journal.record_move(game, ply, "black", "11-15", "W:W21-32:B1-10,12,15")
        written = len(journal.moves(game))
    monkeypatch.undo()
    with Journal(path, clock) as journal:
        assert len(journal.moves(game)) == written > 0


def test_a_read_only_disk_is_said(path, clock, monkeypatch):
    with Journal(path, clock):
        pass
    with_pragma(monkeypatch, "query_only = 1")
    with pytest.raises(JournalError, match="may not be written"):
        Journal(path, clock)


def test_a_journal_that_is_being_written_by_another_is_said(path, clock, monkeypatch):
    monkeypatch.setattr(journal_module, "BUSY_S", 0.0)
    with Journal(path, clock) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="another program is writing"):
            journal.begin_game(START, "black", 5)
        other.execute("ROLLBACK")
        assert journal.begin_game(START, "black", 5)
