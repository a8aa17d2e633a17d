/* Boards, and the steps on them. The layout is that of controller/draughts/bitboard.py, which is the oracle:
 * a board is 35 bits; every second row is followed by one bit that is never set, so that the four diagonal
 * neighbours of any square are always 4 or 5 bits away and a step off the board lands on an unset bit. Square s sits
 * at bit (s - 1) + (s - 1) / 8. Black's men go towards higher bits.
 */
#ifndef CROWNHEAD_BOARD_H
#define CROWNHEAD_BOARD_H

#include "processor.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t board;

#define BOARD 0x7fbfdfeffULL
#define BLACK_CROWNING 0x780000000ULL
#define WHITE_CROWNING 0xfULL
#define BOARD_BITS 35

/* A position as the side to move sees it: its pieces, the opponent's, and the kings of both. Whose turn it is, is
 * passed beside it (`black`). */
typedef struct {
    board own, other, kings;
} position;

static inline int count(board pieces) { return __builtin_popcountll(pieces); }
static inline int lowest(board pieces) { return __builtin_ctzll(pieces); }
static inline bool same_position(position one, position two) {
    return one.own == two.own && one.other == two.other && one.kings == two.kings;
}

/* The index 0-31 of a bit (the square's number less one), and the bit of an index. */
static inline int index_of(int bit) { return bit - bit / 9; }
static inline int bit_of(int index) { return index + index / 8; }

/* The board as 32 bits, square 1 lowest, and back. */
static inline uint32_t packed(board pieces) {
    return (uint32_t)((pieces & 0xff) | (pieces >> 1 & 0xff00) | (pieces >> 2 & 0xff0000) |
                      (pieces >> 3 & 0xff000000));
}
static inline board unpacked(uint32_t squares) {
    board wide = squares;
    return (wide & 0xff) | (wide & 0xff00) << 1 | (wide & 0xff0000) << 2 | (wide & 0xff000000) << 3;
}

/* The 32-bit board turned round: square s becomes 33 - s. */
static inline uint32_t turned(uint32_t squares) {
    squares = (squares >> 1 & 0x55555555u) | (squares & 0x55555555u) << 1;
    squares = (squares >> 2 & 0x33333333u) | (squares & 0x33333333u) << 2;
    squares = (squares >> 4 & 0x0f0f0f0fu) | (squares & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(squares);
}

/* The pieces of `own` that can jump. */
static inline board jumpers(position at, bool black) {
    board empty = BOARD & ~(at.own | at.other);
    board up = black ? at.own : at.own & at.kings, down = black ? at.own & at.kings : at.own;
    return (up & (((at.other >> 4) & (empty >> 8)) | ((at.other >> 5) & (empty >> 10)))) |
           (down & (((at.other << 4) & (empty << 8)) | ((at.other << 5) & (empty << 10))));
}

/* Whether the side to move can step without capturing. */
static inline bool can_step(position at, bool black) {
    board empty = BOARD & ~(at.own | at.other);
    board up = black ? at.own : at.own & at.kings, down = black ? at.own & at.kings : at.own;
    return (up & ((empty >> 4) | (empty >> 5))) || (down & ((empty << 4) | (empty << 5)));
}

#endif
