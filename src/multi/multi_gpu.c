/* multi_gpu.c: opens a GPU for products over several. SPDX-License-Identifier: MIT */
#include "multi/multi_gpu.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

enum { NON_BLOCKING = 1, WITHOUT_TIMING = 2, ALREADY_ENABLED = 704 };

enum gradus_status gr_multi_check(const struct gr_multi_gpu *gpu, int result, const char *what,
                                  struct gradus_error *error)
{
    const char *name = NULL, *text = NULL;
    struct gradus_error told = {0};
    if (result == 0)
        return GRADUS_OK;
    gpu->driver->error_name(result, &name);
    gpu->driver->error_text(result, &text);
    const enum gradus_status status = gr_device_check(gpu->driver, result, what, &told);
    gradus_error_clear(&told);
    return gr_fail(error, status, "gpus: GPU %d: %s: %s (%s)", gpu->gpu->ordinal, what,
                   text ? text : "the driver refuses", name ? name : "unknown error");
}

enum gradus_status gr_multi_check_driver(const struct gr_device_driver *driver,
                                         struct gradus_error *error)
{
    if (driver->copy_bytes && driver->copy_rows && driver->copy_peer && driver->copy_peer_rows &&
        driver->can_access && driver->enable_peer && driver->stream_create_first &&
        driver->stream_destroy && driver->event_destroy && driver->event_elapsed)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "gpus: NVIDIA's driver lacks functions that several GPUs need; get a newer one "
                   "with: apt-get install nvidia-driver");
}

/* ---- The GPU itself ---- */

static enum gradus_status open_events(struct gr_multi_gpu *g, struct gradus_error *error)
{
    void **const events[] = {g->uploaded, g->arrived,      g->ahead,
                             g->done,     g->half_free[0], g->half_free[1]};
    int result = 0;
    for (size_t e = 0; e < sizeof events / sizeof *events; e++)
        for (int i = 0; i < GR_MULTI_PLACES && result == 0; i++)
            result = g->driver->event_create(&events[e][i], WITHOUT_TIMING);
    return gr_multi_check(g, result, "an event", error);
}

/* A smaller number is a higher priority. Panels have the highest, since a product must not keep the
 * multiprocessors from NCCL's few blocks. What is made ahead has the lowest: it uses what the
 * product before leaves idle. */
static enum gradus_status open_streams(struct gr_multi_gpu *g, struct gradus_error *error)
{
    static const int priorities[GR_MULTI_STREAMS] = {
        [GR_MULTI_TRAVEL] = -5, [GR_MULTI_PRODUCT] = -1};
    int result = 0;
    for (int s = 0; s < GR_MULTI_STREAMS && result == 0; s++)
        result = g->driver->stream_create_first(&g->streams[s], NON_BLOCKING, priorities[s]);
    return gr_multi_check(g, result, "a stream", error);
}

static enum gradus_status open_own(struct gr_multi_gpu *g, int ordinal, bool *entered,
                                   struct gradus_error *error)
{
    enum gradus_status status = gr_device_driver_open(&g->driver, error);
    if (status == GRADUS_OK)
        status = gr_multi_check_driver(g->driver, error);
    if (status == GRADUS_OK && (ordinal < 0 || ordinal >= g->driver->devices))
        status = gr_fail(error, GRADUS_UNSUPPORTED,
                         "gpus: found GPU %d, wanted one of the %d here: see them with: nvidia-smi",
                         ordinal, g->driver->devices);
    if (status == GRADUS_OK)
        status = gr_device_gpu_open(ordinal, &g->gpu, error);
    if (status == GRADUS_OK)
        status = gr_device_enter(g->gpu, entered, error);
    if (status == GRADUS_OK)
        status = open_streams(g, error);
    return status == GRADUS_OK ? open_events(g, error) : status;
}

/* ---- The connection to the others ---- */

/* Enables direct access to the memory of every other GPU that allows it. Where it does not, the
 * driver copies through the host. */
static enum gradus_status reach_peers(struct gr_multi_gpu *g, const int *ordinals, int64_t count,
                                      struct gradus_error *error)
{
    for (int64_t i = 0; i < count; i++) {
        struct gr_device_gpu *peer = NULL;
        int yes = 0, result = 0;
        if (ordinals[i] == g->gpu->ordinal)
            continue;
        enum gradus_status status = gr_device_gpu_open(ordinals[i], &peer, error);
        if (status != GRADUS_OK)
            return status;
        result = g->driver->can_access(&yes, g->gpu->handle, peer->handle);
        if (result == 0 && yes)
            result = g->driver->enable_peer(peer->context, 0);
        if (result != 0 && result != ALREADY_ENABLED)
            return gr_multi_check(g, result, "access to another GPU", error);
    }
    return GRADUS_OK;
}

