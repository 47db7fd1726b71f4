/* widths.c: lists the instructions of a kernel that access memory, with their widths and source
 * lines. SPDX-License-Identifier: MIT */
#include "code/widths.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static void locate(const struct gr_code_kernel *kernel, const struct gr_line_table *lines,
                   struct gr_width_access *a)
{
    const struct gr_line_row *row =
        gr_line_table_find(lines, kernel->section, kernel->address + (uint64_t)a->offset);
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
    struct gr_instruction *instructions;
    int64_t count;
    enum gradus_status status = gr_instructions_read(code, kernel, &instructions, &count, error);
    if (status != GRADUS_OK)
        return status;
    list->accesses = calloc((size_t)count + 1, sizeof *list->accesses);
    if (!list->accesses)
        status =
            gr_fail_memory(error, "a kernel's accesses", (uint64_t)count * sizeof *list->accesses);
    for (int64_t i = 0; i < count && status == GRADUS_OK; i++) {
        const struct gr_instruction_access *a = &instructions[i].access;
        struct gr_width_access access = {.offset = instructions[i].offset,
                                         .space = a->space,
                                         .access = a->access,
                                         .bytes = a->bytes};
        if (!a->any)
            continue;
        locate(kernel, lines, &access);
        list->accesses[list->access_count++] = access;
    }
    free(instructions);
    if (status == GRADUS_OK)
        status = group(list, error);
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
