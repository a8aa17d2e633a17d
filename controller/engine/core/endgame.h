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

/* The move to play in a won position whose distance is known, as the position after it; false in any other. It is one
 * of a shortest way to the end, and of several the one after which the winner needs the fewest plies of kings until a
 * capture or a man's move, whatever the loser does: from a capture on at most endgame_quiet_plies(), fewer than the
 * draw rule allows. Takes milliseconds. Safe in several threads at once. */
bool endgame_choice(position at, bool black, position *after);

/* The plies that kings move on end at most when won positions of so many pieces are played by endgame_choice(); 0
 * where distances are not known. */
int endgame_quiet_plies(int pieces);

#endif
