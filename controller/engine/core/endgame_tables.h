/* The endgame tables that are attached. */
#ifndef CROWNHEAD_ENDGAME_TABLES_H
#define CROWNHEAD_ENDGAME_TABLES_H

#include "endgame_index.h"

#include <stddef.h>

/* What a table says of a position, its code: 0 a draw, else the plies to the end and one more. The side to move has
 * lost when that is odd, as the winner makes the last move. A byte holds it. Tables of many pieces give two bits a
 * position, the first in a byte's lowest: 0 a draw, 1 a loss, 2 a win. */
#define DRAWN 0
#define LOST_ALREADY 1
#define LARGEST_CODE 255

/* The code of two bits for one of any size. */
static inline int short_code(int code) { return code ? 2 - (code & 1) : DRAWN; }

/* The bytes of a table. */
static inline uint64_t table_bytes(extents size, bool two_bits) {
    return two_bits ? (table_entries(size) + 3) / 4 : table_entries(size);
}

/* Look positions of `pieces` up in `codes` from now on, or no longer if that is NULL. The bytes must stay where they
 * are until then. Not while a search runs, unless it can't reach the table: endgame_pieces() counts up to a number
 * when all tables up to that many pieces are there. */
void set_endgame_table(material pieces, const uint8_t *codes, bool two_bits);

/* Count anew which tables are there: what endgame_pieces() says. */
void count_endgame_tables(void);

/* The code of a position whose table is set, counted or not, or in which a side has no pieces. */
int endgame_code(position at, bool black);

/* Whether the table of `pieces` is set. */
bool has_endgame_table(material pieces);

#endif
