#include "moves.h"

/* Only `black` differs between the two sides' generators; always_inline with a constant makes two of each. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct {
    position *found;
    int count;
    position base;  /* seen from the opponent, the jumping piece taken off */
    board crowning; /* where the jumping piece is crowned and the move ends; 0 for a king */
    bool up, down;
} jump_search;

/* Append every way to carry on a jump from `at`, `gone` having been captured. A jumped piece leaves the board at
 * once; by parity that allows nothing that leaving at the end would forbid. */
static void extend_jump(jump_search *jump, board at, board gone, board enemy, board empty) {
    bool ended = true;
    if (!gone || !(at & jump->crowning)) {
        if (jump->up) {
            if ((at << 4) & enemy && (at << 8) & empty) {
                ended = false;
                extend_jump(jump, at << 8, gone | at << 4, enemy ^ at << 4, empty | at << 4);
            }
            if ((at << 5) & enemy && (at << 10) & empty) {
                ended = false;
                extend_jump(jump, at << 10, gone | at << 5, enemy ^ at << 5, empty | at << 5);
            }
        }
        if (jump->down) {
            if ((at >> 4) & enemy && (at >> 8) & empty) {
                ended = false;
                extend_jump(jump, at >> 8, gone | at >> 4, enemy ^ at >> 4, empty | at >> 4);
            }
            if ((at >> 5) & enemy && (at >> 10) & empty) {
                ended = false;
                extend_jump(jump, at >> 10, gone | at >> 5, enemy ^ at >> 5, empty | at >> 5);
            }
        }
    }
    if (!ended) return;
    position after = jump->base;
    after.own ^= gone;
    after.other |= at;
    after.kings &= ~gone;
    if (!jump->crowning || at & jump->crowning) after.kings |= at;
    for (int i = 0; i < jump->count; i++)
        if (same_position(jump->found[i], after)) return;
    if (jump->count < MOST_MOVES) jump->found[jump->count++] = after;
}

static int jump_successors(position at, bool black, board starts, position *found) {
    jump_search jump = {.found = found, .count = 0};
    while (starts) {
        board start = starts & -starts;
        starts ^= start;
        bool king = start & at.kings;
        jump.base = (position){at.other, at.own ^ start, at.kings & ~start};
        jump.crowning = king ? 0 : black ? BLACK_CROWNING : WHITE_CROWNING;
        jump.up = black || king;
        jump.down = !black || king;
        extend_jump(&jump, start, 0, at.other, (BOARD & ~(at.own | at.other)) | start);
    }
    return jump.count;
}

ALWAYS_INLINE position *add_steps(position at, position *found, board ends, int shift, board crowning) {
    while (ends) {
        board end = ends & -ends;
        ends ^= end;
        board start = shift > 0 ? end >> shift : end << -shift;
        board kings = at.kings & start ? at.kings ^ start ^ end : at.kings | (end & crowning);
        *found++ = (position){at.other, at.own ^ start ^ end, kings};
    }
    return found;
}

ALWAYS_INLINE int successors_of(position at, bool black, position *found) {
    board starts = jumpers(at, black);
    if (starts) return jump_successors(at, black, starts, found);
    board empty = BOARD & ~(at.own | at.other);
    board up = black ? at.own : at.own & at.kings, down = black ? at.own & at.kings : at.own;
    board crowning = black ? BLACK_CROWNING : WHITE_CROWNING;
    position *next = found;
    next = add_steps(at, next, (up << 4) & empty, 4, crowning);
    next = add_steps(at, next, (up << 5) & empty, 5, crowning);
    next = add_steps(at, next, (down >> 4) & empty, -4, crowning);
    next = add_steps(at, next, (down >> 5) & empty, -5, crowning);
    return (int)(next - found);
}

int successors(position at, bool black, position *found) {
    return black ? successors_of(at, true, found) : successors_of(at, false, found);
}

