/* isa.h: an instruction set: what it needs of a CPU, and the functions that are written for it.
 * SPDX-License-Identifier: MIT
 *
 * A file src/cpu/isa_<name>.c defines gr_isa_<name>. The build finds the file by its name, and
 * reads the lines at its head that begin with two slashes and an at sign (cmake/isa.cmake):
 *
 *     cpu      the processors that have it: x86_64, aarch64, or any
 *     rank     the higher, the better; no two instruction sets of a processor have the same
 *     flags    the compiler's flags; an extension names those that it adds to its level's
 *     tune     further flags for micro-kernels; one that the compiler does not know is left out
 *     vectors  the vector registers and the bytes of each, for the loops that measure the peak
 *     words    what the `isa` line of a kernel file may say to be built at this level
 *
 * All code of an instruction set is in that file, in files <what>_<name>.c beside it, and in
 * kernels/cpu/ukr_*_<name>.c: these are compiled with its flags, and nothing else is. */
#ifndef CPU_ISA_H
#define CPU_ISA_H

#include "cpu/features.h"
#include "cpu/finish.h"
#include "cpu/pack.h"
#include "cpu/pack_bf16.h"
#include "cpu/pack_short.h"
#include "cpu/transpose.h"

#include <stdbool.h>
#include <stdint.h>

/* The functions of an instruction set. Except where null is allowed, none is missing: if an
 * instruction set has no better version, it names that of an instruction set that it includes. */
struct gr_isa_functions {
    gr_pack_f32_fn *pack_f32;
    gr_pack_f64_fn *pack_f64;
    gr_pack_bf16_fn *pack_bf16;
    const struct gr_short_packing *pack_short;
    /* If null, pack_f32 and pack_f64 also transpose small operands. */
    gr_transpose_f32_fn *transpose_f32;
    gr_transpose_f64_fn *transpose_f64;
    gr_finish_fn *finish;
};

/* A level is one of the instruction sets in order, each of which includes the next lower one.
 * Kernels are built for it, and GRADUS_ISA may name it. An extension adds features to a level, for
 * micro-kernels that need them; it is used whenever its level is used and the CPU has it. */
struct gr_isa {
    const char *name;
    const struct gr_isa *over;    /* for a level, the next lower one; null: it is the lowest */
    const struct gr_isa *extends; /* for an extension, its level; null: this is a level */
    uint64_t needs;               /* GR_CPU_BIT or'ed, in addition to what those two need */
    const struct gr_isa_functions *functions; /* null: the functions of its level */
};

/* The instruction sets of this build, best first, an extension before its level; null-terminated.
 * The table is generated. */
extern const struct gr_isa *const gr_isa_all[];

/* Returns null for an unknown name. */
const struct gr_isa *gr_isa_find(const char *name);
/* The level in use, as gr_cpu_isa returns it. */
const struct gr_isa *gr_isa_in_use(void);
bool gr_isa_runs(const struct gr_isa *isa);

static inline const struct gr_isa *gr_isa_level(const struct gr_isa *isa)
{
    return isa->extends ? isa->extends : isa;
}

static inline const struct gr_isa_functions *gr_isa_functions(const struct gr_isa *isa)
{
    return isa->functions ? isa->functions : isa->extends->functions;
}

#endif
