/* meaning_control.c: branches, calls, convergence, barriers, and instructions without effect here.
 * SPDX-License-Identifier: MIT */
#include "machine/block.h"
#include "machine/copies.h"
#include "machine/device_functions.h"
#include "machine/flights.h"
#include "machine/translate.h"

#include <string.h>

static uint32_t word_of(const struct gr_warp *w, const struct gr_step *s, int source)
{
    const gr_lanes *v = gr_source_of(w, &s->s[source]);
    return (*v)[w->mask ? __builtin_ctz(w->mask) : 0];
}

static uint64_t pair_of(const struct gr_warp *w, const struct gr_step *s, int source, int lane)
{
    const gr_lanes *v = gr_source_of(w, &s->s[source]);
    return v[0][lane] | (uint64_t)v[1][lane] << 32;
}

/* ---- Branches. ---- */

/* Returns the lanes for which all predicates of a branch, other than its guard, are true. */
static uint32_t condition(const struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    return active & (w->p[s->p_in[0]] ^ (s->p_in_flip & 1 ? ~0u : 0u));
}

static void branch(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    gr_warp_branch(w, condition(w, s, active), (uint32_t)s->value);
}

/* BRA.U.ANY: all lanes branch if the predicates are true for any lane. */
static void branch_any(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    gr_warp_branch(w, condition(w, s, active) ? w->mask : 0, (uint32_t)s->value);
}

/* BRA.DIV branches if the lanes that execute it are not all the lanes of its operand; BRA.CONV
 * branches if they are. */
static void branch_divergent(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    bool together = (word_of(w, s, 0) & w->live) == active;
    if (together == (s->kind != 0))
        gr_warp_branch(w, condition(w, s, active), (uint32_t)s->value);
}

static void make_target(struct gr_translation *t, int i, struct gr_step *s)
{
    if (!gr_operand_is(t, i, GR_OPERAND_TARGET) || t->decoded->operand[i].value % 16 != 0)
        gr_refuse(t, "wanted the address of an instruction as its target");
    else
        s->value = t->decoded->operand[i].value / 16;
}

/* BRA [P,] target; BRA.U UP, target; BRA.DIV UR, target; BRA.CONV UR, target. */
static bool make_bra(struct gr_translation *t, struct gr_step *s)
{
    bool divides = gr_take(t, "DIV"), converged = gr_take(t, "CONV");
    int at = 0;
    gr_take(t, "U");
    const bool any = gr_take(t, "ANY");
    s->p_in[0] = GR_PREDICATE_ALWAYS;
    s->run = divides || converged ? branch_divergent : any ? branch_any : branch;
    s->kind = converged;
    if (gr_operand_is(t, at, GR_OPERAND_PREDICATE) ||
        gr_operand_is(t, at, GR_OPERAND_UNIFORM_PREDICATE))
        gr_predicate_in(t, at++, s, 0);
    if (divides || converged)
        s->s[0] = gr_source_make(t, at++, 1);
    make_target(t, at, s);
    return !t->refused;
}

/* Jumps to an address in bytes that each lane computes. */
static void jump_to(struct gr_warp *w, uint32_t active, const uint64_t address[GR_WARP_LANES])
{
    uint32_t target[GR_WARP_LANES];
    for (uint32_t left = active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (address[lane] % GR_STEP_BYTES != 0 ||
            address[lane] / GR_STEP_BYTES >= (uint64_t)w->block->program->count) {
            gr_block_fail(w, GR_BLOCK_FAILED,
                          "a jump to 0x%llx, which is no instruction of the kernel",
                          (unsigned long long)address[lane]);
            return;
        }
        target[lane] = (uint32_t)(address[lane] / GR_STEP_BYTES);
    }
    gr_warp_jump(w, active, target);
}

/* The target is s[0], a pair of words or a word, plus `value`. */
static void indirect(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    uint64_t address[GR_WARP_LANES];
    for (int i = 0; i < GR_WARP_LANES; i++)
        address[i] =
            (s->kind ? pair_of(w, s, 0, i) : (uint64_t)(int32_t)(*gr_source_of(w, &s->s[0]))[i]) +
            (uint64_t)s->value;
    jump_to(w, active, address);
}

