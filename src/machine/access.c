/* access.c: how instructions write the addresses of their accesses, and which memory these
 * addresses refer to. SPDX-License-Identifier: MIT */
#include "machine/access.h"

#include "machine/cluster_blocks.h"
#include "machine/lane_functions.h"

#include <string.h>

/* ---- Addresses as instructions write them. ---- */

static struct gr_source register_source(uint8_t number, bool uniform)
{
    bool none = number == GR_REGISTER_ZERO;
    uint32_t first = uniform ? GR_SLOT_UNIFORM : 0;
    return (struct gr_source){.slot = none ? GR_SLOT_ZERO : first + number};
}

void gr_access_address(struct gr_translation *t, int i, struct gr_step *s, int at,
                       enum gr_window window)
{
    static const char *const scales[] = {"X1", "X2", "X4", "X8", "X16", NULL};
    if (!gr_operand_is(t, i, GR_OPERAND_ADDRESS)) {
        gr_refuse(t, "operand %d is no address", i);
        return;
    }
    const struct gr_operand *o = &t->decoded->operand[i];
    const char *suffix = o->base_suffix;
    bool wide = window == GR_WINDOW_GLOBAL || window == GR_WINDOW_GENERIC;
    s->s[at] = register_source(o->base, false);
    s->s[at + 1] = register_source(o->uniform, true);
    s->value = o->value;
    if (wide)
        s->flags |= GR_ACCESS_WIDE;
    if (suffix && strcmp(suffix, "64") == 0)
        s->flags |= GR_ACCESS_PAIR;
    else if (suffix && strcmp(suffix, "U32") != 0) {
        int scale = 0;
        while (scales[scale] && strcmp(scales[scale], suffix) != 0)
            scale++;
        if (!scales[scale])
            gr_refuse(t, "an address with the suffix .%s", suffix);
        s->flags |= (uint32_t)scale << GR_ACCESS_SCALE;
    } else if (wide && !suffix && o->base != GR_REGISTER_ZERO) {
        s->flags |= GR_ACCESS_PAIR; /* the suffix .E alone: an address of 64 bits */
    }
}

int gr_access_width(struct gr_translation *t, struct gr_step *s)
{
    static const char *const widths[] = {"U8", "S8", "U16", "S16", "32", "64", "128", "256", NULL};
    static const int bytes[] = {1, 1, 2, 2, 4, 8, 16, 32};
    static const char *const hints[] = {
        "E",       "CONSTANT", "PRIVATE", "WEAK", "GPU", "SYS", "CTA",    "SM",
        "VC",      "EF",       "EL",      "LU",   "NA",  "EU",  "LTC64B", "LTC128B",
        "LTC256B", "ACCESS",   "U",       "ENL2", "CTG", NULL};
    static const char *const strong[] = {"STRONG", "MMIO", NULL};
    int width = gr_take_one(t, widths, 4);
    if (width == 1 || width == 3)
        s->flags |= GR_ACCESS_SIGNED;
    if (gr_take_one(t, strong, -1) >= 0)
        s->flags |= GR_ACCESS_STRONG;
    if (gr_take(t, "BYPASS"))
        s->flags |= GR_ACCESS_PAST_L1;
    while (gr_take_one(t, hints, -1) >= 0)
        ;
    s->bytes = (uint8_t)bytes[width];
    return s->bytes;
}

/* ---- The memory that addresses refer to. ---- */

struct finding {
    struct gr_warp *w;
    const struct gr_step *s;
    enum gr_access access;
    int bytes;
    const uint64_t *address;
    const uint8_t *kept; /* the number of bytes that each lane accesses; null: all of them */
};

