/* test_amd_isa.c: real lines of LLVM's disassembler, of gfx90a to gfx1201, told apart; and
 * listings that are cut short or mislead. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/amd_isa.h"
#include "code/amd_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

static const struct {
    const char *text;
    int op, bytes; /* bytes: of a lane's access, 0 for none */
    int space;
    int flops;
} lines[] = {
    {"global_load_dwordx4 v[0:3], v[4:5], off", GR_OP_LDG, 16, GR_SPACE_GLOBAL, 0},
    {"global_load_b128 v[0:3], v[4:5], off", GR_OP_LDG, 16, GR_SPACE_GLOBAL, 0},
    {"global_load_dwordx3 v[4:6], v[2:3], off", GR_OP_LDG, 12, GR_SPACE_GLOBAL, 0},
    {"global_load_dword v1, v0, s[0:1]", GR_OP_LDG, 4, GR_SPACE_GLOBAL, 0},
    {"global_load_ushort v8, v[6:7], off", GR_OP_LDG, 2, GR_SPACE_GLOBAL, 0},
    {"global_load_u16 v8, v[6:7], off", GR_OP_LDG, 2, GR_SPACE_GLOBAL, 0},
    {"global_load_short_d16_hi v8, v[6:7], off", GR_OP_LDG, 2, GR_SPACE_GLOBAL, 0},
    {"global_load_ubyte v8, v[6:7], off", GR_OP_LDG, 1, GR_SPACE_GLOBAL, 0},
    {"global_load_lds_dword v[2:3], off", GR_OP_LDGSTS, 4, GR_SPACE_GLOBAL, 0},
    {"flat_load_dwordx2 v[0:1], v[2:3]", GR_OP_LDG, 8, GR_SPACE_OTHER, 0},
    {"buffer_load_dwordx4 v[0:3], v4, s[8:11], 0 offen", GR_OP_LDG, 16, GR_SPACE_GLOBAL, 0},
    {"buffer_load_dword v4, s[8:11], 0 offen lds", GR_OP_LDGSTS, 4, GR_SPACE_GLOBAL, 0},
    {"buffer_gl0_inv", GR_OP_OTHER, 0, NONE, 0},
    {"global_store_dwordx2 v[0:1], v[2:3], off", GR_OP_STG, 8, GR_SPACE_GLOBAL, 0},
    {"global_store_b96 v[0:1], v[2:4], off", GR_OP_STG, 12, GR_SPACE_GLOBAL, 0},
    {"global_atomic_add_f32 v0, v1, s[0:1]", GR_OP_ATOMIC, 4, GR_SPACE_GLOBAL, 0},
    {"global_atomic_cmpswap_x2 v[0:1], v[2:5], off", GR_OP_ATOMIC, 8, GR_SPACE_GLOBAL, 0},
    {"scratch_load_b64 v[0:1], off, off offset:8", GR_OP_LDL, 0, NONE, 0},
    {"scratch_store_dword off, v0, off", GR_OP_STL, 0, NONE, 0},
    {"ds_read_b128 v[0:3], v4 offset:16", GR_OP_LDS, 16, GR_SPACE_SHARED, 0},
    {"ds_load_b64 v[0:1], v4", GR_OP_LDS, 8, GR_SPACE_SHARED, 0},
    {"ds_read_u16 v0, v4", GR_OP_LDS, 2, GR_SPACE_SHARED, 0},
    {"ds_read2_b32 v[0:1], v4 offset1:1", GR_OP_LDS, 8, GR_SPACE_SHARED, 0},
    {"ds_read2_b32 v[0:1], v4 offset0:4 offset1:8", GR_OP_LDS, 4, GR_SPACE_SHARED, 0},
    {"ds_load_2addr_b64 v[0:3], v4 offset0:2 offset1:3", GR_OP_LDS, 16, GR_SPACE_SHARED, 0},
    {"ds_read2st64_b32 v[0:1], v4 offset1:1", GR_OP_LDS, 4, GR_SPACE_SHARED, 0},
    {"ds_write_b64 v0, v[2:3]", GR_OP_STS, 8, GR_SPACE_SHARED, 0},
    {"ds_store_b128 v0, v[2:5]", GR_OP_STS, 16, GR_SPACE_SHARED, 0},
    {"ds_add_u32 v0, v1", GR_OP_ATOMIC, 4, GR_SPACE_SHARED, 0},
    {"ds_bpermute_b32 v6, v6, v4", GR_OP_MOVE, 0, NONE, 0},
    {"s_load_dwordx4 s[0:3], s[4:5], 0x0", GR_OP_CONSTANT, 0, NONE, 0},
    {"s_waitcnt lgkmcnt(0)", GR_OP_BARRIER, 0, NONE, 0},
    {"s_wait_loadcnt 0x0", GR_OP_BARRIER, 0, NONE, 0},
    {"s_barrier", GR_OP_BARRIER, 0, NONE, 0},
    {"s_barrier_signal -1", GR_OP_BARRIER, 0, NONE, 0},
    {"s_cbranch_scc1 65520", GR_OP_BRANCH, 0, NONE, 0},
    {"s_endpgm", GR_OP_BRANCH, 0, NONE, 0},
    {"s_mov_b32 s0, 0", GR_OP_MOVE, 0, NONE, 0},
    {"s_add_i32 s0, s1, s2", GR_OP_INTEGER, 0, NONE, 0},
    {"v_fmac_f32_e32 v4, 2.0, v1", GR_OP_FFMA, 0, NONE, 2},
    {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]", GR_OP_FFMA, 0, NONE, 4},
    {"v_fma_f64 v[0:1], v[2:3], v[4:5], v[0:1]", GR_OP_DFMA, 0, NONE, 2},
    {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5", GR_OP_FFMA, 0, NONE, 4},
    {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 0", GR_OP_FFMA, 0, NONE, 2},
    {"v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5", GR_OP_FLOAT, 0, NONE, 2},
    {"v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v3, 0", GR_OP_MOVE, 0, NONE, 0},
    {"v_dual_mov_b32 v0, 0 :: v_dual_add_nc_u32 v3, 1, v3", GR_OP_INTEGER, 0, NONE, 0},
    {"v_mul_f32_e32 v0, v1, v2", GR_OP_FLOAT, 0, NONE, 1},
    {"v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", GR_OP_FLOAT, 0, NONE, 2},
    {"v_cvt_f32_u32_e32 v4, s3", GR_OP_FLOAT, 0, NONE, 0},
    {"v_pk_fma_f16 v0, v1, v2, v0", GR_OP_HFMA2, 0, NONE, 0},
    {"v_dot2_f32_f16 v0, v1, v2, v0", GR_OP_HFMA2, 0, NONE, 0},
    {"v_dot4_i32_i8 v0, v1, v2, v0", GR_OP_INTEGER, 0, NONE, 0},
    {"v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", GR_OP_MMA, 0, NONE, 0},
    {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", GR_OP_MMA, 0, NONE, 0},
    {"v_accvgpr_read_b32 v0, a0", GR_OP_MOVE, 0, NONE, 0},
    {"v_cndmask_b32_e64 v0, 0, v1, vcc", GR_OP_MOVE, 0, NONE, 0},
    {"v_mad_u64_u32 v[0:1], s[0:1], v2, v3, v[4:5]", GR_OP_INTEGER, 0, NONE, 0},
};

static void lines_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct gr_instruction found = {0};
        gr_amd_isa_read(lines[i].text, false, &found);
        const int bytes = found.access.any ? found.access.bytes : 0;
        const int space = found.access.any ? (int)found.access.space : NONE;
        if (!found.known || found.op != lines[i].op || bytes != lines[i].bytes ||
            space != lines[i].space || found.flops != lines[i].flops)
            fail_msg("%s: %s of %d bytes, space %d, %d FLOP", lines[i].text,
                     gr_op_name_amd(found.op), bytes, space, found.flops);
        assert_int_equal(found.vector, lines[i].text[0] == 'v');
    }
}

static void private_memory(void **state)
{
    (void)state;
    struct gr_instruction load = {0}, store = {0};
    gr_amd_isa_read("buffer_load_dword v0, off, s[36:39], 0 offset:4", true, &load);
    gr_amd_isa_read("buffer_store_dword v0, off, s[36:39], 0 offset:4", true, &store);
    assert_int_equal(load.op, GR_OP_LDL);
    assert_int_equal(store.op, GR_OP_STL);
    assert_false(load.access.any || store.access.any);
}

static void strangers(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "exp mrt0 v0, v0, v0, v0", ".long 0x1234"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gr_instruction found = {0};
        gr_amd_isa_read(texts[i], false, &found);
        assert_int_equal(found.op, GR_OP_OTHER);
        assert_false(found.known || found.access.any);
    }
}

