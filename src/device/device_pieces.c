/* device_pieces.c: which kernels split A and B into pieces, and where these are.
 * SPDX-License-Identifier: MIT */
#include "device/device_pieces.h"

#include <string.h>

/* Kernels with a launch that splits both operands: along y, as many blocks as an `arg` says make
 * the pieces of A, and the blocks after these make those of B. None of their `work` buffers may
 * need to be set to zero. */
static const struct maker {
    const char *file;
    int launch; /* index in the plan; there is such a launch if k > 0 */
    int rows;   /* index of the `arg`: blocks that make pieces of A */
    int a, b;   /* indices of the `work` buffers for the pieces */
} makers[] = {{"21_accurate", 0, 1, 0, 1}};

static const struct maker *maker_of(const struct gr_device_kernel *kernel)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].file, kernel->file) == 0)
            return &makers[i];
    return NULL;
}

/* Describes what a product leaves; {0} if it makes no pieces. */
static struct gr_device_left left_by(const struct gr_device_kernel *kernel,
                                     const struct gr_device_given *given,
                                     const struct gr_device_plan *plan,
                                     const struct gr_device_works *works)
{
    const struct maker *const maker = maker_of(kernel);
    if (!maker || given->k == 0 || given->batch > 1)
        return (struct gr_device_left){.kernel = NULL};
    return (struct gr_device_left){.kernel = kernel,
                                   .picked = plan->picked,
                                   .n = given->n,
                                   .k = given->k,
                                   .ldb = given->ldb,
                                   .trans_b = given->trans_b,
                                   .b = given->b,
                                   .pieces = works->at[maker->b],
                                   .pieces_of_a = works->at[maker->a]};
}

static bool same_b(const struct gr_device_left *before, const struct gr_device_left *left)
{
    return left->kernel && before->kernel == left->kernel && before->picked == left->picked &&
           before->n == left->n && before->k == left->k && before->ldb == left->ldb &&
           before->trans_b == left->trans_b && before->b == left->b &&
           before->pieces == left->pieces;
}

static bool same_a(const struct gr_device_ahead *ahead, const struct gr_device_given *given)
{
    return ahead->pieces && ahead->a == given->a && ahead->m == given->m &&
           ahead->lda == given->lda && ahead->trans_a == given->trans_a;
}

static void leave_out(struct gr_device_plan *plan, int launch)
{
    plan->launch_count--;
    for (int i = launch; i < plan->launch_count; i++)
        plan->launches[i] = plan->launches[i + 1];
}

void gr_device_use_left(const struct gr_device_kernel *kernel, const struct gr_device_given *given,
                        struct gr_device_plan *plan, struct gr_device_works *works,
                        struct gr_device_left *left)
{
    const struct maker *const maker = maker_of(kernel);
    const struct gr_device_left before = *left;
    *left = left_by(kernel, given, plan, works);
    if (!same_b(&before, left))
        return;
    if (same_a(&before.ahead, given)) {
        left->pieces_of_a = works->at[maker->a] = before.ahead.pieces;
        leave_out(plan, maker->launch);
        return;
    }
    plan->launches[maker->launch].grid[1] = plan->args[maker->rows];
}

int64_t gr_device_pieces_bytes(const struct gr_device_kernel *kernel,
                               const struct gr_device_plan *plan)
{
    const struct maker *const maker = maker_of(kernel);
    return maker ? plan->work_bytes[maker->a] : 0;
}

bool gr_device_make_ahead(const struct gr_device_kernel *kernel,
                          const struct gr_device_given *given, uint64_t spare, int64_t spare_bytes,
                          struct gr_device_plan *plan, struct gr_device_works *works,
                          struct gr_device_left *left)
{
    const struct maker *const maker = maker_of(kernel);
    const struct gr_device_left next = left_by(kernel, given, plan, works);
    if (!same_b(left, &next))
        return false;
    const bool own_is_read = left->pieces_of_a == next.pieces_of_a;
    if (own_is_read && plan->work_bytes[maker->a] > spare_bytes)
        return false;
    if (own_is_read)
        works->at[maker->a] = spare;
    plan->launches[0] = plan->launches[maker->launch];
    plan->launches[0].grid[1] = plan->args[maker->rows];
    plan->launch_count = 1;
    left->ahead = (struct gr_device_ahead){.pieces = works->at[maker->a],
                                           .a = given->a,
                                           .m = given->m,
                                           .lda = given->lda,
                                           .trans_a = given->trans_a};
    return true;
}
