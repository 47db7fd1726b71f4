/* in_flight.h: which words of a block's shared memory an asynchronous copy is still to write, so
 * that an access that has not waited for the copy is a fault. SPDX-License-Identifier: MIT */
#ifndef ENGINE_IN_FLIGHT_H
#define ENGINE_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* Of a word of 4 bytes: the copy that is to write it. */
struct gr_in_flight_word {
    uint32_t code;   /* of the copying instruction, as lines have it */
    uint32_t thread; /* of the block */
};

struct gr_in_flight {
    uint64_t *pending;               /* a bit for each word: is a copy to write it? */
    struct gr_in_flight_word *words; /* of those that have one */
    int64_t bytes;                   /* of shared memory */
    bool used;                       /* in this block */
};

/* `bytes` of shared memory. Null: no memory. */
struct gr_in_flight *gr_in_flight_open(int64_t bytes);
void gr_in_flight_close(struct gr_in_flight *flight);
/* A block begins: there are none. */
void gr_in_flight_begin(struct gr_in_flight *flight);
void gr_in_flight_add(struct gr_in_flight *flight, int64_t offset, int bytes,
                      struct gr_in_flight_word copy);
void gr_in_flight_remove(struct gr_in_flight *flight, int64_t offset, int bytes);
/* The copy that is to write one of these bytes; null: none. */
const struct gr_in_flight_word *gr_in_flight_find(const struct gr_in_flight *flight, int64_t offset,
                                                  int bytes);
/* Is there one in the bytes from `lo` up to `end`, or in the words that these begin and end in? */
bool gr_in_flight_any(const struct gr_in_flight *flight, uint64_t lo, uint64_t end);

#endif
