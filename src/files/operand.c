/* operand.c: presents arrays of files as operands. SPDX-License-Identifier: MIT */
#include "files/operand.h"

#include "core/error.h"
#include "check/check.h"
#include "check/element.h"

#include <stdlib.h>
#include <string.h>

static bool is_foreign(const struct gr_npy *array)
{
    return array->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Element i of the file, whatever its byte order and alignment. */
static double read_element(const struct gr_npy *array, int64_t i, size_t bytes, bool foreign)
{
    unsigned char raw[8];
    uint64_t aligned = 0;
    memcpy(raw, (const char *)array->elements + (size_t)i * bytes, bytes);
    if (foreign)
        for (size_t b = 0; b < bytes / 2; b++) {
            unsigned char keep = raw[b];
            raw[b] = raw[bytes - 1 - b];
            raw[bytes - 1 - b] = keep;
        }
    memcpy(&aligned, raw, bytes);
    return gr_element(array->type, &aligned, 0);
}

static void *convert(const struct gr_npy *array, enum gr_dtype type)
{
    int64_t count = array->rows * array->cols;
    size_t bytes = gr_dtype_bytes(array->type);
    bool foreign = is_foreign(array);
    void *copy = count <= INT64_MAX / 8 ? malloc((size_t)count * gr_dtype_bytes(type) + 1) : NULL;
    if (copy)
        for (int64_t i = 0; i < count; i++)
            gr_element_put(type, copy, i, read_element(array, i, bytes, foreign));
    return copy;
}

enum gradus_status gr_operand_of(const char *name, const struct gr_npy *array, enum gr_dtype type,
                                 struct gr_operand *operand, struct gradus_error *error)
{
    *operand =
        (struct gr_operand){.elements = array->elements, .rows = array->rows, .cols = array->cols};
    operand->transposed = array->fortran && array->rank == 2;
    operand->ld = operand->transposed ? array->rows : array->cols;
    if (operand->ld < 1)
        operand->ld = 1;
    bool aligned = (uintptr_t)array->elements % gr_dtype_bytes(type) == 0;
    if (array->type == type && aligned && !is_foreign(array))
        return GRADUS_OK;
    operand->owned = convert(array, type);
    operand->elements = operand->owned;
    if (!operand->owned)
        return gr_fail_memory(error, name,
                              (uint64_t)(array->rows * array->cols) * gr_dtype_bytes(type));
    return GRADUS_OK;
}

void gr_operand_copy(const struct gr_operand *operand, enum gr_dtype type, void *out)
{
    for (int64_t i = 0; i < operand->rows; i++)
        for (int64_t j = 0; j < operand->cols; j++) {
            int64_t at = operand->transposed ? j * operand->ld + i : i * operand->ld + j;
            gr_element_put(type, out, i * operand->cols + j,
                           gr_element(type, operand->elements, at));
        }
}

void gr_operand_free(struct gr_operand *operand)
{
    free(operand->owned);
    *operand = (struct gr_operand){0};
}
