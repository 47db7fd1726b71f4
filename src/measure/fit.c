/* fit.c: increases the size step by step up to the requested one, as far as time allows.
 * SPDX-License-Identifier: MIT */
#include "measure/fit.h"

#include "core/error.h"
#include "measure/timing.h"

/* A row takes about this many GEMMs: three to verify, and some to time. */
static const int64_t products_per_row = 10;
/* Doubling the dimensions is eight times the work, and more if the caches become too small. */
static const double growth = 10;

static struct gr_problem halved(const struct gr_problem *p, int times)
{
    int64_t d[3] = {p->m, p->n, p->k};
    for (int i = 0; i < 3; i++)
        d[i] = d[i] >> times ? d[i] >> times : d[i] ? 1 : 0;
    struct gr_problem q = gr_problem_dense(d[0], d[1], d[2], p->trans_a, p->trans_b, p->types);
    return q;
}

enum gradus_status gr_fit(struct gr_session *s, const struct gr_candidate *candidate,
                          const struct gr_problem *problem, struct gr_problem *fitted,
                          struct gr_outcome *o, struct gradus_error *error)
{
    /* Below this a whole row is quick, however slow the kernel is. */
    const double harmless_flops = 2.0 * 192 * 192 * 192;
    int level = 0;
    for (struct gr_problem p = *problem; gr_problem_flops(&p) > harmless_flops;)
        p = halved(problem, ++level);
    o->verdict = GR_RIGHT;
    *fitted = *problem;
    if (s->options.inputs.a)
        return GRADUS_OK; /* the user's matrices have a fixed size */
    *fitted = halved(problem, level);
    for (; level > 0; level--) {
        int64_t ns;
        struct gr_problem p = halved(problem, level);
        *fitted = p;
        enum gradus_status status = gr_time_once(s, candidate, &p, &ns, o, error);
        if (status == GRADUS_UNSUPPORTED || status == GRADUS_LAUNCH) {
            gradus_error_clear(error);
            continue; /* refused by the kernel's `require`, or without a launch */
        }
        if (status != GRADUS_OK || o->verdict == GR_TIMEOUT)
            return status;
        if (o->verdict != GR_RIGHT) {
            gr_outcome_free(o);
            o->verdict = GR_RIGHT;
            break;
        }
        if ((double)ns * growth > (double)(s->options.time_limit_ns / products_per_row))
            return GRADUS_OK;
    }
    *fitted = *problem;
    return GRADUS_OK;
}
