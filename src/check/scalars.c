/* scalars.c: computes the results of kernels that use wrong values of alpha or beta.
 * SPDX-License-Identifier: MIT */
#include "check/scalars.h"

#include <math.h>

/* The values that the kernel would have used instead. */
struct pair {
    double alpha, beta;
};

struct mistake {
    const char *text;
    struct pair (*of)(double alpha, double beta);
};

static struct pair no_sign(double alpha, double beta)
{
    return (struct pair){fabs(alpha), beta};
}

static struct pair other_sign(double alpha, double beta)
{
    return (struct pair){-alpha, beta};
}

static struct pair alpha_twice(double alpha, double beta)
{
    return (struct pair){alpha * alpha, beta};
}

static struct pair beta_one(double alpha, double beta)
{
    (void)beta;
    return (struct pair){alpha, 1};
}

static struct pair beta_no_sign(double alpha, double beta)
{
    return (struct pair){alpha, fabs(beta)};
}

static struct pair beta_other_sign(double alpha, double beta)
{
    return (struct pair){alpha, -beta};
}

static struct pair beta_twice(double alpha, double beta)
{
    return (struct pair){alpha, beta * beta};
}

static struct pair exchanged(double alpha, double beta)
{
    return (struct pair){beta, alpha};
}

static struct pair over_both(double alpha, double beta)
{
    return (struct pair){alpha, alpha * beta};
}

static struct pair only_c(double alpha, double beta)
{
    (void)alpha;
    return (struct pair){0, beta};
}

/* The simplest first: the first one that fits is reported. */
static const struct mistake mistakes[] = {
    {"looks as if beta were taken as 1", beta_one},
    {"looks as if alpha were taken as |alpha|: its sign is lost", no_sign},
    {"looks as if beta were taken as |beta|: its sign is lost", beta_no_sign},
    {"looks as if alpha were taken with the other sign", other_sign},
    {"looks as if beta were taken with the other sign", beta_other_sign},
    {"looks as if alpha and beta were exchanged", exchanged},
    {"looks as if only beta C were computed: the product is missing", only_c},
    {"looks as if alpha were applied to beta C as well", over_both},
    {"looks as if alpha were applied twice", alpha_twice},
    {"looks as if beta were applied twice", beta_twice},
};

static struct gr_place place_of(const struct gr_tally *tally, int64_t i, int64_t count)
{
    const struct gr_problem *p = &tally->reference->problem;
    int64_t at = i * (p->m * p->n) / count; /* evenly spaced; all elements of a small C */
    at += count < p->m * p->n ? i % p->n : 0;
    at = at < p->m * p->n ? at : p->m * p->n - 1;
    return (struct gr_place){at / p->n, at % p->n};
}

static bool fits(const struct gr_tally *tally, struct pair pair, struct gr_place at)
{
    const struct gr_reference *r = tally->reference;
    struct gr_rule rule = tally->rule;
    double product, absolute, old;
    rule.alpha = pair.alpha;
    rule.beta = pair.beta;
    gr_view_dot(&r->x, at.row, &r->y, at.col, &product, &absolute);
    old = pair.beta == 0 || !tally->c0
              ? 0
              : gr_element(r->problem.types.c, tally->c0, at.row * r->problem.ldc + at.col);
    struct gr_want want = gr_rule_want(&rule, product, absolute, old);
    return isfinite(want.value) &&
           gr_rule_ratio(&rule, want, gr_tally_got(tally, at.row, at.col)) <= rule.limit;
}

/* A mistake must explain the wrong elements, and elements all over C; one wrong element in a
 * large C is not enough. */
static bool explains(const struct gr_tally *tally, struct pair pair)
{
    enum { MOST = 48 };
    const struct gr_problem *p = &tally->reference->problem;
    const int64_t elements = p->m * p->n, wrong = tally->wrong_listed;
    const int64_t count = elements < MOST ? elements : MOST;
    const int64_t wrong_count = wrong < MOST ? wrong : MOST;
    for (int64_t i = 0; i < wrong_count; i++)
        if (!fits(tally, pair, tally->wrong[i * wrong / wrong_count]))
            return false;
    for (int64_t i = 0; i < count; i++)
        if (!fits(tally, pair, place_of(tally, i, count)))
            return false;
    return true;
}

void gr_find_scalars(const struct gr_tally *tally, struct gr_findings *findings)
{
    const double alpha = tally->rule.alpha, beta = tally->rule.beta;
    const bool no_product = alpha == 0 || tally->reference->problem.k == 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct pair pair = mistakes[i].of(alpha, beta);
        if ((pair.alpha == alpha && pair.beta == beta) || !explains(tally, pair))
            continue;
        gr_findings_add(findings, GR_FIND_WRONG_ELEMENT, 0, "%s",
                        no_product && pair.beta == 1 ? "C is unchanged: beta is not applied"
                                                     : mistakes[i].text);
        return;
    }
}
