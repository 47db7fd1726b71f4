/* meaning_memory.c: loads, stores, and asynchronous copies. SPDX-License-Identifier: MIT */
#include "machine/access.h"
#include "machine/cluster_blocks.h"
#include "machine/copies.h"
#include "machine/matrix_fragments.h"
#include "machine/meaning.h"

#include <string.h>

/* ---- Loads. ---- */

static uint32_t narrow(const unsigned char *at, int bytes, bool is_signed)
{
    if (bytes == 1)
        return is_signed ? (uint32_t)(int32_t)(int8_t)*at : *at;
    uint16_t value;
    memcpy(&value, at, 2);
    return is_signed ? (uint32_t)(int32_t)(int16_t)value : value;
}

/* The number of bytes from one word of a lane's access to the next. */
static size_t stride_of(const struct gr_places *p, int lane)
{
    return p->local >> lane & 1 ? 4 * GR_WARP_LANES : 4;
}

static void read_lanes(struct gr_warp *w, const struct gr_step *s, const struct gr_places *p,
                       uint32_t lanes)
{
    gr_lanes *d = &w->v[s->d];
    if (s->bytes < 4) {
        for (uint32_t left = lanes; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            d[0][i] = narrow(p->at[i], s->bytes, s->flags & GR_ACCESS_SIGNED);
        }
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        for (int k = 0; k < s->bytes / 4; k++)
            memcpy(&d[k][i], p->at[i] + (size_t)k * stride_of(p, i), 4);
    }
}

/* Can the function for whole warps transfer the data? It requires 1, 2 or 4 adjacent words. */
static bool moves_words(const struct gr_step *s, const struct gr_places *p)
{
    return p->local == 0 && s->bytes >= 4 && s->bytes <= 16;
}

/* Lanes whose access is outside of all memory get zeros. */
static void load(struct gr_warp *w, const struct gr_step *s, uint32_t active, enum gr_window window)
{
    struct gr_places p;
    uint32_t served = gr_access_find(w, s, 0, window, GR_ACCESS_LOAD, s->bytes, active, &p);
    if (served == ~0u && moves_words(s, &p)) {
        w->block->program->lanes->read_words(&w->v[s->d], p.at, s->bytes / 4);
        return;
    }
    for (uint32_t left = active & ~served; left; left &= left - 1)
        for (int k = 0; k < (s->bytes + 3) / 4; k++)
            w->v[s->d + k][__builtin_ctz(left)] = 0;
    read_lanes(w, s, &p, served);
}

static void load_global(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    load(w, s, active, GR_WINDOW_GLOBAL);
}
static void load_shared(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    load(w, s, active, GR_WINDOW_SHARED);
}
static void load_local(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    load(w, s, active, GR_WINDOW_LOCAL);
}
static void load_generic(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    load(w, s, active, GR_WINDOW_GENERIC);
}

static gr_step_fn *const loads[] = {load_global, load_shared, load_local, load_generic};

/* LDG, LD, LDS, LDL: R, address. */
static bool make_load(struct gr_translation *t, struct gr_step *s, enum gr_window window)
{
    gr_access_width(t, s);
    s->run = loads[window];
    s->d = gr_destination(t, 0);
    gr_access_address(t, 1, s, 0, window);
    return gr_end(t, 2);
}

static bool make_ldg(struct gr_translation *t, struct gr_step *s)
{
    return make_load(t, s, GR_WINDOW_GLOBAL);
}
static bool make_lds(struct gr_translation *t, struct gr_step *s)
{
    return make_load(t, s, GR_WINDOW_SHARED);
}
static bool make_ldl(struct gr_translation *t, struct gr_step *s)
{
    return make_load(t, s, GR_WINDOW_LOCAL);
}
static bool make_ld(struct gr_translation *t, struct gr_step *s)
{
    return make_load(t, s, GR_WINDOW_GENERIC);
}

/* ---- Stores. ---- */

static void store(struct gr_warp *w, const struct gr_step *s, uint32_t active,
                  enum gr_window window)
{
    struct gr_places p;
    const gr_lanes *value = gr_source_of(w, &s->s[2]);
    uint32_t served = gr_access_find(w, s, 0, window, GR_ACCESS_STORE, s->bytes, active, &p);
    if (served == ~0u && moves_words(s, &p)) {
        w->block->program->lanes->write_words(p.at, value, s->bytes / 4);
        return;
    }
    for (uint32_t left = served; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (s->bytes < 4)
            /* The lowest bytes come first, because hosts are little-endian. */
            memcpy(p.at[i], &value[0][i], s->bytes);
        else
            for (int k = 0; k < s->bytes / 4; k++)
                memcpy(p.at[i] + (size_t)k * stride_of(&p, i), &value[k][i], 4);
    }
}

