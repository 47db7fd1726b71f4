/* staged_panels.c: chooses how large the panels are. SPDX-License-Identifier: MIT */
#include "device/staged_panels.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "device/device_product.h"

#include <inttypes.h>

enum { LEAST = 128 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t gr_staged_rounded(int64_t bytes)
{
    enum { BOUNDARY = 256 };
    return (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
}

bool gr_staged_reads(const struct gradus_gemm *g)
{
    return g->k > 0 && g->alpha != 0;
}

int64_t gr_staged_pitch(int64_t elements, enum gradus_type type)
{
    enum { VECTOR = 16 };
    return (elements * gr_gemm_type_bytes(type) + VECTOR - 1) / VECTOR * VECTOR;
}

int64_t gr_staged_a_bytes(const struct gradus_gemm *g, int64_t rows)
{
    return !gr_staged_reads(g) ? 0
           : g->trans_a        ? gr_staged_rounded(gr_staged_pitch(rows, g->a_type) * g->k)
                               : gr_staged_rounded(gr_staged_pitch(g->k, g->a_type) * rows);
}

int64_t gr_staged_b_bytes(const struct gradus_gemm *g, int64_t columns)
{
    return !gr_staged_reads(g) ? 0
           : g->trans_b        ? gr_staged_rounded(gr_staged_pitch(g->k, g->b_type) * columns)
                               : gr_staged_rounded(gr_staged_pitch(columns, g->b_type) * g->k);
}

int64_t gr_staged_c_bytes(const struct gradus_gemm *g, int64_t rows, int64_t columns)
{
    return gr_staged_rounded(gr_staged_pitch(columns, g->c_type) * rows);
}

int64_t gr_staged_bias_bytes(const struct gradus_gemm *g)
{
    if (!g->epilogue || !g->epilogue->bias)
        return 0;
    return gr_staged_rounded((g->epilogue->bias_per_row ? g->m : g->n) *
                             gr_gemm_type_bytes(g->sum_type));
}

int64_t gr_staged_bytes(const struct gradus_gemm *g, int64_t rows, int64_t columns)
{
    return gr_staged_a_bytes(g, rows) + gr_staged_bias_bytes(g) +
           GR_STAGED_PLACES * (gr_staged_b_bytes(g, columns) + gr_staged_c_bytes(g, rows, columns));
}

/* Do the panels fit, with a workspace for each of the two streams? Returns -1 on an error. */
static int fits(const struct gradus_gemm *g, int64_t free_bytes, int64_t rows, int64_t columns,
                struct gradus_error *error)
{
    struct gradus_gemm panel = *g;
    panel.m = rows, panel.n = columns;
    panel.lda =
        gr_staged_pitch(g->trans_a ? rows : g->k, g->a_type) / gr_gemm_type_bytes(g->a_type);
    panel.ldb =
        gr_staged_pitch(g->trans_b ? g->k : columns, g->b_type) / gr_gemm_type_bytes(g->b_type);
    panel.ldc = gr_staged_pitch(columns, g->c_type) / gr_gemm_type_bytes(g->c_type);
    panel.c = NULL;
    const int64_t bytes = gr_staged_bytes(g, rows, columns);
    if (bytes > free_bytes)
        return 0;
    const int64_t workspace = gr_device_workspace(&panel, error);
    return workspace < 0 ? -1 : bytes + GR_STAGED_PLACES * workspace <= free_bytes;
}

static int64_t half_of(int64_t size)
{
    const int64_t half = (size / 2 + LEAST - 1) / LEAST * LEAST;
    return half > LEAST ? half : LEAST;
}

enum gradus_status gr_staged_choose(const struct gradus_gemm *g, int64_t free_bytes, int64_t *rows,
                                    int64_t *columns, struct gradus_error *error)
{
    const int64_t worth_overlap = INT64_C(64) << 20;
    *rows = g->m, *columns = g->n;
    /* With only one panel nothing would overlap, so a large product has about four. */
    if (gr_staged_bytes(g, *rows, *columns) > worth_overlap)
        *columns = smaller(g->n, half_of(half_of(g->n)));
    for (;;) {
        const int fit = fits(g, free_bytes, *rows, *columns, error);
        if (fit < 0)
            return error ? error->status : GRADUS_LAUNCH;
        if (fit)
            return GRADUS_OK;
        int64_t *larger = *rows > *columns ? rows : columns;
        if (*larger <= LEAST)
            return gr_fail(error, GRADUS_NO_MEMORY,
                           "gradus_gemm_run: k: found %" PRId64 " with operands in host memory, "
                           "and %" PRId64
                           " MB of free memory of the GPU, which do not hold %d rows "
                           "of A and columns of B: compute with GRADUS_CPU",
                           g->k, free_bytes >> 20, LEAST);
        *larger = half_of(*larger);
    }
}
