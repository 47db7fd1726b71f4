/* sizes.c: parses sweeps of sizes. SPDX-License-Identifier: MIT */
#include "measure/sweep.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZES = 4096 };

struct list {
    struct gr_size *items;
    int count;
};

static enum gradus_status append(struct list *list, struct gr_size size, struct gradus_error *error)
{
    struct gr_size *items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
    if (!items)
        return gr_fail_memory(error, "sizes", sizeof *items);
    list->items = items;
    if (list->count == MAX_SIZES)
        return gr_fail(error, GRADUS_INVALID, "more than %d sizes", MAX_SIZES);
    items[list->count++] = size;
    return GRADUS_OK;
}

/* Appends "64:4096:x2" or "256:1024:+256". */
static enum gradus_status append_range(struct list *list, const char *part,
                                       struct gradus_error *error)
{
    int64_t first, last, step;
    char kind, rest;
    if (sscanf(part, "%" SCNd64 ":%" SCNd64 ":%c%" SCNd64 "%c", &first, &last, &kind, &step,
               &rest) != 4 ||
        first < 1 || last < first || last > INT32_MAX || (kind != 'x' && kind != '+') ||
        step < (kind == 'x' ? 2 : 1) || step > INT32_MAX)
        return gr_fail(error, GRADUS_INVALID,
                       "sizes '%s': wanted FIRST:LAST:xFACTOR or FIRST:LAST:+STEP, as 64:4096:x2",
                       part);
    enum gradus_status status = GRADUS_OK;
    for (int64_t n = first; n <= last && status == GRADUS_OK; n = kind == 'x' ? n * step : n + step)
        status = append(list, (struct gr_size){n, n, n}, error);
    return status;
}

enum gradus_status gr_sizes_parse(const char *text, struct gr_size **sizes, int *count,
                                  struct gradus_error *error)
{
    struct list list = {.items = *sizes, .count = *count};
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK) {
        size_t length = strcspn(text, ",");
        char part[96];
        snprintf(part, sizeof part, "%.*s", length < sizeof part ? (int)length : 95, text);
        struct gr_size size;
        if (strchr(part, ':'))
            status = append_range(&list, part, error);
        else if ((status = gr_size_parse(part, &size.m, &size.n, &size.k, error)) == GRADUS_OK)
            status = append(&list, size, error);
        if (!text[length])
            break;
        text += length + 1;
    }
    *sizes = list.items;
    *count = list.count;
    return status;
}
