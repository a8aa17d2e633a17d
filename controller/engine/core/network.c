/* The learnt evaluation: see network.h. */
#include "network.h"

int network_load(const unsigned char *bytes, size_t size) {
    (void)bytes, (void)size;
    return -1;
}

bool network_ready(void) { return false; }

int network_evaluate(position at, bool black) {
    (void)at, (void)black;
    return 0;
}
