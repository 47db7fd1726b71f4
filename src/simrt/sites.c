/* sites.c: the table of a program's accesses, by their code and by the array that they access.
 * SPDX-License-Identifier: MIT */
#include "simrt/sites.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096 };

struct link {
    uint32_t code;
    int site, next; /* next: index + 1 of the next in the chain */
};

struct gr_site_chains {
    int bucket[BUCKETS]; /* index + 1 of the first link of the chain */
    struct link links[GR_SITES];
    int count;
};

bool gr_sites_open(struct gr_tracer *t)
{
    t->sites = calloc(1, sizeof *t->sites);
    if (t->sites)
        t->sites->chains = calloc(1, sizeof *t->sites->chains);
    return t->sites && t->sites->chains;
}

void gr_sites_close(struct gr_tracer *t)
{
    if (t->sites)
        free(t->sites->chains);
    free(t->sites);
}

const struct gr_sim_line *gr_line_find(const struct gr_run *run, uint32_t code)
{
    int low = 0, high = run->job->line_count;
    uint64_t address = code ? code - 1 : 0; /* a return address is one past the call */
    if (!code)
        return NULL;
    while (low < high) {
        int middle = (low + high) / 2;
        if (run->lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && run->lines[low - 1].line ? &run->lines[low - 1] : NULL;
}

/* The space of an address. Shared memory is thread-local storage, so it starts at another address
 * in each host thread. */
static enum gr_space space_of(uint64_t address)
{
    if (gr_in_arena(address))
        return GR_SPACE_GLOBAL;
    address -= gr_shared_base();
    return address < gr_shared_extent() && !gr_shared_is_guard(address) ? GR_SPACE_SHARED
                                                                        : GR_SPACE_OTHER;
}

/* Where an access is in the arrays. */
struct where {
    enum gr_space space;
    int array; /* -1: none */
    bool inside;
};

static bool is_of(const struct gr_site *site, const struct gr_record *r, int bytes,
                  enum gr_space space, uint64_t address)
{
    if (site->code != r->code || site->access != r->access || site->bytes != bytes ||
        site->space != space)
        return false;
    if (site->array < 0)
        return true;
    return address >= gr_arrays[site->array].lo && address < gr_arrays[site->array].hi;
}

/* Is it a variable of the kernel's program, which is linked below 4 GB (gr_code_of)? */
static bool is_of_program(uint64_t address)
{
    return address <= UINT32_MAX;
}

/* An array that the code has accessed before, in that space if it has accessed several; -1: none.
 */
static int touched_by(const struct gr_run *run, uint32_t code, enum gr_space space)
{
    int found = -1;
    for (int i = 0; i < run->site_count; i++) {
        const struct gr_site *s = &run->sites[i];
        if (s->code != code || !s->inside)
            continue;
        if (s->space == space)
            return s->array;
        found = found < 0 ? s->array : found;
    }
    return found;
}

/* An access that is in no array is attributed to the array that its code accessed before, however
 * far away that is, or else to the nearest one. */
static struct where where_is(const struct gr_run *run, const struct gr_record *r,
                             enum gr_space space, uint64_t address)
{
    const struct gr_array *array = gr_array_find(space, address, address + 1);
    if (array)
        return (struct where){space, (int)(array - gr_arrays), true};
    if (space == GR_SPACE_OTHER &&
        (is_of_program(r->address) || gr_shared_is_guard(r->address - gr_shared_base())))
        return (struct where){space, -1, false};
    int touched = touched_by(run, r->code, space);
    if (touched >= 0)
        return (struct where){gr_arrays[touched].space, touched, false};
    array = gr_array_nearest(space, address);
    return (struct where){space, array ? (int)(array - gr_arrays) : -1, false};
}

static int find_or_add(struct gr_run *run, const struct gr_record *r, int bytes,
                       enum gr_space space, uint64_t address)
{
    const struct where at = where_is(run, r, space, address);
    for (int i = 0; i < run->site_count; i++) {
        struct gr_site *s = &run->sites[i];
        if (s->code == r->code && s->access == r->access && s->bytes == bytes &&
            s->space == at.space && s->array == at.array) {
            s->inside |= at.inside;
            return i;
        }
    }
    if (run->site_count == GR_SITES)
        return GR_SITES - 1;
    struct gr_site *site = &run->sites[run->site_count];
    *site = (struct gr_site){.code = r->code,
                             .access = r->access,
                             .space = (uint8_t)at.space,
                             .array = (int16_t)at.array,
                             .inside = at.inside,
                             .bytes = bytes,
                             .source_bytes = r->bytes,
                             .worst = -1};
    const struct gr_sim_line *line = gr_line_find(run, r->code);
    if (line) {
        site->line = (int)line->line;
        site->column = line->column;
        site->file = line->file;
    }
    return run->site_count++;
}

static void remember(const struct gr_tracer *t, const struct gr_record *r, int bytes, int index)
{
    const struct gr_site *site = &t->run->sites[index];
    const struct gr_array *array = &gr_arrays[site->array < 0 ? 0 : site->array];
    struct gr_site_recent *recent = &t->sites->recent[gr_site_hash(r->code) % GR_SITES_RECENT];
    *recent = (struct gr_site_recent){.code = r->code,
                                      .site = index,
                                      .access = r->access,
                                      .bytes = bytes,
                                      .lo = array->lo,
                                      .extent = site->array < 0 ? 0 : array->hi - array->lo};
    if (site->space == GR_SPACE_SHARED)
        recent->lo += gr_shared_base();
}

int gr_site_look_up(struct gr_tracer *t, const struct gr_record *r, int bytes)
{
    struct gr_site_chains *chains = t->sites->chains;
    int *bucket = &chains->bucket[gr_site_hash(r->code) % BUCKETS];
    uint64_t address = r->address;
    enum gr_space space = space_of(address);
    if (space == GR_SPACE_SHARED)
        address -= gr_shared_base();
    for (int i = *bucket; i; i = chains->links[i - 1].next) {
        const struct link *link = &chains->links[i - 1];
        if (link->code == r->code && is_of(&t->run->sites[link->site], r, bytes, space, address)) {
            remember(t, r, bytes, link->site);
            return link->site;
        }
    }
    pthread_mutex_lock(&t->run->lock);
    int site = find_or_add(t->run, r, bytes, space, address);
    pthread_mutex_unlock(&t->run->lock);
    if (chains->count < GR_SITES && is_of(&t->run->sites[site], r, bytes, space, address)) {
        chains->links[chains->count++] = (struct link){r->code, site, *bucket};
        *bucket = chains->count;
    }
    return site;
}
