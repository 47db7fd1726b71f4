/* alignment.c: finds misaligned accesses, at which a GPU stops with an error.
 * SPDX-License-Identifier: MIT
 *
 * The compiler checks each access of the source against the alignment of its type
 * (-fsanitize=alignment), before it splits vectors or merges scalars. Where the shim accesses
 * memory for its caller, the shim makes the check. */
#include "simrt/tracer.h"

#include <stdio.h>
#include <string.h>

/* The layout in which the compiler describes an access to the handler. */
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

/* Kinds of checks. BINDS and MEMBER are for binding a reference and calling a member function; the
 * access that follows is checked separately. */
enum { LOADS, STORES, BINDS, MEMBER };

void gr_alignment_fault(uintptr_t address, unsigned alignment, bool writes, const void *site)
{
    /* From this alignment on, the host's instructions fault too. */
    const unsigned fatal = 16;
    struct gr_sm *sm = gr_sm;
    bool global = gr_in_arena(address);
    uint64_t at = global ? address : address - gr_shared_base();
    if (!global && at >= gr_shared_extent())
        return; /* memory of the host: the launch's arguments, or a thread's stack */
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

/* A thread's local arrays are not checked: on a GPU they are registers or local memory. */
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

/* A fast launch ends with a message that has the line and the type. A traced one reports a finding,
 * which has the array too. */
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
    bool ours = strstr(m->at.file, "/sim/include-") !=
                NULL; /* in the shim: not a line of the user's source */
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

/* clang also checks the alignment that __builtin_assume_aligned promises; with other compilers only
 * the shim does. */
HANDLER void __ubsan_handle_alignment_assumption(void *data, uintptr_t address, uintptr_t alignment,
                                                 uintptr_t offset);
void __ubsan_handle_alignment_assumption(void *data, uintptr_t address, uintptr_t alignment,
                                         uintptr_t offset)
{
    (void)data;
    gr_alignment_check(address - offset, (unsigned)alignment, false, __builtin_return_address(0));
}
