/* The search for the best move. */
#ifndef CROWNHEAD_SEARCH_H
#define CROWNHEAD_SEARCH_H

#include "evaluate.h"
#include "transposition.h"

#define WIN 30000
#define SURE_WIN 29000
#define TABLE_WIN 20000 /* won by an endgame table that does not say how soon */
#define DEEPEST 100
#define LONGEST_LINE 160 /* plies from the root, extensions included */
#define MOST_PAST 200    /* positions of the game that can still be repeated */

typedef struct {
    int depth;       /* deepest iteration; 0: DEEPEST */
    uint64_t nodes;  /* most positions looked at, all threads together; 0: any number */
    int threads;     /* 1 or more */
    int quiet_plies; /* moves of both sides since the last capture or move of a man */
    int quiet_limit; /* with that many the game is a draw */
    const position *past;
    int past_length; /* the positions of the game that could come up again, each as its own side to move saw it, the
                        oldest first and the root not among them */
    misjudgement errors;
    bool endings; /* look up endgame tables */
} search_order;

typedef struct {
    int score, depth;
    uint64_t nodes;
    int line_length; /* at least 1 */
    position line[LONGEST_LINE]; /* the positions after each move of the expected continuation */
} search_result;

/* What the search asks of its caller. `enough` is asked every few thousand nodes, `deepened` is told of every depth
 * that was searched whole; either ends the search by returning true. Both are called on the calling thread only. */
typedef struct {
    void *context;
    bool (*enough)(void *context);
    bool (*deepened)(void *context, const search_result *so_far);
} search_caller;

/* Search a position that has at least one legal move. The table is used and left as it is for the next search. */
void search(position root, bool black, const search_order *order, transposition_table *table,
            const search_caller *caller, search_result *result);

#endif
