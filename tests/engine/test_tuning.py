"""Learning the evaluation: self-play, its records, and the fitting."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from controller.draughts.bitboard import jumpers, successors
from controller.engine import _core
from controller.engine.network import load_network
from controller.engine.tuning.__main__ import main
from controller.engine.tuning.fitting import Fitting, Progress, fit
from controller.engine.tuning.inputs import Boards32
from controller.engine.tuning.records import (
    RECORD,
    UNKNOWN_RESULT,
    Records,
    RecordsError,
    append_records,
    fit_to_learn,
    packed_state,
    read_records,
)
from controller.engine.tuning.records import turned as turned_board
from controller.engine.tuning.self_play import SelfPlay, play_games

SETTINGS = SelfPlay(nodes=300)


@pytest.fixture(autouse=True)
def own_weights() -> Iterator[None]:
    load_network()
    yield
    load_network()


def some_games(settings: SelfPlay, number: int, first: int = 1_000_000) -> list[tuple[int, Records]]:
    return list(itertools.islice(play_games(settings, first), number))


def unpacked(board: int) -> int:
    return sum(((board >> 8 * byte) & 0xFF) << 9 * byte for byte in range(4))


def test_records_of_games_are_sound() -> None:
    games = some_games(SETTINGS, 12)
    assert [number for number, _ in games] == list(range(1_000_000, 1_000_012))
    assert sum(len(records) > 0 for _, records in games) >= 6
    for number, records in games:
        assert set(records["game"]) <= {number}
        own_games = records[records["result"] != UNKNOWN_RESULT]
        assert set(own_games["result"]) <= {-1, 0, 1}
        assert np.all(np.diff(own_games["ply"].astype(int)) > 0)
        for record in records:
            own, other, kings = (unpacked(int(record[name])) for name in ("own", "other", "kings"))
            assert not own & other
            assert not kings & ~(own | other)
            assert not jumpers(own, other, kings, True)
            assert successors(own, other, kings, True)
    everything = np.concatenate([records for _, records in games])
    assert np.any(everything["result"] == UNKNOWN_RESULT)
    # The result is told to each side as its own: a game that one side wins is won and lost.
    decided = [set(records["result"]) - {UNKNOWN_RESULT} for _, records in games]
    assert all(results in (set(), {0}, {1, -1}, {1}, {-1}) for results in decided)


def test_a_game_depends_on_its_number_alone() -> None:
    games = some_games(SETTINGS, 4)
    again = some_games(SETTINGS, 2, first=1_000_002)
    for (number, records), (same_number, same_records) in zip(games[2:], again, strict=True):
        assert number == same_number
        assert records.tobytes() == same_records.tobytes()
    assert any(len(records) for _, records in again)


def test_boards_are_packed_and_turned_square_by_square() -> None:
    for square in range(1, 33):
        board = 1 << (square - 1) + (square - 1) // 8
        assert packed_state((board, 0, board), True) == (1 << square - 1, 0, 1 << square - 1)
        assert packed_state((0, board, 0), False) == (0, 1 << 32 - square, 0)
        assert turned_board(1 << square - 1) == 1 << 32 - square


def test_inputs_are_patterns_of_blocks_kings_and_the_opposition() -> None:
    # Own men on squares 1 and 7, the other's man on 2 and king on 32: 1 and 2 are in block 0, 7 in block 1.
    boards = Boards32(*(np.array([board], np.uint32) for board in (0b1000001, 1 << 31 | 0b10, 1 << 31)))
    assert boards.patterns().tolist() == [[1 + 2 * 3, 3**2, 0, 0, 0, 0, 0, 0]]
    assert boards.parities().tolist() == [0]
    behind = boards.from_behind()
    assert (int(behind.own[0]), int(behind.other[0]), int(behind.kings[0])) == (1 | 1 << 30, 1 << 31 | 1 << 25, 1)
    assert boards.leads().tolist() == [[1, -1]]
    assert behind.parities().tolist() == [0]
    assert behind.patterns().tolist() == [[0, 0, 0, 0, 0, 0, 2 * 3, 2 * 27 + 9]]
    assert boards.kings_by_square().nonzero()[1].tolist() == [63]
    assert behind.kings_by_square().nonzero()[1].tolist() == [0]


def made_up_records(number: int) -> Records:
    """Men scattered about; who has more of them wins."""
    chance = np.random.default_rng(1)
    records = np.zeros(number, RECORD)
    for index, record in enumerate(records):
        squares = chance.permutation(24)[: chance.integers(6, 16)] + 4
        half = len(squares) // 2 + int(chance.integers(-1, 2))
        record["own"], record["other"] = (
            sum(1 << int(square) for square in part) for part in (squares[:half], squares[half:])
        )
        lead = 2 * half - len(squares)
        record["score"], record["result"], record["game"] = 100 * lead, np.sign(lead), index
    return records


def test_fitting_learns_that_a_man_more_is_better() -> None:
    told: list[Progress] = []
    network = fit(made_up_records(4000), Fitting(epochs=10, batch=250, rate=0.01), told.append)
    assert [progress.epoch for progress in told] == list(range(1, 11))
    assert 0 <= told[-1].validation_loss < told[0].validation_loss
    _core.network_load(network.quantised().to_bytes())
    ahead, level, behind = (
        _core.evaluate(
            0b1111 << 9 | (0b1 << 13) * (lead >= 0), 0b111 << 18 | (0b1 << 21) * (lead <= 0), 0, True, False, 0.0, 0
        )
        for lead in (1, 0, -1)
    )
    assert ahead > level + 30 > behind + 60


def test_the_same_seed_fits_the_same_network() -> None:
    records = made_up_records(600)
    one, two, other = (
        fit(records, Fitting(epochs=1, batch=100, seed=seed)).quantised().to_bytes() for seed in (1, 1, 2)
    )
    assert one == two != other


def test_files_grow_and_lose_what_was_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "positions.dat"
    records = made_up_records(20)
    append_records(path, records[:10])
    with path.open("ab") as file:
        file.write(b"broken")
    append_records(path, records[10:])
    assert np.array_equal(read_records(path), records)


def test_each_position_is_learnt_once() -> None:
    records = made_up_records(50)
    records["own"][7], records["other"][7], records["kings"][7] = 1 << 9, 1 << 20, 1 << 9
    twice = np.concatenate([records, records])
    assert np.array_equal(fit_to_learn(twice, 5), fit_to_learn(records, 5))
    assert len(fit_to_learn(records, 2)) == len(fit_to_learn(records, 5)) + 1


def test_what_holds_no_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_bytes(b"It was a dark and stormy night; the rain fell in torrents. " * 3)
    with pytest.raises(RecordsError, match=r"novel\.txt is not a file of positions"):
        read_records(path)
    with pytest.raises(RecordsError, match="cannot be read"):
        read_records(tmp_path / "none")


def test_playing_and_fitting_as_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.engine.tuning.__main__.tables_ready", lambda environment: _NoTables())
    records, weights = tmp_path / "positions.dat", tmp_path / "weights.bin"
    play = ["play", str(records), "--nodes", "200", "--by-hand", "--games"]
    assert main([*play, "6"]) == 0
    first = records.read_bytes()
    assert "6 of 6 games" in capsys.readouterr().out
    assert main([*play, "30"]) == 0
    assert records.read_bytes().startswith(first)
    assert len(records.read_bytes()) > len(first)
    assert "30 of 30 games" in capsys.readouterr().out
    assert main(["fit", str(records), "--out", str(weights), "--epochs", "2"]) == 0
    assert "epoch 2: loss" in capsys.readouterr().out
    load_network(weights)


def test_commands_say_in_a_sentence_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(tmp_path / "none.dat"), "--out", str(tmp_path / "weights.bin")]) == 1
    assert "none.dat cannot be read" in capsys.readouterr().err
    append_records(tmp_path / "few.dat", made_up_records(10))
    assert main(["fit", str(tmp_path / "few.dat"), "--out", str(tmp_path / "weights.bin")]) == 1
    assert "too few to learn from" in capsys.readouterr().err
    assert not (tmp_path / "weights.bin").exists()
    for wrong in (["play", "x", "--games", "0"], ["fit", "x", "--out", "y", "--result-share", "2"], []):
        with pytest.raises(SystemExit) as left:
            main(wrong)
        assert left.value.code == 2


@pytest.mark.parametrize(
    "command", [["play", "{}", "--games", "5"], ["fit", "records.dat", "--out", "{}"]], ids=["play", "fit"]
)
@pytest.mark.parametrize(
    ("name", "reason"), [("none/x.dat", "there is no folder "), (".", "it is a folder, name a file in it")]
)
def test_what_cannot_be_written_is_said_before_any_work(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    name: str,
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    append_records(tmp_path / "records.dat", made_up_records(4000))
    monkeypatch.setattr("controller.engine.tuning.__main__.fit", lambda *_: pytest.fail("it was fitted"))
    path = tmp_path / name
    assert main([word.format(path) for word in command]) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.startswith(f"tuning: cannot write {path}: {reason}")


def test_a_full_disk_is_a_sentence_that_names_the_file(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no device that is always full")
    (tmp_path / "full.dat").symlink_to(full)
    with pytest.raises(RecordsError, match=r"cannot write .*full\.dat: "):
        append_records(tmp_path / "full.dat", made_up_records(10))


def test_two_series_do_not_share_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.engine.tuning.__main__.tables_ready", lambda environment: _NoTables())
    path = tmp_path / "first.dat"
    play = ["play", str(path), "--nodes", "100", "--games"]
    assert main([*play, "6", "--seed", "9"]) == 0
    before = path.read_bytes()
    assert before
    capsys.readouterr()
    assert main([*play, "12"]) == 1
    assert capsys.readouterr().err == (
        f"tuning: {path} holds games of series 9: keep those of series 1 in a file of their own, or go on with"
        " --seed 9\n"
    )
    assert path.read_bytes() == before


def test_ctrl_c_keeps_the_games_that_are_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(settings: SelfPlay, first: int) -> Iterator[tuple[int, Records]]:
        yield from itertools.islice(play_games(settings, first), 7)
        raise KeyboardInterrupt

    monkeypatch.setattr("controller.engine.tuning.__main__.tables_ready", lambda environment: _NoTables())
    whole, stopped = tmp_path / "whole.dat", tmp_path / "stopped.dat"
    options = ["--nodes", "100", "--games"]
    assert main(["play", str(whole), *options, "12"]) == 0
    with monkeypatch.context() as patched:
        patched.setattr("controller.engine.tuning.self_play.play_games", interrupted)
        assert main(["play", str(stopped), *options, "12"]) == 130
    assert capsys.readouterr().err == (
        f"tuning: stopped: the games that are done are in {stopped}, and the same command goes on with the next\n"
    )
    assert whole.read_bytes().startswith(stopped.read_bytes())
    assert len(stopped.read_bytes()) > 0
    assert main(["play", str(stopped), *options, "12"]) == 0
    assert stopped.read_bytes() == whole.read_bytes()


def test_ctrl_c_while_fitting_leaves_the_weights_as_they_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    records, out = tmp_path / "records.dat", tmp_path / "weights.bin"
    append_records(records, made_up_records(4000))
    out.write_bytes(b"before")
    monkeypatch.setattr("controller.engine.tuning.__main__.fit", interrupted)
    assert main(["fit", str(records), "--out", str(out)]) == 130
    assert capsys.readouterr().err == f"tuning: stopped: there are no weights yet, and {out} is as it was\n"
    assert out.read_bytes() == b"before"


class _NoTables:
    notes = ()
