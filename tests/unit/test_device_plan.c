/* test_device_plan.c: the tables of the library's GPU kernels say what the kernels' files say: for
 * random products, the functions that the build made of the lines give the arguments, buffers and
 * launches that the catalog evaluates. SPDX-License-Identifier: MIT */
#include "catalog/arch.h"
#include "catalog/catalog.h"
#include "catalog/variant.h"
#include "device/device_gpu.h"
#include "device/kernel_table.h"
#include "plan/launch_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 1;

static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static int64_t size(void)
{
    return (int64_t)exp((double)draw() / 2147483648.0 * log(20000));
}

/* The entry's kernel, types and parameters, of its name "12_best f32 BM=64". */
static struct gr_variant variant_of(const struct gr_catalog *catalog,
                                    const struct gr_device_kernel *entry, int trans)
{
    struct gradus_error error = {0};
    const struct gr_kernel *kernel = NULL;
    struct gr_types types;
    struct gr_variant variant;
    char name[256], *rest = NULL;
    snprintf(name, sizeof name, "%s", entry->name);
    assert_int_equal(gr_catalog_find(catalog, strtok_r(name, " ", &rest), &kernel, &error), 0);
    assert_true(gr_types_parse(strtok_r(NULL, " ", &rest), &types));
    assert_int_equal(gr_variant_make(kernel, types, trans & 2, trans & 1, &variant, &error), 0);
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        assert_int_equal(gr_variant_set(&variant, word, &error), 0);
    return variant;
}

static int value_of(enum gr_value value)
{
    static const int values[] = {
        [GR_VALUE_INT32] = GR_DEVICE_INT32,     [GR_VALUE_INT64] = GR_DEVICE_INT64,
        [GR_VALUE_F32] = GR_DEVICE_F32,         [GR_VALUE_F64] = GR_DEVICE_F64,
        [GR_VALUE_ADDRESS] = GR_DEVICE_ADDRESS, [GR_VALUE_MAP] = GR_DEVICE_TENSOR_MAP};
    return values[value];
}

static int role_of(enum gr_role role)
{
    static const int roles[] = {[GR_ROLE_M] = GR_DEVICE_M,       [GR_ROLE_N] = GR_DEVICE_N,
                                [GR_ROLE_K] = GR_DEVICE_K,       [GR_ROLE_ALPHA] = GR_DEVICE_ALPHA,
                                [GR_ROLE_BETA] = GR_DEVICE_BETA, [GR_ROLE_A] = GR_DEVICE_A,
                                [GR_ROLE_B] = GR_DEVICE_B,       [GR_ROLE_C] = GR_DEVICE_C,
                                [GR_ROLE_LDA] = GR_DEVICE_LDA,   [GR_ROLE_LDB] = GR_DEVICE_LDB,
                                [GR_ROLE_LDC] = GR_DEVICE_LDC,   [GR_ROLE_ARG] = GR_DEVICE_ARG,
                                [GR_ROLE_WORK] = GR_DEVICE_WORK, [GR_ROLE_MAP] = GR_DEVICE_MAP};
    return roles[role];
}

static void check_launch(const struct gr_device_kernel *entry, const struct gr_device_launch *got,
                         const struct gr_plan_launch *want)
{
    assert_int_equal(got->stanza, want->stanza);
    assert_int_equal(got->smem_bytes, want->smem_bytes);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(got->grid[i], want->grid[i]);
        assert_int_equal(got->block[i], want->block[i]);
        assert_int_equal(got->cluster[i], want->cluster[i] > 0 ? want->cluster[i] : 1);
    }
    const struct gr_device_stanza *stanza = &entry->stanzas[got->stanza];
    assert_int_equal(stanza->parameter_count, want->parameter_count);
    for (int i = 0; i < stanza->parameter_count; i++) {
        const struct gr_plan_parameter *p = &want->parameters[i];
        assert_int_equal(stanza->parameters[i].role, role_of(p->role));
        assert_int_equal(stanza->parameters[i].value, value_of(p->value));
        if (p->role == GR_ROLE_ARG || p->role == GR_ROLE_WORK || p->role == GR_ROLE_MAP)
            assert_int_equal(stanza->parameters[i].index, p->index);
    }
}

