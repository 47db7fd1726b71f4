/* device_product.c: computes a product on a GPU, from the caller's description to its launches.
 * SPDX-License-Identifier: MIT */
#include "device/device_product.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "device/device_dispatch.h"
#include "device/device_finish.h"
#include "device/device_launch.h"

#include <inttypes.h>

enum { MOST_AT_ONCE = 65535 }; /* limit of the grid's z dimension */

/* Refuses what only the CPU supports. */
static enum gradus_status refuse_others(const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct {
        const char *member;
        bool found;
    } others[] = {{"packed_a", g->packed_a != NULL},
                  {"packed_b", g->packed_b != NULL},
                  {"context", g->context != NULL}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].found)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "gradus_gemm_run: %s: found one with GRADUS_GPU, wanted null: only the "
                           "CPU has it",
                           others[i].member);
    if (g->arrays_on_gpu && gr_device_finishes(g) && g->c_type != g->sum_type && g->beta != 0)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: epilogue: found one with arrays_on_gpu, beta %g and C in "
                       "16 bits, wanted beta 0, or C in f32",
                       g->beta);
    const int64_t sizes[] = {g->m, g->n, g->k, g->lda, g->ldb, g->ldc};
    static const char *const names[] = {"m", "n", "k", "lda", "ldb", "ldc"};
    for (int i = 0; i < 6; i++)
        if (sizes[i] > INT32_MAX)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "gradus_gemm_run: %s: found %" PRId64
                           " with GRADUS_GPU, wanted at most %d",
                           names[i], sizes[i], INT32_MAX);
    return GRADUS_OK;
}

/* Describes the product as a row-major one; a column-major product is computed as its transpose.
 * Where A and B are not read, k and alpha are 0, so that even a NaN in alpha does not reach C. */
static struct gr_device_given given_of(const struct gradus_gemm *g, const struct gr_device_gpu *gpu)
{
    const bool turned = g->layout == GRADUS_COL_MAJOR, reads = g->k > 0 && g->alpha != 0;
    const uintptr_t scale_a = reads ? (uintptr_t)g->scale_a : 0;
    const uintptr_t scale_b = reads ? (uintptr_t)g->scale_b : 0;
    return (struct gr_device_given){.m = turned ? g->n : g->m,
                                    .n = turned ? g->m : g->n,
                                    .k = reads ? g->k : 0,
                                    .lda = turned ? g->ldb : g->lda,
                                    .ldb = turned ? g->lda : g->ldb,
                                    .ldc = g->ldc,
                                    .batch = g->batch > 1 ? g->batch : 1,
                                    .stride_a = turned ? g->stride_b : g->stride_a,
                                    .stride_b = turned ? g->stride_a : g->stride_b,
                                    .stride_c = g->stride_c,
                                    .arrays = g->arrays_on_gpu,
                                    .alpha = reads ? g->alpha : 0,
                                    .beta = g->beta,
                                    .trans_a = turned ? g->trans_b : g->trans_a,
                                    .trans_b = turned ? g->trans_a : g->trans_b,
                                    .sms = gpu->sms,
                                    .smem_max = gpu->smem_max,
                                    .cc = gpu->cc,
                                    .warp = gpu->warp,
                                    .scale_a = turned ? scale_b : scale_a,
                                    .scale_b = turned ? scale_a : scale_b};
}

static const void *matrix(const void *first, const void *const *array, int64_t i, int64_t stride,
                          int64_t bytes)
{
    return array ? array[i] : (const char *)first + i * stride * bytes;
}

/* The address of the first C, or of the array of pointers to it in the GPU's memory. */
static const void *first_c(const struct gradus_gemm *g)
{
    return g->arrays_on_gpu ? g->c_array : g->c_array ? g->c_array[0] : g->c;
}

/* Sets the addresses of the arrays of pointers in the GPU's memory, from the i-th pointer on. Where
 * A and B are not read, their arrays may be null; any other valid array takes their place. */
static void point_far(const struct gradus_gemm *g, int64_t i, struct gr_device_given *given)
{
    const bool turned = g->layout == GRADUS_COL_MAJOR, reads = given->k > 0;
    const void *const *const c = (const void *const *)g->c_array;
    const void *const *const a = reads ? g->a_array : c, *const *const b = reads ? g->b_array : c;
    given->a = (uintptr_t)((turned ? b : a) + i);
    given->b = (uintptr_t)((turned ? a : b) + i);
    given->c = (uintptr_t)(c + i);
}

