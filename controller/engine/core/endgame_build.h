/* Building the endgame tables. */
#ifndef CROWNHEAD_ENDGAME_BUILD_H
#define CROWNHEAD_ENDGAME_BUILD_H

#include "endgame_tables.h"

/* What a table holds. `longest`: plies to the end of the longest win or loss; 0 in a table of two bits. */
typedef struct {
    uint64_t wins, draws, losses;
    int longest;
} tally;

/* Told now and then how many steps have been done; false stops the build. */
typedef struct {
    bool (*go_on)(void *context, uint64_t steps);
    void *context;
} watcher;

typedef enum { BUILT, STOPPED, NO_MEMORY, TOO_LONG } build_outcome;

/* The steps that a build will report, at most. */
uint64_t build_steps(material pieces);

/* Compute the table of `pieces` and that of the same pieces swapped together, as a move in the one leads to the
 * other, into `codes[0]` and `codes[1]`: table_bytes() each, zeros before. Both are the same when the pieces are the
 * same for both sides. Tables of fewer pieces, and of the same number with one man less, which is a king more, must
 * have been set. These two are set when it returns BUILT; the caller has them counted. TOO_LONG: a win takes more
 * plies than a code can say. */
build_outcome build_endgame_table(material pieces, bool two_bits, uint8_t *const codes[2], tally tallies[2],
                                  watcher watching);

#endif
