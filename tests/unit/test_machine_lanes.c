/* test_machine_lanes.c: arithmetic instructions of the machine, at each level of the CPU's
 * instruction sets, against what an H200 computed (data/h200_ops.txt); with some lanes only; with
 * the result in place of an operand. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/isa.h"
#include "machine/lane_functions.h"
#include "machine/op_inputs.h"
#include "machine/pool.h"
#include "machine/sass_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4096, WARPS = THREADS / GR_WARP_LANES, LEVELS = 8 };

static uint32_t inputs[THREADS][OP_WORDS];
static struct gr_warp warp;
static struct gr_pool *pool;
static const struct gr_lanes_level *levels[LEVELS];
static int level_count;

static int prepare(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < THREADS; t++)
        op_inputs(inputs[t], t, 0);
    for (const struct gr_lanes_level *l = gr_lanes_levels; l->name; l++) {
        const struct gr_isa *isa = gr_isa_find(l->name);
        if (isa && gr_isa_runs(isa) && level_count < LEVELS)
            levels[level_count++] = l;
    }
    pool = gr_pool_create();
    return !pool || !level_count;
}

static int finish(void **state)
{
    (void)state;
    gr_pool_free(pool);
    sass_text_forget();
    return 0;
}

static bool make(const struct gr_decoded *decoded, const struct gr_lane_functions *lanes,
                 struct gr_step *step, char why[96])
{
    struct gr_translation t = {.decoded = decoded, .cc = 90, .lanes = lanes, .pool = pool};
    *step = (struct gr_step){.guard = GR_PREDICATE_ALWAYS};
    snprintf(t.why, sizeof t.why, "no meaning");
    for (const struct gr_meanings *const *m = gr_meanings_all; *m; m++)
        for (const struct gr_meaning *k = (*m)->list; k->mnemonic; k++)
            if (!strcmp(k->mnemonic, decoded->mnemonic) && k->make(&t, step) && !t.refused) {
                for (int i = 0; i < GR_DECODED_MODIFIERS && decoded->modifier[i]; i++)
                    if (!(t.taken >> i & 1))
                        gr_refuse(&t, "%s is not taken", decoded->modifier[i]);
                if (!t.refused)
                    return true;
            }
    memcpy(why, t.why, sizeof t.why);
    return false;
}

/* Registers as data/h200_ops.txt says, and garbage in R0 and R1. */
static void load(uint32_t w)
{
    static const struct {
        uint8_t first, last, at;
    } places[] = {{0, 3, 4}, {4, 9, 8}, {10, 12, 14}, {13, 18, 18}, {19, 21, 24}};
    memset(&warp, 0, sizeof warp);
    warp.p[GR_PREDICATE_ALWAYS] = warp.mask = warp.live = 0xffffffff;
    for (uint32_t i = 0; i < GR_WARP_LANES; i++) {
        warp.v[0][i] = 0x12345600 + i;
        warp.v[1][i] = 0x6543210 + i;
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            for (uint32_t n = places[k].first; n <= places[k].last; n++)
                warp.v[places[k].at + n - places[k].first][i] = inputs[w * GR_WARP_LANES + i][n];
    }
}

/* Results of the words from register `d` on, or of P0, of every thread. */
static void run(const struct gr_step *step, const char *kind, int d, uint32_t seed,
                uint32_t results[2][THREADS])
{
    for (uint32_t w = 0; w < WARPS; w++) {
        uint32_t active = seed ? seed * (2 * w + 1) * 0x9e3779b9u : 0xffffffff;
        load(w);
        if (active)
            step->run(&warp, step, active);
        for (uint32_t i = 0; i < GR_WARP_LANES; i++) {
            uint32_t t = w * GR_WARP_LANES + i, x = warp.v[d][i];
            if (*kind == 'p')
                x = (warp.p[0] >> i & 1) ^ (kind[1] == 'n');
            results[0][t] = kind[0] == '1' && kind[1] == 'h' ? x & 0xffff : x;
            results[1][t] = warp.v[d + 1][i];
        }
    }
}

static uint32_t crc32_of(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint32_t crc = 0xffffffff;
    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static uint32_t full[2][THREADS], other[2][THREADS];

/* With some lanes, the others keep what they had. Instructions in which lanes see each other depend
 * on who is there. */
static int masked_differences(const char *text, const struct gr_step *step, const char *kind)
{
    if (!strncmp(text, "MATCH", 5) || !strncmp(text, "VOTE", 4))
        return 0;
    int differences = 0;
    uint32_t seed = 77;
    run(step, kind, 0, seed, other);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t w = t / GR_WARP_LANES, i = t % GR_WARP_LANES;
        uint32_t active = seed * (2 * w + 1) * 0x9e3779b9u;
        uint32_t kept = 0x12345600 + i, kept1 = 0x6543210 + i;
        if (*kind == 'p')
            kept = kind[1] == 'n';
        if (kind[1] == 'h')
            kept &= 0xffff;
        bool on = active >> i & 1;
        differences += other[0][t] != (on ? full[0][t] : kept);
        differences += *kind == '2' && other[1][t] != (on ? full[1][t] : kept1);
    }
    return differences;
}

