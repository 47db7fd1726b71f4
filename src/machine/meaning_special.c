/* meaning_special.c: special registers. SPDX-License-Identifier: MIT */
#include "machine/block.h"
#include "machine/meaning.h"

#include <string.h>

/* The special registers that are modelled. */
enum special {
    SPECIAL_ZERO,
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_CLOCK_LOW,
    SPECIAL_CLOCK_HIGH,
    SPECIAL_EQ_MASK,
    SPECIAL_LT_MASK,
    SPECIAL_LE_MASK,
    SPECIAL_GT_MASK,
    SPECIAL_GE_MASK,
    SPECIAL_SHARED_WINDOW_HIGH,
    SPECIAL_LOCAL_WINDOW_HIGH,
    SPECIAL_WARP,
    SPECIAL_CLUSTER_RANK,
    SPECIAL_TID /* all three coordinates: x in bits 0 to 15, y in 16 to 25, z from 26 on */
};

static const struct {
    const char *name;
    uint8_t special;
} names[] = {
    {"SRZ", SPECIAL_ZERO},
    {"SR_TID.X", SPECIAL_TID_X},
    {"SR_TID.Y", SPECIAL_TID_Y},
    {"SR_TID.Z", SPECIAL_TID_Z},
    {"SR_TID", SPECIAL_TID},
    {"SR_CTAID.X", SPECIAL_CTAID_X},
    {"SR_CTAID.Y", SPECIAL_CTAID_Y},
    {"SR_CTAID.Z", SPECIAL_CTAID_Z},
    {"SR_LANEID", SPECIAL_LANEID},
    {"SR_CLOCKLO", SPECIAL_CLOCK_LOW},
    {"SR_CLOCKHI", SPECIAL_CLOCK_HIGH},
    {"SR_GLOBALTIMERLO", SPECIAL_CLOCK_LOW},
    {"SR_GLOBALTIMERHI", SPECIAL_CLOCK_HIGH},
    {"SR_EQMASK", SPECIAL_EQ_MASK},
    {"SR_LTMASK", SPECIAL_LT_MASK},
    {"SR_LEMASK", SPECIAL_LE_MASK},
    {"SR_GTMASK", SPECIAL_GT_MASK},
    {"SR_GEMASK", SPECIAL_GE_MASK},
    {"SR_SWINHI", SPECIAL_SHARED_WINDOW_HIGH},
    {"SR_LWINHI", SPECIAL_LOCAL_WINDOW_HIGH},
    {"SR_SWINLO", SPECIAL_ZERO},
    {"SR_LWINLO", SPECIAL_ZERO},
    {"SR_CgaCtaId", SPECIAL_CLUSTER_RANK},
    {"SR_VIRTCFG", SPECIAL_ZERO},
    {"SR_VIRTID", SPECIAL_ZERO},
    {"SR_SMID", SPECIAL_ZERO},
    {"SR_WARPID", SPECIAL_WARP},
};

static uint32_t thread_of(const struct gr_warp *w, enum special special, int lane)
{
    const unsigned *size = w->block->launch->block;
    const unsigned n = (unsigned)(w->number * GR_WARP_LANES + lane);
    const unsigned x = n % size[0], y = n / size[0] % size[1], z = n / size[0] / size[1];
    return special == SPECIAL_TID     ? x | y << 16 | z << 26
           : special == SPECIAL_TID_X ? x
           : special == SPECIAL_TID_Y ? y
                                      : z;
}

static uint32_t value_of(const struct gr_warp *w, enum special special, int lane)
{
    const struct gr_block *b = w->block;
    const uint32_t bit = 1u << lane;
    switch (special) {
    case SPECIAL_TID_X:
    case SPECIAL_TID_Y:
    case SPECIAL_TID_Z:
    case SPECIAL_TID:
        return thread_of(w, special, lane);
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return b->index[special - SPECIAL_CTAID_X];
    case SPECIAL_LANEID:
        return (uint32_t)lane;
    case SPECIAL_CLOCK_LOW:
        return (uint32_t)b->clock;
    case SPECIAL_CLOCK_HIGH:
        return (uint32_t)(b->clock >> 32);
    case SPECIAL_EQ_MASK:
        return bit;
    case SPECIAL_LT_MASK:
        return bit - 1;
    case SPECIAL_LE_MASK:
        return bit - 1 + bit;
    case SPECIAL_GT_MASK:
        return ~(bit - 1 + bit);
    case SPECIAL_GE_MASK:
        return ~(bit - 1);
    case SPECIAL_SHARED_WINDOW_HIGH:
        return (uint32_t)(GR_SHARED_WINDOW >> 32);
    case SPECIAL_LOCAL_WINDOW_HIGH:
        return (uint32_t)(GR_LOCAL_WINDOW >> 32);
    case SPECIAL_WARP:
        return (uint32_t)w->number;
    case SPECIAL_CLUSTER_RANK:
        return (uint32_t)b->rank;
    default:
        return 0;
    }
}

static void read_special(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        w->v[s->d][i] = value_of(w, s->kind, i);
        if (s->bytes == 8)
            w->v[s->d + 1][i] =
                s->kind == SPECIAL_CLOCK_LOW ? value_of(w, SPECIAL_CLOCK_HIGH, i) : 0;
    }
}

static bool find(struct gr_translation *t, struct gr_step *s)
{
    if (!gr_operand_is(t, 1, GR_OPERAND_SPECIAL) && !gr_operand_is(t, 1, GR_OPERAND_NAMED))
        return gr_refuse(t, "operand 1 is no special register");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, t->decoded->operand[1].name) == 0) {
            s->kind = names[i].special;
            return true;
        }
    return gr_refuse(t, "%s is not modelled", t->decoded->operand[1].name);
}

/* S2R R, SR; S2UR UR, SR; CS2R R, SR (a pair); CS2R.32 R, SR; CS2UR UR, SR. */
static bool make_s2r(struct gr_translation *t, struct gr_step *s)
{
    bool pair = strncmp(t->decoded->mnemonic, "CS2", 3) == 0 && !gr_take(t, "32");
    gr_take(t, "64");
    s->run = read_special;
    s->bytes = pair ? 8 : 4;
    s->d = gr_destination(t, 0);
    s->uniform |= gr_operand_is(t, 0, GR_OPERAND_UNIFORM);
    return find(t, s) && gr_end(t, 2);
}

static const struct gr_meaning list[] = {
    {"S2R", make_s2r}, {"S2UR", make_s2r}, {"CS2R", make_s2r}, {"CS2UR", make_s2r}, {NULL, NULL},
};

const struct gr_meanings gr_meanings_special = {list};
