/* The evaluation that was learnt from self-play: a small network.
 *
 * It looks at the board twice, once from each side, turned so that the men of the side that looks go up. From each
 * side it sees eight blocks of two by two squares, each as one of the 81 ways in which men of both can stand there;
 * the kings; and whether the number of pieces on every second row is odd, which between equal numbers tells who has
 * the opposition ("the move"). Each thing seen adds its weights to HIDDEN sums; these, cut off below 0 and above 1 and
 * squared, are weighted once more, with weights that depend on how many pieces there are, and added to the material.
 */
#ifndef CROWNHEAD_NETWORK_H
#define CROWNHEAD_NETWORK_H

#include "board.h"

#include <stddef.h>

enum network_fault { NETWORK_FINE, NETWORK_FOREIGN, NETWORK_OTHER_VERSION, NETWORK_DAMAGED };

/* Take over the weights in `bytes`, a file of the format in controller/engine/tuning/weights.py, unless there is a
 * fault. Not to be called while a search runs. */
enum network_fault network_load(const unsigned char *bytes, size_t size);

/* Forget the weights. Not to be called while a search runs. */
void network_unload(void);

/* Whether weights have been loaded. */
bool network_ready(void);

/* What a quiet position is worth for the side to move, in hundredths of a man. */
int network_evaluate(position at, bool black);

#endif