/* The result replaces the first operand that is a register. */
static int in_place_differences(struct gr_decoded decoded, const struct gr_lane_functions *lanes,
                                const char *kind)
{
    int source = 1;
    while (source < decoded.operand_count && (decoded.operand[source].kind != GR_OPERAND_REGISTER ||
                                              decoded.operand[source].number == GR_REGISTER_ZERO))
        source++;
    if (*kind == 'p' || source == decoded.operand_count)
        return 0;
    uint8_t d = decoded.operand[source].number;
    if (*kind == '2' && d % 2)
        return 0;
    decoded.operand[0].number = d;
    struct gr_step step;
    char why[96];
    if (!make(&decoded, lanes, &step, why))
        return 1;
    run(&step, kind, d, 0, other);
    return memcmp(full[0], other[0], sizeof full[0]) != 0 ||
           (*kind == '2' && memcmp(full[1], other[1], sizeof full[1]) != 0);
}

static int check(const char *text, const char *kind, uint32_t crc)
{
    struct gr_decoded decoded;
    struct gr_step step;
    char why[96];
    if (!sass_text_read(text, 0, 0, 0, &decoded, why)) {
        print_error("%s: %s\n", text, why);
        return 1;
    }
    for (int l = 0; l < level_count; l++) {
        const struct gr_lane_functions *lanes = levels[l]->functions;
        if (!make(&decoded, lanes, &step, why)) {
            print_error("%s: %s\n", text, why);
            return 1;
        }
        run(&step, kind, 0, 0, full);
        uint32_t found = crc32_of(full, *kind == '2' ? sizeof full : sizeof full[0]);
        int masked = masked_differences(text, &step, kind);
        int in_place = in_place_differences(decoded, lanes, kind);
        if (found != crc || masked || in_place) {
            print_error("%s, %s: %08x, of an H200 %08x; %d lanes differ under a mask%s\n", text,
                        levels[l]->name, found, crc, masked, in_place ? "; differs in place" : "");
            return 1;
        }
    }
    return 0;
}

static void as_an_h200(void **state)
{
    (void)state;
    FILE *file = fopen(GRADUS_SOURCE_DIR "/tests/unit/data/h200_ops.txt", "r");
    assert_non_null(file);
    char line[256];
    int count = 0, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        char kind[4], text[200];
        unsigned crc;
        if (*line == '#' || sscanf(line, "%3s %x %199[^\n]", kind, &crc, text) != 3)
            continue;
        count++;
        wrong += check(text, kind, crc);
    }
    fclose(file);
    assert_true(count > 600);
    assert_int_equal(wrong, 0);
}

/* Carries, whose predicates PTX does not show: of all sums of three operands, as
 * tests/machine/ops/probe.py found them. */
static void carries(void **state)
{
    (void)state;
    struct gr_decoded decoded;
    struct gr_step step;
    char why[96];
    assert_true(sass_text_read("IADD3 R0, P0, P1, R4, R5, R6", 0, 0, 0, &decoded, why));
    for (int l = 0; l < level_count; l++) {
        assert_true(make(&decoded, levels[l]->functions, &step, why));
        for (uint32_t w = 0; w < WARPS; w++) {
            load(w);
            step.run(&warp, &step, 0xffffffff);
            for (uint32_t i = 0; i < GR_WARP_LANES; i++) {
                uint64_t sum = (uint64_t)warp.v[4][i] + warp.v[5][i] + warp.v[6][i];
                assert_int_equal(warp.v[0][i], (uint32_t)sum);
                assert_int_equal(warp.p[0] >> i & 1, sum >> 32 >= 1);
                assert_int_equal(warp.p[1] >> i & 1, sum >> 32 >= 2);
            }
        }
    }
}

/* An election is won by the lowest lane that takes part, whose number a uniform register gets. */
static void elections(void **state)
{
    (void)state;
    static const struct {
        uint32_t active, candidates, winner;
    } cases[] = {{0xffffffff, 0xffffffff, 0}, {0xfffffff0, 0xffffffff, 4}, {0xff00, 0x30c0, 12}};
    struct gr_decoded decoded;
    struct gr_step step;
    char why[96];
    assert_true(sass_text_read("ELECT P0, UR5, P1", 0, 0, 0, &decoded, why));
    assert_true(make(&decoded, levels[0]->functions, &step, why));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        load(0);
        warp.p[0] = 0xffffffff;
        warp.p[1] = cases[i].candidates;
        step.run(&warp, &step, cases[i].active);
        assert_int_equal(warp.p[0], ~cases[i].active | 1u << cases[i].winner);
        assert_int_equal(warp.v[step.d][31], cases[i].winner);
    }
}

/* A word that has no meaning is refused by its name. */
static void refusals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "IMAD.FOO R0, R4, R5, R6", "FFMA.SSZ R0, R4, R5, R6", "HFMA2.OOB R0, R4, R5, R6",
        "IADD3 R0, |R4|, R5, R6",  "FADD R0, R4, R5, R6",     "LOP3.LUT R0, R4, R5, R6, R7, !PT"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gr_decoded decoded;
        struct gr_step step;
        char why[96];
        assert_true(sass_text_read(texts[i], 0, 0, 0, &decoded, why));
        assert_false(make(&decoded, levels[0]->functions, &step, why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_an_h200), cmocka_unit_test(carries),
                                       cmocka_unit_test(elections), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