static void store_global(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    store(w, s, active, GR_WINDOW_GLOBAL);
}
static void store_shared(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    store(w, s, active, GR_WINDOW_SHARED);
}
static void store_local(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    store(w, s, active, GR_WINDOW_LOCAL);
}
static void store_generic(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    store(w, s, active, GR_WINDOW_GENERIC);
}

static gr_step_fn *const stores[] = {store_global, store_shared, store_local, store_generic};

/* STG, ST, STS, STL: address, R. */
static bool make_store(struct gr_translation *t, struct gr_step *s, enum gr_window window)
{
    gr_access_width(t, s);
    s->run = stores[window];
    gr_access_address(t, 0, s, 0, window);
    gr_set_source(t, s, 2, 1, 1, GR_SIGN_NONE);
    return gr_end(t, 2);
}

static bool make_stg(struct gr_translation *t, struct gr_step *s)
{
    return make_store(t, s, GR_WINDOW_GLOBAL);
}
static bool make_sts(struct gr_translation *t, struct gr_step *s)
{
    return make_store(t, s, GR_WINDOW_SHARED);
}
static bool make_stl(struct gr_translation *t, struct gr_step *s)
{
    return make_store(t, s, GR_WINDOW_LOCAL);
}
static bool make_st(struct gr_translation *t, struct gr_step *s)
{
    return make_store(t, s, GR_WINDOW_GENERIC);
}

/* ---- Constants. ---- */

/* Loads a constant whose address is the same in all lanes. */
static bool load_same_constant(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const struct gr_program *p = w->block->program;
    const int64_t at = (int32_t)s->value;
    const bool inside = s->kind < GR_CONSTANT_BANKS && p->bank[s->kind] && at >= 0 &&
                        at + s->bytes <= p->bank_bytes[s->kind];
    if (s->s[0].slot != GR_SLOT_ZERO || s->s[1].slot != GR_SLOT_ZERO || s->bytes < 4 || !inside)
        return false;
    for (int k = 0; k < s->bytes / 4; k++) {
        uint32_t word, *d = w->v[s->d + k];
        memcpy(&word, p->bank[s->kind] + at + 4 * k, sizeof word);
        if (active == ~0u)
            for (int i = 0; i < GR_WARP_LANES; i++)
                d[i] = word;
        else
            for (int i = 0; i < GR_WARP_LANES; i++)
                d[i] = active >> i & 1 ? word : d[i];
    }
    return true;
}

static void load_constant(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const gr_lanes *base = gr_source_of(w, &s->s[0]), *uniform = gr_source_of(w, &s->s[1]);
    if (load_same_constant(w, s, active))
        return;
    for (uint32_t left = active; left; left &= left - 1) {
        int i = __builtin_ctz(left), each = s->bytes < 4 ? s->bytes : 4;
        int64_t at = (int32_t)(base[0][i] + uniform[0][i] + (uint32_t)s->value);
        for (int k = 0; k < (s->bytes + 3) / 4; k++) {
            uint64_t value = 0;
            if (!gr_program_constant(w->block->program, s->kind, at + 4 * k, each, &value)) {
                gr_block_fail(w, GR_BLOCK_FAILED,
                              "a read of c[0x%x][0x%llx], which is outside of the bank", s->kind,
                              (unsigned long long)at);
                return;
            }
            if (s->bytes < 4)
                value =
                    narrow((const unsigned char *)&value, s->bytes, s->flags & GR_ACCESS_SIGNED);
            w->v[s->d + k][i] = (uint32_t)value;
        }
    }
}

/* LDC, ULDC, LDCU: R, c[bank][R + offset]. */
static bool make_ldc(struct gr_translation *t, struct gr_step *s)
{
    const struct gr_operand *o = &t->decoded->operand[1];
    gr_access_width(t, s);
    s->run = load_constant;
    s->d = gr_destination(t, 0);
    if (!gr_operand_is(t, 1, GR_OPERAND_CONSTANT) || o->extended)
        return gr_refuse(t, "operand 1 is not in a constant bank of a known number");
    s->kind = o->bank;
    s->value = o->value;
    s->s[0].slot = o->has_base && o->base != GR_REGISTER_ZERO ? o->base : GR_SLOT_ZERO;
    s->s[1].slot = o->has_uniform && o->uniform != GR_REGISTER_ZERO
                       ? (uint32_t)GR_SLOT_UNIFORM + o->uniform
                       : GR_SLOT_ZERO;
    s->uniform |= t->decoded->operand[0].kind == GR_OPERAND_UNIFORM;
    return gr_end(t, 2);
}

/* ---- Matrices. ---- */

enum { TRANSPOSED = GR_ACCESS_FREE, MATRICES_FIRST = 9 };

