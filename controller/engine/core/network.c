#include "network.h"

#include <string.h>

/* The sizes and the arithmetic are those of controller/engine/tuning/weights.py. */
enum {
    VERSION = 1,
    HIDDEN = 32,
    ROWS = 8,
    ROW_PATTERNS = 81,
    SQUARES = 32,
    STAGES = 6, /* of the game, by the number of pieces */
    MOST_PIECES = 24,
    ONE = 255,           /* of the sums */
    SQUARE_SHIFT = 6,    /* squares of sums are kept in 16 bits, and their weighted sums in 32 */
    SCORE_UNIT = 1 << 14, /* of weighted sums to a hundredth of a man */
    MOST_SCORE = 5000,   /* far below what the search takes for a win */
    HEADER_SIZE = 16,
};

/* As in the file, behind its header; the sums' starting values are contained in the weights of row 0. */
typedef struct {
    int16_t rows[ROWS][ROW_PATTERNS][HIDDEN];
    int16_t kings[2][SQUARES][HIDDEN]; /* own, other */
    int16_t output[STAGES][2][HIDDEN]; /* of the side to move, of the opponent */
    int32_t base[STAGES], man[STAGES], king[STAGES];
} network;

static _Alignas(64) network weights;
static bool ready;

/* Own men of a row as digits of base 3; the other side's count twice as much. */
static const uint8_t digits[16] = {0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31, 36, 37, 39, 40};

static uint32_t crc32_of(const unsigned char *bytes, size_t size) {
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

static uint32_t read_number(const unsigned char *bytes, int width) {
    uint32_t number = 0;
    for (int i = 0; i < width; i++) number |= (uint32_t)bytes[i] << 8 * i;
    return number;
}

static const unsigned char *read_shorts(const unsigned char *bytes, int16_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++, bytes += 2) numbers[i] = (int16_t)read_number(bytes, 2);
    return bytes;
}

static const unsigned char *read_longs(const unsigned char *bytes, int32_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++, bytes += 4) numbers[i] = (int32_t)read_number(bytes, 4);
    return bytes;
}

enum network_fault network_load(const unsigned char *bytes, size_t size) {
    if (size < HEADER_SIZE || memcmp(bytes, "CHNN", 4) != 0) return NETWORK_FOREIGN;
    if (read_number(bytes + 4, 2) != VERSION || read_number(bytes + 6, 2) != HIDDEN) return NETWORK_OTHER_VERSION;
    const unsigned char *next = bytes + HEADER_SIZE;
    size -= HEADER_SIZE;
    if (size != sizeof weights || read_number(bytes + 8, 4) != size || read_number(bytes + 12, 4) != crc32_of(next, size))
        return NETWORK_DAMAGED;
    next = read_shorts(next, &weights.rows[0][0][0], sizeof weights.rows / sizeof(int16_t));
    next = read_shorts(next, &weights.kings[0][0][0], sizeof weights.kings / sizeof(int16_t));
    next = read_shorts(next, &weights.output[0][0][0], sizeof weights.output / sizeof(int16_t));
    next = read_longs(next, weights.base, STAGES);
    next = read_longs(next, weights.man, STAGES);
    read_longs(next, weights.king, STAGES);
    ready = true;
    return NETWORK_FINE;
}

void network_unload(void) { ready = false; }

bool network_ready(void) { return ready; }

static void add_kings(int16_t *restrict sums, uint32_t kings, const int16_t (*of_squares)[HIDDEN]) {
    for (; kings; kings &= kings - 1) {
        const int16_t *restrict more = of_squares[__builtin_ctz(kings)];
        for (int i = 0; i < HIDDEN; i++) sums[i] = (int16_t)(sums[i] + more[i]);
    }
}

/* What one side sees, weighted: its men go up. */
static int32_t seen_by(uint32_t own, uint32_t other, uint32_t kings, const int16_t *restrict output) {
    uint32_t own_men = own & ~kings, other_men = other & ~kings;
    const int16_t *row[ROWS];
    for (int i = 0; i < ROWS; i++)
        row[i] = weights.rows[i][digits[own_men >> 4 * i & 15] + 2 * digits[other_men >> 4 * i & 15]];
    _Alignas(16) int16_t sums[HIDDEN];
    for (int i = 0; i < HIDDEN; i++)
        sums[i] = (int16_t)(row[0][i] + row[1][i] + row[2][i] + row[3][i] + row[4][i] + row[5][i] + row[6][i] + row[7][i]);
    if (kings) {
        add_kings(sums, own & kings, weights.kings[0]);
        add_kings(sums, other & kings, weights.kings[1]);
    }
    int32_t total = 0;
    for (int i = 0; i < HIDDEN; i++) {
        int16_t sum = sums[i] < 0 ? 0 : sums[i] > ONE ? ONE : sums[i];
        int16_t square = (int16_t)((uint16_t)(sum * sum) >> SQUARE_SHIFT);
        total += (int32_t)square * output[i];
    }
    return total;
}

int network_evaluate(position at, bool black) {
    uint32_t own = packed(at.own), other = packed(at.other), kings = packed(at.kings);
    uint32_t own_turned = turned(own), other_turned = turned(other), kings_turned = turned(kings);
    int pieces = count(own) + count(other);
    int stage = pieces >= MOST_PIECES ? STAGES - 1 : pieces > 0 ? (pieces - 1) * STAGES / MOST_PIECES : 0;
    const int16_t *mine = weights.output[stage][0], *theirs = weights.output[stage][1];
    int king_lead = count(own & kings) - count(other & kings), man_lead = count(own) - count(other) - king_lead;
    int32_t total = weights.base[stage] + man_lead * weights.man[stage] + king_lead * weights.king[stage];
    total += black ? seen_by(own, other, kings, mine) + seen_by(other_turned, own_turned, kings_turned, theirs)
                   : seen_by(own_turned, other_turned, kings_turned, mine) + seen_by(other, own, kings, theirs);
    int score = total / SCORE_UNIT;
    return score > MOST_SCORE ? MOST_SCORE : score < -MOST_SCORE ? -MOST_SCORE : score;
}
