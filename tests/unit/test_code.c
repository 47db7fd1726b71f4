/* test_code.c: cubins made here byte by byte, in the layouts of both ages, damaged ones, and what
 * NVRTC writes where it is found. SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/cubin.h"
#include "code/sass.h"
#include "gpu/rtc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that grows, and the table of its sections. */
struct maker {
    unsigned char bytes[8192], sections[16][64];
    size_t length;
    int section_count;
};

static void put(unsigned char *at, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void add(struct maker *maker, const void *bytes, size_t count)
{
    assert_true(count <= sizeof maker->bytes - maker->length);
    memcpy(maker->bytes + maker->length, bytes, count);
    maker->length += count;
}

/* All names of sections and symbols; a name is where it stands in here. */
static const char names[] =
    "\0.names\0.symtab\0.nv.info\0.text.gemm\0.nv.info.gemm\0.nv.shared.gemm\0"
    ".nv.constant0.gemm\0.text.helper\0gemm\0helper";

static uint32_t name_of(const char *name)
{
    for (size_t at = 0; at < sizeof names; at += strlen(names + at) + 1)
        if (strcmp(names + at, name) == 0)
            return (uint32_t)at;
    fail_msg("%s is not among the names", name);
    return 0;
}

struct kind {
    uint32_t type, link, info;
    uint64_t flags, size; /* size: of a section without bytes */
};

static void section(struct maker *maker, const char *name, struct kind kind, const void *bytes,
                    size_t count)
{
    unsigned char *h = maker->sections[maker->section_count++];
    put(h, name_of(name), 4);
    put(h + 4, kind.type, 4);
    put(h + 8, kind.flags, 8);
    put(h + 24, maker->length, 8);
    put(h + 32, bytes ? count : kind.size, 8);
    put(h + 40, kind.link, 4);
    put(h + 44, kind.info, 4);
    if (bytes)
        add(maker, bytes, count);
}

enum { TEXT_SECTION = 3, HELPER_SECTION = 4, GEMM_SYMBOL = 1 };

/* A cubin of one kernel, `gemm`, and a function that it calls. */
struct recipe {
    int abi;
    uint32_t flags;
    uint32_t text_info;  /* registers in the highest byte */
    uint64_t text_flags; /* barriers in bits 20..26 */
    uint64_t smem;
    bool attributes; /* registers and barriers are said there */
    const uint64_t (*text)[2];
    int instructions;
};

static void symbols(struct maker *maker)
{
    unsigned char table[3][24] = {0};
    put(table[GEMM_SYMBOL], name_of("gemm"), 4);
    put(table[GEMM_SYMBOL] + 4, 0x1012, 2); /* a global function, an entry */
    put(table[GEMM_SYMBOL] + 6, TEXT_SECTION, 2);
    put(table[2], name_of("helper"), 4);
    put(table[2] + 4, 0x0012, 2);
    put(table[2] + 6, HELPER_SECTION, 2);
    section(maker, ".symtab", (struct kind){.type = 2, .link = 1}, table, sizeof table);
}

static void attributes(struct maker *maker, bool all)
{
    static const unsigned char stack[] = {4, 0x11, 8, 0, GEMM_SYMBOL, 0, 0, 0, 16, 0, 0, 0,
                                          4, 0x12, 8, 0, GEMM_SYMBOL, 0, 0, 0, 40, 0, 0, 0};
    static const unsigned char registers[] = {4, 0x2f, 8, 0, GEMM_SYMBOL, 0, 0, 0, 61, 0, 0, 0,
                                              4, 0x11, 8, 0, 2,           0, 0, 0, 99, 0, 0, 0};
    unsigned char info[sizeof stack + sizeof registers];
    memcpy(info, stack, sizeof stack);
    memcpy(info + sizeof stack, registers, sizeof registers);
    section(maker, ".nv.info", (struct kind){.type = 0x70000000}, info,
            all ? sizeof info : sizeof stack);
    static const unsigned char own[] = {3, 0x19, 40, 0, 1, 0x36, 0, 0, 4, 0x05, 12, 0,    16, 0,
                                        0, 0,    8,  0, 0, 0,    2, 0, 0, 0,    2,  0x4c, 3,  0};
    section(maker, ".nv.info.gemm", (struct kind){.type = 0x70000000}, own,
            all ? sizeof own : sizeof own - 4);
}

static void finish(struct maker *maker, const struct recipe *recipe)
{
    memcpy(maker->bytes, "\177ELF\2\1\1\63", 8);
    maker->bytes[8] = (unsigned char)recipe->abi;
    put(maker->bytes + 18, 190, 2);
    put(maker->bytes + 40, maker->length, 8);
    put(maker->bytes + 48, recipe->flags, 4);
    put(maker->bytes + 58, 64, 2);
    put(maker->bytes + 60, (uint64_t)maker->section_count, 2);
    put(maker->bytes + 62, 1, 2);
    add(maker, maker->sections, (size_t)maker->section_count * 64);
}

static void make(struct maker *maker, const struct recipe *recipe)
{
    static const uint64_t exit_only[][2] = {{0x794d, 0xfea0003800000}};
    const uint64_t(*text)[2] = recipe->text ? recipe->text : exit_only;
    unsigned char code[64 * GR_SASS_BYTES] = {0};
    int count = recipe->text ? recipe->instructions : 1;
    assert_true(count <= 64);
    for (int i = 0; i < count; i++) {
        put(code + i * GR_SASS_BYTES, text[i][0], 8);
        put(code + i * GR_SASS_BYTES + 8, text[i][1], 8);
    }
    *maker = (struct maker){.length = 64, .section_count = 1};
    section(maker, ".names", (struct kind){.type = 3}, names, sizeof names);
    symbols(maker);
    section(maker, ".text.gemm",
            (struct kind){.type = 1, .info = recipe->text_info, .flags = recipe->text_flags}, code,
            (size_t)count * GR_SASS_BYTES);
    section(maker, ".text.helper", (struct kind){.type = 1}, code, GR_SASS_BYTES);
    attributes(maker, recipe->attributes);
    section(maker, ".nv.shared.gemm", (struct kind){.type = 8, .size = recipe->smem}, NULL, 0);
    section(maker, ".nv.constant0.gemm", (struct kind){.type = 1}, code, 16);
    finish(maker, recipe);
}

static const struct recipe older = {.abi = 7,
                                    .flags = 0x500550,
                                    .text_info = 63u << 24 | GEMM_SYMBOL,
                                    .text_flags = 0x200006,
                                    .smem = 8192};
static const struct recipe newer = {.abi = 8,
                                    .flags = 0x6005a04,
                                    .text_info = 9,
                                    .text_flags = 6,
                                    .smem = 9216,
                                    .attributes = true};

static void read_or_fail(const struct maker *maker, struct gr_code *code)
{
    struct gradus_error error = {0};
    if (gr_code_read(maker->bytes, maker->length, code, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

static void both_layouts(void **state)
{
    (void)state;
    static const struct {
        const struct recipe *recipe;
        int cc, registers, barriers;
    } cases[] = {{&older, 80, 63, 2}, {&newer, 90, 61, 3}};
    for (int i = 0; i < 2; i++) {
        struct maker maker;
        struct gr_code code;
        make(&maker, cases[i].recipe);
        read_or_fail(&maker, &code);
        assert_int_equal(code.cc, cases[i].cc);
        assert_int_equal(code.count, 1); /* the helper is no kernel */
        assert_null(gr_code_find(&code, "helper"));
        const struct gr_code_kernel *k = gr_code_find(&code, "gemm");
        assert_non_null(k);
        assert_int_equal(k->registers, cases[i].registers);
        assert_int_equal(k->barriers, cases[i].barriers);
        assert_int_equal(k->smem_bytes, 8192); /* without the system's kilobyte of sm_90 */
        assert_int_equal(k->constant_bytes, 16);
        assert_int_equal(k->parameter_bytes, 40);
        assert_int_equal(k->stack_bytes, 40);
        assert_int_equal(k->max_threads, 16 * 8 * 2);
        assert_int_equal(k->text_bytes, GR_SASS_BYTES);
        gr_code_free(&code);
    }
}

/* The file with `count` bytes at `at` set to `value` is refused with words that have `wanted` in
 * them. */
static void expect_refusal(size_t at, uint64_t value, int count, const char *wanted)
{
    struct maker maker;
    struct gr_code code;
    struct gradus_error error = {0};
    make(&maker, &newer);
    put(maker.bytes + at, value, count);
    assert_int_equal(gr_code_read(maker.bytes, maker.length, &code, &error), GRADUS_INVALID);
    if (!strstr(error.text, wanted))
        fail_msg("'%s' is not in: %s", wanted, error.text);
    assert_int_equal(code.count, 0);
}

static void damage_is_named(void **state)
{
    (void)state;
    struct maker maker;
    make(&maker, &newer);
    size_t table = maker.length - (size_t)maker.section_count * 64;
    size_t symtab = table + 2 * 64, text = table + TEXT_SECTION * 64, info = table + 5 * 64;
    uint64_t symbol = 0, attribute = 0;
    for (int i = 7; i >= 0; i--) {
        symbol = symbol << 8 | maker.bytes[symtab + 24 + (size_t)i];
        attribute = attribute << 8 | maker.bytes[info + 24 + (size_t)i];
    }
    expect_refusal(0, 'x', 1, "not a 64-bit little-endian ELF");
    expect_refusal(18, 62, 2, "machine 62, wanted 190");
    expect_refusal(40, maker.length, 8, "no table of sections");
    expect_refusal(40, UINT64_MAX, 8, "no table of sections");
    expect_refusal(62, 99, 2, "no table of sections");
    expect_refusal(text, 9999, 4, "without a name");
    expect_refusal(text + 32, UINT64_MAX, 8, "ends after the end");
    expect_refusal(text + 24, maker.length - 8, 8, "ends after the end");
    expect_refusal(symtab + 4, 1, 4, "no symbols");
    expect_refusal(symtab + 40, 99, 4, "no symbols");
    expect_refusal((size_t)symbol + 24 + 6, 99, 2, "without instructions");
    expect_refusal((size_t)symbol + 24, 9999, 4, "without a name");
    expect_refusal((size_t)attribute, 9, 1, ".nv.info is damaged at byte 0");
    expect_refusal((size_t)attribute + 12 + 2, 9999, 2, ".nv.info is damaged at byte 12");
}

/* Reads an image that lies in memory of exactly its size, so that a sanitizer sees a byte too many;
 * all that is said of it must lie within it. */
static void survives(const unsigned char *bytes, size_t length)
{
    unsigned char *image = malloc(length + !length);
    assert_non_null(image);
    memcpy(image, bytes, length);
    struct gr_code code;
    struct gradus_error error = {0};
    enum gradus_status status = gr_code_read(image, length, &code, &error);
    if (status != GRADUS_OK) {
        assert_int_equal(status, GRADUS_INVALID);
        assert_true(*error.text && !strchr(error.text, '\n'));
        assert_null(code.kernels);
    }
    for (int i = 0; i < code.count; i++) {
        struct gr_mix whole, loop;
        const struct gr_code_kernel *k = &code.kernels[i];
        assert_true(k->text >= image && k->text_bytes <= (size_t)(image + length - k->text));
        status = gr_code_mix(&code, k, &whole, &loop, &error);
        assert_true(status == GRADUS_OK || status == GRADUS_UNSUPPORTED);
        assert_true(loop.total <= whole.total);
    }
    gr_code_free(&code);
    free(image);
}

static void damaged_files_do_not_crash(void **state)
{
    (void)state;
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    const struct recipe *const recipes[] = {&older, &newer};
    for (int r = 0; r < 2; r++) {
        struct maker maker;
        make(&maker, recipes[r]);
        for (size_t length = 0; length < maker.length; length++)
            survives(maker.bytes, length);
        for (size_t at = 0; at < maker.length; at++) {
            unsigned char kept = maker.bytes[at];
            for (size_t i = 0; i < sizeof values; i++) {
                maker.bytes[at] = values[i];
                survives(maker.bytes, maker.length);
            }
            maker.bytes[at] = kept;
        }
    }
}

/* A jump by `count` instructions from the next one, as sm_75 has it. */
#define JUMP(count)                                                                                \
    {                                                                                              \
        (uint64_t)((count)*16) << 32 | 0x947, (count) < 0 ? 0xfea000383ffff : 0xfea0003800000      \
    }

static void loops_are_found(void **state)
{
    (void)state;
    static const uint64_t text[][2] = {
        {0x8107381, 0xf6200001eed00},    /* LDG.128 */
        {0x300047223, 0xfc800000000ff},  /* FFMA: the outer loop begins */
        {0x97984, 0xe680000000a00},      /* LDS.64: a loop that copies begins */
        {0x304007388, 0x41e40000004800}, /* STS */
        JUMP(-3),                        /* … and ends */
        {0x300047223, 0xfc800000000ff},
        {0x300047223, 0xfc800000000ff},
        JUMP(-7),                       /* the outer loop ends */
        {0x300047223, 0xfc800000000ff}, /* a loop over the rest, with fewer multiply-adds */
        JUMP(-2),
        {0x304007388, 0x41e40000004c00}, /* STS.128, three times: the longest, without any */
        {0x304007388, 0x41e40000004c00},
        {0x304007388, 0x41e40000004c00},
        JUMP(-4),
        {0x71ff, 0},               /* nobody's opcode */
        {0x794d, 0xfea0003800000}, /* EXIT */
        JUMP(-1),                  /* guarded: it counts */
        {0xfffffff000007947, 0xfc0000383ffff},
        {0x7918, 0xfc00000000000},
    };
    struct recipe recipe = older;
    recipe.text = text;
    recipe.instructions = (int)(sizeof text / sizeof *text);
    struct maker maker;
    struct gr_code code;
    struct gr_mix whole, loop;
    make(&maker, &recipe);
    read_or_fail(&maker, &code);
    assert_int_equal(gr_code_mix(&code, code.kernels, &whole, &loop, NULL), GRADUS_OK);
    assert_int_equal(whole.total, 17); /* without the endless jump and the NOP behind the exit */
    assert_int_equal(whole.count[GR_OP_FFMA], 4);
    assert_int_equal(whole.count[GR_OP_BRANCH], 6);
    assert_int_equal(whole.count[GR_OP_OTHER], 1);
    assert_int_equal(whole.unknown, 1);
    assert_int_equal(whole.width[GR_OP_STS][4], 3);
    assert_int_equal(loop.total, 7); /* the outer one: the one inside it only copies */
    assert_int_equal(loop.count[GR_OP_FFMA], 3);
    assert_int_equal(loop.width[GR_OP_LDS][3], 1);
    assert_int_equal(loop.width[GR_OP_STS][2], 1);
    assert_int_equal(loop.count[GR_OP_LDG], 0);
    code.cc = 61;
    assert_int_equal(gr_code_mix(&code, code.kernels, &whole, &loop, NULL), GRADUS_UNSUPPORTED);
    gr_code_free(&code);
}

static void a_loop_without_multiplies(void **state)
{
    (void)state;
    static const uint64_t text[][2] = {
        {0x8107381, 0xf6200001eed00}, JUMP(-2), {0x794d, 0xfea0003800000}};
    struct recipe recipe = older;
    recipe.text = text;
    struct maker maker;
    struct gr_code code;
    struct gr_mix whole, loop;
    for (int count = 3; count >= 1; count -= 2) {
        recipe.instructions = count;
        make(&maker, &recipe);
        read_or_fail(&maker, &code);
        assert_int_equal(gr_code_mix(&code, code.kernels, &whole, &loop, NULL), GRADUS_OK);
        assert_int_equal(whole.total, count);
        assert_int_equal(loop.total, count == 3 ? 2 : 0);
        gr_code_free(&code);
    }
}

static const char source[] =
    "extern \"C\" __global__ __launch_bounds__(128) void gemm(int n, const float *a, float *c)\n"
    "{\n"
    "    __shared__ float tile[1024];\n"
    "    float sum = 0;\n"
    "#pragma unroll 1\n"
    "    for (int k = 0; k < n; k++) {\n"
    "        tile[threadIdx.x] = a[k * 128 + threadIdx.x];\n"
    "        __syncthreads();\n"
    "        float4 v = *(float4 *)&tile[4 * (threadIdx.x ^ 1)];\n"
    "        sum = fmaf(v.x, v.y, fmaf(v.z, v.w, sum));\n"
    "        __syncthreads();\n"
    "    }\n"
    "    c[threadIdx.x] = sum;\n"
    "}\n";

static void check_compiled(int arch)
{
    char name[16];
    snprintf(name, sizeof name, "sm_%d", arch);
    struct gr_rtc_source wanted = {.text = source, .name = "gemm.cu", .arch = name};
    struct gr_rtc_code cubin = {0};
    struct gr_code code;
    struct gr_mix whole, loop;
    struct gradus_error error = {0};
    if (gr_rtc_nvrtc.compile(&wanted, &cubin, &error) != GRADUS_OK ||
        gr_code_read(cubin.image, cubin.length, &code, &error) != GRADUS_OK)
        fail_msg("%s: %s", name, error.text);
    assert_int_equal(code.cc, arch);
    const struct gr_code_kernel *k = gr_code_find(&code, "gemm");
    assert_non_null(k);
    assert_in_range(k->registers, 8, 64);
    assert_int_equal(k->smem_bytes, 4096);
    assert_int_equal(k->parameter_bytes, 24);
    assert_true(k->constant_bytes > k->parameter_bytes);
    assert_int_equal(k->max_threads, 128);
    assert_int_equal(k->barriers, 1);
    assert_int_equal(k->stack_bytes, 0);
    assert_int_equal(gr_code_mix(&code, k, &whole, &loop, &error), GRADUS_OK);
    assert_int_equal(whole.unknown, 0);
    assert_int_equal(loop.count[GR_OP_FFMA], 2);
    assert_int_equal(loop.width[GR_OP_LDG][2], 1);
    assert_int_equal(loop.width[GR_OP_STS][2], 1);
    assert_int_equal(loop.width[GR_OP_LDS][4], 1);
    assert_int_equal(loop.count[GR_OP_STG], 0);
    assert_int_equal(whole.width[GR_OP_STG][2], 1);
    gr_code_free(&code);
    gr_rtc_code_free(&cubin);
}

static const char spilling[] =
    "extern \"C\" __global__ void spill(int n, const float *a, float *c)\n"
    "{\n"
    "    float x[48];\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 48; i++)\n"
    "        x[i] = a[i * 32 + threadIdx.x];\n"
    "    for (int k = 0; k < n; k++)\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < 48; i++)\n"
    "            x[i] = x[i] * x[(i + 7) % 48] + a[k];\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 48; i++)\n"
    "        c[i * 32 + threadIdx.x] = x[i];\n"
    "}\n";

/* 48 values do not fit into 32 registers, but into 255. */
static void check_spills(const char *registers, bool spills)
{
    const char *const options[] = {registers};
    struct gr_rtc_source wanted = {.text = spilling,
                                   .name = "spill.cu",
                                   .arch = "sm_80",
                                   .options = options,
                                   .option_count = 1};
    struct gr_rtc_code cubin = {0};
    struct gr_code code;
    struct gr_mix whole, loop;
    struct gradus_error error = {0};
    if (gr_rtc_nvrtc.compile(&wanted, &cubin, &error) != GRADUS_OK ||
        gr_code_read(cubin.image, cubin.length, &code, &error) != GRADUS_OK ||
        gr_code_mix(&code, code.kernels, &whole, &loop, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(code.kernels->stack_bytes > 0, spills);
    assert_int_equal(whole.count[GR_OP_LDL] > 0, spills);
    assert_int_equal(whole.count[GR_OP_STL] > 0, spills);
    assert_int_equal(loop.count[GR_OP_LDL] > 0, spills);
    assert_int_equal(code.kernels->registers <= 32, spills);
    gr_code_free(&code);
    gr_rtc_code_free(&cubin);
}

static void what_the_compiler_writes(void **state)
{
    (void)state;
    struct gr_rtc_about about;
    struct gradus_error error = {0};
    if (gr_rtc_nvrtc.find(&about, &error) != GRADUS_OK) {
        bool said = strncmp(error.text, "skip: ", 6) == 0;
        printf("skip: cubins that NVRTC writes: %s\n", error.text + (said ? 6 : 0));
        skip();
    }
    for (int i = 0; i < about.arch_count; i++)
        if (about.archs[i] >= GR_SASS_FIRST_CC)
            check_compiled(about.archs[i]);
    for (int i = 0; i < about.arch_count; i++)
        if (about.archs[i] == 80) {
            check_spills("--maxrregcount=32", true);
            check_spills("--maxrregcount=255", false);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(damaged_files_do_not_crash),
        cmocka_unit_test(loops_are_found),
        cmocka_unit_test(a_loop_without_multiplies),
        cmocka_unit_test(what_the_compiler_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
