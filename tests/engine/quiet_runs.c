/* How long kings move on end in won endings: a check of endgame_quiet_plies() by trying all positions out.
 *
 *     core=controller/engine/core
 *     cc -O2 -I $core tests/engine/quiet_runs.c $core/endgame{,_build,_choice,_index}.c $core/moves.c -o quiet_runs
 *     ./quiet_runs 4
 *
 * builds the tables of up to so many pieces and prints, for each number of pieces, the longest run of plies by kings
 * before a capture, a man's move or the end, and what endgame_quiet_plies() says. The winner takes a shortest way, of
 * several moves the one with the shortest run, and the loser makes it long. It goes through the positions in order of
 * the plies to the end, so that the runs after each move are known. It needs 15 MB for 4 pieces, 0.3 GB for 5. */
#include "endgame.h"
#include "endgame_build.h"
#include "moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    material pieces;
    uint8_t *codes, *runs;
} solved;

static solved tables[MATERIALS];
static int table_count;
static solved *table_of[MATERIALS];

static bool go_on(void *context, uint64_t steps) {
    (void)context, (void)steps;
    return true;
}

static void add_table(material pieces, uint8_t *codes) {
    solved *added = &tables[table_count++];
    *added = (solved){pieces, codes, calloc(table_entries(extents_of(pieces)), 1)};
    table_of[material_number(pieces)] = added;
}

static bool build(material pieces) {
    bool same = material_number(pieces) == material_number(swapped(pieces));
    uint8_t *own = calloc(table_entries(extents_of(pieces)), 1);
    uint8_t *other = same ? own : calloc(table_entries(extents_of(pieces)), 1);
    tally tallies[2];
    if (!own || !other) return false;
    if (build_endgame_table(pieces, false, (uint8_t *[2]){own, other}, tallies, (watcher){go_on, NULL}) != BUILT)
        return false;
    add_table(pieces, own);
    if (!same) add_table(swapped(pieces), other);
    return true;
}

static bool build_all(int pieces) {
    for (int men = 0; men <= pieces; men++)
        for (int own = 1; own < pieces; own++)
            for (int own_men = men < own ? men : own; own_men >= 0 && men - own_men <= pieces - own; own_men--) {
                material next = {(uint8_t)own_men, (uint8_t)(own - own_men), (uint8_t)(men - own_men),
                                 (uint8_t)(pieces - own - men + own_men)};
                if (!has_endgame_table(next) && !build(next)) return false;
            }
    count_endgame_tables();
    return endgame_pieces() == pieces;
}

/* The set of `size` squares of `within` that has this number. */
static board set_numbered(uint32_t number, int size, board within) {
    board set = 0;
    for (int squares = count(within); size > 0; size--) {
        do squares--;
        while (choices[squares][size] > number);
        number -= choices[squares][size];
        board rest = within;
        for (int i = 0; i < squares; i++) rest &= rest - 1;
        set |= rest & -rest;
    }
    return set;
}

static position position_numbered(material pieces, uint64_t index) {
    extents size = extents_of(pieces);
    uint32_t kings = (uint32_t)(index % block_entries(size)), men = (uint32_t)(index / block_entries(size));
    board own_men = set_numbered(men / size.other_men_sets, pieces.own_men, BOARD);
    board other_men = turned_board(set_numbered(men % size.other_men_sets, pieces.other_men, BOARD));
    board free = BOARD & ~(own_men | other_men);
    board own_kings = set_numbered(kings / size.other_king_sets, pieces.own_kings, free);
    board other_kings = set_numbered(kings % size.other_king_sets, pieces.other_kings, free & ~own_kings);
    return (position){own_men | own_kings, other_men | other_kings, own_kings | other_kings};
}

/* The run from a position with Black to move, those after its moves being known. */
static int run_from(position at, int code) {
    position next[MOST_MOVES];
    int moves = successors(at, true, next), run = -1;
    bool won = code % 2 == 0, jump = jumpers(at, true);
    for (int i = 0; i < moves; i++) {
        if (won && endgame_code(next[i], false) != code - 1) continue;
        int further = 0;
        if (!jump && ((next[i].own | next[i].other) & ~next[i].kings) == ((at.own | at.other) & ~at.kings)) {
            position after = {turned_board(next[i].own), turned_board(next[i].other), turned_board(next[i].kings)};
            const solved *table = table_of[material_number(material_of(after))];
            further = 1 + table->runs[table_index(after, extents_of(table->pieces))];
        }
        if (run < 0 || (won ? further < run : further > run)) run = further;
    }
    return run < 0 ? 0 : run;
}

int main(int count_of_arguments, char **arguments) {
    int most = count_of_arguments == 2 ? atoi(arguments[1]) : 0, longest[ENDGAME_MOST_PIECES + 1] = {0};
    if (most < 2 || most > 5) return fputs("usage: quiet_runs 2|3|4|5\n", stderr), 2;
    for (int pieces = 2; pieces <= most; pieces++)
        if (!build_all(pieces)) return fputs("the tables cannot be built\n", stderr), 1;
    for (int code = LOST_ALREADY; code <= LARGEST_CODE; code++)
        for (int i = 0; i < table_count; i++) {
            const solved *table = &tables[i];
            uint64_t entries = table_entries(extents_of(table->pieces));
            const uint8_t *end = table->codes + entries, *found = table->codes - 1;
            while ((found = memchr(found + 1, code, (size_t)(end - found - 1)))) {
                uint64_t index = (uint64_t)(found - table->codes);
                int run = run_from(position_numbered(table->pieces, index), code);
                table->runs[index] = (uint8_t)run;
                int *most_yet = &longest[pieces_of(table->pieces)];
                if (run > *most_yet) *most_yet = run;
            }
        }
    for (int pieces = 2; pieces <= most; pieces++)
        printf("%d %d %d\n", pieces, longest[pieces], endgame_quiet_plies(pieces));
    return 0;
}
