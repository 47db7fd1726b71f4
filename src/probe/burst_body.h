/* burst_body.h: the code of burst.h's loops. It is included once for each ISA level, by a file that
 * the build writes from the `vectors` line of src/cpu/isa_<name>.c (cmake/probe.cmake) and that
 * defines
 *   BURST_ISA        the level's name, as an identifier
 *   BURST_REGISTERS  the number of vector registers
 *   BURST_BYTES      the size of a vector register in bytes
 * The latter two are defined only if the level has more than every CPU of the processor family.
 * SPDX-License-Identifier: MIT */
#ifndef PROBE_BURST_BODY_H
#define PROBE_BURST_BODY_H

#include "probe/burst.h"

#ifndef BURST_BYTES
#define BURST_BYTES 16
#if defined(__aarch64__)
#define BURST_REGISTERS 32
#else
#define BURST_REGISTERS 16
#endif
#endif

typedef float vf __attribute__((vector_size(BURST_BYTES)));
typedef double vd __attribute__((vector_size(BURST_BYTES)));

/* Each chain of multiply-adds is a variable of its own: an array of accumulators that the compiler
 * does not unroll is kept in memory, and would measure the store buffer. 12 chains cover two units
 * with a latency of 4 to 6 cycles; 24 cover four units. With two operands beside them, 12 fit into
 * 16 registers and 24 into 32. The empty asm after each step keeps the order of the steps (clang
 * reorders them until they spill) and the value in a register. */
#define CHAINS_12(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CHAINS_24(X)                                                                               \
    CHAINS_12(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#if defined(__aarch64__)
#define IN_VECTOR_REGISTER "w"
#else
#define IN_VECTOR_REGISTER "v"
#endif
#if BURST_REGISTERS >= 32
#define CHAINS CHAINS_24
#define CHAIN_COUNT 24
#else
#define CHAINS CHAINS_12
#define CHAIN_COUNT 12
#endif

#define START(i) x##i = splat + (i);
#define DECLARE(i) x##i,
#define STEP(i)                                                                                    \
    x##i += factor * term;                                                                         \
    __asm__ volatile("" : "+" IN_VECTOR_REGISTER(x##i), "+" IN_VECTOR_REGISTER(factor));
#define SUM(i) sum += x##i;

/* Multiply-adds of each chain in one round: enough to hide the loop's own instructions. */
enum { STEPS = 4 };

/* The multiply-add has the form that every ISA has, in which the result replaces the addend. Every
 * step adds 1/8, so that a test can count the steps. The empty asm in each step hides the factor:
 * the product would otherwise be computed once, before the loop. */
#define DEFINE_FMA(name, vector)                                                                   \
    static double name(int64_t rounds)                                                             \
    {                                                                                              \
        vector zero = {0}, splat = zero + 1, factor = zero + 0.5f, term = zero + 0.25f,            \
               sum = zero;                                                                         \
        vector CHAINS(DECLARE) none = zero; /* ends the list of chains */                          \
        CHAINS(START)                                                                              \
        for (int64_t i = 0; i < rounds; i++) {                                                     \
            CHAINS(STEP) CHAINS(STEP) CHAINS(STEP) CHAINS(STEP)                                    \
        }                                                                                          \
        CHAINS(SUM)                                                                                \
        sum += none;                                                                               \
        return (double)sum[0];                                                                     \
    }

DEFINE_FMA(fma_f32, vf)
DEFINE_FMA(fma_f64, vd)

enum { BLOCK_VECTORS = 8 };

static double read_block(const void *from, int64_t bytes)
{
    const vf *p = from;
    vf a = {0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    for (int64_t i = bytes / (BLOCK_VECTORS * BURST_BYTES); i > 0; i--, p += BLOCK_VECTORS) {
        a += p[0], b += p[1], c += p[2], d += p[3];
        e += p[4], f += p[5], g += p[6], h += p[7];
    }
    a += b + c + d + e + f + g + h;
    return (double)a[0];
}

/* The empty asm prevents the compiler from replacing the loop by a call of memcpy, which may
 * bypass the caches. */
static void copy_block(void *to, const void *from, int64_t bytes)
{
    const vf *p = from;
    vf *q = to;
    for (int64_t i = bytes / (4 * BURST_BYTES); i > 0; i--, p += 4, q += 4) {
        vf a = p[0], b = p[1], c = p[2], d = p[3];
        q[0] = a, q[1] = b, q[2] = c, q[3] = d;
        __asm__ volatile("" : : : "memory");
    }
}

#define NAME2(isa) gr_burst_##isa
#define NAME(isa) NAME2(isa)
#define TEXT2(isa) #isa
#define TEXT(isa) TEXT2(isa)

extern const struct gr_burst NAME(BURST_ISA);
const struct gr_burst NAME(BURST_ISA) = {
    .isa = TEXT(BURST_ISA),
    .fma_f32 = fma_f32,
    .fma_f64 = fma_f64,
    .flop_per_round_f32 = 2 * STEPS * CHAIN_COUNT * (BURST_BYTES / 4),
    .flop_per_round_f64 = 2 * STEPS * CHAIN_COUNT * (BURST_BYTES / 8),
    .read = read_block,
    .copy = copy_block,
};

#endif
