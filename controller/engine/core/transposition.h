/* The transposition table: what earlier parts of the search found out about a position. Shared by all threads without
 * locks: an entry's key is stored combined with its data, so that one written by two threads at once is not found
 * (R. Hyatt and T. Mann, "A lock-less transposition table implementation", ICGA Journal 25, 2002).
 */
#ifndef CROWNHEAD_TRANSPOSITION_H
#define CROWNHEAD_TRANSPOSITION_H

#include "board.h"

#include <stdatomic.h>
#include <stddef.h>

enum bound { NO_BOUND, AT_MOST, AT_LEAST, EXACT };

/* No move is known to be best. */
#define NO_MOVE 255

typedef struct {
    int score, depth;
    enum bound bound;
    int move; /* the best one's place among successors(), or NO_MOVE */
} remembered;

typedef struct {
    _Atomic uint64_t mixed, data;
} table_slot;

#define SLOTS 4 /* of a bucket, which fills a line of the cache */

typedef struct {
    table_slot *slots;
    size_t buckets; /* a power of two */
    unsigned age;   /* 0-63, the number of the search */
} transposition_table;

static inline uint64_t hash_of(position at, bool black) {
    uint64_t hash = at.own * 0x9e3779b97f4a7c15ULL ^ (at.other + 0x165667b19e3779f9ULL) * 0xc2b2ae3d27d4eb4fULL ^
                    (at.kings + black + (at.kings << 36)) * 0xd6e8feb86659fd93ULL;
    hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9ULL;
    return hash ^ hash >> 29;
}

/* Room for about `megabytes`; false when the memory is not to be had. */
bool table_create(transposition_table *table, size_t megabytes);
void table_free(transposition_table *table);
void table_clear(transposition_table *table);

/* Later searches overwrite what this one leaves behind. */
static inline void table_grow_older(transposition_table *table) { table->age = (table->age + 1) & 63; }

static inline void table_prefetch(const transposition_table *table, uint64_t hash) {
    __builtin_prefetch(&table->slots[(hash & (table->buckets - 1)) * SLOTS]);
}

bool table_find(const transposition_table *table, uint64_t hash, remembered *found);
void table_store(transposition_table *table, uint64_t hash, remembered entry);

#endif
