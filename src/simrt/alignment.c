/* alignment.c: accesses at addresses that their type cannot have, where a GPU stops.
 * SPDX-License-Identifier: MIT
 *
 * The compiler checks each access of the source against the alignment of its type
 * (-fsanitize=alignment), before it takes vectors apart or puts scalars together; the shim does
 * where it touches memory for its caller. */
#include "simrt/tracer.h"

#include <stdio.h>
#include <string.h>

/* As the compiler lays it out for the handler. */
struct mismatch {
    struct {
        const char *file;
        uint32_t line, column;
    } at;
    const struct {
        uint16_t kind, info;
        char name[]; /* "'const float4'" */
    } * type;
    unsigned char log_alignment, access;
};

/* Others bind a reference or call a member: what is touched then is checked by itself. */
enum { LOADS, STORES, BINDS, MEMBER };

void gr_alignment_fault(uintptr_t address, unsigned alignment, bool writes, const void *site)
{
    /* From here on the host's own instructions stop too. */
    const unsigned fatal = 16;
    struct gr_sm *sm = gr_sm;
    bool global = gr_in_arena(address);
    uint64_t at = global ? address : address - gr_shared_base();
    if (!global && at >= gr_shared_extent())
        return; /* the host's own: the arguments of the launch, a thread's stack */
    enum gr_space space = global ? GR_SPACE_GLOBAL : GR_SPACE_SHARED;
    const struct gr_array *array = gr_array_find(space, at, at + 1);
    const struct gr_fault_at fault = {.kind = GR_FIND_ALIGNMENT,
                                      .code = gr_code_of(site),
                                      .thread = sm->current->linear,
                                      .other = -1,
                                      .writes = writes,
                                      .array = array ? array : gr_array_nearest(space, at),
                                      .address = at};
    gr_fault_report(sm->tracer, &fault);
    if (alignment < fatal)
        return;
    sm->tracer->abandoned = true;
    gr_sm_kill();
}

/* A thread's own arrays are registers, for all that the machine minds. */
static bool is_own(uintptr_t address)
{
    return address - gr_sm->stacks < gr_sm->stacks_bytes;
}

void gr_alignment_check(uintptr_t address, unsigned alignment, bool writes, const void *site)
{
    if (address % alignment == 0 || !gr_sm || is_own(address))
        return;
    if (gr_sm->tracer) {
        gr_alignment_fault(address, alignment, writes, site);
        return;
    }
    char text[96];
    snprintf(text, sizeof text, "misaligned address: one that must be a multiple of %u is not",
             alignment);
    gr_sim_fail(text, site);
}

/* The worker tells of a fast launch by line and type, and ends it; in a traced one the array is
 * told too. */
static void mismatched(const struct mismatch *m, uintptr_t address, const void *site)
{
    unsigned alignment = 1u << m->log_alignment;
    bool touches = m->access == LOADS || m->access == STORES || m->access == MEMBER;
    if (!touches || !gr_sm || is_own(address) || address % alignment == 0)
        return;
    if (gr_sm->tracer) {
        gr_alignment_fault(address, alignment, m->access == STORES, site);
        return;
    }
    bool ours =
        strstr(m->at.file, "/sim/include-") != NULL; /* of the shim: no line of the user's */
    char text[150], line[24] = "";
    if (!ours)
        snprintf(line, sizeof line, ", line %u", m->at.line);
    snprintf(text, sizeof text, "misaligned address%s: %.60s at one that is no multiple of %u",
             line, m->type->name, alignment);
    gr_sim_fail(text, site);
}

#define HANDLER __attribute__((visibility("default")))

HANDLER void __ubsan_handle_type_mismatch_v1(const struct mismatch *m, uintptr_t address);
void __ubsan_handle_type_mismatch_v1(const struct mismatch *m, uintptr_t address)
{
    mismatched(m, address, __builtin_return_address(0));
}

/* clang checks what __builtin_assume_aligned promises; the shim has done so before. */
HANDLER void __ubsan_handle_alignment_assumption(void *data, uintptr_t address, uintptr_t alignment,
                                                 uintptr_t offset);
void __ubsan_handle_alignment_assumption(void *data, uintptr_t address, uintptr_t alignment,
                                         uintptr_t offset)
{
    (void)data;
    gr_alignment_check(address - offset, (unsigned)alignment, false, __builtin_return_address(0));
}
