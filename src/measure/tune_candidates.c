/* tune_candidates.c: lists the combinations of values that a kernel's file permits.
 * SPDX-License-Identifier: MIT */
#include "measure/tune_candidates.h"

#include "core/error.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gr_tune_has_choice(const struct gr_variant *base, const bool *fixed)
{
    for (int i = 0; i < base->kernel->param_count; i++)
        if (!fixed[i] && base->kernel->params[i].allowed_count > 1)
            return true;
    return false;
}

/* Advances to the next combination in which the fixed parameters keep their values; false after the
 * last. */
static bool next(struct gr_variant *v, const struct gr_tune_params *params)
{
    const struct gr_kernel *k = v->kernel;
    for (int i = k->param_count; i-- > 0;) {
        const struct gr_param *p = &k->params[i];
        int at = 0;
        if (params->fixed[i])
            continue;
        while (at < p->allowed_count && p->allowed[at] != v->params[i])
            at++;
        if (at + 1 < p->allowed_count) {
            v->params[i] = p->allowed[at + 1];
            return true;
        }
        v->params[i] = p->allowed[0];
    }
    return false;
}

static void first(struct gr_variant *v, const struct gr_tune_params *params)
{
    *v = *params->base;
    for (int i = 0; i < v->kernel->param_count; i++)
        if (!params->fixed[i])
            v->params[i] = v->kernel->params[i].allowed[0];
}

static bool is_base(const struct gr_variant *v, const struct gr_variant *base)
{
    return memcmp(v->params, base->params, (size_t)v->kernel->param_count * sizeof *v->params) == 0;
}

/* Evaluates the file's `require` lines, as far as the device is known before compiling. */
static bool admits(const struct gr_session *s, const struct gr_variant *v,
                   const struct gr_problem *problem, struct gr_tune *tune)
{
    struct gr_artifact unbuilt = {.pending = -1, .type = v->types.acc};
    struct gr_device_values values;
    struct gradus_error why = {0};
    s->backend->device_values(s->found, &unbuilt, s->threads, &values);
    const bool fine = gr_variant_admits(v, problem, &values, &why) == GRADUS_OK;
    if (!fine && !*tune->refusal)
        snprintf(tune->refusal, sizeof tune->refusal, "%.255s", why.text);
    gradus_error_clear(&why);
    tune->refused += !fine;
    return fine;
}

static void shuffle(struct gr_tune_candidate *candidates, int count, struct gr_rng *rng)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)(gr_rng_unit(rng) * (i + 1));
        struct gr_tune_candidate other = candidates[i];
        candidates[i] = candidates[j];
        candidates[j] = other;
    }
}

/* Each combination is drawn with the same probability by reservoir sampling, whose memory does not
 * grow with their number. The default is always included. */
enum gradus_status gr_tune_list(const struct gr_session *s, const struct gr_tune_params *params,
                                struct gr_tune *tune, struct gradus_error *error)
{
    struct gr_rng rng = {s->options.seed};
    struct gr_variant v;
    bool has_base = false;
    int64_t seen = 0;
    int others = 0;
    tune->candidates = calloc(GR_TUNE_CANDIDATES, sizeof *tune->candidates);
    if (!tune->candidates)
        return gr_fail_memory(error, "the candidates of a tuning",
                              GR_TUNE_CANDIDATES * sizeof *tune->candidates);
    struct gr_tune_candidate *rest = tune->candidates + 1;
    first(&v, params);
    do {
        tune->combinations++;
        if (!admits(s, &v, &params->problem, tune))
            continue;
        if (is_base(&v, params->base)) {
            has_base = true;
            continue;
        }
        seen++;
        const int64_t at = others < GR_TUNE_CANDIDATES - 1
                               ? others++
                               : (int64_t)(gr_rng_unit(&rng) * (double)seen);
        if (at < GR_TUNE_CANDIDATES - 1)
            rest[at].variant = v;
    } while (next(&v, params));
    shuffle(rest, others, &rng);
    tune->candidates[0].variant = *params->base;
    tune->candidates[0].is_default = true;
    if (!has_base)
        memmove(tune->candidates, rest, (size_t)others * sizeof *rest);
    tune->count = others + has_base;
    tune->drawn = tune->count;
    for (int i = 0; i < tune->count; i++)
        tune->candidates[i].artifact.pending = -1;
    return GRADUS_OK;
}
