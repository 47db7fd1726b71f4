/* gemm_validate.c: a product's members, judged before anything is read or written.
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cpu/gemm.h"

#include <inttypes.h>

struct operand {
    const char *name, *ld_name;
    enum gradus_type type;
    const void *address;
    int64_t rows, cols, ld; /* rows: how many runs of `cols` elements are stored */
};

static enum gradus_status bad_number(struct gradus_error *error, const char *member, int64_t found,
                                     const char *wanted)
{
    return gr_fail(error, GRADUS_INVALID, "gradus_gemm_run: %s: found %" PRId64 ", wanted %s",
                   member, found, wanted);
}

/* The distance in bytes from the first element to behind the last must be an address difference. */
static bool span_overflows(const struct operand *x, int64_t bytes)
{
    int64_t span;
    return __builtin_mul_overflow(x->rows - 1, x->ld, &span) ||
           __builtin_add_overflow(span, x->cols, &span) ||
           __builtin_mul_overflow(span, bytes, &span) || span > PTRDIFF_MAX;
}

static enum gradus_status check_ld(const struct operand *x, struct gradus_error *error)
{
    const int64_t least = x->cols > 1 ? x->cols : 1;
    if (x->ld >= least)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_INVALID,
                   "gradus_gemm_run: %s: found %" PRId64 ", wanted at least %" PRId64
                   ", the length of a stored row (column) of %s",
                   x->ld_name, x->ld, least, x->name);
}

static enum gradus_status check_memory(const struct operand *x, struct gradus_error *error)
{
    if (x->rows == 0 || x->cols == 0)
        return GRADUS_OK;
    if (span_overflows(x, gr_gemm_type_bytes(x->type)))
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gemm_run: %s: %" PRId64 " rows (columns) %" PRId64
                       " elements apart do not fit into memory",
                       x->ld_name, x->rows, x->ld);
    if (!x->address)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gemm_run: %s: found a null pointer, wanted a matrix", x->name);
    return GRADUS_OK;
}

/* Bit 1 << type for each type that goes with the others of a line. */
static const struct {
    unsigned a, b, c, sum;
} type_lines[] = {
    {1u << GRADUS_F32, 1u << GRADUS_F32, 1u << GRADUS_F32, 1u << GRADUS_F32},
    {1u << GRADUS_F64, 1u << GRADUS_F64, 1u << GRADUS_F64, 1u << GRADUS_F64},
    {1u << GRADUS_BF16, 1u << GRADUS_BF16, 1u << GRADUS_F32 | 1u << GRADUS_BF16, 1u << GRADUS_F32},
    {1u << GRADUS_S8 | 1u << GRADUS_U8, 1u << GRADUS_S8 | 1u << GRADUS_U8, 1u << GRADUS_S32,
     1u << GRADUS_S32},
};

static enum gradus_status check_types(const struct gradus_gemm *g, struct gradus_error *error)
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
            return bad_number(error, member[i].name, (int64_t)member[i].type,
                              "one of enum gradus_type");
    for (size_t i = 0; i < sizeof type_lines / sizeof *type_lines; i++)
        if (type_lines[i].a >> g->a_type & type_lines[i].b >> g->b_type &
            type_lines[i].c >> g->c_type & type_lines[i].sum >> g->sum_type & 1)
            return GRADUS_OK;
    return gr_fail(
        error, GRADUS_INVALID,
        "gradus_gemm_run: a_type, b_type, c_type, sum_type: found %s %s %s %s, wanted f32 "
        "f32 f32 f32, f64 f64 f64 f64, bf16 bf16 f32|bf16 f32 or s8|u8 s8|u8 s32 s32",
        gr_gemm_type_name(g->a_type), gr_gemm_type_name(g->b_type), gr_gemm_type_name(g->c_type),
        gr_gemm_type_name(g->sum_type));
}

static enum gradus_status check_epilogue(const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct gradus_epilogue *e = g->epilogue;
    if (!e)
        return GRADUS_OK;
    if (e->bias_per_row != 0 && e->bias_per_row != 1)
        return bad_number(error, "epilogue->bias_per_row", e->bias_per_row, "0 or 1");
    if ((unsigned)e->activation > GRADUS_GELU)
        return bad_number(error, "epilogue->activation", (int64_t)e->activation,
                          "one of enum gradus_activation");
    if (g->sum_type == GRADUS_S32 && e->activation == GRADUS_GELU)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gemm_run: epilogue->activation: found GRADUS_GELU with sums in s32, "
                       "wanted GRADUS_LINEAR or GRADUS_RELU");
    return GRADUS_OK;
}

static enum gradus_status check_enums(const struct gradus_gemm *g, struct gradus_error *error)
{
    if (g->layout != GRADUS_ROW_MAJOR && g->layout != GRADUS_COL_MAJOR)
        return bad_number(error, "layout", (int64_t)g->layout,
                          "GRADUS_ROW_MAJOR or GRADUS_COL_MAJOR");
    if (g->trans_a != 0 && g->trans_a != 1)
        return bad_number(error, "trans_a", g->trans_a, "0 or 1");
    if (g->trans_b != 0 && g->trans_b != 1)
        return bad_number(error, "trans_b", g->trans_b, "0 or 1");
    if (g->m < 0)
        return bad_number(error, "m", g->m, "0 or more");
    if (g->n < 0)
        return bad_number(error, "n", g->n, "0 or more");
    if (g->k < 0)
        return bad_number(error, "k", g->k, "0 or more");
    if (g->threads < 0)
        return bad_number(error, "threads", g->threads, "0 (as many as allowed) or more");
    return GRADUS_OK;
}

static struct operand operand_of(const char *name, const char *ld_name, enum gradus_type type,
                                 const void *address, int64_t rows, int64_t cols, int64_t ld,
                                 bool turned)
{
    if (turned)
        return (struct operand){name, ld_name, type, address, cols, rows, ld};
    return (struct operand){name, ld_name, type, address, rows, cols, ld};
}

enum gradus_status gr_gemm_validate(const struct gradus_gemm *g, struct gradus_error *error)
{
    if (!g)
        return gr_fail(error, GRADUS_INVALID, "gradus_gemm_run: gemm: found a null pointer");
    enum gradus_status status = check_types(g, error);
    if (!status)
        status = check_enums(g, error);
    if (!status)
        status = check_epilogue(g, error);
    if (status)
        return status;
    if (g->batch > 1 || g->packed_a || g->packed_b || g->context || g->workspace)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: batch, packed_a, packed_b, context, workspace: not yet");
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const struct operand x[] = {
        operand_of("a", "lda", g->a_type, g->a, g->m, g->k, g->lda, col != !!g->trans_a),
        operand_of("b", "ldb", g->b_type, g->b, g->k, g->n, g->ldb, col != !!g->trans_b),
        operand_of("c", "ldc", g->c_type, g->c, g->m, g->n, g->ldc, col),
    };
    for (int i = 0; i < 3 && !status; i++)
        status = check_ld(&x[i], error);
    const bool reads_ab = g->alpha != 0 && g->k > 0 && g->m > 0 && g->n > 0;
    for (int i = reads_ab ? 0 : 2; i < 3 && !status; i++)
        status = check_memory(&x[i], error);
    return status;
}
