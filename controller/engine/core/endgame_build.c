/* Building the endgame tables: see endgame_build.h.
 *
 * Men never go back, so all positions with the same men, a block, can be solved by themselves once those with men
 * further on have been: from there on only kings' moves stay within the block. In a block
 * - every position is looked at once: jumps and men's moves lead to positions solved before, which gives what each
 *   position is worth by them (`aside`);
 * - wins and losses then spread backwards along kings' moves in order of their codes, which are plies to the end, so
 *   the first that reaches a position is the best: where a loss can be moved to, there is a win; where all moves lead
 *   to wins, a loss. What is never reached is drawn.
 */
#include "endgame_build.h"

#include "moves.h"

#include <stdlib.h>
#include <string.h>

/* How many kings' moves of a position are not known to lose: a count, plus REFUGE when another move does not lose;
 * FORCED when the position jumps, and kings' moves play no part. */
#define REFUGE 64
#define FORCED 255

#define STEPS_BETWEEN_REPORTS (1 << 16)

/* A set of men in its table's order, and how many rows they have gone altogether. */
typedef struct {
    board men;
    uint32_t number;
    int advance;
} men_set;

/* The positions of a block in which one side is to move, seen by it as Black. */
typedef struct {
    board own_men, other_men, free;
    int own_kings;
    uint32_t other_king_sets;
    uint32_t first; /* the number of its first position in the block's arrays */
    board squares[32]; /* the free squares in order */
    const uint32_t *own_sets, *other_sets; /* sets of kings, as bits for the free squares; those of the others for
                                              what own kings leave free */
} view;

typedef struct {
    int views; /* one for pieces and men that are the same for both sides, else two */
    view view[2];
    uint32_t entries; /* of each view */
} block;

typedef struct {
    material pieces;
    extents size;
    bool two_bits;
    uint8_t *const *tables;
    tally *tallies;
    uint32_t *king_sets[4];
    men_set *men[2];
    uint8_t *codes, *aside, *left; /* of the positions of a block; `aside` is the code by jumps and men's moves */
    uint32_t *by_aside, *queue;    /* numbers of positions: those with an `aside` in its order; those solved */
    watcher watching;
    uint64_t steps;
} builder;

static bool report(builder *build, uint64_t steps) {
    uint64_t before = build->steps;
    build->steps += steps;
    return before / STEPS_BETWEEN_REPORTS == build->steps / STEPS_BETWEEN_REPORTS ||
           build->watching.go_on(build->watching.context, build->steps);
}

static board on_squares(uint32_t set, const board *squares) {
    board found = 0;
    for (; set; set &= set - 1) found |= squares[__builtin_ctz(set)];
    return found;
}

/* The set among all free squares, for one among those that `taken` leaves. */
static uint32_t spread(uint32_t set, uint32_t taken) {
    for (; taken; taken &= taken - 1) {
        uint32_t below = (taken & -taken) - 1;
        set = (set & below) | (set & ~below) << 1;
    }
    return set;
}

static position position_at(const view *from, uint32_t index) {
    uint32_t own = from->own_sets[index / from->other_king_sets];
    uint32_t other = spread(from->other_sets[index % from->other_king_sets], own);
    board own_kings = on_squares(own, from->squares), other_kings = on_squares(other, from->squares);
    return (position){from->own_men | own_kings, from->other_men | other_kings, own_kings | other_kings};
}

/* The best of the codes of moves, one after the other: a win in the fewest plies, else a draw, else the longest loss.
 * `after` is the opponent's code after the move. */
typedef struct {
    int win, loss;
    bool draw;
} best_moves;

static inline void consider(best_moves *best, int after) {
    if (after == DRAWN) best->draw = true;
    else if (after & 1) best->win = best->win && best->win <= after ? best->win : after + 1;
    else best->loss = best->loss > after ? best->loss : after + 1;
}

static int code_after(const builder *build, position after) {
    int code = endgame_code(after, false);
    return build->two_bits ? short_code(code) : code;
}

