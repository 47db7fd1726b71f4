/* products.h: products of many shapes by a peer, each compared with a plain loop.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_PEER_PRODUCTS_H
#define TESTS_PEER_PRODUCTS_H

#include "base/cpuinfo.h"
#include "base/rng.h"
#include "check/check.h"
#include "check/element.h"
#include "records/problem.h"
#include "peer/peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Integers in all eight bits, or in seven where the processor has no instruction for products of
 * bytes (VNNI): oneDNN then adds pairs of them in 16 bits, which saturate, and its documentation
 * asks for such a range ("Nuances of int8 computations"). */
static double integer_reach(void)
{
    char *flags = gr_cpuinfo_value("flags");
    bool has_vnni = !flags || strstr(flags, "_vnni");
    free(flags);
    return has_vnni ? 128 : 64;
}

/* Elements outside the rows get `padding`, so that a library that takes a wrong leading dimension
 * is seen. */
static void *operand(const struct gr_problem *p, char which, double padding, struct gr_rng *rng)
{
    enum gr_dtype type = gr_problem_type(p, which);
    int64_t cols = gr_problem_cols(p, which), ld = gr_problem_ld(p, which);
    int64_t span = gr_problem_span(p, which);
    double reach = gr_dtype_eps(type) == 0 ? integer_reach() : 1;
    void *data = malloc((size_t)(span ? span : 1) * gr_dtype_bytes(type));
    for (int64_t i = 0; data && i < span; i++)
        gr_element_put(type, data, i, i % ld < cols ? reach * (2 * gr_rng_unit(rng) - 1) : padding);
    return data;
}

/* The number of elements of C, padding included, that are not what they should be. */
static int64_t count_wrong(const struct gr_problem *p, const void *a, const void *b, const void *c0,
                           const void *c)
{
    enum gr_dtype type = p->types.c;
    int64_t wrong = 0;
    for (int64_t i = 0; i < gr_problem_span(p, 'C'); i++) {
        int64_t row = i / p->ldc, col = i % p->ldc;
        if (col >= p->n) {
            wrong += gr_element(type, c, i) != gr_element(type, c0, i);
            continue;
        }
        double sum = 0, size = 0;
        for (int64_t k = 0; k < p->k; k++) {
            double x = gr_element(p->types.a, a, p->trans_a ? k * p->lda + row : row * p->lda + k);
            double y = gr_element(p->types.b, b, p->trans_b ? col * p->ldb + k : k * p->ldb + col);
            sum += x * y;
            size += fabs(x * y);
        }
        double old = p->beta == 0 ? 0 : p->beta * gr_element(type, c0, i);
        double limit = 16 * gr_dtype_eps(type) * (fabs(p->alpha) * size + fabs(old)) + 1e-300;
        double off = fabs(gr_element(type, c, i) - (p->alpha * sum + old));
        wrong += !(off <= limit);
    }
    return wrong;
}

/* Runs one product; returns the number of wrong elements, or -1 when the peer refuses it. */
static int64_t run_product(struct gr_peer *peer, const struct gr_problem *p)
{
    struct gr_rng rng = {(uint64_t)(p->m * 31 + p->n * 7 + p->k)};
    void *a = operand(p, 'A', 1e9, &rng), *b = operand(p, 'B', 1e9, &rng);
    void *c0 = operand(p, 'C', 7, &rng);
    size_t bytes = (size_t)gr_problem_span(p, 'C') * gr_dtype_bytes(p->types.c);
    void *c = malloc(bytes ? bytes : 1);
    int64_t wrong = -1;
    if (a && b && c0 && c) {
        for (size_t i = 0; i < bytes; i++)
            ((char *)c)[i] = ((char *)c0)[i];
        if (gr_peer_run(peer, p, a, b, c, NULL) == GRADUS_OK)
            wrong = count_wrong(p, a, b, c0, c);
    }
    free(a);
    free(b);
    free(c0);
    free(c);
    return wrong;
}

/* All shapes, transposes, types, tight and padded rows. Returns how many products had a wrong
 * element, and how many were made in *made. */
static inline int run_products(struct gr_peer *peer, int *made)
{
    static const int64_t shapes[][3] = {{1, 1, 1},    {3, 5, 7},    {16, 16, 16}, {17, 1, 33},
                                        {1, 64, 128}, {65, 63, 64}, {96, 97, 95}, {130, 200, 71}};
    static const double scales[][2] = {{1, 0}, {1.5, 0.5}, {-1, 1}};
    static const char *const words[] = {"f32", "f64", "bf16", "s8", "u8"};
    const struct gr_peer_kind *kind = gr_peer_kind_of(peer);
    int bad = 0;
    *made = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int choice = 0; choice < 4 * 5; choice++) {
            size_t scale = (s + (size_t)choice) % 3; /* each shape meets all of them */
            struct gr_types types;
            gr_types_parse(words[choice / 4], &types);
            if (!(gr_peer_about(peer)->types & gr_types_bit(types)))
                continue;
            struct gr_problem p = gr_problem_dense(shapes[s][0], shapes[s][1], shapes[s][2],
                                                   choice & 1, choice & 2, types);
            bool whole = gr_dtype_eps(types.acc) == 0;
            p.alpha = whole && scale == 1 ? 3 : scales[scale][0];
            p.beta = whole && scale == 1 ? -2 : scales[scale][1];
            if (scale > 0)
                p.lda += 3, p.ldb += 5, p.ldc += 2;
            int64_t wrong = run_product(peer, &p);
            ++*made;
            if (wrong == 0)
                continue;
            bad++;
            printf("%s: %lld wrong in %lldx%lldx%lld %s %s alpha %g beta %g\n", kind->name,
                   (long long)wrong, (long long)p.m, (long long)p.n, (long long)p.k,
                   gr_problem_trans(&p), gr_types_word(types), p.alpha, p.beta);
        }
    return bad;
}

#endif
