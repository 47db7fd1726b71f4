/* scaling.c: one shape or two, and all pairs of alpha and beta. SPDX-License-Identifier: MIT */
#include "lab/scaling.h"

#include "base/error.h"
#include "lab/probe_shapes.h"

/* All pairs at the size asked for may take this long, and look at this many elements. */
static const int64_t most_ns = 150000000;
static const int64_t most_elements = 1 << 21;

static enum gradus_status try_pair(struct gr_search *search, const struct gr_pair *pair,
                                   struct gr_scales scales, struct gradus_error *error)
{
    struct gr_outcome one;
    const struct gr_trial trial = {.entrant = *search->entrant,
                                   .pair = pair,
                                   .alpha = scales.alpha,
                                   .beta = scales.beta,
                                   .quick = true,
                                   .limit_ns = search->session->options.time_limit_ns};
    enum gradus_status status = gr_search_try(search, &trial, &one, error);
    if (status == GRADUS_OK && gr_outcome_is_wrong(&one))
        gr_search_condemn(search, &one, &pair->problem, scales);
    else
        gr_outcome_free(&one);
    return status;
}

/* The pairs from `first` on, `step` by `step`. */
static enum gradus_status try_pairs(struct gr_search *search, const struct gr_pair *pair, int first,
                                    int step, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = first; i < search->scale_count && status == GRADUS_OK; i += step) {
        status = try_pair(search, pair, search->scales[i], error);
        if (search->outcome->verdict != GR_RIGHT)
            break;
    }
    return status;
}

/* Small shapes as near to these as the kernel's `require` allows: whole tiles of most kernels, and ragged ones. */
static bool small_shape(const struct gr_search *search, bool ragged, struct gr_problem *problem)
{
    const struct gr_problem *asked = &search->session->pairs[0].problem;
    struct gr_probe_shape shape = ragged ? (struct gr_probe_shape){.m = 67, .n = 61, .k = 37}
                                         : (struct gr_probe_shape){.m = 128, .n = 128, .k = 32};
    if (!gr_probe_shape_fit(search->entrant->variant, asked, &shape))
        return false;
    *problem = gr_probe_problem(shape, asked);
    return true;
}

/* At each of the two every other pair where products are simulated, which takes long, and all of them elsewhere. A shape at which
 * the first pair is wrong is another question. */
static enum gradus_status try_small(struct gr_search *search, struct gradus_error *error)
{
    const int step = search->session->backend->untimed ? 2 : 1;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 2 && status == GRADUS_OK && search->outcome->verdict == GR_RIGHT; i++) {
        struct gr_problem problem;
        struct gr_probe probe;
        struct gr_outcome one = {0};
        if (!small_shape(search, i == 1, &problem))
            continue;
        status = gr_probe_open(search->session, search->entrant, &problem, &probe, error);
        if (status == GRADUS_OK)
            status =
                gr_probe_run(search->session, &probe, search->scales[0], GR_C_FINITE, &one, error);
        if (status == GRADUS_OK && one.verdict == GR_RIGHT)
            status = try_pairs(search, &probe.pair, step == 1 ? 1 : 1 + i, step, error);
        gr_outcome_free(&one);
        gr_probe_close(&probe);
    }
    return status;
}

enum gradus_status gr_verify_scaling(struct gr_search *search, struct gradus_error *error)
{
    const struct gr_pair *asked = &search->session->pairs[0];
    const int64_t elements = asked->problem.m * asked->problem.n;
    if (search->scale_count < 2)
        return GRADUS_OK;
    if (search->outcome->ns <= most_ns / search->scale_count &&
        elements <= most_elements / search->scale_count)
        return try_pairs(search, asked, 1, 1, error);
    if (search->session->options.no_shapes)
        return GRADUS_OK;
    return try_small(search, error);
}
