#include "search.h"

#include "endgame.h"
#include "moves.h"
#include "parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    INFINITE = WIN + 1,
    POLL_EVERY = 2048,      /* nodes */
    MOST_THREADS = 16,
    HELPER_STACK = 8 << 20, /* bytes, as the main thread usually has */
    WINDOW = 20,            /* about the last iteration's score, in hundredths of a man */
    DANGER_PLIES = 1,       /* how much further to look when the opponent threatens to jump */
    PRUNE_DEPTH = 3,        /* up to which a position that stands that much better is left alone */
    PRUNE_MARGIN = 50,      /* for each ply of depth */
    LOSS_DEPTH = 2,         /* up to which one that stands that much worse is searched a ply less deep */
    LOSS_MARGIN = 100,      /* for each ply of depth */
    CUT_DEPTH = 5,          /* from which a shallower search is believed that clears beta by a margin */
    CUT_MARGIN = 30,
    CUT_REDUCTION = 4,
    USUAL_QUIET_PLIES = 40, /* more moves of kings in a row are hardly ever needed */
    GUESS_DEPTH = 4,        /* from which a position without a move remembered is searched a ply less deep */
};

/* A step as a number: from which bit to which. */
#define STEPS (BOARD_BITS * BOARD_BITS)

typedef struct {
    const search_order *order;
    transposition_table *table;
    const search_caller *caller;
    position root;
    bool black;
    int root_pieces;
    int endgame_pieces; /* largest number of pieces looked up; 0: none */
    bool drawn;         /* the tables call the root a draw: keep it, and set the opponent problems */
    _Atomic bool stop;
    _Atomic uint64_t nodes;
} shared_search;

/* What one thread has. */
typedef struct {
    shared_search *shared;
    bool leads; /* the thread that was called: it asks the caller and gives the result */
    uint64_t nodes;
    int iteration;                            /* its depth */
    position path[MOST_PAST + LONGEST_LINE];  /* the game's past, then the line being searched */
    int root;                                 /* the root's place in the path */
    uint8_t line[LONGEST_LINE][LONGEST_LINE]; /* the best moves found from each ply on */
    int line_length[LONGEST_LINE + 1];
    int killers[LONGEST_LINE][2];
    int16_t history[2][STEPS];
    int best_score; /* of the root, and the line to it */
    int best_length;
    uint8_t best_line[LONGEST_LINE];
} searcher;

static int step_of(position at, position after) {
    board moved = at.own ^ after.other;
    return lowest(moved & at.own) * BOARD_BITS + lowest(moved & ~at.own);
}

static bool crowns(position at, position after) { return count(after.kings) > count(at.kings); }

/* Whether the opponent could jump if it were its turn. */
static bool threatened(position at, bool black) {
    return jumpers((position){at.other, at.own, at.kings}, !black);
}

static bool stopped(const shared_search *shared) {
    return atomic_load_explicit(&shared->stop, memory_order_relaxed);
}

static void stop(shared_search *shared) { atomic_store_explicit(&shared->stop, true, memory_order_relaxed); }

/* Count a node; whether the search is over. */
static bool out_of_limits(searcher *me) {
    shared_search *shared = me->shared;
    me->nodes++;
    uint64_t limit = shared->order->nodes;
    if (limit && me->leads && shared->order->threads == 1 && me->nodes >= limit) stop(shared);
    if (me->nodes % POLL_EVERY == 0) {
        uint64_t nodes = atomic_fetch_add_explicit(&shared->nodes, POLL_EVERY, memory_order_relaxed) + POLL_EVERY;
        if (limit && nodes >= limit) stop(shared);
        if (me->leads && shared->caller->enough(shared->caller->context)) stop(shared);
    }
    return stopped(shared);
}

/* Whether the position has come up before, in the line or in the game: it counts as a draw at once, so that whoever
 * is winning turns to something new instead of going round in circles. */
static bool repeated(const searcher *me, int ply, int quiet) {
    const position *now = &me->path[me->root + ply];
    int reach = quiet < me->root + ply ? quiet : me->root + ply;
    for (int back = 4; back <= reach; back += 2)
        if (same_position(*now, now[-back])) return true;
    return false;
}

/* Wins and losses are remembered as counted from the position, not from the root. */
static int to_table(int score, int ply) {
    return score >= SURE_WIN ? score + ply : score <= -SURE_WIN ? score - ply : score;
}

static int from_table(int score, int ply) { return to_table(score, -ply); }

static int clamped(int value, int limit) { return value > limit ? limit : value < -limit ? -limit : value; }

