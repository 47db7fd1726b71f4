/* soak_bits.c: the same product by other calls. SPDX-License-Identifier: MIT */
#include "soak/soak_bits.h"

#include "cpu/cpu.h"
#include "cpu/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A product and the bits that it must have. */
struct bits {
    struct soak_problem *problem;
    char *first; /* C, as it was computed first */
    char *text;
};

static enum gradus_status multiply(const struct soak_problem *p, const struct gradus_gemm *g)
{
    return p->isa ? gr_cpu_gemm(g, p->isa, NULL) : gradus_gemm_run(g, NULL);
}

static bool is_same(const struct bits *b, const char *found, const char *how)
{
    const size_t bytes = (size_t)b->problem->c.bytes;
    snprintf(b->text, SOAK_TEXT, "other bits in C: %s", how);
    return memcmp(b->first, found, bytes) == 0;
}

static bool again(const struct bits *b, const struct gradus_gemm *g, const char *how)
{
    soak_restore(b->problem);
    snprintf(b->text, SOAK_TEXT, "refused: %s", how);
    return multiply(b->problem, g) == GRADUS_OK && is_same(b, b->problem->c.block, how);
}

/* The caller's own memory and threads are left out. */
static struct gradus_gemm with_threads(const struct bits *b, int threads)
{
    struct gradus_gemm g = b->problem->g;
    g.threads = threads;
    g.context = NULL, g.workspace = NULL, g.workspace_bytes = 0;
    return g;
}

static bool by_threads(const struct bits *b, int threads)
{
    char how[64];
    const struct gradus_gemm g = with_threads(b, threads);
    snprintf(how, sizeof how, "%d threads", threads);
    return again(b, &g, how);
}

static bool by_context(const struct bits *b)
{
    struct gradus_gemm g = with_threads(b, 0);
    g.context = b->problem->context;
    return again(b, &g, "a context");
}

static bool by_workspace(const struct bits *b)
{
    struct gradus_gemm g = with_threads(b, 2);
    const int64_t bytes = b->problem->isa ? 0 : gradus_gemm_workspace(&g, NULL);
    if (bytes <= 0)
        return true;
    g.workspace = malloc((size_t)bytes);
    g.workspace_bytes = bytes;
    if (!g.workspace)
        abort();
    const bool same = again(b, &g, "a workspace");
    free(g.workspace);
    return same;
}

static void point_at(struct gradus_gemm *g, const struct soak_problem *p, int64_t i)
{
    g->a_array = NULL, g->b_array = NULL, g->c_array = NULL;
    g->stride_a = g->stride_b = g->stride_c = 0;
    g->batch = 1;
    g->a = g->packed_a ? NULL : p->a_array[i];
    g->b = g->packed_b ? NULL : p->b_array[i];
    g->c = p->c_array[i];
}

/* The matrices of a batch one by one, and in the reverse order. */
static bool one_by_one(const struct bits *b)
{
    struct gradus_gemm g = with_threads(b, 1);
    soak_restore(b->problem);
    for (int64_t i = b->problem->batch - 1; i >= 0; i--) {
        point_at(&g, b->problem, i);
        if (multiply(b->problem, &g) != GRADUS_OK)
            abort();
    }
    return is_same(b, b->problem->c.block, "each matrix of the batch alone");
}

/* A product three times in a batch, twice with a C of its own. */
static bool in_a_batch(const struct bits *b)
{
    enum { COPIES = 3 };
    struct soak_problem *p = b->problem;
    struct gradus_gemm g = with_threads(b, 3);
    const size_t bytes = (size_t)p->c.bytes;
    char *second = malloc(bytes + 1), *third = malloc(bytes + 1);
    if (!second || !third)
        abort();
    memcpy(second, p->c_before, bytes);
    memcpy(third, p->c_before, bytes);
    const void *as[COPIES] = {p->a_array[0], p->a_array[0], p->a_array[0]};
    const void *bs[COPIES] = {p->b_array[0], p->b_array[0], p->b_array[0]};
    void *cs[COPIES] = {second, p->c.block, third};
    g.a_array = as, g.b_array = bs, g.c_array = cs;
    g.batch = COPIES;
    const bool same = again(b, &g, "in a batch") && is_same(b, second, "first of a batch") &&
                      is_same(b, third, "last of a batch");
    free(second), free(third);
    return same;
}