/* Takes the addend of an indirect jump. An immediate is relative to the next instruction. */
static void make_addend(struct gr_translation *t, int i, struct gr_step *s)
{
    if (i >= t->decoded->operand_count)
        s->value = 0;
    else if (gr_operand_is(t, i, GR_OPERAND_TARGET))
        s->value = t->decoded->operand[i].value;
    else
        s->value = (int64_t)t->decoded->address + GR_STEP_BYTES + gr_immediate(t, i);
}

/* BRX R, addend; BRXU UR, addend; JMX R. The register is a pair of words. */
static bool make_brx(struct gr_translation *t, struct gr_step *s)
{
    s->run = indirect;
    s->uniform = false;
    s->s[0] = gr_source_make(t, 0, 2);
    s->kind = 1;
    make_addend(t, 1, s);
    return !t->refused;
}

static void call(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    gr_warp_branch(w, active, (uint32_t)s->value);
}

/* A call of an absolute address may call a function of the driver, which returns at once. */
static void call_absolute(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    uint64_t to = pair_of(w, s, 0, __builtin_ctz(active));
    if (to >= GR_DRIVER_FUNCTIONS)
        gr_driver_call(w, active, (unsigned)((to - GR_DRIVER_FUNCTIONS) / GR_STEP_BYTES));
    else
        indirect(w, s, active);
}

/* CALL.REL.NOINC target; CALL.REL R, addend; CALL.ABS.NOINC R. The return address is in registers,
 * where the program itself has put it. */
static bool make_call(struct gr_translation *t, struct gr_step *s)
{
    bool absolute = gr_take(t, "ABS");
    gr_take(t, "REL");
    gr_take(t, "U");
    if (!gr_take(t, "NOINC"))
        return gr_refuse(t, "calls that push their address of return are not modelled");
    if (gr_operand_is(t, 0, GR_OPERAND_TARGET)) {
        s->run = call;
        make_target(t, 0, s);
        return !t->refused;
    }
    s->run = absolute ? call_absolute : indirect;
    s->kind = 1;
    s->s[0] = gr_source_make(t, 0, 2);
    if (!absolute)
        make_addend(t, 1, s);
    return !t->refused;
}

/* RET.REL.NODEC R, function; RET.ABS.NODEC R. */
static bool make_ret(struct gr_translation *t, struct gr_step *s)
{
    bool absolute = gr_take(t, "ABS");
    gr_take(t, "REL");
    if (!gr_take(t, "NODEC"))
        return gr_refuse(t, "returns to a pushed address are not modelled");
    s->run = indirect;
    s->kind = 1;
    s->s[0] = gr_source_make(t, 0, 2);
    if (!absolute)
        make_addend(t, 1, s);
    return !t->refused;
}

static void lepc(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        w->v[s->d][lane] = (uint32_t)s->value;
        w->v[s->d + 1][lane] = (uint32_t)(s->value >> 32);
    }
}

/* LEPC R, target: the address of the instruction after it, or of the target. */
static bool make_lepc(struct gr_translation *t, struct gr_step *s)
{
    s->run = lepc;
    s->d = gr_destination(t, 0);
    s->value = (int64_t)t->decoded->address + GR_STEP_BYTES;
    if (t->decoded->operand_count > 1)
        s->value = t->decoded->operand[1].value;
    return !t->refused;
}

static void leave(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    gr_warp_exit(w, condition(w, s, active));
    if (w->live == 0) {
        gr_copies_arrive(w);
        gr_stores_arrive(w);
    }
}

/* EXIT [P]. */
static bool make_exit(struct gr_translation *t, struct gr_step *s)
{
    s->run = leave;
    s->p_in[0] = GR_PREDICATE_ALWAYS;
    if (t->decoded->operand_count > 0)
        gr_predicate_in(t, 0, s, 0);
    return !t->refused;
}

/* ---- Convergence. ---- */

static void bssy(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const uint32_t lanes = condition(w, s, active);
    for (uint32_t left = lanes; left; left &= left - 1)
        w->convergence[s->kind][__builtin_ctz(left)] = lanes;
}

