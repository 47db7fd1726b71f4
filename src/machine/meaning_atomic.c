/* meaning_atomic.c: atomics and reductions, on global, shared and generic addresses.
 * SPDX-License-Identifier: MIT
 *
 * The lanes of a warp are served in ascending order; the order on the hardware is not documented.
 * Other host threads may access the same memory at the same time, so it is changed by a
 * compare-and-swap of the host. */
#include "machine/access.h"
#include "machine/element_joins.h"
#include "machine/meaning.h"
#include "machine/rounding.h"

#include <math.h>
#include <string.h>

enum operation { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS, CAST };
static const char *const operations[] = {"ADD", "MIN", "MAX",  "INC", "DEC",  "AND",
                                         "OR",  "XOR", "EXCH", "CAS", "CAST", NULL};

enum type { U32, S32, U64, S64, F32, F64 };

/* In the step, `kind` is the operation, `lut` the type, and `lut2` the window. */

static uint64_t integer(enum operation operation, enum type type, uint64_t old, uint64_t value)
{
    const bool is_signed = type == S32 || type == S64, narrow = type == U32 || type == S32;
    const int64_t a = narrow ? (int32_t)old : (int64_t)old;
    const int64_t b = narrow ? (int32_t)value : (int64_t)value;
    const bool less = is_signed ? a < b : old < value;
    switch (operation) {
    case ADD:
        return old + value;
    case MIN:
        return less ? old : value;
    case MAX:
        return less ? value : old;
    case INC:
        return old >= value ? 0 : old + 1;
    case DEC:
        return old == 0 || old > value ? value : old - 1;
    case AND:
        return old & value;
    case OR:
        return old | value;
    case XOR:
        return old ^ value;
    default:
        return value;
    }
}

