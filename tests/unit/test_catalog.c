/* test_catalog.c: kernel files that use each line of the front matter are read as they are meant.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/builtin.h"
#include "catalog/catalog.h"
#include "catalog/keywords.h"
#include "catalog/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gr_kernel *read_kernel(const char *name)
{
    struct gr_kernel *kernel;
    struct gradus_error error = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/kernels/%s", GRADUS_SOURCE_DIR, name);
    if (gr_kernel_read(path, NULL, &kernel, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return kernel;
}

static struct gr_variant make_variant(const struct gr_kernel *k, enum gr_dtype type)
{
    struct gr_variant v;
    struct gradus_error error = {0};
    if (gr_variant_make(k, gr_types_of(type), false, false, &v, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return v;
}

static int64_t eval(const struct gr_variant *v, const struct gr_problem *p,
                    const struct gr_device_values *g, const struct gr_text *expression)
{
    int64_t value;
    struct gradus_error error = {0};
    if (gr_variant_eval(v, p, g, expression, &value, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return value;
}

static void assert_refuses(const struct gr_variant *v, const struct gr_problem *p,
                           const struct gr_device_values *g, const char *text)
{
    struct gradus_error error = {0};
    assert_int_equal(gr_variant_admits(v, p, g, &error), GRADUS_UNSUPPORTED);
    assert_string_equal(error.text, text);
}

static void assert_admits(const struct gr_variant *v, const struct gr_problem *p,
                          const struct gr_device_values *g)
{
    struct gradus_error error = {0};
    if (gr_variant_admits(v, p, g, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

static void facts_of_split_k(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("split_k.cu");
    assert_string_equal(k->name, "split_k");
    assert_int_equal(k->number, -1);
    assert_int_equal(k->language, GR_LANGUAGE_CUDA);
    assert_string_equal(k->title, "Split K");
    assert_int_equal(k->ideas.count, 2);
    assert_string_equal(k->ideas.items[1].text, "a second kernel adds the partial products");
    assert_string_equal(k->origin, "tests of the front matter");
    assert_int_equal(k->type_count, 2);
    assert_true(gr_types_equal(k->types[1], gr_types_of(GR_F64)));
    assert_true(k->trans[0] && !k->trans[1] && k->trans[2] && !k->trans[3]);
    assert_true(!k->col_major_a && k->col_major_b && !k->col_major_c);
    assert_string_equal(k->arch, ">= sm_70");
    assert_string_equal(k->flags.items[0].text, "-use_fast_math");
    assert_int_equal(k->param_count, 3);
    assert_string_equal(k->params[1].name.text, "BN");
    assert_int_equal(k->params[1].allowed_count, 2);
    assert_int_equal(k->require_count, 3);
    assert_string_equal(k->requires[1].why, "whole tiles only");
    assert_null(k->requires[0].why);
    assert_int_equal(k->works[0].zero, true);
    assert_true(k->works[0].element_is_t && !k->works[1].element_is_t);
    assert_int_equal(k->works[1].type, GR_S32);
    assert_int_equal(k->expect_count, 2);
    assert_string_equal(k->expects[1].expression.text,
                        "split_pass.global.loads.sectors_per_request[A] <= 4.5");
    assert_string_equal(k->expects[1].arch, "sm_90");
    assert_non_null(strstr(k->picture, "\n  +------------+------------+"));
    assert_true(gr_starts_with(k->picture, "   <-- depth -->"));
    gr_kernel_free(k);
}

static void stanzas_of_split_k(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("split_k.cu");
    assert_int_equal(k->stanza_count, 3);
    assert_true(k->stanzas[0].once && !k->stanzas[1].once);
    const struct gr_stanza *split = &k->stanzas[1];
    assert_string_equal(split->signature.name, "split_pass");
    assert_int_equal(split->grid.count, 3);
    assert_int_equal(split->block.count, 2);
    assert_int_equal(split->signature.count, 11);
    assert_string_equal(split->signature.parameters[3].type, "const T *");
    assert_int_equal(split->signature.parameters[7].role, GR_ROLE_WORK);
    assert_int_equal(split->signature.parameters[8].role, GR_ROLE_WORK);
    assert_int_equal(split->signature.parameters[8].index, 1);
    assert_int_equal(split->signature.parameters[10].role, GR_ROLE_ARG);
    assert_int_equal(split->signature.parameters[10].index, 1);
    const struct gr_stanza *add = &k->stanzas[2];
    assert_int_equal(add->signature.parameters[0].role, GR_ROLE_ARG);
    assert_int_equal(add->signature.parameters[0].index, 2);
    assert_string_equal(k->args[2].name.text, "args[0]");
    assert_int_equal(add->signature.parameters[7].role, GR_ROLE_N);
    assert_true(add->signature.has_alpha && add->signature.has_beta && !add->signature.has_ld);
    assert_false(k->implied_alpha1_beta0);
    gr_kernel_free(k);
}

static void values_of_split_k(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("split_k.cu");
    struct gr_variant v = make_variant(k, GR_F64);
    struct gr_problem p = gr_problem_dense(128, 256, 1000, false, false, gr_types_of(GR_F64));
    struct gr_device_values g = {.sms = 132, .smem_max = 232448};
    int64_t args[GR_MAX_ARGS], bytes[GR_MAX_WORKS];
    struct gradus_error error = {0};
    assert_int_equal(gr_variant_args(&v, &p, &g, args, bytes, &error), GRADUS_OK);
    assert_int_equal(args[0], 32); /* 264 / (2*4) = 33, clamped */
    assert_int_equal(args[1], 32); /* 1000 / 32, rounded up */
    assert_int_equal(args[2], 128 * 256);
    assert_int_equal(bytes[0], INT64_C(32) * 128 * 256 * 8);
    assert_int_equal(bytes[1], 2 * 4);
    assert_int_equal(eval(&v, &p, &g, &k->stanzas[1].grid.items[2]), 32);
    assert_int_equal(eval(&v, &p, &g, &k->stanzas[1].smem), 128 * 8 * 4);
    assert_int_equal(eval(&v, &p, &g, &k->stanzas[0].when), 1);
    assert_null(k->stanzas[1].when.text);
    assert_int_equal(eval(&v, &p, &g, &k->stanzas[2].grid.items[0]), 128);
    assert_admits(&v, &p, &g);
    p.m = 100;
    assert_refuses(&v, &p, &g, "split_k refuses 100x256x1000: M%BM==0 (BM=64): whole tiles only");
    p.m = 128;
    g.a = (const void *)(uintptr_t)24;
    assert_refuses(&v, &p, &g, "split_k refuses 128x256x1000: aligned(A,16)");
    g.a = (const void *)(uintptr_t)32;
    assert_admits(&v, &p, &g);
    gr_kernel_free(k);
}

