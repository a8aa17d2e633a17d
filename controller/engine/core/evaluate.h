/* What a position is worth when the search goes no deeper. */
#ifndef CROWNHEAD_EVALUATE_H
#define CROWNHEAD_EVALUATE_H

#include "board.h"

/* The error of judgement of a weak player: each man and king is worth a little more or less to it depending on where
 * it stands, the same throughout a game. As numbers of the side whose piece it is, the board turned so that its men
 * go up; in 1/64 of a hundredth of a man. */
typedef struct {
    bool any;
    int man[32], king[32];
} misjudgement;

/* Errors whose sum over a middle game has a standard deviation of `deviation` hundredths of a man. */
misjudgement misjudgement_of(double deviation, uint64_t seed);

/* The score of a position for the side to move, in hundredths of a man; nobody has won and no jump is pending. The
 * learnt evaluation when there is one, else the hand-made one. */
int evaluate(position at, bool black, const misjudgement *errors);

/* The hand-made evaluation of controller/engine/evaluation.py, the same numbers. */
int evaluate_by_hand(position at, bool black);

#endif
