"""The learnt evaluation: its file, its arithmetic in C and in numpy, and what it knows."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from controller.draughts import Colour, Position, read_fen
from controller.draughts.bitboard import BOARD, State, board_of, jumpers, squares_of, successors
from controller.engine import _core, choosing, network
from controller.engine.choosing import WeakerEngineWarning, has_learnt, make_engine
from controller.engine.network import NetworkError, load_network
from controller.engine.tuning.fitting import FloatNetwork
from controller.engine.tuning.inputs import Boards32
from controller.engine.tuning.records import RECORD, Records, packed_state
from controller.engine.tuning.weights import MOST_SCORE, Weights, WeightsError
from hardware.clock import VirtualClock

OWN_WEIGHTS = Path(network.__file__).with_name("network.bin")


@pytest.fixture(autouse=True)
def own_weights() -> Iterator[None]:
    """The engine's own weights before and after each test."""
    load_network()
    yield
    load_network()


def learnt(state: State, black: bool) -> int:
    return _core.network_evaluate(*state, black)


def judged(state: State, black: bool) -> int:
    return _core.evaluate(*state, black, False, 0.0, 0)


def by_hand(state: State, black: bool) -> int:
    return _core.evaluate(*state, black, True, 0.0, 0)


def positions_of_games(number: int) -> list[tuple[State, bool]]:
    """Quiet positions of random games, of both colours and all stages."""
    chance = random.Random(3)
    found: list[tuple[State, bool]] = []
    while len(found) < number:
        state, black = Position.start().state, True
        while choices := successors(*state, black):
            if not jumpers(*state, black) and chance.random() < 0.3:
                found.append((state, black))
            state, black = chance.choice(choices), not black
            if len(found) >= number:
                break
    return found


def positions_of_chance(number: int) -> list[tuple[State, bool]]:
    """Any pieces anywhere, up to a board full of kings."""
    chance = random.Random(4)
    squares = squares_of(BOARD)
    found: list[tuple[State, bool]] = []
    for _ in range(number):
        some = chance.sample(squares, chance.randint(2, 24))
        half = max(1, min(12, len(some) - 1, chance.randint(1, len(some))))
        own, other = board_of(some[:half]), board_of(some[half : half + 12])
        kings = board_of([square for square in some if chance.random() < chance.choice([0, 0.3, 1])]) & (own | other)
        found.append(((own, other, kings), chance.random() < 0.5))
    return found


def as_records(positions: list[tuple[State, bool]]) -> Records:
    records = np.zeros(len(positions), RECORD)
    for record, (state, black) in zip(records, positions, strict=True):
        record["own"], record["other"], record["kings"] = packed_state(state, black)
    return records


def turned(state: State) -> State:
    own, other, kings = (board_of([33 - square for square in squares_of(board)]) for board in state)
    return own, other, kings


def extreme_weights() -> Weights:
    """As large as the format's users allow, so that anything that could overflow does."""
    chance = np.random.default_rng(5)
    usual = Weights.from_bytes(OWN_WEIGHTS.read_bytes())
    return Weights(
        start=chance.integers(-990, 991, usual.start.shape).astype("<i2"),
        blocks=chance.integers(-990, 991, usual.blocks.shape).astype("<i2"),
        kings=chance.integers(-990, 991, usual.kings.shape).astype("<i2"),
        output=chance.integers(-8000, 8001, usual.output.shape).astype("<i2"),
        base=chance.integers(-(1 << 27), 1 << 27, usual.base.shape).astype("<i4"),
        man=chance.integers(0, 1 << 22, usual.man.shape).astype("<i4"),
        king=chance.integers(0, 1 << 22, usual.king.shape).astype("<i4"),
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: Weights.from_bytes(OWN_WEIGHTS.read_bytes()),
        lambda: FloatNetwork.random(1).quantised(),
        extreme_weights,
    ],
    ids=["own", "random", "extreme"],
)
def test_c_and_numpy_agree_to_the_bit(make: Callable[[], Weights]) -> None:
    weights = make()
    _core.network_load(weights.to_bytes())
    positions = positions_of_games(1500) + positions_of_chance(1500)
    expected = weights.evaluate(Boards32.of(as_records(positions))).tolist()
    assert [learnt(state, black) for state, black in positions] == expected
    assert len(set(expected)) > 100


