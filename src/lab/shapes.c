/* shapes.c: where else is a kernel right? SPDX-License-Identifier: MIT */
#include "lab/verify.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct shape {
    int64_t m, n, k;
    int64_t pad; /* added to each leading dimension, differently */
};

enum { MAX_SHAPES = 96, MAX_WRONG_SHOWN = 3 };

/* Around one, primes, round the usual tiles; padded and not. */
static const struct shape common[] = {
    {1, 1, 1, 0},    {1, 17, 33, 0},    {17, 1, 33, 5},    {17, 33, 1, 0},   {2, 3, 5, 1},
    {7, 13, 11, 0},  {31, 32, 33, 0},   {33, 31, 32, 7},   {63, 65, 64, 0},  {64, 64, 64, 0},
    {64, 64, 64, 8}, {65, 63, 127, 3},  {96, 40, 200, 0},  {5, 130, 9, 0},   {130, 5, 9, 1},
    {3, 3, 257, 0},  {127, 129, 65, 0}, {129, 127, 31, 9}, {97, 101, 103, 0}};

static int list_shapes(const struct gr_entrant *entrant, struct shape shapes[MAX_SHAPES])
{
    int count = (int)(sizeof common / sizeof *common);
    memcpy(shapes, common, sizeof common);
    if (!entrant->variant)
        return count;
    const struct gr_variant *v = entrant->variant;
    for (int i = 0; i < v->kernel->param_count; i++) {
        int64_t tile = v->params[i];
        for (int step = -1; step <= 1 && tile <= 1024 && count + 3 <= MAX_SHAPES; step += 2) {
            shapes[count++] = (struct shape){tile + step, 19, 17, 0};
            shapes[count++] = (struct shape){18, tile + step, 21, 3};
            shapes[count++] = (struct shape){20, 22, tile + step, 0};
        }
    }
    return count;
}

/* One small shape; REFUSED when the kernel takes no padding there, or excludes it. */
static enum gradus_status try_shape(struct gr_session *s, const struct gr_entrant *entrant,
                                    struct shape shape, struct gr_outcome *outcome,
                                    struct gradus_error *error)
{
    const struct gr_problem *asked = &s->pairs[0].problem;
    struct gr_problem p =
        gr_problem_dense(shape.m, shape.n, shape.k, asked->trans_a, asked->trans_b, asked->types);
    p.lda += shape.pad;
    p.ldb += shape.pad ? shape.pad + 2 : 0;
    p.ldc += shape.pad ? shape.pad + 1 : 0;
    bool plain = entrant->variant && entrant->variant->kernel->implied_alpha1_beta0;
    const char *math = entrant->variant ? entrant->variant->kernel->math : NULL;
    const struct gr_scales scales = gr_trial_scales(p.types.acc);
    struct gr_pair pair;
    *outcome = (struct gr_outcome){0};
    enum gradus_status status =
        gr_pair_make(&p, s->options.fill, s->options.seed + 7, math, NULL, 0, 1, &pair, error);
    for (int i = plain ? 1 : 0; i < 2 && status == GRADUS_OK; i++) {
        /* The second run starts from NaN: at beta 0 it must not be read, at the edges least of all.
         */
        struct gr_trial trial = {.entrant = *entrant,
                                 .pair = &pair,
                                 .alpha = i == 0 ? scales.alpha : 1,
                                 .beta = i == 0 ? scales.beta : 0,
                                 .c_start = i == 0 ? GR_C_FINITE : GR_C_NAN,
                                 .quick = true,
                                 .limit_ns = s->options.time_limit_ns};
        gr_outcome_free(outcome);
        status = gr_trial_run(s, &trial, outcome, error);
        if (outcome->verdict != GR_RIGHT)
            break;
    }
    gr_pair_free(&pair);
    return status;
}

/* Right at this shape? True as well where the kernel refuses it. Reading C at beta 0 is not this
 * question. */
static enum gradus_status right_at(struct gr_session *s, const struct gr_entrant *entrant,
                                   struct shape shape, bool ignore_nan_c, bool *right, char *reason,
                                   struct gradus_error *error)
{
    struct gr_outcome outcome;
    enum gradus_status status = try_shape(s, entrant, shape, &outcome, error);
    *right = outcome.verdict == GR_RIGHT || outcome.verdict == GR_REFUSED;
    if (!*right && ignore_nan_c && gr_findings_has(&outcome.findings, GR_FIND_NAN) &&
        !gr_findings_has(&outcome.findings, GR_FIND_UNWRITTEN))
        *right = true;
    if (!*right && reason)
        memcpy(reason, outcome.reason, sizeof outcome.reason);
    gr_outcome_free(&outcome);
    return status;
}

/* The smallest power of two that dimension `which` must be a multiple of, others being 256; 1: any
 * will do, 0: no power up to 128 explains it. */