/* The number of ways to carry on a jump from `at`. */
static int jump_routes(board at, bool started, board enemy, board empty, bool up, bool down, board crowning) {
    if (started && at & crowning) return 1;
    int routes = 0;
    if (up) {
        if ((at << 4) & enemy && (at << 8) & empty)
            routes += jump_routes(at << 8, true, enemy ^ at << 4, empty | at << 4, up, down, crowning);
        if ((at << 5) & enemy && (at << 10) & empty)
            routes += jump_routes(at << 10, true, enemy ^ at << 5, empty | at << 5, up, down, crowning);
    }
    if (down) {
        if ((at >> 4) & enemy && (at >> 8) & empty)
            routes += jump_routes(at >> 8, true, enemy ^ at >> 4, empty | at >> 4, up, down, crowning);
        if ((at >> 5) & enemy && (at >> 10) & empty)
            routes += jump_routes(at >> 10, true, enemy ^ at >> 5, empty | at >> 5, up, down, crowning);
    }
    return routes ? routes : 1;
}

ALWAYS_INLINE int route_count_of(position at, bool black) {
    board empty = BOARD & ~(at.own | at.other);
    board up = black ? at.own : at.own & at.kings, down = black ? at.own & at.kings : at.own;
    board starts = jumpers(at, black);
    if (!starts)
        return count((up << 4) & empty) + count((up << 5) & empty) + count((down >> 4) & empty) +
               count((down >> 5) & empty);
    int routes = 0;
    while (starts) {
        board start = starts & -starts;
        starts ^= start;
        bool king = start & at.kings;
        routes += jump_routes(start, false, at.other, empty | start, black || king, !black || king,
                              king ? 0 : black ? BLACK_CROWNING : WHITE_CROWNING);
    }
    return routes;
}

int route_count(position at, bool black) { return black ? route_count_of(at, true) : route_count_of(at, false); }

static uint64_t perft_of(position at, bool black, int depth, bool merged);

/* The routes of a jump one by one, each followed by the sequences after it. */
static uint64_t perft_routes(position base, board at, bool started, board gone, board enemy, board empty, bool up,
                             bool down, board crowning, bool black, int depth) {
    uint64_t total = 0;
    bool ended = true;
    if (!started || !(at & crowning)) {
        static const int shifts[4] = {4, 5, -4, -5};
        for (int direction = up ? 0 : 2; direction < (down ? 4 : 2); direction++) {
            int shift = shifts[direction];
            board over = shift > 0 ? at << shift : at >> -shift, end = shift > 0 ? over << shift : over >> -shift;
            if (over & enemy && end & empty) {
                ended = false;
                total += perft_routes(base, end, true, gone | over, enemy ^ over, empty | over, up, down, crowning,
                                      black, depth);
            }
        }
    }
    if (!ended) return total;
    base.own ^= gone;
    base.other |= at;
    base.kings &= ~gone;
    if (!crowning || at & crowning) base.kings |= at;
    return perft_of(base, !black, depth - 1, false);
}

static uint64_t perft_of(position at, bool black, int depth, bool merged) {
    if (depth == 0) return 1;
    board starts = jumpers(at, black);
    if (depth == 1 && !(merged && starts)) return (uint64_t)route_count(at, black);
    uint64_t total = 0;
    if (starts && !merged) {
        board empty = BOARD & ~(at.own | at.other);
        while (starts) {
            board start = starts & -starts;
            starts ^= start;
            bool king = start & at.kings;
            position base = {at.other, at.own ^ start, at.kings & ~start};
            total += perft_routes(base, start, false, 0, at.other, empty | start, black || king, !black || king,
                                  king ? 0 : black ? BLACK_CROWNING : WHITE_CROWNING, black, depth);
        }
        return total;
    }
    position next[MOST_MOVES];
    int moves = successors(at, black, next);
    if (depth == 1) return (uint64_t)moves;
    for (int i = 0; i < moves; i++) total += perft_of(next[i], !black, depth - 1, merged);
    return total;
}

uint64_t perft(position at, bool black, int depth, bool merged) { return perft_of(at, black, depth, merged); }
