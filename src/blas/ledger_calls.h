/* ledger_calls.h: calls counted for `gradus exec`. SPDX-License-Identifier: MIT */
#ifndef BLAS_LEDGER_CALLS_H
#define BLAS_LEDGER_CALLS_H

#include "core/ledger.h"

#include <gradus/gradus.h>

/* Null, unless GRADUS_LEDGER named a ledger when the program started. Where it is null, nothing is
 * counted and this load is the only cost. */
extern _Atomic(struct gr_ledger *) gr_ledger_shared;

static inline struct gr_ledger *gr_ledger_on(void)
{
    return atomic_load_explicit(&gr_ledger_shared, memory_order_relaxed);
}

/* Counts a call of `products` products that began at start_ns (core/clock.h) and ends now. The
 * key's name is taken from `routine`. */
void gr_ledger_count(struct gr_ledger *ledger, const char *routine, struct gr_ledger_key key,
                     int64_t products, int64_t start_ns);
/* The same for a problem of the library's own, which may be a batch. */
void gr_ledger_count_problem(struct gr_ledger *ledger, const char *routine,
                             const struct gradus_gemm *gemm, int64_t start_ns);

#endif