/* One product: the catalog's plan is that of the tables. False: both refuse it. */
static bool check_problem(const struct gr_device_kernel *entry, const struct gr_variant *variant,
                          int trans)
{
    static const int sms[] = {132, 108, 46, 7};
    const int64_t offset = draw() % 3 ? 0 : 4;
    struct gr_device_values device = {.sms = sms[draw() % 4],
                                      .smem_max = draw() % 8 ? 232448 : 101376,
                                      .cc = 90,
                                      .a = (const void *)(uintptr_t)(4096 + offset),
                                      .b = (const void *)(uintptr_t)8192,
                                      .c = (const void *)(uintptr_t)12288};
    struct gr_problem problem = gr_problem_dense(size(), size(), draw() % 10 ? size() : 0,
                                                 trans & 2, trans & 1, variant->types);
    problem.lda += (int64_t)(draw() % 3);
    const struct gr_device_given given = {.m = problem.m,
                                          .n = problem.n,
                                          .k = problem.k,
                                          .lda = problem.lda,
                                          .ldb = problem.ldb,
                                          .ldc = problem.ldc,
                                          .alpha = problem.alpha,
                                          .beta = problem.beta,
                                          .a = (uintptr_t)device.a,
                                          .b = (uintptr_t)device.b,
                                          .c = (uintptr_t)device.c,
                                          .trans_a = trans >> 1,
                                          .trans_b = trans & 1,
                                          .sms = device.sms,
                                          .smem_max = device.smem_max,
                                          .cc = 90,
                                          .warp = 32};
    struct gradus_error error = {0};
    static struct gr_plan plan;
    struct gr_device_plan got = {0};
    int64_t args[GR_MAX_ARGS], works[GR_MAX_WORKS];
    const bool admitted = gr_variant_admits(variant, &problem, &device, &error) == GRADUS_OK;
    assert_int_equal(entry->plan(&given, -1, &got), admitted);
    if (!admitted)
        return false;
    struct gr_device_plan again = {0}; /* what was picked before is not chosen again */
    assert_true(entry->plan(&given, got.picked, &again));
    assert_memory_equal(&again, &got, sizeof got);
    assert_int_equal(gr_variant_args(variant, &problem, &device, args, works, &error), 0);
    for (int i = 0; i < variant->kernel->arg_count; i++)
        assert_int_equal(got.args[i], args[i]);
    for (int i = 0; i < entry->work_count; i++)
        assert_int_equal(got.work_bytes[i], works[i]);
    if (gr_plan_launches(variant, &problem, &device, &plan, &error) != GRADUS_OK)
        return false; /* more blocks than a grid has: gr_device_launch_all refuses it, too */
    assert_int_equal(got.launch_count, plan.launch_count);
    for (int i = 0; i < got.launch_count; i++)
        check_launch(entry, &got.launches[i], &plan.launches[i]);
    assert_int_equal(entry->map_count, plan.map_count);
    for (int i = 0; i < plan.map_count; i++) {
        assert_int_equal(entry->maps[i].operand, plan.maps[i].operand);
        assert_int_equal(entry->maps[i].swizzle_bytes, plan.maps[i].swizzle_bytes);
        for (int j = 0; j < 2; j++)
            assert_int_equal(got.boxes[i][j], plan.maps[i].box[j]);
    }
    return true;
}

static void tables_say_what_files_say(void **context)
{
    (void)context;
    struct gr_catalog catalog;
    struct gradus_error error = {0};
    assert_int_equal(gr_catalog_load(NULL, GR_LANGUAGE_CUDA, &catalog, &error), 0);
    assert_true(gr_device_kernel_count >= 3);
    for (int i = 0; i < gr_device_kernel_count; i++)
        for (int trans = 0; trans < 4; trans++) {
            const struct gr_device_kernel *entry = &gr_device_kernels[i];
            int admitted = 0;
            if (!entry->texts[trans] || entry->finishes)
                continue;
            const struct gr_variant variant = variant_of(&catalog, entry, trans);
            assert_int_equal(entry->work_count, variant.kernel->work_count);
            for (int w = 0; w < entry->work_count; w++)
                assert_int_equal(entry->work_zero[w], variant.kernel->works[w].zero);
            assert_string_equal(entry->arch, variant.kernel->arch);
            /* The catalog evaluates all choices of a kernel that has some. */
            const int problems = entry->chooses ? 12 : 150;
            for (int n = 0; n < problems; n++)
                admitted += check_problem(entry, &variant, trans);
            assert_true(admitted > problems / 4);
        }
    gr_catalog_free(&catalog);
}

