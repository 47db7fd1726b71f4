/* test_model.c: device files, and how many blocks an SM holds. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "model/occupancy.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const char *name)
{
    char path[512], *text = NULL;
    snprintf(path, sizeof path, GRADUS_SOURCE_DIR "/devices/%s.txt", name);
    assert_int_equal(gr_file_read(path, &text, NULL, NULL), GRADUS_OK);
    return text;
}

static struct gr_device device(const char *name)
{
    struct gr_device d;
    struct gradus_error error = {0};
    char *text = text_of(name);
    if (gr_device_read(name, text, &d, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(text);
    return d;
}

static void every_device_file_is_read(void **state)
{
    (void)state;
    DIR *folder = opendir(GRADUS_SOURCE_DIR "/devices");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!gr_ends_with(entry->d_name, ".txt"))
            continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(entry->d_name) - 4), entry->d_name);
        struct gr_device d = device(name);
        char arch[16];
        snprintf(arch, sizeof arch, d.cc ? "sm_%d" : "gfx", (int)d.cc);
        assert_true(gr_starts_with(d.arch, arch));
        assert_true(d.smem_per_block_bytes + d.smem_reserved_bytes <= d.smem_per_sm_bytes);
        assert_true(d.threads_per_sm % d.warp == 0);
        count++;
    }
    closedir(folder);
    assert_true(count >= 18);
}

/* The peaks that the data sheets print, in TFLOP/s. */
static void peaks_are_those_of_the_data_sheets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double f32, f64;
    } sheets[] = {{"t4", 8.1, 0.25},       {"a100", 19.5, 9.7},        {"rtx3070", 20.3, 0.32},
                  {"rtx3090", 35.6, 0.56}, {"rtx4090", 82.6, 1.29},    {"rtx5090", 104.8, 1.64},
                  {"h100", 66.9, 33.5},    {"h200", 66.9, 33.5},       {"b200", 75.0, 37.5},
                  {"mi210", 22.6, 22.6},   {"rx6800xt", 20.74, 1.296}, {"rx7900xtx", 61.4, 1.92},
                  {"mi100", 23.1, 11.5},   {"mi250x", 23.95, 23.95},   {"mi300x", 163.4, 81.7},
                  {"mi325x", 163.4, 81.7}, {"mi355x", 157.3, 78.6},    {"rx6900xt", 23.04, 1.44},
                  {"rx9070xt", 48.7, 0.76}};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        struct gr_device d = device(sheets[i].name);
        assert_float_equal((float)(gr_device_gflops_f32(&d) / 1e3 / sheets[i].f32), 1, 0.01f);
        assert_float_equal((float)(gr_device_gflops_f64(&d) / 1e3 / sheets[i].f64), 1, 0.02f);
    }
}

static void expect(const char *name, int64_t threads, int64_t registers, int64_t smem_bytes,
                   int64_t blocks, enum gr_occupancy_limit limit)
{
    struct gr_device d = device(name);
    struct gr_block_needs needs = {
        .threads = threads, .registers_per_thread = registers, .smem_bytes = smem_bytes};
    struct gr_occupancy o = gr_occupancy_of(&d, &needs);
    if (o.blocks != blocks || o.limit != limit)
        fail_msg("%s, %d threads, %d registers, %d bytes: found %d blocks by %s, wanted %d by %s",
                 name, (int)threads, (int)registers, (int)smem_bytes, (int)o.blocks,
                 gr_occupancy_limit_name(o.limit), (int)blocks, gr_occupancy_limit_name(limit));
    assert_int_equal(o.warps, blocks * ((threads + 31) / 32));
    assert_true(o.fraction == (double)o.warps / (double)o.warps_max);
}

/* Worked out by hand from the rules of the programming guide. */
static void blocks_on_an_sm(void **state)
{
    (void)state;
    /* An RTX 3070 holds 48 warps: one block of 1024 threads, not one and a half. */
    expect("rtx3070", 1024, 32, 8192, 1, GR_LIMIT_WARPS);
    expect("rtx3070", 32, 16, 0, 16, GR_LIMIT_BLOCKS);
    expect("h200", 32, 16, 0, 32, GR_LIMIT_BLOCKS);
    expect("h200", 1024, 32, 0, 2, GR_LIMIT_WARPS);
    expect("h200", 1024, 33, 0, 1, GR_LIMIT_REGISTERS);
    /* 168 registers: 5376 a warp, 3 warps in a scheduler's 16384, 12 in all. */
    expect("h200", 256, 168, 0, 1, GR_LIMIT_REGISTERS);
    expect("h200", 128, 168, 0, 3, GR_LIMIT_REGISTERS);
    expect("h200", 256, 128, 0, 2, GR_LIMIT_REGISTERS);
    /* 129 are given out as 136. */
    expect("h200", 256, 129, 0, 1, GR_LIMIT_REGISTERS);
    /* 56 KB and the system's 1 KB are 57 KB: 4 fit into 228, and one byte more leaves 3. */
    expect("h200", 128, 32, 56 * 1024, 4, GR_LIMIT_SMEM);
    expect("h200", 128, 32, 56 * 1024 + 1, 3, GR_LIMIT_SMEM);
    expect("h200", 128, 32, 227 * 1024, 1, GR_LIMIT_SMEM);
    /* A warp that is not full is a warp. */
    expect("h200", 33, 32, 0, 32, GR_LIMIT_BLOCKS);
    expect("h200", 65, 32, 0, 21, GR_LIMIT_WARPS);
}

