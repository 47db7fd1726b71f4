/* library_gpu.c: the library on a real GPU: right values, the same bits from run to run, streams,
 * threads, graphs, refusals, the host's time, and rates beside cuBLAS. Ends with 1 if anything is
 * wrong, and with 77 where there is no GPU. No header of CUDA is needed, and cuBLAS may be missing.
 *
 *     library_gpu [PROBLEMS [SEED [TYPES]]]    (400 problems, seed 1; 0 problems: the rest alone)
 *
 * With TYPES, f64, bf16, bf16-bf16, f16, f16-f16 or tf32: only the rates of products of these
 * types; with `batches`: only batches in one launch; with `problems`: only the random problems;
 * with `epilogues`: only the rates of products with an epilogue.
 *
 * GRADUS_CUBLAS=FILE names the cuBLAS, where the loader does not find libcublas.so.13 or 12.
 * SPDX-License-Identifier: MIT */
#include "library_gpu.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct driver cu;
struct blas blas;
int failures;
const char *const math_names[MATHS] = {"default", "ieee", "accurate", "scaled", "tf32"};
bool has_math[MATHS];
struct kind kinds[KINDS] = {{"f32", GRADUS_F32, GRADUS_F32, true, GRADUS_MATH_DEFAULT},
                            {"f64", GRADUS_F64, GRADUS_F64, true, GRADUS_MATH_DEFAULT},
                            {"bf16", GRADUS_BF16, GRADUS_F32, true, GRADUS_MATH_DEFAULT},
                            {"bf16-bf16", GRADUS_BF16, GRADUS_BF16, true, GRADUS_MATH_DEFAULT},
                            {"f16", GRADUS_F16, GRADUS_F32, true, GRADUS_MATH_DEFAULT},
                            {"f16-f16", GRADUS_F16, GRADUS_F16, true, GRADUS_MATH_DEFAULT},
                            {"tf32", GRADUS_F32, GRADUS_F32, true, GRADUS_MATH_TF32},
                            {"e4m3", GRADUS_E4M3, GRADUS_F32, true, GRADUS_MATH_DEFAULT},
                            {"e4m3-bf16", GRADUS_E4M3, GRADUS_BF16, true, GRADUS_MATH_DEFAULT},
                            {"e5m2", GRADUS_E5M2, GRADUS_F32, true, GRADUS_MATH_DEFAULT}};

void must(int result, const char *what)
{
    if (result != 0) {
        printf("FAIL: %s: the driver returns %d\n", what, result);
        exit(1);
    }
}

double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- Opening ---- */

static bool open_driver(void)
{
    const char *path = getenv("GRADUS_CUDA_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *context;
    int device;
    char name[96];
    if (!library)
        return false;
#define BIND(member, symbol, parameters) *(void **)(void *)&cu.member = dlsym(library, #symbol);
    DRIVER(BIND)
    if (!cu.init || cu.init(0) != 0 || cu.device_get(&device, 0) != 0)
        return false;
    must(cu.device_name(name, sizeof name, device), "the device's name");
    must(cu.retain(&context, device), "the context");
    must(cu.set(context), "the context");
    printf("%s, libgradus %s\n", name, gradus_version());
    return true;
}

static void *open_blas_library(void)
{
    static const char *const names[] = {
        "libcublas.so.13",
        "libcublas.so.12",
        "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcublas.so.1*",
        "/usr/lib/python3*/*-packages/nvidia/*/lib/libcublas.so.1*",
        "/opt/*/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.1*",
        "/usr/local/cuda*/lib64/libcublas.so.1*"};
    const char *given = getenv("GRADUS_CUBLAS");
    void *library = given ? dlopen(given, RTLD_NOW) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) {
        glob_t found = {0};
        if (*names[i] != '/')
            library = dlopen(names[i], RTLD_NOW);
        else if (glob(names[i], 0, NULL, &found) == 0)
            for (size_t j = 0; j < found.gl_pathc && !library; j++) {
                char *lt = strdup(found.gl_pathv[j]), *base = strstr(lt, "libcublas.so");
                char other[4096]; /* it needs libcublasLt, which lies beside it */
                snprintf(other, sizeof other, "%.*slibcublasLt.so%s", (int)(base - lt), lt,
                         base + strlen("libcublas.so"));
                (void)dlopen(other, RTLD_NOW | RTLD_GLOBAL);
                library = dlopen(lt, RTLD_NOW);
                free(lt);
            }
        globfree(&found);
    }
    return library;
}

static void open_blas(void)
{
    void *library = open_blas_library();
    if (!library) {
        printf("no cuBLAS here: %s\n", dlerror());
        return;
    }
    *(void **)(void *)&blas.create = dlsym(library, "cublasCreate_v2");
    *(void **)(void *)&blas.set_stream = dlsym(library, "cublasSetStream_v2");
    *(void **)(void *)&blas.sgemm = dlsym(library, "cublasSgemm_v2");
    *(void **)(void *)&blas.gemm_ex = dlsym(library, "cublasGemmEx");
    *(void **)(void *)&blas.strided = dlsym(library, "cublasSgemmStridedBatched");
    *(void **)(void *)&blas.arrays = dlsym(library, "cublasSgemmBatched");
    *(void **)(void *)&blas.strided_f64 = dlsym(library, "cublasDgemmStridedBatched");
    *(void **)(void *)&blas.arrays_f64 = dlsym(library, "cublasDgemmBatched");
    *(void **)(void *)&blas.strided_ex = dlsym(library, "cublasGemmStridedBatchedEx");
    *(void **)(void *)&blas.arrays_ex = dlsym(library, "cublasGemmBatchedEx");
    if (blas.create(&blas.handle) != 0) {
        printf("no cuBLAS here: cublasCreate fails\n");
        blas.handle = NULL;
    }
}

