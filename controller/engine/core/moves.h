/* Move generation. */
#ifndef CROWNHEAD_MOVES_H
#define CROWNHEAD_MOVES_H

#include "board.h"

/* More successors than any position has: twelve kings have at most 48 steps, and jumping routes with the same result
 * count once. */
#define MOST_MOVES 128

/* The positions after each legal move, seen from the opponent, who is then to move; returns their number. Jumping
 * routes with the same result appear once. */
int successors(position at, bool black, position *found);

/* The number of legal moves, each jumping route counted by itself. */
int route_count(position at, bool black);

/* The number of sequences of `depth` legal moves: each jumping route by itself, or if `merged` routes with the same
 * result once. */
uint64_t perft(position at, bool black, int depth, bool merged);

#endif
