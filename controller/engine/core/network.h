/* The evaluation that was learnt from self-play: a small network. */
#ifndef CROWNHEAD_NETWORK_H
#define CROWNHEAD_NETWORK_H

#include "board.h"

#include <stddef.h>

/* Take over the weights in `bytes` (the format is that of controller/engine/tuning); 0, or -1 when they are not such
 * a file. Not to be called while a search runs. */
int network_load(const unsigned char *bytes, size_t size);

/* Whether weights have been loaded. */
bool network_ready(void);

/* What a quiet position is worth for the side to move, in hundredths of a man. */
int network_evaluate(position at, bool black);

#endif
