/* fault.c: the worker's signal handler for memory faults. SPDX-License-Identifier: MIT */
#include "measure/fault.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

static const struct gr_arena *watched_arena;
static const struct gr_work_guard *watched_work;
static struct gr_mailbox *watched_mailbox;

/* A stack overflow faults near the stack pointer; other accesses to the stack do not fault. */
static bool is_near_stack(const void *address, const ucontext_t *context)
{
    const uintptr_t near = 65536;
#if defined(__x86_64__)
    uintptr_t pointer = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t pointer = (uintptr_t)context->uc_mcontext.sp;
#else
    uintptr_t pointer = 0;
    (void)context;
#endif
    return (uintptr_t)address - (pointer - near) < 2 * near;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const uintptr_t first_page = 4096;
    watched_mailbox->fault.signal = signal;
    watched_mailbox->fault.on_stack = is_near_stack(info->si_addr, context);
    /* For a non-canonical address `info` has no address, and si_code says so. */
    watched_mailbox->fault.null =
        info->si_code > 0 && info->si_code != SI_KERNEL && (uintptr_t)info->si_addr < first_page;
    int segment = 0;
    int64_t offset = 0;
    if (gr_arena_locate(watched_arena, info->si_addr, &segment, &offset)) {
        watched_mailbox->fault.in_arena = true;
        watched_mailbox->fault.segment = segment;
    } else if (gr_work_guard_locate(watched_work, info->si_addr, &segment, &offset)) {
        watched_mailbox->fault.in_work = true;
        watched_mailbox->fault.work = segment;
        watched_mailbox->fault.work_bytes = (int64_t)watched_work->of[segment].bytes;
    }
    if (watched_mailbox->fault.in_arena || watched_mailbox->fault.in_work) {
        watched_mailbox->fault.offset = offset;
#if defined(__x86_64__)
        const ucontext_t *u = context;
        bool write = (u->uc_mcontext.gregs[REG_ERR] & 2) != 0; /* the fault's error code */
        watched_mailbox->fault.wrote = write;
        watched_mailbox->fault.read = !write;
#endif
    }
    /* SA_RESETHAND has restored the default action, so returning repeats the fault and ends the
     * process. */
}

void gr_fault_watch(const struct gr_arena *arena, const struct gr_work_guard *work,
                    struct gr_mailbox *mailbox)
{
    watched_arena = arena;
    watched_work = work;
    watched_mailbox = mailbox;
    stack_t stack = {.ss_size = 65536};
    stack.ss_sp = malloc(stack.ss_size);
    if (stack.ss_sp)
        sigaltstack(&stack, NULL); /* so that a stack overflow can be handled too */
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
