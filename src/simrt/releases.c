/* releases.c: records which fences were passed, what was released at which address, and which warps
 * have acquired it. SPDX-License-Identifier: MIT */
#include "simrt/releases.h"

#include <stdlib.h>
#include <string.h>

enum { RELEASES = 4096, WORDS = RELEASES / 64, PLACES = 8192, WARPS = GR_THREADS / 32 };

/* The fences of a block: for each warp, when one of its threads last passed one. What the warp's
 * lanes did before that counts as before the fence, and so does what the block did before the last
 * barrier. */
struct fences {
    uint32_t last_phase; /* 0: there are none */
    struct {
        uint32_t phase, tick;
    } warps[WARPS];
};

struct release {
    struct fences block, device;
};

/* A bit for each release. */
struct set {
    uint64_t bits[WORDS];
};

struct place {
    uint64_t address; /* 0: none */
    struct set *released;
};

struct begun {
    uint32_t first_phase;
    unsigned index[3];
    int first_release;
};

struct gr_releases {
    struct release *items; /* RELEASES; null until one is needed */
    int count;
    bool full;            /* there is no room for more; everything counts as ordered from then on */
    struct place *places; /* a hash table; null until it is needed */
    int place_count;
    struct place others;      /* for all addresses that have no room in the table */
    struct release now;       /* what a release by this block would release now */
    int released;             /* the item that is equal to `now`; -1: none */
    struct set *all;          /* acquired before the last barrier */
    struct set *warps[WARPS]; /* since then, by warp; null: nothing */
    bool acquired;            /* since then, by any */
    struct begun *blocks;
    int block_count, block_room;
};

bool gr_releases_open(struct gr_tracer *t)
{
    t->releases = calloc(1, sizeof *t->releases);
    return t->releases != NULL;
}

static void forget_acquired(struct gr_releases *r)
{
    for (int i = 0; i < WARPS; i++) {
        free(r->warps[i]);
        r->warps[i] = NULL;
    }
    free(r->all);
    r->all = NULL;
    r->acquired = false;
}

static void forget_released(struct gr_releases *r)
{
    for (int i = 0; r->places && i < PLACES; i++)
        free(r->places[i].released);
    free(r->places);
    free(r->others.released);
    r->places = NULL;
    r->others.released = NULL;
    r->count = r->place_count = r->block_count = 0;
}

void gr_releases_close(struct gr_tracer *t)
{
    if (!t->releases)
        return;
    forget_acquired(t->releases);
    forget_released(t->releases);
    free(t->releases->items);
    free(t->releases->blocks);
    free(t->releases);
}

void gr_releases_begin(struct gr_tracer *t)
{
    struct gr_releases *r = t->releases;
    if (t->fenced) {
        r->now = (struct release){.block = {0}};
        r->released = -1;
        forget_acquired(r);
    }
    if (!t->globals) {
        forget_released(r);
        t->fenced = r->full = false;
    }
    if (r->block_count == r->block_room) {
        int room = r->block_room ? 2 * r->block_room : 64;
        struct begun *more = realloc(r->blocks, (size_t)room * sizeof *more);
        if (!more) {
            r->full = true;
            return;
        }
        r->blocks = more;
        r->block_room = room;
    }
    r->blocks[r->block_count++] =
        (struct begun){.first_phase = t->first_phase,
                       .index = {t->sm->block.x, t->sm->block.y, t->sm->block.z},
                       .first_release = r->count};
}

/* ---- Sets. ---- */

static bool add_set(struct gr_releases *r, struct set **to, const struct set *from)
{
    if (!from)
        return true;
    if (!*to && !(*to = calloc(1, sizeof **to)))
        r->full = true;
    for (int i = 0; *to && i <= (r->count - 1) / 64; i++)
        (*to)->bits[i] |= from->bits[i];
    return *to != NULL;
}

static bool has(const struct set *set, int release)
{
    return set && set->bits[release / 64] >> release % 64 & 1;
}

void gr_releases_barrier(struct gr_tracer *t)
{
    struct gr_releases *r = t->releases;
    for (int i = 0; r->acquired && i < WARPS; i++)
        if (r->warps[i]) {
            add_set(r, &r->all, r->warps[i]);
            free(r->warps[i]);
            r->warps[i] = NULL;
        }
    r->acquired = false;
}

/* ---- Fences, releases and acquires. ---- */