/* A kernel at 0x1000, of 8 words. */
static struct gr_code code_of(struct gr_code_kernel *kernel)
{
    static const unsigned char text[32];
    *kernel = (struct gr_code_kernel){
        .symbol = "gemm", .address = 0x1000, .text = text, .text_bytes = sizeof text};
    return (struct gr_code){.is_amd = true, .arch = "gfx90a", .kernels = kernel, .count = 1};
}

static void a_listing_and_its_loop(void **state)
{
    (void)state;
    static const char text[] =
        "\nx.co:\tfile format elf64-amdgpu\n\nDisassembly of section .text:\n\n"
        "0000000000001000 <gemm>:\n"
        "\ts_load_dword s0, s[4:5], 0x0       // 000000001000: C0020002 00000000\n"
        "\tds_read_b128 v[0:3], v4            // 000000001008: D9FE0000 00000004\n"
        "\tv_fmac_f32_e32 v5, v0, v1          // 000000001010: 360A0300\n"
        "\ts_cbranch_scc1 65532               // 000000001014: BF85FFFC <gemm+0x8>\n"
        "\ts_endpgm                           // 000000001018: BF810000\n"
        "\ts_nop 0                            // 00000000101C: BF800000\n"
        "\ts_endpgm                           // 000000001020: BF810000\n";
    struct gr_code_kernel kernel;
    struct gr_code code = code_of(&kernel);
    struct gr_mix whole, loop;
    struct gradus_error error = {0};
    assert_int_equal(gr_code_mix(&code, &kernel, &whole, &loop, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "apt-get install llvm-19"));
    gradus_error_clear(&error);
    assert_int_equal(gr_amd_listing_take(text, &code, NULL), GRADUS_OK);
    assert_int_equal(kernel.instruction_count, 6); /* the one at 0x1020 is beyond the kernel */
    assert_int_equal(gr_code_mix(&code, &kernel, &whole, &loop, NULL), GRADUS_OK);
    assert_int_equal(whole.total, 5); /* without the s_nop at the end */
    assert_int_equal(loop.total, 3);
    assert_int_equal(loop.width[GR_OP_LDS][4], 1);
    assert_int_equal(loop.flops, 2);
    assert_int_equal(loop.vector, 1);
    free(kernel.instructions);
}

