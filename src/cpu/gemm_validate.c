/* gemm_validate.c: checks the members of a problem before anything is read or written.
 * SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "cpu/gemm.h"
#include "cpu/operands.h"
#include "cpu/prepack.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* The function that error messages name, and the error to fill in. */
struct call {
    const char *function;
    struct gradus_error *error;
    bool sizes_only; /* the addresses of operands are not checked */
};

static enum gradus_status bad_number(const struct call *call, const char *member, int64_t found,
                                     const char *wanted)
{
    return gr_fail(call->error, GRADUS_INVALID, "%s: %s: found %" PRId64 ", wanted %s",
                   call->function, member, found, wanted);
}

static enum gradus_status bad_types(const struct gradus_gemm *g, const struct call *call)
{
    const struct {
        const char *name;
        enum gradus_type type;
    } member[] = {{"a_type", g->a_type},
                  {"b_type", g->b_type},
                  {"c_type", g->c_type},
                  {"sum_type", g->sum_type}};
    for (int i = 0; i < 4; i++)
        if (!gr_gemm_type_bytes(member[i].type))
            return bad_number(call, member[i].name, (int64_t)member[i].type,
                              "one of enum gradus_type");
    char wanted[GR_DRIVER_LIST];
    gr_driver_list(wanted);
    gr_fail(call->error, GRADUS_INVALID,
            "%s: a_type, b_type, c_type, sum_type: found %s %s %s %s, wanted %s%s", call->function,
            gr_gemm_type_name(g->a_type), gr_gemm_type_name(g->b_type),
            gr_gemm_type_name(g->c_type), gr_gemm_type_name(g->sum_type), wanted,
            g->device == GRADUS_GPU ? ", or f16 f16 f32|f16 f32, e4m3 e4m3 f32|bf16 f32, "
                                      "e5m2 e5m2 f32|bf16 f32"
                                    : "");
    return GRADUS_INVALID;
}

static bool has_scales(enum gradus_type type)
{
    return type == GRADUS_E4M3 || type == GRADUS_E5M2;
}

/* Whether the types are a combination that only GPUs can multiply. */
static bool are_of_gpus(const struct gradus_gemm *g)
{
    const enum gradus_type narrow = has_scales(g->a_type) ? GRADUS_BF16 : GRADUS_F16;
    return g->device == GRADUS_GPU && (g->a_type == GRADUS_F16 || has_scales(g->a_type)) &&
           g->b_type == g->a_type && (g->c_type == GRADUS_F32 || g->c_type == narrow) &&
           g->sum_type == GRADUS_F32;
}

/* A later version gives these members a meaning, so a caller of that version must not be computed
 * here as if it had not asked for it. The name of a member is written only for the message: that
 * takes longer than a small product. */
static enum gradus_status check_reserved(const struct gradus_gemm *g, const struct call *call)
{
    for (size_t i = 0; i < sizeof g->reserved / sizeof *g->reserved; i++) {
        if (!g->reserved[i])
            continue;
        char member[32];
        snprintf(member, sizeof member, "reserved[%zu]", i);
        return bad_number(call, member, g->reserved[i],
                          "0, which gradus_gemm_init sets; this version knows no such member");
    }
    return GRADUS_OK;
}

/* Checks the members on which the shapes of the operands depend. */
static enum gradus_status check_shape(const struct gradus_gemm *g, const struct call *call)
{
    if (!gr_driver_for(g) && !are_of_gpus(g))
        return bad_types(g, call);
    if (g->layout != GRADUS_ROW_MAJOR && g->layout != GRADUS_COL_MAJOR)
        return bad_number(call, "layout", (int64_t)g->layout,
                          "GRADUS_ROW_MAJOR or GRADUS_COL_MAJOR");
    if (g->trans_a != 0 && g->trans_a != 1)
        return bad_number(call, "trans_a", g->trans_a, "0 or 1");
    if (g->trans_b != 0 && g->trans_b != 1)
        return bad_number(call, "trans_b", g->trans_b, "0 or 1");
    if (g->m < 0)
        return bad_number(call, "m", g->m, "0 or more");
    if (g->n < 0)
        return bad_number(call, "n", g->n, "0 or more");
    if (g->k < 0)
        return bad_number(call, "k", g->k, "0 or more");
    return GRADUS_OK;
}