/* Dot products are the exception: packed operands are not multiplied in this way. So are products
 * in vectors where a packed operand would be multiplied in tile registers. */
static bool is_exception(const struct gradus_gemm *g)
{
    struct gr_product p;
    struct gr_dispatch dispatch = {0};
    if (gr_gemm_prepare(g, NULL, &p, NULL) != GRADUS_OK)
        abort();
    dispatch.ukr = p.ukr;
    p.driver->describe(&p, 1, &dispatch);
    return strcmp(dispatch.path, "dots") == 0 ||
           (dispatch.tail_path && strcmp(dispatch.tail_path, "dots") == 0) ||
           (dispatch.in_tiles && !dispatch.ukr->begin);
}

static bool by_packed(const struct bits *b, const struct gradus_gemm *unpacked, bool with_a,
                      bool with_b)
{
    struct gradus_gemm g = *unpacked;
    struct gradus_packed *a = NULL, *packed_b = NULL;
    const bool made = (!with_a || gradus_pack(unpacked, GRADUS_A, &a, NULL) == GRADUS_OK) &&
                      (!with_b || gradus_pack(unpacked, GRADUS_B, &packed_b, NULL) == GRADUS_OK);
    if (a)
        g.packed_a = a, g.a = NULL;
    if (packed_b)
        g.packed_b = packed_b, g.b = NULL;
    const bool same = !made || again(b, &g,
                                     with_a   ? with_b ? "A and B packed" : "A packed"
                                     : with_b ? "B packed"
                                              : "no operand packed");
    gradus_packed_free(a);
    gradus_packed_free(packed_b);
    return same;
}

/* `which` of the four combinations; 4: all. */
static bool packed_beforehand(const struct bits *b, uint64_t which)
{
    struct gradus_gemm g = with_threads(b, 1);
    g.packed_a = NULL, g.packed_b = NULL;
    point_at(&g, b->problem, 0);
    const bool empty = g.m == 0 || g.n == 0 || g.k == 0;
    if (b->problem->isa || b->problem->batch > 1 || empty || is_exception(&g))
        return true;
    for (uint64_t i = 0; i < 4; i++)
        if ((which == 4 || which == i) && !by_packed(b, &g, i & 1, i & 2))
            return false;
    return true;
}

/* Up to so many multiply-adds a product is cheap enough for every call. */
static const double ALL_PAY = 2e5;

static bool by_all(const struct bits *b)
{
    for (int threads = 1; threads <= 5; threads++)
        if (!by_threads(b, threads))
            return false;
    return by_context(b) && by_workspace(b) && packed_beforehand(b, 4) &&
           (b->problem->batch > 1 || b->problem->packed_a || b->problem->packed_b || in_a_batch(b));
}

/* Each number of threads, and each of the other calls, in its turn. */
static bool by_some(const struct bits *b, uint64_t number)
{
    if (!by_threads(b, (b->problem->g.threads + (int)(number % 4)) % 5 + 1))
        return false;
    switch (number / 4 % 4) {
    case 0:
        return by_context(b);
    case 1:
        return by_workspace(b);
    case 2:
        return b->problem->batch > 1 || b->problem->packed_a || b->problem->packed_b ||
               in_a_batch(b);
    default:
        return packed_beforehand(b, number / 16 % 4);
    }
}

bool soak_bits_same(struct soak_problem *p, uint64_t number, char text[SOAK_TEXT])
{
    const double work =
        (double)p->batch * (double)p->g.m * (double)p->g.n * (double)(p->g.k > 0 ? p->g.k : 1);
    struct bits b = {p, malloc((size_t)p->c.bytes + 1), text};
    if (!b.first)
        abort();
    memcpy(b.first, p->c.block, (size_t)p->c.bytes);
    const bool same =
        (work <= ALL_PAY ? by_all(&b) : by_some(&b, number)) && (p->batch == 1 || one_by_one(&b));
    free(b.first);
    return same;
}