static enum gradus_status find_multiple(struct gr_session *s, const struct gr_entrant *entrant,
                                        int which, bool ignore_nan_c, int64_t *multiple,
                                        struct gradus_error *error)
{
    *multiple = 0;
    for (int64_t power = 128; power >= 1; power /= 2) {
        struct shape shape = {256, 256, 256, 0};
        int64_t *dimension = which == 0 ? &shape.m : which == 1 ? &shape.n : &shape.k;
        *dimension += power == 128 ? -128 : power;
        bool right;
        enum gradus_status status = right_at(s, entrant, shape, ignore_nan_c, &right, NULL, error);
        if (status != GRADUS_OK)
            return status;
        if (!right)
            break;
        *multiple = power;
    }
    return GRADUS_OK;
}

/* "N%4==0 && K%8==0" for the dimensions that need it; empty when nothing explains the failures. */
static enum gradus_status find_require(struct gr_session *s, const struct gr_entrant *entrant,
                                       bool ignore_nan_c, char *text, size_t size,
                                       struct gradus_error *error)
{
    bool mirrored = entrant->variant && entrant->variant->kernel->mirrored;
    const char *letters = mirrored ? "NMK" : "MNK"; /* the kernel's own names */
    *text = 0;
    for (int which = 0; which < 3; which++) {
        int64_t multiple;
        enum gradus_status status =
            find_multiple(s, entrant, which, ignore_nan_c, &multiple, error);
        if (status != GRADUS_OK)
            return status;
        size_t used = strlen(text);
        if (multiple > 1)
            snprintf(text + used, size - used, "%s%c%%%" PRId64 "==0", used ? " && " : "",
                     letters[which], multiple);
    }
    return GRADUS_OK;
}

static enum gradus_status tell_shapes(struct gr_session *s, const struct gr_entrant *entrant,
                                      const char *wrong_at, const char *reason, bool ignore_nan_c,
                                      struct gr_outcome *outcome, struct gradus_error *error)
{
    char require[160], size[64];
    const struct gr_problem *asked = &s->pairs[0].problem;
    bool mirrored = entrant->variant && entrant->variant->kernel->mirrored;
    gr_size_name(mirrored ? asked->n : asked->m, mirrored ? asked->m : asked->n, asked->k, size,
                 sizeof size);
    if (entrant->variant && entrant->variant->kernel->built_in) {
        outcome->verdict = GR_WRONG;
        snprintf(outcome->reason, sizeof outcome->reason, "wrong at %s: %.120s", wrong_at, reason);
        gr_findings_add(&outcome->findings, GR_FIND_SHAPE, 0, "%s", outcome->reason);
        return GRADUS_OK;
    }
    enum gradus_status status =
        find_require(s, entrant, ignore_nan_c, require, sizeof require, error);
    if (*require)
        gr_findings_add(&outcome->findings, GR_FIND_SHAPE, 0,
                        "right at %s; wrong at %s (%s): //@ require %s", size, wrong_at, reason,
                        require);
    else
        gr_findings_add(&outcome->findings, GR_FIND_SHAPE, 0, "right at %s; wrong at %s (%s)", size,
                        wrong_at, reason);
    return status;
}

enum gradus_status gr_verify_shapes(struct gr_session *s, const struct gr_entrant *entrant,
                                    struct gr_outcome *outcome, struct gradus_error *error)
{
    struct shape shapes[MAX_SHAPES];
    int count = list_shapes(entrant, shapes), wrong = 0;
    char wrong_at[160] = "", first_reason[256] = "";
    bool ignore_nan_c = gr_findings_has(&outcome->findings, GR_FIND_READS_C);
    for (int i = 0; i < count && wrong < MAX_WRONG_SHOWN; i++) {
        bool right;
        char reason[256], size[64];
        enum gradus_status status =
            right_at(s, entrant, shapes[i], ignore_nan_c, &right, reason, error);
        if (status != GRADUS_OK)
            return status;
        if (right)
            continue;
        bool mirrored = entrant->variant && entrant->variant->kernel->mirrored;
        gr_size_name(mirrored ? shapes[i].n : shapes[i].m, mirrored ? shapes[i].m : shapes[i].n,
                     shapes[i].k, size, sizeof size);
        size_t used = strlen(wrong_at);
        snprintf(wrong_at + used, sizeof wrong_at - used, "%s%s%s", used ? ", " : "", size,
                 shapes[i].pad ? " (padded ld)" : "");
        if (wrong++ == 0)
            memcpy(first_reason, reason, sizeof first_reason);
    }
    if (wrong == 0)
        return GRADUS_OK;
    return tell_shapes(s, entrant, wrong_at, first_reason, ignore_nan_c, outcome, error);
}
