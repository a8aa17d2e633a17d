#include "evaluate.h"

#include "network.h"
#include "parts.h"

#include <math.h>

enum {
    MAN = 100,
    KING = 130,
    ADVANCE = 2,
    ADVANCE_IN_ENDING = 5,
    BACK_GUARD = 7,
    CENTRE = 3,
    KING_CENTRE = 6,
    FEW_PIECES = 10,
    TRADE_SHARE = 40,
    DISTANCE = 4,
    SHELTER = 15,
    SHELTER_ROOM = 3,
};

/* The rows whose number has the bit 1, 2 or 4 set: three counts add up the rows of all men. */
#define ROWS_1 0x783c1e0f0ULL
#define ROWS_2 0x7f801fe00ULL
#define ROWS_4 0x7fbfc0000ULL
#define BLACK_GUARDS 0x5ULL         /* 1, 3 */
#define WHITE_GUARDS 0x500000000ULL /* 30, 32 */
#define CENTRE_SQUARES 0x198cc00ULL /* 10, 11, 14, 15, 18, 19, 22, 23 */
#define DOUBLE_CORNERS 0x440000011ULL

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static int row_of(int index) { return index / 4; }
static int column_of(int index) { return index % 4 * 2 + (row_of(index) % 2 == 0); }

static int distance(int one, int two) {
    int rows = row_of(one) - row_of(two), columns = column_of(one) - column_of(two);
    return MAX(rows < 0 ? -rows : rows, columns < 0 ? -columns : columns);
}

/* What the kings of the side ahead have gained in driving the enemy's: near, out of the corners, no room. */
static int hunt(board hunters, board hunted, board empty) {
    int score = 0;
    for (; hunted; hunted &= hunted - 1) {
        board king = hunted & -hunted;
        for (board pack = hunters; pack; pack &= pack - 1)
            score -= DISTANCE * distance(index_of(lowest(king)), index_of(lowest(pack)));
        if (king & DOUBLE_CORNERS) score -= SHELTER;
        score -= SHELTER_ROOM * count(empty & ((king << 4) | (king << 5) | (king >> 4) | (king >> 5)));
    }
    return score;
}

int evaluate_by_hand(position at, bool black) {
    board black_pieces = black ? at.own : at.other, white_pieces = black ? at.other : at.own;
    board black_kings = black_pieces & at.kings, white_kings = white_pieces & at.kings;
    board black_men = black_pieces ^ black_kings, white_men = white_pieces ^ white_kings;
    int blacks = count(black_pieces), whites = count(white_pieces), total = blacks + whites;

    int lead = (count(black_men) - count(white_men)) * MAN + (count(black_kings) - count(white_kings)) * KING;
    int score = lead + lead * (24 - total) / TRADE_SHARE;
    int rows = count(black_men & ROWS_1) + count(white_men & ROWS_1) +
               2 * (count(black_men & ROWS_2) + count(white_men & ROWS_2)) +
               4 * (count(black_men & ROWS_4) + count(white_men & ROWS_4)) - 7 * count(white_men);
    score += rows * (total > FEW_PIECES ? ADVANCE : ADVANCE_IN_ENDING);
    score += CENTRE * (count(black_men & CENTRE_SQUARES) - count(white_men & CENTRE_SQUARES));
    if (white_men) score += BACK_GUARD * count(black_men & BLACK_GUARDS);
    if (black_men) score -= BACK_GUARD * count(white_men & WHITE_GUARDS);
    if (at.kings) {
        score += KING_CENTRE * (count(black_kings & CENTRE_SQUARES) - count(white_kings & CENTRE_SQUARES));
        board empty = BOARD & ~(black_pieces | white_pieces);
        if (total <= FEW_PIECES && blacks > whites) score += hunt(black_kings, white_kings, empty);
        if (total <= FEW_PIECES && whites > blacks) score -= hunt(white_kings, black_kings, empty);
    }
    return black ? score : -score;
}

/* splitmix64 (S. Vigna), and from it a number of mean 0 and deviation 1: the sum of twelve even ones. */
static uint64_t next_random(uint64_t *state) {
    uint64_t mixed = *state += 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
    return mixed ^ mixed >> 31;
}

static double next_normal(uint64_t *state) {
    double sum = -6.0;
    for (int i = 0; i < 12; i++) sum += (double)(next_random(state) >> 11) / (double)(1ULL << 53);
    return sum;
}

/* Pieces of a middle game whose errors add up: those of like pieces on mirrored squares cancel. */
#define USUAL_PIECES 6
#define ERROR_UNIT 64

/* Positions of so few pieces are in the endgame tables, and were not learnt: for who plays without tables the rules
 * made by hand know how to hunt a king down. They do where there are only kings, too. */
#define MOST_UNLEARNT 4

misjudgement misjudgement_of(double deviation, uint64_t seed) {
    misjudgement errors = {.any = deviation > 0};
    double each = deviation * ERROR_UNIT / sqrt(USUAL_PIECES);
    for (int i = 0; i < 32; i++) {
        errors.man[i] = (int)lround(each * next_normal(&seed));
        errors.king[i] = (int)lround(each * next_normal(&seed));
    }
    return errors;
}

/* The sum of the errors about one side's pieces; `turn` when its men go down. */
static int misjudged(uint32_t pieces, uint32_t kings, bool turn, const misjudgement *errors) {
    if (turn) {
        pieces = turned(pieces);
        kings = turned(kings);
    }
    int sum = 0;
    for (; pieces; pieces &= pieces - 1) {
        int index = __builtin_ctz(pieces);
        sum += kings >> index & 1 ? errors->king[index] : errors->man[index];
    }
    return sum;
}

int evaluate(position at, bool black, const misjudgement *errors) {
    board pieces = at.own | at.other;
    bool learnt = WITH_NETWORK && network_ready() && count(pieces) > MOST_UNLEARNT && pieces != at.kings;
    int score = learnt ? network_evaluate(at, black) : evaluate_by_hand(at, black);
    if (errors->any) {
        uint32_t kings = packed(at.kings);
        int own = misjudged(packed(at.own), kings, !black, errors);
        score += (own - misjudged(packed(at.other), kings, black, errors)) / ERROR_UNIT;
    }
    return score;
}
