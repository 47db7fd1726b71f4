/* bench_ranks.c: implements gradus bench --mpi. SPDX-License-Identifier: MIT */
#include "cli/bench_ranks.h"

#include "cli/measuring.h"
#include "cli/ranks.h"
#include "cli/ranks_row.h"
#include "core/error.h"
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    struct gr_size *sizes;
    int size_count;
    struct gr_ranks_task task; /* without the size */
    const char *format;
};

/* Options that have no meaning here are refused, not ignored. */
static enum gradus_status check_options(const struct gr_args *args, struct gradus_error *error)
{
    static const char *const known[] = {"mpi",  "size",    "sizes",  "dtype",
                                        "seed", "threads", "format", "overlap"};
    for (int i = 0; i < args->given_count; i++) {
        const char *const name = args->verb->options[args->given[i].option].name;
        bool found = false;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            found |= strcmp(name, known[j]) == 0;
        if (!found)
            return gr_fail(error, GRADUS_INVALID, "bench: --mpi excludes --%s", name);
    }
    if (args->operand_count > 0)
        return gr_fail(error, GRADUS_INVALID,
                       "bench: --mpi measures the library: found '%.80s', wanted no kernel",
                       args->operands[0]);
    return GRADUS_OK;
}

static enum gradus_status read_sizes(const struct gr_args *args, struct request *r,
                                     struct gradus_error *error)
{
    static const char *const names[] = {"size", "sizes"};
    enum gradus_status status = GRADUS_OK;
    for (int s = 0; s < 2; s++)
        for (int i = 0; gr_args_get_at(args, names[s], i) && status == GRADUS_OK; i++)
            status =
                gr_sizes_parse(gr_args_get_at(args, names[s], i), &r->sizes, &r->size_count, error);
    if (status == GRADUS_OK && r->size_count == 0)
        status = gr_sizes_parse("1024,2048", &r->sizes, &r->size_count, error);
    for (int i = 0; i < r->size_count && status == GRADUS_OK; i++)
        if (r->sizes[i].m < 1 || r->sizes[i].n < 1 || r->sizes[i].k < 1)
            status = gr_fail(error, GRADUS_INVALID,
                             "bench: --mpi: found a size of 0, wanted 1 or "
                             "more: a product of nothing has no rate");
    return status;
}

static enum gradus_status read_options(const struct gr_args *args, struct request *r,
                                       struct gradus_error *error)
{
    const char *const dtype = gr_args_get(args, "dtype"), *seed = gr_args_get(args, "seed");
    const char *const threads = gr_args_get(args, "threads");
    const char *const overlap = gr_args_get(args, "overlap");
    int64_t number = gr_cpu_threads_default(), start = 1;
    enum gradus_status status = check_options(args, error);
    if (status == GRADUS_OK)
        status = read_sizes(args, r, error);
    if (status == GRADUS_OK && threads)
        status = gr_measuring_integer("threads", threads, 1, 4096, &number, error);
    if (status == GRADUS_OK && seed)
        status = gr_measuring_integer("seed", seed, 0, INT64_MAX, &start, error);
    const bool f64 = dtype && strcmp(dtype, "f64") == 0;
    if (status == GRADUS_OK && dtype && !f64 && strcmp(dtype, "f32") != 0)
        status = gr_fail(error, GRADUS_INVALID,
                         "bench: --mpi: --dtype: found '%.40s', wanted f32 or f64", dtype);
    r->format = gr_args_get(args, "format");
    r->format = r->format ? r->format : "table";
    if (status == GRADUS_OK && strcmp(r->format, "md") == 0)
        status = gr_fail(error, GRADUS_INVALID,
                         "bench: --mpi: --format: found 'md', wanted table, csv or json");
    r->task = (struct gr_ranks_task){.type = f64 ? GRADUS_F64 : GRADUS_F32,
                                     .threads = (int)number,
                                     .overlap = !overlap || strcmp(overlap, "no") != 0,
                                     .seed = (uint64_t)start,
                                     .budget_ns = 2000000000};
    return status;
}

/* Checks what must be the same on all ranks and is not compared by the products themselves. */
static enum gradus_status agree(struct gr_dist_comm *comm, enum gradus_status status,
                                const struct request *r, struct gradus_error *error)
{
    char asked[GR_DIST_ASKED];
    int length = snprintf(asked, sizeof asked, "bench %s, %d", r->format, r->task.overlap);
    for (int i = 0; i < r->size_count && length < GR_DIST_ASKED; i++)
        length += snprintf(asked + length, sizeof asked - (size_t)length, ", %dx%dx%d",
                           (int)r->sizes[i].m, (int)r->sizes[i].n, (int)r->sizes[i].k);
    return gr_dist_agree(comm, status, asked, error);
}

/* Rank 0 prints each row as soon as it is measured. *wrong: some row is wrong. */
static enum gradus_status measure(struct gr_dist_comm *comm, const struct request *r,
                                  const char *command, bool *wrong, struct gradus_error *error)
{
    struct gr_ranks_output output = {
        .format = r->format, .command = command, .ranks = comm->size, .silent = comm->rank > 0};
    enum gradus_status status = GRADUS_OK;
    gr_ranks_output_begin(&output, &r->task);
    for (int i = 0; i < r->size_count && status == GRADUS_OK; i++) {
        struct gr_ranks_row row;
        struct gr_ranks_task task = r->task;
        task.m = r->sizes[i].m, task.n = r->sizes[i].n, task.k = r->sizes[i].k;
        status = gr_ranks_bench(comm, &task, &row, error);
        if (status == GRADUS_OK)
            gr_ranks_output_row(&output, &row);
        *wrong |= status == GRADUS_OK && row.wrong_row >= 0;
    }
    gr_ranks_output_end(&output);
    return status;
}

enum gr_exit gr_bench_ranks(const struct gr_args *args)
{
    struct gr_ranks ranks;
    struct request request = {0};
    struct gradus_error error = {0};
    bool wrong = false;
    enum gradus_status status = gr_ranks_open(&ranks, &error);
    if (status == GRADUS_OK) {
        status = read_options(args, &request, &error);
        status = agree(&ranks.comm, status, &request, &error);
    }
    if (status == GRADUS_OK)
        status = measure(&ranks.comm, &request, args->command, &wrong, &error);
    free(request.sizes);
    const enum gr_exit code = gr_ranks_close(&ranks, status, &error);
    return code == GR_EXIT_RIGHT && wrong ? GR_EXIT_WRONG : code;
}