static int matrices_of(const struct gr_step *s)
{
    return (int)(s->flags >> MATRICES_FIRST & 7);
}

static uint32_t find_rows(struct gr_warp *w, const struct gr_step *s, enum gr_access access,
                          struct gr_places *p)
{
    uint32_t rows = gr_matrix_rows(matrices_of(s));
    uint32_t served = gr_access_find(w, s, 0, GR_WINDOW_SHARED, access, 16, rows, p);
    return served == rows ? rows : 0;
}

static bool whole_warp(struct gr_warp *w, uint32_t active)
{
    if (active != ~0u)
        gr_block_fail(w, GR_BLOCK_FAILED, "a load or store of matrices by %d lanes, wanted 32",
                      __builtin_popcount(active));
    return active == ~0u;
}

/* LDSM: loads the rows of 8 x 8 matrices into the registers of the lanes. */
static void load_matrices(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    struct gr_places p;
    if (!whole_warp(w, active) || !find_rows(w, s, GR_ACCESS_LOAD, &p))
        return;
    for (int reg = 0; reg < matrices_of(s); reg++)
        for (int lane = 0; lane < GR_WARP_LANES; lane++) {
            const struct gr_matrix_pieces m =
                gr_matrix_pieces_of((s->flags & TRANSPOSED) != 0, reg, lane);
            uint32_t word = 0;
            for (int i = 0; i < m.count; i++)
                memcpy((char *)&word + i * m.bytes, p.at[m.row[i]] + m.offset[i], m.bytes);
            w->v[s->d + reg][lane] = word;
        }
}

static void store_matrices(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    struct gr_places p;
    const gr_lanes *value = gr_source_of(w, &s->s[2]);
    if (!whole_warp(w, active) || !find_rows(w, s, GR_ACCESS_STORE, &p))
        return;
    for (int reg = 0; reg < matrices_of(s); reg++)
        for (int lane = 0; lane < GR_WARP_LANES; lane++) {
            const struct gr_matrix_pieces m =
                gr_matrix_pieces_of((s->flags & TRANSPOSED) != 0, reg, lane);
            for (int i = 0; i < m.count; i++)
                memcpy(p.at[m.row[i]] + m.offset[i], (const char *)&value[reg][lane] + i * m.bytes,
                       m.bytes);
        }
}

/* Takes .16.M88[.2|.4], or .MT88 for transposed matrices. */
static void take_matrices(struct gr_translation *t, struct gr_step *s)
{
    static const char *const counts[] = {"2", "4", NULL};
    int count = gr_take_one(t, counts, -1);
    if (!gr_take(t, "16"))
        gr_refuse(t, "only elements of 16 bits are modelled");
    if (gr_take(t, "MT88"))
        s->flags |= TRANSPOSED;
    else if (!gr_take(t, "M88"))
        gr_refuse(t, "only matrices of 8 x 8 are modelled");
    s->flags |= (count < 0 ? 1u : count == 0 ? 2u : 4u) << MATRICES_FIRST;
}

static bool make_ldsm(struct gr_translation *t, struct gr_step *s)
{
    take_matrices(t, s);
    s->run = load_matrices;
    s->d = gr_destination(t, 0);
    gr_access_address(t, 1, s, 0, GR_WINDOW_SHARED);
    return gr_end(t, 2);
}

static bool make_stsm(struct gr_translation *t, struct gr_step *s)
{
    take_matrices(t, s);
    s->run = store_matrices;
    gr_access_address(t, 0, s, 0, GR_WINDOW_SHARED);
    gr_set_source(t, s, 2, 1, 1, GR_SIGN_NONE);
    return gr_end(t, 2);
}

/* ---- Asynchronous copies. ---- */

enum {
    GLOBAL_OFFSET_BITS = 32,
    COPY_FILLS = GR_ACCESS_FREE /* .ZFILL */
};

/* LDGSTS. The upper half of `value` is the offset in global memory, the lower half that in shared
 * memory. */
static void copy(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    struct gr_places from, to;
    struct gr_step global = *s, shared = *s;
    uint32_t copies = active & (w->p[s->p_in[0]] ^ (s->p_in_flip & 1 ? ~0u : 0u));
    global.value = s->value >> GLOBAL_OFFSET_BITS;
    shared.value = (int32_t)s->value;
    shared.flags &= ~(uint32_t)(GR_ACCESS_WIDE | GR_ACCESS_PAIR | 7u << GR_ACCESS_SCALE);
    shared.flags |= (s->flags >> MATRICES_FIRST & 7) << GR_ACCESS_SCALE;
    uint8_t kept[GR_WARP_LANES];
    memset(kept, s->bytes, sizeof kept);
    uint32_t found = 0;
    if (copies && s->flags & COPY_FILLS)
        found = gr_access_find_filled(w, &global, 2, s->bytes, copies, &from, kept);
    else if (copies)
        found = gr_access_find(w, &global, 2, GR_WINDOW_GLOBAL, GR_ACCESS_COPY, s->bytes, copies,
                               &from);
    for (uint32_t left = ~found; left; left &= left - 1)
        kept[__builtin_ctz(left)] = 0;
    uint32_t served = gr_access_find(w, &shared, 0, GR_WINDOW_SHARED,
                                     (enum gr_access)GR_ACCESS_ARRIVES, s->bytes, active, &to);
    if (served)
        gr_copies_add(w, served, to.at, from.at, kept, s->bytes);
}