/* The rows of LLVM's own test of AMD's occupancy, llvm/test/CodeGen/AMDGPU/occupancy-levels.ll:
 * wavefronts on a SIMD, of kernels of one small workgroup each, by the vector registers of a
 * work-item. GFX9 there is gfx900, whose registers are those of gfx908; those of GFX950 are those
 * of gfx90a and gfx942, and those of GFX1100 those of gfx1200 and gfx1201. */
static const struct {
    int registers, gfx9, gfx950, gfx1030_64, gfx1030_32, gfx1100_64, gfx1100_32;
} levels[] = {{24, 10, 8, 16, 16, 16, 16}, {28, 9, 8, 16, 16, 16, 16}, {32, 8, 8, 16, 16, 16, 16},
              {36, 7, 8, 12, 16, 16, 16},  {40, 6, 8, 12, 16, 16, 16}, {44, 5, 8, 10, 16, 16, 16},
              {48, 5, 8, 10, 16, 16, 16},  {56, 4, 8, 9, 16, 12, 16},  {64, 4, 8, 8, 16, 10, 16},
              {72, 3, 7, 7, 12, 10, 16},   {80, 3, 6, 6, 12, 9, 16},   {84, 3, 5, 5, 10, 9, 16},
              {88, 2, 5, 5, 10, 8, 16},    {96, 2, 5, 5, 10, 8, 16},   {100, 2, 4, 4, 9, 7, 12},
              {112, 2, 4, 4, 9, 6, 12},    {128, 2, 4, 4, 8, 5, 10},   {144, 1, 3, 3, 7, 5, 10},
              {168, 1, 3, 3, 5, 4, 9},     {200, 1, 2, 2, 4, 3, 7},    {256, 1, 2, 2, 4, 2, 5}};

/* Wavefronts on a SIMD, rounded up, as LLVM counts them. */
static int on_a_simd(const struct gr_device *d, const struct gr_block_needs *needs)
{
    const struct gr_occupancy o = gr_occupancy_of(d, needs);
    return (int)((o.warps + o.sm.schedulers_per_sm - 1) / o.sm.schedulers_per_sm);
}

static void expect_waves(const char *name, const struct gr_block_needs *needs, int wanted)
{
    const struct gr_device d = device(name);
    const int found = on_a_simd(&d, needs);
    if (found != wanted)
        fail_msg("%s, %d work-items, %d VGPRs, %d SGPRs, %d bytes of LDS, wave %d: found %d "
                 "wavefronts on a SIMD, wanted %d",
                 name, (int)needs->threads, (int)needs->registers_per_thread,
                 (int)needs->scalar_registers, (int)needs->smem_bytes, (int)needs->wave, found,
                 wanted);
}

static void wavefronts_by_vector_registers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const struct gr_block_needs w64 = {.threads = 32,
                                           .registers_per_thread = levels[i].registers,
                                           .wave = 64,
                                           .wgp = true},
                                    w32 = {.threads = 32,
                                           .registers_per_thread = levels[i].registers,
                                           .wave = 32,
                                           .wgp = true},
                                    cu = {.threads = 32,
                                          .registers_per_thread = levels[i].registers};
        expect_waves("mi100", &cu, levels[i].gfx9);
        expect_waves("mi210", &cu, levels[i].gfx950);
        expect_waves("mi300x", &cu, levels[i].gfx950);
        expect_waves("mi355x", &cu, levels[i].gfx950);
        expect_waves("rx6900xt", &w64, levels[i].gfx1030_64);
        expect_waves("rx6800xt", &w32, levels[i].gfx1030_32);
        expect_waves("rx6800xt", &cu, levels[i].gfx1030_32);
        expect_waves("rx7900xtx", &w64, levels[i].gfx1100_64);
        expect_waves("rx7900xtx", &w32, levels[i].gfx1100_32);
        expect_waves("rx9070xt", &w32, levels[i].gfx1100_32);
    }
}

/* The rows GFX9TRAP and GFX950TRAP. The compiler's count includes VCC and what else a wavefront
 * has: on gfx950 6 beyond the named ones. */
