/* inputs.c: reads A and B from files. SPDX-License-Identifier: MIT */
#include "files/inputs.h"

#include "core/error.h"
#include "io/npy.h"
#include "files/operand.h"

#include <inttypes.h>
#include <stdlib.h>

/* A dense row-major copy of an array with elements of type `type`. */
static enum gradus_status copy_dense(const char *path, const struct gr_npy *array,
                                     enum gr_dtype type, void **out, struct gradus_error *error)
{
    uint64_t bytes = (uint64_t)array->rows * (uint64_t)array->cols * gr_dtype_bytes(type);
    struct gr_operand operand;
    enum gradus_status status = gr_operand_of(path, array, type, &operand, error);
    if (status != GRADUS_OK)
        return status;
    *out = malloc(bytes + 1);
    if (*out)
        gr_operand_copy(&operand, type, *out);
    else
        status = gr_fail_memory(error, path, bytes);
    gr_operand_free(&operand);
    return status;
}

static enum gradus_status read_both(const char *const paths[2], const struct gr_npy arrays[2],
                                    const struct gr_types *types, bool trans_a, bool trans_b,
                                    struct gr_input_files *in, struct gradus_error *error)
{
    for (int i = 0; i < 2; i++)
        if (arrays[i].rank != 2)
            return gr_fail(error, GRADUS_INVALID, "%s: rank: found %d, wanted 2", paths[i],
                           arrays[i].rank);
    int64_t b_rows = trans_b ? arrays[1].cols : arrays[1].rows;
    in->m = trans_a ? arrays[0].cols : arrays[0].rows;
    in->k = trans_a ? arrays[0].rows : arrays[0].cols;
    in->n = trans_b ? arrays[1].rows : arrays[1].cols;
    if (in->k != b_rows)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: rows of op(B): found %" PRId64 ", wanted %" PRId64
                       " (the columns of op(A) in %s)",
                       paths[1], b_rows, in->k, paths[0]);
    bool wide = arrays[0].type == GR_F64 || arrays[1].type == GR_F64;
    in->types = types ? *types : gr_types_of(wide ? GR_F64 : GR_F32);
    enum gradus_status status = copy_dense(paths[0], &arrays[0], in->types.a, &in->a, error);
    if (status == GRADUS_OK)
        status = copy_dense(paths[1], &arrays[1], in->types.b, &in->b, error);
    return status;
}

enum gradus_status gr_input_files_read(const char *a, const char *b, const struct gr_types *types,
                                       bool trans_a, bool trans_b, struct gr_input_files *inputs,
                                       struct gradus_error *error)
{
    const char *const paths[] = {a, b};
    struct gr_npy arrays[2] = {{0}};
    *inputs = (struct gr_input_files){0};
    enum gradus_status status = GRADUS_OK;
    int opened = 0;
    for (; opened < 2 && status == GRADUS_OK; opened += status == GRADUS_OK)
        status = types && gr_dtype_bytes(types->a) < 4
                     ? gr_npy_open_raw(paths[opened], opened ? types->b : types->a, &arrays[opened],
                                       error)
                     : gr_npy_open(paths[opened], &arrays[opened], error);
    if (status == GRADUS_OK)
        status = read_both(paths, arrays, types, trans_a, trans_b, inputs, error);
    while (opened-- > 0)
        gr_npy_close(&arrays[opened]);
    if (status != GRADUS_OK)
        gr_input_files_free(inputs);
    return status;
}

void gr_input_files_free(struct gr_input_files *inputs)
{
    free(inputs->a);
    free(inputs->b);
    *inputs = (struct gr_input_files){0};
}
