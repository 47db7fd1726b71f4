/* gemm_mpi.c: multiplies .npy files by many processes. SPDX-License-Identifier: MIT
 *
 * To each rank a mapped file is a copy of the whole matrix, of which it touches its part only, so
 * that bringing an operand into the plan's layout reads the file and sends nothing. The result
 * stays in the plan's layout, and each rank writes its part. */
#include "files/gemm_mpi.h"

#include "base/file.h"
#include "base/str.h"
#include "core/error.h"
#include "dist/dist_gemm.h"
#include "files/operand.h"
#include "files/output_temporary.h"
#include "files/ranks_gpu.h"
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { A, B, C0, INPUTS };

/* Where the result is written until it is complete; rank 0 creates it, and sends the name. */
struct output {
    char temporary[PATH_MAX], path[PATH_MAX];
    int64_t header_bytes;
    int64_t mode; /* of the file that is replaced; -1: there is none */
};

struct job {
    const struct gr_gemm_files *request;
    struct gr_dist_comm *comm;
    const char *paths[INPUTS];
    struct gr_npy arrays[INPUTS];
    struct gr_operand operands[INPUTS];
    enum gr_dtype type;
    struct gr_dist_plan plan;
    struct gr_dist_gemm gemm;
    struct gr_ranks_gpu gpu; /* with --device cuda */
    struct gr_dist_rect own; /* what this rank computes of C */
    struct gr_gemm_mpi_outcome *outcome;
    struct output output;
    int slot;   /* of rank 0's temporary file, which a signal removes */
    FILE *lock; /* rank 0's: the temporary file, which is locked as long as this is open */
    bool created;
};

static enum gradus_status open_inputs(struct job *job, struct gradus_error *error)
{
    const struct gr_gemm_files *const r = job->request;
    job->type = GR_F32;
    for (int x = 0; x < INPUTS; x++) {
        if (!job->paths[x])
            continue;
        enum gradus_status status =
            r->raw ? gr_npy_open_raw(job->paths[x], *r->raw, &job->arrays[x], error)
                   : gr_npy_open(job->paths[x], &job->arrays[x], error);
        if (status != GRADUS_OK)
            return status;
        if (job->arrays[x].rank != 2)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "%.300s: found an array of %d dimensions, wanted 2 with --mpi",
                           job->paths[x], job->arrays[x].rank);
        if (job->arrays[x].type == GR_F64)
            job->type = GR_F64;
    }
    return GRADUS_OK;
}

static enum gradus_status match(struct job *job, struct gradus_error *error)
{
    const struct gr_gemm_files *const r = job->request;
    const struct gr_npy *const a = &job->arrays[A], *const b = &job->arrays[B];
    struct gr_dist_gemm *const g = &job->gemm;
    g->m = r->trans_a ? a->cols : a->rows;
    g->k = r->trans_a ? a->rows : a->cols;
    g->n = r->trans_b ? b->rows : b->cols;
    const int64_t inner = r->trans_b ? b->cols : b->rows;
    if (inner != g->k)
        return gr_fail(error, GRADUS_INVALID,
                       "%.150s and %.150s: inner sizes: found %" PRId64 " and %" PRId64
                       ", wanted equal ones",
                       r->a, r->b, g->k, inner);
    if (r->beta != 0 && !r->c0)
        return gr_fail(error, GRADUS_INVALID, "beta: found %g without a C0, wanted --c FILE too",
                       r->beta);
    const struct gr_npy *const c = &job->arrays[C0];
    if (r->c0 && (c->rows != g->m || c->cols != g->n))
        return gr_fail(error, GRADUS_INVALID,
                       "%.300s: shape: found (%" PRId64 ", %" PRId64 "), wanted (%" PRId64
                       ", %" PRId64 ")",
                       r->c0, c->rows, c->cols, g->m, g->n);
    return GRADUS_OK;
}

