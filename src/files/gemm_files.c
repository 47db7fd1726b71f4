/* gemm_files.c: multiplies .npy files: open, match shapes, multiply, verify, write.
 * SPDX-License-Identifier: MIT */
#include "files/gemm_files.h"

#include "core/error.h"
#include "base/str.h"
#include "files/operand.h"
#include "files/several.h"
#include "files/simulated.h"
#include "files/stream.h"
#include "files/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    const struct gr_gemm_files *request;
    struct gr_npy a, b, c0;
    struct gr_operand left, right, old;
    enum gr_dtype type;
    int64_t m, n, k;
    int rank; /* of the result */
    void *c;  /* m x n, dense */
    struct gr_target target;
};

/* "(3, 4)", "(3,)" or "()", as in the file. */
static const char *shape_of(const struct gr_npy *array, char text[64])
{
    if (array->rank == 0)
        snprintf(text, 64, "()");
    else if (array->rank == 1)
        snprintf(text, 64, "(%" PRId64 ",)", array->rows);
    else
        snprintf(text, 64, "(%" PRId64 ", %" PRId64 ")", array->rows, array->cols);
    return text;
}

static enum gradus_status open_array(const struct job *job, const char *path, struct gr_npy *array,
                                     struct gradus_error *error)
{
    const enum gr_dtype *raw = job->request->raw;
    return raw ? gr_npy_open_raw(path, *raw, array, error) : gr_npy_open(path, array, error);
}

static enum gradus_status open_factor(const struct job *job, const char *path, struct gr_npy *array,
                                      struct gradus_error *error)
{
    enum gradus_status status = open_array(job, path, array, error);
    if (status == GRADUS_OK && array->rank == 0)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: shape: found (), a single number, wanted a matrix or a vector", path);
    return status;
}

/* Explains which inner sizes do not match, and whether a transposition would fix it. */
static enum gradus_status mismatch(const struct job *job, int64_t inner_a, int64_t inner_b,
                                   struct gradus_error *error)
{
    const struct gr_gemm_files *r = job->request;
    char a[64], b[64];
    const char *hint = "";
    if (job->a.rank == 2 && job->m == inner_b)
        hint = r->trans_a ? "; did you mean it without --trans-a?" : "; did you mean --trans-a?";
    else if (job->b.rank == 2 && job->n == inner_a)
        hint = r->trans_b ? "; did you mean it without --trans-b?" : "; did you mean --trans-b?";
    return gr_fail(error, GRADUS_INVALID,
                   "%s and %s: shapes: found %s%s and %s%s, inner sizes %" PRId64 " and %" PRId64
                   ", wanted equal ones%s",
                   r->a, r->b, shape_of(&job->a, a), r->trans_a ? " transposed" : "",
                   shape_of(&job->b, b), r->trans_b ? " transposed" : "", inner_a, inner_b, hint);
}

/* Determines the sizes of the problem. A vector on the left is used as one row, although the
 * reader gives it as one column. */
static enum gradus_status match_factors(struct job *job, struct gradus_error *error)
{
    const struct gr_gemm_files *r = job->request;
    if (job->a.rank == 1) {
        job->a.cols = job->a.rows;
        job->a.rows = 1;
    }
    bool turn_a = r->trans_a && job->a.rank == 2, turn_b = r->trans_b && job->b.rank == 2;
    int64_t inner_a = turn_a ? job->a.rows : job->a.cols;
    int64_t inner_b = turn_b ? job->b.cols : job->b.rows;
    job->m = turn_a ? job->a.cols : job->a.rows;
    job->n = turn_b ? job->b.rows : job->b.cols;
    job->k = inner_a;
    job->rank = (job->a.rank == 2) + (job->b.rank == 2);
    if (inner_a == inner_b)
        return GRADUS_OK;
    if (job->a.rank == 1)
        job->a.rows = inner_a; /* as in the file, for the message */
    return mismatch(job, inner_a, inner_b, error);
}

/* The shape of an array with the result's shape, as the reader would give it. */
static struct gr_npy product_shape(const struct job *job)
{
    struct gr_npy shape = {.rank = job->rank, .rows = job->m, .cols = job->n};
    if (job->rank == 1) {
        shape.rows = job->m * job->n;
        shape.cols = 1;
    }
    return shape;
}

