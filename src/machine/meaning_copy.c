/* meaning_copy.c: bulk copies, by address and by tensor map, and reducing ones: UBLKCP, UBLKRED,
 * UTMALDG, UTMASTG, UTMAREDG; their groups; prefetches, which have no effect here; asynchronous
 * stores of registers: STAS, REDAS. SPDX-License-Identifier: MIT */
#include "machine/async_forms.h"
#include "machine/cluster_blocks.h"
#include "machine/flights.h"
#include "machine/meaning.h"

#include <string.h>

static uint32_t word_of(const struct gr_warp *w, unsigned slot, int which)
{
    return slot == GR_SLOT_ZERO ? 0 : w->v[slot + (unsigned)which][0];
}

static uint64_t pair_of(const struct gr_warp *w, unsigned slot)
{
    return word_of(w, slot, 0) | (uint64_t)word_of(w, slot, 1) << 32;
}

/* Reads the tensor map at a generic address, which is in a parameter or in global memory. */
static bool read_map(struct gr_warp *w, uint64_t address, struct gr_tensor_map *map)
{
    const struct gr_program *p = w->block->program;
    const uint64_t bank = (uintptr_t)p->bank[0];
    const struct gr_memory_range *r = gr_memory_find(w->block->memory, address);
    bool inside =
        (r && r->hi - address >= GR_TENSOR_MAP_BYTES) ||
        (address >= bank && address + GR_TENSOR_MAP_BYTES <= bank + (uint64_t)p->bank_bytes[0]);
    if (inside && address % 64 == 0 && gr_tensor_map_read((const uint8_t *)(uintptr_t)address, map))
        return true;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "there is no tensor map in tiled mode at 0x%llx, instruction 0x%x",
                  (unsigned long long)address, w->pc * GR_STEP_BYTES);
    return false;
}

/* Issues a copy to each block of the mask, at the same offsets in its shared memory. */
static void begin_all(struct gr_warp *w, struct gr_flight *f, uint32_t blocks)
{
    struct gr_cluster *c = w->block->cluster;
    for (uint32_t left = blocks; left; left &= left - 1) {
        uint32_t offset;
        const uint32_t rank = (uint32_t)__builtin_ctz(left);
        struct gr_block *b = gr_cluster_find(w, rank << GR_CLUSTER_RANK_BIT, &offset);
        if (!b || !gr_mbarrier_at(w, b, f->barrier))
            return;
        f->to = f->barrier_block = &c->blocks[rank];
        if (!gr_flight_begin(w, f))
            return;
    }
}

/* Finds the mbarrier at the offset of `address` in the block that the data are copied to. A Hopper
 * GPU ignores which block the address refers to. */
static bool find_barrier(struct gr_warp *w, uint32_t address, struct gr_flight *f)
{
    if (!gr_cluster_find(w, address, &f->barrier))
        return false;
    f->barrier_block = f->to;
    return gr_mbarrier_at(w, f->barrier_block, f->barrier);
}

/* Finds the place of a copy in shared memory, and its mbarrier. A store must be from the block's
 * own shared memory. */
static bool find_shared(struct gr_warp *w, const struct gr_copy *c, bool store, struct gr_flight *f)
{
    const uint32_t address = word_of(w, c->first, 0);
    if (store) {
        f->to = w->block;
        return gr_cluster_own(w, address, &f->shared);
    }
    f->to = gr_cluster_find(w, address, &f->shared);
    if (!f->to)
        return false;
    return find_barrier(w, word_of(w, c->first, 1), f);
}

static bool find_tensor(struct gr_warp *w, const struct gr_copy *c, bool store, struct gr_flight *f)
{
    f->tensor = true;
    if (!read_map(w, f->global, &f->map))
        return false;
    if (f->map.rank != c->rank) {
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "a copy of %d dimensions by a tensor map of %d, instruction 0x%x", c->rank,
                      f->map.rank, w->pc * GR_STEP_BYTES);
        return false;
    }
    f->bytes = gr_tensor_map_box_bytes(&f->map);
    if (store)
        gr_tensor_map_for_store(&f->map);
    for (int i = 0; i < c->rank; i++)
        f->at[i] = (int32_t)word_of(w, c->first, i + (store ? 1 : 2));
    if (store || gr_tensor_map_begins_inside(&f->map, f->at) ||
        gr_memory_find(w->block->memory, f->map.address))
        return true;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "a box that begins outside of its tensor map, at whose address 0x%llx no memory "
                  "is, instruction 0x%x",
                  (unsigned long long)f->map.address, w->pc * GR_STEP_BYTES);
    return false;
}

/* Finds the operation and the type of the elements for a reduction of a tensor. Returns false if
 * PTX has no such operation. */