/* Sets the addresses of the operands of the i-th product of a batch. */
static void point(const struct gradus_gemm *g, int64_t i, struct gr_device_given *given)
{
    if (g->arrays_on_gpu) {
        point_far(g, i, given);
        return;
    }
    const uint64_t a =
        (uintptr_t)matrix(g->a, g->a_array, i, g->stride_a, gr_gemm_type_bytes(g->a_type));
    const uint64_t b =
        (uintptr_t)matrix(g->b, g->b_array, i, g->stride_b, gr_gemm_type_bytes(g->b_type));
    const bool turned = g->layout == GRADUS_COL_MAJOR;
    given->a = turned ? b : a;
    given->b = turned ? a : b;
    given->c = (uintptr_t)matrix(g->c, (const void *const *)g->c_array, i, g->stride_c,
                                 gr_gemm_type_bytes(g->c_type));
}

/* Should the address of the workspace be checked? Memory that a graph allocates is not known to the
 * driver while that graph is being captured, so during a capture it is not checked. */
static bool is_checked(const struct gr_device_driver *driver, const struct gradus_gemm *g)
{
    int capturing = 0;
    return g->workspace &&
           (driver->stream_is_capturing(g->stream, &capturing) != 0 || capturing == 0);
}

/* Checks that all operands of the i-th product are in the memory of one GPU. */
static enum gradus_status check_places(const struct gr_device_driver *driver,
                                       const struct gradus_gemm *g, int64_t i, bool reads, int gpu,
                                       struct gradus_error *error)
{
    const bool far = g->arrays_on_gpu;
    const struct {
        const char *name;
        const void *address;
        bool is_used;
    } operands[] = {
        {far ? "c_array" : "c",
         far ? g->c_array : matrix(g->c, (const void *const *)g->c_array, i, 0, 0), true},
        {far ? "a_array" : "a", far ? g->a_array : matrix(g->a, g->a_array, i, 0, 0), reads},
        {far ? "b_array" : "b", far ? g->b_array : matrix(g->b, g->b_array, i, 0, 0), reads},
        {"epilogue->bias", g->epilogue ? g->epilogue->bias : NULL,
         i == 0 && g->epilogue && g->epilogue->bias},
        {"scale_a", g->scale_a, i == 0 && reads && g->scale_a},
        {"scale_b", g->scale_b, i == 0 && reads && g->scale_b},
        {"workspace", g->workspace, i == 0 && is_checked(driver, g)},
    };
    for (size_t o = 0; o < sizeof operands / sizeof *operands; o++) {
        int ordinal = gpu;
        if (!operands[o].is_used)
            continue;
        const enum gradus_status status =
            gr_device_gpu_of(driver, operands[o].address, operands[o].name, &ordinal, error);
        if (status != GRADUS_OK)
            return status;
        if (ordinal != gpu)
            return gr_fail(error, GRADUS_INVALID,
                           "gradus_gemm_run: %s: found memory of GPU %d, wanted memory of GPU %d, "
                           "where the first c is",
                           operands[o].name, ordinal, gpu);
    }
    return GRADUS_OK;
}

static enum gradus_status check_workspace(const struct gradus_gemm *g, int64_t wanted,
                                          struct gradus_error *error)
{
    enum { BOUNDARY = 256 };
    if (g->workspace_bytes < wanted)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gemm_run: workspace_bytes: found %" PRId64
                       ", wanted at least %" PRId64 ", as gradus_gemm_workspace says",
                       g->workspace_bytes, wanted);
    if ((uintptr_t)g->workspace % BOUNDARY != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gemm_run: workspace: found an address %d bytes after a boundary of "
                       "%d, wanted one on it",
                       (int)((uintptr_t)g->workspace % BOUNDARY), BOUNDARY);
    return GRADUS_OK;
}

/* One product with its epilogue: its kernel, its launches, and the `bytes` bytes of workspace that
 * it needs. The first `sums_bytes` of these contain the sums that the epilogue reads. */
struct job {
    const struct gr_device_kernel *kernel;
    struct gr_device_loaded *loaded;
    struct gr_device_given given;
    struct gr_device_plan plan;
    int64_t sums_bytes, bytes;
    bool fused; /* the kernel applies the epilogue */
};

