/* fp_state.c: delays the traps of floating-point exceptions until a product is complete.
 * SPDX-License-Identifier: MIT
 *
 * A trap raises a signal, and the program's signal handler may leave the product with longjmp. If
 * this happened in the middle of a product, the other threads would continue to use memory that is
 * no longer valid, and a context would stay marked as in use. */
#include "cpu/fp_state.h"

struct gr_fp gr_fp_hold(void)
{
    const struct gr_fp before = gr_fp_get();
    if (gr_fp_traps(before.control))
        gr_fp_set((struct gr_fp){gr_fp_without_traps(before.control), 0});
    return before;
}

#if defined(__x86_64__)
/* Operands whose product or quotient raises an exception, in the order of the flags of MXCSR. */
static void raise_first(uint32_t flags)
{
    static const struct {
        float x, y;
        int divides;
    } cause[] = {{0, 0, 1},
                 {0x1p-140F, 1, 0},
                 {1, 0, 1},
                 {0x1p127F, 0x1p127F, 0},
                 {0x1.8p-120F, 0x1.8p-20F, 0},
                 {1, 3, 1}};
    const int i = __builtin_ctz(flags);
    volatile float x = cause[i].x, y = cause[i].y;
    x = cause[i].divides ? x / y : x * y;
}
#else
static void raise_first(uint32_t flags)
{
    (void)flags; /* most AArch64 CPUs have no traps; on the others, the exception is not raised
                    again */
}
#endif

void gr_fp_release(struct gr_fp before)
{
    const uint32_t traps = gr_fp_traps(before.control);
    if (!traps)
        return;
    const uint32_t raised = gr_fp_get().flags;
    gr_fp_set((struct gr_fp){before.control, before.flags | raised});
    if (raised & traps)
        raise_first(raised & traps);
}