static void make_convergence(struct gr_translation *t, int i, struct gr_step *s)
{
    if (!gr_operand_is(t, i, GR_OPERAND_BARRIER))
        gr_refuse(t, "wanted a convergence barrier");
    else
        s->kind = t->decoded->operand[i].number % GR_CONVERGENCE_BARRIERS;
}

/* BSSY [P,] B, target. The target is the BSYNC at which the lanes will wait. */
static bool make_bssy(struct gr_translation *t, struct gr_step *s)
{
    gr_take(t, "RECONVERGENT");
    gr_take(t, "RELIABLE");
    s->run = bssy;
    s->p_in[0] = GR_PREDICATE_ALWAYS;
    int at = 0;
    if (gr_operand_is(t, at, GR_OPERAND_PREDICATE))
        gr_predicate_in(t, at++, s, 0);
    make_convergence(t, at, s);
    return !t->refused;
}

static void bsync(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    uint32_t lanes = condition(w, s, active);
    if (lanes != w->mask) {
        if (lanes)
            gr_block_fail(w, GR_BLOCK_NOT_MODELLED,
                          "a BSYNC that only some lanes of a path execute");
        return;
    }
    const uint32_t wanted = w->convergence[s->kind][__builtin_ctz(lanes)];
    if ((wanted & w->live & ~lanes) != 0)
        gr_warp_wait(w, GR_PATH_SYNC, s->kind, wanted);
}

/* BSYNC [P,] B. */
static bool make_bsync(struct gr_translation *t, struct gr_step *s)
{
    gr_take(t, "RECONVERGENT");
    gr_take(t, "RELIABLE");
    s->run = bsync;
    s->p_in[0] = GR_PREDICATE_ALWAYS;
    int at = 0;
    if (gr_operand_is(t, at, GR_OPERAND_PREDICATE))
        gr_predicate_in(t, at++, s, 0);
    make_convergence(t, at, s);
    return !t->refused;
}

static void leave_convergence(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const uint32_t leaving = condition(w, s, active);
    uint32_t group = 0;
    for (uint32_t left = leaving; left; left &= left - 1)
        group |= w->convergence[s->kind][__builtin_ctz(left)];
    for (uint32_t left = group; left; left &= left - 1)
        w->convergence[s->kind][__builtin_ctz(left)] &= ~leaving;
    for (int i = 0; i < w->path_count; i++)
        if (w->paths[i].state == GR_PATH_SYNC && w->paths[i].number == s->kind &&
            (w->paths[i].mask & group))
            w->paths[i].waits_for &= ~leaving; /* the lanes that wait no longer wait for these */
}

/* BREAK [P,] B: the lanes no longer take part in the convergence barrier. */
static bool make_break(struct gr_translation *t, struct gr_step *s)
{
    bool made = make_bssy(t, s);
    s->run = leave_convergence;
    return made;
}

static void bmov_to_register(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        w->v[s->d][lane] = w->convergence[s->kind][lane];
        if (s->flags)
            w->convergence[s->kind][lane] = 0;
    }
}

static void bmov_from_register(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    const gr_lanes *masks = gr_source_of(w, &s->s[0]);
    for (uint32_t left = active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        w->convergence[s->kind][lane] = (*masks)[lane];
    }
}

/* BMOV.32[.CLEAR] R, B; BMOV.32 B, R. */
static bool make_bmov(struct gr_translation *t, struct gr_step *s)
{
    gr_take(t, "32");
    gr_take(t, "PQUAD");
    s->flags = gr_take(t, "CLEAR");
    if (gr_operand_is(t, 0, GR_OPERAND_BARRIER)) {
        s->run = bmov_from_register;
        make_convergence(t, 0, s);
        s->s[0] = gr_source_make(t, 1, 1);
    } else {
        s->run = bmov_to_register;
        s->d = gr_destination(t, 0);
        make_convergence(t, 1, s);
    }
    return !t->refused;
}

static void warpsync(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    uint32_t mask = s->flags ? w->existing : word_of(w, s, 0);
    if (active != w->mask) {
        gr_block_fail(w, GR_BLOCK_NOT_MODELLED,
                      "a WARPSYNC that only some lanes of a path execute");
        return;
    }
    if ((mask & w->live & ~active) != 0)
        gr_warp_wait(w, GR_PATH_TOGETHER, 0, mask);
    else if (w->block->watch && w->block->watch->met)
        w->block->watch->met(w->block->watch->state, w, active);
}