/* The args of a kernel with these lines at M x 1 x 1 on 132 multiprocessors. */
static void assert_args(const char *lines, int64_t m, int count, const int64_t *want)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "%s//@ grid 1\n//@ block 32\n"
        "__global__ void k(int M, int N, int K, const float *A, const float *B, float *C) {}\n",
        lines);
    struct gr_kernel *k;
    struct gradus_error error = {0};
    if (gr_kernel_parse("k.cu", text, NULL, &k, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    struct gr_variant v = make_variant(k, GR_F32);
    struct gr_problem p = gr_problem_dense(m, 1, 1, false, false, gr_types_of(GR_F32));
    struct gr_device_values g = {.sms = 132, .smem_max = 232448};
    int64_t args[GR_MAX_ARGS], bytes[GR_MAX_WORKS];
    assert_int_equal(gr_variant_args(&v, &p, &g, args, bytes, &error), GRADUS_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(args[i], want[i]);
    /* An expression that is evaluated alone sees the same choice. */
    struct gr_text last = {k->args[count - 1].name.text, {0}};
    assert_int_equal(eval(&v, &p, &g, &last), want[count - 1]);
    gr_kernel_free(k);
}

/* `choose`: the combination whose `least` expression is least, the first of several; args above and
 * below it, and those between two of them. */
static void choices_are_least(void **state)
{
    (void)state;
    static const char tiles[] = "//@ arg half = M/2\n"
                                "//@ choose wide {64,128,256}\n"
                                "//@ arg tiles = cdiv(M,wide)\n"
                                "//@ choose parts {1,2,4}\n"
                                "//@ arg waves = cdiv(tiles*parts,SMS), cost = waves*wide*8/parts\n"
                                "//@ least cost\n";
    assert_args(tiles, 64, 6, (int64_t[]){32, 64, 1, 4, 1, 128});
    assert_args(tiles, 64 * 132, 6, (int64_t[]){64 * 66, 64, 132, 1, 1, 512}); /* 128, 2 as well */
    assert_args(tiles, 64 * 66, 6, (int64_t[]){64 * 33, 64, 66, 2, 1, 256});
    assert_args("//@ choose a {3,1,2}\n//@ least -a\n", 1, 1, (int64_t[]){3});
    assert_args("//@ choose a {0,1}, b {0,1}\n//@ least 5-4*(a!=b)\n", 1, 2, (int64_t[]){0, 1});
    assert_args("//@ choose a {7}\n//@ least a\n", 1, 1, (int64_t[]){7});
}

static void choices_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *message;
    } cases[] = {
        {"//@ choose a {1,2}\n",
         "k.cu:1:12: found no `least` line, wanted the expression that the choice of a is to make "
         "least, as `least cost`"},
        {"//@ arg a = 1\n//@ least a\n",
         "k.cu:2:11: found no `choose` line, wanted what makes this least"},
        {"//@ choose a {1,2,1}\n//@ least a\n", "k.cu:1:19: 1 a second time"},
        {"//@ choose a 3\n//@ least a\n", "k.cu:1:14: found '3', wanted {VALUES} after 'a'"},
        {"//@ choose M {1,2}\n//@ least M\n", NULL},
        {"//@ choose a {1,2}\n//@ least c\n", NULL},
        {"//@ choose a {1,2,3,4,5,6,7,8,9,10,11}, b {1,2,3,4,5,6,7,8,9,10,11}, c "
         "{1,2,3,4,5,6,7,8,9}\n//@ least a\n",
         "k.cu:1:70: more than 1024 combinations of what is to choose"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "%s//@ grid 1\n//@ block 32\n__global__ void k(int M, int N, int K, const float *A, "
            "const float *B, float *C) {}\n",
            cases[i].lines);
        struct gr_kernel *k = NULL;
        struct gradus_error error = {0};
        assert_int_equal(gr_kernel_parse("k.cu", text, NULL, &k, &error), GRADUS_INVALID);
        if (cases[i].message)
            assert_string_equal(error.text, cases[i].message);
        assert_null(k);
        gradus_error_clear(&error);
    }
}

