/* hooks.c: records every access of a traced kernel. The compiler calls these functions at each
 * access of a function that it compiles with -fsanitize=thread; they replace the thread sanitizer's
 * own run time. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <string.h>

/* Abandons the thread instead of executing the store, which would overwrite the host's own data. */
static __attribute__((noinline)) void refuse(struct gr_record *record)
{
    struct gr_sm *sm = gr_sm;
    sm->tracer->abandoned = true;
    gr_wild_keep(sm->tracer, record, sm->current->linear, true);
    gr_sm_kill();
}

/* Stops a store to the host's own memory, which is every address that is not in the arena of arrays
 * and gaps, nor below 4 GB, where the program's variables are. */
static inline void store_outside_shared(struct gr_hot *hot, struct gr_record *r)
{
    if (gr_in_arena(r->address))
        hot->stored = true;
    else if (__builtin_expect(r->address > UINT32_MAX, 0))
        refuse(r);
}

/* Records an access, unless it is to the thread's own stack: on a GPU that is registers or local
 * memory. */
static inline __attribute__((always_inline)) void
touch(const void *at, unsigned bytes, unsigned access, bool strong, const void *site)
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
    r->value = strong;
    if (access == GR_ACCESS_STORE && address - gr_shared_base() >= gr_shared_extent())
        store_outside_shared(hot, r);
    if (__builtin_expect(hot->cursor == hot->end, 0))
        gr_sm_yield(GR_FIBER_FULL);
}

void gr_trace_record(uintptr_t address, int bytes, int access, const void *site)
{
    touch((const void *)address, (unsigned)bytes, (unsigned)access, access == GR_ACCESS_ATOMIC,
          site);
}

/* The alignment of the address has been checked before (alignment.c). */
#define HOOK(name, bytes, access, strong)                                                          \
    void name(void *at);                                                                           \
    void name(void *at)                                                                            \
    {                                                                                              \
        touch(at, bytes, access, strong, __builtin_return_address(0));                             \
    }

HOOK(__tsan_read1, 1, GR_ACCESS_LOAD, false)
HOOK(__tsan_read2, 2, GR_ACCESS_LOAD, false)
HOOK(__tsan_read4, 4, GR_ACCESS_LOAD, false)
HOOK(__tsan_read8, 8, GR_ACCESS_LOAD, false)
HOOK(__tsan_read16, 16, GR_ACCESS_LOAD, false)
HOOK(__tsan_write1, 1, GR_ACCESS_STORE, false)
HOOK(__tsan_write2, 2, GR_ACCESS_STORE, false)
HOOK(__tsan_write4, 4, GR_ACCESS_STORE, false)
HOOK(__tsan_write8, 8, GR_ACCESS_STORE, false)
HOOK(__tsan_write16, 16, GR_ACCESS_STORE, false)
HOOK(__tsan_volatile_read1, 1, GR_ACCESS_LOAD, true)
HOOK(__tsan_volatile_read2, 2, GR_ACCESS_LOAD, true)
HOOK(__tsan_volatile_read4, 4, GR_ACCESS_LOAD, true)
HOOK(__tsan_volatile_read8, 8, GR_ACCESS_LOAD, true)
HOOK(__tsan_volatile_read16, 16, GR_ACCESS_LOAD, true)
HOOK(__tsan_volatile_write1, 1, GR_ACCESS_STORE, true)
HOOK(__tsan_volatile_write2, 2, GR_ACCESS_STORE, true)
HOOK(__tsan_volatile_write4, 4, GR_ACCESS_STORE, true)
HOOK(__tsan_volatile_write8, 8, GR_ACCESS_STORE, true)
HOOK(__tsan_volatile_write16, 16, GR_ACCESS_STORE, true)
HOOK(__tsan_unaligned_read2, 2, GR_ACCESS_LOAD, false)
HOOK(__tsan_unaligned_read4, 4, GR_ACCESS_LOAD, false)
HOOK(__tsan_unaligned_read8, 8, GR_ACCESS_LOAD, false)
HOOK(__tsan_unaligned_read16, 16, GR_ACCESS_LOAD, false)
HOOK(__tsan_unaligned_write2, 2, GR_ACCESS_STORE, false)
HOOK(__tsan_unaligned_write4, 4, GR_ACCESS_STORE, false)
HOOK(__tsan_unaligned_write8, 8, GR_ACCESS_STORE, false)
HOOK(__tsan_unaligned_write16, 16, GR_ACCESS_STORE, false)
HOOK(__tsan_unaligned_volatile_read2, 2, GR_ACCESS_LOAD, true)
HOOK(__tsan_unaligned_volatile_read4, 4, GR_ACCESS_LOAD, true)
HOOK(__tsan_unaligned_volatile_read8, 8, GR_ACCESS_LOAD, true)
HOOK(__tsan_unaligned_volatile_read16, 16, GR_ACCESS_LOAD, true)
HOOK(__tsan_unaligned_volatile_write2, 2, GR_ACCESS_STORE, true)
HOOK(__tsan_unaligned_volatile_write4, 4, GR_ACCESS_STORE, true)
HOOK(__tsan_unaligned_volatile_write8, 8, GR_ACCESS_STORE, true)
HOOK(__tsan_unaligned_volatile_write16, 16, GR_ACCESS_STORE, true)

/* Records an access to a whole structure as accesses of at most 16 bytes. */
static void range(char *at, long bytes, unsigned access, const void *site)
{
    while (bytes > 0) {
        unsigned piece = bytes >= 16 ? 16 : bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
        while ((uintptr_t)at % piece != 0)
            piece /= 2;
        touch(at, piece, access, false, site);
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

/* Records a memcpy, memmove or memset, whose calls sim/assembly.c has redirected to this file;
 * `from` is null for a memset. The compiler may also copy a structure by such a call, after the
 * hooks above have recorded it. */
static void copy(char *to, const char *from, size_t bytes, const void *site)
{
    const struct gr_sm *sm = gr_sm;
    const struct gr_record *last =
        sm && sm->current && gr_hot.cursor > sm->current->records ? &gr_hot.cursor[-1] : NULL;
    bool recorded = last && last->access == GR_ACCESS_STORE &&
                    last->address + last->bytes == (uintptr_t)to + bytes;
    if (recorded || bytes == 0)
        return;
    if (from)
        range((char *)(uintptr_t)from, (long)bytes, GR_ACCESS_LOAD, site);
    range(to, (long)bytes, GR_ACCESS_STORE, site);
}

void *gr_trace_memcpy(void *to, const void *from, size_t bytes);
void *gr_trace_memcpy(void *to, const void *from, size_t bytes)
{
    copy(to, from, bytes, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}

void *gr_trace_memmove(void *to, const void *from, size_t bytes);
void *gr_trace_memmove(void *to, const void *from, size_t bytes)
{
    copy(to, from, bytes, __builtin_return_address(0));
    return memmove(to, from, bytes);
}

void *gr_trace_memset(void *to, int byte, size_t bytes);
void *gr_trace_memset(void *to, int byte, size_t bytes)
{
    copy(to, NULL, bytes, __builtin_return_address(0));
    return memset(to, byte, bytes);
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
