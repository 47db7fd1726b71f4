/* launch.h: the arguments of a call of a CPU kernel. A generated stub (emit/stub.h) passes them
 * on in the kernel's own C signature. This header is also written to disk for the compiler of a
 * user's kernel, so it includes no other header of Gradus. SPDX-License-Identifier: MIT */
#ifndef RECORDS_LAUNCH_H
#define RECORDS_LAUNCH_H

#include <stdint.h>

struct gr_launch {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    double alpha, beta;
    const void *a, *b;
    void *c;
    /* struct ukr of kernels/cpu/ukr.h: the micro-kernel for this CPU and type. */
    const void *ukr;
    void *team;           /* struct gr_team of kernels/cpu/ukr.h: the threads */
    void *const *work;    /* the buffers of the `work` lines, in their order in the file */
    const int64_t *args;  /* the values of the `arg` lines, in their order in the file */
    const int64_t *sizes; /* the values of the `size` lines, in their order in the file */
};

/* The type of a stub. In a kernel built at run time its symbol is "gr_entry". */
typedef void gr_entry_fn(const struct gr_launch *launch);

#endif
