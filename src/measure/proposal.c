/* proposal.c: finds multiples and bounds of sizes by trials. SPDX-License-Identifier: MIT */
#include "measure/proposal.h"

#include "core/error.h"
#include "measure/leading.h"
#include "measure/padding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MULTIPLE = 256 };

static int64_t *dimension(struct gr_probe_shape *shape, int which)
{
    return which == 0 ? &shape->m : which == 1 ? &shape->n : &shape->k;
}

/* Is it correct with (1.5, 0.5) and with (1, 0), as far as the kernel has alpha and beta? */
static enum gradus_status right_at(struct gr_search *search, struct gr_probe_shape shape,
                                   bool *right, struct gradus_error *error)
{
    const struct gr_problem p = gr_probe_problem(shape, &search->session->pairs[0].problem);
    const struct gr_scales plain = {1, 0};
    enum gradus_status status = gr_probe_right(search->session, search->candidate, &p,
                                               search->scales[0], right, NULL, error);
    if (status == GRADUS_OK && *right && search->scale_count > 1)
        status = gr_probe_right(search->session, search->candidate, &p, plain, right, NULL, error);
    return status;
}

static bool is_admitted(const struct gr_search *search, struct gr_probe_shape shape)
{
    return gr_probe_shape_admitted(search->candidate->variant, &search->session->pairs[0].problem,
                                   shape);
}

static struct gr_probe_shape requested_shape(const struct gr_search *search)
{
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    return (struct gr_probe_shape){.m = requested->m, .n = requested->n, .k = requested->k};
}

/* A shape with many divisors at which the kernel is correct, or else the requested one. */
static enum gradus_status find_base(struct gr_search *search, struct gr_probe_shape *base,
                                    struct gradus_error *error)
{
    bool right;
    *base = (struct gr_probe_shape){.m = 256, .n = 256, .k = 256};
    enum gradus_status status = right_at(search, *base, &right, error);
    if (status == GRADUS_OK && (!right || !is_admitted(search, *base)))
        *base = requested_shape(search);
    return status;
}

static int64_t least_factor(int64_t x)
{
    for (int64_t f = 2; f * f <= x; f++)
        if (x % f == 0)
            return f;
    return x;
}

static struct gr_probe_shape lessened(struct gr_probe_shape shape, int dimensions, int64_t by)
{
    for (int i = 0; i < 3; i++)
        if (dimensions >> i & 1)
            *dimension(&shape, i) -= by;
    return shape;
}

/* The dimensions, as bits, that must change together with `which`, because a kernel for square
 * matrices allows nothing else. If no change is allowed, `which` alone. */
static int moved_with(const struct gr_search *search, struct gr_probe_shape base, int which)
{
    const int self = 1 << which,
              sets[] = {self, self | 1 << (which + 1) % 3, self | 1 << (which + 2) % 3, 7};
    const int64_t half = *dimension(&base, which) / 2;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (is_admitted(search, lessened(base, sets[i], half)))
            return sets[i];
    return self;
}

/* Removes one prime factor after another to find the smallest divisor of the base to which the
 * dimension can be reduced. 0: not even half the base is correct. */
static enum gradus_status find_multiple(struct gr_search *search, struct gr_probe_shape base,
                                        int which, int64_t *multiple, struct gradus_error *error)
{
    const int64_t whole = *dimension(&base, which);
    const int together = moved_with(search, base, which);
    int64_t left = whole, now = whole;
    while (left > 1) {
        const int64_t factor = least_factor(left);
        bool right;
        enum gradus_status status =
            right_at(search, lessened(base, together, now / factor), &right, error);
        if (status != GRADUS_OK)
            return status;
        left /= factor;
        if (right)
            now /= factor;
        else
            while (left > 1 && left % factor == 0)
                left /= factor;
    }
    *multiple = now == whole && whole > MOST_MULTIPLE ? 0 : now;
    return GRADUS_OK;
}

enum gradus_status gr_proposal_find(struct gr_search *search, bool padded,
                                    struct gr_proposal *proposal, struct gradus_error *error)
{
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    struct gr_probe_shape base;
    *proposal = (struct gr_proposal){.leading = 1};
    enum gradus_status status = find_base(search, &base, error);
    for (int i = 0; i < 3 && status == GRADUS_OK; i++)
        status = find_multiple(search, base, i, &proposal->multiple[i], error);
    if (status != GRADUS_OK || !padded)
        return status;
    const struct gr_problem whole = gr_probe_problem(base, requested);
    struct gr_problem odd;
    bool right = true;
    if (gr_padding_of(search->candidate->variant, &whole, 1, &odd))
        status = gr_probe_right(search->session, search->candidate, &odd, search->scales[0], &right,
                                NULL, error);
    if (status == GRADUS_OK && !right)
        status = gr_leading_unit(search, &whole, search->scales[0], &proposal->leading, error);
    return status;
}

bool gr_proposal_excludes(const struct gr_proposal *p, struct gr_probe_shape shape)
{
    bool excludes = shape.padded && p->leading != 1;
    for (int i = 0; i < 3; i++) {
        const int64_t x = *dimension(&shape, i);
        excludes |= p->multiple[i] > 1 && (x == 0 || x % p->multiple[i] != 0);
    }
    return excludes;
}