static struct gr_machine_access describe(const struct finding *f, enum gr_space space,
                                         uint32_t lanes, const uint64_t *address)
{
    return (struct gr_machine_access){.warp = f->w,
                                      .step = f->w->pc,
                                      .access = f->access,
                                      .space = space,
                                      .bytes = f->bytes,
                                      .kept = f->kept,
                                      .active = lanes,
                                      .address = address,
                                      .stored =
                                          f->access == GR_ACCESS_STORE && space == GR_SPACE_GLOBAL
                                              ? gr_source_of(f->w, &f->s->s[2])
                                              : NULL,
                                      .strong = (f->s->flags & GR_ACCESS_STRONG) != 0,
                                      .past_l1 = (f->s->flags & GR_ACCESS_PAST_L1) != 0};
}

/* Reports an access that cannot be served to the watch. Without a watch, the launch ends. */
static void report(const struct finding *f, enum gr_space space, uint32_t lanes,
                   const uint64_t *address, bool misaligned)
{
    const struct gr_machine_watch *watch = f->w->block->watch;
    const struct gr_machine_access a = describe(f, space, lanes, address);
    const int lane = __builtin_ctz(lanes);
    if (watch && !misaligned && watch->outside)
        watch->outside(watch->state, &a, lanes);
    else if (watch && misaligned && watch->misaligned)
        watch->misaligned(watch->state, &a, lanes);
    else
        gr_block_fail(f->w, GR_BLOCK_FAILED,
                      "%s %s memory at 0x%llx by thread %d of block (%u,%u,%u), instruction 0x%x",
                      misaligned ? "a misaligned access to" : "an access outside of",
                      gr_space_name(space), (unsigned long long)address[lane],
                      f->w->number * GR_WARP_LANES + lane, f->w->block->index[0],
                      f->w->block->index[1], f->w->block->index[2], f->w->pc * GR_STEP_BYTES);
}

static void watch_access(const struct finding *f, enum gr_space space, bool local, uint32_t lanes,
                         const uint64_t *address)
{
    const struct gr_machine_watch *watch = f->w->block->watch;
    if (!watch || !watch->access || lanes == 0)
        return;
    struct gr_machine_access a = describe(f, space, lanes, address);
    a.is_local = local;
    watch->access(watch->state, &a);
}

/* The lanes whose address is not a multiple of the access's bytes. */
static uint32_t misaligned(const struct finding *f, uint32_t lanes)
{
    const uint64_t mask = (uint64_t)(f->bytes > 16 ? 16 : f->bytes) - 1;
    return f->w->block->program->lanes->strays(f->address, mask, 0, UINT64_MAX) & lanes;
}

static void put_places(unsigned char *base, const uint64_t *offset, uint32_t lanes,
                       struct gr_places *p)
{
    if (lanes == ~0u) {
        for (int i = 0; i < GR_WARP_LANES; i++)
            p->at[i] = (unsigned char *)((uintptr_t)base + offset[i]);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        p->at[i] = (unsigned char *)((uintptr_t)base + offset[i]);
    }
}

static uint32_t find_global(const struct finding *f, uint32_t lanes, struct gr_places *p)
{
    const struct gr_machine_memory *memory = f->w->block->memory;
    const struct gr_memory_range *range = NULL;
    uint32_t outside = 0, others = lanes;
    watch_access(f, GR_SPACE_GLOBAL, false, lanes, f->address);
    /* In most cases, all lanes are in the same range as the first one. */
    range = gr_memory_find(memory, f->address[__builtin_ctz(lanes)]);
    if (range && range->hi - range->lo >= (uint64_t)f->bytes)
        others &= f->w->block->program->lanes->strays(f->address, 0, range->lo,
                                                      range->hi - (uint64_t)f->bytes);
    put_places(NULL, f->address, lanes, p);
    for (uint32_t left = others; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint64_t a = f->address[i];
        if (!range || a < range->lo || a >= range->hi)
            range = gr_memory_find(memory, a);
        if (!range || range->hi - a < (uint64_t)(f->kept ? f->kept[i] : f->bytes))
            outside |= 1u << i;
    }
    if (outside)
        report(f, GR_SPACE_GLOBAL, outside, f->address, false);
    return lanes & ~outside;
}

/* Finds the access in the block's own shared memory. `bits` are those bits of an address that are
 * the offset. */