static void pass(struct gr_tracer *t, struct fences *fences, int warp)
{
    fences->last_phase = fences->warps[warp].phase = t->phase;
    fences->warps[warp].tick = t->tick;
}

void gr_fence(struct gr_tracer *t, int thread, int scope)
{
    struct gr_releases *r = t->releases;
    t->tick++;
    pass(t, &r->now.block, thread / t->sm->warp);
    if (scope == GR_FENCE_DEVICE)
        pass(t, &r->now.device, thread / t->sm->warp);
    r->released = -1;
    t->fenced = true;
    atomic_store(&t->run->fenced, true);
}

/* The entry of that address. Null: no memory, and everything counts as ordered from now on. */
static struct place *place_of(struct gr_releases *r, uint64_t address)
{
    if (!r->places)
        r->places = calloc(PLACES, sizeof *r->places);
    if (!r->places) {
        r->full = true;
        return NULL;
    }
    uint64_t slot = (address * 0x9e3779b97f4a7c15ULL) >> 51;
    while (r->places[slot].address && r->places[slot].address != address)
        slot = (slot + 1) % PLACES;
    if (!r->places[slot].address && r->place_count == PLACES / 2)
        return &r->others;
    r->place_count += !r->places[slot].address;
    r->places[slot].address = address;
    return &r->places[slot];
}

/* The number of a release of what came before the block's fences; -1: there was no fence, or there
 * is no room. */
static int release_now(struct gr_releases *r)
{
    if (r->now.block.last_phase == 0 || r->released >= 0)
        return r->now.block.last_phase == 0 ? -1 : r->released;
    if (!r->items)
        r->items = calloc(RELEASES, sizeof *r->items);
    if (r->count == RELEASES || !r->items) {
        r->full = true;
        return -1;
    }
    r->items[r->count] = r->now;
    return r->released = r->count++;
}

void gr_synchronise(struct gr_tracer *t, uint64_t address, int thread, bool reads, bool writes)
{
    struct gr_releases *r = t->releases;
    struct place *place = t->fenced && !r->full ? place_of(r, address) : NULL;
    int warp = thread / t->sm->warp;
    if (!place)
        return;
    if (reads && place->released) {
        add_set(r, &r->warps[warp], place->released);
        r->acquired = true;
    }
    int release = writes ? release_now(r) : -1;
    if (release < 0 || (!place->released && !(place->released = calloc(1, sizeof(struct set)))))
        return;
    place->released->bits[release / 64] |= 1ULL << release % 64;
    add_set(r, &place->released, r->all);
    add_set(r, &place->released, r->warps[warp]);
}

bool gr_takes_turns(const struct gr_tracer *t, int warp)
{
    return t->fenced && t->releases->now.block.warps[warp].phase == t->phase;
}

bool gr_is_flag(const struct gr_tracer *t, uint64_t address)
{
    struct gr_releases *r = t->releases;
    const struct place *place = t->fenced && !r->full ? place_of(r, address) : NULL;
    return place && place->released;
}

/* ---- The order of accesses. ---- */

static const struct begun *begun_at(const struct gr_releases *r, uint32_t phase)
{
    int low = 0, high = r->block_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (r->blocks[middle].first_phase <= phase)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &r->blocks[low - 1] : NULL;
}

const unsigned *gr_block_at(const struct gr_tracer *t, uint32_t phase)
{
    const struct begun *b = begun_at(t->releases, phase);
    return b ? b->index : NULL;
}

static bool is_before(const struct gr_then *then, const struct fences *fences, int warp)
{
    int own = then->thread / warp;
    if (then->phase < fences->last_phase)
        return true;
    return fences->warps[own].phase == then->phase && then->tick < fences->warps[own].tick;
}

bool gr_released(const struct gr_tracer *t, const struct gr_then *then, int thread)
{
    const struct gr_releases *r = t->releases;
    int warp = t->sm->warp;
    if (r->full)
        return true;
    if (!t->fenced)
        return false;
    const struct begun *begun = begun_at(r, then->phase);
    if (!begun)
        return false;
    bool elsewhere = then->phase < t->first_phase;
    int end = begun + 1 < r->blocks + r->block_count ? begun[1].first_release : r->count;
    for (int i = begun->first_release; i < end; i++) {
        const struct release *one = &r->items[i];
        if ((has(r->all, i) || has(r->warps[thread / warp], i)) &&
            is_before(then, elsewhere ? &one->device : &one->block, warp))
            return true;
    }
    return false;
}
