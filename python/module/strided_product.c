/* strided_product.c: what of the operands is copied, and the call of the library.
 * SPDX-License-Identifier: MIT */
#include "strided_product.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array that BLAS can read or write: the caller's, or `copy`, whose elements are in `owned`. */
struct usable {
    const struct gr_array *array;
    int64_t leads[2]; /* row-major, column-major */
    void *owned;
    struct gr_array copy;
};

double gr_strided_product_work(const struct gr_strided_product *p)
{
    return (double)gr_array_count(&p->c) * (double)p->a.shape[p->a.dims - 1];
}

static enum gradus_status no_memory(int64_t bytes, struct gradus_error *error)
{
    error->status = GRADUS_NO_MEMORY;
    snprintf(error->text, sizeof error->text,
             "gradus.matmul: no memory for a copy of %" PRId64
             " bytes, which operands of these strides, byte orders or dtypes need",
             bytes);
    return GRADUS_NO_MEMORY;
}

/* Room for the shape of `like`, in C's order. */
static enum gradus_status make_room(struct usable *u, const struct gr_array *like,
                                    enum gradus_type type, struct gradus_error *error)
{
    u->copy = *like;
    u->copy.type = type;
    u->copy.swapped = false;
    gr_array_set_contiguous_steps(&u->copy);
    const int64_t bytes = gr_array_count(like) * gr_type_bytes(type);
    u->owned = malloc(bytes ? (size_t)bytes : 1);
    if (!u->owned)
        return no_memory(bytes, error);
    u->copy.data = u->owned;
    u->array = &u->copy;
    gr_array_leads(u->array, u->leads);
    return GRADUS_OK;
}

static enum gradus_status refuse_strides(const char *name, struct gradus_error *error)
{
    error->status = GRADUS_INVALID;
    snprintf(error->text, sizeof error->text,
             "gradus.matmul: %s: found strides with neither rows nor columns that lie together, "
             "wanted some on a GPU, where nothing is copied: give a contiguous array",
             name);
    return GRADUS_INVALID;
}

/* `name`: of an array that must not be copied, or null. */
static enum gradus_status make_readable(struct usable *u, const struct gr_array *x,
                                        enum gradus_type type, const char *name,
                                        struct gradus_error *error)
{
    u->owned = NULL;
    if (x->type == type) {
        gr_array_leads(x, u->leads);
        u->array = x;
        if (u->leads[0] || u->leads[1])
            return GRADUS_OK;
    }
    if (name)
        return refuse_strides(name, error);
    const enum gradus_status status = make_room(u, x, type, error);
    if (!status)
        gr_array_copy(u->array, x);
    return status;
}

/* A line of elements that lie together. */
static enum gradus_status make_bias(struct usable *u, const struct gr_array *bias, bool on_gpu,
                                    struct gradus_error *error)
{
    struct gr_array row = *bias;
    gr_array_expand(&row, 0);
    u->owned = NULL;
    gr_array_leads(&row, u->leads);
    u->copy = row;
    u->array = &u->copy;
    if (u->leads[0])
        return GRADUS_OK;
    if (on_gpu)
        return refuse_strides("bias", error);
    const enum gradus_status status = make_room(u, &row, row.type, error);
    if (!status)
        gr_array_copy(u->array, &row);
    return status;
}

/* C where it lies, or a copy of it that is written back: where BLAS could not write it, where its
 * elements may share places, and where it meets an array that is read. */
static enum gradus_status make_writable(struct usable *c, const struct gr_strided_product *p,
                                        const struct usable read[3], struct gradus_error *error)
{
    gr_array_leads(&p->c, c->leads);
    bool in_place = (c->leads[0] || c->leads[1]) && gr_array_is_injective(&p->c);
    if (p->on_gpu && !in_place)
        return refuse_strides("out", error);
    for (int i = 0; i < 2 + p->has_bias && !p->on_gpu; i++) /* there the library looks */
        in_place = in_place && !gr_arrays_meet(&p->c, read[i].array);
    c->array = &p->c;
    c->owned = NULL;
    if (in_place)
        return GRADUS_OK;
    const enum gradus_status status = make_room(c, &p->c, p->c.type, error);
    if (!status && p->beta != 0)
        gr_array_copy(c->array, &p->c);
    return status;
}

