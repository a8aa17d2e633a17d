#include "transposition.h"

#include <stdlib.h>
#include <string.h>

#define LINE 64

static uint64_t packed_entry(remembered entry, unsigned age) {
    return (uint64_t)(uint16_t)(int16_t)entry.score | (uint64_t)(uint8_t)(int8_t)entry.depth << 16 |
           (uint64_t)entry.move << 24 | (uint64_t)entry.bound << 32 | (uint64_t)age << 34;
}

static int depth_of(uint64_t data) { return (int8_t)(data >> 16); }
static unsigned age_of(uint64_t data) { return data >> 34 & 63; }

static uint64_t loaded(const _Atomic uint64_t *word) { return atomic_load_explicit(word, memory_order_relaxed); }

bool table_create(transposition_table *table, size_t megabytes) {
    size_t buckets = 1;
    while (buckets * 2 * SLOTS * sizeof(table_slot) <= megabytes << 20) buckets *= 2;
    table->buckets = buckets;
    table->age = 0;
    table->slots = aligned_alloc(LINE, buckets * SLOTS * sizeof(table_slot));
    if (table->slots) table_clear(table);
    return table->slots;
}

void table_free(transposition_table *table) {
    free(table->slots);
    table->slots = NULL;
}

void table_clear(transposition_table *table) {
    memset((void *)table->slots, 0, table->buckets * SLOTS * sizeof(table_slot));
}

bool table_find(const transposition_table *table, uint64_t hash, remembered *found) {
    const table_slot *bucket = &table->slots[(hash & (table->buckets - 1)) * SLOTS];
    for (int i = 0; i < SLOTS; i++) {
        uint64_t data = loaded(&bucket[i].data);
        if ((loaded(&bucket[i].mixed) ^ data) != hash || !data) continue;
        *found = (remembered){.score = (int16_t)data, .depth = depth_of(data), .bound = data >> 32 & 3,
                              .move = data >> 24 & 255};
        return true;
    }
    return false;
}

void table_store(transposition_table *table, uint64_t hash, remembered entry) {
    table_slot *bucket = &table->slots[(hash & (table->buckets - 1)) * SLOTS];
    table_slot *worst = bucket;
    int least = 1 << 20;
    for (int i = 0; i < SLOTS; i++) {
        uint64_t data = loaded(&bucket[i].data);
        if ((loaded(&bucket[i].mixed) ^ data) == hash) {
            if (entry.move == NO_MOVE) entry.move = data >> 24 & 255;
            worst = &bucket[i];
            break;
        }
        int worth = depth_of(data) - (age_of(data) != table->age ? 64 : 0) - (data ? 0 : 1024);
        if (worth < least) {
            least = worth;
            worst = &bucket[i];
        }
    }
    uint64_t data = packed_entry(entry, table->age);
    atomic_store_explicit(&worst->data, data, memory_order_relaxed);
    atomic_store_explicit(&worst->mixed, hash ^ data, memory_order_relaxed);
}
