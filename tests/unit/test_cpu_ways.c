/* test_cpu_ways.c: each way that a product of float or double can go, at shapes with rests in every
 * direction, by one thread and by several, with NaN in C where beta is 0, and with an epilogue.
 * That the shape goes this way is asked for. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "api_trial.h"
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/gemm.h"
#include "cpu/gemm_blocks.h"
#include "cpu/ukr_table.h"
#include "probe/dispatched.h"
#include "sanitized.h"
#include "ukr.h"

enum packs { NONE, PACK_A, PACK_B };

struct way {
    const char *path;
    int64_t m, n, k;
    int trans; /* 2: A, 1: B */
    enum packs packs;
};

/* Any level of instructions takes these ways: they keep away from where its tiles decide. */
static const struct way ways[] = {
    {"unpacked", 29, 43, 37, 0, NONE},      {"unpacked", 131, 119, 97, 0, NONE},
    {"unpacked", 701, 503, 3, 0, NONE},     {"transposed", 701, 503, 3, 1, NONE},
    {"transposed", 19, 23, 21, 1, NONE},    {"thin", 1, 2011, 301, 0, NONE},
    {"thin", 7, 2511, 301, 0, NONE},        {"thin", 7, 2050, 311, 2, NONE},
    {"dots", 611, 3, 907, 0, NONE},         {"dots", 2, 611, 907, 1, NONE},
    {"dots", 411, 2, 2111, 1, NONE},        {"dots", 7, 5, 1301, 1, NONE},
    {"columns", 611, 3, 107, 2, NONE},      {"columns", 811, 7, 129, 2, NONE},
    {"columns", 90, 2, 1201, 3, NONE},      {"deep", 40, 47, 5003, 0, NONE},
    {"deep", 67, 31, 4705, 3, NONE},        {"packed", 131, 513, 700, 0, NONE},
    {"packed", 411, 433, 313, 3, NONE},     {"streamed", 9, 490, 1003, 0, PACK_B},
    {"streamed", 16, 131, 1203, 2, PACK_B}, {"packed", 101, 101, 907, 0, PACK_B},
    {"packed", 103, 130, 505, 1, PACK_B},   {"packed", 101, 93, 907, 2, PACK_A},
    {"thin", 2, 4100, 2053, 0, NONE},       {"streamed", 5, 4100, 2053, 0, PACK_B},
    {"transposed", 311, 1003, 9, 3, NONE},  {"unpacked", 2110, 2003, 5, 2, NONE},
    {"deep", 3, 73, 2629, 2, NONE},         {"deep", 97, 67, 4507, 0, NONE},
    {"dots", 3, 4, 1301, 1, NONE},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The same, except vectors of 32 bytes on a CPU that has AVX-512. */
static const struct way in_rows[] = {{"rows", 129, 2101, 213, 0, NONE},
                                     {"rows", 70, 2117, 209, 3, NONE}};
/* On a CPU without AVX-512 whose L2 is small, more steps of the last one are dot products; and a
 * deep product with a transposed A has several blocks of k in each part. */
static const struct way without_avx512[] = {
    {"rows", 129, 2101, 213, 0, NONE},  {"rows", 70, 2117, 109, 3, NONE},
    {"deep", 60, 63, 4507, 2, NONE},    {"deep", 60, 63, 4507, 2, PACK_A},
    {"deep", 61, 63, 4507, 2, PACK_B},  {"unpacked", 51, 85, 507, 2, NONE},
    {"packed", 51, 85, 507, 2, PACK_A}, {"packed", 51, 85, 507, 2, PACK_B},
    {"unpacked", 66, 37, 403, 2, NONE}, {"unpacked", 47, 201, 403, 2, NONE},
};

/* Vectors of 16 elements take these, and divide C where there is a tail. */
static const struct {
    struct way way;
    const char *tail;
} divided[] = {
    {{"dots", 67, 3, 301, 0, NONE}, NULL},        {{"columns", 203, 4, 14, 2, NONE}, NULL},
    {{"columns", 92, 16, 614, 3, NONE}, NULL},    {{"unpacked", 33, 17, 158, 0, NONE}, "dots"},
    {{"unpacked", 31, 34, 305, 0, NONE}, "dots"}, {{"unpacked", 101, 34, 130, 2, NONE}, "columns"},
    {{"columns", 92, 17, 614, 3, NONE}, NULL},
};

/* Vectors of 32 bytes take these, some steps of k at a time, with edges in all three directions; or
 * they write C row by row. With the elements between them, the rows of two are 8 KB apart and share
 * sets: a B in place of few steps, and packed panels that are multiplied by a tile's rows at a
 * time. */
static const struct way stepped[] = {
    {"thin", 8, 1211, 301, 0, NONE},      {"thin", 9, 411, 501, 2, NONE},
    {"thin", 10, 1103, 203, 2, NONE},     {"thin", 27, 411, 501, 2, NONE},
    {"thin", 24, 701, 613, 0, NONE},      {"thin", 31, 1003, 101, 2, NONE},
    {"packed", 24, 701, 613, 0, PACK_B},  {"packed", 24, 701, 613, 0, PACK_A},
    {"unpacked", 131, 151, 307, 2, NONE}, {"unpacked", 143, 191, 141, 2, NONE},
    {"packed", 131, 151, 307, 2, PACK_A}, {"packed", 131, 151, 307, 2, PACK_B},
    {"unpacked", 255, 151, 307, 2, NONE}, {"unpacked", 33, 1003, 17, 0, NONE},
    {"unpacked", 103, 401, 33, 0, NONE},  {"unpacked", 23, 333, 49, 2, NONE},
    {"transposed", 50, 680, 17, 3, NONE}, {"unpacked", 7, 623, 1, 0, NONE},
    {"unpacked", 461, 4, 1, 0, NONE},     {"unpacked", 13, 147, 15, 0, NONE},
    {"dots", 21, 301, 418, 1, NONE},      {"dots", 20, 229, 747, 3, NONE},
    {"dots", 13, 111, 1701, 1, NONE},     {"unpacked", 131, 2045, 9, 0, NONE},
    {"packed", 1801, 302, 97, 0, NONE},   {"unpacked", 139, 142, 97, 0, NONE},
    {"packed", 193, 700, 411, 1, NONE},   {"unpacked", 7, 61, 301, 0, NONE},
    {"unpacked", 9, 101, 301, 2, NONE},   {"unpacked", 14, 203, 61, 0, NONE},
    {"unpacked", 22, 75, 203, 0, NONE},
};

/* Vectors of 64 bytes take these where L2 has less than 2 MB: B stays in L3, and few rows of C read
 * it in place, in one block of k or two. */
static const struct way near[] = {
    {"unpacked", 13, 109, 1101, 0, NONE}, {"unpacked", 88, 173, 700, 2, NONE},
    {"unpacked", 5, 611, 303, 2, NONE},   {"streamed", 13, 109, 1101, 0, PACK_B},
    {"packed", 88, 173, 700, 2, PACK_A},  {"packed", 30, 109, 1101, 2, PACK_B},
    {"unpacked", 2, 1704, 177, 2, NONE},  {"unpacked", 3, 2511, 101, 0, NONE},
    {"unpacked", 37, 5003, 3, 2, NONE},   {"unpacked", 37, 503, 6, 0, NONE},
};
/* Other CPUs read it along its rows, the first one unless its tiles are broad (below). */
static const struct way along_b[] = {{"thin", 2, 411, 1301, 0, NONE},
                                     {"thin", 5, 2511, 301, 0, NONE}};
/* A CPU that has AVX-512, executes its vectors as a whole and has a small L2 takes these with
 * vectors of 64 bytes: any number of rows reads B in place, in one block of k or two, unless the
 * rows of B nearly share sets; a B whose transposed rows would is packed. */
static const struct way whole[] = {
    {"unpacked", 211, 131, 1301, 0, NONE}, {"unpacked", 301, 77, 1203, 2, NONE},
    {"packed", 211, 511, 401, 2, NONE},    {"packed", 171, 256, 60, 1, NONE},
    {"packed", 211, 131, 1301, 0, PACK_A}, {"packed", 301, 77, 1203, 2, PACK_B},
    {"columns", 7, 2, 33, 2, NONE},        {"columns", 5, 3, 29, 2, NONE},
};
/* And these with vectors of 32 bytes: a single tile of more rows, and a B of middling size. */
static const struct way whole_narrow[] = {
    {"unpacked", 5, 2511, 301, 0, NONE},  {"unpacked", 6, 611, 303, 2, NONE},
    {"packed", 5, 2511, 301, 0, PACK_A},  {"unpacked", 251, 142, 97, 0, NONE},
    {"unpacked", 271, 143, 401, 0, NONE}, {"packed", 271, 143, 401, 0, PACK_B},
    {"packed", 171, 256, 60, 1, NONE},    {"dots", 105, 304, 669, 1, NONE},
    {"columns", 7, 2, 33, 2, NONE},       {"columns", 5, 3, 29, 2, NONE},
};
/* Vectors of 32 bytes take these where AVX-512 is restricted and L2 has less than 2 MB. */
static const struct way broad[] = {
    {"unpacked", 3, 2511, 301, 0, NONE}, {"unpacked", 4, 411, 1301, 2, NONE},
    {"packed", 3, 411, 1301, 0, PACK_A}, {"unpacked", 503, 69, 801, 2, NONE},
    {"packed", 503, 69, 801, 2, PACK_B}, {"unpacked", 11, 45, 1901, 2, NONE},
    {"unpacked", 2, 411, 1301, 0, NONE}, {"thin", 101, 151, 307, 2, NONE},
    {"thin", 61, 119, 97, 0, NONE},      {"packed", 101, 151, 307, 2, PACK_A},
};
/* The same, but with steps of A so far apart, whole KB, that A is copied. */
static const struct way near_apart[] = {
    {"thin", 6, 601, 301, 2, NONE},
    {"rows", 31, 601, 301, 2, NONE},
};
enum { APART_STEP = 768 };

static const double factors[][2] = {{1, 0}, {2, 1}, {-1, 0.5}, {0.5, -2}, {-2, 0}};
enum { FACTORS = sizeof factors / sizeof *factors };

/* Row-major, as the ways are told. A column-major product is the same one with its operands
 * exchanged. */
static struct gradus_gemm gemm_of(const struct way *way, int kind, bool col)
{
    struct gradus_gemm g =
        trial_shape(kind, 0, col ? way->n : way->m, col ? way->m : way->n, way->k);
    const int trans_a = way->trans >> 1 & 1, trans_b = way->trans & 1;
    g.layout = col ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.trans_a = col ? trans_b : trans_a;
    g.trans_b = col ? trans_a : trans_b;
    return g;
}

static struct gradus_packed *pack(struct gradus_gemm *g, enum packs packs, bool col)
{
    struct gradus_packed *packed;
    const bool a = (packs == PACK_A) != col;
    if (packs == NONE)
        return NULL;
    assert_int_equal(gradus_pack(g, a ? GRADUS_A : GRADUS_B, &packed, NULL), GRADUS_OK);
    if (a)
        g->packed_a = packed, g->a = NULL, g->lda = 0;
    else
        g->packed_b = packed, g->b = NULL, g->ldb = 0;
    return packed;
}

/* form 0: no epilogue; 1: a bias for each column; 2: for each row, and ReLU. `gap`: the
 * elements between two rows of A, as it is stored. */
static void run_apart(const struct way *way, int kind, bool col, int64_t gap, int round,
                      struct gr_rng *rng)
{
    struct trial t = {.g = gemm_of(way, kind, col)};
    struct gradus_error error = {0};
    struct gr_dispatch dispatch;
    char why[256];
    const int form = round % 3;
    trial_scale(&t.g, factors[round % FACTORS][0], factors[round % FACTORS][1]);
    t.g.threads = 1 + form;
    if (t.g.threads == 1 && !ONE_THREAD_TOO)
        return;
    *(col ? &t.b_gap : &t.a_gap) = gap;
    trial_make(&t, rng);
    t.epilogue.bias = t.bias;
    t.epilogue.bias_per_row = form == 2;
    t.epilogue.activation = form == 2 ? GRADUS_RELU : GRADUS_LINEAR;
    t.g.epilogue = form ? &t.epilogue : NULL;
    struct gradus_gemm call = t.g;
    struct gradus_packed *packed = pack(&call, way->packs, col);
    if (gr_cpu_dispatch(&call, NULL, &dispatch, &error) || gradus_gemm_run(&call, &error))
        fail_msg("%s", error.text);
    if (strcmp(dispatch.path, way->path) != 0)
        fail_msg("%dx%dx%d trans %d goes the way '%s', wanted '%s'", (int)way->m, (int)way->n,
                 (int)way->k, way->trans, dispatch.path, way->path);
    if (!trial_is_right(&t, why))
        fail_msg("%s, epilogue %d: %s", way->path, form, why);
    gradus_packed_free(packed);
    trial_free(&t);
}

static void run(const struct way *way, int kind, bool col, int round, struct gr_rng *rng)
{
    run_apart(way, kind, col, 0, round, rng);
}

static void every_way(void **state)
{
    (void)state;
    struct gr_rng rng = {17};
    for (int w = 0; w < WAYS; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run(&ways[w], kind, round / 3, round + w, &rng);
}

static void every_one(const struct way *list, size_t count, struct gr_rng *rng)
{
    for (size_t w = 0; w < count; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run(&list[w], kind, round / 3, round + (int)w, rng);
}

static void ways_of_rows(void **state)
{
    (void)state;
    struct gr_rng rng = {28};
    const bool narrow = gr_ukr_pick(GR_F32, NULL)->lanes == 8;
    if (narrow && gr_gemm_may_have_avx512())
        skip();
    if (narrow && !gr_cpu_has_large_l2())
        every_one(without_avx512, sizeof without_avx512 / sizeof *without_avx512, &rng);
    else
        every_one(in_rows, sizeof in_rows / sizeof *in_rows, &rng);
}

static void ways_of_whole_vectors(void **state)
{
    (void)state;
    struct gr_rng rng = {29};
    const int64_t lanes = gr_ukr_pick(GR_F32, NULL)->lanes;
    if (lanes < 8 || !gr_cpu_executes_whole())
        skip();
    if (lanes == 8)
        every_one(whole_narrow, sizeof whole_narrow / sizeof *whole_narrow, &rng);
    else
        every_one(whole, sizeof whole / sizeof *whole, &rng);
}

static void stepped_ways(void **state)
{
    (void)state;
    struct gr_rng rng = {23};
    if (gr_ukr_pick(GR_F32, NULL)->lanes != 8)
        skip();
    for (size_t w = 0; w < sizeof stepped / sizeof *stepped; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run(&stepped[w], kind, round / 3, round + (int)w, &rng);
    /* More columns than a tile has: 27 of them are dot products only if L2 is small and the CPU has
     * AVX-512. */
    const bool fewer = gr_cpu_has_large_l2() || !gr_gemm_may_have_avx512();
    const struct way copied = {"dots", 303, fewer ? 9 : 27, 364, 0, NONE};
    for (int kind = 0; kind < 2; kind++)
        for (int round = 0; round < 6; round++)
            run(&copied, kind, round / 3, round, &rng);
    /* float alone: strips of A that are wider than a tile, and a rest */
    const struct way strips = {"columns", 701, 2, 6, 0, NONE};
    for (int round = 0; round < 6; round++)
        run(&strips, 0, round / 3, round, &rng);
    /* B stays in a large L2 */
    const struct way short_k = {
        gr_cpu_has_large_l2() ? "transposed" : "packed", 259, 1021, 61, 1, NONE};
    for (int kind = 0; kind < 2; kind++)
        for (int round = 0; round < 6; round++)
            run(&short_k, kind, round / 3, round, &rng);
}

static void ways_along_b(void **state)
{
    (void)state;
    struct gr_rng rng = {25};
    if (gr_ukr_pick(GR_F32, NULL)->lanes == 16 && !gr_cpu_has_large_l2())
        skip();
    const bool broad_tiles = gr_ukr_pick(GR_F32, NULL)->lanes == 8 && gr_gemm_may_have_avx512();
    if (broad_tiles && gr_cpu_executes_whole())
        skip(); /* whose single tiles of more rows read it down its rows, too */
    for (size_t w = broad_tiles; w < sizeof along_b / sizeof *along_b; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run(&along_b[w], kind, round / 3, round + (int)w, &rng);
}

static void broad_ways(void **state)
{
    (void)state;
    struct gr_rng rng = {27};
    if (gr_ukr_pick(GR_F32, NULL)->lanes != 8 || !gr_gemm_may_have_avx512())
        skip();
    for (size_t w = 0; w < sizeof broad / sizeof *broad; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run(&broad[w], kind, round / 3, round + (int)w, &rng);
}

static void near_ways(void **state)
{
    (void)state;
    struct gr_rng rng = {24};
    if (gr_ukr_pick(GR_F32, NULL)->lanes != 16 || gr_cpu_has_large_l2())
        skip();
    for (size_t w = 0; w < sizeof near / sizeof *near; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run(&near[w], kind, round / 3, round + (int)w, &rng);
    for (size_t w = 0; w < sizeof near_apart / sizeof *near_apart; w++)
        for (int kind = 0; kind < 2; kind++)
            for (int round = 0; round < 6; round++)
                run_apart(&near_apart[w], kind, round / 3, APART_STEP - TRIAL_PAD - near_apart[w].m,
                          round + (int)w, &rng);
}

static void expect_tail(const struct way *way, const char *tail)
{
    const struct gradus_gemm g = gemm_of(way, 0, false);
    struct gr_dispatch dispatch;
    struct trial t = {.g = g};
    struct gr_rng rng = {21};
    trial_make(&t, &rng);
    assert_int_equal(gr_cpu_dispatch(&t.g, NULL, &dispatch, NULL), GRADUS_OK);
    if (!tail)
        assert_null(dispatch.tail_path);
    else if (!dispatch.tail_path || strcmp(dispatch.tail_path, tail) != 0)
        fail_msg("%dx%dx%d: the last columns go the way '%s', wanted '%s'", (int)way->m,
                 (int)way->n, (int)way->k, dispatch.tail_path ? dispatch.tail_path : "", tail);
    trial_free(&t);
}

static void divided_ways(void **state)
{
    (void)state;
    struct gr_rng rng = {22};
    if (gr_ukr_pick(GR_F32, NULL)->lanes != 16)
        skip();
    for (size_t w = 0; w < sizeof divided / sizeof *divided; w++) {
        expect_tail(&divided[w].way, divided[w].tail);
        for (int round = 0; round < 6; round++)
            run(&divided[w].way, 0, round / 3, round + (int)w, &rng);
    }
}

/* So long a k that each part of it has several blocks. */
static void parts_of_several_blocks(void **state)
{
    (void)state;
    struct gr_rng rng = {18};
    const struct way way = {"deep", 4, 128, 41000, 0, NONE};
    for (int round = 0; round < 2; round++)
        run(&way, 1, false, 1 + round, &rng);
}

/* Nothing to add up, where C is larger than one tile. */
static void no_depth(void **state)
{
    (void)state;
    struct gr_rng rng = {19};
    const struct way way = {"scaled", 301, 403, 0, 0, NONE};
    for (int round = 0; round < 4; round++)
        run(&way, round % 2, round / 2, round, &rng);
}

/* Handfuls of a batch, of which the last is a smaller one. */
static void chunks(void **state)
{
    (void)state;
    struct gr_rng rng = {20};
    static const int64_t batches[] = {9, 37, 101, 257};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        for (int kind = 0; kind < TRIAL_KINDS; kind++) {
            struct trial t = {.g = trial_shape(kind, (int)i, 13, 11, 17)};
            struct gradus_error error = {0};
            char why[256];
            t.g.batch = batches[i], t.g.threads = 2 + kind % 3;
            trial_scale(&t.g, 2, i % 2);
            trial_make(&t, &rng);
            struct gradus_gemm call = t.g;
            if (gradus_gemm_run(&call, &error))
                fail_msg("%s", error.text);
            if (!trial_is_right(&t, why))
                fail_msg("%s", why);
            trial_free(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),
        cmocka_unit_test(ways_of_rows),
        cmocka_unit_test(ways_of_whole_vectors),
        cmocka_unit_test(stepped_ways),
        cmocka_unit_test(ways_along_b),
        cmocka_unit_test(broad_ways),
        cmocka_unit_test(near_ways),
        cmocka_unit_test(divided_ways),
        cmocka_unit_test(parts_of_several_blocks),
        cmocka_unit_test(no_depth),
        cmocka_unit_test(chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