/* The addresses of the matrices of x, broadcast to the stack of c, in C's order. */
static void list_matrices(const struct gr_array *x, const struct gr_array *c, void **list)
{
    const int stack = c->dims - 2, missing = c->dims - x->dims;
    int64_t at[GR_ARRAY_DIMS] = {0};
    char *data = x->data;
    for (;;) {
        *list++ = data;
        int i = stack - 1;
        for (; i >= 0; i--) {
            const bool fixed = i < missing || x->shape[i - missing] == 1;
            const int64_t step = fixed ? 0 : x->step[i - missing];
            if (++at[i] < c->shape[i]) {
                data += step;
                break;
            }
            data -= step * (c->shape[i] - 1);
            at[i] = 0;
        }
        if (i < 0)
            return;
    }
}

/* Queues it on its GPU. A graph keeps the memory that its kernels need. */
static enum gradus_status run_one(const struct gr_library *library,
                                  const struct gr_strided_product *p, struct gradus_gemm *gemm,
                                  struct gradus_error *error)
{
    gemm->device = p->on_gpu ? GRADUS_GPU : GRADUS_CPU;
    gemm->math = p->math;
    gemm->stream = p->stream;
    if (p->lend) {
        gemm->workspace_bytes = library->gemm_workspace(gemm, error);
        if (gemm->workspace_bytes < 0)
            return error->status;
        if (gemm->workspace_bytes > 0) {
            gemm->workspace = p->lend(p->lend_context, gemm->workspace_bytes);
            if (!gemm->workspace)
                return no_memory(gemm->workspace_bytes, error);
        }
    }
    return library->gemm_run(gemm, error);
}

/* The distance of the matrices of x, broadcast to the stack of c, in elements; -1: it is not the
 * same everywhere. */
static int64_t stride_of(const struct gr_array *x, const struct gr_array *c)
{
    const int missing = c->dims - x->dims;
    const int64_t bytes = gr_type_bytes(x->type);
    int64_t stride = -1, inner = 1;
    for (int i = c->dims - 3; i >= 0; i--) {
        if (c->shape[i] <= 1)
            continue;
        const bool fixed = i < missing || x->shape[i - missing] == 1;
        const int64_t step = fixed ? 0 : x->step[i - missing];
        if (stride < 0)
            stride = step;
        if (step < 0 || step % bytes || step != stride * inner)
            return -1;
        inner *= c->shape[i];
    }
    return stride < 0 ? 0 : stride / bytes;
}

/* On a GPU matrices that are a stride apart may be computed in one launch. */
static bool has_strides(struct gradus_gemm *gemm, const struct usable read[2],
                        const struct usable *c)
{
    gemm->stride_a = stride_of(read[0].array, c->array);
    gemm->stride_b = stride_of(read[1].array, c->array);
    gemm->stride_c = stride_of(c->array, c->array);
    if (gemm->stride_a >= 0 && gemm->stride_b >= 0 && gemm->stride_c >= 0)
        return true;
    gemm->stride_a = gemm->stride_b = gemm->stride_c = 0;
    return false;
}

static enum gradus_status refuse_meeting(const char *name, struct gradus_error *error)
{
    error->status = GRADUS_INVALID;
    snprintf(error->text, sizeof error->text,
             "gradus.matmul: out: found memory in common with %s, wanted none on a GPU, where "
             "nothing is copied",
             name);
    return GRADUS_INVALID;
}