/* Chooses the kernel for a product whose epilogue, if there is one, is a launch of its own. Where
 * the epilogue reads sums, the product writes these in float and does not touch C. */
static enum gradus_status choose_apart(struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                       const struct gr_device_given *given, int *kernel,
                                       struct job *job, struct gradus_error *error)
{
    int64_t lds;
    enum gradus_status status;
    job->given = *given;
    job->fused = false;
    job->sums_bytes = gr_device_sums_bytes(g, given, &lds);
    if (job->sums_bytes) {
        struct gradus_gemm product = *g;
        product.c_type = product.sum_type;
        job->given.c = 0; /* as aligned as every workspace is */
        job->given.ldc = lds;
        job->given.beta = 0;
        status = gr_device_choose(gpu, &product, &job->given, kernel, &job->plan, error);
    } else {
        status = gr_device_choose(gpu, g, given, kernel, &job->plan, error);
    }
    job->plan.expected_us += gr_device_finish_us(g, given);
    return status;
}

/* Chooses a kernel that applies the epilogue itself. Returns false if there is none. */
static bool choose_fused(struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                         const struct gr_device_given *given, int *kernel, struct job *job,
                         struct gradus_error *error)
{
    if (!gr_device_fuses(g, given))
        return false;
    job->given = gr_device_with_epilogue(g, given);
    job->fused = true;
    job->sums_bytes = 0;
    return gr_device_choose(gpu, g, &job->given, kernel, &job->plan, error) == GRADUS_OK;
}

/* Must the kernel that multiplies apply the epilogue? There is room for the sums of only one
 * product, which also is not at an address in an array. */
static bool must_fuse(const struct gradus_gemm *g, const struct gr_device_given *given)
{
    int64_t lds;
    return (given->arrays || given->batch > 1) && gr_device_sums_bytes(g, given, &lds) > 0;
}

/* Chooses the kernel. */
static enum gradus_status choose(struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                 const struct gr_device_given *given, int *kernel, struct job *job,
                                 struct gradus_error *error)
{
    int apart_kernel;
    struct job apart;
    const bool only = must_fuse(g, given);
    const bool fused = choose_fused(gpu, g, given, kernel, job, only ? error : NULL);
    enum gradus_status status = fused ? GRADUS_OK : GRADUS_UNSUPPORTED;
    if (!only) {
        status = choose_apart(gpu, g, given, &apart_kernel, &apart, fused ? NULL : error);
        if (status == GRADUS_OK && (!fused || apart.plan.expected_us < job->plan.expected_us)) {
            *job = apart;
            *kernel = apart_kernel;
        }
    }
    if (status != GRADUS_OK && !fused)
        return status;
    job->kernel = &gr_device_kernels[*kernel];
    job->bytes = job->sums_bytes + gr_device_work_bytes(job->kernel, &job->plan);
    return GRADUS_OK;
}

/* Queues a job whose kernels have been loaded. The workspace must be large enough. `left` may be
 * null. */
static enum gradus_status launch(const struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                 struct job *job, struct gr_device_finish *finish,
                                 uint64_t workspace, struct gr_device_left *left,
                                 struct gradus_error *error)
{
    struct gr_device_works works =
        gr_device_works_in(job->kernel, &job->plan, workspace + (uint64_t)job->sums_bytes);
    if (job->sums_bytes)
        job->given.c = finish->given.sums = workspace;
    if (left)
        gr_device_use_left(job->kernel, &job->given, &job->plan, &works, left);
    enum gradus_status status = gr_device_launch_at(gpu, job->kernel, job->loaded, &job->given,
                                                    &job->plan, &works, g->stream, error);
    return status == GRADUS_OK && finish->kernel
               ? gr_device_finish_launch(gpu, finish, g->stream, error)
               : status;
}

