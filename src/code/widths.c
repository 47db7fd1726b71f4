/* widths.c: lists the instructions of a kernel that access memory, with their widths and source
 * lines. SPDX-License-Identifier: MIT */
#include "code/widths.h"

#include "core/error.h"
#include "code/elf.h"
#include "code/sass.h"

#include <stdlib.h>
#include <string.h>

/* Opcodes whose class alone does not determine the memory space or the width (sass_table.c names
 * them all). */
enum {
    OPCODE_LDG_256 = 0x17e,
    OPCODE_STG_256 = 0x17f,
    OPCODE_LD = 0x180,
    OPCODE_ST = 0x185,
    OPCODE_ATOM = 0x18a,
    OPCODE_ATOM_CAS = 0x18b,
    OPCODE_ATOMS = 0x18c,
    OPCODE_ATOMS_CAS = 0x18d,
    OPCODE_ATOM_FLOAT = 0x1a2,
    OPCODE_ATOMG_FLOAT = 0x1a3,
    OPCODE_REDG_FLOAT = 0x1a6,
    ATOMIC_TYPES_CC = 90 /* from here on integer atomics have other type codes */
};

/* Bits 73..75 are the type. Integers: u32 s32 u64, then f32 f16x2 s64 f64 before sm_90, and s64
 * from there on. Floats: f16x2 f32 f32x2 f32x4 … f64. */
static int atomic_bytes(int cc, int opcode, int type)
{
    static const int8_t older[] = {4, 4, 8, 4, 4, 8, 8, 8}, newer[] = {4, 4, 8, 8, 4, 8, 8, 8},
                        floats[] = {4, 4, 8, 16, 4, 4, 4, 8};
    if (opcode == OPCODE_ATOM_FLOAT || opcode == OPCODE_ATOMG_FLOAT || opcode == OPCODE_REDG_FLOAT)
        return floats[type];
    return cc >= ATOMIC_TYPES_CC ? newer[type] : older[type];
}

static enum gr_space atomic_space(int opcode)
{
    if (opcode == OPCODE_ATOMS || opcode == OPCODE_ATOMS_CAS)
        return GR_SPACE_SHARED;
    return opcode == OPCODE_ATOM || opcode == OPCODE_ATOM_CAS || opcode == OPCODE_ATOM_FLOAT
               ? GR_SPACE_OTHER
               : GR_SPACE_GLOBAL;
}

/* The memory access of an instruction; false: it has none that is listed. */
static bool classify(int cc, uint64_t low, uint64_t high, struct gr_width_access *a)
{
    struct gr_sass sass = gr_sass_decode(cc, low, high);
    int opcode = (int)(low & 0x1ff), type = (int)(high >> 9 & 7);
    bool any = opcode == OPCODE_LD || opcode == OPCODE_ST;
    bool widest = opcode == OPCODE_LDG_256 || opcode == OPCODE_STG_256;
    a->bytes = widest ? 32 : sass.width >= 0 ? 1 << sass.width : 0;
    switch (sass.op) {
    case GR_OP_LDG:
    case GR_OP_STG:
        a->space = any ? GR_SPACE_OTHER : GR_SPACE_GLOBAL;
        a->access = sass.op == GR_OP_LDG ? GR_ACCESS_LOAD : GR_ACCESS_STORE;
        return true;
    case GR_OP_LDS:
    case GR_OP_STS:
        a->space = GR_SPACE_SHARED;
        a->access = sass.op == GR_OP_LDS ? GR_ACCESS_LOAD : GR_ACCESS_STORE;
        return true;
    case GR_OP_LDGSTS:
        a->space = GR_SPACE_GLOBAL;
        a->access = GR_ACCESS_COPY;
        return true;
    case GR_OP_ATOMIC:
        a->space = atomic_space(opcode);
        a->access = GR_ACCESS_ATOMIC;
        a->bytes = atomic_bytes(cc, opcode, type);
        return true;
    default:
        return false;
    }
}

static void locate(const struct gr_code_kernel *kernel, const struct gr_line_table *lines,
                   struct gr_width_access *a)
{
    const struct gr_line_row *row = gr_line_table_find(lines, kernel->section, (uint64_t)a->offset);
    a->file = a->call_file = -1;
    if (!row)
        return;
    a->file = row->file;
    a->line = row->line;
    a->call_file = row->call_file;
    a->call_line = row->call_line;
}

/* By line, space, direction and width. */
static int order(const struct gr_width_site *x, const struct gr_width_site *y)
{
    const int pairs[][2] = {{x->file, y->file},
                            {x->line, y->line},
                            {(int)x->space, (int)y->space},
                            {(int)x->access, (int)y->access},
                            {x->bytes, y->bytes}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct gr_width_site *x = a, *y = b;
    int by = order(x, y);
    return by ? by : (x->first > y->first) - (x->first < y->first);
}

static enum gradus_status group(struct gr_width_list *list, struct gradus_error *error)
{
    size_t bytes = ((size_t)list->access_count + 1) * sizeof *list->sites;
    struct gr_width_site *sites = malloc(bytes);
    if (!sites)
        return gr_fail_memory(error, "a kernel's accesses", bytes);
    for (int64_t i = 0; i < list->access_count; i++) {
        const struct gr_width_access *a = &list->accesses[i];
        sites[i] =
            (struct gr_width_site){a->file, a->line, a->space, a->access, a->bytes, 1, a->offset};
    }
    qsort(sites, (size_t)list->access_count, sizeof *sites, by_place);
    int kept = 0;
    for (int64_t i = 0; i < list->access_count; i++) {
        if (kept > 0 && order(&sites[kept - 1], &sites[i]) == 0)
            sites[kept - 1].count++;
        else
            sites[kept++] = sites[i];
    }
    list->sites = sites;
    list->site_count = kept;
    return GRADUS_OK;
}

enum gradus_status gr_widths_read(const struct gr_code *code, const struct gr_code_kernel *kernel,
                                  const struct gr_line_table *lines, struct gr_width_list *list,
                                  struct gradus_error *error)
{
    *list = (struct gr_width_list){0};
    if (code->cc < GR_SASS_FIRST_CC)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s: instructions of sm_%d are not read, wanted sm_%d or later",
                       kernel->symbol, code->cc, GR_SASS_FIRST_CC);
    size_t count = kernel->text_bytes / GR_SASS_BYTES;
    list->accesses = calloc(count + 1, sizeof *list->accesses);
    if (!list->accesses)
        return gr_fail_memory(error, "a kernel's accesses", count * sizeof *list->accesses);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = kernel->text + i * GR_SASS_BYTES;
        struct gr_width_access access = {.offset = (int64_t)(i * GR_SASS_BYTES)};
        if (!classify(code->cc, gr_elf_number(at, 8), gr_elf_number(at + 8, 8), &access))
            continue;
        locate(kernel, lines, &access);
        list->accesses[list->access_count++] = access;
    }
    enum gradus_status status = group(list, error);
    if (status != GRADUS_OK)
        gr_widths_free(list);
    return status;
}

void gr_widths_free(struct gr_width_list *list)
{
    free(list->accesses);
    free(list->sites);
    *list = (struct gr_width_list){0};
}