static void variants_of_split_k(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("split_k.cu");
    struct gr_variant v = make_variant(k, GR_F32);
    struct gradus_error error = {0};
    char name[64];
    assert_true(gr_variant_is_default(&v));
    assert_int_equal(gr_variant_set(&v, "BM=128", &error), GRADUS_OK);
    assert_false(gr_variant_is_default(&v));
    gr_variant_name(&v, name, sizeof name);
    assert_string_equal(name, "BM=128 BN=64 TM=4");
    assert_refuses(&v, NULL, NULL, "split_k refuses this variant: NT<=1024 (NT=2048)");
    assert_int_equal(gr_variant_set(&v, "BM=96", &error), GRADUS_INVALID);
    assert_string_equal(error.text, "split_k: BM may not be '96', wanted one of {32, 64, 128}");
    assert_int_equal(gr_variant_set(&v, "BL=64", &error), GRADUS_INVALID);
    assert_string_equal(error.text, "split_k has no parameter 'BL'; did you mean 'BM'?");
    assert_int_equal(gr_variant_set(&v, "BM", &error), GRADUS_INVALID);
    int all = 0, admitted = 0;
    gr_variant_first(&v);
    do {
        all++;
        admitted += gr_variant_admits(&v, NULL, NULL, &error) == GRADUS_OK;
    } while (gr_variant_next(&v));
    assert_int_equal(all, 3 * 2 * 2);
    assert_int_equal(admitted, 11); /* all but 128/4 * 64 = 2048 threads */
    assert_int_equal(gr_variant_make(k, gr_types_of(GR_BF16), false, false, &v, &error),
                     GRADUS_UNSUPPORTED);
    assert_string_equal(error.text, "split_k has no bf16 build; its types are f32, f64");
    assert_int_equal(gr_variant_make(k, gr_types_of(GR_F32), false, true, &v, &error),
                     GRADUS_UNSUPPORTED);
    assert_string_equal(error.text,
                        "split_k does not do the transposes nt; its `trans` line has nn tn");
    gr_kernel_free(k);
}

