/* test_widths.c: the widths of accesses by line: of the cubins in data/ (their source is in
 * test_lines.c), of atomic instructions, of the ladder's own kernels where there is an NVRTC, and
 * what follows for an access of the source. SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/gpu_compile.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "code/sass.h"
#include "code/widths.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cubin with what was read of it. */
struct looked {
    struct gr_line_table lines;
    struct gr_code code;
    struct gr_width_list list; /* of one kernel */
};

static void look(const void *image, size_t length, const char *kernel, struct looked *l)
{
    struct gradus_error error = {0};
    if (gr_line_table_read(image, length, &l->lines, &error) != GRADUS_OK ||
        gr_code_read(image, length, &l->code, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    const struct gr_code_kernel *k = kernel ? gr_code_find(&l->code, kernel) : l->code.kernels;
    assert_non_null(k);
    if (gr_widths_read(&l->code, k, &l->lines, &l->list, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

static void forget(struct looked *l)
{
    gr_widths_free(&l->list);
    gr_code_free(&l->code);
    gr_line_table_free(&l->lines);
}

static void look_at_data(const char *name, const char *kernel, struct looked *l, char **image)
{
    char *path = gr_printf("%s/tests/unit/data/%s", GRADUS_SOURCE_DIR, name);
    size_t length;
    struct gradus_error error = {0};
    if (gr_file_read(path, image, &length, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    look(*image, length, kernel, l);
    free(path);
}

static void sites_of_cubins(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        struct gr_width_site sites[9];
    } wanted[] = {
        {"lines_sm75.cubin",
         {{0, 3, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 4, 4, 0x160},
          {0, 10, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 4, 3, 0x40},
          {0, 10, GR_SPACE_SHARED, GR_ACCESS_STORE, 4, 4, 0xd0},
          {0, 11, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 4, 3, 0x60},
          {0, 11, GR_SPACE_SHARED, GR_ACCESS_STORE, 4, 4, 0xe0},
          {0, 13, GR_SPACE_SHARED, GR_ACCESS_LOAD, 4, 1, 0x1e0}, /* the table puts it there */
          {0, 17, GR_SPACE_SHARED, GR_ACCESS_LOAD, 4, 3, 0x190},
          {0, 17, GR_SPACE_SHARED, GR_ACCESS_LOAD, 16, 4, 0x1f0},
          {0, 19, GR_SPACE_GLOBAL, GR_ACCESS_STORE, 4, 4, 0x280}}},
        {"lines_sm90.cubin",
         {{0, 3, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 4, 4, 0x1e0},
          {0, 10, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 4, 3, 0x50},
          {0, 10, GR_SPACE_SHARED, GR_ACCESS_STORE, 4, 4, 0x130},
          {0, 11, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 4, 3, 0x70},
          {0, 11, GR_SPACE_SHARED, GR_ACCESS_STORE, 4, 4, 0x140},
          {0, 13, GR_SPACE_SHARED, GR_ACCESS_LOAD, 4, 1, 0x230},
          {0, 17, GR_SPACE_SHARED, GR_ACCESS_LOAD, 4, 3, 0x200},
          {0, 17, GR_SPACE_SHARED, GR_ACCESS_LOAD, 16, 4, 0x240},
          {0, 19, GR_SPACE_GLOBAL, GR_ACCESS_STORE, 4, 4, 0x2f0}}}};
    for (int w = 0; w < 2; w++) {
        struct looked l = {0};
        char *image;
        look_at_data(wanted[w].data, "gemm", &l, &image);
        assert_int_equal(l.list.site_count, 9);
        for (int i = 0; i < 9; i++) {
            const struct gr_width_site *s = &l.list.sites[i], *x = &wanted[w].sites[i];
            if (s->file != x->file || s->line != x->line || s->space != x->space ||
                s->access != x->access || s->bytes != x->bytes || s->count != x->count ||
                s->first != x->first)
                fail_msg("%s, site %d: line %d, %s %s, %d bytes, %d times from 0x%x",
                         wanted[w].data, i, s->line, gr_space_name(s->space),
                         gr_access_name(s->access), s->bytes, s->count, (unsigned)s->first);
        }
        assert_int_equal(l.list.access_count, 30);
        for (int64_t i = 1; i < l.list.access_count; i++)
            assert_true(l.list.accesses[i - 1].offset < l.list.accesses[i].offset);
        forget(&l);
        free(image);
    }
}

static void called_from(void **state)
{
    (void)state;
    struct looked l = {0};
    char *image;
    look_at_data("lines_sm90.cubin", "gemm", &l, &image);
    int inlined = 0;
    for (int64_t i = 0; i < l.list.access_count; i++) {
        const struct gr_width_access *a = &l.list.accesses[i];
        assert_int_equal(a->call_line, a->line == 3 ? 19 : 0);
        assert_int_equal(a->call_file, a->line == 3 ? 0 : -1);
        inlined += a->line == 3;
    }
    assert_int_equal(inlined, 4);
    forget(&l);
    free(image);
    look_at_data("lines_sm90.cubin", "add", &l, &image);
    assert_int_equal(l.list.site_count, 3);
    assert_int_equal(l.list.sites[0].bytes, 8);
    assert_int_equal(l.list.sites[2].line, 25);
    assert_int_equal(l.list.sites[2].access, GR_ACCESS_ATOMIC);
    forget(&l);
    free(image);
}

/* Instructions whose words NVIDIA's disassembler confirmed; of an atomic's words only opcode and
 * type matter. */
static const struct {
    const char *name;
    int cc;
    uint64_t low, high;
    enum gr_space space;
    enum gr_access access;
    int bytes; /* 0: is not listed */
} instructions[] = {
    {"RED.ADD", 75, 0x18e, 0, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 4},
    {"RED.ADD.64", 75, 0x18e, 2 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 8},
    {"RED.ADD.F32", 75, 0x18e, 3 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 4},
    {"REDG.MAX.S64", 90, 0x18e, 3 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 8},
    {"ATOMG.MIN.S64", 75, 0x1a8, 5 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 8},
    {"ATOMG.ADD.F64", 75, 0x1a8, 6 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 8},
    {"ATOM.ADD.F16x2", 75, 0x18a, 4 << 9, GR_SPACE_OTHER, GR_ACCESS_ATOMIC, 4},
    {"REDG.ADD.F32", 90, 0x1a6, 1 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 4},
    {"REDG.ADD.F64", 120, 0x1a6, 7 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 8},
    {"REDG.ADD.F32x4", 90, 0x1a6, 3 << 9, GR_SPACE_GLOBAL, GR_ACCESS_ATOMIC, 16},
    {"ATOMS.CAS.64", 90, 0x18d, 2 << 9, GR_SPACE_SHARED, GR_ACCESS_ATOMIC, 8},
    {"ATOMS.ADD", 120, 0x18c, 0, GR_SPACE_SHARED, GR_ACCESS_ATOMIC, 4},
    {"LDG.256", 100, 0xfe0000040208797e, 0x4ea2000812190c, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 32},
    {"LDG.U8", 75, 0x4ff367981, 0xf28000c1ee100, GR_SPACE_GLOBAL, GR_ACCESS_LOAD, 1},
    {"LDS.128", 90, 0x31187984, 0xfe80000000c00, GR_SPACE_SHARED, GR_ACCESS_LOAD, 16},
    {"STS.64", 75, 0xffff008388, 0xfe80000000a00, GR_SPACE_SHARED, GR_ACCESS_STORE, 8},
    {"LD", 75, 0x7980, 4 << 9, GR_SPACE_OTHER, GR_ACCESS_LOAD, 4},
    {"LDGSTS.128", 80, 0x1002097fae, 0xfe8000b901d44, GR_SPACE_GLOBAL, GR_ACCESS_COPY, 16},
    {"LDGSTS.64", 100, 0x2097fae, 0x10fe8000b9a1406, GR_SPACE_GLOBAL, GR_ACCESS_COPY, 8},
    {"@!PT LDS", 90, 0x3118f984, 0xfe80000000c00, GR_SPACE_SHARED, GR_ACCESS_LOAD, 0},
    {"LDL", 75, 0x100000b067983, 0xea20000100a00, GR_SPACE_OTHER, GR_ACCESS_LOAD, 0},
    {"FFMA", 75, 0x300047223, 0xfc800000000ff, GR_SPACE_OTHER, GR_ACCESS_LOAD, 0},
};

static void spaces_and_widths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        unsigned char text[GR_SASS_BYTES];
        for (int b = 0; b < 8; b++) {
            text[b] = (unsigned char)(instructions[i].low >> 8 * b);
            text[8 + b] = (unsigned char)(instructions[i].high >> 8 * b);
        }
        char symbol[] = "gemm";
        const struct gr_code_kernel kernel = {
            .symbol = symbol, .section = 1, .text = text, .text_bytes = sizeof text};
        const struct gr_code code = {.cc = instructions[i].cc};
        const struct gr_line_table none = {0};
        struct gr_width_list list;
        assert_int_equal(gr_widths_read(&code, &kernel, &none, &list, NULL), GRADUS_OK);
        const struct gr_width_access *a = list.accesses;
        if (list.access_count != (instructions[i].bytes > 0) ||
            (list.access_count &&
             (a->space != instructions[i].space || a->access != instructions[i].access ||
              a->bytes != instructions[i].bytes || a->line != 0 || a->file != -1)))
            fail_msg("%s: %d, %s %s of %d bytes", instructions[i].name, (int)list.access_count,
                     gr_space_name(a->space), gr_access_name(a->access), a->bytes);
        gr_widths_free(&list);
    }
}

static void older_code_is_refused(void **state)
{
    (void)state;
    char symbol[] = "gemm";
    const struct gr_code_kernel kernel = {.symbol = symbol};
    const struct gr_code code = {.cc = 61};
    const struct gr_line_table none = {0};
    struct gr_width_list list;
    struct gradus_error error = {0};
    assert_int_equal(gr_widths_read(&code, &kernel, &none, &list, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "sm_61"));
    assert_null(list.accesses);
}

/* --- the ladder's kernels, compiled for sm_90 --- */

/* The line of a kernel's file that has the text, from 1. */
static int line_of(const char *source, const char *text)
{
    const char *at = strstr(source, text);
    int line = 1;
    if (!at)
        fail_msg("no line with '%s'", text);
    for (const char *p = source; p < at; p++)
        line += *p == '\n';
    return line;
}

/* The loads from shared memory of a line: the widths that the machine code has there, ascending;
 * 0: no more. */
static const struct {
    const char *file, *text;
    int widths[2];
} loads[] = {
    {"04_shared_1d.cu", "sum += As[", {4, 16}}, /* As along k is merged, Bs is not */
    {"06_tile1d.cu", "const T b = Bs[k][j];", {4}},
    {"06_tile1d.cu", "sum[m] += As[i + m][k]", {16}},
    {"07_tile2d.cu", "a[m] = As[i + m][k];", {16}},
    {"07_tile2d.cu", "b[n] = Bs[k][j + n];", {16}},
    {"08_vectorized.cu", "&As[k][i + m * V]", {16}},
    {"08_vectorized.cu", "&Bs[k][j + n * V]", {16}},
    {"09_conflict_free.cu", "&As[k][i + m * DOWN]", {16}},
    {"09_conflict_free.cu", "&Bs[k][j + n * ACROSS]", {16}},
    {"10_warp_tile.cu", "&As[k][i + m * DOWN]", {16}},
    {"10_warp_tile.cu", "&Bs[k][j + n * ACROSS]", {16}},
};

static bool compile_rung(const char *file, struct gr_kernel **kernel, char **source,
                         struct gr_rtc_code *cubin)
{
    char *path = gr_printf("%s/kernels/gpu/%s", GRADUS_SOURCE_DIR, file), notes[256];
    struct gradus_error error = {0};
    struct gr_variant variant;
    size_t length;
    const struct gr_build build = {.no_cache = true};
    const struct gr_gpu_target target = {"sm_90", "sm_90", 90};
    assert_int_equal(gr_file_read(path, source, &length, &error), GRADUS_OK);
    assert_int_equal(gr_kernel_parse(path, *source, "", kernel, &error), GRADUS_OK);
    assert_int_equal(gr_variant_make(*kernel, (*kernel)->types[0], false, false, &variant, &error),
                     GRADUS_OK);
    enum gradus_status status =
        gr_gpu_compile(&variant, &build, &target, cubin, notes, sizeof notes, &error);
    if (status != GRADUS_OK && status != GRADUS_UNSUPPORTED)
        fail_msg("%s", error.text);
    if (status != GRADUS_OK)
        printf("%s\n", error.text);
    free(path);
    gradus_error_clear(&error);
    return status == GRADUS_OK;
}

static void check_load(size_t i, const struct gr_kernel *kernel, const char *source,
                       const struct looked *l)
{
    const int file = gr_line_table_file(&l->lines, kernel->path);
    const int line = line_of(source, loads[i].text);
    int widths[2] = {0}, count = 0;
    for (int k = 0; k < l->list.site_count; k++) {
        const struct gr_width_site *s = &l->list.sites[k];
        if (s->file != file || s->line != line || s->space != GR_SPACE_SHARED ||
            s->access != GR_ACCESS_LOAD)
            continue;
        if (count < 2)
            widths[count] = s->bytes;
        count++;
    }
    if (count > 2 || memcmp(widths, loads[i].widths, sizeof widths) != 0)
        fail_msg("%s, line %d: %d widths: %d, %d bytes", loads[i].file, line, count, widths[0],
                 widths[1]);
}

static void loads_of_the_ladder(void **state)
{
    (void)state;
    const size_t count = sizeof loads / sizeof *loads;
    for (size_t i = 0; i < count;) {
        struct gr_kernel *kernel;
        struct gr_rtc_code cubin = {0};
        struct looked l = {0};
        char *source;
        const char *file = loads[i].file;
        bool compiled = compile_rung(file, &kernel, &source, &cubin);
        if (compiled)
            look(cubin.image, cubin.length, NULL, &l);
        for (; compiled && i < count && strcmp(loads[i].file, file) == 0; i++)
            check_load(i, kernel, source, &l);
        forget(&l);
        gr_rtc_code_free(&cubin);
        gr_kernel_free(kernel);
        free(source);
        if (!compiled)
            skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_of_cubins),     cmocka_unit_test(called_from),
        cmocka_unit_test(spaces_and_widths),   cmocka_unit_test(older_code_is_refused),
        cmocka_unit_test(loads_of_the_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