/* Collective. `status` is the result of opening NCCL on this rank. */
static enum gradus_status join_nccl(struct gr_multi_gpu *g, struct gr_dist_comm *comm,
                                    enum gradus_status status, struct gradus_error *error)
{
    struct gr_multi_nccl_id id = {{0}};
    if (status == GRADUS_OK && comm->rank == 0)
        status = gr_multi_nccl_check(g->nccl, g->nccl->make_id(&id), "making an identifier", error);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK)
        status = gr_dist_broadcast(comm, &id, sizeof id, error);
    if (status != GRADUS_OK)
        return status;
    const int result = g->nccl->init(&g->nccl_comm, (int)comm->size, id, (int)comm->rank);
    if (result != 0)
        g->nccl_comm = NULL;
    return gr_multi_nccl_check(g->nccl, result, "making a communicator", error);
}

/* Collects the GPUs of all ranks. In one process they must differ. */
static enum gradus_status compare(struct gr_dist_comm *comm, int ordinal, bool one_process,
                                  int ordinals[GR_MULTI_GPUS], struct gradus_error *error)
{
    enum gradus_status status =
        comm->size > GR_MULTI_GPUS
            ? gr_fail(error, GRADUS_UNSUPPORTED, "gpus: found %lld ranks, wanted at most %d",
                      (long long)comm->size, GR_MULTI_GPUS)
            : GRADUS_OK;
    if (status == GRADUS_OK)
        status = gr_dist_collect(comm, &ordinal, sizeof ordinal, ordinals, error);
    if (status == GRADUS_OK)
        status = gr_dist_broadcast(comm, ordinals, sizeof *ordinals * (size_t)comm->size, error);
    for (int64_t i = 0; one_process && status == GRADUS_OK && i < comm->rank; i++)
        if (ordinals[i] == ordinal)
            status = gr_fail(error, GRADUS_INVALID,
                             "gpus: found GPU %d twice, wanted each of them once", ordinal);
    return status;
}

static void take_either(void *sum, const void *x, size_t bytes)
{
    (void)bytes;
    *(int *)sum |= *(const int *)x;
}

/* Collective. Can all GPUs access the memory of all others directly? */
static enum gradus_status ask_reach(const struct gr_multi_gpu *g, const int *ordinals,
                                    struct gr_dist_comm *comm, bool *all,
                                    struct gradus_error *error)
{
    int apart = 0;
    for (int64_t i = 0; i < comm->size; i++) {
        struct gr_device_gpu *peer = NULL;
        int yes = 1;
        if (ordinals[i] != g->gpu->ordinal &&
            (gr_device_gpu_open(ordinals[i], &peer, NULL) != GRADUS_OK ||
             g->driver->can_access(&yes, g->gpu->handle, peer->handle) != 0))
            yes = 0;
        apart |= !yes;
    }
    const enum gradus_status status =
        gr_dist_combine(comm, &apart, sizeof apart, take_either, error);
    *all = !apart;
    return status;
}

/* If the caller has no preference, copies are used where GPUs can access each other, since they
 * were faster than NCCL on two H200. */
static enum gradus_status find_way(struct gr_multi_gpu *g, bool one_process,
                                   enum gr_multi_link link, const int *ordinals,
                                   struct gr_dist_comm *comm, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    bool reach = false;
    if (comm->size == 1)
        return GRADUS_OK;
    if (one_process && link == GR_MULTI_AUTO)
        status = ask_reach(g, ordinals, comm, &reach, error);
    if (status != GRADUS_OK)
        return status;
    if (one_process && (link == GR_MULTI_COPIES || reach))
        return reach_peers(g, ordinals, comm->size, error);
    status = gr_multi_nccl_open(&g->nccl, error);
    if (status == GRADUS_OK || link != GR_MULTI_AUTO || !one_process)
        return join_nccl(g, comm, status, error);
    gradus_error_clear(error);
    g->nccl = NULL;
    return reach_peers(g, ordinals, comm->size, error);
}

