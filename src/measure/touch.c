/* touch.c: changes one element of A or B and one of C before each GEMM.
 * SPDX-License-Identifier: MIT */
#include "measure/touch.h"

#include "check/check.h"
#include "check/element.h"

#include <math.h>
#include <string.h>

/* Multiplied by a byte, this repeats it eight times. */
static const uint64_t each_byte = 0x0101010101010101u;

/* The value of an element whose bytes are all equal. Such elements can be written to a device's
 * memory by a memset, without a copy. */
static double value_of(enum gr_dtype type, unsigned char byte)
{
    unsigned char element[8];
    memset(element, byte, sizeof element);
    return gr_element(type, element, 0);
}

/* Chooses the values between `least` and `most` that are closest to `typical`; the largest ones
 * if none is large enough. */
static void choose_values(enum gr_dtype type, double least, double typical, double most,
                          unsigned char *value)
{
    const double never = 1e300;
    for (int chosen = 0; chosen < GR_TOUCH_VALUES; chosen++) {
        double best = never;
        for (int byte = 0; byte < 256; byte++) {
            double size = fabs(value_of(type, (unsigned char)byte));
            if (memchr(value, byte, (size_t)chosen) || !isfinite(size) || size == 0 || size > most)
                continue;
            double far = fabs(log2(size / typical)) + (size < least ? 1e4 : 0);
            if (far < best) {
                best = far;
                value[chosen] = (unsigned char)byte;
            }
        }
    }
}

/* How large an element of A must be for its change to exceed the error bound of C; see struct
 * gr_rule in check/judge.h. */
static double visible(const struct gr_problem *p, double typical)
{
    const double clearly = 16;
    double k = (double)p->k, walk = sqrt(k), limit = 16 * fmax(1, walk / 8);
    double bound = gr_dtype_eps(p->types.acc) * limit * k + gr_dtype_eps(p->types.c) * walk;
    return clearly * bound * typical;
}

void gr_touch_plan_make(const struct gr_problem *problem, const double typical[2], bool bytewise,
                        uint64_t seed, struct gr_touch_plan *plan)
{
    *plan = (struct gr_touch_plan){.on = true, .seed = seed};
    for (int o = 0; o < 3; o++) {
        enum gr_dtype type = gr_problem_type(problem, "ABC"[o]);
        plan->operand[o].cols = gr_problem_cols(problem, "ABC"[o]);
        plan->operand[o].elements = gr_problem_rows(problem, "ABC"[o]) * plan->operand[o].cols;
        plan->operand[o].ld = gr_problem_ld(problem, "ABC"[o]);
        plan->operand[o].bytes = (int)gr_dtype_bytes(type);
        double most = gr_dtype_max(type);
        if (o < 2) {
            double least = fmin(visible(problem, typical[o]), most / 64);
            double size = isfinite(typical[o]) && typical[o] > 0 ? typical[o] : 1;
            choose_values(type, least, fmax(2 * least, size), most / 16, plan->operand[o].value);
        } else {
            choose_values(type, 0, most, most, plan->operand[o].value);
        }
        int kept = gr_dtype_digits(type) - 2; /* the low bits of the mantissa */
        if (!bytewise && gr_dtype_eps(type) > 0 && kept > 0)
            plan->operand[o].varied = ((uint64_t)1 << kept) - 1;
        plan->on &= plan->operand[o].elements > 0;
    }
    plan->spoiled = plan->operand[2].value[0] * each_byte;
}

static int64_t place(const struct gr_touch_plan *plan, int operand, uint64_t random)
{
    int64_t cols = plan->operand[operand].cols, ld = plan->operand[operand].ld;
    uint64_t elements = (uint64_t)plan->operand[operand].elements;
    int64_t index =
        (int64_t)(elements <= UINT32_MAX ? (random >> 32) * elements >> 32 : random % elements);
    return cols == ld ? index : index / cols * ld + index % cols;
}

struct gr_touch gr_touch_of(const struct gr_touch_plan *plan, int set, uint32_t ordinal)
{
    uint64_t z = plan->seed + 0x9e3779b97f4a7c15u * ((uint64_t)set << 32 | ordinal);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u; /* SplitMix64, as in base/rng.h, but inline */
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    int operand = (int)(z & 1);
    uint64_t value = plan->operand[operand].value[z >> 1 & 3] * each_byte;
    return (struct gr_touch){
        .operand = operand,
        .at = place(plan, operand, z),
        .value = value ^ (z * 0xa0761d6478bd642fu >> 11 & plan->operand[operand].varied),
        .c_at = place(plan, 2, z * 0xd1342543de82ef95u)};
}

void gr_touch_prepare(const struct gr_touch_plan *plan, int set, void *const operands[3],
                      struct gr_touched *touched, int count, struct gr_touch_step *steps)
{
    for (int i = 0; i < count; i++) {
        struct gr_touch touch = gr_touch_of(plan, set, touched->prepared + (uint32_t)i + 1);
        int size = plan->operand[touch.operand].bytes, c_size = plan->operand[2].bytes;
        steps[i].at = (unsigned char *)operands[touch.operand] + touch.at * size;
        steps[i].c_at = (unsigned char *)operands[2] + touch.c_at * c_size;
        steps[i].value = touch.value;
        steps[i].bytes = size;
    }
    touched->first = touched->prepared + 1;
    touched->prepared += (uint32_t)count;
}

void gr_touch_undo(struct gr_touched *touched)
{
    if (touched->at)
        gr_touch_copy(touched->at, &touched->old, touched->bytes);
    touched->at = NULL;
}

void gr_touch_done(const struct gr_touch_step *steps, int t, struct gr_touched *touched)
{
    const struct gr_touch_step *last = &steps[t % GR_TOUCH_STEPS];
    touched->at = last->at;
    touched->old = last->old;
    touched->bytes = last->bytes;
    touched->ordinal = touched->first + (uint32_t)(t % GR_TOUCH_STEPS);
}

void gr_touch_reaches(const struct gr_touch_plan *plan, const struct gr_problem *problem,
                      const struct gr_touch *touch, uint64_t which, int64_t *row, int64_t *col)
{
    int64_t ld = plan->operand[touch->operand].ld;
    int64_t stored_row = touch->at / ld, stored_col = touch->at % ld;
    if (touch->operand == 0) {
        *row = problem->trans_a ? stored_col : stored_row;
        *col = (int64_t)(which % (uint64_t)problem->n);
    } else {
        *row = (int64_t)(which % (uint64_t)problem->m);
        *col = problem->trans_b ? stored_row : stored_col;
    }
}
