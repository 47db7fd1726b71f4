/* kernel_signals.c: handles the signals that a traced kernel causes. An access to a gap between
 * arrays is already recorded, so its page is mapped and the thread continues. Any other invalid
 * access, a trap or a division by zero ends the thread; the kernel's other threads continue, so
 * that their faults are found too. SPDX-License-Identifier: MIT */
#include "simrt/interrupted.h"
#include "simrt/sites.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The thread continues here after the handler, on its own stack, and never returns. */
static void abandon(void)
{
    gr_sm_kill();
}

/* The access that the thread was about to make; null: its records have just been processed. */
static const struct gr_record *last_record(void)
{
    const struct gr_sm *sm = gr_sm;
    bool traced = sm && sm->current && sm->tracer;
    return traced && gr_hot.cursor > sm->current->records ? &gr_hot.cursor[-1] : NULL;
}

/* Was the access a write? If it was not recorded, the page fault's error code says so. */
static bool wrote(const ucontext_t *context, uintptr_t address)
{
    const struct gr_record *last = last_record();
    if (last && address - last->address < last->bytes)
        return last->access != GR_ACCESS_LOAD && last->access != GR_ACCESS_COPY;
#if defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return false;
#endif
}

static void go_on_with(ucontext_t *context, void (*function)(void), uintptr_t stack)
{
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)((stack & ~(uintptr_t)15) - 8);
#else
    context->uc_mcontext.pc = (uintptr_t)function;
    context->uc_mcontext.sp = stack & ~(uintptr_t)15;
#endif
}

/* The shared array that is nearest to the address, if it is within the distance that an index
 * reaches which is too large by a factor; null: none. */
static const struct gr_array *shared_array_next_to(uintptr_t address)
{
    const uint64_t far = 64 << 20;
    if (address - gr_shared_base() + far >= 2 * far + gr_shared_extent())
        return NULL;
    return gr_array_nearest(GR_SPACE_SHARED, address - gr_shared_base());
}

/* Has the access been reported as a request outside an array? If it was not recorded, its source
 * line is compared.
 */
static bool is_reported(struct gr_tracer *t, const struct gr_wild *w)
{
    struct gr_record r = w->record;
    const struct gr_sim_line *line = gr_line_find(t->run, r.code);
    r.code = gr_origin_of(t->run, r.code);
    if (w->recorded)
        return t->run->sites[gr_site_find(t, &r, r.bytes)].array >= 0;
    for (int i = 0; i < t->run->site_count && line; i++) {
        const struct gr_site *s = &t->run->sites[i];
        if (s->inside && s->line == (int)line->line && s->file == line->file)
            return true;
    }
    return false;
}

void gr_wild_report(struct gr_tracer *t)
{
    for (int i = 0; i < t->wild_count; i++) {
        const struct gr_wild *w = &t->wild[i];
        const struct gr_record *r = &w->record;
        if (is_reported(t, w))
            continue;
        const struct gr_array *beside = shared_array_next_to(r->address);
        const struct gr_fault_at fault = {.kind = GR_FIND_BOUNDS,
                                          .code = r->code,
                                          .thread = w->thread,
                                          .other = -1,
                                          .writes = w->writes,
                                          .array = beside,
                                          .address =
                                              beside ? r->address - gr_shared_base() : r->address};
        gr_fault_report(t, &fault);
    }
    t->wild_count = 0;
}

static void keep(struct gr_tracer *t, const struct gr_wild *wild)
{
    if (t->wild_count < GR_WILD)
        t->wild[t->wild_count++] = *wild;
}

void gr_wild_keep(struct gr_tracer *t, const struct gr_record *record, int thread, bool writes)
{
    keep(t, &(struct gr_wild){
                .record = *record, .thread = thread, .writes = writes, .recorded = true});
}

