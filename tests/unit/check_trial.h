/* check_trial.h: small products for the tests of src/check. SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_CHECK_TRIAL_H
#define TESTS_UNIT_CHECK_TRIAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "check/check.h"
#include "check/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A product to check: operands, C before (c0) and after (c). Leading dimensions are padded by
 * `pad`. */
struct trial {
    struct gr_problem p;
    void *a, *b, *c0, *c;
    size_t c_bytes;
};

static inline void *filled(const struct gr_problem *p, char operand, enum gr_fill fill,
                           uint64_t seed)
{
    enum gr_dtype type = gr_problem_type(p, operand);
    size_t bytes = (size_t)(gr_problem_rows(p, operand) * gr_problem_ld(p, operand) + 1) *
                   gr_dtype_bytes(type);
    void *elements = malloc(bytes);
    assert_non_null(elements);
    memset(elements, 0xff, bytes); /* padding is NaN: nobody may read it */
    gr_fill_matrix(fill, seed, type, gr_problem_rows(p, operand), gr_problem_cols(p, operand),
                   gr_problem_ld(p, operand), elements);
    return elements;
}

static inline struct trial make(int64_t m, int64_t n, int64_t k, int trans, int64_t pad,
                                enum gr_dtype type, enum gr_fill fill)
{
    struct trial t = {
        gr_problem_dense(m, n, k, trans & 2, trans & 1, gr_types_of(type)), 0, 0, 0, 0, 0};
    t.p.lda += pad;
    t.p.ldb += 2 * pad;
    t.p.ldc += 3 * pad;
    t.a = filled(&t.p, 'A', fill, 1);
    t.b = filled(&t.p, 'B', fill, 2);
    t.c0 = filled(&t.p, 'C', fill, 3);
    t.c = filled(&t.p, 'C', fill, 3);
    t.c_bytes = (size_t)(t.p.m * t.p.ldc + 1) * gr_dtype_bytes(type);
    return t;
}

static inline void drop(struct trial *t)
{
    free(t->a);
    free(t->b);
    free(t->c0);
    free(t->c);
}

static inline double left(const struct trial *t, int64_t i, int64_t l)
{
    return gr_element(t->p.types.a, t->a, t->p.trans_a ? l * t->p.lda + i : i * t->p.lda + l);
}

static inline double right(const struct trial *t, int64_t l, int64_t j)
{
    return gr_element(t->p.types.b, t->b, t->p.trans_b ? j * t->p.ldb + l : l * t->p.ldb + j);
}

/* A right, plain kernel in the type's own arithmetic (f32 or f64), sums from first to last. */
static inline void multiply(struct trial *t, double alpha, double beta)
{
    for (int64_t i = 0; i < t->p.m; i++) {
        for (int64_t j = 0; j < t->p.n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < t->p.k; l++)
                sum =
                    gr_round_to(t->p.types.acc,
                                sum + gr_round_to(t->p.types.acc, left(t, i, l) * right(t, l, j)));
            int64_t at = i * t->p.ldc + j;
            double old = beta == 0 ? 0 : beta * gr_element(t->p.types.c, t->c0, at);
            gr_element_put(t->p.types.c, t->c, at, gr_round_to(t->p.types.acc, alpha * sum) + old);
        }
    }
}

static inline struct gr_reference *reference_of(const struct trial *t, int64_t full_limit)
{
    struct gr_reference *reference;
    struct gradus_error error = {0};
    assert_int_equal(
        gr_reference_make(&t->p, t->a, t->b, NULL, 7, full_limit, 2, &reference, &error),
        GRADUS_OK);
    return reference;
}

static inline struct gr_check judge(const struct gr_reference *r, const struct trial *t,
                                    double alpha, double beta, bool exact,
                                    struct gr_findings *findings)
{
    struct gr_check check;
    struct gradus_error error = {0};
    assert_int_equal(
        gr_check_result(r, alpha, beta, t->c0, t->c, t->c0, exact, &check, findings, &error),
        GRADUS_OK);
    return check;
}

#endif