/* WARPSYNC mask; WARPSYNC.ALL; WARPSYNC.COLLECTIVE R, target. */
static bool make_warpsync(struct gr_translation *t, struct gr_step *s)
{
    s->run = warpsync;
    s->flags = gr_take(t, "ALL");
    gr_take(t, "EXCLUSIVE");
    gr_take(t, "COLLECTIVE");
    if (!s->flags)
        s->s[0] = gr_source_make(t, 0, 1);
    return !t->refused;
}

static void yield(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)s;
    (void)active;
    gr_warp_yield(w);
}

/* NANOSLEEP, YIELD. The duration of a sleep is not modelled. */
static bool make_yield(struct gr_translation *t, struct gr_step *s)
{
    gr_take(t, "SYNCALL");
    s->run = yield;
    return true;
}

/* ---- The block's barriers. ---- */

static void barrier(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    int number = s->s[0].fixed ? (int)s->s[0].fixed[0][0] : (int)word_of(w, s, 0);
    int wanted = s->flags & 2 ? (int)word_of(w, s, 1) : 0;
    uint32_t predicate = w->p[s->p_in[0]] ^ (s->p_in_flip & 1 ? ~0u : 0u);
    if (s->flags & 4) { /* both numbers are in one register */
        wanted = number >> 16;
        number &= 0xffff;
    }
    if (number < 0 || number >= GR_BARRIERS) {
        gr_block_fail(w, GR_BLOCK_FAILED, "a barrier of number %d, of which there are %d", number,
                      GR_BARRIERS);
        return;
    }
    const struct gr_arrival arrival = {number, wanted & 0xfff, !(s->flags & 1),
                                       (enum gr_reduction)s->kind, predicate};
    gr_warp_barrier(w, active, &arrival);
}

/* BAR.SYNC[.DEFER_BLOCKING] number [, threads]; BAR.ARV number, threads; BAR.RED.op number [,
 * threads], P. */
static bool make_bar(struct gr_translation *t, struct gr_step *s)
{
    static const char *const kinds[] = {"SYNC", "ARV", "RED", NULL};
    static const char *const reductions[] = {"POPC", "AND", "OR", NULL};
    int kind = gr_take_one(t, kinds, -1), at = 0;
    if (kind < 0)
        return gr_refuse(t, "wanted SYNC, ARV or RED");
    gr_take(t, "DEFER_BLOCKING");
    s->kind = (uint8_t)(gr_take_one(t, reductions, -1) + 1); /* the values of enum gr_reduction */
    s->run = barrier;
    s->flags = kind == 1;
    s->p_in[0] = GR_PREDICATE_ALWAYS;
    s->s[0] = gr_source_make(t, at++, 1);
    if (at < t->decoded->operand_count && !gr_operand_is(t, at, GR_OPERAND_PREDICATE)) {
        s->s[1] = gr_source_make(t, at++, 1);
        s->flags |= 2;
    }
    if (at < t->decoded->operand_count)
        gr_predicate_in(t, at, s, 0);
    return !t->refused;
}

/* B2R.RESULT R, P: the result of the last barrier with a reduction. */
static void barrier_result(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1)
        w->v[s->d][__builtin_ctz(left)] = (uint32_t)w->reduced_count;
    uint32_t truth = w->reduced_truth ? ~0u : 0u;
    if (s->p_out[0] != GR_PREDICATE_SINK)
        w->p[s->p_out[0]] = (w->p[s->p_out[0]] & ~active) | (truth & active);
}

static bool make_b2r(struct gr_translation *t, struct gr_step *s)
{
    if (!gr_take(t, "RESULT"))
        return gr_refuse(t, "wanted B2R.RESULT");
    s->run = barrier_result;
    s->d = gr_destination(t, 0);
    s->p_out[0] = t->decoded->operand_count > 1 ? gr_predicate_out(t, 1) : GR_PREDICATE_SINK;
    return !t->refused;
}

/* ---- Memory order, and hints. ---- */

static void nothing(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)w;
    (void)s;
    (void)active;
}

