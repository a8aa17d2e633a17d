/* Endgame tables: see endgame.h and endgame_tables.h. */
#include "endgame.h"
#include "endgame_tables.h"

#include <stdatomic.h>

typedef struct {
    const uint8_t *codes;
    extents size;
    bool two_bits;
} table;

static table tables[MATERIALS];
static atomic_int complete_pieces;

int endgame_pieces(void) { return atomic_load_explicit(&complete_pieces, memory_order_acquire); }

void set_endgame_table(material pieces, const uint8_t *codes, bool two_bits) {
    tables[material_number(pieces)] = (table){codes, extents_of(pieces), two_bits};
}

bool has_endgame_table(material pieces) { return tables[material_number(pieces)].codes; }

static bool has_all_tables(int pieces) {
    for (int own = 1; own < pieces; own++)
        for (int own_men = 0; own_men <= own; own_men++)
            for (int other_men = 0; other_men <= pieces - own; other_men++)
                if (!has_endgame_table((material){(uint8_t)own_men, (uint8_t)(own - own_men), (uint8_t)other_men,
                                                  (uint8_t)(pieces - own - other_men)}))
                    return false;
    return true;
}

void count_endgame_tables(void) {
    int pieces = 1;
    while (pieces < ENDGAME_MOST_PIECES && has_all_tables(pieces + 1)) pieces++;
    atomic_store_explicit(&complete_pieces, pieces > 1 ? pieces : 0, memory_order_release);
}

/* The table for a position, which is turned so that Black is to move. */
static inline const table *table_for(position *at, bool black) {
    if (!black) *at = (position){turned_board(at->own), turned_board(at->other), turned_board(at->kings)};
    return &tables[material_number(material_of(*at))];
}

static inline int code_in(const table *from, position at) {
    uint64_t index = table_index(at, from->size);
    return from->two_bits ? from->codes[index / 4] >> index % 4 * 2 & 3 : from->codes[index];
}

int endgame_code(position at, bool black) {
    if (!at.own) return LOST_ALREADY;
    const table *from = table_for(&at, black);
    return code_in(from, at);
}

/* Whether a man of the side to move, Black, or of the other stands where it must be a king: no table knows those. */
static bool has_uncrowned(position at) {
    return ((at.own & BLACK_CROWNING) | (at.other & WHITE_CROWNING)) & ~at.kings;
}

int endgame_value(position at, bool black) {
    if (!at.own || !at.other || count(at.own | at.other) > endgame_pieces()) return ENDGAME_UNKNOWN;
    const table *from = table_for(&at, black);
    if (has_uncrowned(at)) return ENDGAME_UNKNOWN;
    int code = code_in(from, at);
    if (code == DRAWN) return 0;
    bool lost = code & 1;
    if (from->two_bits) return lost ? -ENDGAME_FAR : ENDGAME_FAR;
    if (code == LOST_ALREADY) return ENDGAME_UNKNOWN;
    return lost ? 1 - code : code - 1;
}
