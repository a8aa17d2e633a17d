/* How the endgame tables number positions. Black is to move in all of them: a position with White to move is looked
 * up with the board turned round, its colours swapped. What stands on the board, "two men and a king against a man",
 * is a `material`; each has a table of its own. Its entries go through the sets of squares of the own men, of the
 * other side's men, of the own kings and of the other side's kings, the last ones fastest. A side's men stand on the
 * 28 squares before its crowning row, as that side sees them, and their sets are numbered whether or not the sides'
 * squares overlap: entries where they do are unused. Own kings stand on the squares that men leave free, the other
 * side's on those that are then left. Sets of squares are numbered in the combinatorial number system (Knuth, The Art
 * of Computer Programming 4A, 7.2.1.3): c1 < c2 < ... is number C(c1, 1) + C(c2, 2) + ... */
#ifndef CROWNHEAD_ENDGAME_INDEX_H
#define CROWNHEAD_ENDGAME_INDEX_H

#include "board.h"

#define ENDGAME_MOST_PIECES 6
/* Pieces of one kind, as each side has at least one: 0 to this many less one. */
#define KIND_COUNTS ENDGAME_MOST_PIECES
#define MEN_SQUARES 28

typedef struct {
    uint8_t own_men, own_kings, other_men, other_kings;
} material;

/* Tables are filed under a number of their own; not every number is that of a material with few enough pieces. */
#define MATERIALS (KIND_COUNTS * KIND_COUNTS * KIND_COUNTS * KIND_COUNTS)

/* In how many ways `kind` (column) squares can be chosen out of so many (row). */
extern const uint32_t choices[33][KIND_COUNTS];

/* How large the parts of a table's index are. */
typedef struct {
    uint32_t own_men_sets, other_men_sets, own_king_sets, other_king_sets;
} extents;

static inline int pieces_of(material pieces) {
    return pieces.own_men + pieces.own_kings + pieces.other_men + pieces.other_kings;
}

static inline int material_number(material pieces) {
    return ((pieces.own_men * KIND_COUNTS + pieces.own_kings) * KIND_COUNTS + pieces.other_men) * KIND_COUNTS +
           pieces.other_kings;
}

static inline material material_numbered(int number) {
    return (material){(uint8_t)(number / (KIND_COUNTS * KIND_COUNTS * KIND_COUNTS)),
                      (uint8_t)(number / (KIND_COUNTS * KIND_COUNTS) % KIND_COUNTS),
                      (uint8_t)(number / KIND_COUNTS % KIND_COUNTS), (uint8_t)(number % KIND_COUNTS)};
}

/* The same pieces seen from the other side. */
static inline material swapped(material pieces) {
    return (material){pieces.other_men, pieces.other_kings, pieces.own_men, pieces.own_kings};
}

static inline material material_of(position at) {
    int own_kings = count(at.own & at.kings), other_kings = count(at.other & at.kings);
    return (material){(uint8_t)(count(at.own) - own_kings), (uint8_t)own_kings,
                      (uint8_t)(count(at.other) - other_kings), (uint8_t)other_kings};
}

static inline extents extents_of(material pieces) {
    int free = 32 - pieces.own_men - pieces.other_men;
    return (extents){choices[MEN_SQUARES][pieces.own_men], choices[MEN_SQUARES][pieces.other_men],
                     choices[free][pieces.own_kings], choices[free - pieces.own_kings][pieces.other_kings]};
}

/* The positions with the same men; they stand together in the table. */
static inline uint32_t block_entries(extents size) { return size.own_king_sets * size.other_king_sets; }

static inline uint64_t table_entries(extents size) {
    return (uint64_t)size.own_men_sets * size.other_men_sets * block_entries(size);
}

/* The board turned round: square s becomes 33 - s. */
static inline board turned_board(board pieces) {
    pieces = (pieces >> 1 & 0x5555555555555555u) | (pieces & 0x5555555555555555u) << 1;
    pieces = (pieces >> 2 & 0x3333333333333333u) | (pieces & 0x3333333333333333u) << 2;
    pieces = (pieces >> 4 & 0x0f0f0f0f0f0f0f0fu) | (pieces & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(pieces) >> (64 - BOARD_BITS);
}

/* The number of a set of squares among those of `within`. */
static inline uint32_t set_number(board set, board within) {
    uint32_t number = 0;
    for (int nth = 1; set; nth++, set &= set - 1) number += choices[count(within & ((set & -set) - 1))][nth];
    return number;
}

/* Where the kings of a position stand in its block; `free`: the squares without men. */
static inline uint32_t king_index(board own_kings, board other_kings, board free, uint32_t other_king_sets) {
    return set_number(own_kings, free) * other_king_sets + set_number(other_kings, free & ~own_kings);
}

/* Where a position of legal men stands in the table of its material. */
static inline uint64_t table_index(position at, extents size) {
    board own_men = at.own & ~at.kings, other_men = at.other & ~at.kings;
    uint64_t block = (uint64_t)set_number(own_men, BOARD) * size.other_men_sets +
                     set_number(turned_board(other_men), BOARD);
    return block * block_entries(size) + king_index(at.own & at.kings, at.other & at.kings,
                                                    BOARD & ~(own_men | other_men), size.other_king_sets);
}

#endif
