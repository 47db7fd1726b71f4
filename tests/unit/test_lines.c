/* test_lines.c: line tables of cubins (data/lines_*.cubin: NVRTC's, with nothing left but code,
 * symbols and lines), of what the host's compiler writes in each version of DWARF, and of damaged
 * files. SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "code/cubin.h"
#include "code/elf.h"
#include "code/lines.h"
#include "gpu/rtc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The source of data/lines_*.cubin. */
static const char source[] = "#line 1 \"/kernels/lines.cu\"\n"
                             "__device__ float pick(const float *p, int i)\n" /* 1 */
                             "{\n"
                             "    return p[i];\n" /* 3 */
                             "}\n"
                             "\n"
                             "extern \"C\" __global__ void gemm(const float *a, float *c)\n" /* 6 */
                             "{\n"
                             "    __shared__ float As[4][32], Bs[4][32];\n"
                             "    for (int i = 0; i < 4; i++) {\n"
                             "        As[i][threadIdx.x] = a[i * 32 + threadIdx.x];\n" /* 10 */
                             "        Bs[i][threadIdx.x] = a[i * 64 + threadIdx.x];\n"
                             "    }\n"
                             "    __syncthreads();\n"
                             "    float s[4] = {0, 0, 0, 0};\n"
                             "    for (int i = 0; i < 4; i++)\n"
                             "        for (int j = 0; j < 4; j++)\n"
                             "            s[j] += As[i][4 * (threadIdx.x / 8) + j] * "
                             "Bs[i][threadIdx.x];\n" /* 17 */
                             "    for (int j = 0; j < 4; j++)\n"
                             "        c[j * 32 + threadIdx.x] = s[j] + pick(a, threadIdx.x + j);\n"
                             "}\n" /* 20 */
                             "\n"
                             "extern \"C\" __global__ void add(double *c, int *n)\n"
                             "{\n"
                             "    c[threadIdx.x] += 1;\n"
                             "    atomicAdd(n, 2);\n"
                             "}\n";

