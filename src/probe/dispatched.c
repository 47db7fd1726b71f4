/* dispatched.c: determines which code would multiply a problem, and why.
 * SPDX-License-Identifier: MIT */
#include "probe/dispatched.h"

#include "cpu/gemm.h"
#include "cpu/call_resources.h"

/* Explains why gr_call_threads has returned this number of threads. */
static const char *threads_reason(const struct gr_product *p, int wanted, int found)
{
    if (p->driver->threads_worth(p) <= 1)
        return "so small that waking another thread would take longer than it saves";
    if (found == wanted)
        return "as requested";
    return found < p->driver->threads_worth(p) ? "as many as this process may use"
                                               : "more would not make it faster";
}

enum gradus_status gr_cpu_dispatch(const struct gradus_gemm *gemm, const char *isa,
                                   struct gr_dispatch *d, struct gradus_error *error)
{
    *d = (struct gr_dispatch){.path = "packed", .threads = 1};
    struct gr_product p;
    enum gradus_status status = gr_gemm_validate(gemm, "gradus_gemm_run", error);
    if (!status)
        status = gr_gemm_prepare(gemm, isa, &p, error);
    if (status)
        return status;
    d->ukr = p.ukr;
    if (p.m == 0 || p.n == 0 || gr_gemm_is_scaling(&p)) {
        d->path = "scaled";
        d->why = "there is nothing to multiply: C = beta * C";
        d->threads_why = "scaling is done by the caller";
        return GRADUS_OK;
    }
    d->threads = gr_call_threads(gemm, p.driver->threads_worth(&p));
    d->threads_why = threads_reason(&p, gemm->threads, d->threads);
    if (p.driver->describe)
        p.driver->describe(&p, d->threads, d);
    if (d->mc || !p.driver->describe)
        d->workspace_bytes = p.driver->workspace_bytes(&p, d->threads);
    return GRADUS_OK;
}
