"""An engine in another program: what is written to it, and what is made of its answers."""

from __future__ import annotations

import shlex
import sys
from collections import deque
from collections.abc import Sequence

import pytest

from controller.draughts import Game, GameOverError, parse_move, read_fen
from controller.engine.hub.client import GETTING_READY_S, GRACE_S, GREETING_S, HubClient, start_hub_engine
from controller.engine.hub.errors import HubError
from controller.engine.interface import WIN, Limits
from hardware.clock import RealClock, VirtualClock

Exchange = tuple[str, Sequence[str]]

GREETING: list[Exchange] = [
    ("hub", ["id name=Scripted version=1", "param name=book value=true type=bool", "wait"]),
    ("init", ["loading tables", "ready"]),
]
START = "pos pos=Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"
HALF_SECOND = Limits(seconds=0.5)


class ScriptedEngine:
    """Expects the lines of a script in order, and answers each with its lines; silence takes all the time allowed."""

    def __init__(self, exchanges: Sequence[Exchange], clock: VirtualClock) -> None:
        self.exchanges = deque(exchanges)
        self.answers: deque[str] = deque()
        self.clock = clock
        self.ended: str | None = None
        self.closed = False

    def write(self, line: str) -> None:
        if line == "quit":
            return
        expected, answers = self.exchanges.popleft()
        assert line == expected
        self.answers += answers

    def read(self, within_s: float) -> str | None:
        if self.answers:
            return self.answers.popleft()
        if self.ended is not None and not self.exchanges:
            raise HubError(self.ended)
        self.clock.sleep(within_s + 0.001)
        return None

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def scripted():
    """A client of an engine that keeps to a script; in the end the script must have been used up."""
    engines: list[ScriptedEngine] = []

    def make(*exchanges: Exchange, ended: str | None = None) -> HubClient:
        clock = VirtualClock()
        engines.append(ScriptedEngine([*GREETING, *exchanges], clock))
        engines[-1].ended = ended
        return HubClient(engines[-1], clock, "Scripted")

    yield make
    assert [list(engine.exchanges) for engine in engines] == [[] for _ in engines]


def search(*answers: str, pos: str = START, level: str = "level move-time=0.5") -> list[Exchange]:
    return [(pos, []), (level, []), ("go think", answers)]


def test_a_move_comes_with_what_is_known_of_it(scripted) -> None:
    info = 'info depth=4 mean-depth=3.9 score=0.25 nodes=1234 time=0.2 nps=0.01 pv="11-15 22-17 8-11"'
    client = scripted(*search(info, "some chatter", "done move=11-15 ponder=22-17"))
    reply = client.choose(Game(), HALF_SECOND)
    assert (str(reply.move), reply.score, reply.depth, reply.nodes) == ("11-15", 25, 4, 1234)
    assert [str(move) for move in reply.pv] == ["11-15", "22-17", "8-11"]


def test_a_move_alone_will_do(scripted) -> None:
    reply = scripted(*search("done move=9-14")).choose(Game(), HALF_SECOND)
    assert (str(reply.move), reply.score, reply.depth, reply.nodes) == ("9-14", 0, 0, 0)
    assert reply.pv == (reply.move,)


def test_what_an_info_leaves_out_is_as_before(scripted) -> None:
    told = []
    lines = ["info depth=1", 'info depth=2 score=99.95 pv="9-14 99-1"', "info nodes=77", "info score=-0.5 depth=x"]
    scripted(*search(*lines, "done move=9-14")).choose(Game(), HALF_SECOND, progress=told.append)
    assert [(reply.depth, reply.score, reply.nodes, len(reply.pv)) for reply in told] == [
        (2, WIN - 5, 0, 1),
        (2, WIN - 5, 77, 1),
        (2, -50, 77, 1),
    ]


@pytest.mark.parametrize(
    ("limits", "level"),
    [
        (Limits(depth=7), "level depth=7"),
        (Limits(nodes=100), "level nodes=100"),
        (Limits(seconds=2, depth=3, nodes=4), "level move-time=2 depth=3 nodes=4"),
        (Limits(), "level infinite"),
    ],
)
def test_limits_are_passed_on(scripted, limits: Limits, level: str) -> None:
    scripted(*search("done move=9-14", level=level)).choose(Game(), limits)