static char *read_data(const char *name, size_t *length)
{
    char *path = gr_printf("%s/tests/unit/data/%s", GRADUS_SOURCE_DIR, name), *bytes = NULL;
    struct gradus_error error = {0};
    if (gr_file_read(path, &bytes, length, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(path);
    return bytes;
}

static void read_or_fail(const void *image, size_t length, struct gr_line_table *lines)
{
    struct gradus_error error = {0};
    if (gr_line_table_read(image, length, lines, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

/* What NVIDIA's disassembler prints of the two files. */
static const struct {
    const char *data, *kernel;
    int offset, line, call_line;
} facts[] = {
    {"lines_sm75.cubin", "add", 0x0, 22, 0},    {"lines_sm75.cubin", "add", 0x40, 24, 0},
    {"lines_sm75.cubin", "add", 0xd0, 24, 0},   {"lines_sm75.cubin", "add", 0xef, 25, 0},
    {"lines_sm75.cubin", "gemm", 0x0, 6, 0},    {"lines_sm75.cubin", "gemm", 0x60, 11, 0},
    {"lines_sm75.cubin", "gemm", 0x80, 10, 0},  {"lines_sm75.cubin", "gemm", 0xc0, 3, 19},
    {"lines_sm75.cubin", "gemm", 0x160, 3, 19}, {"lines_sm75.cubin", "gemm", 0x190, 17, 0},
    {"lines_sm75.cubin", "gemm", 0x220, 17, 0}, {"lines_sm75.cubin", "gemm", 0x280, 19, 0},
    {"lines_sm75.cubin", "gemm", 0x3d0, 19, 0}, {"lines_sm90.cubin", "add", 0xe0, 24, 0},
    {"lines_sm90.cubin", "gemm", 0x120, 11, 0}, {"lines_sm90.cubin", "gemm", 0x130, 10, 0},
    {"lines_sm90.cubin", "gemm", 0x1e0, 3, 19}, {"lines_sm90.cubin", "gemm", 0x240, 17, 0},
    {"lines_sm90.cubin", "gemm", 0x3e0, 3, 19}, {"lines_sm90.cubin", "gemm", 0x440, 19, 0},
};

static void lines_of_cubins(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        size_t length;
        char *image = read_data(facts[i].data, &length);
        struct gr_line_table lines;
        struct gr_code code;
        read_or_fail(image, length, &lines);
        assert_int_equal(gr_code_read(image, length, &code, NULL), GRADUS_OK);
        assert_int_equal(lines.file_count, 1);
        assert_string_equal(lines.files[0], "/kernels/lines.cu");
        const struct gr_code_kernel *k = gr_code_find(&code, facts[i].kernel);
        assert_non_null(k);
        const struct gr_line_row *row =
            gr_line_table_find(&lines, k->section, (uint64_t)facts[i].offset);
        assert_non_null(row);
        if (row->line != facts[i].line || row->call_line != facts[i].call_line)
            fail_msg("%s %s 0x%x: line %d called from %d, wanted %d and %d", facts[i].data,
                     facts[i].kernel, (unsigned)facts[i].offset, row->line, row->call_line,
                     facts[i].line, facts[i].call_line);
        assert_int_equal(row->file, 0);
        assert_int_equal(row->call_file, facts[i].call_line ? 0 : -1);
        assert_null(gr_line_table_find(&lines, k->section, k->text_bytes));
        assert_non_null(gr_line_table_find(&lines, k->section, k->text_bytes - 1));
        assert_null(gr_line_table_find(&lines, 0, (uint64_t)facts[i].offset));
        assert_null(gr_line_table_find(&lines, code.kernels[1].section + 1, 0));
        gr_code_free(&code);
        gr_line_table_free(&lines);
        free(image);
    }
}

static void files_by_the_kernels_path(void **state)
{
    (void)state;
    char *files[] = {"/home/u/kernels/gemm.cu", "kernels/gemm.cu", "/home/u/my_gemm.cu",
                     "/usr/include/x.h"};
    struct gr_line_table lines = {.files = files, .file_count = 4};
    assert_int_equal(gr_line_table_file(&lines, "kernels/gemm.cu"), 1);
    assert_int_equal(gr_line_table_file(&lines, "./kernels/gemm.cu"), 1);
    assert_int_equal(gr_line_table_file(&lines, "gemm.cu"), 0);
    assert_int_equal(gr_line_table_file(&lines, "/usr/include/x.h"), 3);
    assert_int_equal(gr_line_table_file(&lines, "include/x.hpp"), -1);
    assert_int_equal(gr_line_table_file(&lines, "y/home/u/my_gemm.cu"), -1);
}

/* --- what NVRTC writes here --- */

static void lines_of_nvrtc(void **state)
{
    (void)state;
    struct gr_rtc_about about;
    struct gradus_error error = {0};
    if (gr_rtc_nvrtc.find(&about, &error) != GRADUS_OK) {
        printf("%s\n", error.text);
        skip();
    }
    for (int i = 0; i < about.arch_count; i++) {
        char arch[16];
        snprintf(arch, sizeof arch, "sm_%d", about.archs[i]);
        const char *const options[] = {"-lineinfo"};
        struct gr_rtc_source wanted = {.text = source,
                                       .name = "lines.cu",
                                       .arch = arch,
                                       .options = options,
                                       .option_count = 1};
        struct gr_rtc_code with = {0}, without = {0};
        struct gr_line_table lines, none;
        struct gr_code code, plain;
        assert_int_equal(gr_rtc_nvrtc.compile(&wanted, &with, &error), GRADUS_OK);
        wanted.option_count = 0;
        assert_int_equal(gr_rtc_nvrtc.compile(&wanted, &without, &error), GRADUS_OK);
        read_or_fail(with.image, with.length, &lines);
        read_or_fail(without.image, without.length, &none);
        assert_int_equal(none.count, 0);
        assert_int_equal(gr_code_read(with.image, with.length, &code, &error), GRADUS_OK);
        assert_int_equal(gr_code_read(without.image, without.length, &plain, &error), GRADUS_OK);
        assert_int_equal(gr_line_table_file(&lines, "/kernels/lines.cu"), 0);
        const struct gr_code_kernel *k = gr_code_find(&code, "gemm"),
                                    *same = gr_code_find(&plain, "gemm");
        bool seen[32] = {false};
        assert_true(k && same && k->text_bytes == same->text_bytes);
        assert_memory_equal(k->text, same->text, k->text_bytes);
        for (size_t at = 0; at < k->text_bytes; at += 16) {
            const struct gr_line_row *row = gr_line_table_find(&lines, k->section, at);
            assert_non_null(row);
            assert_in_range(row->line, 1, 20);
            assert_true(row->line != 3 || row->call_line == 19);
            seen[row->line] = true;
        }
        assert_true(seen[3] && seen[10] && seen[11] && seen[17] && seen[19]);
        gr_code_free(&code);
        gr_code_free(&plain);
        gr_line_table_free(&lines);
        gr_line_table_free(&none);
        gr_rtc_code_free(&with);
        gr_rtc_code_free(&without);
    }
}

/* --- what the host's compiler writes --- */

static const char host_source[] = "#include \"part.h\"\n"
                                  "template <class T> T twice(T x)\n"
                                  "{\n"
                                  "    return part(x) + x;\n"
                                  "}\n"
                                  "inline int often(int x) { return x * 3; }\n"
                                  "#line 57 \"kernels/gpu/gemm.cu\"\n"
                                  "extern \"C\" float gemm(const float *a, int n)\n"
                                  "{\n"
                                  "    float sum = 0;\n"
                                  "    for (int i = 0; i < n; i++)\n"
                                  "        sum += twice(a[i]) * often(i);\n"
                                  "    return sum;\n"
                                  "}\n"
                                  "int (*address)(int) = often;\n"
                                  "double (*other)(double) = twice<double>;\n";
static const char host_part[] = "template <class T> T part(T x)\n"
                                "{\n"
                                "    T y = x;\n"
                                "    for (int i = 0; i < 3; i++)\n"
                                "        y = y * x + i;\n"
                                "    return y;\n"
                                "}\n";

static bool system_can(const char *command)
{
    return system(command) == 0; /* NOLINT: names of programs only */
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char *path = gr_printf("%s/%s", folder, name);
    struct gradus_error error = {0};
    if (gr_file_write(path, text, strlen(text), &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(path);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The first byte of a row, and the second where it has one. */
static bool covers(const struct gr_line_row *row, int by)
{
    return !row->end && (by == 0 || row[1].address > row->address + 1);
}

/* Every row of the object is what addr2line says of its first two bytes; some of its versions give
 * files of version 5 another name. */
static int compare(const char *folder, int version, const struct gr_line_table *lines)
{
    char *list = gr_printf("%s/list", folder);
    char *command =
        gr_printf("addr2line -e %s/host.so < %s/list > %s/said", folder, folder, folder);
    char *said = gr_printf("%s/said", folder), text[4096];
    FILE *out = fopen(list, "w");
    int compared = 0;
    assert_non_null(out);
    for (int64_t i = 0; i < lines->count; i++)
        for (int by = 0; by < 2; by++)
            if (covers(&lines->rows[i], by))
                fprintf(out, "0x%llx\n", (unsigned long long)lines->rows[i].address + by);
    fclose(out);
    assert_true(system_can(command));
    FILE *in = fopen(said, "r");
    assert_non_null(in);
    for (int64_t i = 0; i < lines->count; i++)
        for (int by = 0; by < 2 && covers(&lines->rows[i], by); by++, compared++) {
            const struct gr_line_row *row =
                gr_line_table_find(lines, 0, lines->rows[i].address + (uint64_t)by);
            assert_non_null(row);
            assert_non_null(fgets(text, sizeof text, in));
            char *colon = strchr(text, ':');
            assert_non_null(colon);
            *colon = 0;
            if (atoi(colon + 1) != row->line ||
                (version < 5 && strcmp(base_of(text), base_of(lines->files[row->file])) != 0))
                fail_msg("0x%llx: %s:%d, addr2line says %s:%s",
                         (unsigned long long)lines->rows[i].address + (unsigned)by,
                         lines->files[row->file], row->line, text, colon + 1);
        }
    fclose(in);
    free(list);
    free(command);
    free(said);
    return compared;
}

static void check_version(const char *folder, int version)
{
    struct gr_line_table lines;
    struct gradus_error error = {0};
    char *image = NULL;
    size_t length;
    char *command = gr_printf("cd %s && c++ -O2 -gdwarf-%d -gno-strict-dwarf -fno-inline -fPIC "
                              "-shared -o host.so host.cpp",
                              folder, version);
    char *path = gr_printf("%s/host.so", folder);
    assert_true(system_can(command));
    assert_int_equal(gr_file_read(path, &image, &length, &error), GRADUS_OK);
    read_or_fail(image, length, &lines);
    assert_true(compare(folder, version, &lines) > 30);
    assert_true(gr_line_table_file(&lines, "kernels/gpu/gemm.cu") >= 0);
    assert_true(gr_line_table_file(&lines, "part.h") >= 0);
    bool columns = false;
    for (int64_t i = 0; i < lines.count; i++) {
        const struct gr_line_row *row = &lines.rows[i];
        columns |= row->column > 0;
        assert_true(i == 0 || row[-1].address <= row->address);
    }
    assert_true(columns);
    gr_line_table_free(&lines);
    free(image);
    free(path);
    free(command);
}

static void lines_of_the_host(void **state)
{
    (void)state;
    if (!system_can("command -v c++ addr2line > /dev/null 2>&1")) {
        printf("skip: no c++ and addr2line to compare with\n");
        skip();
    }
    char folder[] = "/tmp/gradus-lines-XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_file(folder, "host.cpp", host_source);
    write_file(folder, "part.h", host_part);
    for (int version = 2; version <= 5; version++)
        check_version(folder, version);
    char *command = gr_printf("rm -r %s", folder);
    assert_true(system_can(command));
    free(command);
}

/* --- damaged files --- */

static void survives(const char *bytes, size_t length)
{
    char *image = malloc(length + !length);
    assert_non_null(image);
    memcpy(image, bytes, length);
    struct gr_line_table lines;
    struct gradus_error error = {0};
    enum gradus_status status = gr_line_table_read(image, length, &lines, &error);
    assert_true(status == GRADUS_OK || (status == GRADUS_INVALID && *error.text && !lines.rows));
    for (int64_t i = 0; i < lines.count; i++) {
        const struct gr_line_row *row = &lines.rows[i];
        assert_true(row->file >= -1 && row->file < lines.file_count && row->line >= 0);
        assert_true(row->call_file >= -1 && row->call_file < lines.file_count);
    }
    gr_line_table_free(&lines);
    free(image);
}

static void damaged_files_do_not_crash(void **state)
{
    (void)state;
    static const char *const names[] = {"lines_sm75.cubin", "lines_sm90.cubin"};
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (int n = 0; n < 2; n++) {
        size_t length;
        char *image = read_data(names[n], &length);
        for (size_t at = 0; at < length; at++) {
            char kept = image[at];
            survives(image, at);
            for (size_t i = 0; i < sizeof values; i++) {
                image[at] = (char)values[i];
                survives(image, length);
            }
            image[at] = kept;
        }
        free(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_cubins),
        cmocka_unit_test(files_by_the_kernels_path),
        cmocka_unit_test(lines_of_nvrtc),
        cmocka_unit_test(lines_of_the_host),

        cmocka_unit_test(damaged_files_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
