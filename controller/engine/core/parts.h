/* Parts of the engine that `python -m tests.engine_parts` leaves out one at a time, to measure what they are worth:
 * it builds the core with -DWITH_...=false. */
#ifndef CROWNHEAD_PARTS_H
#define CROWNHEAD_PARTS_H

#ifndef WITH_TRANSPOSITIONS
#define WITH_TRANSPOSITIONS true /* results of earlier searches are used, not only their best moves */
#endif
#ifndef WITH_NARROW_WINDOWS
#define WITH_NARROW_WINDOWS true /* later moves are first searched only for whether they are better */
#endif
#ifndef WITH_KILLERS
#define WITH_KILLERS true /* moves that refuted sister positions are tried early */
#endif
#ifndef WITH_HISTORY
#define WITH_HISTORY true /* so are those that have refuted many positions */
#endif
#ifndef WITH_REDUCTIONS
#define WITH_REDUCTIONS true /* late moves are searched less deep */
#endif
#ifndef WITH_STANDING_CUTS
#define WITH_STANDING_CUTS true /* near the leaves, a position that is much too good or bad is left alone */
#endif
#ifndef WITH_SHALLOW_CUTS
#define WITH_SHALLOW_CUTS true /* farther up, so is one that a shallower search finds too good */
#endif
#ifndef WITH_FIRST_GUESSES
#define WITH_FIRST_GUESSES true /* positions without a move remembered are first searched less deep */
#endif
#ifndef WITH_SINGLE_REPLIES
#define WITH_SINGLE_REPLIES true /* forced moves cost no depth */
#endif
#ifndef WITH_DANGER
#define WITH_DANGER true /* leaves where the opponent threatens to jump are searched a ply further */
#endif
#ifndef WITH_ENDINGS
#define WITH_ENDINGS true /* endgame tables are looked up */
#endif
#ifndef WITH_NETWORK
#define WITH_NETWORK true /* positions are judged by the learnt network, not by hand-made rules */
#endif

#endif
