/* test_device_batches.c: batches in one launch by tensor cores, of floats, bfloat16, float16 and
 * float64, single products of tf32 and of 8-bit numbers, and the epilogues that those kernels
 * apply: the machine code of the library's kernels is executed, and its values are compared with
 * float64. It needs NVRTC. SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c, src/base/deep_stack.c */
#include "device/device_launch.h"

#include "catalog/catalog.h"
#include "catalog/variant.h"
#include "check/check.h"
#include "check/element.h"
#include "core/dtype.h"
#include "core/error.h"
#include "device/device_gpu.h"
#include "emit/translation.h"
#include "gpu/jit.h"
#include "machine/cluster_blocks.h"
#include "machine/tensor_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/activated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A GPU that is executed here ---- */

static struct gr_machine_memory memory;
static struct gr_rtc_code code;

static int run(const struct gr_program *program, const struct gr_program_launch *launch)
{
    struct gr_cluster cluster;
    const struct gr_block *failed = NULL;
    const unsigned width = launch->cluster[0] ? launch->cluster[0] : 1; /* and 1 high */
    assert_true(gr_cluster_open(&cluster, program, launch, &memory, NULL));
    for (unsigned z = 0; z < launch->grid[2]; z++)
        for (unsigned y = 0; y < launch->grid[1]; y++)
            for (unsigned x = 0; x < launch->grid[0] && !failed; x += width)
                failed = gr_cluster_run(&cluster, x, y, z);
    if (failed)
        print_message("%s\n", failed->text);
    gr_cluster_close(&cluster);
    return failed ? 1 : 0;
}

/* A function's handle is the number of its stanza, and 1. */
static int launch_this(gr_device_function function, const struct gr_program_launch *ask)
{
    struct gr_program program;
    struct gradus_error error = {0};
    const enum gradus_status status = gr_program_load(
        code.image, code.length, code.lowered[(intptr_t)function - 1], ask, NULL, &program, &error);
    if (status != GRADUS_OK)
        print_message("%s\n", error.text);
    const int result = status == GRADUS_OK ? run(&program, ask) : 1;
    gradus_error_clear(&error);
    gr_program_free(&program);
    return result;
}

static int launch(gr_device_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **parameters, void **extra)
{
    (void)stream, (void)extra;
    const struct gr_program_launch ask = {.grid = {grid_x, grid_y, grid_z},
                                          .block = {block_x, block_y, block_z},
                                          .dynamic_smem_bytes = shared_bytes,
                                          .parameters = (const void *const *)parameters};
    return launch_this(function, &ask);
}

/* In clusters. */
static int launch_config(const struct gr_device_launch_config *config, gr_device_function function,
                         void **parameters, void **extra)
{
    (void)extra;
    assert_int_equal(config->attribute_count, 1);
    assert_int_equal(config->attributes->id, GR_DEVICE_LAUNCH_CLUSTER_DIMENSION);
    const unsigned *const cluster = config->attributes->value;
    const struct gr_program_launch ask = {
        .grid = {config->grid[0], config->grid[1], config->grid[2]},
        .block = {config->block[0], config->block[1], config->block[2]},
        .cluster = {cluster[0], cluster[1], cluster[2]},
        .dynamic_smem_bytes = config->shared_bytes,
        .parameters = (const void *const *)parameters};
    return launch_this(function, &ask);
}

static int encode(struct gr_device_tensor_map *map, int type, unsigned rank, void *address,
                  const uint64_t *dimensions, const uint64_t *strides, const unsigned *box,
                  const unsigned *element_strides, int interleave, int swizzle, int promotion,
                  int fill)
{
    const char *why = "";
    struct gr_tensor_map made = {.address = (uintptr_t)address,
                                 .type = (enum gr_tensor_map_type)type,
                                 .rank = (int)rank,
                                 .span = swizzle ? 16u << swizzle : 0};
    (void)interleave, (void)promotion, (void)fill;
    for (unsigned d = 0; d < rank; d++) {
        made.size[d] = dimensions[d];
        made.stride[d] = d ? strides[d - 1] : 0;
        made.box[d] = box[d];
        made.step[d] = element_strides[d];
    }
    const bool written = gr_tensor_map_write(&made, (uint8_t *)map, &why);
    if (!written)
        print_message("%s\n", why);
    return written ? 0 : 1;
}

