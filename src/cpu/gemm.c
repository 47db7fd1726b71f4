/* gemm.c: from a struct gradus_gemm to the code that multiplies it. SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include "core/error.h"
#include "cpu/batch.h"
#include "cpu/cpu.h"
#include "cpu/call_resources.h"
#include "cpu/prepack.h"

#include <inttypes.h>
#include <stddef.h>

static union gr_number number_of(double x, enum gradus_type type)
{
    switch (type) {
    case GRADUS_F64:
        return (union gr_number){.f64 = x};
    case GRADUS_S32:
        return (union gr_number){.s32 = (int32_t)x};
    default:
        return (union gr_number){.f32 = (float)x};
    }
}

static void set_epilogue(struct gr_product *p, const struct gradus_epilogue *e, bool exchanged)
{
    p->finishes = e && (e->bias || e->activation != GRADUS_LINEAR);
    if (!p->finishes)
        return;
    p->bias = e->bias;
    p->bias_row = !!e->bias_per_row != exchanged;
    p->activation = e->activation;
}

static void set_packed(struct gr_product *p, const struct gradus_packed *packed,
                       const char **panels)
{
    if (!packed)
        return;
    *panels = packed->panels;
    p->ukr = packed->ukr;
    p->functions = packed->functions;
}

/* From here on everything is row-major. A column-major product is computed as C' = B' A': a
 * column-major matrix is its transpose, read as row-major. */
static void fill(struct gr_product *p, const struct gradus_gemm *g)
{
    const bool col = g->layout == GRADUS_COL_MAJOR;
    *p = (struct gr_product){
        .a_type = col ? g->b_type : g->a_type,
        .b_type = col ? g->a_type : g->b_type,
        .c_type = g->c_type,
        .sum_type = g->sum_type,
        .m = col ? g->n : g->m,
        .n = col ? g->m : g->n,
        .k = g->k,
        .a = col ? g->b : g->a,
        .b = col ? g->a : g->b,
        .c = g->c,
        .ldc = g->ldc,
        .alpha = number_of(g->alpha, g->sum_type),
        .beta = number_of(g->beta, g->sum_type),
    };
    p->a_bytes = gr_gemm_type_bytes(p->a_type);
    p->b_bytes = gr_gemm_type_bytes(p->b_type);
    p->c_bytes = gr_gemm_type_bytes(p->c_type);
    p->bytes = gr_gemm_type_bytes(p->sum_type);
    const int64_t lda = col ? g->ldb : g->lda, ldb = col ? g->lda : g->ldb;
    const bool turn_a = col ? g->trans_b : g->trans_a, turn_b = col ? g->trans_a : g->trans_b;
    p->a_row = turn_a ? 1 : lda;
    p->a_col = turn_a ? lda : 1;
    p->b_row = turn_b ? 1 : ldb;
    p->b_col = turn_b ? ldb : 1;
}

enum gradus_status gr_gemm_prepare(const struct gradus_gemm *g, const char *isa,
                                   struct gr_product *p, struct gradus_error *error)
{
    fill(p, g);
    p->driver = gr_driver_for(g);
    if (!p->driver || !p->driver->prepare(p, isa))
        return gr_fail(
            error, GRADUS_UNSUPPORTED, "no micro-kernel for types %s %s %s with sums in %s at %s",
            gr_gemm_type_name(g->a_type), gr_gemm_type_name(g->b_type),
            gr_gemm_type_name(g->c_type), gr_gemm_type_name(g->sum_type), isa ? isa : gr_cpu_isa());
    const bool col = g->layout == GRADUS_COL_MAJOR;
    set_epilogue(p, g->epilogue, col);
    set_packed(p, g->packed_a, col ? &p->b_panels : &p->a_panels);
    set_packed(p, g->packed_b, col ? &p->a_panels : &p->b_panels);
    return GRADUS_OK;
}

static bool alpha_is_zero(const struct gr_product *p)
{
    switch (p->sum_type) {
    case GRADUS_F64:
        return p->alpha.f64 == 0;
    case GRADUS_S32:
        return p->alpha.s32 == 0;
    default:
        return p->alpha.f32 == 0;
    }
}

