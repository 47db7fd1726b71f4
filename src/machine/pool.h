/* pool.h: the constants and immediates of a launch as vectors: each word is repeated 32 times.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_POOL_H
#define MACHINE_POOL_H

#include "machine/translate.h"

struct gr_pool_block;

struct gr_pool {
    /* Returns the word of a constant bank at an offset in bytes; false if the bank has none there.
     * It is set by the owner of the banks; null if there are none. */
    bool (*constant)(void *context, int bank, int64_t offset, uint32_t *word);
    void *context;
    struct gr_pool_block *blocks; /* the entries, whose addresses never change */
    uint32_t *table; /* a hash table with open addressing; the index of an entry + 1, or 0 */
    uint32_t table_size, count;
};

/* Returns null if memory runs out. */
struct gr_pool *gr_pool_create(void);
void gr_pool_free(struct gr_pool *pool);

#endif