/* Keeps the access that the processor refused. */
static void keep_refused(const struct gr_sm *sm, uintptr_t address, const ucontext_t *context)
{
    const struct gr_record *last = last_record();
    int thread = sm->current->linear;
    bool writes = wrote(context, address);
    if (last && address - last->address < last->bytes)
        gr_wild_keep(sm->tracer, last, thread, writes);
    else
        keep(sm->tracer,
             &(struct gr_wild){
                 .record = {.address = address,
                            .code = gr_code_of((const void *)(gr_place_of(context) + 1))},
                 .thread = thread,
                 .writes = writes});
}

static void report(struct gr_sm *sm, int signal, uintptr_t address, const ucontext_t *context)
{
    const struct gr_fiber *f = sm->current;
    uintptr_t in_stacks = address - sm->stacks;
    sm->tracer->abandoned = true;
    if (signal == SIGSEGV && in_stacks < sm->stacks_bytes) {
        sm->outcome.status = GR_SIM_FAILED;
        snprintf(sm->outcome.text, sizeof sm->outcome.text,
                 "stack overflow in block (%u,%u,%u), thread (%u,%u,%u): its local arrays and "
                 "calls need more than %d KB",
                 sm->block.x, sm->block.y, sm->block.z, f->index.x, f->index.y, f->index.z,
                 (int)(sm->stride / 1024));
        return;
    }
    if (signal == SIGSEGV || signal == SIGBUS) {
        keep_refused(sm, address, context);
        return;
    }
    sm->outcome.status = GR_SIM_FAILED;
    snprintf(sm->outcome.text, sizeof sm->outcome.text, "%s in block (%u,%u,%u), thread (%u,%u,%u)",
             signal == SIGFPE ? "integer division by zero" : "a trap", sm->block.x, sm->block.y,
             sm->block.z, f->index.x, f->index.y, f->index.z);
}

/* The address of the access. The system does not report it if it is not canonical. */
static uintptr_t address_of(const siginfo_t *info)
{
    const struct gr_record *last = info->si_code == SI_KERNEL ? last_record() : NULL;
    return last ? (uintptr_t)last->address : (uintptr_t)info->si_addr;
}

/* Has the same thread of this block been abandoned at this place before? Then memory that the run
 * time itself needs has been overwritten. */
static bool comes_again(const struct gr_sm *sm, const ucontext_t *context)
{
    static __thread struct {
        const struct gr_fiber *fiber;
        uint32_t serial;
        uintptr_t place;
    } gr_left;
    uintptr_t place = gr_place_of(context);
    bool again = gr_left.fiber == sm->current && gr_left.serial == sm->tracer->serial &&
                 gr_left.place == place;
    gr_left.fiber = sm->current;
    gr_left.serial = sm->tracer->serial;
    gr_left.place = place;
    return again;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    struct gr_sm *sm = gr_sm;
    uintptr_t address = address_of(info), page = (uintptr_t)sysconf(_SC_PAGESIZE);
    /* A misaligned vector instruction is refused by the host's processor too. */
    bool refused = signal == SIGSEGV && info->si_code == SI_KERNEL;
    if (signal == SIGSEGV && !refused && gr_in_arena(address)) {
        void *at = (void *)(address / page * page);
        if (mprotect(at, page, PROT_READ | PROT_WRITE) == 0)
            return;
    }
    if (!sm || !sm->current || (sm->tracer && comes_again(sm, context)))
        _exit(128 + signal);
    if (refused && gr_in_arena(address))
        gr_alignment_fault(address, 1, wrote(context, address),
                           (const void *)(gr_place_of(context) + 1));
    if (sm->tracer)
        report(sm, signal, address, context);
    size_t index = (size_t)sm->current->linear;
    go_on_with(context, abandon, sm->stacks + sm->stride * (index + 1) - 64);
}

void gr_kernel_signals_catch(void)
{
    enum { ROOM = 64 * 1024 };
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    stack_t stack = {.ss_sp = malloc(ROOM), .ss_size = ROOM};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