/* A file as this rank sees it: it has a copy of everything. */
static struct gr_dist_matrix matrix_of(const struct job *job, int x)
{
    const struct gr_operand *const operand = &job->operands[x];
    struct gr_dist_matrix matrix = {
        gr_dist_layout_replicated(job->arrays[x].rows, job->arrays[x].cols, job->comm->size),
        (void *)(uintptr_t)operand->elements, operand->ld};
    matrix.layout.col_major = operand->transposed;
    return matrix;
}

/* The plan for GPUs, and this rank's block of C. */
static enum gradus_status prepare_gpu(struct job *job, struct gradus_error *error)
{
    const struct gr_dist_gemm *const g = &job->gemm;
    const struct gr_operand *const a = &job->operands[A], *const b = &job->operands[B];
    struct gradus_gemm *const gemm = &job->gpu.gemm.gemm;
    gradus_gemm_init(gemm, g->type);
    gemm->device = GRADUS_GPU;
    gemm->trans_a = a->transposed != (g->trans_a != 0);
    gemm->trans_b = b->transposed != (g->trans_b != 0);
    gemm->m = g->m, gemm->n = g->n, gemm->k = g->k;
    gemm->alpha = g->alpha, gemm->beta = g->beta;
    gemm->a = a->elements, gemm->lda = a->ld;
    gemm->b = b->elements, gemm->ldb = b->ld;
    return gr_ranks_gpu_plan(&job->gpu, job->comm, &job->plan, &job->own, error);
}

/* The plan for CPUs, and this rank's part of C. */
static enum gradus_status prepare_cpu(struct job *job, struct gradus_error *error)
{
    struct gr_dist_gemm *const g = &job->gemm;
    const enum gradus_status status = gr_dist_gemm_plan(g, job->comm->size, &job->plan, error);
    if (status != GRADUS_OK)
        return status;
    g->plan = &job->plan;
    g->a = matrix_of(job, A);
    g->b = matrix_of(job, B);
    g->c.layout = gr_dist_layout_planned(&job->plan, GR_DIST_C);
    job->own = gr_dist_owned(&job->plan, job->comm->rank, GR_DIST_C);
    return GRADUS_OK;
}

/* The problem, its plan, and memory for this rank's part of C. */
static enum gradus_status prepare(struct job *job, struct gradus_error *error)
{
    const struct gr_gemm_files *const r = job->request;
    struct gr_dist_gemm *const g = &job->gemm;
    enum gradus_status status = open_inputs(job, error);
    if (status == GRADUS_OK)
        status = match(job, error);
    for (int x = 0; x < INPUTS && status == GRADUS_OK; x++)
        if (job->paths[x])
            status =
                gr_operand_of(job->paths[x], &job->arrays[x], job->type, &job->operands[x], error);
    if (status != GRADUS_OK)
        return status;
    g->type = job->type == GR_F64 ? GRADUS_F64 : GRADUS_F32;
    g->trans_a = r->trans_a, g->trans_b = r->trans_b;
    g->alpha = r->alpha, g->beta = r->beta;
    g->threads = r->threads;
    status = r->several ? prepare_gpu(job, error) : prepare_cpu(job, error);
    if (status != GRADUS_OK)
        return status;
    const int64_t rows = job->own.row_end - job->own.row;
    g->c.ld = job->own.col_end - job->own.col;
    const size_t bytes = (size_t)rows * (size_t)g->c.ld * gr_dtype_bytes(job->type);
    g->c.local = malloc(bytes + 1);
    return g->c.local ? GRADUS_OK : gr_fail_memory(error, "this rank's part of C", bytes);
}

/* The file that is to appear: of a symbolic link its target. */
static enum gradus_status resolve(struct job *job, struct gradus_error *error)
{
    struct output *const out = &job->output;
    const char *const path = job->request->out;
    struct stat found;
    const bool exists = stat(path, &found) == 0;
    if (strcmp(path, "-") == 0 || (exists && !S_ISREG(found.st_mode)))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%.300s: found an output that is no regular file, wanted one with --mpi",
                       path);
    out->mode = exists ? (int64_t)(found.st_mode & 07777) : -1;
    char *const real = gr_path_behind_links(path);
    const int length = real ? snprintf(out->path, sizeof out->path, "%s", real) : -1;
    free(real);
    if (length < 0 || length > PATH_MAX - 32)
        return gr_fail(error, GRADUS_IO, "%.300s: the path could not be resolved", path);
    snprintf(out->temporary, sizeof out->temporary, "%.*s.tmp.%ld", PATH_MAX - 32, out->path,
             (long)getpid());
    return GRADUS_OK;
}