/* Look at a position's moves that leave the block, and count those that stay. */
static bool look_aside(builder *build, position at, uint32_t number) {
    position next[MOST_MOVES];
    best_moves best = {0};
    int left = 0;
    if (jumpers(at, true)) {
        int moves = successors(at, true, next);
        for (int i = 0; i < moves; i++) consider(&best, code_after(build, next[i]));
        left = FORCED;
    } else {
        board empty = BOARD & ~(at.own | at.other), kings = at.own & at.kings;
        left = count(kings << 4 & empty) + count(kings << 5 & empty) + count(kings >> 4 & empty) +
               count(kings >> 5 & empty);
        for (int shift = 4; shift <= 5; shift++)
            for (board ends = (at.own & ~at.kings) << shift & empty; ends; ends &= ends - 1) {
                board end = ends & -ends;
                position after = {at.other, at.own ^ end ^ end >> shift, at.kings | (end & BLACK_CROWNING)};
                consider(&best, code_after(build, after));
            }
        if (best.win || best.draw) left += REFUGE;
        else if (!left && !best.loss) best.loss = LOST_ALREADY;
    }
    int aside = best.win ? best.win : best.draw ? DRAWN : best.loss;
    build->codes[number] = DRAWN;
    build->aside[number] = (uint8_t)aside;
    build->left[number] = (uint8_t)left;
    return aside < LARGEST_CODE;
}

/* Sort the positions that have a code by other moves by it; `starts[code]` tells where each code's begin. */
static void sort_by_aside(builder *build, uint32_t entries, uint32_t starts[LARGEST_CODE + 2]) {
    uint32_t next[LARGEST_CODE + 2] = {0};
    for (uint32_t i = 0; i < entries; i++) next[build->aside[i] + 1]++;
    next[DRAWN + 1] = 0;
    for (int code = 1; code <= LARGEST_CODE + 1; code++) next[code] += next[code - 1];
    memcpy(starts, next, sizeof next);
    for (uint32_t i = 0; i < entries; i++)
        if (build->aside[i] != DRAWN) build->by_aside[next[build->aside[i]]++] = i;
}

/* Tell the positions from which a king's move leads to position `number`, whose code is known; the end of the queue
 * after those that this has solved. */
static uint32_t *spread_back(builder *build, const block *solving, uint32_t number, uint32_t *end) {
    const view *from = &solving->view[number >= solving->entries];
    const view *to = &solving->view[solving->views - 1 - (from - solving->view)];
    int code = build->codes[number];
    position at = position_at(from, number - from->first);
    board own_kings = turned_board(at.other & at.kings), other_kings = turned_board(at.own & at.kings);
    board empty = to->free & ~(own_kings | other_kings);
    for (board kings = own_kings; kings; kings &= kings - 1) {
        board king = kings & -kings;
        board before = (king << 4 | king << 5 | king >> 4 | king >> 5) & empty;
        for (; before; before &= before - 1) {
            uint32_t reached = to->first + king_index(own_kings ^ king ^ (before & -before), other_kings, to->free,
                                                      to->other_king_sets);
            if (build->codes[reached] != DRAWN || build->left[reached] == FORCED) continue;
            if (!(code & 1) && (--build->left[reached] || build->aside[reached] > code + 1)) continue;
            build->codes[reached] = (uint8_t)(code + 1);
            *end++ = reached;
        }
    }
    return end;
}

