/* launch.h: everything a CPU kernel is called with. A generated stub (emit/stub.h) unpacks it
 * into the kernel's own C signature. This header is also written out for the compiler of a user's
 * kernel, so it includes nothing of Gradus. SPDX-License-Identifier: MIT */
#ifndef RECORDS_LAUNCH_H
#define RECORDS_LAUNCH_H

#include <stdint.h>

struct gr_launch {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    double alpha, beta;
    const void *a, *b;
    void *c;
    const void
        *ukr;   /* struct ukr of kernels/cpu/ukr.h: the micro-kernel picked for this CPU and type */
    void *team; /* struct gr_team of kernels/cpu/ukr.h: the threads */
    void *const *work;   /* the buffers of the `work` lines, in the file's order */
    const int64_t *args; /* the values of the `arg` lines, in the file's order */
};

/* The symbol of every stub in a run-time build is "gr_entry". */
typedef void gr_entry_fn(const struct gr_launch *launch);

#endif