/* Whether a game that is won in so many plies is won before the draw rule ends it: by the tables a capture or a man's
 * move comes soon enough, with more pieces all the more. */
static bool in_time(int plies, int quiet, int pieces, const search_order *order) {
    int quiet_ahead = endgame_quiet_plies(pieces);
    if (!quiet_ahead) quiet_ahead = USUAL_QUIET_PLIES;
    return quiet + (quiet_ahead < plies ? quiet_ahead : plies) <= order->quiet_limit;
}

/* Whether what was remembered holds here too, where more kings may have moved in a row than there. */
static bool holds(remembered entry, int known, int quiet, int pieces, const search_order *order) {
    int size = entry.score < 0 ? -entry.score : entry.score;
    if (size >= SURE_WIN && !in_time(WIN - size, quiet, pieces, order)) return false;
    return entry.depth >= known && quiet + known < order->quiet_limit;
}

/* The tables' word on a position, as a score; false when they have none, or none that holds under the draw rule. */
static bool looked_up(const searcher *me, position at, bool black, int depth, int ply, int quiet, int *score) {
    const shared_search *shared = me->shared;
    int pieces = count(at.own | at.other);
    if (pieces > shared->endgame_pieces || ply == 0 || (shared->drawn && ply > 1)) return false;
    int value = endgame_value(at, black);
    if (value == ENDGAME_UNKNOWN) return false;
    *score = 0;
    if (value == 0) return !shared->drawn;
    int sign = value > 0 ? 1 : -1;
    if (value == ENDGAME_FAR || value == -ENDGAME_FAR) {
        /* Among positions that are all won, look on for one with fewer pieces. */
        if (pieces == shared->root_pieces && depth > 0) return false;
        int standing = clamped(sign * evaluate(at, black, &shared->order->errors), 900);
        int progress = 1000 * (shared->root_pieces - pieces) + standing;
        *score = sign * (TABLE_WIN - ply + progress);
        return true;
    }
    if (!in_time(sign * value, quiet, pieces, shared->order)) return false;
    *score = sign * (WIN - ply) - value;
    return true;
}

/* How much less deep a late move is searched; more so if it has failed more often than not. */
static int reduction(int depth, int place, int history) {
    if (!WITH_REDUCTIONS || depth < 3 || place < 3) return 0;
    return 1 + (depth >= 6 && place >= 6) + (depth >= 10 && place >= 10) + (history < 0);
}

static void order_moves(const searcher *me, position at, bool black, bool capture, int ply, int table_move,
                        const position *next, int moves, int *worth) {
    int enemies = count(at.other);
    for (int i = 0; i < moves; i++) {
        if (i == table_move) {
            worth[i] = 1 << 24;
        } else if (capture) {
            worth[i] = 64 * (enemies - count(next[i].own)) + 16 * crowns(at, next[i]);
        } else {
            int step = step_of(at, next[i]);
            worth[i] = WITH_KILLERS && step == me->killers[ply][0]   ? 1 << 22
                       : WITH_KILLERS && step == me->killers[ply][1] ? 1 << 21
                       : WITH_HISTORY                                ? me->history[black][step]
                                                                     : 0;
            if (crowns(at, next[i])) worth[i] += 1 << 20;
        }
    }
}

#define HISTORY_LIMIT 8192

static void reward(int16_t *history, int bonus) {
    int size = bonus < 0 ? -bonus : bonus;
    *history = (int16_t)(*history + bonus - *history * size / HISTORY_LIMIT);
}

static void remember_cut(searcher *me, bool black, int step, int depth, int ply, const int *tried, int tries) {
    int bonus = depth * depth < 400 ? depth * depth : 400;
    reward(&me->history[black][step], bonus);
    for (int i = 0; i < tries; i++) reward(&me->history[black][tried[i]], -bonus);
    if (me->killers[ply][0] != step) {
        me->killers[ply][1] = me->killers[ply][0];
        me->killers[ply][0] = step;
    }
}

static void lead_line(searcher *me, int ply, int move) {
    int length = me->line_length[ply + 1];
    if (length > LONGEST_LINE - 1 - ply) length = LONGEST_LINE - 1 - ply;
    me->line[ply][0] = (uint8_t)move;
    memcpy(&me->line[ply][1], me->line[ply + 1], (size_t)length);
    me->line_length[ply] = length + 1;
}