bool gr_gemm_is_scaling(const struct gr_product *p)
{
    return p->k == 0 || alpha_is_zero(p);
}

bool gr_gemm_easy(const struct gr_product *p)
{
    if (!gr_gemm_is_scaling(p))
        return p->driver->run_small(p);
    gr_gemm_scale(p);
    return true;
}

static int64_t bytes_wanted(const struct gradus_gemm *g, const struct gr_product *p)
{
    if (g->batch > 1)
        return gr_batch_bytes(g, p);
    if (p->m == 0 || p->n == 0 || p->k == 0)
        return 0;
    return p->driver->workspace_bytes(p, gr_call_threads(g, p->driver->threads_worth(p)));
}

static int64_t with_slack(int64_t bytes)
{
    return bytes ? bytes + GR_LENT_ALIGNMENT : 0;
}

static enum gradus_status check_workspace(const struct gradus_gemm *g, const struct gr_product *p,
                                          struct gradus_error *error)
{
    const int64_t wanted = g->workspace ? with_slack(bytes_wanted(g, p)) : 0;
    if (g->workspace_bytes >= wanted)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_INVALID,
                   "gradus_gemm_run: workspace_bytes: found %" PRId64 ", wanted at least %" PRId64
                   ", as gradus_gemm_workspace says",
                   g->workspace_bytes, wanted);
}

static void multiply(const struct gradus_gemm *g, const struct gr_product *p)
{
    struct gr_call_resources resources;
    gr_call_resources_take(&resources, g, gr_call_threads(g, p->driver->threads_worth(p)));
    p->driver->run(p, &resources.workspace);
    gr_call_resources_give(&resources);
}

/* Computes a valid problem. */
static enum gradus_status run(const struct gradus_gemm *gemm, const char *isa,
                              struct gradus_error *error)
{
    struct gr_product p;
    enum gradus_status status = gr_gemm_prepare(gemm, isa, &p, error);
    if (!status && gemm->workspace)
        status = check_workspace(gemm, &p, error);
    if (status)
        return status;
    gr_batch_point(&p, gemm, 0);
    if (gemm->batch > 1)
        gr_batch_run(gemm, &p);
    else if (!gr_gemm_easy(&p))
        multiply(gemm, &p);
    return GRADUS_OK;
}

/* The instructions for bfloat16 round to nearest, treat denormal numbers as zero and raise no
 * flags, whatever the thread's environment is. So that a product is the same on every CPU, all
 * other instructions of such a product run in an environment that does the same. */
static enum gradus_status run_bf16(const struct gradus_gemm *gemm, const char *isa,
                                   struct gradus_error *error)
{
    const struct gr_fp before = gr_fp_get();
    gr_fp_set((struct gr_fp){GR_FP_NEAREST_FLUSHING, 0});
    const enum gradus_status status = run(gemm, isa, error);
    gr_fp_set(before);
    return status;
}

enum gradus_status gr_cpu_gemm(const struct gradus_gemm *gemm, const char *isa,
                               struct gradus_error *error)
{
    if (gemm && !isa && gr_gemm_plainly(gemm))
        return GRADUS_OK;
    enum gradus_status status = gr_gemm_validate(gemm, "gradus_gemm_run", error);
    if (!status)
        status = gr_gemm_validate_apart(gemm, "gradus_gemm_run", error);
    if (status || gemm->m == 0 || gemm->n == 0)
        return status;
    return (gemm->a_type == GRADUS_BF16 ? run_bf16 : run)(gemm, isa, error);
}

void gr_cpu_gemm_blas(const struct gradus_gemm *gemm)
{
    if (!gr_gemm_validate(gemm, "", NULL) && gemm->m > 0 && gemm->n > 0)
        run(gemm, NULL, NULL);
}

int64_t gr_cpu_gemm_workspace(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    struct gr_product p;
    if (gr_gemm_validate_sizes(gemm, "gradus_gemm_workspace", error) ||
        gr_gemm_prepare(gemm, NULL, &p, error))
        return -1;
    if (gemm->m == 0 || gemm->n == 0)
        return 0;
    struct gradus_gemm with = *gemm;
    with.workspace = &with; /* the number of threads is then that of a call with a workspace */
    return with_slack(bytes_wanted(&with, &p));
}
