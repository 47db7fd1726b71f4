/* global_history.c: keeps a history for each element of the global arrays that a launch writes.
 * SPDX-License-Identifier: MIT */
#include "simrt/global_history.h"

#include "simrt/releases.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct gr_globals {
    struct gr_word *words[GR_SIM_ARRAYS]; /* null: the array has not been accessed */
    int last;                             /* the array that was found last */
    uint32_t request;
};

/* By array: does it have a history? Inputs have none until the kernel writes them; from then on
 * they keep one, also when the launch is traced again for that reason. */
static atomic_bool followed[GR_SIM_ARRAYS], found_late;

bool gr_globals_open(struct gr_tracer *t)
{
    if (!t->run->job->races || !t->run->each_once)
        return true;
    for (int i = 0; i < GR_SIM_ARRAYS; i++)
        if (i >= t->run->job->array_count || !t->run->job->arrays[i].is_input)
            followed[i] = true;
    t->globals = calloc(1, sizeof *t->globals);
    return t->globals != NULL;
}

void gr_globals_close(struct gr_tracer *t)
{
    for (int i = 0; t->globals && i < GR_SIM_ARRAYS; i++)
        free(t->globals->words[i]);
    free(t->globals);
}

bool gr_globals_again(void)
{
    return atomic_exchange(&found_late, false);
}

/* ---- The values of stores. ---- */

/* Is the value NaN? If beta is 0, C holds NaN before the launch, and a store of NaN must not count
 * as a store of equal values. */
static bool is_nan(const unsigned char *at, int bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)bytes);
    if (bytes == 8)
        return (bits & 0x7fffffffffffffffULL) > 0x7ff0000000000000ULL;
    return bytes == 4 ? (bits & 0x7fffffff) > 0x7f800000 : bytes == 2 && (bits & 0x7fff) > 0x7f80;
}

static int array_at(const struct gr_tracer *t, uint64_t lo, uint64_t hi)
{
    int count = t->run->job->array_count;
    for (int i = 0, k = t->globals->last; i < count; i++, k = k + 1 < count ? k + 1 : 0)
        if (lo >= gr_arrays[k].lo && hi <= gr_arrays[k].hi)
            return t->globals->last = k;
    return -1;
}

static uint16_t value_at(const unsigned char *at, int bytes, const struct gr_array *a)
{
    uint64_t hash = (uint64_t)bytes;
    for (int i = 0; a->is_result && i + a->element_bytes <= bytes; i += a->element_bytes)
        if (is_nan(at + i, a->element_bytes))
            return GR_VALUE_UNKNOWN;
    for (int i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ULL;
    uint16_t value = (uint16_t)((hash ^ hash >> 32) >> 7 & ~(uint64_t)GR_VALUE_STRONG);
    return value == GR_VALUE_UNKNOWN ? 0 : value;
}

void gr_globals_note(struct gr_tracer *t, struct gr_record *r, const void *stored)
{
    if (!t->globals || r->access != GR_ACCESS_STORE || !gr_in_arena(r->address))
        return;
    const int k = array_at(t, r->address, r->address + r->bytes);
    if (k >= 0)
        r->value =
            (uint16_t)((r->value & GR_VALUE_STRONG) | value_at(stored, r->bytes, &gr_arrays[k]));
}

/* ---- Histories. ---- */

/* The array's history. Null: it has none, or there is no memory. */
static struct gr_word *words_of(struct gr_tracer *t, int k, bool writes)
{
    struct gr_globals *g = t->globals;
    const struct gr_array *a = &gr_arrays[k];
    if (!followed[k]) {
        if (!writes)
            return NULL;
        followed[k] = found_late = true;
    }
    if (!g->words[k]) {
        g->words[k] = calloc((a->hi - a->lo) / (uint64_t)a->element_bytes + 1, sizeof **g->words);
        t->run->faults_dropped |= !g->words[k];
    }
    return g->words[k];
}

/* Adds the access to the histories of its elements. Accesses narrower than an element or across two
 * are left out: they may be of another type. */
static void touch(struct gr_tracer *t, const struct gr_record *r, int thread)
{
    int k = array_at(t, r->address, r->address + r->bytes);
    struct gr_word *words =
        k < 0 ? NULL
              : words_of(t, k, r->access == GR_ACCESS_STORE || r->access == GR_ACCESS_ATOMIC);
    if (!words)
        return;
    const struct gr_array *a = &gr_arrays[k];
    uint64_t unit = (uint64_t)a->element_bytes, offset = r->address - a->lo;
    bool atomic = r->access == GR_ACCESS_ATOMIC;
    struct gr_touch x = {.t = t,
                         .order = &t->order,
                         .array = a,
                         .address = r->address,
                         .code = r->code,
                         .request = t->globals->request,
                         .tick = t->tick,
                         .thread = (uint16_t)thread,
                         .value = atomic ? GR_VALUE_UNKNOWN : r->value & (uint16_t)~GR_VALUE_STRONG,
                         .access = r->access,
                         .strong = atomic || (r->value & GR_VALUE_STRONG),
                         .global = true};
    for (uint64_t i = 0; offset % unit == 0 && i + unit <= r->bytes; i += unit, x.address += unit)
        gr_word_touch(&x, &words[(offset + i) / unit]);
}

static void synchronise(struct gr_tracer *t, const struct gr_record *r, int thread)
{
    bool atomic = r->access == GR_ACCESS_ATOMIC;
    if (r->access == GR_TRACE_FENCE)
        gr_fence(t, thread, r->bytes);
    else if (atomic || (r->value & GR_VALUE_STRONG))
        gr_synchronise(t, r->address, thread, atomic || r->access == GR_ACCESS_LOAD,
                       r->access != GR_ACCESS_LOAD);
}

void gr_globals_see(struct gr_tracer *t, const struct gr_record *const *records,
                    const uint8_t *lane, int lanes, int first_thread)
{
    const struct gr_record *first = records[0];
    bool fence = first->access == GR_TRACE_FENCE;
    /* The requests to shared memory that came before must be processed first. */
    if (fence || t->fenced)
        gr_merge_flush(t);
    if (t->globals)
        t->globals->request++;
    for (int i = 0; i < lanes; i++) {
        int thread = first_thread + lane[i];
        synchronise(t, records[i], thread);
        if (!fence && t->globals && gr_in_arena(records[i]->address))
            touch(t, records[i], thread);
    }
}