/* Atomics on floats in global memory flush denormals, if the modifier says so. */
static float flush(float x, bool flushes)
{
    return flushes && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static uint64_t add_float(const struct gr_step *s, uint64_t old, uint64_t value)
{
    const bool flushes = s->flags & GR_FLAG_FTZ;
    float a, b;
    uint32_t bits = (uint32_t)old, other = (uint32_t)value;
    memcpy(&a, &bits, 4);
    memcpy(&b, &other, 4);
    a = flush(flush(a, flushes) + flush(b, flushes), flushes);
    memcpy(&bits, &a, 4);
    return isnan(a) ? 0x7fffffff : bits;
}

static uint64_t add_double(uint64_t old, uint64_t value)
{
    double a, b;
    memcpy(&a, &old, 8);
    memcpy(&b, &value, 8);
    a += b;
    memcpy(&old, &a, 8);
    return isnan(a) ? UINT64_C(0xfff8000000000000) : old;
}

static uint64_t change(const struct gr_step *s, uint64_t old, uint64_t value, uint64_t compare)
{
    if (s->kind == CAS || s->kind == CAST)
        return old == compare ? value : old;
    if (s->lut == F32)
        return s->kind == ADD ? add_float(s, old, value) : value;
    if (s->lut == F64)
        return s->kind == ADD ? add_double(old, value) : value;
    return integer((enum operation)s->kind, (enum type)s->lut, old, value);
}

static uint64_t exchange(const struct gr_step *s, unsigned char *at, uint64_t value,
                         uint64_t compare)
{
    if (s->bytes == 8) {
        uint64_t *word = (uint64_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old, change(s, old, value, compare), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return old;
    }
    uint32_t *word = (uint32_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)change(s, old, value, compare), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static gr_step_fn atomic;

static uint64_t word_of(const gr_lanes *v, int lane, int bytes)
{
    return v[0][lane] | (bytes == 8 ? (uint64_t)v[1][lane] << 32 : 0);
}

static bool is_float_addition(const struct gr_step *s)
{
    return (s->lut == F32 || s->lut == F64) && s->kind == ADD;
}

/* On generic addresses, the hardware adds floating-point numbers only in global memory. For other
 * lanes it sets the predicate to false, and the program falls back to a loop. */
static uint32_t can_serve(const struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const bool floats = s->run != atomic || is_float_addition(s);
    return s->lut2 == GR_WINDOW_GENERIC && floats ? gr_access_global(w, s, 0, active) : active;
}

static void atomic(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    struct gr_places p;
    const gr_lanes *value = gr_source_of(w, &s->s[2]), *second = gr_source_of(w, &s->s[3]);
    const bool compares = s->kind == CAS || s->kind == CAST;
    uint64_t old[GR_WARP_LANES];
    uint32_t done = 0;
    const uint32_t here = can_serve(w, s, active);
    const uint32_t served = here ? gr_access_find(w, s, 0, (enum gr_window)s->lut2,
                                                  GR_ACCESS_ATOMIC, s->bytes, here, &p)
                                 : 0;
    for (uint32_t left = served; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        uint64_t first = word_of(value, i, s->bytes), other = word_of(second, i, s->bytes);
        old[i] = exchange(s, p.at[i], compares ? other : first, first);
        done |= (uint32_t)(s->kind == CAST && old[i] == first) << i;
    }
    for (uint32_t left = served; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        const uint64_t result = s->kind == CAST ? done >> i & 1 : old[i];
        w->v[s->d][i] = (uint32_t)result;
        if (s->bytes == 8)
            w->v[s->d + 1][i] = (uint32_t)(result >> 32);
    }
    if (s->p_out[0] != GR_PREDICATE_SINK)
        w->p[s->p_out[0]] = (w->p[s->p_out[0]] & ~active) | (compares ? done & active : here);
}

/* Changes each element of a vector atomically. On generic addresses, the hardware does so only in
 * global memory. For other lanes it sets the predicate to false, and the program falls back to a
 * loop. */
static void vector(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    struct gr_places p;
    const gr_lanes *value = gr_source_of(w, &s->s[2]);
    const uint32_t here = can_serve(w, s, active);
    const struct gr_join join = {(enum gr_element)s->lut,
                                 (enum gr_join_operation)(GR_JOIN_ADD + s->kind)};
    const uint32_t served = here ? gr_access_find(w, s, 0, (enum gr_window)s->lut2,
                                                  GR_ACCESS_ATOMIC, s->bytes, here, &p)
                                 : 0;
    uint32_t words[4], old[4];
    for (uint32_t left = served; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (int k = 0; k < s->bytes / 4; k++)
            words[k] = value[k][i];
        gr_join_elements(join, p.at[i], (const unsigned char *)words, s->bytes,
                         (unsigned char *)old);
        for (int k = 0; k < s->bytes / 4; k++)
            w->v[s->d + k][i] = old[k];
    }
    if (s->p_out[0] != GR_PREDICATE_SINK)
        w->p[s->p_out[0]] = (w->p[s->p_out[0]] & ~active) | here;
}

static bool take_vector(struct gr_translation *t, struct gr_step *s)
{
    static const char *const types[] = {"F16x2",  "F16x4", "F16x8", "BF16x2", "BF16x4",
                                        "BF16x8", "F32x2", "F32x4", NULL};
    static const uint8_t bytes[] = {4, 8, 16, 4, 8, 16, 8, 16};
    static const uint8_t elements[] = {GR_ELEMENT_F16,  GR_ELEMENT_F16,  GR_ELEMENT_F16,
                                       GR_ELEMENT_BF16, GR_ELEMENT_BF16, GR_ELEMENT_BF16,
                                       GR_ELEMENT_F32,  GR_ELEMENT_F32};
    const int type = gr_take_one(t, types, -1);
    if (type < 0)
        return false;
    s->run = vector;
    s->lut = elements[type];
    s->bytes = bytes[type];
    if (s->lut == GR_ELEMENT_F32 && gr_take(t, "FTZ"))
        s->lut = GR_ELEMENT_F32_FTZ;
    gr_take(t, "RN");
    const struct gr_join join = {(enum gr_element)s->lut,
                                 (enum gr_join_operation)(GR_JOIN_ADD + s->kind)};
    if (s->kind > XOR || !gr_join_exists(join))
        gr_refuse(t, "the operation has no meaning for such elements");
    return true;
}

static void take_type(struct gr_translation *t, struct gr_step *s)
{
    static const char *const types[] = {"U32", "S32", "U64", "S64", "F32", "F64", "64", NULL};
    static const uint8_t meant[] = {U32, S32, U64, S64, F32, F64, U64};
    if (take_vector(t, s))
        return;
    int type = gr_take_one(t, types, 0);
    s->lut = meant[type];
    s->bytes = s->lut == U64 || s->lut == S64 || s->lut == F64 ? 8 : 4;
    gr_flag(t, s, "FTZ", GR_FLAG_FTZ);
    gr_take(t, "RN");
    if (type >= 4 && type <= 5 && s->kind != ADD && s->kind != EXCH)
        gr_refuse(t, "only additions of floating-point numbers are modelled");
}

static void take_scope(struct gr_translation *t)
{
    static const char *const hints[] = {"E",  "STRONG", "WEAK", "GPU",     "SYS", "CTA",
                                        "SM", "SPIN",   "EF",   "EL",      "NA",  "LU",
                                        "EU", "LTC64B", "VC",   "LTC128B", NULL};
    while (gr_take_one(t, hints, -1) >= 0)
        ;
}

/* ATOM, ATOMG: P, R, address, R [, R]; ATOMS: R, address, R [, R]. The first of the two registers
 * at the end is what CAS compares with. */
static bool make_atomic(struct gr_translation *t, struct gr_step *s, enum gr_window window,
                        bool returns)
{
    int operation = gr_take_one(t, operations, -1), at = 0;
    bool counts = gr_take(t, "POPC"); /* ATOMS.POPC.INC.32: adds 1 for each lane, all at once */
    s->run = atomic;
    s->kind = (uint8_t)operation;
    s->lut2 = window;
    s->d = GR_SLOT_SINK;
    s->p_out[0] = GR_PREDICATE_SINK;
    if (operation < 0)
        return gr_refuse(t, "an atomic whose operation is not modelled");
    take_type(t, s);
    take_scope(t);
    if (returns && gr_is_predicate(t, at)) {
        uint8_t out = gr_predicate_out(t, at++);
        s->p_out[0] =
            operation == CAST || s->run == vector || is_float_addition(s) ? out : GR_PREDICATE_SINK;
    }
    if (returns && (gr_operand_is(t, at, GR_OPERAND_REGISTER)))
        s->d = gr_destination(t, at++);
    gr_access_address(t, at++, s, 0, window);
    s->flags |= GR_ACCESS_STRONG;
    if (counts) {
        gr_take(t, "32");
        s->kind = ADD;
        s->s[2] = (struct gr_source){.fixed = gr_pool_words(t->pool, 1, 0)};
        return gr_end(t, at);
    }
    gr_set_source(t, s, 2, at++, s->bytes / 4, GR_SIGN_NONE);
    if (operation == CAS || operation == CAST)
        gr_set_source(t, s, 3, at++, s->bytes / 4, GR_SIGN_NONE);
    else
        gr_set_zero(s, 3);
    return gr_end(t, at);
}

static bool make_atom(struct gr_translation *t, struct gr_step *s)
{
    return make_atomic(t, s, GR_WINDOW_GENERIC, true);
}
static bool make_atomg(struct gr_translation *t, struct gr_step *s)
{
    return make_atomic(t, s, GR_WINDOW_GLOBAL, true);
}
static bool make_atoms(struct gr_translation *t, struct gr_step *s)
{
    return make_atomic(t, s, GR_WINDOW_SHARED, true);
}
static bool make_red(struct gr_translation *t, struct gr_step *s)
{
    return make_atomic(t, s, GR_WINDOW_GLOBAL, false);
}

static const struct gr_meaning list[] = {
    {"ATOM", make_atom}, {"ATOMG", make_atomg}, {"ATOMS", make_atoms},
    {"RED", make_red},   {"REDG", make_red},    {NULL, NULL},
};

const struct gr_meanings gr_meanings_atomic = {list};