/* Queues one product. The GPU's context must be current. `left` may be null. */
static enum gradus_status queue(struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                const struct gr_device_given *given, struct gr_device_left *left,
                                struct gradus_error *error)
{
    struct job job;
    struct gr_device_finish finish;
    struct gr_device_buffer *buffer = NULL;
    int kernel;
    finish.kernel = NULL;
    enum gradus_status status = choose(gpu, g, given, &kernel, &job, error);
    if (status == GRADUS_OK)
        status = gr_device_load(gpu, kernel, (int)(given->trans_a * 2 + given->trans_b),
                                &job.loaded, error);
    if (status == GRADUS_OK && gr_device_finishes(g) && !job.fused)
        status = gr_device_finish_prepare(gpu, g, given, job.sums_bytes ? job.given.ldc : 0,
                                          &finish, error);
    if (status == GRADUS_OK && job.bytes && g->workspace)
        status = check_workspace(g, job.bytes, error);
    else if (status == GRADUS_OK && job.bytes)
        status = gr_device_buffer_take(gpu, g->stream, job.bytes, &buffer, error);
    if (status == GRADUS_OK)
        status = launch(gpu, g, &job, &finish, buffer ? buffer->address : (uintptr_t)g->workspace,
                        buffer || job.sums_bytes ? NULL : left, error);
    if (buffer)
        gr_device_buffer_give(buffer);
    return status;
}

/* How many products of a batch with strides to compute in one launch. */
static int64_t products_at_once(const struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                const struct gr_device_given *given)
{
    int64_t lds;
    if (gr_device_sums_bytes(g, given, &lds) == 0)
        return gr_device_at_once(gpu, g, given);
    if (!gr_device_fuses(g, given))
        return 1;
    const struct gr_device_given with = gr_device_with_epilogue(g, given);
    return gr_device_at_once(gpu, g, &with);
}

/* How a product is queued that is one of several with the same B. */
struct next {
    struct gr_device_left *left; /* null: the product is the only one */
    bool ahead;                  /* only make the pieces of its A */
    uint64_t spare;
    int64_t spare_bytes;
};

/* Queues what can be made ahead of a product, if there is anything. */
static enum gradus_status queue_ahead(struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                      const struct gr_device_given *given, const struct next *next,
                                      struct gradus_error *error)
{
    struct job job;
    int kernel;
    enum gradus_status status = choose(gpu, g, given, &kernel, &job, error);
    if (status != GRADUS_OK || job.sums_bytes || g->workspace_bytes < job.bytes)
        return status;
    struct gr_device_works works =
        gr_device_works_in(job.kernel, &job.plan, (uintptr_t)g->workspace);
    if (!gr_device_make_ahead(job.kernel, given, next->spare, next->spare_bytes, &job.plan, &works,
                              next->left))
        return GRADUS_OK;
    status =
        gr_device_load(gpu, kernel, (int)(given->trans_a * 2 + given->trans_b), &job.loaded, error);
    return status == GRADUS_OK ? gr_device_launch_at(gpu, job.kernel, job.loaded, given, &job.plan,
                                                     &works, g->stream, error)
                               : status;
}

static enum gradus_status multiply(const struct gradus_gemm *g, const struct next *next,
                                   struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    struct gr_device_gpu *gpu = NULL;
    int ordinal = 0;
    bool entered = false;
    enum gradus_status status = refuse_others(g, error);
    if (status != GRADUS_OK || g->m == 0 || g->n == 0)
        return status;
    status = gr_device_driver_open(&driver, error);
    if (status == GRADUS_OK)
        status = gr_device_gpu_of(driver, first_c(g), "c", &ordinal, error);
    if (status == GRADUS_OK)
        status = gr_device_gpu_open(ordinal, &gpu, error);
    if (status != GRADUS_OK)
        return status;
    struct gr_device_given given = given_of(g, gpu);
    const int64_t batch = g->batch > 1 ? g->batch : 1;
    /* The matrices of a batch with strides are in one allocation, so checking the first is
     * enough. */
    const bool arrays = !g->arrays_on_gpu && (g->a_array || g->b_array || g->c_array);
    int64_t at_once = g->arrays_on_gpu ? MOST_AT_ONCE : 1;
    for (int64_t i = 0; i < (arrays ? batch : 1) && status == GRADUS_OK; i++)
        status = check_places(driver, g, i, given.k > 0, ordinal, error);
    if (status == GRADUS_OK)
        status = gr_device_enter(gpu, &entered, error);
    for (int64_t i = 0, count = 1; i < batch && status == GRADUS_OK; i += count) {
        point(g, i, &given);
        if (i == 0 && batch > 1 && !arrays && !g->arrays_on_gpu)
            at_once = products_at_once(gpu, g, &given);
        count = given.batch = gr_device_min(at_once, batch - i);
        status = next->ahead ? queue_ahead(gpu, g, &given, next, error)
                             : queue(gpu, g, &given, next->left, error);
    }
    gr_device_leave(gpu, entered);
    return status;
}

