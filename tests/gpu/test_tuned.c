/* test_tuned.c: the library with a table of made-up times (tuned_made_up.txt): its choice follows
 * them, at a point exactly, and between points by their mean; which table a GPU gets; and what no
 * table is for stays as it was. It is linked with that table in the place of devices/tuned/.
 * SPDX-License-Identifier: MIT
 *
 *     test_tuned FOLDER       the folder of libfake_driver.so and libfake_nvrtc.so */
#include "device/device_dispatch.h"
#include "device/device_tuned.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static struct gr_device_gpu gpu = {
    .name = "Fake H200 0", .arch = "sm_90a", .cc = 90, .sms = 132, .warp = 32, .smem_max = 232448};

static struct gr_device_given given_of(int64_t m, int64_t n, int64_t k)
{
    return (struct gr_device_given){.m = m,
                                    .n = n,
                                    .k = k,
                                    .lda = k,
                                    .ldb = n,
                                    .ldc = n,
                                    .alpha = 1,
                                    .sms = gpu.sms,
                                    .smem_max = gpu.smem_max,
                                    .cc = gpu.cc,
                                    .warp = gpu.warp,
                                    .batch = 1};
}

static const char *chosen(const struct gr_device_gpu *on, enum gradus_type type,
                          const struct gr_device_given *given)
{
    struct gradus_gemm gemm;
    struct gr_device_plan plan = {0};
    int kernel = 0;
    gradus_gemm_init(&gemm, type);
    if (gr_device_choose(on, &gemm, given, &kernel, &plan, NULL) != GRADUS_OK)
        return "none";
    return gr_device_kernels[kernel].file;
}

static double expected(const struct gr_device_gpu *on, enum gradus_type type, const char *file,
                       const struct gr_device_given *given)
{
    struct gradus_gemm gemm;
    double us;
    bool admitted;
    gradus_gemm_init(&gemm, type);
    for (int i = 0; i < gr_device_kernel_count; i++)
        if (strcmp(gr_device_kernels[i].file, file) == 0 &&
            gr_device_expects(on, &gemm, given, i, &us, &admitted))
            return us;
    return -1;
}

static bool is_near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fabs(y);
}

/* What is chosen, with the table and without it, in turns: a choice is kept for its table only. */
static void check_choice(const struct gr_device_gpu *untuned)
{
    const struct gr_device_given large = given_of(4096, 4096, 4096);
    struct gr_device_given turned = large;
    turned.trans_a = 1, turned.lda = turned.m;
    for (int i = 0; i < 2; i++) {
        CHECK(strcmp(chosen(untuned, GRADUS_F32, &large), "21_accurate") == 0, "%s",
              chosen(untuned, GRADUS_F32, &large));
        CHECK(strcmp(chosen(&gpu, GRADUS_F32, &large), "12_best") == 0, "%s",
              chosen(&gpu, GRADUS_F32, &large));
    }
    const struct gr_device_given near = given_of(3968, 4096, 4224),
                                 other = given_of(1024, 1024, 1000);
    CHECK(strcmp(chosen(&gpu, GRADUS_F32, &near), "12_best") == 0, "%s",
          chosen(&gpu, GRADUS_F32, &near));
    CHECK(strcmp(chosen(&gpu, GRADUS_F32, &other), "21_accurate") == 0, "%s",
          chosen(&gpu, GRADUS_F32, &other));
    CHECK(strcmp(chosen(&gpu, GRADUS_F32, &turned), "21_accurate") == 0,
          "transposes of which nothing was measured: %s", chosen(&gpu, GRADUS_F32, &turned));
}