static bool find_join(struct gr_warp *w, const struct gr_copy *c, struct gr_flight *f)
{
    static const int8_t elements[GR_TENSOR_MAP_TYPES] = {
        [GR_TENSOR_MAP_U8] = -1,
        [GR_TENSOR_MAP_U16] = -1,
        [GR_TENSOR_MAP_U32] = GR_ELEMENT_U32,
        [GR_TENSOR_MAP_S32] = GR_ELEMENT_S32,
        [GR_TENSOR_MAP_U64] = GR_ELEMENT_U64,
        [GR_TENSOR_MAP_S64] = GR_ELEMENT_S64,
        [GR_TENSOR_MAP_F16] = GR_ELEMENT_F16,
        [GR_TENSOR_MAP_F32] = GR_ELEMENT_F32,
        [GR_TENSOR_MAP_F64] = GR_ELEMENT_F64,
        [GR_TENSOR_MAP_BF16] = GR_ELEMENT_BF16,
        [GR_TENSOR_MAP_F32_FTZ] = GR_ELEMENT_F32_FTZ,
        [GR_TENSOR_MAP_TF32] = -1,
        [GR_TENSOR_MAP_TF32_FTZ] = -1,
    };
    f->join = (struct gr_join){c->element, c->operation};
    if (c->kind != GR_COPY_TENSOR_REDUCE)
        return true;
    const int element = elements[f->map.type];
    f->join.element = (enum gr_element)(element < 0 ? 0 : element);
    if (element >= 0 && gr_join_exists(f->join))
        return true;
    gr_block_fail(w, GR_BLOCK_NOT_MODELLED,
                  "a copy that reduces elements of the tensor map's type %d, instruction 0x%x",
                  (int)f->map.type, w->pc * GR_STEP_BYTES);
    return false;
}

static void copy(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_copy *c = step->form;
    const bool store = c->kind == GR_COPY_STORE || c->kind == GR_COPY_TENSOR_STORE ||
                       c->kind == GR_COPY_REDUCE || c->kind == GR_COPY_TENSOR_REDUCE;
    struct gr_flight f = {.kind = store                       ? GR_FLIGHT_STORE
                                  : c->kind == GR_COPY_SHARED ? GR_FLIGHT_SHARED
                                                              : GR_FLIGHT_LOAD};
    uint32_t from;
    (void)active;
    if (!find_shared(w, c, store, &f))
        return;
    f.global = pair_of(w, c->second);
    if (c->kind == GR_COPY_SHARED) {
        if (!gr_cluster_own(w, word_of(w, c->second, 0), &from))
            return;
        f.global = from;
    }
    if ((c->rank > 0 && !find_tensor(w, c, store, &f)) || !find_join(w, c, &f))
        return;
    if (c->rank == 0)
        f.bytes = (word_of(w, c->size, 0) & 0xffff) * 16;
    if (c->multicast)
        begin_all(w, &f, word_of(w, c->has_size ? c->size : c->blocks, 0) >> 16);
    else
        gr_flight_begin(w, &f);
}

/* STAS and REDAS: each lane's value goes to an address of its own, and completes on an mbarrier. */
static void store(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const struct gr_async_store *s = step->form;
    const gr_lanes *value = gr_source_of(w, &s->value);
    for (uint32_t left = active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        struct gr_flight f = {.kind = GR_FLIGHT_VALUE,
                              .bytes = (uint32_t)s->bytes,
                              .lane = lane,
                              .join = {s->element, s->operation}};
        f.to = gr_cluster_find(w, w->v[s->at][lane] + (uint32_t)s->offset, &f.shared);
        if (!f.to || !find_barrier(w, w->v[s->at + 1][lane], &f))
            return;
        for (int i = 0; i < s->bytes / 4; i++)
            memcpy(f.value + 4 * i, &value[i][lane], 4);
        if (!gr_flight_begin(w, &f))
            return;
    }
}

static bool make_async_store(struct gr_translation *t, struct gr_step *step)
{
    struct gr_async_store s;
    if (!gr_store_take(t, &s))
        return false;
    step->run = store;
    return gr_keep_form(t, step, &s, sizeof s);
}

static void nothing(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)w;
    (void)step;
    (void)active;
}

static bool make_copy(struct gr_translation *t, struct gr_step *step)
{
    struct gr_copy c;
    if (!gr_copy_take(t, &c))
        return false;
    step->run = c.kind == GR_COPY_TENSOR_PREFETCH ? nothing : copy;
    return gr_keep_form(t, step, &c, sizeof c);
}

static void commit(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)step;
    (void)active;
    gr_stores_commit(w);
}

/* UTMACMDFLUSH: makes a group of the stores so far. */
static bool make_commit(struct gr_translation *t, struct gr_step *step)
{
    step->run = commit;
    return gr_end(t, 0);
}

/* UTMACCTL.{PF|IV} [U], UTMACCTL.IVALL: control of the cache of tensor maps; UBLKPF.L2 [U], U: a
 * prefetch. */
static bool make_hint(struct gr_translation *t, struct gr_step *step)
{
    static const char *const hints[] = {"PF", "IV", "IVALL", "L2", NULL};
    step->run = nothing;
    return gr_take_one(t, hints, -1) >= 0 || gr_refuse(t, "its modifiers have no meaning here");
}

static const struct gr_meaning list[] = {
    {"UBLKCP", make_copy},         {"UTMALDG", make_copy},      {"UTMASTG", make_copy},
    {"UTMAPF", make_copy},         {"UBLKRED", make_copy},      {"UTMAREDG", make_copy},
    {"UTMACMDFLUSH", make_commit}, {"UTMACCTL", make_hint},     {"UBLKPF", make_hint},
    {"STAS", make_async_store},    {"REDAS", make_async_store}, {NULL, NULL},
};

const struct gr_meanings gr_meanings_copy = {list};