void gr_proposal_round(const struct gr_proposal *p, struct gr_probe_shape *shape)
{
    shape->padded &= p->leading == 1;
    for (int i = 0; i < 3; i++) {
        const int64_t of = p->multiple[i] > 1 ? p->multiple[i] : 1, x = *dimension(shape, i);
        *dimension(shape, i) = x == 0 && of > 1 ? of : (x + of - 1) / of * of;
    }
}

static const char *names_of(const struct gr_search *search)
{
    const struct gr_variant *v = search->candidate->variant;
    return v && v->kernel->mirrored ? "NMK" : "MNK";
}

void gr_proposal_text(const struct gr_search *search, const struct gr_proposal *p, bool bounded,
                      char text[160])
{
    const char *names = names_of(search);
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < 3; i++) {
        const int64_t of = p->multiple[i];
        if (of > 1)
            used += (size_t)snprintf(text + used, 160 - used, "%s%c%%%" PRId64 "==0",
                                     used ? " && " : "", names[i], of);
        if (of > 1 && bounded && i == 2)
            used += (size_t)snprintf(text + used, 160 - used, " && %c>=%" PRId64, names[i], of);
    }
    if (p->leading > 1) {
        char leading[64];
        const struct gr_problem *requested = &search->session->pairs[0].problem;
        gr_leading_require(search->candidate->variant, requested, p->leading, leading);
        snprintf(text + used, 160 - used, "%s%s", used ? " && " : "", leading);
    }
}

/* Bisects between `good` and `bad` until they are adjacent numbers, or adjacent multiples. */
static enum gradus_status bisect(struct gr_search *search, struct gr_probe_shape shape, int which,
                                 int64_t of, int64_t *good, struct gradus_error *error)
{
    int64_t bad = *dimension(&shape, which);
    while (bad - *good > of) {
        const int64_t middle = *good + (bad - *good) / 2 / of * of;
        bool right;
        if (middle == *good)
            break;
        *dimension(&shape, which) = middle;
        enum gradus_status status = right_at(search, shape, &right, error);
        if (status != GRADUS_OK)
            return status;
        if (right)
            *good = middle;
        else
            bad = middle;
    }
    return GRADUS_OK;
}

/* A bound is valid only if everything beyond it is wrong. */
static enum gradus_status is_wrong_beyond(struct gr_search *search, struct gr_probe_shape wrong,
                                          int which, int64_t of, bool *beyond,
                                          struct gradus_error *error)
{
    static const int64_t steps[] = {1, 37, 64};
    *beyond = true;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && *beyond; i++) {
        struct gr_probe_shape further = wrong;
        bool right;
        *dimension(&further, which) += steps[i] * of;
        enum gradus_status status = right_at(search, further, &right, error);
        if (status != GRADUS_OK)
            return status;
        *beyond = !right;
    }
    return GRADUS_OK;
}

/* The largest size of that dimension at which the kernel is correct, given that it is wrong at
 * `wrong`; 0: the dimension alone is not the cause. */
static enum gradus_status find_bound(struct gr_search *search, struct gr_probe_shape wrong,
                                     int which, int64_t of, int64_t *bound,
                                     struct gradus_error *error)
{
    struct gr_probe_shape less = wrong;
    int64_t good = *dimension(&wrong, which) == 0 ? of : (17 + of - 1) / of * of;
    bool right, beyond = true;
    *bound = 0;
    if (*dimension(&wrong, which) != 0 && *dimension(&wrong, which) <= good)
        return GRADUS_OK;
    *dimension(&less, which) = good;
    if (moved_with(search, requested_shape(search), which) != 1 << which)
        return GRADUS_OK; /* it cannot be the only cause */
    enum gradus_status status = right_at(search, less, &right, error);
    if (status != GRADUS_OK || !right)
        return status;
    if (*dimension(&wrong, which) != 0)
        status = bisect(search, wrong, which, of, &good, error);
    if (status == GRADUS_OK && *dimension(&wrong, which) != 0)
        status = is_wrong_beyond(search, wrong, which, of, &beyond, error);
    *bound = beyond ? good : 0;
    return status;
}

enum gradus_status gr_proposal_remedy(struct gr_search *search, const struct gr_proposal *proposal,
                                      struct gr_probe_shape wrong, char text[160],
                                      struct gradus_error *error)
{
    const char *names = names_of(search);
    char bounded[48] = "";
    *text = 0;
    wrong.padded = false;
    for (int which = 2; which >= 0 && !*bounded; which--) {
        const int64_t of = proposal->multiple[which] > 1 ? proposal->multiple[which] : 1;
        int64_t bound;
        enum gradus_status status = find_bound(search, wrong, which, of, &bound, error);
        if (status != GRADUS_OK)
            return status;
        if (bound > 0)
            snprintf(bounded, sizeof bounded, "%c%s%" PRId64, names[which],
                     *dimension(&wrong, which) == 0 ? ">=" : "<=", bound);
    }
    if (!*bounded)
        return GRADUS_OK;
    gr_proposal_text(search, proposal, false, text);
    const size_t used = strlen(text);
    snprintf(text + used, 160 - used, "%s%s", used ? " && " : "", bounded);
    return GRADUS_OK;
}
