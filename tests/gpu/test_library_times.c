/* test_library_times.c: how gradus tune library measures, over the fake driver, with a stand-in for
 * the kernels that computes the product: which are measured, and that one whose C is wrong is left
 * out. SPDX-License-Identifier: MIT
 *
 *     test_library_times FOLDER PACK   the folder of libfake_driver.so and libfake_nvrtc.so;
 *                                      gradus-pack */
#include "measure/library_times.h"
#include "measure/tuned_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* The product that is measured, as 12_best is given it, which comes first. */
static struct {
    int m, n, k, lda, ldb, ldc;
    const float *a, *b;
    float *c;
} now;
static const float *nearest, *furthest; /* A of all launches */
static const char *wrong; /* a part of the names of kernels that write C and err in its last row */

static void multiply(int trans_a, float error)
{
    for (int i = 0; i < now.m; i++)
        for (int j = 0; j < now.n; j++) {
            double sum = i == now.m - 1 ? (double)error : 0;
            for (int k = 0; k < now.k; k++)
                sum += (double)now.a[trans_a ? k * now.lda + i : i * now.lda + k] *
                       (double)now.b[k * now.ldb + j];
            now.c[i * now.ldc + j] = (float)sum;
        }
}

static int trans_a;

static void on_launch(const char *symbol, void **p)
{
    if (strstr(symbol, "multiply_64x64") || strstr(symbol, "multiply_32x128") ||
        strstr(symbol, "multiply_128x32") || strstr(symbol, "multiply_shares")) {
        now.m = *(int *)p[0], now.n = *(int *)p[1], now.k = *(int *)p[2];
        now.a = *(float **)p[4], now.lda = *(int *)p[5];
        now.b = *(float **)p[6], now.ldb = *(int *)p[7];
        now.c = *(float **)p[9], now.ldc = *(int *)p[10];
        nearest = !nearest || now.a < nearest ? now.a : nearest;
        furthest = now.a > furthest ? now.a : furthest;
    }
    multiply(trans_a, wrong && strstr(symbol, wrong) ? 0.01F : 0);
}

static int products;

static void on_product(void *context, const char *product, int done, int all)
{
    CHECK(context == &products && done < all && all == 3, "%d of %d", done, all);
    CHECK(strstr(product, "f32 ") == product, "%s", product);
    products++;
}

static int times_of(const struct gr_library_times *t, const char *file)
{
    int count = 0;
    for (int i = 0; i < t->count; i++)
        count += strcmp(gr_device_kernels[t->times[i].kernel].file, file) == 0;
    return count;
}

static void measure(const char *which_is_wrong, int trans, struct gr_library_times *t)
{
    static const struct gr_size sizes[] = {{64, 64, 96}, {40, 33, 50}, {48, 48, 8}};
    static const char *const types[] = {"f32"};
    struct gradus_error error = {0};
    struct gr_library_asked asked = {.sizes = sizes,
                                     .size_count = 3,
                                     .types = types,
                                     .type_count = 1,
                                     .limit_ns = 60000000000,
                                     .on_product = on_product,
                                     .context = &products};
    asked.trans[trans] = true;
    wrong = which_is_wrong;
    trans_a = trans >> 1;
    products = 0;
    CHECK(gr_library_times_run(&asked, t, &error) == GRADUS_OK, "%s", error.text);
    gradus_error_clear(&error);
}

/* Writes the table and has the build's program make a C file of it; false: it does not, or leaves
 * something out. */
