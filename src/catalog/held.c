/* held.c: sizes that a file fixes, by arrays of fixed extents or by constants.
 * SPDX-License-Identifier: MIT */
#include "catalog/held.h"

#include "base/str.h"
#include "catalog/variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The operand of the problem that the array is; 0: it has another role. */
static char operand_of(const struct gr_kernel *k, const struct gr_held_operand *held)
{
    for (int s = 0; s < k->stanza_count; s++) {
        const struct gr_signature *g = &k->stanzas[s].signature;
        for (int i = 0; g->name && strcmp(g->name, held->kernel) == 0 && i < g->count; i++) {
            const struct gr_parameter *p = &g->parameters[i];
            if (p->role >= GR_ROLE_A && p->role <= GR_ROLE_C &&
                strcmp(p->name, held->parameter) == 0)
                return "ABC"[p->role - GR_ROLE_A];
        }
    }
    return 0;
}

/* Does the kernel have a parameter for a size? If not, it computes with the sizes of its file. */
static bool is_told(const struct gr_kernel *k)
{
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            const enum gr_role role = k->stanzas[s].signature.parameters[i].role;
            if (role == GR_ROLE_M || role == GR_ROLE_N || role == GR_ROLE_K ||
                role == GR_ROLE_ARG || role == GR_ROLE_SIZE)
                return true;
        }
    return false;
}

static bool holds(const struct gr_held_operand *held, bool told, int64_t rows, int64_t columns,
                  int64_t ld)
{
    int64_t elements;
    if (held->rows) /* a row of the array is one of the matrix */
        return ld == held->columns && (told ? rows <= held->rows : rows == held->rows);
    if (__builtin_mul_overflow(rows, ld, &elements))
        return false;
    return told ? elements - ld + columns <= held->columns : elements == held->columns;
}

/* The dimensions (0: M, 1: N, 2: K) of the stored rows and columns of a row-major operand. */
static void dimensions_of(char operand, bool trans_a, bool trans_b, int *rows, int *columns)
{
    const bool swapped = (operand == 'A' && trans_a) || (operand == 'B' && trans_b);
    const int of_rows = operand == 'B' ? 2 : 0, of_columns = operand == 'A' ? 2 : 1;
    *rows = swapped ? of_columns : of_rows;
    *columns = swapped ? of_rows : of_columns;
}

/* The side of a square of `elements` elements; 0: there is none. */
static int64_t side_of(int64_t elements)
{
    int64_t side = 1;
    while (side * side < elements)
        side++;
    return side * side == elements ? side : 0;
}

/* Sets the dimensions that arrays of several extents have, then those that follow from the number
 * of elements of others. */
static void find_sizes(const struct gr_kernel *k, bool trans_a, bool trans_b, int64_t found[3])
{
    for (int pass = 0; pass < 4; pass++)
        for (int i = 0; i < k->held_count; i++) {
            const struct gr_held_operand *h = &k->held[i];
            const char operand = operand_of(k, h);
            int rows, columns;
            if (!operand)
                continue;
            dimensions_of(operand, trans_a, trans_b, &rows, &columns);
            int64_t *r = &found[rows], *c = &found[columns];
            if (h->rows && pass == 0) {
                *c = h->columns;
                *r = *r && *r < h->rows ? *r : h->rows;
            } else if (!h->rows && pass > 0 && *r && !*c && h->columns % *r == 0) {
                *c = h->columns / *r;
            } else if (!h->rows && pass > 0 && *c && !*r && h->columns % *c == 0) {
                *r = h->columns / *c;
            } else if (!h->rows && pass == 3 && !*r && !*c) {
                *r = *c = side_of(h->columns);
            }
        }
}

/* `trans_a` and `trans_b` are the problem's, and the sizes those of the kernel's own names. */
static bool sizes_of(const struct gr_kernel *k, bool trans_a, bool trans_b, int64_t size[3])
{
    int64_t found[3] = {0}, largest = 0;
    if (k->held_count == 0)
        return false;
    find_sizes(k, trans_a, trans_b, found);
    for (int d = 0; d < 3; d++)
        largest = found[d] > largest ? found[d] : largest;
    for (int d = 0; d < 3 && largest; d++)
        size[d] = found[d] ? found[d] : largest;
    if (k->mirrored && largest) { /* the sizes of the problem are those of its transpose */
        const int64_t m = size[0];
        size[0] = size[1];
        size[1] = m;
    }
    return largest > 0;
}

static bool is_fixed(const struct gr_kernel *k)
{
    return k->language == GR_LANGUAGE_CUDA && k->has_fixed_sizes;
}

/* A GPU kernel without size parameters computes with the sizes of its file. */
static bool admits_fixed(const struct gr_kernel *k, const struct gr_problem *problem,
                         char text[320])
{
    const struct gr_problem shown = gr_kernel_shown(k, problem);
    char name[64];
    if (!is_fixed(k) ||
        (shown.m == k->fixed[0] && shown.n == k->fixed[1] && shown.k == k->fixed[2]))
        return true;
    gr_size_name(k->fixed[0], k->fixed[1], k->fixed[2], name, sizeof name);
    snprintf(text, 320,
             "it is given none of M, N and K, and the constants of its file say %s; use --size %s, "
             "or change the file",
             name, name);
    return false;
}

bool gr_held_admits(const struct gr_kernel *k, const struct gr_problem *problem, char text[320])
{
    const bool told = is_told(k);
    if (!admits_fixed(k, problem, text))
        return false;
    for (int i = 0; i < k->held_count; i++) {
        const struct gr_held_operand *h = &k->held[i];
        const char operand = operand_of(k, h);
        if (!operand)
            continue;
        const int64_t rows = gr_problem_rows(problem, operand),
                      columns = gr_problem_cols(problem, operand);
        if (holds(h, told, rows, columns, gr_problem_ld(problem, operand)))
            continue;
        int64_t size[3] = {0};
        char extents[64], remedy[128] = "";
        if (h->rows)
            snprintf(extents, sizeof extents, "%" PRId64 "x%" PRId64, h->rows, h->columns);
        else
            snprintf(extents, sizeof extents, "%" PRId64, h->columns);
        if (sizes_of(k, problem->trans_a, problem->trans_b, size)) {
            char name[64];
            gr_size_name(size[0], size[1], size[2], name, sizeof name);
            snprintf(remedy, sizeof remedy, "; use --size %s, or change the array", name);
        }
        snprintf(text, 320,
                 "line %d has an array %.40s of %s elements, found a matrix of %" PRId64 "x%" PRId64
                 "%s",
                 h->line, h->variable, extents, rows, columns, remedy);
        return false;
    }
    return true;
}

bool gr_held_sizes(const struct gr_kernel *k, bool trans_a, bool trans_b, int64_t size[3])
{
    if (is_fixed(k) || k->fixed_by_trial) {
        memcpy(size, k->fixed, sizeof k->fixed);
        return true;
    }
    const struct gr_problem like =
        gr_kernel_problem(k, 1, 1, 1, trans_a, trans_b, gr_types_of(GR_F32));
    return sizes_of(k, like.trans_a, like.trans_b, size);
}