static enum gradus_status run_stack(const struct gr_library *library,
                                    const struct gr_strided_product *p, struct gradus_gemm *gemm,
                                    const struct usable read[3], const struct usable *c,
                                    struct gradus_error *error)
{
    static const char *const names[] = {"a", "b", "bias"};
    int64_t batch = 1;
    for (int i = 0; i < c->array->dims - 2; i++)
        batch *= c->array->shape[i];
    if (batch == 0)
        return GRADUS_OK;
    gemm->batch = batch;
    if (p->on_gpu && has_strides(gemm, read, c))
        return run_one(library, p, gemm, error);
    for (int i = 0; i < 2 + p->has_bias && p->on_gpu; i++)
        if (gr_arrays_meet(c->array, read[i].array))
            return refuse_meeting(names[i], error);
    void **lists = malloc(3 * (size_t)batch * sizeof *lists);
    if (!lists)
        return no_memory(3 * batch * (int64_t)sizeof *lists, error);
    list_matrices(read[0].array, c->array, lists);
    list_matrices(read[1].array, c->array, lists + batch);
    list_matrices(c->array, c->array, lists + 2 * batch);
    gemm->a = gemm->b = gemm->c = NULL;
    gemm->a_array = (const void *const *)lists;
    gemm->b_array = (const void *const *)(lists + batch);
    gemm->c_array = (void *const *)(lists + 2 * batch);
    const enum gradus_status status = run_one(library, p, gemm, error);
    free(lists);
    return status;
}

static enum gradus_type type_of_sums(enum gradus_type c)
{
    return c == GRADUS_BF16 || c == GRADUS_F16 ? GRADUS_F32 : c;
}

/* An operand that is not stored in C's layout is the transpose of one that is. */
static enum gradus_status run(const struct gr_library *library, const struct gr_strided_product *p,
                              const struct usable read[3], const struct usable *c,
                              struct gradus_error *error)
{
    const int stored = c->leads[0] ? GRADUS_ROW_MAJOR : GRADUS_COL_MAJOR;
    const bool trans_a = !read[0].leads[stored], trans_b = !read[1].leads[stored];
    const struct gradus_epilogue epilogue = {.bias = p->has_bias ? read[2].array->data : NULL,
                                             .bias_per_row = p->bias_per_row,
                                             .activation = p->activation};
    const int dims = c->array->dims;
    struct gradus_gemm gemm = {.a_type = p->a_type,
                               .b_type = p->b_type,
                               .c_type = c->array->type,
                               .sum_type = type_of_sums(c->array->type),
                               .layout = stored ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR,
                               .trans_a = trans_a,
                               .trans_b = trans_b,
                               .m = c->array->shape[dims - 2],
                               .n = c->array->shape[dims - 1],
                               .k = p->a.shape[p->a.dims - 1],
                               .alpha = p->alpha,
                               .beta = p->beta,
                               .a = read[0].array->data,
                               .lda = read[0].leads[trans_a ? !stored : stored],
                               .b = read[1].array->data,
                               .ldb = read[1].leads[trans_b ? !stored : stored],
                               .c = c->array->data,
                               .ldc = c->leads[stored],
                               .threads = p->threads,
                               .epilogue = p->has_bias || p->activation != GRADUS_LINEAR ? &epilogue
                                                                                         : NULL};
    return dims == 2 ? run_one(library, p, &gemm, error)
                     : run_stack(library, p, &gemm, read, c, error);
}

enum gradus_status gr_strided_product_run(const struct gr_library *library,
                                          const struct gr_strided_product *p,
                                          struct gradus_error *error)
{
    struct usable read[3], c;
    read[0].owned = read[1].owned = read[2].owned = c.owned = NULL;
    enum gradus_status status =
        make_readable(&read[0], &p->a, p->a_type, p->on_gpu ? "a" : NULL, error);
    if (!status)
        status = make_readable(&read[1], &p->b, p->b_type, p->on_gpu ? "b" : NULL, error);
    if (!status && p->has_bias)
        status = make_bias(&read[2], &p->bias, p->on_gpu, error);
    if (!status)
        status = make_writable(&c, p, read, error);
    if (!status)
        status = run(library, p, read, &c, error);
    if (!status && c.owned)
        gr_array_copy(&p->c, c.array);
    for (int i = 0; i < 3; i++)
        free(read[i].owned);
    free(c.owned);
    return status;
}