static const struct gr_device_driver driver = {
    .launch = launch, .launch_config = launch_config, .tensor_map_encode = encode};
static struct gr_device_loaded loaded;
static struct gr_device_gpu gpu = {
    .driver = &driver, .cc = 90, .sms = 132, .warp = 32, .smem_max = 232448};

/* Compiles an entry of the table, for transposes 0 to 3, and loads it. False: there is no compiler.
 */
static bool build(int number, int trans)
{
    const struct gr_device_kernel *entry = &gr_device_kernels[number];
    struct gradus_error error = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_types types;
    struct gr_variant variant;
    struct gr_translation t;
    char name[128], *rest = NULL, path[128];
    snprintf(path, sizeof path, "kernels/gpu/%s.cu", entry->file);
    const struct gr_embedded *file = gr_embedded_find(path);
    assert_non_null(file);
    assert_int_equal(gr_kernel_parse(path, file->text, NULL, &kernel, &error), 0);
    kernel->built_in = true;
    snprintf(name, sizeof name, "%s", entry->name);
    strtok_r(name, " ", &rest);
    assert_true(gr_types_parse(strtok_r(NULL, " ", &rest), &types));
    assert_int_equal(gr_variant_make(kernel, types, trans & 2, trans & 1, &variant, &error), 0);
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        assert_int_equal(gr_variant_set(&variant, word, &error), 0);
    assert_int_equal(gr_translation_make(&variant, NULL, NULL, &t, &error), 0);
    const char *folder = gr_rtc_nvrtc.include_dir(), *options[16];
    char include[512];
    int count = 0;
    for (int i = 0; i < t.option_count; i++)
        options[count++] = t.options[i];
    snprintf(include, sizeof include, "-I%s", folder);
    if (*folder)
        options[count++] = include;
    const struct gr_rtc_source source = {.text = t.text,
                                         .name = t.name,
                                         .header_names = (const char *const *)t.header_names,
                                         .header_texts = (const char *const *)t.header_texts,
                                         .header_count = t.header_count,
                                         .options = options,
                                         .option_count = count,
                                         .arch = "sm_90a",
                                         .names = (const char *const *)t.kernels,
                                         .name_count = t.kernel_count};
    gr_rtc_code_free(&code);
    const enum gradus_status status = gr_jit_compile(&gr_rtc_nvrtc, &source, true, &code, &error);
    if (status != GRADUS_OK)
        print_message("%s\n%s\n", error.text, error.log ? error.log : "");
    gradus_error_clear(&error);
    gr_translation_free(&t);
    gr_kernel_free(kernel);
    if (status == GRADUS_UNSUPPORTED)
        return false;
    assert_int_equal(status, GRADUS_OK);
    for (int i = 0; i < entry->stanza_count; i++) {
        loaded.functions[i] = (gr_device_function)(intptr_t)(i + 1);
        atomic_store(&loaded.smem_allowed[i], gpu.smem_max);
    }
    return true;
}

/* ---- Values ---- */

static uint64_t state = 7;

static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 33) / 1073741824.0 - 1) * 6;
}

static bool is_tf32(const struct gr_device_kernel *entry)
{
    return strcmp(entry->file, "33_tf32_any_shape") == 0;
}

static enum gr_dtype type_of(enum gradus_type type)
{
    return type == GRADUS_F64    ? GR_F64
           : type == GRADUS_BF16 ? GR_BF16
           : type == GRADUS_F16  ? GR_F16
           : type == GRADUS_E4M3 ? GR_E4M3
           : type == GRADUS_E5M2 ? GR_E5M2
                                 : GR_F32;
}

static bool is_of_bytes(const struct gr_device_kernel *entry)
{
    return entry->a_type == GRADUS_E4M3 || entry->a_type == GRADUS_E5M2;
}

struct batch_trial {
    int m, n, k, batch, sms;
    int more;    /* elements after each row */
    int between; /* after each matrix but those of A */
    bool arrays; /* by an array of addresses, in another order */
    double beta; /* 0: C is no number before */
    int stanza;  /* of float64: the kernel that is to be chosen */
    int before;  /* elements before the first matrix */
    int choice;  /* of floats: the combination of choices, and 1; 0: that of least cost */
};

