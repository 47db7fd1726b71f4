/* machine_mbarrier.h: the 64 bits of an mbarrier in shared memory, and how SYNCS changes them.
 * SPDX-License-Identifier: MIT
 *
 * Counts are stored as 2^20 minus the count, because the code that initialises an mbarrier computes
 * them in this form. The bits from 32 on are the same as in the states that arrivals return on a
 * GPU:
 *   bits  1 to 20   arrivals that each phase needs, negated
 *   bits 21 to 41   outstanding bytes, negated: expected bytes are subtracted
 *   bits 43 to 62   arrivals that the current phase still needs, negated
 *   bit  63         the parity of the current phase
 * A phase is complete when no arrivals and no bytes are outstanding. The next begins at once. */
#ifndef MACHINE_MBARRIER_H
#define MACHINE_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_MBARRIER_MOST = (1 << 20) - 1 };

static inline uint64_t gr_mbarrier_of(uint32_t count)
{
    uint64_t lacks = ((uint64_t)1 << 20) - count;
    return (lacks & 0xfffff) << 1 | (lacks & 0xfffff) << 43;
}

static inline uint32_t gr_mbarrier_pending(uint64_t word)
{
    return (uint32_t)((((uint64_t)1 << 20) - (word >> 43 & 0xfffff)) & 0xfffff);
}
static inline uint32_t gr_mbarrier_expected(uint64_t word)
{
    return (uint32_t)((((uint64_t)1 << 20) - (word >> 1 & 0xfffff)) & 0xfffff);
}
static inline unsigned gr_mbarrier_parity(uint64_t word)
{
    return (unsigned)(word >> 63);
}
int32_t gr_mbarrier_bytes(uint64_t word); /* the bytes that are outstanding */

/* The reason why an operation is invalid. The barrier is then not changed. */
enum gr_mbarrier_fault {
    GR_MBARRIER_FINE,
    GR_MBARRIER_TOO_MANY,   /* more arrivals than the phase still needs */
    GR_MBARRIER_BYTES_RANGE /* more bytes than the counter can hold */
};

/* Arrives `count` times, after adding `expected` to the outstanding bytes. `drop`: the later phases
 * need this many arrivals less. Sets *completed if the phase is complete. */
enum gr_mbarrier_fault gr_mbarrier_arrive(uint64_t *word, uint32_t count, int64_t expected,
                                          bool drop, bool *completed);
/* Subtracts `bytes` from the outstanding bytes, as a copy does when its data arrive. */
enum gr_mbarrier_fault gr_mbarrier_complete(uint64_t *word, uint32_t bytes, bool *completed);

/* Is the phase whose parity is the upper bit of `state` complete? `state` is what SYNCS.PHASECHK
 * receives: the upper word of the result of an arrival, or a parity << 31. */
static inline bool gr_mbarrier_is_complete(uint64_t word, uint32_t state)
{
    return ((uint32_t)(word >> 32) ^ state) >> 31;
}

/* The forms of SYNCS.ARRIVE.TRANS64: how many arrivals there are, and how many bytes are expected
 * or complete. */
enum gr_mbarrier_operation {
    GR_MBARRIER_A1T0, /* one arrival */
    GR_MBARRIER_ART0, /* the number of arrivals is in the register */
    GR_MBARRIER_A1TR, /* without a modifier: one arrival; the register has the expected bytes */
    GR_MBARRIER_A0TR, /* the register has the expected bytes */
    GR_MBARRIER_A0TX, /* the register has the completed bytes */
    GR_MBARRIER_A0T1  /* one arrival expected, for cp.async.mbarrier.arrive */
};
enum gr_mbarrier_fault gr_mbarrier_do(uint64_t *word, enum gr_mbarrier_operation operation,
                                      bool drop, uint32_t value, bool *completed);

#endif
