"""The compiled part of the engine; the sources are in `core/`. A state is (own, other, kings) as in `bitboard`."""

from collections.abc import Callable

Buffer = bytes | bytearray | memoryview
State = tuple[int, int, int]
Tally = tuple[int, int, int, int]

# rules_module.c
def successors(own: int, other: int, kings: int, black: bool, /) -> list[State]: ...
def perft(own: int, other: int, kings: int, black: bool, depth: int, merged: bool, /) -> int: ...

# search_module.c
def table_new(megabytes: int, /) -> object: ...
def table_clear(table: object, /) -> None: ...
def search(
    table: object,
    own: int,
    other: int,
    kings: int,
    black: bool,
    depth: int,
    nodes: int,
    threads: int,
    quiet_plies: int,
    quiet_limit: int,
    past: list[State],
    noise: float,
    seed: int,
    endings: bool,
    enough: Callable[[], bool],
    deepened: Callable[[int, int, int, list[State]], bool],
) -> tuple[int, int, int, list[State]]: ...
def evaluate(own: int, other: int, kings: int, black: bool, by_hand: bool, noise: float, seed: int, /) -> int: ...

# network_module.c
def network_load(weights: bytes, /) -> None: ...
def network_unload() -> None: ...
def network_ready() -> bool: ...
def network_evaluate(own: int, other: int, kings: int, black: bool, /) -> int: ...

# endgame_module.c; a table is named by own men, own kings, other men, other kings, and whether it has two bits each
def endgame_value(own: int, other: int, kings: int, black: bool, /) -> int | None: ...
def endgame_choice(own: int, other: int, kings: int, black: bool, /) -> State | None: ...
def endgame_pieces() -> int: ...
def endgame_bytes(own_men: int, own_kings: int, other_men: int, other_kings: int, two_bits: bool, /) -> int: ...
def endgame_attach(
    own_men: int, own_kings: int, other_men: int, other_kings: int, two_bits: bool, codes: Buffer, /
) -> None: ...
def endgame_detach() -> None: ...
def endgame_build(
    own_men: int,
    own_kings: int,
    other_men: int,
    other_kings: int,
    two_bits: bool,
    own: bytearray,
    other: bytearray,
    progress: Callable[[int], object],
    /,
) -> tuple[Tally, Tally]: ...