enum gradus_status gr_multi_gpu_open(struct gr_multi_gpu *gpu, int ordinal, bool one_process,
                                     enum gr_multi_link link, struct gr_dist_comm *comm,
                                     struct gradus_error *error)
{
    int ordinals[GR_MULTI_GPUS];
    bool entered = false;
    *gpu = (struct gr_multi_gpu){0};
    enum gradus_status status = compare(comm, ordinal, one_process, ordinals, error);
    if (status == GRADUS_OK)
        status = open_own(gpu, ordinal, &entered, error);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK) {
        status = find_way(gpu, one_process, link, ordinals, comm, error);
        status = gr_dist_agree(comm, status, NULL, error);
    }
    if (gpu->gpu)
        gr_device_leave(gpu->gpu, entered);
    if (status != GRADUS_OK)
        gr_multi_gpu_close(gpu);
    return status;
}

/* ---- Memory ---- */

static void free_halves(struct gr_multi_gpu *g)
{
    for (int i = 0; i < 2 * GR_MULTI_HALVES; i++) {
        char **const half = &g->halves[i / GR_MULTI_HALVES][i % GR_MULTI_HALVES];
        if (*half)
            g->driver->host_free(*half);
        *half = NULL;
    }
    g->half_bytes = 0;
}

void gr_multi_gpu_close(struct gr_multi_gpu *g)
{
    bool entered = false;
    if (!g->gpu || gr_device_enter(g->gpu, &entered, NULL) != GRADUS_OK) {
        *g = (struct gr_multi_gpu){0};
        return;
    }
    if (g->nccl_comm)
        g->nccl->destroy(g->nccl_comm);
    if (g->memory)
        g->driver->memory_free(g->memory);
    free_halves(g);
    for (int64_t i = 0; i < g->time_count; i++)
        g->driver->event_destroy(g->times[i]);
    free(g->times);
    void **const events[] = {g->uploaded, g->arrived,      g->ahead,
                             g->done,     g->half_free[0], g->half_free[1]};
    for (size_t e = 0; e < sizeof events / sizeof *events; e++)
        for (int i = 0; i < GR_MULTI_PLACES; i++)
            if (events[e][i])
                g->driver->event_destroy(events[e][i]);
    for (int s = 0; s < GR_MULTI_STREAMS; s++)
        if (g->streams[s])
            g->driver->stream_destroy(g->streams[s]);
    gr_device_leave(g->gpu, entered);
    *g = (struct gr_multi_gpu){0};
}

static enum gradus_status reserve_memory(struct gr_multi_gpu *g, int64_t bytes,
                                         struct gradus_error *error)
{
    int result = 0;
    if (g->memory_bytes >= bytes)
        return GRADUS_OK;
    if (g->memory)
        result = g->driver->memory_free(g->memory);
    g->memory = 0, g->memory_bytes = 0;
    if (result == 0)
        result = g->driver->memory_alloc(&g->memory, (size_t)bytes);
    if (result == 0)
        g->memory_bytes = bytes;
    return gr_multi_check(g, result, "memory for panels", error);
}

static enum gradus_status reserve_halves(struct gr_multi_gpu *g, int64_t bytes,
                                         struct gradus_error *error)
{
    int result = 0;
    if (g->half_bytes >= bytes)
        return GRADUS_OK;
    free_halves(g);
    for (int i = 0; i < 2 * GR_MULTI_HALVES && result == 0; i++)
        result = g->driver->host_alloc(
            (void **)(void *)&g->halves[i / GR_MULTI_HALVES][i % GR_MULTI_HALVES], (size_t)bytes,
            0);
    g->half_bytes = result == 0 ? bytes : 0;
    return gr_multi_check(g, result, "page-locked memory", error);
}

static enum gradus_status reserve_times(struct gr_multi_gpu *g, int64_t count,
                                        struct gradus_error *error)
{
    int result = 0;
    if (g->time_count >= count)
        return GRADUS_OK;
    void **const more = realloc(g->times, (size_t)count * sizeof *more);
    if (!more)
        return gr_fail_memory(error, "a timeline", (uint64_t)count * sizeof *more);
    g->times = more;
    while (g->time_count < count && result == 0) {
        result = g->driver->event_create(&more[g->time_count], 0);
        g->time_count += result == 0;
    }
    return gr_multi_check(g, result, "an event", error);
}

enum gradus_status gr_multi_gpu_reserve(struct gr_multi_gpu *gpu, int64_t memory_bytes,
                                        int64_t half_bytes, int64_t times,
                                        struct gradus_error *error)
{
    enum gradus_status status = reserve_memory(gpu, memory_bytes, error);
    if (status == GRADUS_OK)
        status = reserve_halves(gpu, half_bytes, error);
    return status == GRADUS_OK ? reserve_times(gpu, times, error) : status;
}
