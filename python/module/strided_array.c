/* strided_array.c: leading dimensions, overlaps and copies of strided arrays.
 * SPDX-License-Identifier: MIT */
#include "strided_array.h"

#include <stdlib.h>
#include <string.h>

int64_t gr_type_bytes(enum gradus_type type)
{
    switch (type) {
    case GRADUS_F64:
        return 8;
    case GRADUS_F32:
    case GRADUS_S32:
        return 4;
    case GRADUS_BF16:
    case GRADUS_F16:
        return 2;
    default:
        return 1;
    }
}

int64_t gr_array_count(const struct gr_array *array)
{
    int64_t count = 1;
    for (int i = 0; i < array->dims; i++)
        count *= array->shape[i];
    return count;
}

void gr_array_transpose(struct gr_array *array)
{
    const int i = array->dims - 1, j = array->dims - 2;
    const int64_t shape = array->shape[i], step = array->step[i];
    array->shape[i] = array->shape[j], array->step[i] = array->step[j];
    array->shape[j] = shape, array->step[j] = step;
}

void gr_array_expand(struct gr_array *array, int at)
{
    for (int i = array->dims; i > at; i--) {
        array->shape[i] = array->shape[i - 1];
        array->step[i] = array->step[i - 1];
    }
    array->shape[at] = 1;
    array->step[at] = gr_type_bytes(array->type);
    array->dims++;
}

void gr_array_set_contiguous_steps(struct gr_array *array)
{
    int64_t step = gr_type_bytes(array->type);
    for (int i = array->dims - 1; i >= 0; i--) {
        array->step[i] = step;
        step *= array->shape[i];
    }
}

/* The distance between lines of a matrix, where the elements along a line lie together, or 0. Steps
 * are in elements, and mean nothing for a dimension of size 1. */
static int64_t lead(int64_t length, int64_t step, int64_t lines, int64_t apart)
{
    const int64_t least = length > 1 ? length : 1;
    if (length > 1 && step != 1)
        return 0;
    if (lines <= 1)
        return least;
    return apart >= least ? apart : 0;
}

static bool is_aligned(const struct gr_array *array, int64_t bytes)
{
    int64_t all = (int64_t)(uintptr_t)array->data;
    for (int i = 0; i < array->dims; i++)
        if (array->shape[i] > 1)
            all |= array->step[i];
    return (all & (bytes - 1)) == 0;
}

void gr_array_leads(const struct gr_array *array, int64_t leads[2])
{
    const int i = array->dims - 2, j = array->dims - 1;
    const int64_t m = array->shape[i], n = array->shape[j], bytes = gr_type_bytes(array->type);
    leads[0] = n > 1 ? n : 1;
    leads[1] = m > 1 ? m : 1;
    if (gr_array_count(array) == 0) /* of any strides */
        return;
    if (array->swapped || !is_aligned(array, bytes)) {
        leads[0] = leads[1] = 0;
        return;
    }
    const int64_t row = array->step[i] / bytes, column = array->step[j] / bytes;
    leads[0] = lead(n, column, m, row);
    leads[1] = lead(m, row, n, column);
}

/* The first byte of an array that has elements, and the one behind its last. */
static void ends(const struct gr_array *array, uintptr_t *first, uintptr_t *last)
{
    *first = (uintptr_t)array->data;
    *last = *first + (uintptr_t)gr_type_bytes(array->type);
    for (int i = 0; i < array->dims; i++) {
        const int64_t way = (array->shape[i] - 1) * array->step[i];
        *(way < 0 ? first : last) += (uintptr_t)way;
    }
}

bool gr_arrays_meet(const struct gr_array *x, const struct gr_array *y)
{
    if (!gr_array_count(x) || !gr_array_count(y))
        return false;
    uintptr_t x_first, x_last, y_first, y_last;
    ends(x, &x_first, &x_last);
    ends(y, &y_first, &y_last);
    return x_first < y_last && y_first < x_last;
}

struct dimension {
    int64_t size, step;
};

static int by_step(const void *x, const void *y)
{
    const int64_t a = ((const struct dimension *)x)->step, b = ((const struct dimension *)y)->step;
    return (a > b) - (a < b);
}

/* From the smallest step on, each step must pass all that the smaller ones reach. */
bool gr_array_is_injective(const struct gr_array *array)
{
    struct dimension d[GR_ARRAY_DIMS];
    int dims = 0;
    for (int i = 0; i < array->dims; i++)
        if (array->shape[i] > 1)
            d[dims++] = (struct dimension){array->shape[i], llabs(array->step[i])};
    if (dims > 1)
        qsort(d, (size_t)dims, sizeof d[0], by_step);
    int64_t reach = gr_type_bytes(array->type);
    for (int i = 0; i < dims; i++) {
        if (d[i].step < reach)
            return false;
        reach += (d[i].size - 1) * d[i].step;
    }
    return true;
}

struct line {
    char *to;
    const char *from;
    int64_t to_step, from_step, count;
};

#define COPY_ELEMENTS(T)                                                                           \
    for (int64_t i = 0; i < l->count; i++) {                                                       \
        T element;                                                                                 \
        memcpy(&element, l->from + i * l->from_step, sizeof element);                              \
        memcpy(l->to + i * l->to_step, &element, sizeof element);                                  \
    }

static void copy_line(const struct line *l, int64_t bytes)
{
    if (l->to_step == bytes && l->from_step == bytes) {
        memcpy(l->to, l->from, (size_t)(bytes * l->count));
        return;
    }
    switch (bytes) {
    case 8:
        COPY_ELEMENTS(uint64_t)
        break;
    case 4:
        COPY_ELEMENTS(uint32_t)
        break;
    case 2:
        COPY_ELEMENTS(uint16_t)
        break;
    default:
        COPY_ELEMENTS(uint8_t)
    }
}

static void copy_line_swapped(const struct line *l, int64_t bytes)
{
    for (int64_t i = 0; i < l->count; i++)
        for (int64_t j = 0; j < bytes; j++)
            l->to[i * l->to_step + j] = l->from[i * l->from_step + bytes - 1 - j];
}

/* float64 from float32. */
static void widen_line(const struct line *l, bool swapped)
{
    for (int64_t i = 0; i < l->count; i++) {
        uint32_t bits;
        float narrow;
        memcpy(&bits, l->from + i * l->from_step, sizeof bits);
        bits = swapped ? __builtin_bswap32(bits) : bits;
        memcpy(&narrow, &bits, sizeof bits);
        const double wide = narrow;
        memcpy(l->to + i * l->to_step, &wide, sizeof wide);
    }
}

static void copy_dimension(const struct gr_array *to, const struct gr_array *from, int dimension,
                           char *to_data, const char *from_data)
{
    if (dimension < to->dims - 1) {
        for (int64_t i = 0; i < to->shape[dimension]; i++)
            copy_dimension(to, from, dimension + 1, to_data + i * to->step[dimension],
                           from_data + i * from->step[dimension]);
        return;
    }
    const bool scalar = to->dims == 0;
    const struct line l = {to_data, from_data, scalar ? 0 : to->step[dimension],
                           scalar ? 0 : from->step[dimension], scalar ? 1 : to->shape[dimension]};
    if (to->type != from->type)
        widen_line(&l, from->swapped);
    else if (to->swapped != from->swapped)
        copy_line_swapped(&l, gr_type_bytes(to->type));
    else
        copy_line(&l, gr_type_bytes(to->type));
}

void gr_array_copy(const struct gr_array *to, const struct gr_array *from)
{
    if (gr_array_count(to))
        copy_dimension(to, from, 0, to->data, from->data);
}
