/* code_product.c: compares the C that machine code has computed with a reference.
 * SPDX-License-Identifier: MIT */
#include "explain/code_product.h"

#include "check/check.h"
#include "core/error.h"
#include "explain/simulate.h"
#include "plan/launch_plan.h"

#include <stdlib.h>
#include <string.h>

/* With three different sizes, swapped arguments give a wrong result. Multiples of the largest
 * common tiles are for kernels without bounds checks, and equal sizes for kernels that take only
 * one size. */
static const int64_t sizes[][3] = {
    {32, 64, 96}, {128, 256, 64}, {256, 128, 128}, {128, 128, 128}, {256, 256, 64}};
/* A problem of at most this many multiply-adds is executed itself. */
static const int64_t most_own = 1 << 22;
/* The limit of processor time for one problem, which usually takes about a second. */
static const int64_t limit_ns = 20LL * 1000000000;

/* The result of one product. */
struct outcome {
    bool ran; /* all blocks ran to their ends, so that C was compared */
    struct gr_check check;
    struct gr_findings findings;
};

/* alpha is not 1, so that a kernel that ignores it gives a wrong result. beta is 0, and C is NaN
 * before the product. */
static struct gr_problem problem_of(const struct gr_explain *ask, const int64_t size[3])
{
    const struct gr_problem *from = ask->problem;
    const struct gr_kernel *k = ask->variant->kernel;
    struct gr_problem p = *from;
    if (size)
        p = gr_kernel_problem(k, size[0], size[1], size[2], from->trans_a, from->trans_b,
                              from->types);
    p.alpha =
        k->stanzas[0].signature.has_alpha ? gr_scales_distinct(from->types.acc).alpha : from->alpha;
    p.beta = 0;
    return p;
}

static enum gradus_status compare(const struct gr_explain *ask, const void *a, const void *b,
                                  const void *c, struct outcome *outcome,
                                  struct gradus_error *error)
{
    const struct gr_problem *p = ask->problem;
    struct gr_reference *reference = NULL;
    enum gradus_status status =
        gr_reference_make(p, a, b, ask->variant->kernel->math, 1, 0, 1, &reference, error);
    if (status == GRADUS_OK)
        status = gr_check_result(reference, p->alpha, p->beta, NULL, c, NULL, false,
                                 &outcome->check, &outcome->findings, error);
    gr_reference_free(reference);
    outcome->ran = status == GRADUS_OK;
    return status;
}

/* If the kernel or the engine refuses the problem, or the kernel fails, there is no product to
 * judge, and this is not an error. */
static enum gradus_status forgive(enum gradus_status status, struct gradus_error *error)
{
    if (status != GRADUS_UNSUPPORTED && status != GRADUS_LAUNCH && status != GRADUS_CRASHED &&
        status != GRADUS_TIMED_OUT)
        return status;
    gradus_error_clear(error);
    return GRADUS_OK;
}

static enum gradus_status try_size(const struct gr_explain *ask, const int64_t size[3],
                                   const struct gr_device_values *device_values,
                                   struct outcome *outcome, struct gradus_error *error)
{
    struct gr_explain one = *ask;
    const struct gr_problem problem = problem_of(ask, size);
    struct gr_plan plan = {0};
    struct gr_simulated_product product = {0};
    one.problem = &problem;
    one.simulate_ns = limit_ns;
    one.races = false;
    enum gradus_status status = gr_variant_admits(ask->variant, &problem, device_values, error);
    if (status == GRADUS_OK)
        status = gr_plan_launches(ask->variant, &problem, device_values, &plan, error);
    if (status == GRADUS_OK && plan.launch_count > 0)
        status = gr_simulate_product(&one, device_values, &plan, &product, error);
    if (status == GRADUS_OK && product.memory)
        status = compare(&one, product.a, product.b, product.c, outcome, error);
    free(product.memory);
    return forgive(status, error);
}

static void report(const struct gr_explain *ask, const int64_t size[3],
                   const struct outcome *outcome, struct gr_findings *findings)
{
    char name[64];
    const struct gr_problem problem = problem_of(ask, size);
    gr_size_name(problem.m, problem.n, problem.k, name, sizeof name);
    if (outcome->check.right) {
        gr_findings_add(findings, GR_FIND_NOTE, 0, "the product is right at %s (%s)", name,
                        outcome->check.checked_by);
        return;
    }
    const struct gr_finding *first = outcome->findings.items;
    struct gr_finding *added = gr_findings_add(
        findings, outcome->findings.count ? first->kind : GR_FIND_WRONG_ELEMENT, 0,
        "at %s C is not the product of A and B: %s; the kernel is wrong, or what --args, --layout "
        "and --grid say of it",
        name, outcome->findings.count ? first->text : "elements differ from the reference");
    if (added)
        added->severity = size ? GR_SEVERITY_WARNING : GR_SEVERITY_FAULT;
}

enum gradus_status gr_code_product_check(const struct gr_explain *ask,
                                         const struct gr_device_values *device_values,
                                         struct gr_findings *findings, struct gradus_error *error)
{
    const struct gr_problem *p = ask->problem;
    const bool own = p->m * p->n <= most_own && p->m * p->n * p->k <= most_own;
    const int count = own ? 1 : (int)(sizeof sizes / sizeof *sizes);
    struct outcome last = {0};
    const int64_t *which = NULL;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < count && status == GRADUS_OK && !last.check.right; i++) {
        struct outcome here = {0};
        const int64_t *size = own ? NULL : sizes[i];
        status = try_size(ask, size, device_values, &here, error);
        if (status == GRADUS_OK && here.ran) {
            gr_findings_free(&last.findings);
            last = here;
            which = size;
        } else {
            gr_findings_free(&here.findings);
        }
    }
    if (status == GRADUS_OK && last.ran)
        report(ask, which, &last, findings);
    gr_findings_free(&last.findings);
    return status;
}