static uint32_t find_shared(const struct finding *f, uint32_t lanes, uint32_t bits,
                            struct gr_places *p)
{
    struct gr_block *b = f->w->block;
    uint64_t offset[GR_WARP_LANES];
    uint32_t outside = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        offset[i] = f->address[i] & bits;
    watch_access(f, GR_SPACE_SHARED, false, lanes, offset);
    put_places(b->shared, offset, lanes, p);
    outside = b->shared_bytes < f->bytes
                  ? lanes
                  : lanes & b->program->lanes->strays(offset, 0, 0,
                                                      (uint64_t)(b->shared_bytes - f->bytes));
    if (outside)
        report(f, GR_SPACE_SHARED, outside, offset, false);
    return lanes & ~outside;
}

/* Finds the access in the shared memory of the blocks of a cluster. Accesses to other blocks are
 * not counted, but what is written to those blocks is reported to their watches. */
static uint32_t find_in_cluster(const struct finding *f, uint32_t lanes, bool generic,
                                struct gr_places *p)
{
    struct gr_block *own = f->w->block;
    uint32_t others = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        uint32_t offset;
        struct gr_block *b = gr_cluster_find(f->w, (uint32_t)f->address[i], &offset);
        if (!b || (b != own && !generic && !gr_cluster_own(f->w, (uint32_t)f->address[i], &offset)))
            return 0;
        if (b == own)
            continue;
        others |= 1u << i;
        if (offset + (uint64_t)f->bytes > (uint64_t)b->shared_bytes) {
            gr_block_fail(f->w, GR_BLOCK_FAILED,
                          "an access outside of the shared memory of block %d of the cluster, at "
                          "0x%x, instruction 0x%x",
                          b->rank, offset, f->w->pc * GR_STEP_BYTES);
            return 0;
        }
        p->at[i] = b->shared + offset;
        if (b->watch && b->watch->reached && f->access != GR_ACCESS_STORE)
            b->watch->reached(b->watch->state, offset, (uint32_t)f->bytes, false);
        if (b->watch && b->watch->reached && f->access != GR_ACCESS_LOAD)
            b->watch->reached(b->watch->state, offset, (uint32_t)f->bytes, true);
    }
    return others;
}

static uint32_t find_local(const struct finding *f, uint32_t lanes, struct gr_places *p)
{
    struct gr_block *b = f->w->block;
    const uint64_t bytes = (uint64_t)b->program->local_bytes;
    uint64_t offset[GR_WARP_LANES];
    uint32_t outside = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        offset[i] = f->address[i] & 0xffffffff;
    watch_access(f, GR_SPACE_OTHER, true, lanes, offset);
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        uint64_t word = offset[i] / 4 * GR_WARP_LANES + (uint64_t)i;
        if (offset[i] + (uint64_t)f->bytes <= bytes)
            p->at[i] = b->local + (uint64_t)f->w->number * bytes * GR_WARP_LANES + word * 4 +
                       offset[i] % 4;
        else
            outside |= 1u << i;
    }
    p->local |= lanes & ~outside;
    if (outside) /* the recursion is too deep for the stack, and might never end if the launch did
                    not */
        gr_block_fail(f->w, GR_BLOCK_FAILED,
                      "an access beyond the %llu bytes of local memory (its stack) of a thread, "
                      "instruction 0x%x",
                      (unsigned long long)bytes, f->w->pc * GR_STEP_BYTES);
    return lanes & ~outside;
}

/* Returns the lanes whose generic address is in this window. */
static uint32_t in_window(const struct finding *f, uint32_t lanes, uint64_t window)
{
    uint32_t in = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (f->address[__builtin_ctz(left)] >> 32 == window >> 32)
            in |= left & -left;
    return in;
}

/* Handles the usual case in one pass: all lanes are aligned, and all are in shared memory or in one
 * range of global memory. Returns false, and reports nothing, in all other cases. */
