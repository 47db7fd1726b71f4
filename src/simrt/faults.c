/* faults.c: keeps each fault once, with a count of its occurrences. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <stdio.h>
#include <string.h>

static void place(const struct gr_run *run, uint32_t code, int *line, int *column, char file[128])
{
    const struct gr_sim_line *found = gr_line_find(run, code);
    if (!found)
        return;
    *line = (int)found->line;
    *column = found->column;
    snprintf(file, 128, "%d", found->file);
}

static void thread_index(const struct gr_sm *sm, int thread, int index[3])
{
    if (!sm || thread < 0)
        return;
    const struct gr_sim_index i = sm->fibers[thread].index;
    memcpy(index, (int[]){(int)i.x, (int)i.y, (int)i.z}, sizeof(int[3]));
}

static void fill(const struct gr_tracer *t, const struct gr_fault_at *from,
                 struct gr_trace_fault *fault)
{
    *fault = (struct gr_trace_fault){.kind = from->kind,
                                     .writes = from->writes,
                                     .other_writes = from->other_writes,
                                     .in_flight = from->in_flight,
                                     .hangs = from->hangs,
                                     .unnamed = from->unnamed,
                                     .absent = from->absent,
                                     .same_value = from->same_value,
                                     .across = from->other_block != NULL};
    place(t->run, from->code, &fault->line, &fault->column, fault->file);
    place(t->run, from->other_code, &fault->other_line, &fault->other_column, fault->other_file);
    if (from->array) {
        const struct gr_array *a = from->array;
        memcpy(fault->array, a->name, sizeof fault->array);
        int64_t distance = (int64_t)(from->address - a->lo), unit = a->element_bytes;
        fault->index = from->address ? (distance - (distance < 0 ? unit - 1 : 0)) / unit : 0;
        fault->elements = (int64_t)(a->hi - a->lo) / unit;
    } else if (from->kind == GR_FIND_BOUNDS) {
        snprintf(fault->array, sizeof fault->array, "address %#llx",
                 (unsigned long long)from->address);
    }
    thread_index(t->sm, from->thread, fault->thread);
    thread_index(t->sm, from->other, fault->other_thread);
    for (int i = 0; i < 3 && from->other_block; i++)
        fault->other_block[i] = (int)from->other_block[i];
    for (int i = 0; i < 3 && from->block; i++)
        fault->block[i] = (int)from->block[i];
    if (t->sm && !from->block) {
        const struct gr_sim_index b = t->sm->block;
        memcpy(fault->block, (int[]){(int)b.x, (int)b.y, (int)b.z}, sizeof(int[3]));
    }
}

/* Are the two faults at the same place? The copies that the compiler made of one access are one
 * place, and so are the members of a vector. */
static bool same_place(const struct gr_trace_fault *a, const struct gr_trace_fault *b)
{
    return a->kind == b->kind && a->line == b->line &&
           (a->column == b->column || a->kind == GR_FIND_ALIGNMENT) &&
           a->other_line == b->other_line && a->other_column == b->other_column &&
           strcmp(a->array, b->array) == 0 && strcmp(a->file, b->file) == 0;
}

/* Blocks run on several host threads in any order. The fault of the first block of the grid is
 * reported, so that the report is always the same. */
static bool in_earlier_block(const struct gr_tracer *t, const struct gr_trace_fault *kept)
{
    if (!t->sm)
        return false;
    const struct gr_sim_index b = t->sm->block;
    const int now[3] = {(int)b.x, (int)b.y, (int)b.z};
    for (int i = 2; i >= 0; i--)
        if (now[i] != kept->block[i])
            return now[i] < kept->block[i];
    return false;
}

static void count_again(const struct gr_tracer *t, const struct gr_fault_at *from,
                        struct gr_trace_fault *kept)
{
    const int64_t count = kept->count + 1;
    const bool same_value = kept->same_value && from->same_value;
    bool worse = (from->hangs && !kept->hangs) || (kept->same_value && !from->same_value);
    if (worse || (from->hangs == kept->hangs && in_earlier_block(t, kept)))
        fill(t, from, kept);
    kept->count = count;
    kept->same_value = same_value;
}

/* Is the fault only a consequence of an abandoned thread? What that thread did not do is not a
 * fault of the others. A work buffer may be read by another block. */
static bool follows_from_abandoned(const struct gr_tracer *t, const struct gr_fault_at *fault)
{
    enum { OPERANDS = 3 };
    bool work = fault->array && fault->array->space == GR_SPACE_GLOBAL &&
                fault->array >= &gr_arrays[OPERANDS];
    if (fault->kind == GR_FIND_BOUNDS || fault->kind == GR_FIND_ALIGNMENT)
        return false;
    return t->abandoned ||
           (((fault->kind == GR_FIND_UNINITIALISED && work) || fault->other_block) &&
            t->run->abandoned);
}

void gr_faults_recount(struct gr_run *run)
{
    for (int i = 0; i < run->fault_count; i++)
        run->faults[i].count = 0;
}

void gr_fault_report(struct gr_tracer *t, const struct gr_fault_at *from)
{
    struct gr_run *run = t->run;
    if (follows_from_abandoned(t, from))
        return;
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < run->fault_count; i++)
        if (run->faults[i].kind == from->kind && run->fault_codes[2 * i] == from->code &&
            run->fault_codes[2 * i + 1] == from->other_code &&
            (!from->array || strcmp(run->faults[i].array, from->array->name) == 0)) {
            count_again(t, from, &run->faults[i]);
            pthread_mutex_unlock(&run->lock);
            return;
        }
    struct gr_trace_fault fault;
    fill(t, from, &fault);
    fault.count = 1;
    int same = 0;
    while (same < run->fault_count && !same_place(&run->faults[same], &fault))
        same++;
    if (same < run->fault_count && fault.line) {
        count_again(t, from, &run->faults[same]);
    } else if (run->fault_count < GR_SIM_FAULTS) {
        run->fault_codes[2 * run->fault_count] = from->code;
        run->fault_codes[2 * run->fault_count + 1] = from->other_code;
        run->faults[run->fault_count++] = fault;
    } else {
        run->faults_dropped = true;
    }
    pthread_mutex_unlock(&run->lock);
}
