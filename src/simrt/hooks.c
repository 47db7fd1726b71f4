/* hooks.c: what g++ calls at every access of a function that it compiles with -fsanitize=thread. The thread sanitizer's
 * own run time is not linked; these are in its place. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

/* Neither an array, nor a gap beside one, nor a variable of the program, which lie below 4 GB: it is the host's. */
static bool is_of_host(uintptr_t address)
{
    return address - gr_shared_base() >= gr_shared_extent() && address > UINT32_MAX &&
           !gr_in_arena(address);
}

/* The store is not done: it would destroy what is there. */
static __attribute__((noinline)) void refuse(struct gr_record *record)
{
    struct gr_sm *sm = gr_sm;
    sm->tracer->spoiled = true;
    gr_wild_keep(sm->tracer, record, sm->current->linear, true);
    gr_sm_kill();
}

/* A thread's own stack is its local memory: registers, for what the machine keeps there. */
static inline __attribute__((always_inline)) void touch(const void *at, unsigned bytes,
                                                        unsigned access, const void *site)
{
    struct gr_hot *hot = &gr_hot;
    uintptr_t address = (uintptr_t)at;
    if (address - hot->stack < hot->stack_bytes)
        return;
    struct gr_record *r = hot->cursor++;
    r->address = address;
    r->code = gr_code_of(site);
    r->bytes = (uint8_t)bytes;
    r->access = (uint8_t)access;
    if (access == GR_ACCESS_STORE && __builtin_expect(is_of_host(address), 0))
        refuse(r);
    if (__builtin_expect(hot->cursor == hot->end, 0))
        gr_sm_yield(GR_FIBER_FULL);
}

void gr_trace_record(uintptr_t address, int bytes, int access, const void *site)
{
    touch((const void *)address, (unsigned)bytes, (unsigned)access, site);
}

/* A vector instruction needs its whole width aligned, here as on the GPU: it is told of before the host's own fault. */
static __attribute__((noinline)) void misaligned(uintptr_t address, unsigned bytes, unsigned access,
                                                 const void *site)
{
    struct gr_sm *sm = gr_sm;
    if (address - gr_hot.stack < gr_hot.stack_bytes)
        return;
    bool global = gr_in_arena(address);
    if (!global && address - gr_shared_base() >= gr_shared_extent())
        return; /* the host's own: the arguments of the launch */
    uint64_t at = global ? address : address - gr_shared_base();
    enum gr_space space = global ? GR_SPACE_GLOBAL : GR_SPACE_SHARED;
    const struct gr_array *array = gr_array_find(space, at, at + 1);
    const struct gr_fault_at fault = {.kind = GR_FAULT_ALIGNMENT,
                                      .code = gr_code_of(site),
                                      .thread = sm->current->linear,
                                      .other = -1,
                                      .writes = access == GR_ACCESS_STORE,
                                      .array = array ? array : gr_array_nearest(space, at),
                                      .address = at};
    gr_fault_report(sm->tracer, &fault);
    if (bytes < 16)
        return;
    sm->tracer->spoiled = true;
    gr_sm_kill();
}

#define HOOK(name, bytes, access)                                                                  \
    void name(void *at);                                                                           \
    void name(void *at)                                                                            \
    {                                                                                              \
        if ((bytes) > 1 && __builtin_expect((uintptr_t)at % (bytes) != 0, 0))                      \
            misaligned((uintptr_t)at, bytes, access, __builtin_return_address(0));                 \
        touch(at, bytes, access, __builtin_return_address(0));                                     \
    }
/* The source allows any address here (a packed type). */
#define HOOK_ANY(name, bytes, access)                                                              \
    void name(void *at);                                                                           \
    void name(void *at)                                                                            \
    {                                                                                              \
        touch(at, bytes, access, __builtin_return_address(0));                                     \
    }

HOOK(__tsan_read1, 1, GR_ACCESS_LOAD)
HOOK(__tsan_read2, 2, GR_ACCESS_LOAD)
HOOK(__tsan_read4, 4, GR_ACCESS_LOAD)
HOOK(__tsan_read8, 8, GR_ACCESS_LOAD)
HOOK(__tsan_read16, 16, GR_ACCESS_LOAD)
HOOK(__tsan_write1, 1, GR_ACCESS_STORE)
HOOK(__tsan_write2, 2, GR_ACCESS_STORE)
HOOK(__tsan_write4, 4, GR_ACCESS_STORE)
HOOK(__tsan_write8, 8, GR_ACCESS_STORE)
HOOK(__tsan_write16, 16, GR_ACCESS_STORE)
HOOK_ANY(__tsan_unaligned_read2, 2, GR_ACCESS_LOAD)
HOOK_ANY(__tsan_unaligned_read4, 4, GR_ACCESS_LOAD)
HOOK_ANY(__tsan_unaligned_read8, 8, GR_ACCESS_LOAD)
HOOK_ANY(__tsan_unaligned_read16, 16, GR_ACCESS_LOAD)
HOOK_ANY(__tsan_unaligned_write2, 2, GR_ACCESS_STORE)
HOOK_ANY(__tsan_unaligned_write4, 4, GR_ACCESS_STORE)
HOOK_ANY(__tsan_unaligned_write8, 8, GR_ACCESS_STORE)
HOOK_ANY(__tsan_unaligned_write16, 16, GR_ACCESS_STORE)

/* A structure as a whole moves in pieces of at most 16 bytes. */
static void range(char *at, long bytes, unsigned access, const void *site)
{
    while (bytes > 0) {
        unsigned piece = bytes >= 16 ? 16 : bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
        while ((uintptr_t)at % piece != 0)
            piece /= 2;
        touch(at, piece, access, site);
        at += piece;
        bytes -= piece;
    }
}

void __tsan_read_range(void *at, long bytes);
void __tsan_read_range(void *at, long bytes)
{
    range(at, bytes, GR_ACCESS_LOAD, __builtin_return_address(0));
}

void __tsan_write_range(void *at, long bytes);
void __tsan_write_range(void *at, long bytes)
{
    range(at, bytes, GR_ACCESS_STORE, __builtin_return_address(0));
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