static bool is_int32(double x)
{
    return x >= INT32_MIN && x <= INT32_MAX && x == (double)(int32_t)x;
}

static enum gradus_status check_numbers(const struct gradus_gemm *g, const struct call *call)
{
    if (g->sum_type == GRADUS_S32 && !(is_int32(g->alpha) && is_int32(g->beta)))
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: %s: found %g with sums in s32, wanted a whole number of 32 bits",
                       call->function, is_int32(g->alpha) ? "beta" : "alpha",
                       is_int32(g->alpha) ? g->beta : g->alpha);
    if (g->threads < 0)
        return bad_number(call, "threads", g->threads, "0 (as many as allowed) or more");
    if (g->batch < 0)
        return bad_number(call, "batch", g->batch, "0 or more");
    if (g->workspace_bytes < 0)
        return bad_number(call, "workspace_bytes", g->workspace_bytes, "0 or more");
    const bool whole = g->device == GRADUS_GPU && g->a_array && g->b_array && g->c_array;
    if (g->arrays_on_gpu != 0 && (g->arrays_on_gpu != 1 || !whole))
        return bad_number(call, "arrays_on_gpu", g->arrays_on_gpu,
                          "0, or 1 with GRADUS_GPU and a_array, b_array and c_array");
    if ((g->scale_a || g->scale_b) && !has_scales(g->a_type))
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: %s: found one for %s, wanted null: only e4m3 and e5m2 have scales",
                       call->function, g->scale_a ? "scale_a" : "scale_b",
                       gr_gemm_type_name(g->a_type));
    return GRADUS_OK;
}

static enum gradus_status check_epilogue(const struct gradus_gemm *g, const struct call *call)
{
    const struct gradus_epilogue *e = g->epilogue;
    if (!e)
        return GRADUS_OK;
    if (e->bias_per_row != 0 && e->bias_per_row != 1)
        return bad_number(call, "epilogue->bias_per_row", e->bias_per_row, "0 or 1");
    if ((unsigned)e->activation > GRADUS_GELU_TANH)
        return bad_number(call, "epilogue->activation", (int64_t)e->activation,
                          "one of enum gradus_activation");
    if (g->sum_type == GRADUS_S32 && e->activation >= GRADUS_GELU)
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: epilogue->activation: found %s with sums in s32, wanted "
                       "GRADUS_LINEAR or GRADUS_RELU",
                       call->function,
                       e->activation == GRADUS_GELU ? "GRADUS_GELU" : "GRADUS_GELU_TANH");
    return GRADUS_OK;
}

static enum gradus_status check_ld(const struct gr_operand *x, const struct call *call)
{
    const int64_t least = x->cols > 1 ? x->cols : 1;
    if (x->ld >= least)
        return GRADUS_OK;
    if (x->cols < 1)
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: ld%s: found %" PRId64
                       ", wanted at least 1, as in BLAS, although a stored row (column) of %s has "
                       "no elements",
                       call->function, x->name, x->ld, x->name);
    return gr_fail(call->error, GRADUS_INVALID,
                   "%s: ld%s: found %" PRId64 ", wanted at least %" PRId64
                   ", the length of a stored row (column) of %s",
                   call->function, x->name, x->ld, least, x->name);
}