def test_moves_that_can_be_repeated_are_told(scripted) -> None:
    game = Game(read_fen("B:WK32,5:BK1"))
    for move in ("1-6", "32-28", "6-1"):
        game.play(parse_move(game.position, move))
    pos = 'pos pos=BBeeeweeeeeeeeeeeeeeeeeeeeeeeeeeW moves="1-6 32-28 6-1"'
    reply = scripted(*search("done move=28-32", pos=pos)).choose(game, HALF_SECOND)
    assert str(reply.move) == "28-32"


def test_moves_that_cannot_be_repeated_are_not_told(scripted) -> None:
    game = Game()
    game.play(parse_move(game.position, "11-15"))
    pos = "pos pos=Wbbbbbbbbbbebeebeeeeewwwwwwwwwwww"
    assert str(scripted(*search("done move=24-20", pos=pos)).choose(game, HALF_SECOND).move) == "24-20"


@pytest.mark.parametrize("text", ["11x27x15x23", "11x27", "11x18x27"])
def test_captures_are_understood_in_every_form(scripted, text: str) -> None:
    pos = "pos pos=Beeeeeeeeeebeeeweeeeeeeweeeeeeeee"
    game = Game(read_fen("B:W15,23:B11"))
    assert scripted(*search(f"done move={text}", pos=pos)).choose(game, HALF_SECOND).move.path == (11, 18, 27)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("done move=11-14", "Scripted has played an illegal move: 11-14 is not legal"),
        ("done move=resign", "has played an illegal move: “resign” is not a move"),
        ("done", "has answered without a move"),
    ],
)
def test_an_answer_that_is_no_legal_move_is_refused(scripted, answer: str, reason: str) -> None:
    with pytest.raises(HubError, match=reason):
        scripted(*search(answer)).choose(Game(), HALF_SECOND)


def test_an_engine_that_ends_is_gone(scripted) -> None:
    client = scripted(*search("info depth=1"), ended="it has ended with exit status 3: out of memory")
    with pytest.raises(HubError, match="Scripted is gone: it has ended with exit status 3: out of memory"):
        client.choose(Game(), HALF_SECOND)


def test_a_slow_engine_is_told_to_stop_and_may_answer_then(scripted) -> None:
    client = scripted(*search(), ("stop", ["done move=9-14"]))
    reply = client.choose(Game(), HALF_SECOND)
    assert str(reply.move) == "9-14"
    assert reply.seconds == pytest.approx(0.5 + GRACE_S, abs=0.1)


def test_a_silent_engine_is_given_up(scripted) -> None:
    client = scripted(*search(), ("stop", []))
    with pytest.raises(HubError, match=r"Scripted has not answered within 10\.5 s"):
        client.choose(Game(), HALF_SECOND)


def test_an_engine_that_reports_an_error_and_does_not_answer_is_quoted(scripted) -> None:
    client = scripted(*search('error message="bad position"'), ("stop", []))
    with pytest.raises(HubError, match="Scripted reports an error: bad position"):
        client.choose(Game(), HALF_SECOND)


def test_an_error_that_the_engine_gets_over_does_not_matter(scripted) -> None:
    client = scripted(*search('error message="no book"', "done move=9-14"))
    assert str(client.choose(Game(), HALF_SECOND).move) == "9-14"


def test_it_stops_when_it_is_asked_to(scripted) -> None:
    client = scripted(*search("info depth=1", level="level infinite"), ("stop", ["done move=9-14"]))
    asked = iter([False, False, True])
    assert str(client.choose(Game(), Limits(), stop=lambda: next(asked)).move) == "9-14"


def test_a_finished_game_is_not_asked_about(scripted) -> None:
    with pytest.raises(GameOverError):
        scripted().choose(Game(read_fen("W:W:B1")), HALF_SECOND)


def test_a_new_game_is_announced(scripted) -> None:
    scripted(("new-game", [])).new_game()


def greeted(*exchanges: Exchange, parameters: dict[str, str] | None = None) -> ScriptedEngine:
    clock = VirtualClock()
    engine = ScriptedEngine(exchanges, clock)
    with HubClient(engine, clock, "Scripted", parameters):
        pass
    assert not engine.exchanges
    return engine