static build_outcome solve_block(builder *build, const block *solving) {
    uint32_t entries = solving->entries * (uint32_t)solving->views;
    for (int i = 0; i < solving->views; i++)
        for (uint32_t index = 0; index < solving->entries; index++) {
            const view *from = &solving->view[i];
            if (!look_aside(build, position_at(from, index), from->first + index)) return TOO_LONG;
            if (!report(build, 1)) return STOPPED;
        }
    uint32_t starts[LARGEST_CODE + 2];
    sort_by_aside(build, entries, starts);
    uint32_t *next = build->queue, *end = build->queue;
    for (int code = LOST_ALREADY; next < end || starts[code] < starts[LARGEST_CODE + 1]; code++) {
        if (code == LARGEST_CODE) return TOO_LONG;
        for (uint32_t i = starts[code]; i < starts[code + 1]; i++) {
            uint32_t number = build->by_aside[i];
            bool settled = !(code & 1) || build->left[number] == 0 || build->left[number] == FORCED;
            if (build->codes[number] != DRAWN || !settled) continue;
            build->codes[number] = (uint8_t)code;
            *end++ = number;
        }
        for (const uint32_t *these = end; next < these; next++) {
            end = spread_back(build, solving, *next, end);
            if (!report(build, 1)) return STOPPED;
        }
    }
    return BUILT;
}

/* Put the codes of one view into the table, from entry `first` on, and count them. */
static void store(builder *build, int side, const uint8_t *codes, uint32_t entries, uint64_t first) {
    uint8_t *into = build->tables[side];
    tally *counted = &build->tallies[side];
    for (uint32_t i = 0; i < entries; i++) {
        int code = codes[i];
        if (code == DRAWN) counted->draws++;
        else if (code & 1) counted->losses++;
        else counted->wins++;
        if (code > counted->longest + 1 && !build->two_bits) counted->longest = code - 1;
        uint64_t entry = first + i;
        if (build->two_bits) into[entry / 4] |= (uint8_t)(short_code(code) << entry % 4 * 2);
        else into[entry] = (uint8_t)code;
    }
}

static view view_of(const builder *build, int side, board own_men, board other_men, uint32_t first) {
    extents size = side ? extents_of(swapped(build->pieces)) : build->size;
    view found = {own_men, other_men, BOARD & ~(own_men | other_men),
                  side ? build->pieces.other_kings : build->pieces.own_kings, size.other_king_sets, first, {0},
                  build->king_sets[2 * side], build->king_sets[2 * side + 1]};
    board free = found.free;
    for (int i = 0; free; i++, free &= free - 1) found.squares[i] = free & -free;
    return found;
}

/* Solve the positions with these men and put them into the tables. */
static build_outcome build_block(builder *build, const men_set *own, const men_set *other) {
    board other_men = turned_board(other->men);
    uint32_t entries = block_entries(build->size);
    bool same_pieces = build->tables[0] == build->tables[1];
    /* With the same pieces on both sides each block comes twice, once turned round. */
    if (own->men & other_men || (same_pieces && own->number > other->number))
        return report(build, (uint64_t)entries * 4) ? BUILT : STOPPED;
    bool same_men = same_pieces && own->number == other->number;
    block solving = {same_men ? 1 : 2, {view_of(build, 0, own->men, other_men, 0)}, entries};
    if (!same_men) solving.view[1] = view_of(build, 1, other->men, turned_board(own->men), entries);
    uint64_t steps = build->steps;
    build_outcome outcome = solve_block(build, &solving);
    if (outcome != BUILT) return outcome;
    uint64_t own_first = ((uint64_t)own->number * build->size.other_men_sets + other->number) * entries;
    uint64_t other_first = ((uint64_t)other->number * build->size.own_men_sets + own->number) * entries;
    store(build, 0, build->codes, entries, own_first);
    if (!same_men) store(build, same_pieces ? 0 : 1, build->codes + entries, entries, other_first);
    return report(build, steps + (uint64_t)entries * 4 - build->steps) ? BUILT : STOPPED;
}

/* The sets of so many squares out of `within`, at most 32, in order, as bits. */
static uint32_t *sets_of(int squares, int within) {
    uint32_t number = choices[within][squares];
    uint32_t *sets = malloc(number * sizeof *sets);
    if (!sets) return NULL;
    uint64_t set = ((uint64_t)1 << squares) - 1;
    for (uint32_t i = 0; i < number; i++) {
        sets[i] = (uint32_t)set;
        uint64_t lowest_bit = set & -set, carried = set + lowest_bit;
        if (set) set = carried | ((carried ^ set) >> 2) / lowest_bit;
    }
    return sets;
}

