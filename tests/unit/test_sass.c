/* test_sass.c: real instructions of each architecture, whose classes and widths NVIDIA's
 * disassembler confirmed. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/cubin.h"
#include "code/sass.h"

static const struct {
    const char *name;
    int cc, op, bits; /* bits: 0 for no width */
    uint64_t low, high;
} instructions[] = {
    {"FFMA", 75, GR_OP_FFMA, 0, 0x300047223, 0xfc800000000ff},
    {"FFMA with an immediate", 75, GR_OP_FFMA, 0, 0x3f00000009027423, 0xfe40000002002},
    {"FFMA2", 100, GR_OP_FFMA, 0, 0x1806187249, 0x4fc60000000004},
    {"DFMA", 75, GR_OP_DFMA, 0, 0xa0a0a722b, 0x1e10000000000a},
    {"HFMA2", 80, GR_OP_HFMA2, 0, 0x7040c7231, 0x8fe2000000000c},
    {"HFMA2.MMA", 80, GR_OP_HFMA2, 0, 0xc1c0c7235, 0x4fd40000000017},
    {"HFMA2.MMA of zeros", 90, GR_OP_MOVE, 0, 0xc2000000ff0a7435, 0xfe200000001ff},
    {"IADD.64", 120, GR_OP_INTEGER, 0, 0x1a101c7235, 0xfe400078e0200},
    {"FMUL2", 100, GR_OP_FLOAT, 0, 0x60404724a, 0x8fc60000000000},
    {"UVIMNMX", 120, GR_OP_INTEGER, 0, 0x90712724a, 0xfe2000bfe0100},
    {"IMAD", 75, GR_OP_INTEGER, 0, 0x30a027224, 0x1fd600078e02ff},
    {"HMMA", 75, GR_OP_MMA, 0, 0x282614723c, 0x4f700000001014},
    {"DMMA", 80, GR_OP_MMA, 0, 0x60208723f, 0x406800000000ff},
    {"QMMA", 89, GR_OP_MMA, 0, 0x100c08727a, 0x8ff60000002c08},
    {"HGMMA", 90, GR_OP_MMA, 0, 0x2000000c1879f0, 0xfe20008000818},
    {"UTCHMMA", 100, GR_OP_MMA, 0, 0xff100e0c0075ea, 0x1d8000b800006},
    {"LDG.U8", 75, GR_OP_LDG, 8, 0x4ff367981, 0xf28000c1ee100},
    {"LDG.U16", 75, GR_OP_LDG, 16, 0x2027381, 0xa200001ee500},
    {"LDG", 75, GR_OP_LDG, 32, 0xc00380f7381, 0xea800001ee900},
    {"LDG.64", 100, GR_OP_LDG, 64, 0x100610047981, 0x1e68000c1e1b00},
    {"LDG.128", 100, GR_OP_LDG, 128, 0x1240387981, 0xea4000c1e1d00},
    {"LDG.256", 100, GR_OP_LDG, 128, 0xfe0000040208797e, 0x4ea2000812190c},
    {"STG.128", 90, GR_OP_STG, 128, 0x802007986, 0xfe2000c101d06},
    {"LDS", 90, GR_OP_LDS, 32, 0x97984, 0xe680000000800},
    {"@!PT LDS", 90, GR_OP_OTHER, 0, 0xfffff984, 0xfe20000000800},
    {"LDS.128", 90, GR_OP_LDS, 128, 0x31187984, 0xfe80000000c00},
    {"LDSM.1", 75, GR_OP_LDS, 32, 0x2783b, 0xe620000004000},
    {"LDSM.4", 75, GR_OP_LDS, 128, 0x4783b, 0xe300000000200},
    {"STS.64", 75, GR_OP_STS, 64, 0xffff008388, 0xfe80000000a00},
    {"STSM", 90, GR_OP_STS, 32, 0x900007844, 0x2fe80000000000},
    {"LDL.S8", 75, GR_OP_LDL, 8, 0x180002a067983, 0xea80000100200},
    {"LDL.64", 75, GR_OP_LDL, 64, 0x100000b067983, 0xea20000100a00},
    {"STL.128", 75, GR_OP_STL, 128, 0xc01007387, 0x41e80000100c00},
    {"LDC", 90, GR_OP_CONSTANT, 32, 0xa00ff017b82, 0xfe20000000800},
    {"ULDC.64", 90, GR_OP_CONSTANT, 64, 0x840000047ab9, 0xfe20000000a00},
    {"LDCU.128", 100, GR_OP_CONSTANT, 128, 0x7000ff0877ac, 0xe620008000c00},
    {"LDGSTS", 80, GR_OP_LDGSTS, 32, 0x18037fae, 0x7e8000b921844},
    {"LDGSTS.64", 80, GR_OP_LDGSTS, 64, 0x802097fae, 0xfe8000b921a44},
    {"LDGSTS.BYPASS.128", 80, GR_OP_LDGSTS, 128, 0x1002097fae, 0xfe8000b901d44},
    {"LDGSTS", 100, GR_OP_LDGSTS, 32, 0x2097fae, 0x8fe8000b9a1006},
    {"LDGSTS.64", 100, GR_OP_LDGSTS, 64, 0x2097fae, 0x10fe8000b9a1406},
    {"LDGSTS.BYPASS.128", 100, GR_OP_LDGSTS, 128, 0x2097fae, 0xfe8000b981a06},
    {"UTMALDG", 90, GR_OP_BULK, 0, 0x40a0075b4, 0x7d80008008000},
    {"UBLKCP", 90, GR_OP_BULK, 0, 0x4060073ba, 0x7d80008000208},
    {"RED", 75, GR_OP_ATOMIC, 0, 0x40cff00098e, 0x1e8000c114104},
    {"BAR", 75, GR_OP_BARRIER, 0, 0x7b1d, 0xfea0000000000},
    {"SYNCS", 90, GR_OP_BARRIER, 0, 0xffff79a7, 0x45e40008000005},
    {"SHFL", 90, GR_OP_MOVE, 0, 0x1f0405037589, 0x8e2400000e0000},
    {"EXIT", 75, GR_OP_BRANCH, 0, 0x794d, 0xfea0003800000},
};