/* Those that apply the epilogue are no GEMMs: sizes M, N, lds, ldc, per_row, activation. */
static void check_finish(const struct gr_device_kernel *entry)
{
    char name[128], path[128], *rest = NULL;
    struct gradus_error error = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_types types;
    struct gr_variant variant;
    static struct gr_plan plan;
    snprintf(path, sizeof path, "kernels/library/%s.cu", entry->file);
    assert_int_equal(gr_kernel_parse(path, gr_embedded_find(path)->text, NULL, &kernel, &error), 0);
    snprintf(name, sizeof name, "%s", entry->name);
    strtok_r(name, " ", &rest);
    assert_true(gr_types_parse(strtok_r(NULL, " ", &rest), &types));
    assert_int_equal(gr_variant_make(kernel, types, false, false, &variant, &error), 0);
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        assert_int_equal(gr_variant_set(&variant, word, &error), 0);
    assert_string_equal(entry->arch, kernel->arch);
    for (int n = 0; n < 150; n++) {
        const struct gr_device_values device = {.sms = 132, .cc = 90};
        const struct gr_device_given given = {.m = size(), .n = size(), .batch = 1};
        struct gr_problem problem = {.types = types};
        struct gr_device_plan got = {0};
        int64_t args[GR_MAX_ARGS], works[GR_MAX_WORKS];
        for (int i = 0; i < kernel->size_count; i++) {
            const char *which = kernel->sizes[i].name.text;
            problem.sizes[i] = strcmp(which, "M") == 0          ? given.m
                               : *which == 'N' || *which == 'l' ? given.n
                                                                : 1;
        }
        assert_true(entry->plan(&given, -1, &got));
        assert_int_equal(gr_variant_args(&variant, &problem, &device, args, works, &error), 0);
        for (int i = 0; i < kernel->arg_count; i++)
            if (strncmp(kernel->args[i].name.text, "args[", 5) != 0)
                assert_int_equal(got.args[i], args[i]);
        assert_int_equal(gr_plan_launches(&variant, &problem, &device, &plan, &error), 0);
        assert_int_equal(plan.launch_count, 1);
        assert_int_equal(got.launch_count, 1);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(got.launches[0].grid[i], plan.launches[0].grid[i]);
            assert_int_equal(got.launches[0].block[i], plan.launches[0].block[i]);
        }
        assert_int_equal(entry->stanzas[0].parameter_count, plan.launches[0].parameter_count);
        for (int i = 0; i < entry->stanzas[0].parameter_count; i++)
            assert_int_equal(entry->stanzas[0].parameters[i].value,
                             value_of(plan.launches[0].parameters[i].value));
    }
    gr_kernel_free(kernel);
}

static void epilogues_as_well(void **context)
{
    (void)context;
    int found = 0;
    for (int i = 0; i < gr_device_kernel_count; i++)
        if (gr_device_kernels[i].finishes) {
            check_finish(&gr_device_kernels[i]);
            found++;
        }
    assert_int_equal(found, 4);
}

static void architectures(void **context)
{
    (void)context;
    assert_true(gr_device_arch_runs("sm_80", 80) && gr_device_arch_runs("sm_80", 89));
    assert_false(gr_device_arch_runs("sm_86", 80) || gr_device_arch_runs("sm_80", 90));
    assert_true(gr_device_arch_runs("sm_90a", 90) && !gr_device_arch_runs("sm_90a", 100));
    assert_true(gr_device_arch_runs("sm_120", 121) && !gr_device_arch_runs("sm_120", 100));
    static const int ccs[] = {75, 80, 86, 90, 100, 120};
    static const char *const lines[] = {">= sm_80", "sm_90a", ">= sm_90"};
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < 3; l++) {
            char arch[16];
            snprintf(arch, sizeof arch, "sm_%d%s", ccs[i], ccs[i] >= 90 ? "a" : "");
            assert_int_equal(gr_device_arch_fits(lines[l], ccs[i]),
                             gr_arch_fits(lines[l], arch, ccs[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_say_what_files_say),
        cmocka_unit_test(epilogues_as_well),
        cmocka_unit_test(architectures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