/* The score of the position at `ply` of the path as the side to move sees it, exact between `alpha` and `beta`. */
static int score_of(searcher *me, position at, bool black, int depth, int alpha, int beta, int ply, int quiet) {
    shared_search *shared = me->shared;
    me->line_length[ply] = 0;
    if (out_of_limits(me)) return 0;
    bool capture = jumpers(at, black);
    if (!capture && !can_step(at, black)) return ply - WIN;
    if (ply && quiet && (quiet >= shared->order->quiet_limit || repeated(me, ply, quiet))) return 0;
    if (ply >= LONGEST_LINE - 1) return evaluate(at, black, &shared->order->errors);
    int score;
    if (looked_up(me, at, black, depth, ply, quiet, &score)) return score;
    bool danger = !capture && threatened(at, black);
    if (depth <= 0 && !capture && (!danger || !WITH_DANGER || depth <= -DANGER_PLIES))
        return evaluate(at, black, &shared->order->errors);

    bool exact = beta - alpha > 1;
    int known = depth > 0 ? depth : 0;
    uint64_t hash = hash_of(at, black);
    int table_move = NO_MOVE;
    remembered entry;
    if (table_find(shared->table, hash, &entry)) {
        table_move = entry.move;
        score = from_table(entry.score, ply);
        if (WITH_TRANSPOSITIONS && !exact && holds(entry, known, quiet, count(at.own | at.other), shared->order) &&
            (entry.bound == EXACT || (entry.bound == AT_LEAST && score >= beta) ||
             (entry.bound == AT_MOST && score <= alpha)))
            return score;
    }

    if (!exact && !capture && !danger && depth > 0 && beta > -TABLE_WIN / 2 && beta < TABLE_WIN / 2) {
        int standing = evaluate(at, black, &shared->order->errors);
        if (WITH_STANDING_CUTS && depth <= PRUNE_DEPTH && standing - PRUNE_MARGIN * depth >= beta) return standing;
        if (WITH_STANDING_CUTS && depth <= LOSS_DEPTH && standing + LOSS_MARGIN * depth <= alpha && --depth == 0)
            return standing;
        if (WITH_SHALLOW_CUTS && depth >= CUT_DEPTH && standing >= beta) {
            int limit = beta + CUT_MARGIN;
            score = score_of(me, at, black, depth - CUT_REDUCTION, limit - 1, limit, ply, quiet);
            if (stopped(shared)) return 0;
            if (score >= limit) return score;
        }
    }

    /* Without an idea of the best move a shallower search is as good, and finds one. */
    if (WITH_FIRST_GUESSES && table_move == NO_MOVE && depth >= GUESS_DEPTH) depth--;

    position next[MOST_MOVES];
    int worth[MOST_MOVES], tried[MOST_MOVES], tries = 0;
    int moves = successors(at, black, next);
    order_moves(me, at, black, capture, ply, table_move, next, moves, worth);
    bool forced = WITH_SINGLE_REPLIES && moves == 1 && ply < 2 * me->iteration;
    int best = -INFINITE, best_move = NO_MOVE, floor = alpha;
    for (int place = 0; place < moves; place++) {
        int move = 0;
        for (int i = 1; i < moves; i++)
            if (worth[i] > worth[move]) move = i;
        worth[move] = -INFINITE * 2;
        position after = next[move];
        table_prefetch(shared->table, hash_of(after, !black));
        bool king = !capture && at.kings & at.own & ~after.other;
        int step = capture ? 0 : step_of(at, after);
        int next_quiet = king ? quiet + 1 : 0, deeper = forced && depth > 0 ? depth : depth - 1;
        me->path[me->root + ply + 1] = after;
        int less = capture || danger || crowns(at, after) ? 0 : reduction(depth, place, me->history[black][step]);
        if (place && WITH_NARROW_WINDOWS)
            score = -score_of(me, after, !black, deeper - less, -alpha - 1, -alpha, ply + 1, next_quiet);
        if (place && less && WITH_NARROW_WINDOWS && score > alpha && !stopped(shared))
            score = -score_of(me, after, !black, deeper, -alpha - 1, -alpha, ply + 1, next_quiet);
        if (!place || !WITH_NARROW_WINDOWS || (score > alpha && score < beta && !stopped(shared)))
            score = -score_of(me, after, !black, deeper, -beta, -alpha, ply + 1, next_quiet);
        if (stopped(shared)) return 0;
        if (score > best) {
            best = score;
            best_move = move;
            if (score > alpha) {
                alpha = score;
                lead_line(me, ply, move);
                if (ply == 0) {
                    me->best_score = score;
                    me->best_length = me->line_length[0];
                    memcpy(me->best_line, me->line[0], sizeof me->best_line);
                }
                if (score >= beta) {
                    if (!capture && depth > 0) remember_cut(me, black, step, depth, ply, tried, tries);
                    break;
                }
            }
        }
        if (!capture) tried[tries++] = step;
    }
    table_store(shared->table, hash,
                (remembered){.score = to_table(best, ply), .depth = known,
                             .bound = best >= beta ? AT_LEAST : best > floor ? EXACT : AT_MOST,
                             .move = best > floor ? best_move : NO_MOVE});
    return best;
}

