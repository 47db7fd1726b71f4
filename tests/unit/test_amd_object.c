/* test_amd_object.c: a code object made here byte by byte, and damaged ones; what a clang makes,
 * where one is found. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/code.h"
#include "code/lines.h"
#include "gpu/amd_disassemble.h"
#include "gpu/rtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Made here. ---- */

struct maker {
    unsigned char bytes[4096];
    size_t length;
};

static void put(unsigned char *at, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void add(struct maker *m, const void *bytes, size_t count)
{
    assert_true(count <= sizeof m->bytes - m->length);
    memcpy(m->bytes + m->length, bytes, count);
    m->length += count;
}

static void add_text(struct maker *m, const char *text)
{
    const unsigned char head = (unsigned char)(0xa0 + strlen(text));
    add(m, &head, 1);
    add(m, text, strlen(text));
}

static void add_number(struct maker *m, const char *key, int number)
{
    const unsigned char bytes[3] = {0xcd, (unsigned char)(number >> 8), (unsigned char)number};
    add_text(m, key);
    add(m, bytes, sizeof bytes);
}

/* What a recipe leaves out or changes. */
struct recipe {
    const char *target; /* at most 31 characters from "amdgcn-amd-amdhsa--" on */
    const char *symbol;
    int kernels; /* the count that the list states */
    bool wgp, note, symbols;
};

static const struct recipe good = {"gfx1030", "gemm.kd", 1, true, true, true};

static void metadata(struct maker *m, const struct recipe *r)
{
    char target[64];
    const unsigned char list = (unsigned char)(0x90 + r->kernels);
    snprintf(target, sizeof target, "x--%s", r->target);
    add(m, "\x82", 1);
    add_text(m, "amdhsa.kernels");
    add(m, &list, 1);
    add(m, "\x8c", 1); /* 12 pairs */
    add_text(m, ".args");
    add(m, "\x91\x81\xa5.size\x08", 9);
    add_text(m, ".symbol");
    add_text(m, r->symbol);
    add_number(m, ".vgpr_count", 300);
    add_number(m, ".agpr_count", 44);
    add_number(m, ".sgpr_count", 30);
    add_number(m, ".vgpr_spill_count", 3);
    add_number(m, ".sgpr_spill_count", 2);
    add_number(m, ".wavefront_size", 32);
    add_number(m, ".group_segment_fixed_size", 8192);
    add_number(m, ".private_segment_fixed_size", 48);
    add_number(m, ".kernarg_segment_size", 272);
    add_number(m, ".max_flat_workgroup_size", 256);
    add_text(m, "amdhsa.target");
    add_text(m, target);
}

struct section {
    uint32_t type, link;
    uint64_t address;
    size_t offset, size;
};

static size_t end_of(const struct maker *m, struct section *s)
{
    s->size = m->length - s->offset;
    return m->length;
}

static const char symbol_names[] = "\0gemm\0gemm.kd";

static void add_symbol(struct maker *m, uint32_t name, uint64_t section, uint64_t value,
                       uint64_t size)
{
    unsigned char entry[24] = {0};
    put(entry, name, 4);
    put(entry + 6, section, 2);
    put(entry + 8, value, 8);
    put(entry + 16, size, 8);
    add(m, entry, sizeof entry);
}

static void add_note(struct maker *m, const struct recipe *r)
{
    struct maker content = {.length = 0};
    unsigned char head[12];
    metadata(&content, r);
    put(head, 7, 4);
    put(head + 4, content.length, 4);
    put(head + 8, r->note ? 32 : 33, 4);
    add(m, head, sizeof head);
    add(m, "AMDGPU\0", 8);
    add(m, content.bytes, content.length);
}

enum { NOTE = 1, RODATA, TEXT, DYNSYM, DYNSTR, NAMES, SECTIONS };

/* The sections' names are all "", which is allowed. */
static void make(struct maker *m, const struct recipe *r)
{
    struct section s[SECTIONS] = {[NOTE] = {.type = 7},
                                  [RODATA] = {.type = 1, .address = 0x800},
                                  [TEXT] = {.type = 1, .address = 0x1000},
                                  [DYNSYM] = {.type = r->symbols ? 11 : 1, .link = DYNSTR},
                                  [DYNSTR] = {.type = 3},
                                  [NAMES] = {.type = 3}};
    unsigned char descriptor[64] = {0}, text[32] = {0}, head[64] = {0};
    put(descriptor + 48, r->wgp ? UINT32_C(1) << 29 : 0, 4);
    *m = (struct maker){.length = 64};
    s[NOTE].offset = m->length;
    add_note(m, r);
    s[RODATA].offset = end_of(m, &s[NOTE]);
    add(m, descriptor, sizeof descriptor);
    s[TEXT].offset = end_of(m, &s[RODATA]);
    add(m, text, sizeof text);
    s[DYNSYM].offset = end_of(m, &s[TEXT]);
    add_symbol(m, 0, 0, 0, 0);
    add_symbol(m, 1, TEXT, 0x1008, 24);
    add_symbol(m, 6, RODATA, 0x800, 64);
    s[DYNSTR].offset = end_of(m, &s[DYNSYM]);
    add(m, symbol_names, sizeof symbol_names);
    s[NAMES].offset = end_of(m, &s[DYNSTR]);
    add(m, "", 1);
    end_of(m, &s[NAMES]);
    memcpy(head, "\177ELF\2\1\1\x40", 8);
    put(head + 16, 3, 2);
    put(head + 18, 224, 2);
    put(head + 20, 1, 4);
    put(head + 40, m->length, 8);
    put(head + 52, 64, 2);
    put(head + 58, 64, 2);
    put(head + 60, SECTIONS, 2);
    put(head + 62, NAMES, 2);
    memcpy(m->bytes, head, sizeof head);
    for (int i = 0; i < SECTIONS; i++) {
        unsigned char h[64] = {0};
        put(h + 4, s[i].type, 4);
        put(h + 16, s[i].address, 8);
        put(h + 24, s[i].offset, 8);
        put(h + 32, s[i].size, 8);
        put(h + 40, s[i].link, 4);
        add(m, h, sizeof h);
    }
}

static void what_a_kernel_needs_is_read(void **state)
{
    (void)state;
    struct maker m;
    struct gr_code code;
    struct gradus_error error = {0};
    make(&m, &good);
    if (gr_code_read(m.bytes, m.length, &code, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    assert_true(code.is_amd && code.cc == 0 && code.count == 1);
    assert_string_equal(code.arch, "gfx1030");
    const struct gr_code_kernel *k = gr_code_find(&code, "gemm");
    assert_non_null(k);
    assert_int_equal(k->registers, 300);
    assert_int_equal(k->amd.agprs, 44);
    assert_int_equal(k->amd.sgprs, 30);
    assert_int_equal(k->amd.vgpr_spills, 3);
    assert_int_equal(k->amd.sgpr_spills, 2);
    assert_int_equal(k->amd.wave, 32);
    assert_true(k->amd.wgp);
    assert_int_equal(k->smem_bytes, 8192);
    assert_int_equal(k->stack_bytes, 48);
    assert_int_equal(k->parameter_bytes, 272);
    assert_int_equal(k->max_threads, 256);
    assert_int_equal(k->address, 0x1008);
    assert_int_equal(k->text_bytes, 24);
    gr_code_free(&code);
}

/* The bit of the mode means something else before gfx10. */
static void the_mode_is_of_gfx10_and_later(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        bool set, wgp;
    } rows[] = {{"gfx1100", true, true},
                {"gfx1100", false, false},
                {"gfx90a:xnack-", true, false},
                {"gfx942", true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recipe recipe = good;
        struct maker m;
        struct gr_code code;
        recipe.target = rows[i].target;
        recipe.wgp = rows[i].set;
        make(&m, &recipe);
        assert_int_equal(gr_code_read(m.bytes, m.length, &code, NULL), GRADUS_OK);
        assert_int_equal(code.kernels[0].amd.wgp, rows[i].wgp);
        assert_int_equal(strncmp(code.arch, rows[i].target, strlen(code.arch)), 0);
        assert_null(strchr(code.arch, ':'));
        gr_code_free(&code);
    }
}

static void expect_refused(const struct recipe *recipe, const char *wanted)
{
    struct maker m;
    struct gr_code code;
    struct gradus_error error = {0};
    make(&m, recipe);
    assert_int_equal(gr_code_read(m.bytes, m.length, &code, &error), GRADUS_INVALID);
    if (!strstr(error.text, wanted))
        fail_msg("found '%s', wanted '%s'", error.text, wanted);
    assert_null(strchr(error.text, '\n'));
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    struct recipe recipe = good;
    recipe.note = false;
    expect_refused(&recipe, "no metadata of version 3 or later");
    recipe = good;
    recipe.symbols = false;
    expect_refused(&recipe, "no symbols");
    recipe = good;
    recipe.symbol = "gemm";
    expect_refused(&recipe, "a kernel without a name");
    recipe.symbol = "other.kd";
    expect_refused(&recipe, "a kernel without instructions");
    recipe = good;
    recipe.kernels = 2;
    expect_refused(&recipe, "damaged");
}

/* Any byte may have any value: refused in one line, or kernels inside the bytes. */
static void damaged_ones(void **state)
{
    (void)state;
    struct maker whole;
    make(&whole, &good);
    for (size_t at = 0; at < whole.length; at++)
        for (int value = 0; value < 256; value += 51) {
            struct maker m = whole;
            struct gr_code code;
            struct gradus_error error = {0};
            m.bytes[at] = (unsigned char)value;
            if (gr_code_read(m.bytes, m.length, &code, &error) != GRADUS_OK) {
                assert_true(*error.text && !strchr(error.text, '\n'));
                gradus_error_clear(&error);
                continue;
            }
            for (int i = 0; i < code.count; i++)
                assert_true(code.kernels[i].text >= m.bytes &&
                            code.kernels[i].text + code.kernels[i].text_bytes <=
                                m.bytes + m.length);
            gr_code_free(&code);
        }
    for (size_t cut = 0; cut < whole.length; cut++) {
        struct gr_code code;
        unsigned char *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, whole.bytes, cut);
        assert_int_equal(gr_code_read(part, cut, &code, NULL), GRADUS_INVALID);
        free(part);
    }
}

/* ---- Made by a clang. ---- */

static const char source[] =
    "template <class T, int N> __global__ void __launch_bounds__(N)\n"
    "gemm(int n, const T *a, T *c)\n"
    "{\n"
    "    __shared__ __align__(16) T tile[4 * N];\n"
    "    T sum = 0;\n"
    "#pragma unroll 1\n"
    "    for (int k = 0; k < n; k++) {\n"
    "        tile[threadIdx.x] = a[k * N + threadIdx.x];\n"
    "        __syncthreads();\n"
    "        float4 v = *(float4 *)&tile[4 * (threadIdx.x ^ 1)];\n"
    "        sum = fmaf(v.x, v.y, fmaf(v.z, v.w, sum));\n"
    "        __syncthreads();\n"
    "    }\n"
    "    c[threadIdx.x] = sum;\n"
    "}\n"
    "#include \"given.h\"\n"
    "#include <deep/er.h>\n"
    "#include <as/given.h>\n"
    "extern \"C\" __global__ void plain(int *c) { c[blockIdx.x] = GIVEN + DEEP + warpSize; }\n";

static const char *const names[] = {"gemm<float, 64>", "plain", "gemm<float, 256>"};
static const char *const headers[] = {"given.h", "deep/er.h", "as/given.h"};
static const char *const texts[] = {"#define GIVEN 7\n", "#define DEEP 3\n", "#define GIVEN 7\n"};
static const char *const options[] = {"-gline-tables-only", "-std=c++17"};

static struct gr_rtc_source wanted(const char *arch)
{
    return (struct gr_rtc_source){.text = source,
                                  .name = "dir/my.hip",
                                  .header_names = headers,
                                  .header_texts = texts,
                                  .header_count = 3,
                                  .options = options,
                                  .option_count = 2,
                                  .arch = arch,
                                  .names = names,
                                  .name_count = 3};
}

/* The loop of gemm is in lines 7 to 13. */
static void check_widths(const struct gr_code *code, const struct gr_code_kernel *k,
                         const struct gr_rtc_code *made)
{
    struct gr_instruction *list;
    struct gr_line_table table;
    int64_t count;
    assert_int_equal(gr_line_table_read(made->image, made->length, &table, NULL), GRADUS_OK);
    assert_true(gr_line_table_file(&table, "dir/my.hip") >= 0);
    assert_int_equal(gr_instructions_read(code, k, &list, &count, NULL), GRADUS_OK);
    bool found = false;
    for (int64_t i = 0; i < count; i++) {
        const struct gr_line_row *row =
            gr_line_table_find(&table, k->section, k->address + (uint64_t)list[i].offset);
        if (list[i].op == GR_OP_LDS) {
            assert_int_equal(list[i].access.bytes, 16);
            assert_non_null(row);
            assert_int_equal(row->line, 10);
            found = true;
        }
    }
    assert_true(found);
    free(list);
    gr_line_table_free(&table);
}

static void check_arch(const char *arch, int wave)
{
    const struct gr_rtc_source s = wanted(arch);
    struct gr_rtc_code made = {0};
    struct gr_code code;
    struct gr_mix whole, loop;
    struct gradus_error error = {0};
    if (gr_rtc_clang.compile(&s, &made, &error) != GRADUS_OK ||
        gr_code_read(made.image, made.length, &code, &error) != GRADUS_OK)
        fail_msg("%s: %s\n%s", arch, error.text, error.log ? error.log : "");
    assert_string_equal(code.arch, arch);
    assert_int_equal(code.count, 3);
    assert_int_equal(made.name_count, 3);
    assert_string_equal(made.lowered[1], "plain");
    const struct gr_code_kernel *small = gr_code_find(&code, made.lowered[0]);
    const struct gr_code_kernel *large = gr_code_find(&code, made.lowered[2]);
    assert_true(small && large && small != large);
    assert_int_equal(small->smem_bytes, 4 * 4 * 64);
    assert_int_equal(large->smem_bytes, 4 * 4 * 256);
    assert_int_equal(small->max_threads, 64);
    assert_int_equal(large->max_threads, 256);
    assert_int_equal(large->stack_bytes, 0);
    assert_int_equal(large->amd.wave, wave);
    assert_int_equal(large->amd.wgp, wave == 32);
    assert_in_range(large->registers, 6, 40);
    assert_in_range(large->amd.sgprs, 6, 40);
    const enum gradus_status status = gr_amd_disassemble(made.image, made.length, &code, &error);
    if (status == GRADUS_OK) {
        assert_int_equal(gr_code_mix(&code, large, &whole, &loop, NULL), GRADUS_OK);
        assert_int_equal(whole.unknown, 0);
        assert_int_equal(loop.flops, 4);
        assert_int_equal(loop.width[GR_OP_LDG][2], 1);
        assert_int_equal(loop.width[GR_OP_STS][2], 1);
        assert_int_equal(loop.width[GR_OP_LDS][4], 1);
        check_widths(&code, large, &made);
    } else {
        assert_int_equal(status, GRADUS_UNSUPPORTED);
        gradus_error_clear(&error);
    }
    gr_code_free(&code);
    gr_rtc_code_free(&made);
}

static bool knows(const struct gr_rtc_about *about, int arch)
{
    for (int i = 0; i < about->arch_count; i++)
        if (about->archs[i] == arch)
            return true;
    return false;
}

static void what_a_clang_makes(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        int number, wave;
    } rows[] = {{"gfx908", 0x908, 64},  {"gfx90a", 0x90a, 64},   {"gfx942", 0x942, 64},
                {"gfx950", 0x950, 64},  {"gfx1030", 0x1030, 32}, {"gfx1100", 0x1100, 32},
                {"gfx1201", 0x1201, 32}};
    struct gr_rtc_about about;
    if (gr_rtc_clang.find(&about, NULL) != GRADUS_OK)
        skip();
    assert_true(knows(&about, 0x90a));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (knows(&about, rows[i].number))
            check_arch(rows[i].arch, rows[i].wave);
}

static void what_a_clang_refuses(void **state)
{
    (void)state;
    struct gr_rtc_about about;
    struct gr_rtc_code made;
    struct gradus_error error = {0};
    if (gr_rtc_clang.find(&about, NULL) != GRADUS_OK)
        skip();
    struct gr_rtc_source s = wanted("gfx9999");
    assert_int_equal(gr_rtc_clang.compile(&s, &made, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "does not know gfx9999"));
    gradus_error_clear(&error);
    s = wanted("gfx90a");
    s.text = "__global__ void gemm(int *c)\n{\n    c[0] = nobody;\n}\n";
    s.name_count = 0;
    assert_int_equal(gr_rtc_clang.compile(&s, &made, &error), GRADUS_COMPILE);
    assert_non_null(error.log);
    assert_non_null(strstr(error.log, "dir/my.hip:3:"));
    gradus_error_clear(&error);
    /* Without the device libraries the linker names what is missing. */
    s.text = "__global__ void gemm(float *c)\n{\n    c[0] = erff(c[1]);\n}\n";
    assert_int_equal(gr_rtc_clang.compile(&s, &made, &error), GRADUS_COMPILE);
    assert_non_null(error.log);
    assert_non_null(strstr(error.log, "erff"));
    gradus_error_clear(&error);
}

/* Options that choose a mode hold for the assembler, too. */
static void modes_of_the_code(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        int wave;
        bool wgp;
    } rows[] = {{"-mwavefrontsize64", 64, true}, {"-mcumode", 32, false}, {"-O2", 32, true}};
    struct gr_rtc_about about;
    if (gr_rtc_clang.find(&about, NULL) != GRADUS_OK)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gr_rtc_source s = wanted("gfx1030");
        struct gr_rtc_code made;
        struct gr_code code;
        struct gradus_error error = {0};
        s.options = &rows[i].option;
        s.option_count = 1;
        if (gr_rtc_clang.compile(&s, &made, &error) != GRADUS_OK)
            fail_msg("%s: %s\n%.2000s", rows[i].option, error.text, error.log ? error.log : "");
        assert_int_equal(gr_code_read(made.image, made.length, &code, NULL), GRADUS_OK);
        assert_int_equal(code.kernels[0].amd.wave, rows[i].wave);
        assert_int_equal(code.kernels[0].amd.wgp, rows[i].wgp);
        gr_code_free(&code);
        gr_rtc_code_free(&made);
    }
}

static void assembly_is_text(void **state)
{
    (void)state;
    struct gr_rtc_about about;
    const struct gr_rtc_source s = wanted("gfx90a");
    char *text = NULL;
    if (gr_rtc_clang.find(&about, NULL) != GRADUS_OK)
        skip();
    assert_int_equal(gr_rtc_clang.assembly(&s, &text, NULL), GRADUS_OK);
    assert_non_null(strstr(text, ".amdhsa_kernel plain"));
    assert_non_null(strstr(text, "ds_read_b128"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_kernel_needs_is_read),
        cmocka_unit_test(the_mode_is_of_gfx10_and_later),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(damaged_ones),
        cmocka_unit_test(what_a_clang_makes),
        cmocka_unit_test(what_a_clang_refuses),
        cmocka_unit_test(modes_of_the_code),
        cmocka_unit_test(assembly_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
