/* test_stub.c: host code is cut with line numbers kept, and a stub calls the kernel it was written
 * for: compiled with the system's compiler, loaded, and its product compared with the definition.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "emit/stub.h"
#include "source/cut.h"
#include "records/launch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gradus-stub-XXXXXX";

static char *source_path(const char *name)
{
    return gr_printf("%s/tests/kernels/%s", GRADUS_SOURCE_DIR, name);
}

/* Compiles `text` into a shared object and returns its gr_entry. */
static gr_entry_fn *build(const char *text, void **library)
{
    struct gradus_error error = {0};
    char *c = gr_printf("%s/stub.c", folder), *so = gr_printf("%s/stub.so", folder);
    const char *cc = getenv("CC");
    char *command = gr_printf("%s -std=gnu11 -Wall -Wextra -Werror -Wno-unused -O1 -shared -fPIC "
                              "-I%s/src -o %s %s",
                              cc && *cc ? cc : "cc", GRADUS_SOURCE_DIR, so, c);
    assert_int_equal(gr_file_write(c, text, strlen(text), &error), GRADUS_OK);
    if (system(command) != 0)
        fail_msg("%s\n%s", command, text);
    *library = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!*library)
        fail_msg("%s", dlerror());
    gr_entry_fn *entry;
    *(void **)&entry = dlsym(*library, "gr_entry");
    assert_non_null(*(void **)&entry);
    unlink(c);
    unlink(so);
    free(c);
    free(so);
    free(command);
    return entry;
}

static double a_at(int i, int p)
{
    return (i * 3 + p * 5) % 7 - 3;
}

static double b_at(int p, int j)
{
    return (p * 2 + j * 3) % 5 - 2;
}

enum { M = 5, N = 7, K = 6, LDA = 9, LDB = 10, LDC = 11 };

/* Small integers, so that float and double are both exact. */
static void call_and_check(gr_entry_fn *entry, bool is_double, bool trans, double alpha,
                           double beta)
{
    double a[100], b[100], c[100], work[96 * 64];
    float fa[100], fb[100], fc[100];
    for (int i = 0; i < 100; i++)
        c[i] = fc[i] = (float)i;
    for (int i = 0; i < M; i++)
        for (int p = 0; p < K; p++)
            fa[trans ? p * LDA + i : i * LDA + p] = (float)a_at(i, p),
                                               a[trans ? p * LDA + i : i * LDA + p] = a_at(i, p);
    for (int p = 0; p < K; p++)
        for (int j = 0; j < N; j++)
            fb[trans ? j * LDB + p : p * LDB + j] = (float)b_at(p, j),
                                               b[trans ? j * LDB + p : p * LDB + j] = b_at(p, j);
    void *buffers[] = {work, work};
    const int64_t args[] = {1, 1};
    const int64_t ordered_args[] = {N, M * N};
    struct gr_launch launch = {.m = M, .n = N, .k = K, .lda = LDA, .ldb = LDB, .ldc = LDC};
    launch.alpha = alpha, launch.beta = beta;
    launch.a = is_double ? (void *)a : fa, launch.b = is_double ? (void *)b : fb;
    launch.c = is_double ? (void *)c : fc;
    launch.work = buffers;
    launch.args = is_double && !trans ? ordered_args : args;
    entry(&launch);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < LDC; j++) {
            double sum = 0, before = i * LDC + j;
            for (int p = 0; p < K && j < N; p++)
                sum += a_at(i, p) * b_at(p, j);
            double wanted = j < N ? alpha * sum + beta * before : before;
            double got = is_double ? c[i * LDC + j] : fc[i * LDC + j];
            if (got != wanted)
                fail_msg("C[%d][%d] is %g, wanted %g", i, j, got, wanted);
        }
}