static void write_result(const searcher *me, int depth, search_result *result) {
    const shared_search *shared = me->shared;
    result->score = shared->drawn ? 0 : me->best_score;
    result->depth = depth;
    result->nodes = atomic_load_explicit(&shared->nodes, memory_order_relaxed) + me->nodes % POLL_EVERY;
    position at = shared->root, next[MOST_MOVES];
    bool black = shared->black;
    result->line_length = 0;
    for (int i = 0; i < me->best_length; i++, black = !black) {
        if (me->best_line[i] >= successors(at, black, next)) break;
        at = result->line[result->line_length++] = next[me->best_line[i]];
    }
}

/* Nothing is to be gained by looking further. */
static bool settled(const searcher *me, int depth) {
    const shared_search *shared = me->shared;
    int score = me->best_score < 0 ? -me->best_score : me->best_score;
    if (score < SURE_WIN || shared->drawn) return false;
    return WIN - score <= depth || shared->root_pieces <= shared->endgame_pieces;
}

static void deepen(searcher *me, search_result *result) {
    shared_search *shared = me->shared;
    int deepest = shared->order->depth ? shared->order->depth : DEEPEST;
    for (int depth = 1; depth <= deepest; depth++) {
        me->iteration = depth;
        int alpha = -INFINITE, beta = INFINITE, window = WINDOW;
        if (depth > 4) {
            alpha = me->best_score - window;
            beta = me->best_score + window;
        }
        for (;;) {
            int score = score_of(me, shared->root, shared->black, depth, alpha, beta, 0, shared->order->quiet_plies);
            if (stopped(shared)) return;
            if (score > alpha && score < beta) break;
            window *= 4;
            if (score <= alpha) alpha = window > 1000 ? -INFINITE : score - window;
            if (score >= beta) beta = window > 1000 ? INFINITE : score + window;
        }
        if (!me->leads) continue;
        write_result(me, depth, result);
        if (shared->caller->deepened(shared->caller->context, result) || settled(me, depth)) return;
    }
}

static searcher *new_searcher(shared_search *shared, bool leads) {
    searcher *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->shared = shared;
    made->leads = leads;
    int past = shared->order->past_length < MOST_PAST ? shared->order->past_length : MOST_PAST;
    memcpy(made->path, shared->order->past + shared->order->past_length - past, (size_t)past * sizeof *made->path);
    made->root = past;
    made->path[past] = shared->root;
    return made;
}

static void *help(void *argument) {
    deepen(argument, NULL);
    return NULL;
}

void search(position root, bool black, const search_order *order, transposition_table *table,
            const search_caller *caller, search_result *result) {
    shared_search shared = {.order = order, .table = table, .caller = caller, .root = root, .black = black};
    shared.root_pieces = count(root.own | root.other);
    shared.endgame_pieces = WITH_ENDINGS && order->endings ? endgame_pieces() : 0;
    table_grow_older(table);

    position next[MOST_MOVES];
    successors(root, black, next);
    *result = (search_result){.line_length = 1, .line = {next[0]}};
    int value = shared.endgame_pieces >= shared.root_pieces ? endgame_value(root, black) : ENDGAME_UNKNOWN;
    shared.drawn = value == 0;
    if (value > 0 && value < ENDGAME_FAR && in_time(value, order->quiet_plies, shared.root_pieces, order) &&
        endgame_choice(root, black, &result->line[0])) {
        result->score = WIN - value;
        result->depth = result->nodes = 1;
        caller->deepened(caller->context, result);
        return;
    }
    searcher *lead = new_searcher(&shared, true);
    if (!lead) return;
    pthread_t threads[MOST_THREADS];
    searcher *helpers[MOST_THREADS];
    int helping = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, HELPER_STACK);
    while (helping < order->threads - 1 && helping < MOST_THREADS) {
        helpers[helping] = new_searcher(&shared, false);
        if (!helpers[helping]) break;
        if (pthread_create(&threads[helping], &attributes, help, helpers[helping])) {
            free(helpers[helping]);
            break;
        }
        helping++;
    }
    pthread_attr_destroy(&attributes);
    deepen(lead, result);
    stop(&shared);
    for (int i = 0; i < helping; i++) {
        pthread_join(threads[i], NULL);
        free(helpers[i]);
    }
    int depth = result->depth;
    if (lead->best_length) write_result(lead, depth, result);
    free(lead);
}