static enum gradus_status io_failed(const char *path, const char *what, struct gradus_error *error)
{
    return gr_fail(error, GRADUS_IO, "%.300s: could not be %s: %s", path, what, strerror(errno));
}

/* Rank 0: the header, and the room for all elements. */
static enum gradus_status create(struct job *job, struct gradus_error *error)
{
    struct output *const out = &job->output;
    enum gradus_status status = resolve(job, error);
    if (status != GRADUS_OK)
        return status;
    gr_output_temporary_sweep(out->path);
    FILE *const stream = gr_output_temporary_create(out->temporary);
    if (!stream)
        return io_failed(out->path, "created", error);
    job->created = true;
    job->lock = stream;
    job->slot = gr_file_note_pending(out->temporary);
    const int64_t count = job->gemm.m * job->gemm.n;
    if (out->mode >= 0 && fchmod(fileno(stream), (mode_t)out->mode) != 0)
        status = io_failed(out->path, "given the mode of the one that it replaces", error);
    if (status == GRADUS_OK)
        status = gr_npy_write_header(stream, job->type, 2, job->gemm.m, job->gemm.n, error);
    if (status == GRADUS_OK && fflush(stream) == 0) {
        out->header_bytes = ftell(stream);
        const int64_t bytes = out->header_bytes + count * (int64_t)gr_dtype_bytes(job->type);
        errno = posix_fallocate(fileno(stream), 0, bytes); /* a full disk is found now */
        if (errno)
            status = io_failed(out->path, "given its size", error);
    } else if (status == GRADUS_OK)
        status = io_failed(out->path, "written", error);
    return status;
}