/* The sets of so many men, those furthest on first. */
static men_set *men_sets_of(int men) {
    uint32_t number = choices[MEN_SQUARES][men], *sets = sets_of(men, MEN_SQUARES);
    men_set *found = sets ? malloc(number * sizeof *found) : NULL;
    if (!found) {
        free(sets);
        return NULL;
    }
    men_set *next = found;
    for (int advance = men * 6; advance >= 0; advance--)
        for (uint32_t i = 0; i < number; i++) {
            int rows = 0;
            for (uint32_t set = sets[i]; set; set &= set - 1) rows += __builtin_ctz(set) / 4;
            if (rows == advance) *next++ = (men_set){unpacked(sets[i]), i, advance};
        }
    free(sets);
    return found;
}

/* Go through all men of both sides, so that men of either side further on come first. */
static build_outcome build_blocks(builder *build) {
    uint32_t own_sets = build->size.own_men_sets, other_sets = build->size.other_men_sets;
    int most = 6 * (build->pieces.own_men + build->pieces.other_men);
    for (int advance = most; advance >= 0; advance--) {
        uint32_t first = 0;
        for (uint32_t i = own_sets; i-- > 0;) {
            int wanted = advance - build->men[0][i].advance;
            while (first < other_sets && build->men[1][first].advance > wanted) first++;
            for (uint32_t j = first; j < other_sets && build->men[1][j].advance == wanted; j++) {
                build_outcome outcome = build_block(build, &build->men[0][i], &build->men[1][j]);
                if (outcome != BUILT) return outcome;
            }
        }
    }
    return BUILT;
}

uint64_t build_steps(material pieces) { return table_entries(extents_of(pieces)) * 4; }

static bool has_memory(const builder *build) {
    for (int i = 0; i < 4; i++)
        if (!build->king_sets[i]) return false;
    return build->men[0] && build->men[1] && build->codes && build->aside && build->left && build->by_aside &&
           build->queue;
}

build_outcome build_endgame_table(material pieces, bool two_bits, uint8_t *const codes[2], tally tallies[2],
                                  watcher watching) {
    int free_squares = 32 - pieces.own_men - pieces.other_men;
    size_t entries = (size_t)block_entries(extents_of(pieces)) * 2;
    builder build = {
        .pieces = pieces,
        .size = extents_of(pieces),
        .two_bits = two_bits,
        .tables = codes,
        .tallies = tallies,
        .king_sets = {sets_of(pieces.own_kings, free_squares),
                      sets_of(pieces.other_kings, free_squares - pieces.own_kings),
                      sets_of(pieces.other_kings, free_squares),
                      sets_of(pieces.own_kings, free_squares - pieces.other_kings)},
        .men = {men_sets_of(pieces.own_men), men_sets_of(pieces.other_men)},
        .codes = malloc(entries),
        .aside = malloc(entries),
        .left = malloc(entries),
        .by_aside = malloc(entries * sizeof(uint32_t)),
        .queue = malloc(entries * sizeof(uint32_t)),
        .watching = watching,
    };
    build_outcome outcome = NO_MEMORY;
    if (has_memory(&build)) {
        memset(tallies, 0, 2 * sizeof *tallies);
        set_endgame_table(pieces, codes[0], two_bits);
        set_endgame_table(swapped(pieces), codes[1], two_bits);
        outcome = build_blocks(&build);
        if (outcome != BUILT) {
            set_endgame_table(pieces, NULL, two_bits);
            set_endgame_table(swapped(pieces), NULL, two_bits);
        }
    }
    for (int i = 0; i < 4; i++) free(build.king_sets[i]);
    for (int i = 0; i < 2; i++) free(build.men[i]);
    free(build.codes), free(build.aside), free(build.left), free(build.by_aside), free(build.queue);
    return outcome;
}