/* Accepts all modifiers and suffixes, because the instruction has no effect here. */
static bool make_nothing(struct gr_translation *t, struct gr_step *s)
{
    t->taken = UINT16_MAX;
    memset(t->suffixes_taken, 0xff, sizeof t->suffixes_taken);
    s->run = nothing;
    return true;
}

static void fence(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    if (w->block->watch && w->block->watch->fence)
        w->block->watch->fence(w->block->watch->state, w, active, s->kind);
}

/* MEMBAR.order.scope. Blocks and warps run one after another, so memory accesses are always in
 * order. */
static bool make_membar(struct gr_translation *t, struct gr_step *s)
{
    static const char *const orders[] = {"ALL", "SC", NULL};
    static const char *const scopes[] = {"CTA", "GPU", "SYS", "VC", NULL};
    gr_take_one(t, orders, 0);
    s->kind = gr_take_one(t, scopes, 1) == 0 ? 1 : 2;
    s->run = fence;
    return !t->refused;
}

static void proxy_fence(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)s;
    (void)active;
    if (w->block->watch && w->block->watch->proxy_fence)
        w->block->watch->proxy_fence(w->block->watch->state, w);
}

/* FENCE.VIEW.ASYNC[.S|.G|…]. Memory accesses are always in order, so this only notifies the watch.
 */
static bool make_fence(struct gr_translation *t, struct gr_step *s)
{
    make_nothing(t, s);
    s->run = proxy_fence;
    return true;
}

static void commit(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)s;
    (void)active;
    gr_copies_commit(w);
}

/* LDGDEPBAR: makes a group of the copies so far. */
static bool make_commit(struct gr_translation *t, struct gr_step *s)
{
    (void)t;
    s->run = commit;
    return true;
}

static void wait_copies(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)active;
    gr_copies_wait(w, (int)s->value);
    gr_stores_wait(w, (int)s->value);
}

/* DEPBAR.LE SB0, n: waits until at most n groups are pending. Other scoreboards only order
 * registers. */
static bool make_depbar(struct gr_translation *t, struct gr_step *s)
{
    bool counts = gr_take(t, "LE");
    if (!counts || t->decoded->operand[0].number != 0)
        return make_nothing(t, s);
    s->run = wait_copies;
    s->value = gr_immediate(t, 1);
    return !t->refused;
}

static void trap(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)s;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "the kernel trapped: thread %d of block (%u,%u,%u), instruction 0x%x",
                  w->number * GR_WARP_LANES + __builtin_ctz(active), w->block->index[0],
                  w->block->index[1], w->block->index[2], w->pc * GR_STEP_BYTES);
}

static bool make_trap(struct gr_translation *t, struct gr_step *s)
{
    t->taken = UINT16_MAX;
    s->run = trap;
    return true;
}

static const struct gr_meaning list[] = {
    {"BRA", make_bra},
    {"BRX", make_brx},
    {"BRXU", make_brx},
    {"JMX", make_brx},
    {"JMXU", make_brx},
    {"JMP", make_bra},
    {"CALL", make_call},
    {"RET", make_ret},
    {"LEPC", make_lepc},
    {"EXIT", make_exit},
    {"KILL", make_exit},
    {"BSSY", make_bssy},
    {"BSYNC", make_bsync},
    {"BREAK", make_break},
    {"BMOV", make_bmov},
    {"WARPSYNC", make_warpsync},
    {"ENDCOLLECTIVE", make_nothing},
    {"YIELD", make_yield},
    {"NANOSLEEP", make_yield},
    {"BAR", make_bar},
    {"B2R", make_b2r},
    {"MEMBAR", make_membar},
    {"LDGDEPBAR", make_commit},
    {"DEPBAR", make_depbar},
    {"BPT", make_trap},
    {"NOP", make_nothing},
    {"ERRBAR", make_nothing},
    {"CGAERRBAR", make_nothing},
    {"CCTL", make_nothing},
    {"CCTLL", make_nothing},
    {"CCTLT", make_nothing},
    {"PREEXIT", make_nothing},
    {"ACQBULK", make_nothing},
    {"PMTRIG", make_nothing},
    {"FENCE", make_fence},
    {NULL, NULL},
};

const struct gr_meanings gr_meanings_control = {list};
