#include "network.h"

#include <string.h>

/* The sizes and the arithmetic are those of controller/engine/tuning/weights.py. */
enum {
    VERSION = 1,
    HIDDEN = 32,
    BLOCKS = 8,
    BLOCK_PATTERNS = 81,
    SQUARES = 32,
    STAGES = 12, /* of the game, by the number of pieces */
    MOST_PIECES = 24,
    ONE = 255,            /* of the sums */
    SQUARE_SHIFT = 6,     /* squares of sums are kept in 16 bits, and their weighted sums in 32 */
    SCORE_UNIT = 1 << 14, /* of weighted sums to a hundredth of a man */
    MOST_SCORE = 5000,    /* far below what the search takes for a win */
    HEADER_SIZE = 16,
};

/* What is seen from one side of the board, and what it adds to the sums. */
typedef struct {
    int16_t start[2][HIDDEN]; /* pieces on every second row even, odd */
    int16_t blocks[BLOCKS][BLOCK_PATTERNS][HIDDEN];
    int16_t kings[2][SQUARES][HIDDEN]; /* own, other; for White's view: Black's, White's */
} view;

typedef struct {
    int16_t output[STAGES][2][HIDDEN]; /* of the side to move, of the opponent */
    int32_t base[STAGES], man[STAGES], king[STAGES];
} judgement;

#define FILE_SIZE (HEADER_SIZE + sizeof(view) + sizeof(judgement))

/* The file has Black's view; White's is the same turned round, so that boards need not be turned. */
static _Alignas(64) view views[2];
static _Alignas(64) judgement judged;
static uint16_t digits[256];
static bool ready;

/* The rows 1, 3, 5 and 7 as Black counts them; to White they are the others. */
#define SECOND_ROWS 0x0f0f0f0fu

/* Block 2r has bits 0, 1, 4 and 5 of byte r of the board, block 2r + 1 the others. The men of each, as digits of base
 * 3, are a byte of `digits`; the other side's count twice as much. */
static void make_digits(void) {
    static const uint16_t worth[8] = {1, 3, 1 << 8, 3 << 8, 9, 27, 9 << 8, 27 << 8};
    for (int men = 0; men < 256; men++) {
        digits[men] = 0;
        for (int bit = 0; bit < 8; bit++)
            if (men >> bit & 1) digits[men] = (uint16_t)(digits[men] + worth[bit]);
    }
}

/* The pattern as it looks from behind, where the block's squares come in opposite order. */
static int from_behind(int pattern) {
    int behind = 0;
    for (int place = 0; place < 4; place++, pattern /= 3) behind = 3 * behind + (3 - pattern % 3) % 3;
    return behind;
}

static void make_white_view(void) {
    memcpy(views[1].start, views[0].start, sizeof views[0].start);
    for (int i = 0; i < BLOCKS; i++)
        for (int pattern = 0; pattern < BLOCK_PATTERNS; pattern++)
            memcpy(views[1].blocks[i][pattern], views[0].blocks[BLOCKS - 1 - i][from_behind(pattern)],
                   sizeof views[0].blocks[0][0]);
    for (int square = 0; square < SQUARES; square++)
        for (int side = 0; side < 2; side++)
            memcpy(views[1].kings[side][square], views[0].kings[1 - side][SQUARES - 1 - square],
                   sizeof views[0].kings[0][0]);
}

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
    if (size != FILE_SIZE || read_number(bytes + 8, 4) != size - HEADER_SIZE) return NETWORK_DAMAGED;
    const unsigned char *next = bytes + HEADER_SIZE;
    if (read_number(bytes + 12, 4) != crc32_of(next, size - HEADER_SIZE)) return NETWORK_DAMAGED;
    next = read_shorts(next, &views[0].start[0][0], sizeof views[0].start / sizeof(int16_t));
    next = read_shorts(next, &views[0].blocks[0][0][0], sizeof views[0].blocks / sizeof(int16_t));
    next = read_shorts(next, &views[0].kings[0][0][0], sizeof views[0].kings / sizeof(int16_t));
    next = read_shorts(next, &judged.output[0][0][0], sizeof judged.output / sizeof(int16_t));
    next = read_longs(next, judged.base, STAGES);
    next = read_longs(next, judged.man, STAGES);
    read_longs(next, judged.king, STAGES);
    make_white_view();
    make_digits();
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

/* What one side sees, weighted. The patterns are Black's. */
static int32_t seen_by(const view *from, const uint8_t *pattern, uint32_t black_kings, uint32_t white_kings, int odd,
                       const int16_t *restrict output) {
    const int16_t *start = from->start[odd], *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) block[i] = from->blocks[i][pattern[i]];
    _Alignas(16) int16_t sums[HIDDEN];
    for (int i = 0; i < HIDDEN; i++)
        sums[i] = (int16_t)(start[i] + block[0][i] + block[1][i] + block[2][i] + block[3][i] + block[4][i] +
                            block[5][i] + block[6][i] + block[7][i]);
    add_kings(sums, black_kings, from->kings[0]);
    add_kings(sums, white_kings, from->kings[1]);
    int16_t squares[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        int16_t sum = sums[i] < 0 ? 0 : sums[i] > ONE ? ONE : sums[i];
        uint16_t square = (uint16_t)(sum * sum);
        squares[i] = (int16_t)(square >> SQUARE_SHIFT);
    }
    int32_t total = 0;
    for (int i = 0; i < HIDDEN; i++) total += squares[i] * output[i];
    return total;
}

int network_evaluate(position at, bool black) {
    uint32_t own = packed(at.own), other = packed(at.other), kings = packed(at.kings);
    uint32_t blacks = black ? own : other, whites = black ? other : own;
    uint32_t black_men = blacks & ~kings, white_men = whites & ~kings;
    uint8_t pattern[BLOCKS];
    for (int i = 0; i < BLOCKS / 2; i++) {
        int both = digits[black_men >> 8 * i & 255] + 2 * digits[white_men >> 8 * i & 255];
        pattern[2 * i] = (uint8_t)both;
        pattern[2 * i + 1] = (uint8_t)(both >> 8);
    }
    int odd = count(blacks | whites) & 1, odd_for_black = count((blacks | whites) & SECOND_ROWS) & 1;

    int pieces = count(own) + count(other);
    int stage = pieces >= MOST_PIECES ? STAGES - 1 : pieces > 0 ? (pieces - 1) * STAGES / MOST_PIECES : 0;
    int king_lead = count(own & kings) - count(other & kings), man_lead = count(own) - count(other) - king_lead;
    int32_t total = judged.base[stage] + man_lead * judged.man[stage] + king_lead * judged.king[stage];
    const int16_t(*output)[HIDDEN] = judged.output[stage];
    total += seen_by(&views[0], pattern, blacks & kings, whites & kings, odd_for_black, output[!black]);
    total += seen_by(&views[1], pattern, blacks & kings, whites & kings, odd ^ odd_for_black, output[black]);
    int score = total / SCORE_UNIT;
    return score > MOST_SCORE ? MOST_SCORE : score < -MOST_SCORE ? -MOST_SCORE : score;
}