struct batch_operand {
    int64_t ld, stride, count;
    enum gr_dtype type;
    char *allocated, *memory;
    double *numbers;                 /* the same */
    _Alignas(16) void *addresses[8]; /* aligned, which says nothing about the matrices */
};

static void make_operand(struct batch_operand *o, const struct batch_trial *t, enum gr_dtype type,
                         int rows, int columns, int between, bool is_none)
{
    enum { BOUNDARY = 64 };
    const size_t bytes = gr_dtype_bytes(type);
    o->type = type;
    o->ld = columns + t->more;
    o->stride = rows * o->ld + between;
    o->count = o->stride * t->batch;
    const size_t all = (size_t)(o->count + t->before) * bytes;
    o->allocated = aligned_alloc(BOUNDARY, (all / BOUNDARY + 1) * BOUNDARY);
    o->memory = o->allocated + (size_t)t->before * bytes;
    o->numbers = malloc((size_t)o->count * sizeof *o->numbers);
    for (int64_t i = 0; i < o->count; i++) {
        o->numbers[i] = is_none && i % o->stride / o->ld < rows && i % o->stride % o->ld < columns
                            ? NAN
                            : gr_round_to(type, draw());
        gr_element_put(type, o->memory, i, o->numbers[i]);
    }
    assert_true(gr_memory_add(&memory, (uintptr_t)o->memory, (uint64_t)o->count * bytes));
    assert_true(gr_memory_add(&memory, (uintptr_t)o->addresses, sizeof o->addresses));
    for (int p = 0; p < t->batch; p++)
        o->addresses[p] = o->memory + (p + 1) % t->batch * o->stride * (int64_t)bytes;
}

static void free_operand(struct batch_operand *o)
{
    gr_memory_remove(&memory, (uintptr_t)o->memory);
    gr_memory_remove(&memory, (uintptr_t)o->addresses);
    free(o->allocated);
    free(o->numbers);
}

/* A bias for each column, or each row, of all products, and an activation; factors of A and B. */
struct finishing {
    bool has_bias, per_row, has_scales;
    enum gradus_activation activation;
    float bias[352]; /* no trial has more rows or columns */
    float scale_a, scale_b;
};

static void check_batch(const struct gr_device_kernel *entry, const struct batch_trial *t,
                        const struct batch_operand *a, const struct batch_operand *b,
                        const struct batch_operand *c, int trans, const struct finishing *f)
{
    const bool ta = trans & 2, tb = trans & 1;
    const double eps = gr_dtype_eps(is_of_bytes(entry) ? GR_F22 : type_of(entry->sum_type));
    const double alpha = f->has_scales ? 0.5 * f->scale_a * f->scale_b : 0.5;
    const double rounding = entry->c_type == entry->sum_type ? 0 : gr_dtype_eps(c->type);
    for (int64_t at = 0; at < c->count; at++) {
        const int64_t p = at / c->stride, i = at % c->stride / c->ld, j = at % c->stride % c->ld;
        const double got = gr_element(c->type, c->memory, at), old = c->numbers[at];
        double sum = 0, size = 0;
        if (i >= t->m || j >= t->n) {
            assert_true(got == old);
            continue;
        }
        for (int k = 0; k < t->k; k++) {
            const double x = a->numbers[p * a->stride + (ta ? k * a->ld + i : i * a->ld + k)];
            const double y = b->numbers[p * b->stride + (tb ? j * b->ld + k : k * b->ld + j)];
            sum += x * y;
            size += fabs(x * y);
        }
        const double bias = f->has_bias ? f->bias[f->per_row ? i : j] : 0;
        const double want =
            activated(alpha * sum + (t->beta != 0 ? t->beta * old : 0) + bias, f->activation);
        size = fabs(alpha) * size + fabs(bias);
        const double bound = (8 + t->k) * eps * (size + fabs(want)) + rounding * fabs(want);
        if (!(fabs(got - want) <= bound))
            fail_msg("%s, %dx%dx%d, %d by %s%s, activation %d: product %lld, (%lld, %lld): %.17g, "
                     "wanted %.17g",
                     entry->name, t->m, t->n, t->k, t->batch, t->arrays ? "arrays" : "strides",
                     f->has_bias ? ", bias" : "", f->activation, (long long)p, (long long)i,
                     (long long)j, got, want);
    }
}