static bool is_packed(const struct gr_library_times *t, const char *pack, const char *edit)
{
    char folder[] = "/tmp/gradus-times.XXXXXX", command[2048];
    struct gr_str text = {0};
    const struct gr_environment environment = {.version = "0", .date = "2026-01-01T00:00:00Z"};
    CHECK(mkdtemp(folder), "no folder");
    snprintf(command, sizeof command, "%s/table", folder);
    gr_tuned_format_head(t->gpu->name, NULL, &environment, &text);
    gr_library_times_format(t, &text);
    FILE *file = fopen(command, "w");
    if (!file || fputs(gr_str_text(&text), file) < 0 || fclose(file) != 0)
        CHECK(false, "%s", command);
    snprintf(command, sizeof command,
             "cd '%s' && sed '%s' table >edited && cd '%s' && '%s' points %s/out.c "
             "src/device/kernels.list %s/edited 2>%s/said && cd %s && test ! -s said && "
             "test $(grep -c '^    {[1-9]' out.c) = %d && grep -q '\"Fake H200 0\", 90, 132' out.c",
             folder, edit, GRADUS_SOURCE_DIR, pack, folder, folder, folder, folder, t->count);
    const bool packed = system(command) == 0;
    snprintf(command, sizeof command, "cat %s/said; rm -rf %s", folder, folder);
    CHECK(system(command) == 0, "%s", command);
    gr_str_free(&text);
    return packed;
}

int main(int argc, char **argv)
{
    enum { NN, TN = 2 };
    char path[600];
    void (*set_hook)(void (*hook)(const char *symbol, void **parameters));
    int (*calls)(const char *what);
    struct gr_library_times t;
    if (argc != 3)
        return 2;
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    setenv("GRADUS_FAKE_NVRTC_ARCHS", "90", 1);
    snprintf(path, sizeof path, "%s/libfake_nvrtc.so", argv[1]);
    setenv("GRADUS_NVRTC", path, 1);
    snprintf(path, sizeof path, "%s/libfake_driver.so", argv[1]);
    setenv("GRADUS_CUDA_DRIVER", path, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    CHECK(library, "%s", dlerror());
    *(void **)(void *)&set_hook = dlsym(library, "fake_on_launch");
    set_hook(on_launch);
    *(void **)(void *)&calls = dlsym(library, "fake_calls");

    measure(NULL, NN, &t);
    CHECK(t.products == 3 && products == 3 && t.wrong == 0 && t.left == 0, "%d, %d, %d, %d: %s",
          t.products, products, t.wrong, t.left, t.first_wrong);
    CHECK((const char *)furthest - (const char *)nearest >= 16 * 64 * 96 * (int)sizeof(float),
          "the operands do not take turns");
    CHECK(times_of(&t, "12_best") == 3 && times_of(&t, "22_scaled") == 0 &&
              times_of(&t, "33_tf32_any_shape") == 0,
          "%d of 12_best", times_of(&t, "12_best"));
    CHECK(times_of(&t, "21_accurate") == 2, "%d of 21_accurate, which is for k of 32 and more",
          times_of(&t, "21_accurate"));
    CHECK(calls("graph") >= GR_LIBRARY_ROUNDS * t.count, "%d graphs for %d times", calls("graph"),
          t.count);
    for (int i = 0; i < t.count; i++)
        CHECK(t.times[i].least <= t.times[i].us && t.times[i].us <= t.times[i].most &&
                  t.times[i].trans == NN,
              "time %d", i);
    CHECK(is_packed(&t, argv[2], ""), "the table of %d times is not packed", t.count);
    CHECK(!is_packed(&t, argv[2], "s/12_best/99_gone/"), "a kernel that is gone is packed");
    CHECK(!is_packed(&t, argv[2], "s/ us / ms /"), "another unit is packed");
    CHECK(!is_packed(&t, argv[2], "/^gpu /d"), "a table of no GPU is packed");
    CHECK(!is_packed(&t, argv[2], "s/^format .*/format 2/"), "another format is packed");
    gr_library_times_free(&t);

    measure("split", TN, &t); /* of 21_accurate; finish writes C */
    CHECK(t.wrong == 0, "a kernel that another launch puts right: %s", t.first_wrong);
    gr_library_times_free(&t);

    measure("finish", TN, &t);
    CHECK(t.wrong == 2 && strstr(t.first_wrong, "21_accurate f32 tn 64x64x96"), "%d: %s", t.wrong,
          t.first_wrong);
    CHECK(times_of(&t, "21_accurate") == 0, "a wrong kernel is timed");
    gr_library_times_free(&t);
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures > 0;
}