/* The distance in bytes from the first element to the end of the last must fit into ptrdiff_t. */
static enum gradus_status check_span(const struct gr_operand *x, int64_t batch,
                                     const struct call *call)
{
    const int64_t bytes = gr_gemm_type_bytes(x->type);
    int64_t span, all = 0;
    if (__builtin_mul_overflow(x->rows - 1, x->ld, &span) ||
        __builtin_add_overflow(span, x->cols, &span) || __builtin_mul_overflow(span, bytes, &span))
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: ld%s: %" PRId64 " rows (columns) %" PRId64
                       " elements apart do not fit into memory",
                       call->function, x->name, x->rows, x->ld);
    if (!x->array && batch > 1 &&
        (__builtin_mul_overflow(batch - 1, x->stride, &all) ||
         __builtin_mul_overflow(all, bytes, &all) || __builtin_add_overflow(all, span, &all)))
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: stride_%s: %" PRId64 " matrices %" PRId64
                       " elements apart do not fit into memory",
                       call->function, x->name, batch, x->stride);
    return GRADUS_OK;
}

static enum gradus_status check_addresses(const struct gr_operand *x, int64_t batch,
                                          const struct call *call)
{
    if (!x->array && batch > 1 && x->stride < 0)
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: stride_%s: found %" PRId64 ", wanted 0 or more", call->function,
                       x->name, x->stride);
    if (call->sizes_only || (x->array && x->is_far))
        return GRADUS_OK;
    if (!x->array && !x->address)
        return gr_fail(call->error, GRADUS_INVALID, "%s: %s: found a null pointer, wanted a matrix",
                       call->function, x->name);
    for (int64_t i = 0; x->array && i < batch; i++)
        if (!x->array[i])
            return gr_fail(call->error, GRADUS_INVALID,
                           "%s: %s_array[%" PRId64 "]: found a null pointer, wanted a matrix",
                           call->function, x->name, i);
    return GRADUS_OK;
}

static enum gradus_status check_memory(const struct gr_operand *x, int64_t batch,
                                       const struct call *call)
{
    if (x->rows == 0 || x->cols == 0)
        return GRADUS_OK;
    const enum gradus_status status = check_addresses(x, batch, call);
    return status ? status : check_span(x, batch, call);
}

/* Whether two of the matrices, which are `stride` elements apart, share an element. If they do, a
 * row of one begins less than a row's length from a row of the other. Matrices that are adjacent
 * within one stored row share none. */
static bool overlap(const struct gr_operand *c, int64_t batch)
{
    if (c->stride >= (c->rows - 1) * c->ld + c->cols ||
        (c->stride >= c->cols && (batch - 1) * c->stride + c->cols <= c->ld))
        return false;
    for (int64_t d = 1; d < batch; d++) {
        const int64_t apart = d * c->stride, rows = apart / c->ld, rest = apart % c->ld;
        if (rows < c->rows && rest < c->cols)
            return true;
        if (rows + 1 < c->rows && c->ld - rest < c->cols)
            return true;
    }
    return false;
}

static enum gradus_status check_apart(const struct gr_operand *c, int64_t batch,
                                      const struct call *call)
{
    if (batch <= 1 || c->array || c->rows == 0 || c->cols == 0 || !overlap(c, batch))
        return GRADUS_OK;
    return gr_fail(call->error, GRADUS_INVALID,
                   "%s: stride_c: found %" PRId64 ", with which matrices of the batch overlap, "
                   "wanted for instance %" PRId64,
                   call->function, c->stride, c->rows * c->ld);
}

static struct gr_operand operand_of(const char *name, enum gradus_type type, const void *address,
                                    int64_t rows, int64_t cols, int64_t ld, bool transposed)
{
    if (transposed)
        return (struct gr_operand){name, type, address, cols, rows, ld, 0, NULL, NULL, false};
    return (struct gr_operand){name, type, address, rows, cols, ld, 0, NULL, NULL, false};
}