/* A driver refuses a tensor map of such operands with "invalid argument". */
static void maps_imply_aligned_rows(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("tensor_map.cu");
    struct gr_variant v;
    struct gradus_error error;
    const struct gr_types types = gr_types_of(GR_F16);
    struct gr_device_values g = {.cc = 90, .smem_max = 232448, .a = (void *)4096};
    assert_int_equal(gr_variant_make(k, types, false, false, &v, &error), GRADUS_OK);
    struct gr_problem p = gr_problem_dense(64, 64, 64, false, true, types);
    assert_admits(&v, &p, &g);
    p.lda = 72;
    assert_admits(&v, &p, &g);
    p.lda = 68;
    assert_refuses(&v, &p, NULL,
                   "tensor_map refuses 64: lda%8==0 is implied, since tmA is a tensor map of A, "
                   "whose rows begin at multiples of 16 bytes; it is 68");
    p = gr_problem_dense(64, 63, 64, false, true, types);
    assert_refuses(&v, &p, &g,
                   "tensor_map refuses 64x63x64: ldc%8==0 is implied, since tmC is a tensor map "
                   "of C, whose rows begin at multiples of 16 bytes; it is 63");
    k->maps[2].optional = true;
    assert_admits(&v, &p, &g);
    g.a = (void *)4098;
    assert_refuses(&v, &p, &g,
                   "tensor_map refuses 64x63x64: aligned(A,16) is implied, since tmA is a tensor "
                   "map of it");
    k->maps[0].by_address = true;
    assert_admits(&v, &p, &g);
    p = gr_problem_dense(64, 64, 0, false, true, types);
    assert_refuses(&v, &p, NULL,
                   "tensor_map refuses 64x64x0: an A with elements is implied, since tmA is a "
                   "tensor map of it");
    gr_kernel_free(k);
}

static void facts_of_tensor_map(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("tensor_map.cu");
    char types[64];
    gr_types_name(k->types[0], types, sizeof types);
    assert_string_equal(types, "A=bf16 B=bf16 C=bf16 ACC=f32");
    assert_true(gr_types_equal(k->types[1], gr_types_of(GR_F16)));
    assert_string_equal(k->math, "bf16");
    assert_string_equal(k->arch, "sm_90a");
    assert_int_equal(k->let_count, 2);
    assert_int_equal(k->params[2].allowed_count, 1);
    assert_int_equal(k->map_count, 3);
    assert_int_equal(k->maps[1].operand, 'B');
    assert_int_equal(k->maps[1].swizzle_bytes, 128);
    assert_int_equal(k->maps[2].swizzle_bytes, 0);
    assert_string_equal(k->maps[2].box.items[1].text, "BN");
    assert_string_equal(k->stanzas[0].kernel.text, "gemm<BM,BN,BK>");
    assert_string_equal(k->stanzas[0].signature.name, "gemm");
    assert_int_equal(k->stanzas[0].cluster.count, 3);
    const struct gr_parameter *map = &k->stanzas[0].signature.parameters[3];
    assert_int_equal(map->role, GR_ROLE_MAP);
    assert_false(map->pointer);
    assert_true(k->stanzas[0].signature.parameters[5].pointer);
    assert_true(k->implied_alpha1_beta0);
    gr_kernel_free(k);
}