static enum gradus_status match_c0(struct job *job, struct gradus_error *error)
{
    const char *path = job->request->c0;
    if (!path) {
        if (job->request->beta == 0)
            return GRADUS_OK;
        return gr_fail(error, GRADUS_INVALID, "beta: found %g without a C0, wanted --c FILE too",
                       job->request->beta);
    }
    enum gradus_status status = open_array(job, path, &job->c0, error);
    if (status != GRADUS_OK)
        return status;
    struct gr_npy wanted = product_shape(job);
    if (job->c0.rank != wanted.rank || job->c0.rows != wanted.rows || job->c0.cols != wanted.cols) {
        char found[64], product[64];
        return gr_fail(error, GRADUS_INVALID, "%s: shape: found %s, wanted the product's, %s", path,
                       shape_of(&job->c0, found), shape_of(&wanted, product));
    }
    job->c0.rows = job->m; /* as a matrix */
    job->c0.cols = job->n;
    return GRADUS_OK;
}

/* f64 if any input is, else f32, as NumPy promotes, except that f2 and raw words are computed
 * and written as f4. */
static void choose_type(struct job *job, struct gr_gemm_files_outcome *outcome)
{
    const struct gr_npy *arrays[] = {&job->a, &job->b, &job->c0};
    int count = job->request->c0 ? 3 : 2;
    job->type = GR_F32;
    for (int i = 0; i < count; i++) {
        if (arrays[i]->type == GR_F64)
            job->type = GR_F64;
        if (gr_dtype_bytes(arrays[i]->type) < gr_dtype_bytes(GR_F32)) {
            outcome->widened = true;
            outcome->narrow = arrays[i]->type;
        }
    }
    outcome->type = job->type;
    outcome->m = job->m;
    outcome->n = job->n;
    outcome->k = job->k;
}

/* Allocates the result. If it exceeds the available memory it is refused, so that the
 * out-of-memory killer does not end the process. */
static enum gradus_status allocate_c(struct job *job, struct gradus_error *error)
{
    struct gr_npy product = product_shape(job);
    char shape[64];
    int64_t bytes, have = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (__builtin_mul_overflow(job->m, job->n, &bytes) ||
        __builtin_mul_overflow(bytes, (int64_t)gr_dtype_bytes(job->type), &bytes))
        bytes = INT64_MAX;
    job->c = bytes < have ? calloc((size_t)bytes + 1, 1) : NULL;
    if (job->c)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_NO_MEMORY,
                   "product: a shape of %s takes %s%" PRId64 " bytes, this machine has %" PRId64,
                   shape_of(&product, shape), bytes == INT64_MAX ? "more than " : "", bytes, have);
}

static enum gradus_status load(struct job *job, struct gr_gemm_files_outcome *outcome,
                               struct gradus_error *error)
{
    const struct gr_gemm_files *r = job->request;
    enum gradus_status status = open_factor(job, r->a, &job->a, error);
    if (status == GRADUS_OK)
        status = open_factor(job, r->b, &job->b, error);
    if (status == GRADUS_OK)
        status = match_factors(job, error);
    if (status == GRADUS_OK)
        status = match_c0(job, error);
    if (status != GRADUS_OK)
        return status;
    choose_type(job, outcome);
    status = gr_target_open(&job->target, r->out, error);
    if (status == GRADUS_OK)
        status = allocate_c(job, error);
    if (status == GRADUS_OK)
        status = gr_operand_of(r->a, &job->a, job->type, &job->left, error);
    if (status == GRADUS_OK)
        status = gr_operand_of(r->b, &job->b, job->type, &job->right, error);
    if (status == GRADUS_OK && r->beta != 0)
        status = gr_operand_of(r->c0, &job->c0, job->type, &job->old, error);
    if (status == GRADUS_OK && r->beta != 0)
        gr_operand_copy(&job->old, job->type, job->c);
    return status;
}

/* Column-major storage and --trans each transpose the matrix, so that both together cancel. */
static bool transposed(const struct gr_operand *operand, const struct gr_npy *array, bool trans)
{
    return operand->transposed != (trans && array->rank == 2);
}

