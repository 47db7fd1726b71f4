/* ranks_rates.c: measures the rates that the plan of a product over many ranks requires.
 * SPDX-License-Identifier: MIT */
#include "measure/ranks_rates.h"

#include "core/clock.h"
#include "core/error.h"
#include "measure/ranks_carrying.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEWEST = 3,
    WINDOW_NS = 100000000,
    EXCHANGES = 100,
    MOST_BESIDE = 300,
    COPIED_BYTES = 16 << 20
};

static double seconds_since(int64_t begin)
{
    return (double)(gr_now_ns() - begin) * 1e-9;
}

static void take_larger(void *sum, const void *x, size_t bytes)
{
    double *const to = sum;
    const double *const from = x;
    for (size_t i = 0; i < bytes / sizeof *to; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

enum gradus_status gr_ranks_largest(struct gr_dist_comm *comm, double *values, int count,
                                    struct gradus_error *error)
{
    return gr_dist_combine(comm, values, (size_t)count * sizeof *values, take_larger, error);
}

/* The memory of one rank's measurements. */
struct bench {
    const struct gr_ranks_probe *probe;
    struct gr_dist_comm *comm;
    size_t element;
    char *a, *b, *c;
    char *out, *in; /* of message_bytes, and at least COPIED_BYTES */
};

static void set_ones(char *data, size_t bytes, enum gradus_type type)
{
    for (size_t i = 0; type == GRADUS_F32 && i < bytes / sizeof(float); i++)
        ((float *)(void *)data)[i] = 1;
    for (size_t i = 0; type == GRADUS_F64 && i < bytes / sizeof(double); i++)
        ((double *)(void *)data)[i] = 1;
}

static enum gradus_status allocate(struct bench *x, struct gradus_error *error)
{
    const int64_t *const size = x->probe->size;
    const size_t m = (size_t)size[0], n = (size_t)size[1], k = (size_t)size[2];
    const size_t message =
        x->probe->message_bytes > COPIED_BYTES ? (size_t)x->probe->message_bytes : COPIED_BYTES;
    const size_t bytes[] = {m * k * x->element, k * n * x->element, m * n * x->element, message,
                            message};
    char **const all[] = {&x->a, &x->b, &x->c, &x->out, &x->in};
    for (int i = 0; i < 5; i++) {
        *all[i] = malloc(bytes[i] + 1);
        if (!*all[i])
            return gr_fail_memory(error, "the measurement of a rank's rates", bytes[i]);
        set_ones(*all[i], bytes[i], x->probe->type);
    }
    return GRADUS_OK;
}

static struct gradus_gemm product_of(const struct bench *x)
{
    const bool *const by_cols = x->probe->by_cols;
    struct gradus_gemm g;
    gradus_gemm_init(&g, x->probe->type);
    g.m = x->probe->size[0], g.n = x->probe->size[1], g.k = x->probe->size[2];
    g.layout = by_cols[GR_DIST_C] ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.trans_a = by_cols[GR_DIST_A] != by_cols[GR_DIST_C];
    g.trans_b = by_cols[GR_DIST_B] != by_cols[GR_DIST_C];
    g.lda = by_cols[GR_DIST_A] ? g.m : g.k;
    g.ldb = by_cols[GR_DIST_B] ? g.k : g.n;
    g.ldc = by_cols[GR_DIST_C] ? g.m : g.n;
    g.a = x->a, g.b = x->b, g.c = x->c;
    g.threads = x->probe->threads;
    return g;
}

/* Measures the mean time of a local product, over a period in which all ranks that share a
 * processor have their turn. A first product is not counted. */
static enum gradus_status time_product(struct bench *x, double *seconds, struct gradus_error *error)
{
    const struct gradus_gemm g = product_of(x);
    enum gradus_status status = gradus_gemm_run(&g, error);
    const int64_t begin = gr_now_ns();
    int count = 0;
    for (; status == GRADUS_OK && (count < FEWEST || gr_now_ns() - begin < WINDOW_NS); count++)
        status = gradus_gemm_run(&g, error);
    *seconds = seconds_since(begin) / (count > 0 ? count : 1);
    return status;
}

static double time_copy(struct bench *x)
{
    const int64_t begin = gr_now_ns();
    int count = 0;
    for (; count < FEWEST || gr_now_ns() - begin < WINDOW_NS; count++)
        memcpy(count % 2 ? x->out : x->in, count % 2 ? x->in : x->out, COPIED_BYTES);
    return seconds_since(begin) / count;
}

/* Measures the mean time of an exchange with both neighbours in the ring. If ranks share a
 * processor, some exchanges take much longer, because ranks wait for their turn. */
static enum gradus_status time_ring(struct bench *x, size_t bytes, int count, double *seconds,
                                    struct gradus_error *error)
{
    struct gr_dist_comm *const comm = x->comm;
    const struct gr_dist_message to = {(comm->rank + 1) % comm->size, x->out, bytes};
    const struct gr_dist_message from = {(comm->rank + comm->size - 1) % comm->size, x->in, bytes};
    enum gradus_status status = comm->exchange(comm, &to, 1, &from, 1, error);
    const int64_t begin = gr_now_ns();
    for (int i = 0; i < count && status == GRADUS_OK; i++)
        status = comm->exchange(comm, &to, 1, &from, 1, error);
    *seconds = seconds_since(begin) / count;
    return status;
}

static enum gradus_status measure_links(struct bench *x, double *latency, double *message,
                                        struct gradus_error *error)
{
    enum gradus_status status = time_ring(x, 8, EXCHANGES, latency, error);
    if (status == GRADUS_OK)
        status = gr_dist_agree(x->comm, GRADUS_OK, NULL, error);
    if (status == GRADUS_OK)
        status = time_ring(x, (size_t)x->probe->message_bytes, EXCHANGES / 5, message, error);
    return status;
}

/* Measures how much transfers slow down simultaneous products, if there may be any: a tenth of a
 * second of messages. */
static enum gradus_status measure_carrying(struct bench *x, double product_s, double message_s,
                                           double *carrier_s, double *carried,
                                           struct gradus_error *error)
{
    struct gr_dist_comm *const comm = x->comm;
    const size_t bytes = (size_t)x->probe->message_bytes;
    double longest = message_s;
    if (!comm->start || !comm->threaded)
        return GRADUS_OK;
    const enum gradus_status status = gr_ranks_largest(comm, &longest, 1, error);
    if (status != GRADUS_OK)
        return status;
    /* If the processor is shared, each exchange may take some milliseconds while products run. */
    const double count = fmin(1e-9 * WINDOW_NS / longest, MOST_BESIDE);
    const struct gr_ranks_carrying carrying = {
        comm,
        product_of(x),
        product_s,
        {(comm->rank + 1) % comm->size, x->out, bytes},
        {(comm->rank + comm->size - 1) % comm->size, x->in, bytes},
        longest,
        count < FEWEST ? FEWEST : (int)count};
    *carrier_s = gr_ranks_time_carrier();
    return gr_ranks_carried(&carrying, carried, error);
}

/* Converts times to rates. The times of two sizes of messages give the latency and the time per
 * byte. */
static void conclude(const struct gr_ranks_probe *probe, double alone, const double times[6],
                     bool links, struct gr_ranks_rates *rates)
{
    struct gr_dist_machine *const m = &rates->machine;
    const double flop =
        2 * (double)probe->size[0] * (double)probe->size[1] * (double)probe->size[2];
    rates->alone_flop_per_s = flop / alone;
    m->flop_per_s = flop / times[0];
    m->memory_bytes_per_s = 2.0 * COPIED_BYTES / times[1];
    if (!links)
        return;
    const double moving = times[3] > 1.5 * times[2] ? times[3] - times[2] : times[3];
    m->latency_s = times[2];
    m->carrier_s = times[4];
    m->carried = times[5];
    m->link_bytes_per_s = (double)probe->message_bytes / moving;
}

static enum gradus_status measure(struct bench *x, struct gr_ranks_rates *rates,
                                  struct gradus_error *error)
{
    struct gr_dist_comm *const comm = x->comm;
    const bool links = comm->size > 1;
    double alone = 0, times[6] = {0};
    enum gradus_status status = comm->rank == 0 ? time_product(x, &alone, error) : GRADUS_OK;
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK)
        status = gr_ranks_largest(comm, &alone, 1, error);
    if (status != GRADUS_OK)
        return status;
    status = time_product(x, &times[0], error);
    times[1] = time_copy(x);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK && links)
        status = measure_links(x, &times[2], &times[3], error);
    if (status == GRADUS_OK && links)
        status = measure_carrying(x, times[0], times[3], &times[4], &times[5], error);
    if (status == GRADUS_OK)
        status = gr_ranks_largest(comm, times, 6, error);
    if (status == GRADUS_OK)
        conclude(x->probe, alone, times, links, rates);
    return status;
}

enum gradus_status gr_ranks_rates_measure(struct gr_dist_comm *comm,
                                          const struct gr_ranks_probe *probe,
                                          struct gr_ranks_rates *rates, struct gradus_error *error)
{
    struct bench x = {.probe = probe, .comm = comm, .element = probe->type == GRADUS_F64 ? 8 : 4};
    *rates = (struct gr_ranks_rates){
        .machine = {.ranks = comm->size, .link_bytes_per_s = 1e10, .latency_s = 1e-5}};
    enum gradus_status status = allocate(&x, error);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK)
        status = measure(&x, rates, error);
    free(x.a);
    free(x.b);
    free(x.c);
    free(x.out);
    free(x.in);
    return status;
}