static void facts_of_scratch(void **state)
{
    (void)state;
    struct gr_kernel *k = read_kernel("scratch_c.c");
    const struct gr_signature *s = &k->stanzas[0].signature;
    const enum gr_role roles[] = {
        GR_ROLE_UKR, GR_ROLE_TEAM, GR_ROLE_WORK, GR_ROLE_WORK,  GR_ROLE_ARG, GR_ROLE_ARG,
        GR_ROLE_M,   GR_ROLE_N,    GR_ROLE_K,    GR_ROLE_ALPHA, GR_ROLE_A,   GR_ROLE_LDA,
        GR_ROLE_B,   GR_ROLE_LDB,  GR_ROLE_BETA, GR_ROLE_C,     GR_ROLE_LDC};
    assert_int_equal(s->count, sizeof roles / sizeof *roles);
    for (int i = 0; i < s->count; i++)
        assert_int_equal(s->parameters[i].role, roles[i]);
    assert_int_equal(s->parameters[2].index, 1);
    assert_int_equal(s->parameters[3].index, 0);
    assert_string_equal(s->parameters[12].type, "const T *");
    assert_true(s->parameters[12].pointee_const);
    assert_true(s->has_ld && s->has_alpha && s->has_beta);
    assert_string_equal(k->picture, "packed: MC x KC of op(A), row after row\n\n"
                                    "     KC\n   +----+\nMC |    |\n   +----+\n");
    assert_int_equal(k->isa.count, 2);
    assert_int_equal(k->flags.count, 2);
    struct gr_variant v = make_variant(k, GR_F32);
    struct gr_problem p = gr_problem_dense(100, 1, 1, false, false, gr_types_of(GR_F32));
    struct gr_device_values g = {.mr = 6, .threads = 3};
    int64_t args[GR_MAX_ARGS], bytes[GR_MAX_WORKS];
    struct gradus_error error = {0};
    assert_int_equal(gr_variant_args(&v, &p, &g, args, bytes, &error), GRADUS_OK);
    assert_int_equal(args[0], 2);
    assert_int_equal(args[1], 3);
    assert_int_equal(bytes[0], 96 * 64 * 4);
    assert_int_equal(bytes[1], 2 * 6 * 8);
    p.m = INT64_C(1) << 31;
    p.ldc = 1 << 20;
    assert_refuses(&v, &p, &g,
                   "scratch_c refuses 2147483648x1x1: parameter 'm' (int) cannot hold 2147483648");
    gr_kernel_free(k);
}

static void plain_kernel_implies(void **state)
{
    (void)state;
    static const char text[] = "void f(int n, int m, int k, float *a, float *b, float *c) {}\n";
    struct gr_kernel *k;
    struct gradus_error error = {0};
    assert_int_equal(gr_kernel_parse("f.c", text, NULL, &k, &error), GRADUS_OK);
    assert_true(k->implied_alpha1_beta0 && !k->has_front_matter);
    struct gr_variant v = make_variant(k, GR_F32);
    struct gr_problem p = gr_problem_dense(3, 4, 5, false, false, gr_types_of(GR_F32));
    assert_admits(&v, &p, NULL);
    p.alpha = 1.5;
    assert_refuses(&v, &p, NULL,
                   "f refuses 3x4x5: alpha==1 && beta==0: implied, since its signature has neither "
                   "alpha nor beta");
    p.alpha = 1;
    p.ldb = 7;
    assert_refuses(&v, &p, NULL,
                   "f refuses 3x4x5: ldb==4 is implied, since f has no parameter ldb; it is 7");
    gr_kernel_free(k);
    k = read_kernel("plain.c");
    assert_true(gr_types_equal(k->types[0], gr_types_of(GR_F32)));
    assert_false(k->implied_alpha1_beta0);
    gr_kernel_free(k);
    k = read_kernel("ordered.c");
    assert_int_equal(k->arg_count, 2);
    assert_int_equal(k->stanzas[0].signature.parameters[9].role, GR_ROLE_VALUE);
    gr_kernel_free(k);
}