static enum gradus_status multiply(struct job *job, struct gr_gemm_files_outcome *outcome,
                                   struct gradus_error *error)
{
    const struct gr_gemm_files *r = job->request;
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, job->type == GR_F64 ? GRADUS_F64 : GRADUS_F32);
    gemm.trans_a = transposed(&job->left, &job->a, r->trans_a);
    gemm.trans_b = transposed(&job->right, &job->b, r->trans_b);
    gemm.m = job->m, gemm.n = job->n, gemm.k = job->k;
    gemm.alpha = r->alpha, gemm.beta = r->beta;
    gemm.a = job->left.elements, gemm.lda = job->left.ld;
    gemm.b = job->right.elements, gemm.ldb = job->right.ld;
    gemm.c = job->c, gemm.ldc = job->n > 1 ? job->n : 1;
    gemm.threads = r->threads;
    if (r->several)
        return gr_several_multiply(r, &gemm, outcome, error);
    if (gr_device_is_simulated(&r->device))
        return gr_simulated_multiply(&r->device, &gemm, r->engine, error);
    return gr_device_is_host(&r->device)
               ? gradus_gemm_run(&gemm, error)
               : gr_stream_multiply(&r->device, r->memory_bytes, &gemm, error);
}

static enum gradus_status verify(struct job *job, struct gr_gemm_files_outcome *outcome,
                                 struct gradus_error *error)
{
    const struct gr_gemm_files *r = job->request;
    struct gr_problem problem =
        gr_problem_dense(job->m, job->n, job->k, transposed(&job->left, &job->a, r->trans_a),
                         transposed(&job->right, &job->b, r->trans_b), gr_types_of(job->type));
    problem.lda = job->left.ld;
    problem.ldb = job->right.ld;
    void *c0 = NULL;
    if (r->beta != 0) {
        size_t bytes = (size_t)(job->m * job->n) * gr_dtype_bytes(job->type) + 1;
        c0 = malloc(bytes);
        if (!c0)
            return gr_fail_memory(error, "a copy of C0", bytes);
        gr_operand_copy(&job->old, job->type, c0);
    }
    struct gr_reference *reference;
    enum gradus_status status = gr_reference_make(&problem, job->left.elements, job->right.elements,
                                                  NULL, 1, 0, r->threads, &reference, error);
    if (status == GRADUS_OK)
        status = gr_check_result(reference, r->alpha, r->beta, c0, job->c, NULL, false,
                                 &outcome->check, &outcome->findings, error);
    gr_reference_free(reference);
    free(c0);
    return status;
}

static enum gradus_status write_product(struct job *job, struct gradus_error *error)
{
    struct gradus_error inner = {0};
    if (gr_npy_write(job->target.stream, job->type, job->rank, job->m, job->n, job->c, &inner) ==
        GRADUS_OK)
        return gr_target_commit(&job->target, error);
    const char *path = strcmp(job->request->out, "-") == 0 ? "standard output" : job->request->out;
    return gr_fail(error, inner.status, "%s: %s", path, inner.text);
}

enum gradus_status gr_gemm_files_run(const struct gr_gemm_files *request,
                                     struct gr_gemm_files_outcome *outcome,
                                     struct gradus_error *error)
{
    struct job job = {.request = request};
    *outcome = (struct gr_gemm_files_outcome){0};
    gr_follower_stage(request->follower, "reading");
    enum gradus_status status = load(&job, outcome, error);
    gr_follower_stage(request->follower, "multiplying");
    if (status == GRADUS_OK)
        status = multiply(&job, outcome, error);
    if (request->verify)
        gr_follower_stage(request->follower, "verifying");
    if (status == GRADUS_OK && request->verify)
        status = verify(&job, outcome, error);
    bool refused = request->verify && !outcome->check.right;
    gr_follower_stage(request->follower, "writing");
    if (status == GRADUS_OK && !refused)
        status = write_product(&job, error);
    gr_target_abandon(&job.target);
    gr_operand_free(&job.left);
    gr_operand_free(&job.right);
    gr_operand_free(&job.old);
    free(job.c);
    gr_npy_close(&job.a);
    gr_npy_close(&job.b);
    gr_npy_close(&job.c0);
    return status;
}
