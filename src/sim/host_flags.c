/* host_flags.c: the flags with which the host's compiler makes a kernel's builds, and why each is
 * needed. SPDX-License-Identifier: MIT */
#include "sim/host_flags.h"

#include "sim/unroll.h"

#include <stddef.h>

/* A GPU's compiler inlines every function, so that what is passed by address stays in registers. A
 * recursive function stays a call there and here: with these limits it would otherwise be inlined
 * into itself without end. */
#define INLINE_ALL                                                                                 \
    "-finline-functions", "--param", "max-inline-insns-single=100000", "--param",                  \
        "max-inline-insns-auto=100000", "--param", "large-function-insns=1000000", "--param",      \
        "large-function-growth=100000", "--param", "inline-unit-growth=100000", "--param",         \
        "large-stack-frame=1000000", "--param", "large-stack-frame-growth=100000", "--param",      \
        "max-inline-recursive-depth=0", "--param", "max-inline-recursive-depth-auto=0"

/* nvcc does not use type-based alias analysis: kernels move the elements of a float array as int4.
 */
#define ANY_ALIAS "-fno-strict-aliasing"

/* A GPU stops at an access that is not aligned as its type requires. With these flags such an
 * access calls __ubsan_handle_type_mismatch_v1 (simrt/alignment.c), even where the host's compiler
 * splits a vector or its processor allows the access. */
#define CHECK_ALIGNMENT "-fsanitize=alignment", "-fsanitize-recover=alignment"

/* Copies stay calls, which assembly.c redirects to the run time: accesses that the compiler expands
 * itself would not be recorded. */
#define COPIES_AS_CALLS "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"

/* A GPU computes a 32-bit index in 32 bits, so that one beyond 2^31 becomes negative. The host's
 * compiler may compute it in 64 bits. */
#define WRAPS "-fwrapv"

/* These flags keep each access of the source one access of the program, at its own line. A tail
 * call, for example, would be attributed to the line of the function's caller. */
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

/* An overflow is recorded and wraps around. Nothing is vectorised, since vector operations are not
 * checked. */
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

/* A GPU's compiler unrolls loops of known length, and then removes loads that are repeated or
 * unused. g++ unrolls loops that a pragma names before it instruments accesses, with the same
 * effect. Its own partial unrolling of other loops comes long after that, and is turned off. */
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
