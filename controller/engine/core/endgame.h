/* Looking positions up in the endgame tables. */
#ifndef CROWNHEAD_ENDGAME_H
#define CROWNHEAD_ENDGAME_H

#include "board.h"

/* Not in a table: too many pieces, a side without pieces, no table attached. Also where the side to move has no move,
 * as a loss in no plies has no number. */
#define ENDGAME_UNKNOWN 32767
/* A won (or, negated, lost) position whose table does not say how far the end is. */
#define ENDGAME_FAR 20000

/* The largest number of pieces that can be looked up now; 0 without tables. Cheap: the search asks at every node. */
int endgame_pieces(void);

/* The value for the side to move with the best play of both, whatever the draw rules: 0 a draw, n > 0 a win in n
 * plies, n < 0 a loss in -n plies, +-ENDGAME_FAR when only that much is known, or ENDGAME_UNKNOWN. Positions where a
 * jump is pending are looked up as well. Safe in several threads at once. */
int endgame_value(position at, bool black);

#endif