/* What is no instruction, out of order or of elsewhere is skipped; nothing is written beyond. */
static void hostile_listings(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "//",
        "// 000000001000: C0020002",
        "\ts_nop 0 // 1000",
        "\ts_nop 0 // zzzz: C0020002",
        "\ts_nop 0 // FFFFFFFFFFFFFFFFFFFFFFFF: C0020002",
        "\ts_branch 1 // 000000000FFC: BF820001",
        "\ts_nop 0 // 000000001020: BF800000",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gr_code_kernel kernel;
        struct gr_code code = code_of(&kernel);
        assert_int_equal(gr_amd_listing_take(texts[i], &code, NULL), GRADUS_OK);
        assert_int_equal(kernel.instruction_count, 0);
        free(kernel.instructions);
    }
    char many[4096] = "";
    for (int i = 0; i < 60; i++) {
        char line[64];
        snprintf(line, sizeof line, "\ts_branch 0 // %X: BF828000\n", 0x1000 + i);
        strcat(many, line);
    }
    struct gr_code_kernel kernel;
    struct gr_code code = code_of(&kernel);
    struct gr_mix whole, loop;
    assert_int_equal(gr_amd_listing_take(many, &code, NULL), GRADUS_OK);
    assert_int_equal(kernel.instruction_count, 8); /* no more than it has words */
    assert_int_equal(gr_code_mix(&code, &kernel, &whole, &loop, NULL), GRADUS_OK);
    assert_int_equal(loop.total, 0); /* all jumps are to before it */
    free(kernel.instructions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_told_apart),
        cmocka_unit_test(private_memory),
        cmocka_unit_test(strangers),
        cmocka_unit_test(a_listing_and_its_loop),
        cmocka_unit_test(hostile_listings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