/* Launches the trial. `a_huge`: the first element of A, if it is not 0. */
static void try_with(int number, const struct batch_trial *t, int trans, const struct finishing *f,
                     double a_huge)
{
    const struct gr_device_kernel *entry = &gr_device_kernels[number];
    const bool ta = trans & 2, tb = trans & 1;
    struct batch_operand a, b, c;
    struct gr_device_plan plan = {0};
    struct gradus_error error = {0};
    const enum gr_dtype type = is_tf32(entry) ? GR_TF32 : type_of(entry->a_type);
    make_operand(&a, t, type, ta ? t->k : t->m, ta ? t->m : t->k, 0, false);
    make_operand(&b, t, type, tb ? t->n : t->k, tb ? t->k : t->n, t->between, false);
    make_operand(&c, t, type_of(entry->c_type), t->m, t->n, t->between, t->beta == 0);
    if (a_huge != 0)
        gr_element_put(a.type, a.memory, 0, a.numbers[0] = gr_round_to(a.type, a_huge));
    const struct gr_device_given given = {
        .m = t->m,
        .n = t->n,
        .k = t->k,
        .lda = a.ld,
        .ldb = b.ld,
        .ldc = c.ld,
        .alpha = 0.5,
        .beta = t->beta,
        .a = (uintptr_t)(t->arrays ? (void *)a.addresses : a.memory),
        .b = (uintptr_t)(t->arrays ? (void *)b.addresses : b.memory),
        .c = (uintptr_t)(t->arrays ? (void *)c.addresses : c.memory),
        .trans_a = ta,
        .trans_b = tb,
        .sms = t->sms,
        .smem_max = gpu.smem_max,
        .cc = gpu.cc,
        .warp = gpu.warp,
        .batch = t->batch,
        .stride_a = t->arrays ? 0 : a.stride,
        .stride_b = t->arrays ? 0 : b.stride,
        .stride_c = t->arrays ? 0 : c.stride,
        .arrays = t->arrays,
        .bias = f->has_bias ? (uintptr_t)f->bias : 0,
        .per_row = f->per_row,
        .activation = f->activation,
        .scale_a = f->has_scales ? (uintptr_t)&f->scale_a : 0,
        .scale_b = f->has_scales ? (uintptr_t)&f->scale_b : 0};
    assert_true(entry->plan(&given, t->choice - 1, &plan));
    const size_t bytes = (size_t)gr_device_work_bytes(entry, &plan);
    if (t->batch > 1) {
        assert_int_equal(plan.launch_count, 1);
        assert_int_equal(bytes, 0);
    }
    if (entry->a_type == GRADUS_F64)
        assert_int_equal(plan.launches[0].stanza, t->stanza);
    void *const work = aligned_alloc(256, bytes + 256);
    assert_true(gr_memory_add(&memory, (uintptr_t)work, bytes + 256));
    assert_true(gr_memory_add(&memory, (uintptr_t)f, sizeof *f));
    assert_int_equal(
        gr_device_launch_all(&gpu, entry, &loaded, &given, &plan, (uintptr_t)work, NULL, &error),
        0);
    check_batch(entry, t, &a, &b, &c, trans, f);
    gr_memory_remove(&memory, (uintptr_t)work);
    gr_memory_remove(&memory, (uintptr_t)f);
    free(work);
    free_operand(&a), free_operand(&b), free_operand(&c);
}

/* Without an epilogue and, if the kernel applies epilogues and C is not read, with one. */
static void try_finished(int number, const struct batch_trial *t, int trans, double a_huge)
{
    enum { ACTIVATIONS = GRADUS_GELU_TANH + 1 };
    static struct finishing f;
    static int tried;
    f = (struct finishing){.has_bias = false};
    try_with(number, t, trans, &f, a_huge);
    if (!gr_device_kernels[number].fuses || t->beta != 0)
        return;
    f = (struct finishing){.has_bias = true,
                           .per_row = t->m % 2,
                           .has_scales = is_of_bytes(&gr_device_kernels[number]),
                           .scale_a = 0.75,
                           .scale_b = -3,
                           .activation = (enum gradus_activation)((++tried + trans) % ACTIVATIONS)};
    for (size_t i = 0; i < sizeof f.bias / sizeof *f.bias; i++)
        f.bias[i] = (float)(draw() * 4);
    try_with(number, t, trans, &f, a_huge);
}

static void try_batch(int number, const struct batch_trial *t, int trans)
{
    try_finished(number, t, trans, 0);
}