void gr_gemm_operands(const struct gradus_gemm *g, struct gr_operand x[3])
{
    const bool col = g->layout == GRADUS_COL_MAJOR;
    x[0] = operand_of("a", g->a_type, g->a, g->m, g->k, g->lda, col != !!g->trans_a);
    x[0].stride = g->stride_a, x[0].array = g->a_array, x[0].packed = g->packed_a;
    x[1] = operand_of("b", g->b_type, g->b, g->k, g->n, g->ldb, col != !!g->trans_b);
    x[1].stride = g->stride_b, x[1].array = g->b_array, x[1].packed = g->packed_b;
    x[2] = operand_of("c", g->c_type, g->c, g->m, g->n, g->ldc, col);
    x[2].stride = g->stride_c, x[2].array = (const void *const *)g->c_array;
    for (int i = 0; i < 3; i++)
        x[i].is_far = g->arrays_on_gpu != 0;
}

static enum gradus_status check_packed(const struct gradus_gemm *g, const struct gr_operand *x,
                                       enum gradus_operand which, const struct call *call)
{
    if (x->array)
        return gr_fail(call->error, GRADUS_INVALID,
                       "%s: packed_%s: found together with %s_array, wanted one of them",
                       call->function, x->name, x->name);
    return gr_packed_check(x->packed, g, which, call->function, call->error);
}

static enum gradus_status check_operands(const struct gradus_gemm *g, const struct call *call)
{
    struct gr_operand x[3];
    gr_gemm_operands(g, x);
    const int64_t batch = g->batch > 1 ? g->batch : 1;
    const bool reads_ab = g->alpha != 0 && g->k > 0 && g->m > 0 && g->n > 0;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = x[i].packed ? check_packed(g, &x[i], (enum gradus_operand)i, call)
                             : check_ld(&x[i], call);
    for (int i = reads_ab ? 0 : 2; i < 3 && !status; i++)
        if (!x[i].packed)
            status = check_memory(&x[i], batch, call);
    return status ? status : check_apart(&x[2], batch, call);
}

static enum gradus_status validate(const struct gradus_gemm *g, const struct call *call)
{
    if (!g)
        return gr_fail(call->error, GRADUS_INVALID, "%s: gemm: found a null pointer",
                       call->function);
    enum gradus_status status = check_shape(g, call);
    if (!status)
        status = check_numbers(g, call);
    if (!status)
        status = check_reserved(g, call);
    if (!status)
        status = check_epilogue(g, call);
    return status ? status : check_operands(g, call);
}

enum gradus_status gr_gemm_validate(const struct gradus_gemm *g, const char *function,
                                    struct gradus_error *error)
{
    return validate(g, &(struct call){function, error, false});
}

enum gradus_status gr_gemm_validate_apart(const struct gradus_gemm *g, const char *function,
                                          struct gradus_error *error)
{
    const char *name = gr_gemm_shared_with_c(g);
    if (!name)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_INVALID,
                   "%s: c: found elements in common with %s, wanted a C that overlaps nothing that "
                   "is read",
                   function, name);
}

enum gradus_status gr_gemm_validate_sizes(const struct gradus_gemm *g, const char *function,
                                          struct gradus_error *error)
{
    return validate(g, &(struct call){function, error, true});
}

enum gradus_status gr_gemm_validate_operand(const struct gradus_gemm *g, enum gradus_operand which,
                                            const char *function, struct gradus_error *error)
{
    const struct call call = {function, error, false};
    struct gr_operand x[3];
    if (!g)
        return gr_fail(error, GRADUS_INVALID, "%s: gemm: found a null pointer", function);
    if (which != GRADUS_A && which != GRADUS_B)
        return bad_number(&call, "which", (int64_t)which, "GRADUS_A or GRADUS_B");
    enum gradus_status status = check_shape(g, &call);
    if (!status)
        status = check_reserved(g, &call);
    if (status)
        return status;
    gr_gemm_operands(g, x);
    x[which].array = NULL;
    status = check_ld(&x[which], &call);
    return status ? status : check_memory(&x[which], 1, &call);
}
