/* pool.h: the vectors of the constants and immediates of a launch: each word 32 times.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_POOL_H
#define MACHINE_POOL_H

#include "machine/translate.h"

struct gr_pool_block;

struct gr_pool {
    /* The word of a constant bank at an offset in bytes; false: the bank has none there. To be set
     * by whoever has the banks; null: there are none. */
    bool (*constant)(void *context, int bank, int64_t offset, uint32_t *word);
    void *context;
    struct gr_pool_block *blocks; /* of entries, whose addresses are stable */
    uint32_t *table;              /* open addressing; index of an entry + 1 */
    uint32_t table_size, count;
};

/* Null: no memory. */
struct gr_pool *gr_pool_create(void);
void gr_pool_free(struct gr_pool *pool);

#endif
