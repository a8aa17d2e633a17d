"""`crownhead match`: a match from its command line, its words and its figures."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import match_words
from controller.cli.main import main
from controller.cli.match_words import elo_words, words_of
from controller.draughts import read_pdn
from controller.engine.match import MatchGame, MatchOrder, MatchResult, Pace, player_named
from controller.engine.openings import ballots

ROOT = Path(__file__).parents[2]
QUICK = ("--nodes", "30", "--no-tables")


@pytest.fixture
def match(capsys):
    """Run the command; its exit status, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["match", *arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


def test_a_match_is_told_game_by_game_and_summed_up(match) -> None:
    status, out, err = match("2", "1", "--games", "3", *QUICK)
    assert (status, err) == (0, "")
    first, second, third, total, elo, pace, other_pace = out.splitlines()
    assert first.startswith("game 1 of 3, ballot ")
    assert "2 (Black) against 1: " in first
    assert "1 (Black) against 2: " in second
    assert third.startswith("game 3 of 3")
    assert total.startswith("2 against 1, 3 games: ")
    assert elo.startswith("Elo difference ")
    assert "likelihood that 2 is stronger" in elo
    assert pace.startswith("2: ")
    assert other_pace.startswith("1: ")


def test_json_is_all_that_is_on_stdout(match, tmp_path) -> None:
    status, out, err = match("2", "baseline", "--games", "2", *QUICK, "--json", "--report", str(tmp_path / "report"))
    assert status == 0
    report = json.loads(out)
    assert json.loads((tmp_path / "report").read_text()) == report
    assert err.splitlines()[0].startswith("game 1 of 2")
    assert report["games"] == report["planned"] == 2
    assert report["wins"] + report["draws"] + report["losses"] == 2
    assert {"first", "second", "score", "elo", "error", "superiority", "failures", "pace", "played"} <= report.keys()
    assert report["first"] == "2"
    assert [game["black"] for game in report["played"]] == ["first", "second"]
    assert report["pace"]["second"]["nodes"] > 0


def test_the_games_are_written_as_pdn(match, tmp_path) -> None:
    file = tmp_path / "games.pdn"
    match("1", "1", "--games", "4", "--ballots", "7, 130", *QUICK, "--pdn", str(file))
    games = read_pdn(file.read_bytes())
    assert [game.tags["Opening"].split()[1] for game in games] == ["7", "7", "130", "130"]


def test_every_ballot_is_played_twice(match, monkeypatch) -> None:
    orders: list[MatchOrder] = []
    monkeypatch.setattr(match_words, "match_display", lambda console, order: orders.append(order) or 1 / 0)
    match("1", "1", "--ballots", "all", *QUICK)
    (order,) = orders
    assert (order.openings, order.games) == (ballots(), 312)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nobody", "1"], "there is no player 'nobody'"),
        (["1", "hub:"], "must be followed by the command"),
        (["1", "hub:/nowhere/engine"], "cannot start '/nowhere/engine'"),
        (["1", "2", "--ballots", "3"], "ballot 3 (9-13 21-17 10-14) is barred"),
        (["1", "2", "--ballots", "900"], "there is no ballot 900"),
        (["1", "2", "--param-a", "book=false"], "1 has no parameters"),
        (["1", "2", "--pdn", "/nowhere/games.pdn"], "/nowhere/games.pdn: No such file or directory"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(match, arguments: list[str], reason: str) -> None:
    status, out, err = match(*arguments, *QUICK)
    assert (status, out) == (1, "")
    assert reason in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ["--games", "0"],
        ["--ballots", "some"],
        ["--ballots", "7,"],
        ["--concurrency", "0"],
        ["--param-b", "book"],
        ["--adjudicate"],
        ["--pdn", "file", "--report", "file"],
    ],
)
def test_wrong_usage(match, wrong: list[str]) -> None:
    status, out, err = match("1", "2", *wrong, *QUICK)
    assert (status, out) == (2, "")
    assert "crownhead match: error: " in err


def test_a_parameter_reaches_a_program(match, tmp_path) -> None:
    log = tmp_path / "log"
    source = (
        "import sys\n"
        f"log = open({str(log)!r}, 'a')\n"
        "for line in sys.stdin:\n"
        "    print(line.strip(), file=log, flush=True)\n"
        "    print({'hub': 'param name=book\\nwait', 'init': 'ready'}.get(line.strip(), ''), flush=True)\n"
        "    if line.startswith('go'): sys.exit(5)\n"
    )
    status, out, _ = match(
        f"hub:{sys.executable} -c {shlex.quote(source)}", "1", "--games", "1", "--param-a", "book=false", *QUICK
    )
    assert status == 0
    assert "set-param name=book value=false\n" in log.read_text()
    assert "Games that ended by a failure: 1, the first of them game 1:" in out
    assert "it has ended with exit status 5" in out


