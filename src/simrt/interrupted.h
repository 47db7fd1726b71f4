/* interrupted.h: the program counter and the stack pointer of a thread that a signal has
 * interrupted. SPDX-License-Identifier: MIT */
#ifndef SIMRT_INTERRUPTED_H
#define SIMRT_INTERRUPTED_H

#include <stdint.h>
#include <ucontext.h>

static inline uintptr_t gr_place_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static inline uintptr_t gr_stack_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return (uintptr_t)context->uc_mcontext.sp;
#endif
}

#endif