static bool find_at_once(const struct finding *f, bool shared, uint32_t lanes, struct gr_places *p)
{
    const struct gr_block *b = f->w->block;
    if (shared && b->cluster->count > 1)
        return false;
    const struct gr_lane_functions *functions = b->program->lanes;
    const uint64_t odd = (uint64_t)(f->bytes > 16 ? 16 : f->bytes) - 1, bytes = (uint64_t)f->bytes;
    const struct gr_memory_range all = {0, (uint64_t)b->shared_bytes};
    const struct gr_memory_range *range =
        shared ? &all : gr_memory_find(b->memory, f->address[__builtin_ctz(lanes)]);
    if (!range || range->hi - range->lo < bytes)
        return false;
    if (functions->places(f->address, odd, range->lo, range->hi - bytes, shared ? b->shared : NULL,
                          p->at) &
        lanes)
        return false;
    watch_access(f, shared ? GR_SPACE_SHARED : GR_SPACE_GLOBAL, false, lanes, f->address);
    return true;
}

uint32_t gr_access_find(struct gr_warp *w, const struct gr_step *s, int at, enum gr_window window,
                        enum gr_access access, int bytes, uint32_t active, struct gr_places *p)
{
    uint64_t address[GR_WARP_LANES];
    const struct finding f = {w, s, access, bytes, address, NULL};
    w->block->program->lanes->addresses(w, s, at, address);
    p->local = 0;
    if ((window == GR_WINDOW_SHARED || window == GR_WINDOW_GLOBAL) &&
        find_at_once(&f, window == GR_WINDOW_SHARED, active, p))
        return active;
    uint32_t wrong = misaligned(&f, active);
    if (wrong) {
        report(&f, window == GR_WINDOW_SHARED ? GR_SPACE_SHARED : GR_SPACE_GLOBAL, wrong, address,
               true);
        active &= ~wrong;
    }
    uint32_t shared = window == GR_WINDOW_SHARED ? active : 0;
    uint32_t local = window == GR_WINDOW_LOCAL ? active : 0;
    if (window == GR_WINDOW_GENERIC) {
        shared = in_window(&f, active, GR_SHARED_WINDOW);
        local = in_window(&f, active & ~shared, GR_LOCAL_WINDOW);
    }
    const uint32_t global = active & ~shared & ~local;
    uint32_t served = 0;
    if (global)
        served |= find_global(&f, global, p);
    if (shared && w->block->cluster->count == 1) {
        served |= find_shared(&f, shared, ~0u, p);
    } else if (shared) {
        served |= find_in_cluster(&f, shared, window == GR_WINDOW_GENERIC, p);
        if ((shared & ~served) && w->block->status == GR_BLOCK_RUNS)
            served |= find_shared(&f, shared & ~served, (1u << GR_CLUSTER_RANK_BIT) - 1, p);
    }
    if (local)
        served |= find_local(&f, local, p);
    return served;
}

uint32_t gr_access_find_filled(struct gr_warp *w, const struct gr_step *s, int at, int bytes,
                               uint32_t active, struct gr_places *p, uint8_t kept[GR_WARP_LANES])
{
    uint64_t address[GR_WARP_LANES];
    const struct finding f = {w, s, GR_ACCESS_COPY, bytes, address, kept};
    w->block->program->lanes->addresses(w, s, at, address);
    p->local = 0;
    for (int i = 0; i < GR_WARP_LANES; i++) {
        const unsigned zeros = (unsigned)address[i] & (unsigned)(bytes - 1);
        address[i] -= zeros;
        kept[i] = (uint8_t)((unsigned)bytes - zeros);
    }
    return find_global(&f, active, p);
}

uint32_t gr_access_global(const struct gr_warp *w, const struct gr_step *s, int at, uint32_t active)
{
    uint64_t address[GR_WARP_LANES];
    const struct finding f = {.address = address};
    w->block->program->lanes->addresses(w, s, at, address);
    return active & ~in_window(&f, active, GR_SHARED_WINDOW) &
           ~in_window(&f, active, GR_LOCAL_WINDOW);
}