def test_both_colours_are_judged_alike() -> None:
    for state, black in positions_of_games(500) + positions_of_chance(500):
        assert learnt(state, black) == learnt(turned(state), not black)


def test_scores_stay_far_from_wins() -> None:
    _core.network_load(extreme_weights().to_bytes())
    scores = [learnt(state, black) for state, black in positions_of_chance(3000)]
    assert max(scores) == MOST_SCORE
    assert min(scores) == -MOST_SCORE


@pytest.mark.parametrize(
    ("fen", "least", "most"),
    [
        ("B:W21-32:B1-12", -30, 30),
        ("B:W21-31:B1-12", 50, 250),
        ("B:W21-32:B1-11", -250, -50),
        ("W:W21,22,25,26,K2:B5,6,7,8", 60, 400),
        ("W:W21,22,25,26:B5,6,7,8,K31", -400, -60),
    ],
)
def test_material_is_worth_about_what_the_unit_says(fen: str, least: int, most: int) -> None:
    position = read_fen(fen)
    assert least <= learnt(position.state, position.turn is Colour.BLACK) <= most


def test_it_mostly_agrees_with_the_hand_made_one_about_who_is_ahead() -> None:
    decided = [at for at in positions_of_games(3000) if abs(by_hand(*at)) > 200]
    agreed = sum(learnt(*at) * by_hand(*at) > 0 for at in decided)
    assert agreed > 0.9 * len(decided) > 0


def test_files_are_read_back_as_they_were_written() -> None:
    content = OWN_WEIGHTS.read_bytes()
    assert len(content) < 100_000
    assert Weights.from_bytes(content).to_bytes() == content


def _spoiled(content: bytes, where: int) -> bytes:
    return content[:where] + bytes([content[where] ^ 1]) + content[where + 1 :]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda content: b"", "does not hold"),
        (lambda content: b"PNG" + content[3:], "does not hold"),
        (lambda content: content[:10], "does not hold"),
        (lambda content: _spoiled(content, 4), "another version"),
        (lambda content: _spoiled(content, 6), "another version"),
        (lambda content: content[:-1], "damaged"),
        (lambda content: content + b"\0", "damaged"),
        (lambda content: _spoiled(content, 9), "damaged"),
        (lambda content: _spoiled(content, 12), "damaged"),
        (lambda content: _spoiled(content, len(content) // 2), "damaged"),
    ],
)
def test_broken_weights_are_refused(spoil: Callable[[bytes], bytes], words: str, tmp_path: Path) -> None:
    position = positions_of_games(50)[-1]
    before = learnt(*position)
    content = spoil(OWN_WEIGHTS.read_bytes())
    path = tmp_path / "broken.bin"
    path.write_bytes(content)
    with pytest.raises(
        NetworkError, match=rf"^[^\n]*broken\.bin is of no use for the evaluation: [^\n]*{words}[^\n]*$"
    ):
        load_network(path)
    assert _core.network_ready()
    assert learnt(*position) == before
    with pytest.raises(WeightsError):
        Weights.from_bytes(content)


def test_missing_weights_are_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match=r"none\.bin cannot be read: No such file"):
        load_network(tmp_path / "none.bin")


def test_the_engine_plays_on_without_weights_and_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "_OWN_WEIGHTS", "no_such_network.bin")
    _core.network_unload()
    has_learnt.cache_clear()
    try:
        with pytest.warns(WeakerEngineWarning, match=r"no_such_network\.bin cannot be read.*hand-made") as said:
            make_engine(VirtualClock())
        assert len(said) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            make_engine(VirtualClock())
        state = positions_of_games(50)[-1]
        assert judged(*state) == by_hand(*state)
    finally:
        choosing.has_learnt.cache_clear()


def test_without_weights_the_hand_made_evaluation_judges() -> None:
    positions = [at for at in positions_of_games(200) if (at[0][0] | at[0][1]).bit_count() > 4]
    assert all(judged(*at) == learnt(*at) for at in positions)
    assert any(judged(*at) != by_hand(*at) for at in positions)
    _core.network_unload()
    assert not _core.network_ready()
    assert all(judged(*at) == by_hand(*at) for at in positions)
    with pytest.raises(ValueError, match="no weights"):
        learnt(*positions[0])