@pytest.mark.parametrize(
    ("name", "reason"), [("level=99", "the level must be one of"), ("threads=abc", "threads must")]
)
@pytest.mark.parametrize("concurrency", ["1", "2"])
def test_a_parameter_that_a_program_refuses_ends_the_match(match, name: str, reason: str, concurrency: str) -> None:
    engine = f"hub:{sys.executable} -m controller.cli.main engine --no-tables"
    status, out, err = match(engine, "1", "--param-a", name, "--concurrency", concurrency, *QUICK)
    assert (status, out) == (1, "")
    assert f"reports an error: {reason}" in err


def test_without_limits_the_default_is_said(match) -> None:
    _, out, err = match("best", "hub:/nowhere/engine", "--no-tables")
    assert out == "No limits were given, so that every move of both has 0.1 s.\n"
    assert "cannot start" in err


def test_files_stay_as_they_were_when_no_game_is_played(match, tmp_path) -> None:
    files = [tmp_path / "games.pdn", tmp_path / "report.json"]
    for file in files:
        file.write_text("before")
    status, _, _ = match("1", "hub:/nowhere/engine", "--pdn", str(files[0]), "--report", str(files[1]), *QUICK)
    assert status == 1
    assert [file.read_text() for file in files] == ["before", "before"]
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_ends_a_match_leaves_whole_files(tmp_path, number: signal.Signals) -> None:
    pdn, report = tmp_path / "games.pdn", tmp_path / "report.json"
    report.write_text("before")
    options = [*QUICK, "--games", "100000", "--pdn", str(pdn), "--report", str(report)]
    with subprocess.Popen(
        [sys.executable, "-m", "controller.cli.main", "match", "1", "1", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True,
    ) as process:  # fmt: skip
        while not process.stderr.readline().startswith("game 2 of 100000"):
            assert process.poll() is None
        assert report.read_text() == "before"
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert json.loads(report.read_text())["games"] == len(read_pdn(pdn.read_bytes())) >= 2
    assert sorted(tmp_path.iterdir()) == [pdn, report]


def test_the_failure_of_a_program_is_one_sentence(match) -> None:
    body = "{'hub': 'wait', 'init': 'ready', 'go think': 'done move=1-5'}.get(line.strip(), '')"
    source = f"import sys\nfor line in sys.stdin: print({body}, flush=True)"
    _, out, _ = match(f"hub:{sys.executable} -c {shlex.quote(source)}", "1", "--games", "1", *QUICK)
    assert "has played an illegal move: 1-5 is not legal" in out
    assert ".." not in out.replace("…", "")
    assert "1 move of " in out


def test_ctrl_c_before_the_first_game_is_answered() -> None:
    command = [sys.executable, "-m", "controller.cli.main", "match", "1", "hub:cat", *QUICK]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        waiting = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert waiting == "crownhead: waiting for hub:cat to say 'wait', for up to 20 s\n"
    assert (process.returncode, out, err) == (130, "", "crownhead: stopped\n")


def test_ctrl_c_tells_what_there_is() -> None:
    command = [sys.executable, "-m", "controller.cli.main", "match", "1", "1", "--games", "100000", *QUICK, "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        while not process.stderr.readline().startswith("game 1 of 100000"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    report = json.loads(out)
    assert 1 <= report["games"] < report["planned"] == 100000
    assert "Traceback" not in err
    assert f"Stopped after {report['games']} of 100000 games." in err


def result_of(*points: float, **options) -> MatchResult:
    order = MatchOrder(player_named("best"), player_named("baseline"), ballots()[:1], max(len(points), 1))
    pace = (Pace(100, 10.5, 4_000_000, 80, 1600, **options), Pace(50, 5.0, 100, 10, 25))
    return MatchResult(
        order, tuple(MatchGame(n, "o", True, "*", won, "r", None, 9, "", pace) for n, won in enumerate(points))
    )


def test_nothing_is_said_of_no_games() -> None:
    assert words_of(result_of()) == []


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([1.0] * 200, "more than +604"),
        ([0.0] * 200, "less than -604"),
        ([1.0, 1.0], "?"),
        ([1.0, 0.0] * 50 + [1.0, 0.5] * 50, "+89 ± 18"),
    ],
)
def test_the_difference_in_words(points: list[float], words: str) -> None:
    assert elo_words(result_of(*points)) == words


def test_lateness_is_told() -> None:
    late = words_of(result_of(1.0, late=3, most_over_s=0.0456))[2]
    assert late == (
        "best: 100 moves of 105.0 ms, depth 20.0, 380,952 nodes/s;"
        " 3 over their time by more than 20 ms (the worst by 46 ms)"
    )
