/* cblas_batch.c: cblas_sgemm_batch (groups of products, by arrays of pointers),
 * cblas_sgemm_batch_strided, the same for double, all with integers of 64 bits, and the groups by
 * SciPy's names. SPDX-License-Identifier: MIT
 *
 * All arguments are judged before anything is computed. Their numbers are those of the declaration
 * in either layout, so RowMajorStrg is 0 when they are reported. */
#include "blas/cblas_errors.h"

#include "cpu/gemm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Arguments of cblas_?gemm_batch, an array element a group; those after the pointers have one a
 * product. Integers are int or int64_t, alpha and beta float or double. */
struct groups {
    struct gr_cblas_caller caller;
    const char *symbol;
    enum gradus_type type;
    CBLAS_LAYOUT layout;
    const CBLAS_TRANSPOSE *trans_a, *trans_b;
    const void *m, *n, *k, *alpha, *beta, *lda, *ldb, *ldc, *size;
    const void *a, *b, *c; /* arrays of pointers */
    int64_t count;
};

static int64_t integer(const struct groups *g, const void *array, int64_t i)
{
    return g->caller.wide ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

static double number(const struct groups *g, const void *array, int64_t i)
{
    return g->type == GRADUS_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* The products of a group, less their matrices. */
static struct gr_plain_gemm plain_of(const struct groups *g, int64_t i)
{
    return (struct gr_plain_gemm){
        .type = g->type,
        .trans_a = gr_cblas_trans(g->trans_a[i]),
        .trans_b = gr_cblas_trans(g->trans_b[i]),
        .m = integer(g, g->m, i),
        .n = integer(g, g->n, i),
        .k = integer(g, g->k, i),
        .alpha = number(g, g->alpha, i),
        .beta = number(g, g->beta, i),
        .lda = integer(g, g->lda, i),
        .ldb = integer(g, g->ldb, i),
        .ldc = integer(g, g->ldc, i),
    };
}

static enum gradus_layout layout_of(CBLAS_LAYOUT layout)
{
    return layout == CblasRowMajor ? GRADUS_ROW_MAJOR : GRADUS_COL_MAJOR;
}

/* The group whose first product is the `first` of all. Pointers to float and to double have the
 * same form as those to void. */
static struct gradus_gemm problem_of(const struct groups *g, const struct gr_plain_gemm *plain,
                                     int64_t size, int64_t first)
{
    struct gradus_gemm x = gr_blas_problem(plain, layout_of(g->layout));
    x.batch = size;
    x.a_array = (const void *const *)g->a + first;
    x.b_array = (const void *const *)g->b + first;
    x.c_array = (void *const *)g->c + first;
    return x;
}

/* The number of the first bad argument among those that cblas_?gemm has too, numbered as there, or
 * 0. */
static int bad_argument(bool row_major, const struct gr_plain_gemm *as_given)
{
    if (as_given->trans_a < 0)
        return 2;
    if (as_given->trans_b < 0)
        return 3;
    struct gr_blas_gemm gemm = {.gemm = *as_given};
    if (row_major)
        gemm = gr_blas_exchanged(&gemm);
    const int info = gr_blas_check(&gemm);
    if (!info)
        return 0;
    return row_major ? gr_cblas_exchanged_number(info + 1) : info + 1;
}

/* What only the library's own judgement finds: null pointers, bad strides, sizes beyond all memory.
 * It names the member behind the function's name; the number of the argument is among `numbers`, in
 * the order of `members`. */
static int bad_member(const struct gradus_gemm *problem, const int numbers[9], const char **text,
                      struct gradus_error *error)
{
    static const char *const members[] = {"a",        "lda", "stride_a", "b",       "ldb",
                                          "stride_b", "c",   "ldc",      "stride_c"};
    if (gr_gemm_validate(problem, "", error) == GRADUS_OK)
        return 0;
    *text = error->text + strlen(": ");
    const size_t length = strcspn(*text, ":[ ");
    for (int i = 0; i < 9; i++)
        if (strncmp(*text, members[i], strlen(members[i])) == 0 &&
            (length == strlen(members[i]) || strncmp(*text + strlen(members[i]), "_array", 6) == 0))
            return numbers[i];
    return numbers[0];
}

static bool is_layout(CBLAS_LAYOUT layout)
{
    return layout == CblasRowMajor || layout == CblasColMajor;
}

/* Judges a group, and reports what is bad about it. */
static bool group_is_good(const struct groups *g, int64_t i, int64_t first)
{
    static const int numbers[] = {8, 9, 0, 10, 11, 0, 13, 14, 0};
    const struct gr_plain_gemm plain = plain_of(g, i);
    const int64_t size = integer(g, g->size, i);
    struct gradus_error error = {0};
    const char *text = NULL;
    int bad = bad_argument(g->layout == CblasRowMajor, &plain);
    if (!bad && size < 0)
        bad = 16;
    if (!bad && size > 0) {
        const struct gradus_gemm problem = problem_of(g, &plain, size, first);
        bad = bad_member(&problem, numbers, &text, &error);
    }
    if (!bad)
        return true;
    char line[sizeof error.text + 64];
    snprintf(line, sizeof line, "in group %" PRId64 ", counted from 0%s%s", i, text ? ": " : "",
             text ? text : "");
    gr_cblas_report_text(&g->caller, bad, line);
    gradus_error_clear(&error);
    return false;
}

static bool groups_are_good(const struct groups *g)
{
    if (!is_layout(g->layout)) {
        gr_cblas_report(&g->caller, false, 1, GR_CBLAS_BAD_LAYOUT, (int)g->layout);
        return false;
    }
    if (g->count < 0) {
        gr_cblas_report(&g->caller, false, 15, "", 0);
        return false;
    }
    int64_t first = 0;
    for (int64_t i = 0; i < g->count; i++) {
        if (!group_is_good(g, i, first))
            return false;
        first += integer(g, g->size, i);
    }
    return true;
}

static void run_groups(const struct groups *g)
{
    if (!groups_are_good(g))
        return;
    int64_t first = 0;
    for (int64_t i = 0; i < g->count; i++) {
        const int64_t size = integer(g, g->size, i);
        const struct gr_plain_gemm plain = plain_of(g, i);
        const struct gradus_gemm problem = problem_of(g, &plain, size, first);
        if (size > 0)
            gr_blas_run_batch(&problem, g->symbol);
        first += size;
    }
}

struct strided {
    struct gr_cblas_caller caller;
    const char *symbol;
    CBLAS_LAYOUT layout;
    int64_t stride_a, stride_b, stride_c, count;
};

/* There are three strides between the leading dimensions of cblas_?gemm. */
static int strided_number(int number)
{
    return number >= 14 ? number + 2 : number >= 11 ? number + 1 : number;
}

static void run_strided(const struct strided *s, const struct gr_plain_gemm *plain)
{
    static const int numbers[] = {8, 9, 10, 11, 12, 13, 15, 16, 17};
    if (!is_layout(s->layout)) {
        gr_cblas_report(&s->caller, false, 1, GR_CBLAS_BAD_LAYOUT, (int)s->layout);
        return;
    }
    struct gradus_gemm problem = gr_blas_problem(plain, layout_of(s->layout));
    problem.batch = s->count;
    problem.stride_a = s->stride_a;
    problem.stride_b = s->stride_b;
    problem.stride_c = s->stride_c;
    struct gradus_error error = {0};
    const char *text = "";
    int bad = strided_number(bad_argument(s->layout == CblasRowMajor, plain));
    if (!bad && s->count > 0)
        bad = bad_member(&problem, numbers, &text, &error);
    if (!bad && s->count < 0)
        bad = 18;
    if (bad)
        gr_cblas_report_text(&s->caller, bad, text);
    else if (s->count > 0)
        gr_blas_run_batch(&problem, s->symbol);
    gradus_error_clear(&error);
}

#define CBLAS_BATCH(name, T, TYPE, INT, ROUTINE)                                                   \
    void name(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a, const CBLAS_TRANSPOSE *trans_b, \
              const INT *m, const INT *n, const INT *k, const T *alpha, const T **a,               \
              const INT *lda, const T **b, const INT *ldb, const T *beta, T **c, const INT *ldc,   \
              INT group_count, const INT *group_size)                                              \
    {                                                                                              \
        run_groups(&(struct groups){.caller = {ROUTINE, sizeof(INT) == 8},                         \
                                    .symbol = #name,                                               \
                                    .type = TYPE,                                                  \
                                    .layout = layout,                                              \
                                    .trans_a = trans_a,                                            \
                                    .trans_b = trans_b,                                            \
                                    .m = m,                                                        \
                                    .n = n,                                                        \
                                    .k = k,                                                        \
                                    .alpha = alpha,                                                \
                                    .beta = beta,                                                  \
                                    .lda = lda,                                                    \
                                    .ldb = ldb,                                                    \
                                    .ldc = ldc,                                                    \
                                    .size = group_size,                                            \
                                    .a = a,                                                        \
                                    .b = b,                                                        \
                                    .c = c,                                                        \
                                    .count = group_count});                                        \
    }

CBLAS_BATCH(cblas_sgemm_batch, float, GRADUS_F32, int, "cblas_sgemm_batch")
CBLAS_BATCH(cblas_dgemm_batch, double, GRADUS_F64, int, "cblas_dgemm_batch")
CBLAS_BATCH(cblas_sgemm_batch64_, float, GRADUS_F32, int64_t, "cblas_sgemm_batch")
CBLAS_BATCH(cblas_dgemm_batch64_, double, GRADUS_F64, int64_t, "cblas_dgemm_batch")

CBLAS_BATCH(scipy_cblas_sgemm_batch, float, GRADUS_F32, int, "cblas_sgemm_batch")
CBLAS_BATCH(scipy_cblas_dgemm_batch, double, GRADUS_F64, int, "cblas_dgemm_batch")
CBLAS_BATCH(scipy_cblas_sgemm_batch64_, float, GRADUS_F32, int64_t, "cblas_sgemm_batch")
CBLAS_BATCH(scipy_cblas_dgemm_batch64_, double, GRADUS_F64, int64_t, "cblas_dgemm_batch")

#define CBLAS_STRIDED(name, T, TYPE, INT, ROUTINE)                                                 \
    void name(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, INT m, INT n, \
              INT k, T alpha, const T *a, INT lda, INT stride_a, const T *b, INT ldb,              \
              INT stride_b, T beta, T *c, INT ldc, INT stride_c, INT batch_size)                   \
    {                                                                                              \
        run_strided(&(struct strided){{ROUTINE, sizeof(INT) == 8},                                 \
                                      #name,                                                       \
                                      layout,                                                      \
                                      stride_a,                                                    \
                                      stride_b,                                                    \
                                      stride_c,                                                    \
                                      batch_size},                                                 \
                    &(struct gr_plain_gemm){TYPE, gr_cblas_trans(trans_a),                         \
                                            gr_cblas_trans(trans_b), m, n, k, alpha, beta, a, b,   \
                                            c, lda, ldb, ldc});                                    \
    }

CBLAS_STRIDED(cblas_sgemm_batch_strided, float, GRADUS_F32, int, "cblas_sgemm_batch_strided")
CBLAS_STRIDED(cblas_dgemm_batch_strided, double, GRADUS_F64, int, "cblas_dgemm_batch_strided")
CBLAS_STRIDED(cblas_sgemm_batch_strided64_, float, GRADUS_F32, int64_t, "cblas_sgemm_batch_strided")
CBLAS_STRIDED(cblas_dgemm_batch_strided64_, double, GRADUS_F64, int64_t,
              "cblas_dgemm_batch_strided")
