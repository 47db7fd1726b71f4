/* pair.c: makes inputs and their reference. SPDX-License-Identifier: MIT */
#include "check/pair.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

uint64_t gr_operand_bytes(const struct gr_problem *problem, char operand)
{
    return (uint64_t)gr_problem_span(problem, operand) *
           gr_dtype_bytes(gr_problem_type(problem, operand));
}

/* Allocates an operand filled with canary, including the padding between its rows. */
static void *make_span(const struct gr_problem *problem, char operand)
{
    uint64_t bytes = gr_operand_bytes(problem, operand);
    void *span = malloc(bytes + 1);
    if (span)
        memset(span, GR_CANARY, bytes);
    return span;
}

static void fill(const struct gr_problem *p, char operand, enum gr_fill kind, uint64_t seed,
                 const void *input, void *span)
{
    int64_t rows = gr_problem_rows(p, operand), cols = gr_problem_cols(p, operand);
    int64_t ld = gr_problem_ld(p, operand);
    size_t element = gr_dtype_bytes(gr_problem_type(p, operand));
    if (!input) {
        gr_fill_matrix(kind, seed, gr_problem_type(p, operand), rows, cols, ld, span);
        return;
    }
    for (int64_t i = 0; i < rows && cols; i++)
        memcpy((char *)span + (size_t)(i * ld) * element,
               (const char *)input + (size_t)(i * cols) * element, (size_t)cols * element);
}

enum gradus_status gr_pair_make(const struct gr_problem *problem, enum gr_fill fill_kind,
                                uint64_t seed, const char *math, const struct gr_inputs *inputs,
                                int64_t full_limit, int threads, struct gr_pair *pair,
                                struct gradus_error *error)
{
    *pair = (struct gr_pair){.problem = *problem};
    pair->a = make_span(problem, 'A');
    pair->b = make_span(problem, 'B');
    pair->c0 = make_span(problem, 'C');
    if (!pair->a || !pair->b || !pair->c0) {
        gr_pair_free(pair);
        return gr_fail_memory(error, "a set of operands",
                              gr_operand_bytes(problem, 'A') + gr_operand_bytes(problem, 'B') +
                                  gr_operand_bytes(problem, 'C'));
    }
    fill(problem, 'A', fill_kind, 3 * seed, inputs ? inputs->a : NULL, pair->a);
    fill(problem, 'B', fill_kind, 3 * seed + 1, inputs ? inputs->b : NULL, pair->b);
    fill(problem, 'C', fill_kind, 3 * seed + 2, NULL, pair->c0);
    enum gradus_status status = gr_reference_make(problem, pair->a, pair->b, math, seed, full_limit,
                                                  threads, &pair->reference, error);
    if (status != GRADUS_OK)
        gr_pair_free(pair);
    return status;
}

static void copy_rows(const struct gr_problem *from, const struct gr_problem *to, char operand,
                      const void *source, void *target)
{
    const size_t element = gr_dtype_bytes(gr_problem_type(from, operand));
    const size_t row = (size_t)gr_problem_cols(from, operand) * element;
    const size_t step = (size_t)gr_problem_ld(from, operand) * element;
    const size_t new_step = (size_t)gr_problem_ld(to, operand) * element;
    for (size_t i = 0; i < (size_t)gr_problem_rows(from, operand) && row; i++)
        memcpy((char *)target + i * new_step, (const char *)source + i * step, row);
}

enum gradus_status gr_pair_with_ld(const struct gr_pair *from, const struct gr_problem *problem,
                                   struct gr_pair *pair, struct gradus_error *error)
{
    const void *const sources[] = {from->a, from->b, from->c0};
    *pair = (struct gr_pair){.problem = *problem};
    void **const targets[] = {&pair->a, &pair->b, &pair->c0};
    for (int i = 0; i < 3; i++) {
        const char operand = "ABC"[i];
        *targets[i] = make_span(problem, operand);
        if (!*targets[i]) {
            gr_pair_free(pair);
            return gr_fail_memory(error, "a set of operands", gr_operand_bytes(problem, operand));
        }
        copy_rows(&from->problem, problem, operand, sources[i], *targets[i]);
    }
    enum gradus_status status =
        gr_reference_with_ld(from->reference, problem, pair->a, pair->b, &pair->reference, error);
    if (status != GRADUS_OK)
        gr_pair_free(pair);
    return status;
}

void gr_pair_free(struct gr_pair *pair)
{
    gr_reference_free(pair->reference);
    free(pair->a);
    free(pair->b);
    free(pair->c0);
    *pair = (struct gr_pair){0};
}
