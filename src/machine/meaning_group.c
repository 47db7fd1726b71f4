/* meaning_group.c: matrix products of a warpgroup: HGMMA, QGMMA, IGMMA, BGMMA; the instruction that
 * waits for them: WARPGROUP; USETMAXREG; and the barrier of a cluster.
 * SPDX-License-Identifier: MIT */
#include "machine/cluster_blocks.h"
#include "machine/meaning.h"
#include "machine/group_products.h"

static void product(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    if (active == ~0u)
        gr_products_add(w, step->form);
    else
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "a product of a warpgroup by %d lanes of a warp, wanted 32, instruction 0x%x",
                      __builtin_popcount(active), w->pc * GR_STEP_BYTES);
}

static bool make_product(struct gr_translation *t, struct gr_step *step)
{
    struct gr_wgmma g;
    if (!gr_wgmma_take(t, &g))
        return false;
    const int registers = gr_wgmma_registers(&g);
    if (g.scoreboard > 0)
        return gr_refuse(t, "only gsb0 has a meaning");
    if (g.d == GR_SLOT_SINK || g.d + registers > GR_SLOT_ZERO ||
        (g.c != g.d && g.c != GR_SLOT_ZERO) || (g.a_in_registers && g.a + 4 > GR_SLOT_ZERO))
        return gr_refuse(t, "the accumulator is not the result, or not all in registers");
    step->run = product;
    return gr_keep_form(t, step, &g, sizeof g);
}

static void meet(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)step;
    (void)active;
    gr_warp_wait(w, GR_PATH_GROUP, 0, 0);
}

static void wait(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)active;
    gr_products_wait(w, (int)step->value);
    gr_warp_wait(w, GR_PATH_GROUP, 0, 0);
}

/* WARPGROUP.ARRIVE: the four warps wait for one another. WARPGROUP.DEPBAR.LE gsb0, n: waits until
 * at most n groups of products are pending. The four warps wait for one another here, too: the
 * hardware computes their products as one, so a warp that has waited may overwrite what all four
 * have read. */
static bool make_group(struct gr_translation *t, struct gr_step *step)
{
    if (gr_take(t, "ARRIVE")) {
        step->run = meet;
        return gr_end(t, 0);
    }
    if (!gr_take(t, "DEPBAR") || !gr_take(t, "LE") || !gr_operand_is(t, 0, GR_OPERAND_SCOREBOARD) ||
        t->decoded->operand[0].number != 0)
        return gr_refuse(t, "wanted ARRIVE, or DEPBAR.LE gsb0");
    step->run = wait;
    step->value = gr_immediate(t, 1);
    return gr_end(t, 2);
}

static void wait_for_cluster(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)step;
    gr_cluster_wait(w, active & w->mask);
}

static void arrive_at_cluster(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)step;
    gr_cluster_arrive(w, active & w->mask);
}

/* UCGABAR_ARV, UCGABAR_WAIT: at the second, all threads of the cluster wait for one another. */
static bool make_cluster(struct gr_translation *t, struct gr_step *step)
{
    const bool waits = t->decoded->mnemonic[8] == 'W';
    step->run = waits ? wait_for_cluster : arrive_at_cluster;
    return gr_end(t, 0);
}

static void has_registers(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    (void)active;
    w->p[step->p_out[0]] = ~0u;
}

/* USETMAXREG.TRY_ALLOC[.CTAPOOL] up, n: succeeds always. USETMAXREG.DEALLOC. */
static bool make_registers(struct gr_translation *t, struct gr_step *step)
{
    step->run = has_registers;
    step->p_out[0] = GR_PREDICATE_SINK;
    gr_take(t, "CTAPOOL");
    if (gr_take(t, "TRY_ALLOC"))
        step->p_out[0] = gr_predicate_out(t, 0);
    else if (!gr_take(t, "DEALLOC"))
        return gr_refuse(t, "wanted TRY_ALLOC or DEALLOC");
    return !t->refused;
}

static const struct gr_meaning list[] = {
    {"HGMMA", make_product},       {"QGMMA", make_product},        {"IGMMA", make_product},
    {"BGMMA", make_product},       {"WARPGROUP", make_group},      {"USETMAXREG", make_registers},
    {"UCGABAR_ARV", make_cluster}, {"UCGABAR_WAIT", make_cluster}, {NULL, NULL},
};

const struct gr_meanings gr_meanings_group = {list};
