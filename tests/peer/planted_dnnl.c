/* planted_dnnl.c: a library that looks like oneDNN of version PLANTED_VERSION. Its threads are
 * those of an OpenMP that is a library of its own, or, with PLANTED_TBB, of TBB.
 * SPDX-License-Identifier: MIT */
#include "planted.h"

#include <stdint.h>

struct version {
    int major, minor, patch;
};

int dnnl_sgemm(char trans_a, char trans_b, int64_t rows, int64_t cols, int64_t k, float alpha,
               const float *left, int64_t ld_left, const float *right, int64_t ld_right, float beta,
               float *c, int64_t ldc);
const struct version *dnnl_version(void);
extern int planted_concurrency;

/* With how many threads the last product would have been computed. */
int planted_concurrency;

#ifdef PLANTED_TBB
struct arena;
int _ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE(const struct arena *arena);
#define CONCURRENCY _ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE(0)
#else
int omp_get_max_threads(void);
#define CONCURRENCY omp_get_max_threads()
#endif

/* Row-major by swapping the operands. */
int dnnl_sgemm(char trans_a, char trans_b, int64_t rows, int64_t cols, int64_t k, float alpha,
               const float *left, int64_t ld_left, const float *right, int64_t ld_right, float beta,
               float *c, int64_t ldc)
{
    const float *a = right, *b = left;
    int64_t lda = ld_right, ldb = ld_left, m = cols, n = rows;
    int ta = trans_b == 'T', tb = trans_a == 'T';
    planted_concurrency = CONCURRENCY;
    MULTIPLY(float)
    return 0;
}

const struct version *dnnl_version(void)
{
    static const struct version version = {PLANTED_VERSION};
    return &version;
}
