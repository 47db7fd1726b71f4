/* host_flags.c: with which words the host's compiler makes a kernel's builds.
 * SPDX-License-Identifier: MIT */
#include "sim/host_flags.h"

#include "sim/unroll.h"

#include <stddef.h>

/* A GPU's compiler inlines every function; then what a function is handed by address stays in
 * registers. One that calls itself stays a call, there as here: with these limits, copies of it
 * would be made within copies without end. */
#define INLINE_ALL                                                                                 \
    "-finline-functions", "--param", "max-inline-insns-single=100000", "--param",                  \
        "max-inline-insns-auto=100000", "--param", "large-function-insns=1000000", "--param",      \
        "large-function-growth=100000", "--param", "inline-unit-growth=100000", "--param",         \
        "large-stack-frame=1000000", "--param", "large-stack-frame-growth=100000", "--param",      \
        "max-inline-recursive-depth=0", "--param", "max-inline-recursive-depth-auto=0"

/* A GPU's compiler lets any type's pointer reach any object: kernels move a float array's elements
 * as int4. */
#define ANY_ALIAS "-fno-strict-aliasing"

/* Types say how their objects are aligned, and a GPU stops where one is not: each access calls
 * __ubsan_handle_type_mismatch_v1 (simrt/alignment.c) then, also where this machine's compiler
 * takes a vector apart, or its processor does not mind. */
#define CHECK_ALIGNMENT "-fsanitize=alignment", "-fsanitize-recover=alignment"

/* Copies are calls, which assembly.c gives to the run time: what the compiler makes of them itself
 * is told to nobody. */
#define COPIES_AS_CALLS "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"

/* A GPU's compiler computes an index of 32 bits in 32 bits: what passes 2^31 is negative. This one
 * may compute it in 64. */
#define WRAPS "-fwrapv"

/* What keeps an access of the source one access of the program, at its own line: a call in the
 * place of a return would be seen at the line of the function's caller. */
static const char *const traced_gcc[] = {"-O2",
                                         ANY_ALIAS,
                                         CHECK_ALIGNMENT,
                                         COPIES_AS_CALLS,
                                         WRAPS,
                                         "-gdwarf-4",
                                         "-fno-var-tracking",
                                         "-fsanitize=thread",
                                         "--param",
                                         "tsan-instrument-func-entry-exit=0",
                                         "-fno-tree-sra",
                                         "-fno-ipa-sra",
                                         "-fno-ipa-reference-addressable", /* arrays never read */
                                         "-fno-tree-vectorize",
                                         "-fno-tree-slp-vectorize",
                                         "-fno-tree-loop-distribute-patterns",
                                         "-fno-extern-tls-init",
                                         "-fno-semantic-interposition",
                                         "-fno-crossjumping",
                                         "-fno-tree-tail-merge",
                                         "-fno-reorder-blocks",
                                         "-fno-reorder-blocks-and-partition",
                                         "-fno-optimize-sibling-calls",
                                         INLINE_ALL,
                                         NULL};
static const char *const traced_clang[] = {"-O1",
                                           ANY_ALIAS,
                                           WRAPS,
                                           CHECK_ALIGNMENT,
                                           "-fno-optimize-sibling-calls",
                                           "-gdwarf-4",
                                           "-fsanitize=thread",
                                           "-mllvm",
                                           "-disable-loop-idiom-all",
                                           "-mllvm",
                                           "-tsan-instrument-func-entry-exit=0",
                                           "-mllvm",
                                           "-tsan-instrument-read-before-write=1",
                                           NULL};
static const char *const fast_gcc[] = {"-O3",
                                       "-march=native",
                                       ANY_ALIAS,
                                       CHECK_ALIGNMENT,
                                       WRAPS,
                                       "-fno-math-errno",
                                       "-fno-trapping-math",
                                       "-fno-extern-tls-init",
                                       "-fno-semantic-interposition",
                                       INLINE_ALL,
                                       NULL};
static const char *const fast_clang[] = {"-O3",
                                         "-march=native",
                                         ANY_ALIAS,
                                         WRAPS,
                                         CHECK_ALIGNMENT,
                                         "-fno-math-errno",
                                         "-ffp-contract=fast",
                                         NULL};

/* What overflows is told of and wraps. Nothing is vectorised, or it would not be checked. */
static const char *const checked[] = {"-O2",
                                      ANY_ALIAS,
                                      "-fsanitize=signed-integer-overflow",
                                      "-fsanitize-recover=signed-integer-overflow",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fno-extern-tls-init",
                                      "-fno-semantic-interposition",
                                      NULL};
static const char *const checked_clang[] = {"-O1", ANY_ALIAS, "-fsanitize=signed-integer-overflow",
                                            "-fsanitize-recover=signed-integer-overflow", NULL};

const char *const *gr_sim_flags(bool clang, enum gr_sim_kind kind)
{
    if (kind == GR_SIM_CHECKED)
        return clang ? checked_clang : checked;
    if (kind == GR_SIM_FAST)
        return clang ? fast_clang : fast_gcc;
    return clang ? traced_clang : traced_gcc;
}

/* A GPU's compiler unrolls loops of a known length; then it sees what they read twice, and what
 * they read for nothing. g++ does so to loops that are told, before accesses are marked. Loops of a
 * length that is not known it would unroll in part, long after: that is left out. */
static const char *const unrolled[] = {"-D" GR_SIM_LOOP "=_Pragma(\"GCC unroll 8\") for",
                                       "-fdisable-rtl-loop2_unroll", "-fno-thread-jumps",
                                       "-fno-split-paths", NULL};
static const char *const as_written[] = {"-D" GR_SIM_LOOP "=for", NULL};

const char *const *gr_sim_loop_flags(bool unroll)
{
    return unroll ? unrolled : as_written;
}

const char *const *gr_sim_volatile_flags(bool clang)
{
    static const char *const gcc[] = {"--param", "tsan-distinguish-volatile=1", NULL};
    static const char *const llvm[] = {"-mllvm", "-tsan-distinguish-volatile=1", NULL};
    return clang ? llvm : gcc;
}
