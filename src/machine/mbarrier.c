/* mbarrier.c: phases, arrivals and bytes of an mbarrier. SPDX-License-Identifier: MIT */
#include "machine/machine_mbarrier.h"

enum { BYTES_SHIFT = 21, BYTES_BITS = 21, PENDING_SHIFT = 43 };

int32_t gr_mbarrier_bytes(uint64_t word)
{
    return -(int32_t)((int64_t)(word << (64 - BYTES_SHIFT - BYTES_BITS)) >> (64 - BYTES_BITS));
}

static uint64_t with(uint64_t word, int shift, int bits, uint64_t value)
{
    uint64_t mask = (((uint64_t)1 << bits) - 1) << shift;
    return (word & ~mask) | (value << shift & mask);
}

enum gr_mbarrier_fault gr_mbarrier_arrive(uint64_t *word, uint32_t count, int64_t expected,
                                          bool drop, bool *completed)
{
    uint64_t now = *word;
    uint32_t pending = gr_mbarrier_pending(now), needed = gr_mbarrier_expected(now);
    int64_t bytes = gr_mbarrier_bytes(now) + expected;
    *completed = false;
    if (count > pending || (drop && count > needed)) {
        return GR_MBARRIER_TOO_MANY;
    }
    if (bytes > GR_MBARRIER_MOST || bytes < -(int64_t)GR_MBARRIER_MOST) {
        return GR_MBARRIER_BYTES_RANGE;
    }
    pending -= count;
    needed -= drop ? count : 0;
    if (pending == 0 && bytes == 0) {
        *completed = true;
        now ^= (uint64_t)1 << 63;
        pending = needed;
    }
    now = with(now, BYTES_SHIFT, BYTES_BITS, (uint64_t)-bytes);
    now = with(now, 1, 20, ((uint64_t)1 << 20) - needed);
    *word = with(now, PENDING_SHIFT, 20, ((uint64_t)1 << 20) - pending);
    return GR_MBARRIER_FINE;
}

enum gr_mbarrier_fault gr_mbarrier_complete(uint64_t *word, uint32_t bytes, bool *completed)
{
    return gr_mbarrier_arrive(word, 0, -(int64_t)bytes, false, completed);
}

enum gr_mbarrier_fault gr_mbarrier_do(uint64_t *word, enum gr_mbarrier_operation operation,
                                      bool drop, uint32_t value, bool *completed)
{
    switch (operation) {
    case GR_MBARRIER_A1T0:
        return gr_mbarrier_arrive(word, 1, 0, drop, completed);
    case GR_MBARRIER_ART0:
        return gr_mbarrier_arrive(word, value, 0, drop, completed);
    case GR_MBARRIER_A1TR:
        return gr_mbarrier_arrive(word, 1, value, drop, completed);
    case GR_MBARRIER_A0TR:
        return gr_mbarrier_arrive(word, 0, value, false, completed);
    case GR_MBARRIER_A0T1:
        return gr_mbarrier_arrive(word, 0, 1, false, completed);
    default:
        return gr_mbarrier_complete(word, value, completed);
    }
}