static bool is_small_f64(const struct gr_device_kernel *entry)
{
    return strcmp(entry->file, "32_small_f64") == 0;
}

/* Each kernel of a type other than float that computes a batch, by strides and by arrays: rows that
 * begin anywhere, and aligned ones; tiles that are cut by the matrices' edges, and whole ones; of
 * 24_dmma each tile. */
static void batches_of_types(void **context)
{
    static const struct batch_trial any[] = {{70, 65, 19, 5, 132, 1, 2, false, -1, 0, 0, 0},
                                             {70, 65, 19, 5, 132, 1, 0, true, 0, 0, 0, 0},
                                             {64, 64, 64, 3, 132, 0, 0, false, 0, 0, 0, 0},
                                             {136, 72, 104, 2, 132, 0, 0, true, 2, 0, 0, 0},
                                             {128, 128, 160, 2, 132, 8, 3, false, 1, 0, 0, 0},
                                             {1, 2, 1, 7, 132, 3, 1, true, 0, 0, 0, 0}};
    static const struct batch_trial of_f64[] = {{70, 65, 19, 5, 132, 1, 2, false, -1, 5, 0, 0},
                                                {70, 65, 19, 5, 2, 1, 0, true, 0, 5, 0, 0},
                                                {64, 64, 64, 7, 1, 0, 0, false, 0, 4, 0, 0},
                                                {64, 64, 64, 3, 132, 0, 1, false, 0, 5, 0, 0},
                                                {130, 66, 40, 3, 4, 0, 0, true, 2, 5, 0, 0},
                                                {128, 128, 256, 4, 1, 2, 0, false, 1, 0, 0, 0},
                                                {128, 64, 512, 4, 1, 0, 0, true, 1, 3, 0, 0},
                                                {128, 64, 512, 4, 1, 0, 0, false, 0, 2, 0, 0},
                                                {16, 16, 2048, 3, 132, 0, 0, false, 1, 4, 0, 0},
                                                {1, 2, 1, 7, 132, 3, 1, true, 0, 5, 0, 0},
                                                {3, 2, 0, 7, 132, 3, 0, true, 0.5, 5, 0, 0}};
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        const struct gr_device_kernel *entry = &gr_device_kernels[i];
        if (!entry->batches || entry->finishes || entry->map_count || entry->a_type == GRADUS_F32 ||
            is_small_f64(entry))
            continue;
        const bool f64 = entry->a_type == GRADUS_F64;
        const struct batch_trial *trials = f64 ? of_f64 : any;
        const int count = f64 ? sizeof of_f64 / sizeof *of_f64 : sizeof any / sizeof *any;
        const int trans = entries++ % 4;
        if (!build(i, trans)) {
            skip();
            return;
        }
        for (int t = 0; t < count; t++)
            try_batch(i, &trials[t], trans);
    }
    assert_int_equal(entries, 17);
}

/* Returns false where no compiler is. */
static bool try_in_all_transposes(int number, const struct batch_trial *trials, size_t count)
{
    for (int trans = 0; trans < 4; trans++) {
        if (!build(number, trans))
            return false;
        for (size_t t = 0; t < count; t++)
            try_batch(number, &trials[t], trans);
    }
    return true;
}

/* Floats by pieces of bf16, which the kernel makes: both tiles, and shares of k in clusters of each
 * size, also of fewer steps than shares, which then have none; edges around a tile; rows and
 * matrices that begin anywhere; no k. More tiles than blocks are only where k is not shared. */
