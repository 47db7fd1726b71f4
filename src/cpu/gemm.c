/* gemm.c: from a struct gradus_gemm to the code that multiplies it. SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include "base/error.h"
#include "cpu/cpu.h"

#include <stddef.h>

static bool takes(const struct gr_driver *driver, const struct gradus_gemm *g)
{
    return driver->a_types >> g->a_type & driver->b_types >> g->b_type &
           driver->c_types >> g->c_type & driver->sum_types >> g->sum_type & 1;
}

static const struct gr_driver *driver_for(const struct gradus_gemm *g)
{
    const struct gr_driver *const *d = gr_driver_all;
    while (*d && !takes(*d, g))
        d++;
    return *d;
}

static union gr_number number_of(double x, enum gradus_type type)
{
    switch (type) {
    case GRADUS_F64:
        return (union gr_number){.f64 = x};
    case GRADUS_S32:
        return (union gr_number){.s32 = (int32_t)(uint32_t)(int64_t)x};
    default:
        return (union gr_number){.f32 = (float)x};
    }
}

static void set_epilogue(struct product *p, const struct gradus_epilogue *e, bool exchanged)
{
    p->finishes = e && (e->bias || e->activation != GRADUS_LINEAR);
    if (!p->finishes)
        return;
    const bool per_row = !!e->bias_per_row != exchanged;
    p->bias = e->bias;
    p->bias_row = per_row;
    p->bias_col = !per_row;
    p->activation = e->activation;
}

/* Row-major from here on: a column-major product is C' = B' A', the same memory read as transposes.
 */
static struct product product_of(const struct gradus_gemm *g)
{
    const bool col = g->layout == GRADUS_COL_MAJOR;
    struct product p = {
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
    p.a_bytes = gr_gemm_type_bytes(p.a_type);
    p.b_bytes = gr_gemm_type_bytes(p.b_type);
    p.c_bytes = gr_gemm_type_bytes(p.c_type);
    p.bytes = gr_gemm_type_bytes(p.sum_type);
    const int64_t lda = col ? g->ldb : g->lda, ldb = col ? g->lda : g->ldb;
    const bool turn_a = col ? g->trans_b : g->trans_a, turn_b = col ? g->trans_a : g->trans_b;
    p.a_row = turn_a ? 1 : lda;
    p.a_col = turn_a ? lda : 1;
    p.b_row = turn_b ? 1 : ldb;
    p.b_col = turn_b ? ldb : 1;
    set_epilogue(&p, g->epilogue, col);
    return p;
}

static bool alpha_is_zero(const struct product *p)
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

/* There when the program itself uses OpenMP. */
extern int omp_in_parallel(void) __attribute__((weak));

/* Inside a caller's parallel region the cores are taken. Threads that other products hold are not
 * counted on either: two callers at once share the cores. */
static int threads_for(const struct product *p, int wanted)
{
    const int worth = p->driver->threads_worth(p);
    if (worth <= 1)
        return 1;
    if (!wanted) {
        if (omp_in_parallel && omp_in_parallel())
            return 1;
        wanted = gr_cpu_threads_default() - gr_workspace_busy_threads();
    }
    return wanted < 1 ? 1 : wanted < worth ? wanted : worth;
}

/* Without memory for a workspace, an empty one serves: the loops then use the stack. */
static void multiply(const struct product *p, int threads)
{
    struct workspace *workspace = gr_workspace_take(threads);
    struct workspace none = {0};
    p->driver->run(p, workspace ? workspace : &none);
    if (workspace)
        gr_workspace_give(workspace);
}

static enum gradus_status unsupported(const struct gradus_gemm *g, const char *isa,
                                      struct gradus_error *error)
{
    return gr_fail(error, GRADUS_UNSUPPORTED, "gradus_gemm_run: no micro-kernel at %s for %s %s %s",
                   isa ? isa : gr_cpu_isa(), gr_gemm_type_name(g->a_type),
                   gr_gemm_type_name(g->b_type), gr_gemm_type_name(g->c_type));
}

enum gradus_status gr_cpu_gemm(const struct gradus_gemm *gemm, const char *isa,
                               struct gradus_error *error)
{
    const enum gradus_status status = gr_gemm_validate(gemm, error);
    if (status)
        return status;
    if (gemm->m == 0 || gemm->n == 0)
        return GRADUS_OK;
    struct product p = product_of(gemm);
    p.driver = driver_for(gemm);
    if (!p.driver || !p.driver->prepare(&p, isa))
        return unsupported(gemm, isa, error);
    if (p.k == 0 || alpha_is_zero(&p))
        gr_gemm_scale(&p);
    else if (!p.driver->run_small(&p))
        multiply(&p, threads_for(&p, gemm->threads));
    return GRADUS_OK;
}

/* The words for what threads_for has found. */
static const char *threads_reason(const struct product *p, int wanted, int found)
{
    if (p->driver->threads_worth(p) <= 1)
        return "so small that waking another thread would take longer than it saves";
    if (!wanted)
        return "as many as this process may use";
    return found == wanted ? "as asked for" : "no more are worth it";
}

enum gradus_status gr_cpu_dispatch(const struct gradus_gemm *gemm, const char *isa,
                                   struct gr_dispatch *d, struct gradus_error *error)
{
    *d = (struct gr_dispatch){.path = "packed", .threads = 1};
    const enum gradus_status status = gr_gemm_validate(gemm, error);
    if (status)
        return status;
    struct product p = product_of(gemm);
    p.driver = driver_for(gemm);
    if (!p.driver || !p.driver->prepare(&p, isa))
        return unsupported(gemm, isa, error);
    d->ukr = p.ukr;
    if (p.m == 0 || p.n == 0 || p.k == 0 || alpha_is_zero(&p)) {
        d->path = "scaled";
        d->why = "there is nothing to multiply: C = beta * C";
        d->threads_why = "scaling is done by the caller";
        return GRADUS_OK;
    }
    d->threads = threads_for(&p, gemm->threads);
    d->threads_why = threads_reason(&p, gemm->threads, d->threads);
    if (p.driver->describe)
        p.driver->describe(&p, d->threads, d);
    if (d->mc || !p.driver->describe)
        d->workspace_bytes = p.driver->workspace_bytes(&p, d->threads);
    return GRADUS_OK;
}
