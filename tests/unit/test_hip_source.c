/* test_hip_source.c: HIP source for other compilers than HIP's: clang's types as classes, what only
 * AMD's GPUs run, and which declarations of a HIP file are kept. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "emit/clangtypes.h"
#include "emit/standins.h"
#include "gpu/amdonly.h"
#include "source/cut.h"

#include <stdlib.h>
#include <string.h>

#define LANES "#include <gr_lanes.hpp>\n"
#define HALF "#include <gr_float16.hpp>\n"

static const struct {
    const char *from, *to; /* the same: null */
} types[] = {
    {"typedef float f4 __attribute__((ext_vector_type(4)));",
     LANES "typedef gr_lanes<float, (4)> f4;"},
    {"typedef unsigned int u2 __attribute__((__ext_vector_type__(2)));",
     LANES "typedef gr_lanes<unsigned int, (2)> u2;"},
    {"typedef float __attribute__((vector_size(16))) f4;",
     LANES "typedef gr_lanes_of_bytes<float, (16)> f4;"},
    {"typedef __attribute__((vector_size(16))) float f4;",
     LANES "typedef gr_lanes_of_bytes<float, (16)> f4;"},
    {"using f4 = float __attribute__((ext_vector_type(4)));",
     LANES "using f4 = gr_lanes<float, (4)>;"},
    {"using h4 = __attribute__((__vector_size__(4 * sizeof(_Float16)))) _Float16;",
     LANES HALF "using h4 = gr_lanes_of_bytes<gr_float16, (4 * sizeof(gr_float16))>;"},
    {"template <int n> using fn = __attribute__((ext_vector_type(n))) float;",
     LANES "template <int n> using fn = gr_lanes<float, (n)>;"},
    {"typedef float f4\n    __attribute__((ext_vector_type(4)));\nint x;",
     LANES "typedef gr_lanes<float, (4)> f4\n;\nint x;"},
    {"using f4 __attribute__((ext_vector_type(4))) = float;",
     LANES "using f4 = gr_lanes<float, (4)>;"},
    {"typedef float f4 __attribute__((aligned(16))); int vector_;", NULL},
    {"typedef float a __attribute__((ext_vector_type(4))), b;", NULL},
    {"_Float16 x = 1; // _Float16", HALF "gr_float16 x = 1; // _Float16"},
    {"__bf16 x;", "#include <cuda_bf16.h>\n__nv_bfloat16 x;"},
    {"int my_Float16;", NULL},
};

static void test_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char *text = gr_strdup(types[i].from);
        assert_true(gr_clang_types_rewrite("t.hip", &text));
        assert_string_equal(text, types[i].to ? types[i].to : types[i].from);
        free(text);
    }
}

static enum gradus_status judge(const char *log, struct gradus_error *error)
{
    *error = (struct gradus_error){.status = GRADUS_COMPILE, .log = gr_strdup(log)};
    strcpy(error->text, "not compiled");
    const enum gradus_status status = gr_amd_only_refuse(error);
    gradus_error_clear(error);
    return status;
}

static void assert_refused(const char *log, const char *text)
{
    struct gradus_error error = {.status = GRADUS_COMPILE, .log = gr_strdup(log)};
    assert_int_equal(gr_amd_only_refuse(&error), GRADUS_UNSUPPORTED);
    assert_int_equal(error.status, GRADUS_UNSUPPORTED);
    assert_string_equal(error.text, text);
    gradus_error_clear(&error);
}

static void test_amd_only(void **state)
{
    struct gradus_error error;
    (void)state;
    assert_refused("a.hip(3): warning: of no weight\n"
                   "dir (2)/a.hip(57): error: identifier \"__builtin_amdgcn_mfma_f32_4x4x1f32\" is "
                   "undefined\n",
                   "dir (2)/a.hip:57: __builtin_amdgcn_mfma_f32_4x4x1f32 is an instruction of "
                   "AMD's GPUs, which NVIDIA's do not have: try --device sim:mi210");
    assert_refused("a.hip(5): error: identifier \"__builtin_amdgcn_wmma_f32_16x16x16_f16_w32\" is "
                   "undefined",
                   "a.hip:5: __builtin_amdgcn_wmma_f32_16x16x16_f16_w32 is an instruction of AMD's "
                   "GPUs, which NVIDIA's do not have: try --device sim:rx7900xtx");
    assert_refused("a.hip(4): error: unknown asm constraint letter 'v'\n",
                   "a.hip:4: inline assembly is machine code of AMD's GPUs, which NVIDIA's do not "
                   "have: only an AMD GPU runs it, --arch gfx90a explains it");
    assert_int_equal(judge("a.hip(4): error: identifier \"sum\" is undefined\n", &error),
                     GRADUS_COMPILE);
    assert_int_equal(judge("a.hip(4): error: unknown asm constraint letter 'q'\n", &error),
                     GRADUS_COMPILE);
    assert_int_equal(judge("", &error), GRADUS_COMPILE);
}

/* What is left of a file's declarations beside the kernel; `word` is in one of them. */
static bool is_kept(const char *declarations, const char *word)
{
    struct gr_str out = {0};
    struct gradus_error error = {0};
    char *text =
        gr_printf("%s\n__global__ void kernel(float *C, int K) { C[0] = K; }", declarations);
    assert_int_equal(gr_source_cut("a.hip", text, GR_LANGUAGE_CUDA, NULL, &out, NULL, &error),
                     GRADUS_OK);
    const bool kept = strstr(gr_str_text(&out), word) != NULL;
    gr_str_free(&out);
    free(text);
    return kept;
}

static void test_kept_declarations(void **state)
{
    (void)state;
    /* A product in the call of a constructor declares no K. */
    assert_false(is_kept("struct M { M(int m, int K) : Data(m * K) {} Vector Data; };", "Vector"));
    assert_true(is_kept("int (*K)(int);", "(*K)"));
    /* A declaration before the definition is no use of it. */
    assert_false(is_kept("class Host { std::string name(); };\nclass Host;", "string"));
    /* A default argument of a template is no value. */
    assert_true(is_kept("template <typename T = float> struct Tile { T at(); };\n"
                        "__device__ Tile<> tile;",
                        "struct Tile"));
}

static void test_headers(void **state)
{
    static const char *const names[] = {"hip/hip_runtime.h", "hip_runtime.h", "hip/hip_fp16.h",
                                        "hip_fp16.h", "hip/hip_bf16.h"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int found = 0;
        for (int s = 0; gr_standin_at(s); s++)
            found += strcmp(gr_standin_at(s)->name, names[i]) == 0;
        assert_int_equal(found, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_amd_only),
        cmocka_unit_test(test_kept_declarations),
        cmocka_unit_test(test_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