static void batches_of_floats(void **context)
{
    static const struct batch_trial trials[] = {{70, 65, 35, 3, 132, 1, 1, false, -1, 0, 1, 0},
                                                {64, 64, 64, 7, 2, 0, 0, true, 0, 0, 0, 1},
                                                {63, 129, 31, 3, 2, 0, 3, false, 0, 0, 0, 1},
                                                {128, 128, 97, 3, 2, 4, 0, true, 2, 0, 1, 5},
                                                {129, 127, 64, 2, 2, 1, 0, false, 1, 0, 0, 5},
                                                {65, 66, 160, 2, 132, 0, 5, true, 0, 0, 1, 2},
                                                {66, 63, 70, 2, 132, 2, 0, false, -1, 0, 0, 3},
                                                {64, 68, 300, 1, 132, 0, 0, false, 0.5, 0, 0, 4},
                                                {127, 129, 96, 1, 132, 0, 0, true, 1, 0, 0, 6},
                                                {130, 64, 140, 1, 132, 3, 0, false, 0, 0, 3, 7},
                                                {3, 130, 33, 2, 132, 0, 1, false, 2, 0, 0, 8},
                                                {1, 2, 1, 7, 132, 3, 1, true, 0, 0, 2, 0},
                                                {3, 2, 0, 7, 132, 3, 0, true, 0.5, 0, 0, 0},
                                                {3, 2, 0, 2, 132, 1, 1, false, 0, 0, 0, 0}};
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        if (strcmp(gr_device_kernels[i].file, "31_fused_accurate") != 0)
            continue;
        entries++;
        if (!try_in_all_transposes(i, trials, sizeof trials / sizeof *trials)) {
            skip();
            return;
        }
    }
    assert_int_equal(entries, 1);
}

/* Small products of float64: each tile, with copies of 16 and of 8 bytes; shares of k in clusters
 * of each size, as many as there are steps and fewer; more steps than stages; edges around a tile;
 * rows and matrices that begin anywhere; no k. */
static void batches_of_small_f64(void **context)
{
    static const struct batch_trial trials[] = {{70, 66, 36, 3, 132, 0, 2, false, -1, 0, 0, 1},
                                                {33, 31, 19, 3, 132, 1, 1, false, 0, 1, 1, 1},
                                                {64, 32, 300, 2, 132, 0, 0, true, 0.5, 1, 0, 2},
                                                {32, 34, 130, 1, 132, 2, 0, false, 2, 0, 0, 3},
                                                {31, 65, 257, 2, 132, 0, 1, false, 0, 1, 0, 4},
                                                {64, 64, 64, 2, 132, 0, 0, false, 1, 2, 0, 5},
                                                {65, 63, 231, 2, 132, 1, 3, false, 0, 3, 1, 6},
                                                {66, 130, 400, 1, 132, 0, 0, false, 0, 2, 0, 7},
                                                {63, 66, 260, 1, 132, 0, 0, true, -1, 3, 0, 8},
                                                {16, 66, 200, 2, 132, 0, 2, false, 0, 4, 0, 1},
                                                {3, 130, 97, 1, 132, 1, 0, false, 2, 5, 0, 2},
                                                {2, 64, 512, 2, 132, 0, 0, true, 0, 5, 0, 4},
                                                {66, 16, 160, 2, 132, 0, 0, false, 1, 6, 0, 3},
                                                {33, 15, 65, 3, 132, 1, 1, false, 0, 7, 0, 2},
                                                {1, 2, 1, 7, 132, 3, 1, true, 0, 1, 0, 0},
                                                {6, 30, 40, 3, 132, 0, 0, false, 0, 0, 0, 0},
                                                {18, 2, 0, 1, 132, 0, 0, false, 0.5, 6, 0, 0},
                                                {33, 35, 0, 2, 132, 1, 0, false, 0, 1, 0, 1}};
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        if (!is_small_f64(&gr_device_kernels[i]))
            continue;
        entries++;
        if (!try_in_all_transposes(i, trials, sizeof trials / sizeof *trials)) {
            skip();
            return;
        }
    }
    assert_int_equal(entries, 1);
}

/* Products of 16-bit types by tensor maps, which describe the matrices at any address: each width
 * of tile, in pairs of blocks as well, of which one may have no tile; matrices that are whole rows
 * apart and that are not; edges, also of k, and boxes that would begin outside; a C that its map
 * stores, and one that it cannot; more tiles than blocks. Arrays: matrices that are aligned, that
 * are not, and both in turns, which one launch copies in two ways. */
