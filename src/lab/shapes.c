/* shapes.c: where else is a kernel right? SPDX-License-Identifier: MIT */
#include "lab/verify.h"

#include "base/error.h"
#include "lab/counted.h"
#include "lab/edge_shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WRONG_SHOWN = 3 };

/* One small shape; REFUSED when the kernel takes no padding there, or excludes it. Where it is known to read C at beta 0, that
 * is not this question, and C starts finite. */
static enum gradus_status try_shape(struct gr_session *s, const struct gr_entrant *entrant,
                                    struct gr_edge_shape shape, bool ignore_nan_c,
                                    struct gr_outcome *outcome, struct gradus_error *error)
{
    const struct gr_problem *asked = &s->pairs[0].problem;
    struct gr_problem p = gr_edge_problem(shape, asked);
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
                                 .c_start = i == 0 || ignore_nan_c ? GR_C_FINITE : GR_C_NAN,
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

/* Right at this shape? True as well where the kernel refuses it. */
static enum gradus_status right_at(struct gr_session *s, const struct gr_entrant *entrant,
                                   struct gr_edge_shape shape, bool ignore_nan_c, bool *right,
                                   char *reason, struct gradus_error *error)
{
    struct gr_outcome outcome;
    enum gradus_status status = try_shape(s, entrant, shape, ignore_nan_c, &outcome, error);
    *right = outcome.verdict == GR_RIGHT || outcome.verdict == GR_REFUSED;
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
        struct gr_edge_shape shape = {256, 256, 256, 0};
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

/* A fault that goes away at multiples of the tile: the kernel leaves the edges out, and a `require` says so. */
static bool is_of_edges(const struct gr_finding *f)
{
    return f->kind == GR_FIND_BOUNDS || f->kind == GR_FIND_ALIGNMENT ||
           f->kind == GR_FIND_UNWRITTEN;
}

/* On the simulator: the faults at the first shape that is wrong, as findings under its name, and whether a `require` may be
 * proposed: not where the fault is there at the size asked for as well, nor where it is of another kind. */
static enum gradus_status find_cause(struct gr_session *s, const struct gr_entrant *entrant,
                                     struct gr_edge_shape shape, struct gr_findings *told,
                                     bool *by_edges, struct gradus_error *error)
{
    const struct gr_problem *asked = &s->pairs[0].problem;
    const struct gr_problem p = gr_edge_problem(shape, asked);
    struct gr_findings there = {0}, here = {0};
    char size[64];
    *by_edges = true;
    if (!s->backend->untimed || !entrant->variant)
        return GRADUS_OK;
    enum gradus_status status = gr_counted_faults(s, entrant->variant, &p, &there, error);
    if (status == GRADUS_OK && there.count > 0)
        status = gr_counted_faults(s, entrant->variant, asked, &here, error);
    *by_edges = here.count == 0;
    gr_edge_name(shape, entrant->variant, size);
    for (int i = 0; i < there.count; i++) {
        const struct gr_finding *f = &there.items[i];
        struct gr_finding *added = gr_findings_add(told, f->kind, f->line, "at %s%s: %s", size,
                                                   shape.pad ? " with padded rows" : "", f->text);
        *by_edges &= is_of_edges(f);
        if (!added)
            continue;
        memcpy(added->about, f->about, sizeof added->about);
        added->severity =
            entrant->variant->kernel->built_in ? GR_SEVERITY_FAULT : GR_SEVERITY_WARNING;
    }
    gr_findings_free(&there);
    gr_findings_free(&here);
    return status;
}

/* Where a kernel is wrong, and what it is worth there. */
struct elsewhere {
    char shapes[160], reason[256]; /* "63x65x64, 2x3x5 (padded ld)"; of the first */
    struct gr_edge_shape first;
    bool ignore_nan_c;
};

static void condemn_built_in(const struct elsewhere *at, struct gr_outcome *outcome)
{
    outcome->verdict = GR_WRONG;
    snprintf(outcome->reason, sizeof outcome->reason, "wrong at %s: %.120s", at->shapes,
             at->reason);
    struct gr_finding *shape =
        gr_findings_add(&outcome->findings, GR_FIND_SHAPE, 0, "%s", outcome->reason);
    if (shape)
        shape->severity = GR_SEVERITY_FAULT;
}

static enum gradus_status tell_shapes(struct gr_session *s, const struct gr_entrant *entrant,
                                      struct elsewhere *at, struct gr_outcome *outcome,
                                      struct gradus_error *error)
{
    char require[160] = "", size[64];
    const struct gr_problem *asked = &s->pairs[0].problem;
    struct gr_findings cause = {0};
    bool by_edges = true;
    enum gradus_status status = find_cause(s, entrant, at->first, &cause, &by_edges, error);
    bool mirrored = entrant->variant && entrant->variant->kernel->mirrored;
    gr_size_name(mirrored ? asked->n : asked->m, mirrored ? asked->m : asked->n, asked->k, size,
                 sizeof size);
    if (cause.count > 0)
        snprintf(at->reason, sizeof at->reason, "%s, line %d", gr_finding_name(cause.items[0].kind),
                 cause.items[0].line);
    if (entrant->variant && entrant->variant->kernel->built_in)
        condemn_built_in(at, outcome);
    else {
        if (status == GRADUS_OK && by_edges)
            status = find_require(s, entrant, at->ignore_nan_c, require, sizeof require, error);
        gr_findings_add(&outcome->findings, GR_FIND_SHAPE, 0, "right at %s; wrong at %s (%s)%s%s%s",
                        size, at->shapes, at->reason,
                        cause.count == 0 ? *require ? ": " : ""
                        : *require       ? ": mend what is told of below, or exclude such sizes: "
                                         : ": mend what is told of below",
                        *require ? "//@ require " : "", require);
    }
    for (int i = 0; i < cause.count; i++)
        gr_findings_copy(&outcome->findings, &cause.items[i]);
    gr_findings_free(&cause);
    return status;
}

enum gradus_status gr_verify_shapes(struct gr_session *s, const struct gr_entrant *entrant,
                                    struct gr_outcome *outcome, struct gradus_error *error)
{
    struct gr_edge_shape shapes[GR_EDGE_SHAPES];
    struct elsewhere at = {.ignore_nan_c = gr_findings_has(&outcome->findings, GR_FIND_READS_C)};
    int count = gr_edge_shapes(entrant->variant, shapes), wrong = 0;
    for (int i = 0; i < count && wrong < MAX_WRONG_SHOWN; i++) {
        bool right;
        char reason[256], size[64];
        enum gradus_status status =
            right_at(s, entrant, shapes[i], at.ignore_nan_c, &right, reason, error);
        if (status != GRADUS_OK)
            return status;
        if (right)
            continue;
        bool mirrored = entrant->variant && entrant->variant->kernel->mirrored;
        gr_size_name(mirrored ? shapes[i].n : shapes[i].m, mirrored ? shapes[i].m : shapes[i].n,
                     shapes[i].k, size, sizeof size);
        size_t used = strlen(at.shapes);
        snprintf(at.shapes + used, sizeof at.shapes - used, "%s%s%s", used ? ", " : "", size,
                 shapes[i].pad ? " (padded ld)" : "");
        if (wrong++ == 0) {
            memcpy(at.reason, reason, sizeof at.reason);
            at.first = shapes[i];
        }
    }
    return wrong == 0 ? GRADUS_OK : tell_shapes(s, entrant, &at, outcome, error);
}