def test_parameters_are_set_between_greeting_and_getting_ready() -> None:
    engine = greeted(
        GREETING[0], ('set-param name=book value="a b"', []), GREETING[1], parameters={"book": "a b"}
    )  # fmt: skip
    assert engine.closed


@pytest.mark.parametrize(
    ("exchanges", "parameters", "reason", "seconds"),
    [
        ([GREETING[0]], {"hash": "1"}, "has no parameter 'hash'; it has: book", 0),
        ([("hub", ["what?"])], {}, "has not said 'wait' within 20.0 s: does it speak the Hub protocol", GREETING_S),
        ([GREETING[0], ("init", ["wait"])], {}, "has not said 'ready'", GETTING_READY_S),
        ([GREETING[0], ("init", ['error message="no data"'])], {}, "reports an error: no data", 2),
        (
            [GREETING[0], ("set-param name=book value=9", ['error message="book must be true"']), GREETING[1]],
            {"book": "9"},
            "reports an error: book must be true$",
            0,
        ),
    ],
)
def test_an_engine_that_does_not_get_ready_is_closed(exchanges, parameters, reason: str, seconds: float) -> None:
    clock = VirtualClock()
    engine = ScriptedEngine(exchanges, clock)
    with pytest.raises(HubError, match=f"Scripted {reason}"):
        HubClient(engine, clock, "Scripted", parameters)
    assert engine.closed
    assert clock.now() == pytest.approx(seconds, abs=0.1)


def test_it_is_said_what_is_waited_for() -> None:
    clock, told = VirtualClock(), []
    with pytest.raises(HubError, match="has not said 'wait'"):
        HubClient(ScriptedEngine([("hub", ["what?"])], clock), clock, "Scripted", told=told.append)
    assert told == ["waiting for Scripted to say 'wait', for up to 20 s"]


def test_an_engine_that_is_quick_is_not_spoken_of() -> None:
    clock, told = VirtualClock(), []
    HubClient(ScriptedEngine(GREETING, clock), clock, "Scripted", told=told.append).close()
    assert told == []


# From here on the other programs are real ones.


def program(body: str) -> str:
    """The command line of a Hub engine that says hello, then does what `body` says with each further line."""
    source = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    line = line.strip()\n"
        "    if line == 'hub': print('wait', flush=True)\n"
        "    elif line == 'init': print('ready', flush=True)\n"
        f"    elif line == 'go think': {body}\n"
    )
    return f"{sys.executable} -c {shlex.quote(source)}"


def test_a_real_program_answers() -> None:
    with start_hub_engine(program("print('done move=9-14', flush=True)"), RealClock(), "Real") as client:
        for _ in range(3):
            assert str(client.choose(Game(), HALF_SECOND).move) == "9-14"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit(3)", "Real is gone: it has ended with exit status 3$"),
        ("1 / 0", "exit status 1: ZeroDivisionError: division by zero"),
        ("__import__('os').kill(__import__('os').getpid(), 9)", "it was ended by signal 9"),
    ],
)
def test_the_last_words_of_a_program_are_told(body: str, reason: str) -> None:
    with (
        start_hub_engine(program(body), RealClock(), "Real") as client,
        pytest.raises(HubError, match=reason),
    ):
        client.choose(Game(), HALF_SECOND)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("/nowhere/engine --fast", "cannot start '/nowhere/engine': No such file"),
        ("", "no command"),
        ("'unfinished", "cannot read the command line"),
        ("true", "true is gone: it has ended with exit status 0"),
    ],
)
def test_a_program_that_is_none_is_refused_in_a_sentence(command: str, reason: str) -> None:
    with pytest.raises(HubError, match=reason):
        start_hub_engine(command, RealClock())


def test_our_own_engine_is_an_engine_for_others() -> None:
    command = f"{sys.executable} -m controller.cli.main engine --no-tables --level 4"
    with start_hub_engine(command, RealClock(), parameters={"seed": "5"}) as client:
        game = Game()
        told: list[object] = []
        client.new_game()
        for _ in range(6):
            game.play(client.choose(game, Limits(nodes=200), progress=told.append).move)
        assert game.plies == 6
        assert told
