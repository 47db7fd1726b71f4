/* mirrored.c: kernels that write C in column-major order. Such a C is its transpose in row-major
 * order, and C^T = op(B)^T op(A)^T: what the kernel calls A, M and lda are B, N and ldb of a
 * problem whose C is row-major. So all other code handles a row-major C only.
 * SPDX-License-Identifier: MIT */
#include "catalog/variant.h"

enum gr_role gr_role_mirrored(enum gr_role role)
{
    switch (role) {
    case GR_ROLE_M:
        return GR_ROLE_N;
    case GR_ROLE_N:
        return GR_ROLE_M;
    case GR_ROLE_A:
        return GR_ROLE_B;
    case GR_ROLE_B:
        return GR_ROLE_A;
    case GR_ROLE_LDA:
        return GR_ROLE_LDB;
    case GR_ROLE_LDB:
        return GR_ROLE_LDA;
    default:
        return role;
    }
}

void gr_layout_mirror(struct gr_kernel *k)
{
    if (!k->col_major_c)
        return;
    bool a = k->col_major_a;
    k->col_major_a = k->col_major_b;
    k->col_major_b = a;
    k->mirrored = true;
    for (int i = 0; i < k->map_count; i++)
        k->maps[i].operand = k->maps[i].operand == 'A'   ? 'B'
                             : k->maps[i].operand == 'B' ? 'A'
                                                         : k->maps[i].operand;
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            p->role = gr_role_mirrored(p->role);
        }
}

struct gr_problem gr_kernel_problem(const struct gr_kernel *k, int64_t m, int64_t n, int64_t depth,
                                    bool trans_a, bool trans_b, struct gr_types types)
{
    /* A column-major matrix is its transpose stored in row-major order. */
    if (!k->mirrored)
        return gr_problem_dense(m, n, depth, trans_a != k->col_major_a, trans_b != k->col_major_b,
                                types);
    return gr_problem_dense(n, m, depth, trans_b == k->col_major_a, trans_a == k->col_major_b,
                            types);
}

struct gr_problem gr_kernel_shown(const struct gr_kernel *k, const struct gr_problem *problem)
{
    struct gr_problem shown = *problem;
    if (!k->mirrored)
        return shown;
    shown.m = problem->n;
    shown.n = problem->m;
    shown.lda = problem->ldb;
    shown.ldb = problem->lda;
    shown.trans_a = problem->trans_b == k->col_major_b;
    shown.trans_b = problem->trans_a == k->col_major_a;
    return shown;
}

void gr_kernel_trans(const struct gr_kernel *k, bool requested, bool *trans_a, bool *trans_b)
{
    int which = 0;
    if (requested || k->trans[2 * *trans_a + *trans_b])
        return;
    while (which < 3 && !k->trans[which])
        which++;
    *trans_a = which >= 2;
    *trans_b = which % 2;
}
