/* group_products.c: the queue of the products of a warpgroup, for each of its warps.
 * SPDX-License-Identifier: MIT
 *
 * A warp computes its own 16 rows: they depend on its registers and on shared memory, but not on
 * the registers of the other three warps. */
#include "machine/group_products.h"

#include <stdlib.h>
#include <string.h>

struct product {
    const struct gr_wgmma *g;
    uint32_t pc;
    uint64_t descriptor_a, descriptor_b;
    bool adds;
    int group;
    gr_lanes a[4];
};

struct gr_products {
    struct product *list;
    int count, room;
    int group;            /* the number of the group that is not committed yet */
    uint64_t fingerprint; /* a hash of all products that were issued */
};

void gr_products_begin(struct gr_warp *w)
{
    w->guards = false;
    if (w->products)
        w->products->count = w->products->group = 0, w->products->fingerprint = 0;
}

void gr_products_free(struct gr_warp *w)
{
    if (w->products)
        free(w->products->list);
    free(w->products);
    w->products = NULL;
}

static struct product *next(struct gr_warp *w)
{
    if (!w->products)
        w->products = calloc(1, sizeof *w->products);
    struct gr_products *p = w->products;
    if (p && p->count == p->room) {
        int room = p->room ? 2 * p->room : 16;
        struct product *more = aligned_alloc(_Alignof(struct product), (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        if (p->count)
            memcpy(more, p->list, (size_t)p->count * sizeof *more);
        free(p->list);
        p->list = more;
        p->room = room;
    }
    return p ? &p->list[p->count++] : NULL;
}

static uint64_t descriptor_of(const struct gr_warp *w, unsigned number)
{
    const gr_lanes *u = &w->v[GR_SLOT_UNIFORM + number];
    return u[0][0] | (uint64_t)u[1][0] << 32;
}

static uint64_t mixed(uint64_t x, uint64_t y)
{
    return ((x ^ y) + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
}

struct holding {
    struct gr_machine_hold hold;
    bool begins;
};

static void hold_piece(void *context, uint32_t address)
{
    struct holding *h = context;
    const struct gr_block *b = h->hold.warp->block;
    h->hold.offset = address;
    if (address + (int64_t)GR_WGMMA_PIECE <= b->shared_bytes)
        gr_block_hold(b, &h->hold, h->begins);
}

/* Holds the matrices of the product in shared memory, or releases them. */
static void hold_all(const struct gr_warp *w, const struct product *p, bool begins)
{
    struct holding h = {.hold = {.warp = w,
                                 .step = p->pc,
                                 .kind = GR_ASYNC_PRODUCT,
                                 .use = GR_USE_READS,
                                 .bytes = GR_WGMMA_PIECE},
                        .begins = begins};
    if (w->block->watch)
        gr_wgmma_pieces(p->g, w->number % GR_WGMMA_WARPS, p->descriptor_a, p->descriptor_b,
                        hold_piece, &h);
}

void gr_products_add(struct gr_warp *w, const struct gr_wgmma *g)
{
    struct product *p = next(w);
    if (!p) {
        gr_block_fail(w, GR_BLOCK_FAILED, "no memory for a product of a warpgroup");
        return;
    }
    const uint32_t scale = w->p[g->scale] ^ (g->scale_flip ? ~0u : 0u);
    p->g = g;
    p->pc = w->pc;
    p->descriptor_a = descriptor_of(w, g->descriptors);
    p->descriptor_b = descriptor_of(w, g->descriptors + 2u);
    p->adds = g->c != GR_SLOT_ZERO && (!g->has_scale || (scale & 1));
    p->group = w->products->group;
    if (g->a_in_registers)
        memcpy(p->a, w->v[g->a], sizeof p->a);
    if (g->scoreboard >= 0)
        w->products->group++;
    uint64_t f = mixed(w->products->fingerprint, w->pc);
    f = mixed(f, g->a_in_registers ? 0 : p->descriptor_a);
    w->products->fingerprint = mixed(mixed(f, p->descriptor_b), p->adds);
    hold_all(w, p, true);
    w->guards = w->block->watch && w->block->watch->touches;
}

static bool run(struct gr_warp *w, const struct product *p)
{
    const struct gr_block *b = w->block;
    const struct gr_wgmma_memory memory = {b->shared, 0, (uint32_t)b->shared_bytes};
    const gr_lanes *a[GR_WGMMA_WARPS] = {NULL}, *c[GR_WGMMA_WARPS] = {NULL};
    gr_lanes *d[GR_WGMMA_WARPS] = {NULL};
    const int which = w->number % GR_WGMMA_WARPS;
    uint32_t bad = 0;
    hold_all(w, p, false);
    a[which] = (const gr_lanes *)p->a;
    c[which] = (const gr_lanes *)&w->v[p->g->c];
    d[which] = &w->v[p->g->d];
    if (gr_wgmma_run(p->g, &memory, p->g->a_in_registers ? a : NULL, p->descriptor_a,
                     p->descriptor_b, p->adds ? c : NULL, d, &bad))
        return true;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "a matrix of a warpgroup outside of shared memory, at 0x%x, instruction 0x%x",
                  bad, p->pc * GR_STEP_BYTES);
    return false;
}

void gr_products_wait(struct gr_warp *w, int pending)
{
    struct gr_products *p = w->products;
    int done = 0;
    while (p && done < p->count && p->list[done].group < p->group - pending &&
           run(w, &p->list[done]))
        done++;
    if (done > 0) {
        p->count -= done;
        memmove(p->list, p->list + done, (size_t)p->count * sizeof *p->list);
        w->guards &= p->count > 0;
    }
}

/* Returns the register that operand i names or has its address in, the first if there are several;
 * -1 if there is none. */
static int register_of(const struct gr_operand *o)
{
    const bool address = o->kind == GR_OPERAND_ADDRESS && o->has_base;
    const int number = o->kind == GR_OPERAND_REGISTER ? o->number : address ? o->base : -1;
    return number == GR_REGISTER_ZERO ? -1 : number;
}

/* Consecutive products may use the same accumulator without a wait between them. */
void gr_products_guard(const struct gr_warp *w, uint32_t active)
{
    const struct gr_decoded *d = &w->block->program->decoded[w->pc];
    const struct gr_machine_watch *watch = w->block->watch;
    const bool is_product = strstr(d->mnemonic, "GMMA") != NULL;
    for (int i = 0; i < d->operand_count; i++) {
        const int number = register_of(&d->operand[i]);
        for (int k = 0; number >= 0 && k < w->products->count; k++) {
            const struct product *p = &w->products->list[k];
            if (number < p->g->d || number >= p->g->d + gr_wgmma_registers(p->g) ||
                (is_product && number == p->g->d))
                continue;
            const struct gr_machine_touch touch = {.warp = w,
                                                   .lane = __builtin_ctz(active),
                                                   .product = p->pc,
                                                   .number = number,
                                                   .writes = i == 0 && d->operand[0].kind ==
                                                                           GR_OPERAND_REGISTER};
            watch->touches(watch->state, &touch);
            break;
        }
    }
}

static uint64_t fingerprint(const struct gr_warp *w)
{
    return w->products ? w->products->fingerprint : 0;
}

void gr_products_compare(struct gr_block *b)
{
    for (int i = 0; i < b->warp_count; i++) {
        int first = i - i % GR_WGMMA_WARPS, last = first + GR_WGMMA_WARPS - 1;
        bool whole = last < b->warp_count;
        if (whole ? fingerprint(&b->warps[i]) != fingerprint(&b->warps[first])
                  : fingerprint(&b->warps[i]) != 0) {
            b->status = GR_BLOCK_RUNS; /* the product is still pending */
            gr_block_fail(&b->warps[i], GR_BLOCK_FAILED,
                          "the warps %d to %d of block (%u,%u,%u), a warpgroup, did not begin the "
                          "same products, or are not all there",
                          first, last, b->index[0], b->index[1], b->index[2]);
            return;
        }
    }
}
