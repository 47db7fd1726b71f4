/* fp_state.h: the floating-point environment of a thread: its rounding, its treatment of denormal
 * numbers, the exceptions that it traps, and those that have been raised.
 * SPDX-License-Identifier: MIT
 *
 * <fenv.h> has no functions for denormal numbers, and on x86-64 it spends its time on the x87
 * unit, which nothing here uses. */
#ifndef CPU_FP_STATE_H
#define CPU_FP_STATE_H

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <fenv.h>
#endif

struct gr_fp {
    uint32_t control; /* MXCSR without its flags; FPCR */
    uint32_t flags;   /* the flags of MXCSR; FPSR */
};

#if defined(__x86_64__)

enum { GR_FP_FLAGS = 0x3f, GR_FP_MASKS = GR_FP_FLAGS << 7 };
/* Rounds to nearest, treats denormal numbers as zero in operands and results, and traps nothing. */
enum { GR_FP_NEAREST_FLUSHING = GR_FP_MASKS | 0x8040 };

static inline struct gr_fp gr_fp_get(void)
{
    uint32_t word;
    __asm__ volatile("stmxcsr %0" : "=m"(word) : : "memory");
    return (struct gr_fp){word & ~(uint32_t)GR_FP_FLAGS, word & GR_FP_FLAGS};
}

static inline void gr_fp_set(struct gr_fp fp)
{
    const uint32_t word = fp.control | fp.flags;
    __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
}

/* The exceptions that are trapped, as flags. */
static inline uint32_t gr_fp_traps(uint32_t control)
{
    return (~control & GR_FP_MASKS) >> 7;
}

static inline uint32_t gr_fp_without_traps(uint32_t control)
{
    return control | GR_FP_MASKS;
}

#elif defined(__aarch64__)

enum { GR_FP_FLAGS = 0x9f, GR_FP_ENABLES = GR_FP_FLAGS << 8 };
enum { GR_FP_NEAREST_FLUSHING = 1 << 24 };

static inline struct gr_fp gr_fp_get(void)
{
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
    return (struct gr_fp){(uint32_t)control, (uint32_t)status & GR_FP_FLAGS};
}

static inline void gr_fp_set(struct gr_fp fp)
{
    uint64_t control = fp.control, status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
    status = (status & ~(uint64_t)GR_FP_FLAGS) | fp.flags;
    __asm__ volatile("msr fpsr, %0" : : "r"(status) : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

static inline uint32_t gr_fp_traps(uint32_t control)
{
    return (control & GR_FP_ENABLES) >> 8;
}

static inline uint32_t gr_fp_without_traps(uint32_t control)
{
    return control & ~(uint32_t)GR_FP_ENABLES;
}

#else /* C itself has rounding and flags only */

enum { GR_FP_NEAREST_FLUSHING = FE_TONEAREST };

static inline struct gr_fp gr_fp_get(void)
{
    return (struct gr_fp){(uint32_t)fegetround(), (uint32_t)fetestexcept(FE_ALL_EXCEPT)};
}

static inline void gr_fp_set(struct gr_fp fp)
{
    fesetround((int)fp.control);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept((int)fp.flags);
}

static inline uint32_t gr_fp_traps(uint32_t control)
{
    (void)control;
    return 0;
}

static inline uint32_t gr_fp_without_traps(uint32_t control)
{
    return control;
}

#endif

/* Turns off the traps of the calling thread until gr_fp_release. Returns its environment from
 * before. */
struct gr_fp gr_fp_hold(void);
/* Restores the environment of the calling thread, and keeps the flags that have been raised since.
 * If it traps some of these, the first one is raised once more, so that the trap is taken. */
void gr_fp_release(struct gr_fp before);

/* Sets flags in addition to those that are set; nothing is trapped. */
static inline void gr_fp_add_flags(uint32_t flags)
{
    struct gr_fp now = gr_fp_get();
    if (!(flags & ~now.flags))
        return;
    now.flags |= flags;
    gr_fp_set(now);
}

#endif