static void batches_by_maps(void **context)
{
    static const struct batch_trial trials[] = {{136, 72, 104, 3, 132, 0, 8, false, 0, 0, 0, 1},
                                                {136, 72, 104, 3, 132, 0, 8, true, 0.5, 0, 0, 2},
                                                {264, 136, 72, 2, 4, 8, 0, false, 0, 0, 0, 17},
                                                {264, 136, 72, 2, 4, 0, 0, true, 0, 0, 0, 18},
                                                {128, 200, 64, 3, 2, 0, 24, false, -1, 0, 0, 33},
                                                {72, 328, 136, 2, 132, 0, 0, true, 0, 0, 0, 50},
                                                {8, 8, 8, 7, 132, 0, 0, false, 0, 0, 0, 0},
                                                {200, 136, 88, 3, 132, 0, 0, true, 0, 0, 1, 2},
                                                {136, 264, 72, 3, 2, 0, 4, true, 0, 0, 0, 49},
                                                {72, 72, 200, 4, 1, 0, 1, true, 2, 0, 3, 17},
                                                {72, 72, 200, 4, 1, 0, 1, true, 2, 0, 3, 33},
                                                {200, 136, 136, 5, 3, 0, 0, true, 2, 0, 0, 1},
                                                {200, 136, 64, 5, 2, 0, 8, false, 0, 0, 0, 2},
                                                {264, 136, 72, 2, 4, 0, 0, true, 0, 0, 0, 66}};
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        if (strcmp(gr_device_kernels[i].file, "27_any_shape") != 0)
            continue;
        const int trans = entries++ % 4; /* of each type another one: a compilation takes long */
        if (!build(i, trans)) {
            skip();
            return;
        }
        for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
            try_batch(i, &trials[t], trans);
    }
    assert_int_equal(entries, 4);
}

/* Single products of floats that tf32 does not round: each width of tile, in pairs of blocks as
 * well, of which one may have no tile; more tiles than blocks; shares and splits of k; operands in
 * registers, in shared memory and packed; C transposed and not; edges, also of k; rows of C that
 * the copy engine stores, and others; no k. */
static void products_of_tf32(void **context)
{
    static const struct batch_trial trials[] = {{132, 72, 104, 1, 132, 0, 0, false, 0, 0, 0, 1},
                                                {264, 136, 72, 1, 4, 8, 0, false, 0.5, 0, 0, 18},
                                                {132, 200, 68, 1, 2, 0, 0, false, -1, 0, 0, 33},
                                                {260, 328, 136, 1, 132, 0, 0, false, 0, 0, 0, 50},
                                                {300, 260, 40, 1, 2, 4, 0, false, 0, 0, 0, 1},
                                                {131, 70, 1100, 1, 132, 1, 0, false, 0, 0, 1, 3},
                                                {68, 100, 1100, 1, 132, 0, 0, false, 2, 0, 0, 19},
                                                {132, 72, 520, 1, 132, 0, 0, false, 0, 0, 0, 5},
                                                {132, 72, 520, 1, 132, 0, 0, false, 2, 0, 0, 25},
                                                {64, 68, 300, 1, 132, 0, 0, false, 0, 0, 0, 13},
                                                {196, 260, 200, 1, 132, 0, 0, false, 0, 0, 0, 53},
                                                {129, 67, 33, 1, 132, 0, 0, false, 1, 0, 0, 17},
                                                {132, 70, 40, 1, 132, 2, 0, false, 0, 0, 0, 2},
                                                {16, 264, 140, 1, 132, 0, 0, false, 0.5, 0, 0, 2},
                                                {48, 132, 300, 1, 132, 0, 0, false, 0, 0, 0, 13},
                                                {60, 260, 1100, 1, 132, 4, 0, false, 0, 0, 0, 3},
                                                {4, 4, 4, 1, 132, 0, 0, false, 0, 0, 0, 0},
                                                {7, 72, 0, 1, 132, 0, 0, false, 0, 0, 0, 0},
                                                {7, 70, 0, 1, 132, 1, 0, false, 0.5, 0, 0, 0}};
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        if (!is_tf32(&gr_device_kernels[i]))
            continue;
        entries++;
        if (!try_in_all_transposes(i, trials, sizeof trials / sizeof *trials)) {
            skip();
            return;
        }
    }
    assert_int_equal(entries, 1);
}

/* Single products of 8-bit numbers, whose partial sums the tensor cores keep in 22 bits: as of
 * tf32; operands by maps and packed, and factors of A and B with the epilogue. */
