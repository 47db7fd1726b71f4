/* test_unmodelled.c: what the simulator refuses by name, and what it does not; the shim's headers
 * by name. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emit/shims.h"
#include "emit/unmodelled.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *what; /* null: nothing */
    int line;
} cases[] = {
    {"__global__ void f() {\n asm volatile(\"wgmma.fence.sync.aligned;\\n\" ::: \"memory\");\n}",
     "inline PTX (wgmma)", 2},
    {"void f() { asm(\"{\\n\"\n \".reg .pred p;\\n\"\n \"mma.sync.aligned.m16n8k8 {%0};\\n}\" :); "
     "}",
     "inline PTX (mma.sync)", 1},
    {"void f() {\n\n __asm__ __volatile__(\"ldmatrix.sync.aligned.x4 {%0};\" : : ); }",
     "inline PTX (ldmatrix)", 3},
    {"void f() { asm volatile(\"cp.async.bulk.tensor.2d [%0];\"); }", "inline PTX (cp.async.bulk)",
     1},
    {"void f() { asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"); }",
     "inline PTX (cp.async)", 1},
    {"void f() { asm(\"fma.rn.f32 %0, %1, %2, %3;\"); }", "inline PTX (fma.rn.f32)", 1},
    {"void f() { asm(TEXT); }", "inline PTX", 1},
    {"void f() { asm volatile(\"LAB: @p bra LAB;\\nmbarrier.try_wait %0;\"); }", "inline PTX (bra)",
     1},
    {"void f() { asm volatile(\"\" ::: \"memory\"); }", NULL, 0},
    {"// asm(\"wgmma\")\n/* asm(\"mma\") */ const char *s = \"asm(\\\"mma.sync\\\")\";", NULL, 0},
    {"#if 0\nvoid f() { asm(\"mma.sync\"); }\n#endif\nint x;", NULL, 0},
    {"#if 0\nint y;\n#else\nvoid f() { asm(\"mma.sync\"); }\n#endif\n", "inline PTX (mma.sync)", 4},
    {"#ifdef GRADUS_SIM\nint y;\n#else\nvoid f() { asm(\"mma.sync\"); }\n#endif\n", NULL, 0},
    {"#ifndef GRADUS_SIM\nvoid f() { asm(\"mma.sync\"); }\n#endif\n", NULL, 0},
    {"#if defined(GRADUS_SIM)\n#elif 1\nvoid f() { asm(\"mma.sync\"); }\n#endif\n", NULL, 0},
    {"#if __CUDA_ARCH__ >= 800\nvoid f() { asm(\"mma.sync\"); }\n#endif\n", "inline PTX (mma.sync)",
     2},
    {"#ifdef OTHER\n#if 0\n#endif\nvoid f() { asm(\"bar.sync 0;\"); }\n#endif", "inline PTX (bar)",
     4},
    {"#define COPY(to, from) \\\n  asm volatile(\"cp.async.ca.shared.global [%0];\" ::\"r\"(to))\n"
     "void f() { COPY(1, 2); }",
     "inline PTX (cp.async)", 2},
    {"#define COPY(to) asm(\"cp.async\")\nvoid f() {}", NULL, 0},
    {"using namespace nvcuda;\nvoid f() {\n wmma::fill_fragment(c, 0); }", "wmma", 3},
    {"void f() { auto c = cooperative_groups::this_cluster(); }", "thread block clusters", 1},
    {"void f() { cuda::ptx::fence_proxy_async(); }", "cuda::ptx", 1},
    {"void f() { d = __builtin_amdgcn_mfma_f32_32x32x1f32(a, b, c, 0, 0, 0); }",
     "MFMA on sm_80: try --device sim:mi210", 1},
    {"__global__ void f(float *wmma, int ptx) { wmma[ptx] = asmx + basm; }", NULL, 0},
    {"void f() { open brace", NULL, 0},
};

static void test_find(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[GR_UNMODELLED_SIZE] = "";
        int line = 0;
        bool found =
            gr_unmodelled_find("a.cu", cases[i].text, GR_LANGUAGE_CUDA, "sm_80", what, &line);
        if (found != (cases[i].what != NULL) || (found && strcmp(what, cases[i].what) != 0) ||
            (found && line != cases[i].line))
            fail_msg("found '%s' in line %d of:\n%s", what, line, cases[i].text);
    }
    char what[GR_UNMODELLED_SIZE];
    int line;
    assert_false(gr_unmodelled_find("a.c", "asm(\"nop\");", GR_LANGUAGE_C, "sm_80", what, &line));
}

static void test_shims(void **state)
{
    static const char *const wanted[] = {
        "gr_cuda.h",       "gr_sim.h",      "cuda_runtime.h", "cuda_fp16.h",
        "cuda/barrier",    "cuda/pipeline", "assert.h",       "hip/hip_runtime.h",
        "cuda/std/limits", "cuda_bf16.h",   "mma.h",          "cooperative_groups.h",
        "math_constants.h"};
    (void)state;
    struct gr_shim shim, other;
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        bool found = false;
        for (int i = 0; gr_shim_at(i, &shim); i++)
            found |= strcmp(shim.name, wanted[w]) == 0 && shim.text && *shim.text;
        if (!found)
            fail_msg("no header %s", wanted[w]);
    }
    for (int i = 0; gr_shim_at(i, &shim); i++)
        for (int j = 0; j < i && gr_shim_at(j, &other); j++)
            assert_string_not_equal(shim.name, other.name);
    assert_false(gr_shim_at(-1, &shim));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find), cmocka_unit_test(test_shims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
