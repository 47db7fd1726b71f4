/* pool.c: the entries of the pool, in blocks of doubling size, and a hash table that finds them.
 * SPDX-License-Identifier: MIT */
#include "machine/pool.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRY_WORDS = 2, BLOCK_ENTRIES = 64, TABLE_START = 256 };

struct gr_pool_block {
    struct gr_pool_block *next; /* the block of the entries before these */
    gr_lanes entries[BLOCK_ENTRIES][ENTRY_WORDS];
};

struct gr_pool *gr_pool_create(void)
{
    return calloc(1, sizeof(struct gr_pool));
}

void gr_pool_free(struct gr_pool *pool)
{
    if (!pool)
        return;
    while (pool->blocks) {
        struct gr_pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    free(pool->table);
    free(pool);
}

static const gr_lanes *entry(const struct gr_pool *pool, uint32_t index)
{
    uint32_t back = (pool->count - 1) / BLOCK_ENTRIES - index / BLOCK_ENTRIES;
    const struct gr_pool_block *block = pool->blocks;
    while (back--)
        block = block->next;
    return (const gr_lanes *)block->entries[index % BLOCK_ENTRIES];
}

static uint32_t hash(uint32_t low, uint32_t high)
{
    uint64_t h = ((uint64_t)high << 32 | low) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

/* Returns the index of the entry in the table, or the index at which it would be inserted. */
static uint32_t find(const struct gr_pool *pool, uint32_t low, uint32_t high)
{
    uint32_t at = hash(low, high) & (pool->table_size - 1);
    for (; pool->table[at]; at = (at + 1) & (pool->table_size - 1)) {
        const gr_lanes *words = entry(pool, pool->table[at] - 1);
        if (words[0][0] == low && words[1][0] == high)
            break;
    }
    return at;
}

static bool grow_table(struct gr_pool *pool)
{
    if (pool->table && pool->count * 2 < pool->table_size)
        return true;
    uint32_t size = pool->table ? pool->table_size * 2 : TABLE_START;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(pool->table);
    pool->table = table;
    pool->table_size = size;
    for (uint32_t i = 0; i < pool->count; i++) {
        const gr_lanes *words = entry(pool, i);
        pool->table[find(pool, words[0][0], words[1][0])] = i + 1;
    }
    return true;
}

static bool grow_entries(struct gr_pool *pool)
{
    if (pool->count % BLOCK_ENTRIES)
        return true;
    struct gr_pool_block *block = aligned_alloc(64, (sizeof *block + 63) / 64 * 64);
    if (!block)
        return false;
    block->next = pool->blocks;
    pool->blocks = block;
    return true;
}

const gr_lanes *gr_pool_words(struct gr_pool *pool, uint32_t low, uint32_t high)
{
    if (!grow_table(pool))
        return 0;
    uint32_t at = find(pool, low, high);
    if (pool->table[at])
        return entry(pool, pool->table[at] - 1);
    if (!grow_entries(pool))
        return 0;
    uint32_t index = pool->count++;
    pool->table[at] = index + 1;
    gr_lanes *words = pool->blocks->entries[index % BLOCK_ENTRIES];
    for (int i = 0; i < GR_WARP_LANES; i++) {
        words[0][i] = low;
        words[1][i] = high;
    }
    return (const gr_lanes *)words;
}