static void run_file(const char *name, enum gr_dtype type, bool trans, double alpha, double beta)
{
    struct gr_kernel *k;
    struct gr_variant v;
    struct gr_str text = {0};
    struct gradus_error error = {0};
    char *path = source_path(name);
    if (gr_kernel_read(path, NULL, &k, &error) != GRADUS_OK ||
        gr_variant_make(k, gr_types_of(type), trans, trans, &v, &error) != GRADUS_OK ||
        gr_stub_write(&v, "gr_entry", path, &text, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    void *library;
    gr_entry_fn *entry = build(text.text, &library);
    call_and_check(entry, type == GR_F64, trans, alpha, beta);
    dlclose(library);
    gr_str_free(&text);
    gr_kernel_free(k);
    free(path);
}

static void stubs_call_their_kernels(void **state)
{
    (void)state;
    if (system("${CC:-cc} --version >/dev/null 2>&1") != 0)
        skip();
    run_file("plain.c", GR_F32, false, 1.5, 0.5);
    run_file("plain.c", GR_F32, false, 1, 0);
    run_file("ordered.c", GR_F64, false, 1, 0);
    run_file("scratch_c.c", GR_F32, false, 2, -1);
    run_file("scratch_c.c", GR_F64, true, 2, -1);
}

static void stub_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *message;
    } cases[] = {
        {"k.c",
         "//@ type f32\n//@ kernel g once\n//@ kernel f\nvoid f(T *A, T *B, T *C) {}\nvoid g(int "
         "M) {}",
         "k.c:2:12: `once` is for GPU kernels; a CPU kernel runs all its stanzas"},
        {"k.cu", "__global__ void f(float *A, float *B, float *C) {}",
         "k.cu: a CUDA kernel has no CPU build"},
        {"k.c", "//@ let X = 1/0\nvoid f(float *A, float *B, float *C) {}",
         "k.c:1:14: division by zero"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_kernel *k;
        struct gr_variant v;
        struct gr_str text = {0};
        struct gradus_error error = {0};
        if (gr_kernel_parse(cases[i].path, cases[i].text, NULL, &k, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(gr_variant_make(k, k->types[0], false, false, &v, &error), GRADUS_OK);
        assert_int_not_equal(gr_stub_write(&v, "gr_entry", "k.c", &text, &error), GRADUS_OK);
        assert_string_equal(error.text, cases[i].message);
        gr_str_free(&text);
        gr_kernel_free(k);
    }
}

static int count_lines(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static int line_of(const char *text, const char *needle)
{
    const char *at = strstr(text, needle);
    assert_non_null(at);
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static void cut_file(const char *name, enum gr_language language, struct gr_str *out,
                     struct gr_str *names, char **text)
{
    struct gradus_error error = {0};
    char *path = source_path(name);
    assert_int_equal(gr_file_read(path, text, NULL, &error), GRADUS_OK);
    if (gr_source_cut(path, *text, language, NULL, out, names, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(path);
}

static void host_code_is_cut(void **state)
{
    (void)state;
    struct gr_str out = {0}, names = {0};
    char *text;
    cut_file("split_k.cu", GR_LANGUAGE_CUDA, &out, &names, &text);
    assert_string_equal(names.text, "launch, main");
    assert_int_equal(out.length, strlen(text));
    assert_int_equal(count_lines(out.text), count_lines(text));
    const char *const kept[] = {"constexpr int two", "__device__ static float half_of",
                                "void add_pass", "#define CHECK"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_int_equal(line_of(out.text, kept[i]), line_of(text, kept[i]));
    const char *const gone[] = {"<<<", "dim3", "main", "nullptr", "unbalanced", "host code"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_null(strstr(out.text, gone[i]));
    free(text);
    gr_str_free(&out);
    gr_str_free(&names);
    cut_file("plain.c", GR_LANGUAGE_C, &out, &names, &text);
    assert_string_equal(names.text, "main");
    assert_non_null(strstr(out.text, "static int helper(int y)"));
    assert_null(strstr(out.text, "puts"));
    free(text);
    gr_str_free(&out);
    gr_str_free(&names);
}

static void cut_keeps_conditions(void **state)
{
    (void)state;
    static const char text[] = "int a;\n#ifdef HOST\nint main() {\n#endif\n  f(); /* } */ }\n"
                               "__global__ void f() { g(); }\nstatic int g() { return 1; }\n";
    struct gr_str out = {0}, names = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_source_cut("x.cu", text, GR_LANGUAGE_CUDA, NULL, &out, &names, &error),
                     GRADUS_OK);
    assert_string_equal(out.text, "int a;\n#ifdef HOST\n            \n#endif\n                \n"
                                  "__global__ void f() { g(); }\nstatic int g() { return 1; }\n");
    assert_string_equal(names.text, "main");
    gr_str_free(&out);
    gr_str_free(&names);
}

/* What stands at file scope goes when only the host needs it, and stays when a kernel, a macro that
 * a kernel uses or a type that a kernel uses needs it. */
static void host_declarations_are_cut(void **state)
{
    (void)state;
    static const char text[] = "using namespace std;\n"
                               "std::vector<float> data;\n"
                               "vector<pair<int, int>> sizes = {{1, 2}};\n"
                               "dim3 shape(16, 16);\n"
                               "void f(std::string name);\n"
                               "struct Timer { Timer() { start(); } };\n"
                               "struct Pair { __device__ float sum() const { return 1; } };\n"
                               "const auto width = size_of(tile);\n"
                               "#define WIDTH width\n"
                               "typedef float real;\n"
                               "namespace cg = cooperative_groups;\n"
                               "__constant__ float table[2];\n"
                               "__global__ void f(Pair p) { cg::sync(); g(WIDTH); }\n"
                               "void f() { f<<<1, 1>>>(Pair()); }\n";
    static const char *const gone[] = {"vector", "sizes", "shape", "string", "Timer", "<<<"};
    static const char *const kept[] = {"using namespace std;", "struct Pair",
                                       "const auto width",     "typedef float real;",
                                       "namespace cg",         "__constant__ float"};
    struct gr_str out = {0}, names = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_source_cut("x.cu", text, GR_LANGUAGE_CUDA, NULL, &out, &names, &error),
                     GRADUS_OK);
    assert_int_equal(out.length, strlen(text));
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (strstr(out.text, gone[i]))
            fail_msg("'%s' is still there", gone[i]);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!strstr(out.text, kept[i]))
            fail_msg("'%s' is gone", kept[i]);
    assert_int_equal(line_of(out.text, "__global__"), line_of(text, "__global__"));
    assert_string_equal(names.text, "f");
    gr_str_free(&out);
    gr_str_free(&names);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stubs_call_their_kernels),  cmocka_unit_test(stub_refuses),
        cmocka_unit_test(host_code_is_cut),          cmocka_unit_test(cut_keeps_conditions),
        cmocka_unit_test(host_declarations_are_cut),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