/* LDGSTS[.E][.BYPASS][.64|.128][.ZFILL] [shared], [global] [, P]. If P is false, zeros are written.
 * With ZFILL, the low bits of the address in global memory give the number of bytes at the end that
 * become zeros. */
static bool make_ldgsts(struct gr_translation *t, struct gr_step *s)
{
    gr_access_width(t, s);
    const bool fills = gr_take(t, "ZFILL");
    s->run = copy;
    gr_access_address(t, 0, s, 0, GR_WINDOW_SHARED);
    const uint32_t scale = s->flags >> GR_ACCESS_SCALE & 7;
    const int64_t shared = s->value;
    s->flags &= ~(7u << GR_ACCESS_SCALE);
    gr_access_address(t, 1, s, 2, GR_WINDOW_GLOBAL);
    s->flags |= scale << MATRICES_FIRST | (fills ? COPY_FILLS : 0);
    s->value = s->value << GLOBAL_OFFSET_BITS | (int64_t)(uint32_t)shared;
    s->p_in[0] = GR_PREDICATE_ALWAYS;
    if (t->decoded->operand_count == 3)
        gr_predicate_in(t, 2, s, 0);
    return gr_end(t, t->decoded->operand_count == 3 ? 3 : 2);
}

/* ---- The window of an address. ---- */

enum { QUERY_SHARED, QUERY_LOCAL, QUERY_GLOBAL, QUERY_CLUSTER };

/* The window of the cluster's shared memory includes the block's own. */
static bool is_in(const struct gr_warp *w, uint64_t a, int kind)
{
    const bool window = a >> 32 == GR_SHARED_WINDOW >> 32, local = a >> 32 == GR_LOCAL_WINDOW >> 32;
    uint32_t offset;
    switch (kind) {
    case QUERY_SHARED:
        return window && (w->block->cluster->count == 1 ||
                          gr_cluster_block(w->block, (uint32_t)a, &offset) == w->block);
    case QUERY_LOCAL:
        return local;
    case QUERY_CLUSTER:
        return window;
    default:
        return !window && !local;
    }
}

static void query(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const gr_lanes *base = gr_source_of(w, &s->s[0]), *uniform = gr_source_of(w, &s->s[1]);
    const bool pair = s->flags & GR_ACCESS_PAIR;
    uint32_t in = 0;
    for (int i = 0; i < GR_WARP_LANES; i++) {
        uint64_t a = base[0][i] | (pair ? (uint64_t)base[1][i] << 32 : 0);
        a += (uniform[0][i] | (uint64_t)uniform[1][i] << 32) + (uint64_t)s->value;
        in |= (uint32_t)is_in(w, a, s->kind) << i;
    }
    w->p[s->p_out[0]] = (w->p[s->p_out[0]] & ~active) | (in & active);
}

/* QSPC.E.S P, R, address: is it shared (S), local (L), global (G), or shared of any block of the
 * cluster (D)? */
static bool make_qspc(struct gr_translation *t, struct gr_step *s)
{
    static const char *const windows[] = {"S", "L", "G", "D", NULL};
    int kind = gr_take_one(t, windows, -1);
    gr_take(t, "E");
    if (kind < 0)
        return gr_refuse(t, "wanted S, L, G or D");
    s->run = query;
    s->kind = (uint8_t)kind;
    s->p_out[0] = gr_predicate_out(t, 0);
    gr_access_address(t, 2, s, 0, GR_WINDOW_GENERIC);
    return gr_end(t, 3);
}

static const struct gr_meaning list[] = {
    {"LDG", make_ldg},   {"LD", make_ld},         {"LDS", make_lds},   {"LDL", make_ldl},
    {"STG", make_stg},   {"ST", make_st},         {"STS", make_sts},   {"STL", make_stl},
    {"LDC", make_ldc},   {"ULDC", make_ldc},      {"LDCU", make_ldc},  {"LDSM", make_ldsm},
    {"STSM", make_stsm}, {"LDGSTS", make_ldgsts}, {"QSPC", make_qspc}, {NULL, NULL},
};

const struct gr_meanings gr_meanings_memory = {list};
