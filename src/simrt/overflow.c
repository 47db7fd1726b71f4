/* overflow.c: records overflows of signed integers. The compiler calls these functions where a sum,
 * a difference or a product overflows in code that it compiles with
 * -fsanitize=signed-integer-overflow; they replace the sanitizer's own run time. They record the
 * place and the operands, and the kernel continues with the lowest bits of the result, as on a GPU.
 * SPDX-License-Identifier: MIT */
#include "simrt/overflow.h"

#include "simrt/arrays.h"

#include <stdlib.h>
#include <string.h>

/* The structures that the compiler passes to the handlers. */
struct source_place {
    const char *file;
    uint32_t line, column;
};

struct integer_type {
    uint16_t kind, info; /* info: bit 0: signed; above: the number of bits, as a power of two */
    char name[];
};

struct place {
    struct source_place at;
    const struct integer_type *type;
};

static struct {
    struct gr_trace_fault *faults;
    int *count;
    int most;
} noted;

/* Keeps the end of a path that is too long. */
static void name_file(const char *path, char file[128])
{
    size_t length = strlen(path);
    const char *from = length < 128 ? path : path + length - 127;
    memcpy(file, from, strlen(from) + 1);
}

static void fill(const struct place *p, char operation, int64_t left, int64_t right,
                 struct gr_trace_fault *f)
{
    const struct gr_sm *sm = gr_sm;
    const struct gr_sim_index b = sm->block, t = sm->current->index;
    *f = (struct gr_trace_fault){.kind = GR_FIND_OVERFLOW,
                                 .line = (int)p->at.line,
                                 .column = (int)p->at.column,
                                 .operation = operation,
                                 .left = left,
                                 .right = right,
                                 .bits = 1 << (p->type->info >> 1)};
    name_file(p->at.file, f->file);
    memcpy(f->block, (int[]){(int)b.x, (int)b.y, (int)b.z}, sizeof f->block);
    memcpy(f->thread, (int[]){(int)t.x, (int)t.y, (int)t.z}, sizeof f->thread);
}

/* Records an overflow; the copies that the compiler made of one operation are one place. */
static void note(const struct place *p, char operation, uintptr_t left, uintptr_t right)
{
    struct gr_trace_fault fault;
    bool narrow = 1 << (p->type->info >> 1) <= 32;
    if (!noted.faults || !gr_sm || !gr_sm->current)
        return;
    fill(p, operation, narrow ? (int32_t)left : (int64_t)left,
         narrow ? (int32_t)right : (int64_t)right, &fault);
    for (int i = 0; i < *noted.count; i++) {
        struct gr_trace_fault *f = &noted.faults[i];
        if (f->line == fault.line && f->column == fault.column && f->operation == operation &&
            strcmp(f->file, fault.file) == 0) {
            f->count++;
            return;
        }
    }
    fault.count = 1;
    if (*noted.count < noted.most)
        noted.faults[(*noted.count)++] = fault;
}

#define HANDLER(name, operation)                                                                   \
    void name(struct place *place, uintptr_t left, uintptr_t right);                               \
    void name(struct place *place, uintptr_t left, uintptr_t right)                                \
    {                                                                                              \
        note(place, operation, left, right);                                                       \
    }
HANDLER(__ubsan_handle_add_overflow, '+')
HANDLER(__ubsan_handle_sub_overflow, '-')
HANDLER(__ubsan_handle_mul_overflow, '*')

void __ubsan_handle_negate_overflow(struct place *place, uintptr_t value);
void __ubsan_handle_negate_overflow(struct place *place, uintptr_t value)
{
    note(place, '-', 0, value);
}

/* A division that overflows or is by zero raises a signal of the processor (kernel_signals.c). */
void __ubsan_handle_divrem_overflow(struct place *place, uintptr_t left, uintptr_t right);
void __ubsan_handle_divrem_overflow(struct place *place, uintptr_t left, uintptr_t right)
{
    (void)place;
    (void)left;
    (void)right;
}

/* ---- The blocks at the corners: the largest indices are in one of them. ---- */

static int64_t corner(const struct gr_sim_launch *l, int which)
{
    int64_t at[3];
    for (int i = 0; i < 3; i++)
        at[i] = which >> i & 1 ? 0 : (int64_t)l->grid[i] - 1;
    return at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]);
}

/* Is the corner another block than those before it? If the grid is one block wide along an axis,
 * both ends are the same block. */
static bool is_another(const struct gr_sim_launch *l, int which)
{
    for (int i = 0; i < 3; i++)
        if (which >> i & 1 && l->grid[i] == 1)
            return false;
    return true;
}

bool gr_overflow_run(const struct gr_sim_launch *launch, bool last_only,
                     struct gr_trace_fault *faults, int *count, int most,
                     struct gr_sim_outcome *outcome)
{
    struct gr_sm *sm = aligned_alloc(_Alignof(struct gr_sm), sizeof *sm);
    bool opened = sm && gr_sm_open(sm, launch, NULL);
    gr_kernel_signals_catch();
    noted.faults = faults;
    noted.count = count;
    noted.most = most;
    for (int which = 0; which < (last_only ? 1 : 8) && opened && outcome->status == GR_SIM_DONE;
         which++)
        if (is_another(launch, which)) {
            gr_sm_run_block(sm, corner(launch, which));
            *outcome = sm->outcome;
        }
    noted.faults = NULL;
    if (opened)
        gr_sm_close(sm);
    free(sm);
    return opened;
}