static void wavefronts_by_scalar_registers(void **state)
{
    (void)state;
    static const struct {
        int registers, gfx9, gfx950;
    } rows[] = {{80, 8, 7}, {88, 7, 7}, {100, 6, 6}, {101, 6, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gr_block_needs old = {.threads = 32, .scalar_registers = rows[i].registers},
                                    now = {.threads = 32,
                                           .scalar_registers = rows[i].registers + 6};
        expect_waves("mi100", &old, rows[i].gfx9);
        expect_waves("mi355x", &now, rows[i].gfx950);
    }
    const struct gr_block_needs many = {.threads = 32, .scalar_registers = 106};
    expect_waves("rx7900xtx", &many, 16); /* from gfx10 on they limit nothing */
}

/* The rows used_lds_8252_max_group_size_N; those of gfx1030 and gfx1100 with the blocks of 512
 * bytes that LLVM counted with until it knew that 1024 are allocated. */
static void wavefronts_by_lds(void **state)
{
    (void)state;
    static const struct {
        int threads, gfx9, gfx950, w64, w32;
    } rows[] = {{32, 2, 5, 4, 4},     {64, 2, 5, 4, 8},    {96, 4, 8, 8, 12},
                {128, 4, 8, 8, 15},   {192, 6, 8, 12, 15}, {256, 7, 8, 15, 16},
                {512, 10, 8, 16, 16}, {1024, 8, 8, 16, 16}};
    struct gr_device navi = device("rx7900xtx");
    navi.smem_unit_bytes = 512;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gr_block_needs needs = {.threads = rows[i].threads, .smem_bytes = 8252};
        expect_waves("mi100", &needs, rows[i].gfx9);
        expect_waves("mi355x", &needs, rows[i].gfx950);
        needs.wgp = true;
        needs.wave = 64;
        assert_int_equal(on_a_simd(&navi, &needs), rows[i].w64);
        needs.wave = 32;
        assert_int_equal(on_a_simd(&navi, &needs), rows[i].w32);
    }
}

/* The most registers for each occupancy of gfx90a, as LLVM prints them (review D138443). */
static void registers_for_each_occupancy(void **state)
{
    (void)state;
    static const int most[] = {512, 256, 168, 128, 96, 80, 72, 64}; /* for 1, 2 … 8 wavefronts */
    for (int waves = 1; waves <= 8; waves++) {
        struct gr_block_needs needs = {.threads = 64, .registers_per_thread = most[waves - 1]};
        expect_waves("mi210", &needs, waves);
        expect_waves("mi250x", &needs, waves);
        needs.registers_per_thread++;
        expect_waves("mi210", &needs, waves - 1);
    }
}

static void a_block_that_cannot_run(void **state)
{
    (void)state;
    expect("h200", 1025, 16, 0, 0, GR_LIMIT_WARPS);
    expect("h200", 32, 256, 0, 0, GR_LIMIT_REGISTERS);
    expect("h200", 1024, 72, 0, 0, GR_LIMIT_REGISTERS);
    expect("h200", 32, 16, 227 * 1024 + 1, 0, GR_LIMIT_SMEM);
    expect("t4", 32, 16, 64 * 1024 + 1, 0, GR_LIMIT_SMEM);
}

/* The whole of a good file, with one line replaced or added. */
static void expect_refused_of(const char *device, const char *from, const char *to,
                              const char *message)
{
    char *text = text_of(device);
    size_t before = 0;
    while (text[before] && strncmp(text + before, from, strlen(from)) != 0)
        before++;
    assert_true(text[before]);
    struct gr_str changed = {0};
    gr_str_add_bytes(&changed, text, before);
    gr_str_add(&changed, to);
    gr_str_add(&changed, text + before + strcspn(text + before, "\n"));
    struct gr_device d;
    struct gradus_error error = {0};
    assert_int_equal(gr_device_read("my.txt", changed.text, &d, &error), GRADUS_INVALID);
    assert_string_equal(error.text, message);
    gradus_error_clear(&error);
    gr_str_free(&changed);
    free(text);
}

static void expect_refused(const char *from, const char *to, const char *message)
{
    expect_refused_of("h200", from, to, message);
}