/* Row-major, as the library has it. */
void blas_run(const struct gradus_gemm *g)
{
    static const int types[] = {
        [GRADUS_F32] = 0, [GRADUS_F64] = 1, [GRADUS_F16] = 2, [GRADUS_BF16] = 14}; /* CUDA_R_32F,
                                                                                      64F, 16F, 16BF
                                                                                    */
    const float alpha = (float)g->alpha, beta = (float)g->beta;
    const bool f64 = g->a_type == GRADUS_F64;
    const void *const one = f64 ? (const void *)&g->alpha : &alpha;
    const void *const other = f64 ? (const void *)&g->beta : &beta;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const void *a = col ? g->a : g->b, *b = col ? g->b : g->a;
    const int64_t lda = col ? g->lda : g->ldb, ldb = col ? g->ldb : g->lda;
    const int ta = col ? g->trans_a : g->trans_b, tb = col ? g->trans_b : g->trans_a;
    blas.set_stream(blas.handle, g->stream);
    const int m = (int)(col ? g->m : g->n), n = (int)(col ? g->n : g->m), k = (int)g->k;
    /* CUBLAS_COMPUTE_64F, 32F_FAST_TF32 or 32F */
    const bool tf32 = g->a_type == GRADUS_F32 && g->math == GRADUS_MATH_TF32;
    const int arithmetic = f64 ? 70 : tf32 ? 77 : 68;
    const int result = g->a_type != GRADUS_F32 || tf32
                           ? blas.gemm_ex(blas.handle, ta, tb, m, n, k, one, a, types[g->a_type],
                                          (int)lda, b, types[g->b_type], (int)ldb, other, g->c,
                                          types[g->c_type], (int)g->ldc, arithmetic, -1)
                           : blas.sgemm(blas.handle, ta, tb, m, n, k, &alpha, a, (int)lda, b,
                                        (int)ldb, &beta, g->c, (int)g->ldc);
    if (result != 0) {
        printf("FAIL: cublasSgemm returns %d\n", result);
        failures++;
    }
}

int main(int argc, char **argv)
{
    const int problems = argc > 1 ? atoi(argv[1]) : 400;
    state = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    if (!open_driver()) {
        printf("skip: no GPU here\n");
        return 77;
    }
    open_blas();
    for (int kind = 1; kind < OF_CUBLAS && argc > 3; kind++)
        if (strcmp(kinds[kind].name, argv[3]) == 0) {
            typed_rates(kind);
            random_typed_rates(&kinds[kind], 100);
            return failures > 0;
        }
    if (argc > 3 && strcmp(argv[3], "batches") == 0) {
        check_batches();
        batch_rates();
        return failures > 0;
    }
    if (argc > 3 && strcmp(argv[3], "epilogues") == 0) {
        epilogue_rates();
        return failures > 0;
    }
    first_calls();
    for (int math = 0; math < MATHS; math++) {
        struct problem p = square(40, 40, 40, (enum gradus_math)math);
        struct gradus_error error = {0};
        has_math[math] = gradus_gemm_run(&p.g, &error) == GRADUS_OK;
        if (!has_math[math])
            printf("without %s: %s\n", math_names[math], error.text);
        must(cu.synchronize(), "a product");
        free_problem(&p);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        struct problem p = typed(&kinds[kind], 40, 40, 40, GRADUS_MATH_DEFAULT);
        struct gradus_error error = {0};
        kinds[kind].is_there = gradus_gemm_run(&p.g, &error) == GRADUS_OK;
        must(cu.synchronize(), "a product");
        CHECK(kinds[kind].is_there || kind >= OF_CUBLAS, "%s: %s", kinds[kind].name, error.text);
        if (!kinds[kind].is_there)
            printf("without %s: %s\n", kinds[kind].name, error.text);
        gradus_error_clear(&error);
        free_problem(&p);
    }
    CHECK(has_math[GRADUS_MATH_DEFAULT] && has_math[GRADUS_MATH_IEEE], "no kernel for floats");
    check_problems(problems);
    for (int kind = 0; kind < KINDS; kind++)
        if (kinds[kind].is_there && kinds[kind].ab == kinds[kind].c)
            check_chain(&kinds[kind]);
    if (argc > 3 && strcmp(argv[3], "problems") == 0)
        return failures > 0;
    check_threads();
    check_shared_stream();
    bool refused = false;
    for (int math = 0; math < MATHS; math++)
        if (has_math[math])
            refused |= check_graph((enum gradus_math)math);
    CHECK(refused, "no product was refused in a capture without a workspace");
    check_memory();
    check_host_operands();
    check_batches();
    check_refusals();
    host_times();
    driver_times();
    rates();
    if (blas.handle)
        random_rates(120);
    typed_rates(0);
    batch_rates();
    epilogue_rates();
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures ? 1 : 0;
}