enum gradus_status gr_device_gemm(const struct gradus_gemm *g, struct gradus_error *error)
{
    static const struct next only = {.left = NULL};
    return multiply(g, &only, error);
}

/* After a failure, nothing that may have been queued in part is used again. */
static enum gradus_status multiply_next(const struct gradus_gemm *g, const struct next *next,
                                        struct gradus_error *error)
{
    const enum gradus_status status = multiply(g, next, error);
    if (status != GRADUS_OK)
        *next->left = (struct gr_device_left){.kernel = NULL};
    return status;
}

enum gradus_status gr_device_gemm_next(const struct gradus_gemm *g, struct gr_device_left *left,
                                       struct gradus_error *error)
{
    const struct next next = {.left = left};
    return multiply_next(g, &next, error);
}

enum gradus_status gr_device_gemm_ahead(const struct gradus_gemm *g, uint64_t spare,
                                        int64_t spare_bytes, struct gr_device_left *left,
                                        struct gradus_error *error)
{
    const struct next next = {left, true, spare, spare_bytes};
    return multiply_next(g, &next, error);
}

int64_t gr_device_ahead_bytes(struct gr_device_gpu *gpu, const struct gradus_gemm *g)
{
    const struct gr_device_given given = given_of(g, gpu);
    struct job job;
    int kernel;
    return choose(gpu, g, &given, &kernel, &job, NULL) == GRADUS_OK
               ? gr_device_pieces_bytes(job.kernel, &job.plan)
               : 0;
}

bool gr_device_expected(const struct gr_device_gpu *gpu, bool tuned, const struct gradus_gemm *g,
                        struct gr_device_expected *expected)
{
    const struct gr_device_given given = given_of(g, gpu);
    return gr_device_least(gpu, tuned, g, &given, expected);
}

bool gr_device_has_tf32(const void *c)
{
    const struct gr_device_driver *driver;
    struct gr_device_gpu *gpu = NULL;
    int ordinal;
    if (gr_device_driver_open(&driver, NULL) != GRADUS_OK ||
        gr_device_gpu_of(driver, c, "c", &ordinal, NULL) != GRADUS_OK ||
        gr_device_gpu_open(ordinal, &gpu, NULL) != GRADUS_OK)
        return false;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        const struct gr_device_cost *cost = gr_device_cost_of(&gr_device_kernels[i]);
        if (cost && cost->math == GRADUS_MATH_TF32 &&
            gr_device_arch_fits(gr_device_kernels[i].arch, gpu->cc))
            return true;
    }
    return false;
}

int64_t gr_device_workspace(const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    struct gr_device_gpu *gpu = NULL;
    int64_t most = 0;
    enum gradus_status status = refuse_others(g, error);
    if (status == GRADUS_OK)
        status = gr_device_driver_open(&driver, error);
    if (status != GRADUS_OK)
        return -1;
    int ordinal = gr_device_gpu_in_use(driver);
    const void *first = g->c_array && g->batch == 0 ? g->c : first_c(g);
    if (first && gr_device_on_host(driver, first)) /* device_staged.c needs none from the caller */
        return 0;
    if (first)
        status = gr_device_gpu_of(driver, first, "c", &ordinal, error);
    if (status == GRADUS_OK)
        status = gr_device_gpu_open(ordinal, &gpu, error);
    if (status != GRADUS_OK)
        return -1;
    if (g->m == 0 || g->n == 0 || g->arrays_on_gpu)
        return 0;
    struct gr_device_given given = given_of(g, gpu);
    given.batch = 1;                         /* in one launch, a batch needs no workspace */
    for (unsigned odd = 0; odd < 8; odd++) { /* each matrix aligned and not aligned */
        struct job job;
        int kernel;
        given.a = odd & 1, given.b = odd >> 1 & 1, given.c = odd >> 2;
        if (choose(gpu, g, &given, &kernel, &job, error) != GRADUS_OK)
            return -1;
        most = job.bytes > most ? job.bytes : most;
    }
    return most;
}