static void check_estimates(const struct gr_device_gpu *untuned)
{
    const struct gr_device_given points[] = {given_of(4096, 4096, 4096), given_of(2048, 2048, 4096),
                                             given_of(2048, 2048, 1024)};
    CHECK(is_near(expected(&gpu, GRADUS_F32, "12_best", &points[0]), 300), "%g",
          expected(&gpu, GRADUS_F32, "12_best", &points[0]));
    CHECK(is_near(expected(&gpu, GRADUS_F32, "21_accurate", &points[0]), 1500.5), "%g",
          expected(&gpu, GRADUS_F32, "21_accurate", &points[0]));
    const double ratios[] = {4000 / expected(untuned, GRADUS_F64, "24_dmma", &points[1]),
                             100 / expected(untuned, GRADUS_F64, "24_dmma", &points[2])};

    /* As far from one as from the other. */
    struct gr_device_given middle = given_of(2048, 2048, 2048);
    const double model = expected(untuned, GRADUS_F64, "24_dmma", &middle);
    double us = expected(&gpu, GRADUS_F64, "24_dmma", &middle);
    CHECK(is_near(us, model * sqrt(ratios[0] * ratios[1])), "%g of the model's %g", us, model);

    /* One octave from one, three from the other: 81 times the weight. */
    const struct gr_device_given below = given_of(2048, 2048, 512);
    us = expected(&gpu, GRADUS_F64, "24_dmma", &below);
    CHECK(is_near(us, expected(untuned, GRADUS_F64, "24_dmma", &below) * pow(ratios[1], 81.0 / 82) *
                          pow(ratios[0], 1.0 / 82)),
          "%g", us);

    /* At a point, but for the rows of A, which no vector fits: distances 1 and the root of 5. */
    struct gr_device_given odd = points[2];
    odd.lda++;
    us = expected(&gpu, GRADUS_F64, "24_dmma", &odd);
    CHECK(is_near(us, expected(untuned, GRADUS_F64, "24_dmma", &odd) * pow(ratios[1], 25.0 / 26) *
                          pow(ratios[0], 1.0 / 26)),
          "%g", us);

    /* Of a kernel of which nothing was measured, and of batches in one launch, the model's. */
    const struct gr_device_given row = given_of(1, 4096, 4096);
    CHECK(expected(&gpu, GRADUS_F32, "29_vector", &row) ==
              expected(untuned, GRADUS_F32, "29_vector", &row),
          "29_vector");
    struct gr_device_given batch = points[0];
    batch.batch = 3;
    CHECK(expected(&gpu, GRADUS_F32, "12_best", &batch) ==
              expected(untuned, GRADUS_F32, "12_best", &batch),
          "a batch");
}

static void check_nearest(void)
{
    const struct {
        const char *name;
        int cc, sms;
        const char *wanted;
    } cases[] = {{"Fake H200 0", 90, 132, "Fake H200 0"}, {"Older GPU", 90, 132, "Older GPU"},
                 {"Another", 90, 114, "Fake H200 0"},     {"Another", 80, 132, "Older GPU"},
                 {"Another", 89, 142, "Older GPU"},       {"Another", 100, 148, "Fake H200 0"},
                 {"Another", 75, 40, "Older GPU"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gr_device_points *p =
            gr_device_tuned_find(cases[i].name, cases[i].cc, cases[i].sms);
        CHECK(p && strcmp(p->gpu, cases[i].wanted) == 0, "%s of %d, %d: %s", cases[i].name,
              cases[i].cc, cases[i].sms, p ? p->gpu : "none");
    }
}

/* A product of a program, on the GPU of that name. */
static void check_product(const char *folder)
{
    char path[600], log[] = "/tmp/gradus-tuned.XXXXXX", line[512] = "";
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*alloc)(unsigned long long *pointer, size_t bytes);
    void *context = NULL;
    unsigned long long memory = 0;
    const int descriptor = mkstemp(log);
    setenv("GRADUS_FAKE_LOG", log, 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    setenv("GRADUS_FAKE_NVRTC_ARCHS", "90", 1);
    snprintf(path, sizeof path, "%s/libfake_nvrtc.so", folder);
    setenv("GRADUS_NVRTC", path, 1);
    snprintf(path, sizeof path, "%s/libfake_driver.so", folder);
    setenv("GRADUS_CUDA_DRIVER", path, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    CHECK(library && descriptor >= 0, "%s", library ? log : dlerror());
    *(void **)(void *)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)(void *)&set = dlsym(library, "cuCtxSetCurrent");
    *(void **)(void *)&alloc = dlsym(library, "cuMemAlloc_v2");
    retain(&context, 0);
    set(context);
    alloc(&memory, (size_t)3 * 4096 * 4096 * 4);
    struct gradus_gemm g;
    struct gradus_error error = {0};
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 4096;
    g.device = GRADUS_GPU;
    g.a = (const void *)(uintptr_t)memory;
    g.b = (const char *)g.a + (size_t)4096 * 4096 * 4;
    g.c = (void *)(uintptr_t)(memory + (size_t)2 * 4096 * 4096 * 4);
    CHECK(gradus_gemm_run(&g, &error) == GRADUS_OK, "%s", error.text);
    FILE *file = fopen(log, "r");
    CHECK(file && fgets(line, sizeof line, file) && strstr(line, "multiply_shares"),
          "wanted 12_best: %s", line);
    if (file)
        fclose(file);
    close(descriptor);
    unlink(log);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const struct gr_device_gpu untuned = gpu;
    gpu.points = gr_device_tuned_find(gpu.name, gpu.cc, gpu.sms);
    CHECK(gpu.points && gr_device_points_count == 2, "%d tables", gr_device_points_count);
    check_nearest();
    check_choice(&untuned);
    check_estimates(&untuned);
    check_product(argv[1]);
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures > 0;
}
