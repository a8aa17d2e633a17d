/* What the core's perft is measured against: the same algorithm as a plain C program, without Python.
 *
 *   cc -O3 -I controller/engine/core tests/engine/perft_reference.c controller/engine/core/moves.c -o reference
 *   ./reference DEPTH REPEATS      prints “leaves seconds”, the best of the repeats
 */
#include "moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds of the processor, which other programs do not slow down. */
static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

int main(int count, char **words) {
    int depth = count > 1 ? atoi(words[1]) : 10, repeats = count > 2 ? atoi(words[2]) : 3;
    position start = {unpacked(0xfffu), unpacked(0xfff00000u), 0};
    double best = 0;
    uint64_t leaves = 0;
    for (int i = 0; i < repeats; i++) {
        double began = now();
        leaves = perft(start, true, depth, false);
        double seconds = now() - began;
        if (!i || seconds < best) best = seconds;
    }
    printf("%llu %.6f\n", (unsigned long long)leaves, best);
    return 0;
}
