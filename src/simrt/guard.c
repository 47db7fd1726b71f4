/* guard.c: what a traced kernel may not touch. A gap between arrays is mapped and the thread goes on: the access has been
 * told of. A touch of anything else ends the thread. SPDX-License-Identifier: MIT */
#include "simrt/interrupted.h"
#include "simrt/tracer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the thread goes on after the handler: on its own stack, in code that never returns. */
static void abandon(void)
{
    gr_sm_kill();
}

/* What the thread was about to touch; null: its records have just been taken. */
static const struct gr_record *last_record(void)
{
    const struct gr_sm *sm = gr_sm;
    bool traced = sm && sm->current && sm->tracer;
    return traced && gr_hot.cursor > sm->current->records ? &gr_hot.cursor[-1] : NULL;
}

/* Where it was not recorded, the page fault may tell. */
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

static void tell(struct gr_sm *sm, int signal, uintptr_t address, const ucontext_t *context)
{
    const struct gr_fiber *f = sm->current;
    uintptr_t in_stacks = address - sm->stacks, place = gr_place_of(context);
    sm->tracer->spoiled = true;
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
        const struct gr_fault_at fault = {.kind = GR_FAULT_BOUNDS,
                                          .code = gr_code_of((const void *)(place + 1)),
                                          .thread = f->linear,
                                          .other = -1,
                                          .writes = wrote(context, address),
                                          .address = address};
        gr_fault_report(sm->tracer, &fault);
        return;
    }
    sm->outcome.status = GR_SIM_FAILED;
    snprintf(sm->outcome.text, sizeof sm->outcome.text, "%s in block (%u,%u,%u), thread (%u,%u,%u)",
             signal == SIGFPE ? "integer division by zero" : "a trap", sm->block.x, sm->block.y,
             sm->block.z, f->index.x, f->index.y, f->index.z);
}

/* Of an address that no memory can have the host does not tell. */
static uintptr_t address_of(const siginfo_t *info)
{
    const struct gr_record *last = info->si_code == SI_KERNEL ? last_record() : NULL;
    return last ? (uintptr_t)last->address : (uintptr_t)info->si_addr;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    struct gr_sm *sm = gr_sm;
    uintptr_t address = address_of(info), page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (signal == SIGSEGV && gr_in_arena(address)) {
        void *at = (void *)(address / page * page);
        if (mprotect(at, page, PROT_READ | PROT_WRITE) == 0)
            return;
    }
    if (!sm || !sm->current || !sm->tracer)
        _exit(128 + signal);
    tell(sm, signal, address, context);
    size_t index = (size_t)sm->current->linear;
    go_on_with(context, abandon, sm->stacks + sm->stride * (index + 1) - 64);
}

void gr_arrays_guard(void)
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