static void a_bad_file_is_named_with_its_line(void **state)
{
    (void)state;
    expect_refused("sms ", "sms 132",
                   "my.txt:6: a fact without a source; wanted KEY VALUE | SOURCE");
    expect_refused("sms ", "sms 132 |  ",
                   "my.txt:6: a fact without a source; wanted KEY VALUE | SOURCE");
    expect_refused("sms ", "sms | a book", "my.txt:6: 'sms' has no value");
    expect_refused("sms ", "| a book", "my.txt:6: '' has no value");
    expect_refused("sms ", "smss 132 | a book",
                   "my.txt:6: no key 'smss' in a device file; did you mean 'sms'?");
    expect_refused("sms ", "sms 132x | a book",
                   "my.txt:6: found sms '132x', wanted a whole number from 0 to 2147483647");
    expect_refused("sms ", "sms -1 | a book",
                   "my.txt:6: found sms '-1', wanted a whole number from 0 to 2147483647");
    expect_refused(
        "sms ", "sms 99999999999999999999 | a book",
        "my.txt:6: found sms '99999999999999999999', wanted a whole number from 0 to 2147483647");
    expect_refused("sms ", "cc 90 | a book", "my.txt:6: cc is already given in line 5");
    expect_refused("sms ", "", "my.txt: sms is missing");
    expect_refused("warp ", "warp 0 | a book", "my.txt: found warp 0, wanted 1 or more");
    expect_refused("arch ", "arch sm_90a_and_then_some | a book",
                   "my.txt:4: arch is longer than 15 characters");
}

/* How memory is accessed is a figure of AMD's GPUs, and of no others. */
static void rules_of_amd(void **state)
{
    (void)state;
    static const char *const devices[] = {"mi210", "rx6800xt", "rx7900xtx"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        expect_refused_of(
            devices[i], "sector_bytes ", "",
            "my.txt: sector_bytes is missing, which the file of an AMD GPU (cc 0) must have");
        expect_refused_of(
            devices[i], "smem_phases ", "",
            "my.txt: smem_phases is missing, which the file of an AMD GPU (cc 0) must have");
        expect_refused_of(devices[i], "sector_bytes ", "sector_bytes 32 | a book",
                          "my.txt: found sector_bytes 32, wanted 64 or 128");
    }
    expect_refused("sms ", "sms 132 | a book\nsector_bytes 64 | a book",
                   "my.txt:7: sector_bytes is for AMD's GPUs, and this one has cc 90");
    expect_refused_of(
        "mi210", "smem_phases ", "smem_phases 32:32:00000000 | a book",
        "my.txt: smem_phases has no load of 64 bits; wanted 32, 64, 96 and 128 of both");
    expect_refused_of("mi210", "smem_phases ", "smem_phases 32:16:00000000 | a book",
                      "my.txt: found '32:16:00000000' in smem_phases, wanted "
                      "[load|store]BITS:BANKS:PHASES with 8 digits, as in load128:32:01231032");
    expect_refused_of("mi210", "smem_phases ", "smem_phases load64:32:000011111 | a book",
                      "my.txt: found 'load64:32:000011111' in smem_phases, wanted "
                      "[load|store]BITS:BANKS:PHASES with 8 digits, as in load128:32:01231032");
}

static void expect_phases(const char *name, int lanes, int bytes, bool loads, int phases,
                          const char *of_quads)
{
    int64_t offset[64] = {0};
    int8_t phase[64];
    struct gr_device d = device(name);
    assert_int_equal(gr_phases_of(&d.rules, offset, lanes, bytes, loads, phase), phases);
    for (int i = 0; i < lanes; i++)
        assert_int_equal(phase[i], of_quads[i / 4] - '0');
}

/* A digit for each four lanes, worked out by hand. */
static void phases_of_lanes(void **state)
{
    (void)state;
    expect_phases("mi210", 64, 4, true, 2, "0000000011111111");
    expect_phases("mi210", 64, 2, false, 2, "0000000011111111");
    expect_phases("mi210", 64, 8, true, 4, "0000111122223333");
    expect_phases("mi210", 64, 16, true, 8, "0123103245675476");
    expect_phases("mi210", 64, 12, true, 8, "0123103245675476");
    expect_phases("mi210", 64, 16, false, 8, "0011223344556677");
    expect_phases("rx7900xtx", 32, 4, true, 1, "00000000");
    expect_phases("rx7900xtx", 32, 8, false, 2, "00001111");
    expect_phases("rx7900xtx", 32, 16, true, 4, "00112233");
    expect_phases("h200", 32, 4, true, 1, "00000000");
    expect_phases("h200", 32, 16, false, 4, "00112233");
    expect_phases("h200", 32, 16, true, 2, "00001111"); /* neighbours at one address */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_amd),
        cmocka_unit_test(phases_of_lanes),
        cmocka_unit_test(every_device_file_is_read),
        cmocka_unit_test(peaks_are_those_of_the_data_sheets),
        cmocka_unit_test(blocks_on_an_sm),
        cmocka_unit_test(wavefronts_by_vector_registers),
        cmocka_unit_test(wavefronts_by_scalar_registers),
        cmocka_unit_test(wavefronts_by_lds),
        cmocka_unit_test(registers_for_each_occupancy),
        cmocka_unit_test(a_block_that_cannot_run),
        cmocka_unit_test(a_bad_file_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
