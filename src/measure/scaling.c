/* scaling.c: runs all pairs of alpha and beta at one or two shapes. SPDX-License-Identifier: MIT */
#include "measure/scaling.h"

#include "core/error.h"
#include "measure/probe_shapes.h"

/* With at most this many multiplications, all pairs are tried at the requested size. The limit is
 * on work, not on time, so that a row does not depend on how busy the machine is. */
static const double most_work = 0x1p21, most_simulated = 0x1p18;

static enum gradus_status try_pair(struct gr_search *search, const struct gr_pair *pair,
                                   struct gr_scales scales, struct gradus_error *error)
{
    struct gr_outcome one;
    const struct gr_trial trial = {.candidate = *search->candidate,
                                   .pair = pair,
                                   .alpha = scales.alpha,
                                   .beta = scales.beta,
                                   .quick = true,
                                   .limit_ns = search->session->options.time_limit_ns};
    enum gradus_status status = gr_search_try(search, &trial, &one, error);
    if (status == GRADUS_OK && gr_outcome_is_wrong(&one))
        gr_search_mark_wrong(search, &one, &pair->problem, scales);
    else
        gr_outcome_free(&one);
    return status;
}

/* Tries the pairs first, first + step, … */
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

/* Small shapes as close to these as the kernel's `require` allows: multiples of most kernels'
 * tiles, and one with partial tiles. */
static bool small_shape(const struct gr_search *search, bool ragged, struct gr_problem *problem)
{
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    struct gr_probe_shape shape = ragged ? (struct gr_probe_shape){.m = 67, .n = 61, .k = 37}
                                         : (struct gr_probe_shape){.m = 128, .n = 128, .k = 32};
    if (!gr_probe_shape_fit(search->candidate->variant, requested, &shape))
        return false;
    *problem = gr_probe_problem(shape, requested);
    return true;
}

/* Tries some pairs at one of the two shapes. The shape is not usable if the kernel refuses it or
 * fails there with the first pair, since the cause is then another one. */
static enum gradus_status try_at(struct gr_search *search, bool ragged, int first, int step,
                                 bool *usable, struct gradus_error *error)
{
    struct gr_problem problem;
    struct gr_probe probe;
    struct gr_outcome one = {0};
    *usable = false;
    if (search->outcome->verdict != GR_RIGHT || !small_shape(search, ragged, &problem))
        return GRADUS_OK;
    enum gradus_status status =
        gr_probe_open(search->session, search->candidate, &problem, &probe, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_probe_run(search->session, &probe, search->scales[0], GR_C_FINITE, &one, error);
    *usable = status == GRADUS_OK && one.verdict == GR_RIGHT;
    if (*usable)
        status = try_pairs(search, &probe.pair, first, step, error);
    gr_outcome_free(&one);
    gr_probe_close(&probe);
    return status;
}

/* Tries all pairs at both shapes. If GEMMs are simulated, which is slow, every other pair at
 * each of the usable ones. */
static enum gradus_status try_small(struct gr_search *search, struct gradus_error *error)
{
    const int step = search->session->backend->simulates ? 2 : 1;
    bool whole, ragged = true;
    enum gradus_status status = try_at(search, false, 1, step, &whole, error);
    if (status == GRADUS_OK)
        status = try_at(search, true, whole ? step : 1, whole ? step : 1, &ragged, error);
    if (status == GRADUS_OK && whole && !ragged && step > 1)
        status = try_at(search, false, step, step, &whole, error);
    return status;
}

enum gradus_status gr_verify_scaling(struct gr_search *search, struct gradus_error *error)
{
    const struct gr_pair *requested = &search->session->pairs[0];
    const double most = search->session->backend->simulates ? most_simulated : most_work;
    if (search->scale_count < 2)
        return GRADUS_OK;
    if (gr_problem_flops(&requested->problem) / 2 <= most)
        return try_pairs(search, requested, 1, 1, error);
    if (search->session->options.no_shapes)
        return GRADUS_OK;
    return try_small(search, error);
}