static bool write_at(int file, const char *data, size_t bytes, int64_t at)
{
    while (bytes > 0) {
        const ssize_t written = pwrite(file, data, bytes, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written, bytes -= (size_t)written, at += written;
    }
    return true;
}

/* This rank's rectangle, a row at a time, or in one piece where its rows are whole. */
static enum gradus_status write_part(struct job *job, struct gradus_error *error)
{
    const struct output *const out = &job->output;
    const struct gr_dist_rect own = job->own;
    const int64_t element = (int64_t)gr_dtype_bytes(job->type), n = job->gemm.n;
    int64_t rows = own.row_end - own.row, cols = own.col_end - own.col;
    if (rows == 0 || cols == 0)
        return GRADUS_OK;
    if (cols == n)
        cols *= rows, rows = 1;
    const int file = open(out->temporary, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return gr_fail(error, GRADUS_IO,
                       "%.300s: could not be opened: %s; --mpi needs a file system that all ranks "
                       "see",
                       out->path, strerror(errno));
    bool good = true;
    const char *const data = job->gemm.c.local;
    for (int64_t i = 0; i < rows && good; i++)
        good = write_at(file, data + i * cols * element, (size_t)(cols * element),
                        out->header_bytes + ((own.row + i) * n + own.col) * element);
    good = good && fsync(file) == 0;
    const enum gradus_status status = good ? GRADUS_OK : io_failed(out->path, "written", error);
    close(file);
    return status;
}

static enum gradus_status commit(struct job *job, struct gradus_error *error)
{
    if (job->comm->rank > 0)
        return GRADUS_OK;
    if (rename(job->output.temporary, job->output.path) != 0)
        return io_failed(job->output.path, "given its name", error);
    job->created = false;
    gr_file_forget(job->slot);
    return GRADUS_OK;
}

/* This rank's part of C0, as every rank sees the file. */
static void copy_c0(struct job *job)
{
    const struct gr_operand *const c0 = &job->operands[C0];
    const struct gr_dist_rect *const own = &job->own;
    const size_t element = gr_dtype_bytes(job->type);
    char *to = job->gemm.c.local;
    for (int64_t i = own->row; i < own->row_end; i++)
        for (int64_t j = own->col; j < own->col_end; j++, to += element)
            memcpy(to,
                   (const char *)c0->elements +
                       (size_t)(c0->transposed ? j * c0->ld + i : i * c0->ld + j) * element,
                   element);
}

/* C0 comes into this rank's part of C. */
static enum gradus_status load_c0(struct job *job, struct gradus_error *error)
{
    if (job->gemm.beta == 0)
        return GRADUS_OK;
    if (job->request->several) {
        copy_c0(job);
        return GRADUS_OK;
    }
    const struct gr_dist_matrix c0 = matrix_of(job, C0);
    return gr_dist_redistribute(job->comm, &c0, &job->gemm.c, (int64_t)gr_dtype_bytes(job->type),
                                error);
}

/* Collects the timelines of all ranks on rank 0. */
static enum gradus_status collect(struct job *job, const struct gr_dist_timeline *mine,
                                  struct gradus_error *error)
{
    struct gr_gemm_mpi_outcome *const outcome = job->outcome;
    struct gr_dist_comm *const comm = job->comm;
    enum gradus_status status = GRADUS_OK;
    if (!outcome->timeline)
        return GRADUS_OK;
    if (comm->rank == 0) {
        outcome->timelines = calloc((size_t)comm->size, sizeof *mine);
        if (!outcome->timelines)
            status = gr_fail_memory(error, "the ranks' timelines", sizeof *mine);
    }
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK)
        status = gr_dist_collect(comm, mine, sizeof *mine, outcome->timelines, error);
    return status;
}

static enum gradus_status run(struct job *job, struct gradus_error *error)
{
    struct gr_dist_comm *const comm = job->comm;
    char asked[GR_DIST_ASKED];
    struct gr_dist_timeline timeline = {0};
    enum gradus_status status = prepare(job, error);
    job->gemm.timeline = &timeline;
    snprintf(asked, sizeof asked, "%" PRId64 "x%" PRId64 "x%" PRId64 " %s%s%s", job->gemm.m,
             job->gemm.n, job->gemm.k, gr_dtype_name(job->type),
             job->request->several ? ", --device cuda" : "",
             job->outcome->timeline ? ", --timeline" : "");
    status = gr_dist_agree(comm, status, asked, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_dist_agree(comm, comm->rank == 0 ? create(job, error) : GRADUS_OK, NULL, error);
    if (status == GRADUS_OK)
        status = gr_dist_broadcast(comm, &job->output, sizeof job->output, error);
    if (status == GRADUS_OK)
        status = load_c0(job, error);
    if (status == GRADUS_OK && job->request->several)
        status = gr_ranks_gpu_run(&job->gpu, comm, &job->own, job->gemm.c.local,
                                  job->request->memory_bytes, &timeline, &job->plan, error);
    else if (status == GRADUS_OK)
        status = gr_dist_gemm_run(&job->gemm, comm, error);
    if (status == GRADUS_OK)
        status = gr_dist_agree(comm, write_part(job, error), NULL, error);
    if (status == GRADUS_OK)
        status = collect(job, &timeline, error);
    return status == GRADUS_OK ? gr_dist_agree(comm, commit(job, error), NULL, error) : status;
}

enum gradus_status gr_gemm_files_mpi(const struct gr_gemm_files *request, struct gr_dist_comm *comm,
                                     struct gr_gemm_mpi_outcome *outcome,
                                     struct gradus_error *error)
{
    struct job job = {.request = request,
                      .comm = comm,
                      .outcome = outcome,
                      .paths = {request->a, request->b, request->c0},
                      .slot = -1};
    const enum gradus_status status = run(&job, error);
    if (job.created) {
        unlink(job.output.temporary);
        gr_file_forget(job.slot);
    }
    if (job.lock)
        fclose(job.lock);
    for (int x = 0; x < INPUTS; x++) {
        gr_operand_free(&job.operands[x]);
        gr_npy_close(&job.arrays[x]);
    }
    free(job.gemm.c.local);
    outcome->plan = job.plan;
    return status;
}