static void command_line_overrides(void **state)
{
    (void)state;
    static const char text[] = "//@ type f32\n//@ param BM 64 {32,64}\n//@ grid 1\n//@ block 8\n"
                               "__global__ void f(float *A, float *B, float *C) {}\n"
                               "__global__ void g(double *A, double *B, double *C) {}\n";
    struct gr_kernel *k;
    struct gradus_error error = {0};
    assert_int_equal(gr_kernel_parse("f.cu", text,
                                     "kernel g\ntype f64\ngrid cdiv(M,32), 2\nparam BM 32", &k,
                                     &error),
                     GRADUS_OK);
    assert_string_equal(k->stanzas[0].signature.name, "g");
    assert_int_equal(k->type_count, 1);
    assert_int_equal(k->types[0].a, GR_F64);
    assert_int_equal(k->stanzas[0].grid.count, 2);
    assert_int_equal(k->stanzas[0].block.count, 1);
    assert_int_equal(k->params[0].value, 32);
    gr_kernel_free(k);
    assert_int_equal(gr_kernel_parse("f.cu", text, "grid cdiv(M,)", &k, &error), GRADUS_INVALID);
    assert_string_equal(error.text, "--grid: found ')', wanted a number, a name or '('");
    gradus_error_clear(&error);
}

static void the_binary_holds_its_kernels(void **state)
{
    (void)state;
    assert_non_null(gr_embedded_find("src/records/launch.h"));
    assert_non_null(gr_embedded_find("kernels/cpu/ukr.h"));
    assert_non_null(gr_embedded_find("include/gradus/gradus.h"));
    assert_null(gr_embedded_find("kernels/cpu/nothing.c"));
    struct gr_catalog catalog;
    struct gradus_error error = {0};
    if (gr_catalog_load(NULL, GR_LANGUAGE_C, &catalog, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < catalog.count; i++) {
        const struct gr_kernel *k = catalog.kernels[i];
        assert_true(k->built_in);
        for (int t = 0; t < k->type_count; t++)
            for (int trans = 0; trans < 4 && k->isa.count == 0; trans++)
                assert_int_equal(k->trans[trans], gr_builtin_find(k->name, k->types[t], trans & 2,
                                                                  trans & 1, "portable") != NULL);
    }
    for (int i = 0; gr_builtin_at(i); i++)
        assert_ptr_equal(gr_builtin_find_symbol(gr_builtin_at(i)->symbol), gr_builtin_at(i));
    gr_catalog_free(&catalog);
}

/* No keyword is without a kernel in tests/kernels/ or tests/workloads/ that uses it. */
static void every_keyword_has_a_kernel(void **state)
{
    (void)state;
#define NAME(name, flags, wanted) #name,
    static const char *const keywords[] = {GR_KEYWORD_LIST(NAME)};
#undef NAME
    static const char *const files[] = {"split_k.cu",
                                        "tensor_map.cu",
                                        "scratch_c.c",
                                        "ordered.c",
                                        "adds.cu",
                                        "built_with.cu",
                                        "../../kernels/gpu/27_any_shape.cu",
                                        "../workloads/right/row_sums.cu",
                                        "../../kernels/gpu/10_warp_tile.cu"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        bool used = false;
        char *line = gr_printf("\n//@ %s ", keywords[i]);
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            struct gr_kernel *k = read_kernel(files[f]);
            used |= strstr(k->source, line) != NULL;
            gr_kernel_free(k);
        }
        if (!used)
            fail_msg("no kernel uses `%s`", keywords[i]);
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_split_k),
        cmocka_unit_test(stanzas_of_split_k),
        cmocka_unit_test(values_of_split_k),
        cmocka_unit_test(choices_are_least),
        cmocka_unit_test(choices_are_checked),
        cmocka_unit_test(variants_of_split_k),
        cmocka_unit_test(facts_of_tensor_map),
        cmocka_unit_test(maps_imply_aligned_rows),
        cmocka_unit_test(facts_of_scratch),
        cmocka_unit_test(plain_kernel_implies),
        cmocka_unit_test(command_line_overrides),
        cmocka_unit_test(the_binary_holds_its_kernels),
        cmocka_unit_test(every_keyword_has_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
