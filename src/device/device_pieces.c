/* device_pieces.c: which kernels make pieces of B, and where. SPDX-License-Identifier: MIT */
#include "device/device_pieces.h"

#include "device/device_launch.h"

#include <string.h>

/* Kernels with a launch whose blocks along y make pieces of A first, as many as an `arg` says, and
 * then those of B. */
static const struct maker {
    const char *file;
    int launch; /* when it is launched, k is above 0 */
    int rows;   /* which of its `arg` values: blocks that make pieces of A */
    int work;   /* which of its `work` buffers gets those of B */
} makers[] = {{"21_accurate", 0, 1, 1}};

static const struct maker *maker_of(const struct gr_device_kernel *kernel)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].file, kernel->file) == 0)
            return &makers[i];
    return NULL;
}

void gr_device_use_left(const struct gr_device_kernel *kernel, const struct gr_device_given *given,
                        struct gr_device_plan *plan, uint64_t workspace,
                        struct gr_device_left *left)
{
    const struct maker *const maker = maker_of(kernel);
    const struct gr_device_left before = *left;
    *left = (struct gr_device_left){.kernel = NULL};
    if (!maker || given->k == 0 || given->batch > 1)
        return;
    *left = (struct gr_device_left){.kernel = kernel,
                                    .picked = plan->picked,
                                    .n = given->n,
                                    .k = given->k,
                                    .ldb = given->ldb,
                                    .trans_b = given->trans_b,
                                    .b = given->b,
                                    .pieces = workspace +
                                              (uint64_t)gr_device_work_offset(plan, maker->work)};
    if (before.kernel == left->kernel && before.picked == left->picked && before.n == left->n &&
        before.k == left->k && before.ldb == left->ldb && before.trans_b == left->trans_b &&
        before.b == left->b && before.pieces == left->pieces)
        plan->launches[maker->launch].grid[1] = plan->args[maker->rows];
}
