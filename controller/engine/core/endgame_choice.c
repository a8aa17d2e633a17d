/* Choosing a move in a won ending: see endgame.h. */
#include "endgame.h"
#include "endgame_tables.h"
#include "moves.h"

#include <stdlib.h>
#include <string.h>

#define NOT_KNOWN_YET 255
/* Quiet runs are cut off here; none comes near it. */
#define LONGEST_RUN 254

/* The quiet runs found so far of positions with the same men, which all of a run have: those in which the winner is
 * to move, and the others, each seen by the side to move and numbered as in its table. */
typedef struct {
    uint8_t *runs[2];
} run_search;

/* A position with White to move, turned so that it is Black, and the other way round. */
static position turned_position(position at) {
    return (position){turned_board(at.own), turned_board(at.other), turned_board(at.kings)};
}

static board men_of(position at) { return (at.own | at.other) & ~at.kings; }

static uint32_t number_in_block(position at) {
    return king_index(at.own & at.kings, at.other & at.kings, BOARD & ~men_of(at),
                      extents_of(material_of(at)).other_king_sets);
}

/* How many plies of kings follow from a position on until a capture, a man's move or the end, `winning` telling
 * whether the side to move is the winner. The winner takes a shortest way to the end, of several the one with the
 * shortest run; the loser makes the run long. `best`, if given, becomes the position after the winner's move. */
static int quiet_run(run_search *searching, position at, bool winning, position *best) {
    uint8_t *known = &searching->runs[winning][number_in_block(at)];
    if (*known != NOT_KNOWN_YET && !best) return *known;
    position next[MOST_MOVES];
    int moves = successors(at, true, next), code = winning ? endgame_code(at, true) : 0;
    bool jump = jumpers(at, true);
    int run = winning ? LONGEST_RUN + 1 : 0;
    for (int i = 0; i < moves; i++) {
        if (winning && endgame_code(next[i], false) != code - 1) continue;
        position after = turned_position(next[i]);
        int further = 0;
        if (!jump && men_of(next[i]) == men_of(at)) further = 1 + quiet_run(searching, after, !winning, NULL);
        if (winning ? further < run : further > run) {
            run = further;
            if (best) *best = next[i];
        }
    }
    *known = (uint8_t)(run < LONGEST_RUN ? run : LONGEST_RUN);
    return *known;
}

bool endgame_choice(position at, bool black, position *after) {
    int value = endgame_value(at, black);
    if (value <= 0 || value == ENDGAME_FAR || value == ENDGAME_UNKNOWN) return false;
    if (!black) at = turned_position(at);
    uint32_t entries = block_entries(extents_of(material_of(at)));
    run_search searching = {.runs = {malloc(entries), malloc(entries)}};
    bool chosen = searching.runs[0] && searching.runs[1];
    if (chosen) {
        for (int i = 0; i < 2; i++) memset(searching.runs[i], NOT_KNOWN_YET, entries);
        quiet_run(&searching, at, true, after);
        if (!black) *after = turned_position(*after);
    }
    for (int i = 0; i < 2; i++) free(searching.runs[i]);
    return chosen;
}

int endgame_quiet_plies(int pieces) {
    /* By trying all positions out: docs/endgame-tables.md says how. */
    static const int longest[ENDGAME_MOST_PIECES + 1] = {0, 0, 10, 33, 38, 72, 0};
    return pieces < 0 || pieces > ENDGAME_MOST_PIECES ? 0 : longest[pieces];
}