static void products_of_bytes(void **context)
{
    static const struct batch_trial trials[] = {{132, 72, 104, 1, 132, 0, 0, false, 0, 0, 0, 1},
                                                {264, 136, 288, 1, 4, 0, 0, false, 0.5, 0, 0, 2},
                                                {300, 272, 160, 1, 2, 0, 0, false, 0, 0, 0, 33},
                                                {260, 272, 416, 1, 2, 0, 0, false, 0.5, 0, 0, 50},
                                                {136, 136, 304, 1, 4, 0, 0, false, 0, 0, 0, 17},
                                                {131, 70, 1100, 1, 132, 1, 0, false, 0, 0, 1, 5},
                                                {132, 80, 1056, 1, 132, 0, 0, false, 2, 0, 0, 3},
                                                {64, 68, 4160, 1, 132, 0, 0, false, 0, 0, 0, 19},
                                                {16, 16, 16, 1, 132, 0, 0, false, 0, 0, 0, 0},
                                                {7, 72, 0, 1, 132, 1, 0, false, 0.5, 0, 0, 0}};
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        if (!is_of_bytes(&gr_device_kernels[i]))
            continue;
        const int trans = (entries++ + 1) % 4; /* of each type another one */
        if (!build(i, trans)) {
            skip();
            return;
        }
        for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
            try_batch(i, &trials[t], trans);
    }
    assert_int_equal(entries, 4);
}

/* An epilogue of single products, wherever a kernel applies one to its sums: in registers, where
 * the blocks of a cluster add them up, and where splits of k are added that were in memory; and of
 * floats whose pieces are not finite, which are computed again. Rows of C that begin anywhere. */
static void epilogues_of_products(void **context)
{
    static const struct {
        const char *file;
        int trans; /* for which the tests above have compiled the kernel, which takes long */
        double a_huge;
        struct batch_trial trial;
    } cases[] = {{"21_accurate", 2, 0, {131, 262, 40, 1, 1, 0, 0, false, 0, 0, 0, 0}},
                 {"21_accurate", 2, 0, {67, 90, 520, 1, 132, 1, 0, false, 0, 0, 1, 0}},
                 {"21_accurate", 2, 1e36, {67, 90, 40, 1, 132, 0, 0, false, 0, 0, 0, 0}},
                 {"21_accurate", 2, 0, {5, 7, 0, 1, 132, 1, 0, false, 0, 0, 0, 0}},
                 {"27_any_shape", 0, 0, {130, 72, 264, 1, 132, 0, 0, false, 0, 0, 0, 5}},
                 {"27_any_shape", 0, 0, {131, 70, 300, 1, 132, 1, 0, false, 0, 0, 1, 3}},
                 {"27_any_shape", 0, 0, {131, 72, 520, 1, 132, 0, 0, false, 0, 0, 0, 7}},
                 {"27_any_shape", 0, 0, {131, 72, 520, 1, 132, 0, 0, false, 0, 0, 0, 25}},
                 {"27_any_shape", 0, 0, {7, 72, 0, 1, 132, 0, 0, false, 0, 0, 0, 0}},
                 {"28_small", 1, 0, {67, 70, 200, 1, 132, 1, 0, false, 0, 0, 1, 4}},
                 {"28_small", 1, 0, {67, 70, 300, 1, 132, 0, 0, false, 0, 0, 0, 2}},
                 {"28_small", 1, 0, {15, 130, 150, 1, 132, 0, 0, false, 0, 0, 0, 5}},
                 {"28_small", 1, 0, {130, 9, 70, 1, 132, 1, 0, false, 0, 0, 0, 1}},
                 {"31_fused_accurate", 3, 1e36, {67, 65, 40, 1, 132, 0, 0, false, 0, 0, 0, 1}},
                 {"31_fused_accurate", 3, 1e36, {131, 129, 140, 1, 132, 1, 0, false, 0, 0, 0, 6}}};
    (void)context;
    int built = -1;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int i = 0;
        while (strcmp(gr_device_kernels[i].file, cases[c].file) != 0 ||
               gr_device_kernels[i].c_type == GRADUS_BF16)
            assert_true(++i < gr_device_kernel_count);
        const int trans = cases[c].trans;
        assert_true(gr_device_kernels[i].fuses);
        if (i != built && !build(i, trans)) {
            skip();
            return;
        }
        built = i;
        try_finished(i, &cases[c].trial, trans, cases[c].a_huge);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_types),      cmocka_unit_test(batches_by_maps),
        cmocka_unit_test(epilogues_of_products), cmocka_unit_test(batches_of_floats),
        cmocka_unit_test(batches_of_small_f64),  cmocka_unit_test(products_of_tf32),
        cmocka_unit_test(products_of_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
