#include "endgame_index.h"

#define ROW(n) \
    {1, (n), (n) * ((n)-1) / 2, (n) * ((n)-1) * ((n)-2) / 6, (n) * ((n)-1) * ((n)-2) * ((n)-3) / 24, \
     (n) * ((n)-1) * ((n)-2) * ((n)-3) * ((n)-4) / 120}

const uint32_t choices[33][KIND_COUNTS] = {
    ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),  ROW(9),  ROW(10),
    ROW(11), ROW(12), ROW(13), ROW(14), ROW(15), ROW(16), ROW(17), ROW(18), ROW(19), ROW(20), ROW(21),
    ROW(22), ROW(23), ROW(24), ROW(25), ROW(26), ROW(27), ROW(28), ROW(29), ROW(30), ROW(31), ROW(32),
};