static void instructions_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        struct gr_sass sass =
            gr_sass_decode(instructions[i].cc, instructions[i].low, instructions[i].high);
        int width = sass.width < 0 ? 0 : 8 << sass.width;
        if (!sass.known || sass.op != instructions[i].op || width != instructions[i].bits)
            fail_msg("%s of sm_%d: %s of %d bits, wanted %s of %d", instructions[i].name,
                     instructions[i].cc, gr_op_name(sass.op), width, gr_op_name(instructions[i].op),
                     instructions[i].bits);
    }
}

/* The search halves the table, so a row out of order would not be found; two rows of an opcode are
 * for different architectures. */
static void every_row_is_found(void **state)
{
    (void)state;
    size_t count;
    const struct gr_sass_row *rows = gr_sass_table(&count);
    assert_in_range(count, 100, 512);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(gr_sass_find(rows[i].first_cc, rows[i].opcode), &rows[i]);
        assert_ptr_equal(gr_sass_find(rows[i].last_cc, rows[i].opcode), &rows[i]);
        assert_in_range(rows[i].op, 0, GR_OP_CLASS_COUNT - 1);
    }
    assert_null(gr_sass_find(75, 0x04a)); /* given to FMUL2 of sm_100 first */
    struct gr_sass none = gr_sass_decode(90, 0x71ff, 0);
    assert_true(!none.known && none.op == GR_OP_OTHER && none.width < 0);
}

static void jumps_are_followed(void **state)
{
    (void)state;
    static const struct {
        int cc;
        uint64_t low, high;
        int64_t jump;
    } cases[] = {
        {75, 0x1f000000947, 0xfea0003800000, 0x1f0},
        {90, 0x180947, 0xfea0003800000, 0x60},
        {90, 0xfffffffc00e88947, 0x1fea000383ffff, -0x60},
        {100, 0x100847547, 0xfea000b800000, 0x210},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_sass sass = gr_sass_decode(cases[i].cc, cases[i].low, cases[i].high);
        assert_true(sass.jumps && sass.op == GR_OP_BRANCH && !sass.idle);
        assert_int_equal(sass.jump, cases[i].jump);
    }
    assert_true(gr_sass_decode(90, 0xfffffffc00fc7947, 0xfc0000383ffff).idle);
    assert_true(gr_sass_decode(75, 0xfffffff000007947, 0xfc0000383ffff).idle);
    assert_false(gr_sass_decode(75, 0xfffffff000000947, 0xfc0000383ffff).idle); /* guarded */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_told_apart),
        cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(jumps_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
